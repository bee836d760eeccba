//! Decodes the physics page into samples. The game fills no other page.
use crate::ac::decode::{car, edges, unsaid_pressures};
use crate::capture::{Presence, SeenFrame};
use crate::sample::{Decode, Sample};

#[derive(Debug)]
pub(super) struct RallyDecoder;

impl Decode for RallyDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        if frame.stream == "physics" {
            car(frame.bytes, sample);
            edges(frame.bytes, sample);
            unsaid_pressures(sample);
            // A written page means driving. Whether it still changes cannot be seen from a single frame.
            let written = sample.gear.is_some() || sample.rpm.is_some();
            sample.presence = Some(if written { Presence::Live } else { Presence::Off });
        }
    }
}
