//! Pages to samples: the physics page is all there is.
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
            // Whoever wrote the page is driving; that it still moves, only two of them show.
            let written = sample.gear.is_some() || sample.rpm.is_some();
            sample.presence = Some(if written { Presence::Live } else { Presence::Off });
        }
    }
}
