//! Decodes pages into lap frames. The game reports no laps, and at most the names of driver, car and track.
use crate::ac::laps::{Texts, car};
use crate::ace::laps::physics_only;
use crate::capture::SeenFrame;
use crate::lap_frame::{Identity, LapFrame, NO_LAPS, ReadLaps};

#[derive(Debug, Default)]
pub(super) struct RallyLaps {
    texts: Texts,
}

impl ReadLaps for RallyLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        match frame.stream {
            "physics" => {
                car(frame.bytes, laps);
                physics_only(frame.bytes, laps);
                let identity = Identity { remark: Some(NO_LAPS), ..self.texts.identity.clone() };
                if self.texts.identity.remark.is_none() {
                    self.texts.identity.replace_with(identity);
                }
                self.texts.identity.stamp(laps);
                true
            }
            "static" => {
                self.texts.take(frame.bytes, Identity { remark: Some(NO_LAPS), ..Identity::default() });
                // The game has no sectors: the field is an unwritten zero.
                self.texts.identity.sector_count = None;
                false
            }
            _ => false,
        }
    }

    fn identity(&self) -> &Identity {
        &self.texts.identity
    }
}
