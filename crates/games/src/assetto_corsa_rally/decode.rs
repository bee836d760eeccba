//! Decodes the physics page into samples. The game fills no other page.
use crate::ac::decode::{car, clear_missing_pressures, tread_temperatures};
use crate::capture::{Presence, SeenFrame};
use crate::sample::{Decode, Sample};

#[derive(Debug)]
pub(super) struct RallyDecoder;

impl Decode for RallyDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        if frame.stream == "physics" {
            car(frame.bytes, sample);
            tread_temperatures(frame.bytes, sample);
            clear_missing_pressures(sample);
            // A written page means driving. Whether it still changes cannot be seen from a single frame.
            let written = sample.gear.is_some() || sample.rpm.is_some();
            sample.presence = Some(if written { Presence::Live } else { Presence::Off });
        }
    }
}
