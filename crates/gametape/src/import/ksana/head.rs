//! The first 72 bytes of a ksana or shm-debugger file.
//!
//! ```text
//!         ksana, container 1 and 2             shm-debugger ("v0")
//!  0  8   RECROCKS                             RECROCKS
//!  8  4   container version                    frames per second
//! 12  4   frames per second                    game id: irac, accz
//! 16  4   game id: irac, acsa                  0
//! 20  4   payload version (2), 0 in 1          0
//! 24 48   0                                    0
//! ```
//! Container 1 and 2 both use the extensions `.ksr` and `.bin`, so the version field decides, not the name.

/// Length of the file header.
pub(super) const HEAD_BYTES: u64 = 72;

/// Plausible frame rates. ksana records at 1 to 60 frames per second.
const BELIEVABLE_FPS: std::ops::RangeInclusive<i32> = 1..=1000;

/// ksana's default frame rate; used if the one in the header is implausible.
const USUAL_FPS: u32 = 5;

/// Why no frame of the file can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KsanaError {
    /// The file ends inside its header.
    #[error("the file ends inside its header: it has {found} of {HEAD_BYTES} bytes")]
    HeadCut {
        /// Bytes in the file.
        found: u64,
    },
    /// The container version is newer than this program.
    #[error("byte 8: container version {found} is not supported, only 1 and 2 are; a newer gametape may read it")]
    Version {
        /// The version in the file.
        found: i32,
    },
    /// The payload version is newer than this program.
    #[error("byte 20: payload version {found} is not supported, only 1 and 2 are; a newer gametape may read it")]
    Payload {
        /// The version in the file.
        found: i32,
    },
    /// The game is unknown.
    #[error("byte {offset}: unknown game id {found}, known are irac, acsa and accz")]
    Game {
        /// Offset of the id.
        offset: u64,
        /// The four bytes, escaped.
        found: String,
    },
}

/// The framing of the file's frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// shm-debugger: compressed length and raw length.
    V0,
    /// ksana up to 0.3: header length (always 12), compressed length, raw length.
    V1,
    /// ksana from 0.4: the header may be longer than 12 bytes.
    V2,
}

/// Which game's frames the file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recorded {
    /// `irac`.
    IRacing,
    /// `acsa`: the pages of Assetto Corsa or of Assetto Corsa Competizione.
    Pages,
    /// `accz`: the pages of Assetto Corsa Competizione, with shm-debugger's lengths.
    AccPages,
}

/// The file header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) container: Container,
    pub(super) recorded: Recorded,
    /// Whether payloads begin with a byte that describes their content.
    pub(super) typed_payload: bool,
    /// Frames per second according to the header.
    pub(super) fps: i32,
    /// Offset of that field.
    pub(super) fps_offset: u64,
}

impl Head {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, KsanaError> {
        let array = |at: usize| bytes.get(at..at + 4).and_then(|four| <[u8; 4]>::try_from(four).ok());
        let whole = u64::try_from(bytes.len()).is_ok_and(|length| length >= HEAD_BYTES);
        let (Some(at_8), Some(at_12), Some(at_16), Some(at_20), true) =
            (array(8), array(12), array(16), array(20), whole)
        else {
            return Err(KsanaError::HeadCut { found: bytes.len() as u64 });
        };
        let number = i32::from_le_bytes;
        // No frame rate looks like an id, so the field at 12 distinguishes the two programs.
        match &at_12 {
            b"irac" => return Ok(Self::of_shm_debugger(number(at_8), Recorded::IRacing)),
            b"accz" => return Ok(Self::of_shm_debugger(number(at_8), Recorded::AccPages)),
            _ => {}
        }
        let recorded = match &at_16 {
            b"irac" => Recorded::IRacing,
            b"acsa" => Recorded::Pages,
            found => return Err(KsanaError::Game { offset: 16, found: found.escape_ascii().to_string() }),
        };
        let (container, typed_payload) = match (number(at_8), number(at_20)) {
            (..=1, _) => (Container::V1, false),
            (2, 1) => (Container::V2, false),
            (2, 2) => (Container::V2, true),
            (2, found) => return Err(KsanaError::Payload { found }),
            (found, _) => return Err(KsanaError::Version { found }),
        };
        Ok(Self { container, recorded, typed_payload, fps: number(at_12), fps_offset: 12 })
    }

    fn of_shm_debugger(fps: i32, recorded: Recorded) -> Self {
        Self { container: Container::V0, recorded, typed_payload: false, fps, fps_offset: 8 }
    }

    /// Returns the frames per second, if plausible.
    pub(super) fn believable_fps(&self) -> Option<u32> {
        u32::try_from(self.fps).ok().filter(|_| BELIEVABLE_FPS.contains(&self.fps))
    }

    /// Returns the time of a frame, rounded to the nearest nanosecond, from its number alone: the file has no times.
    pub(super) fn nominal_ns(&self, number: u64) -> u64 {
        let fps = u128::from(self.believable_fps().unwrap_or(USUAL_FPS));
        u64::try_from((u128::from(number) * 1_000_000_000 + fps / 2) / fps).unwrap_or(u64::MAX)
    }

    /// Returns the problem with the frame rate, if it is implausible.
    pub(super) fn fps_problem(&self) -> Option<String> {
        let (at, fps) = (self.fps_offset, self.fps);
        let text = format!("byte {at}: {fps} frames a second cannot be: frames are placed as at {USUAL_FPS} a second");
        self.believable_fps().is_none().then_some(text)
    }

    /// Returns the name of the container in metadata.
    pub(super) fn container_name(&self) -> &'static str {
        match self.container {
            Container::V0 => "shm-debugger",
            Container::V1 => "ksana 1",
            Container::V2 => "ksana 2",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(numbers: [[u8; 4]; 4]) -> Vec<u8> {
        let mut bytes = [b"RECROCKS".as_slice(), &numbers.concat()].concat();
        bytes.resize(72, 0);
        bytes
    }

    fn n(number: i32) -> [u8; 4] {
        number.to_le_bytes()
    }

    #[test]
    fn versions_are_told_by_where_the_id_stands() {
        let v0 = Head::parse(&head([n(2), *b"irac", n(0), n(0)])).unwrap();
        assert_eq!((v0.container, v0.fps, v0.recorded), (Container::V0, 2, Recorded::IRacing));
        let v0 = Head::parse(&head([n(60), *b"accz", n(0), n(0)])).unwrap();
        assert_eq!((v0.container, v0.recorded), (Container::V0, Recorded::AccPages));
        for version in [1, 0, -5] {
            let v1 = Head::parse(&head([n(version), n(30), *b"acsa", n(0)])).unwrap();
            assert_eq!((v1.container, v1.fps, v1.typed_payload), (Container::V1, 30, false));
        }
        let v2 = Head::parse(&head([n(2), n(30), *b"irac", n(2)])).unwrap();
        assert_eq!((v2.container, v2.fps, v2.typed_payload), (Container::V2, 30, true));
    }

    #[test]
    fn what_came_later_is_named() {
        assert_eq!(Head::parse(&head([n(3), n(5), *b"irac", n(2)])), Err(KsanaError::Version { found: 3 }));
        assert_eq!(Head::parse(&head([n(2), n(5), *b"irac", n(9)])), Err(KsanaError::Payload { found: 9 }));
        let unknown = Head::parse(&head([n(2), n(5), *b"le\0\xff", n(2)]));
        assert_eq!(unknown, Err(KsanaError::Game { offset: 16, found: "le\\x00\\xff".into() }));
        assert_eq!(Head::parse(&[0; 71]), Err(KsanaError::HeadCut { found: 71 }));
    }

    #[test]
    fn nominal_times_do_not_drift_and_rates_that_cannot_be_are_said() {
        let mut head = Head::parse(&head([n(2), n(60), *b"irac", n(2)])).unwrap();
        assert_eq!([0, 1, 2, 3600].map(|i| head.nominal_ns(i)), [0, 16_666_667, 33_333_333, 60_000_000_000]);
        assert_eq!(head.fps_problem(), None);
        for fps in [0, -1, 1001, i32::MIN, i32::MAX] {
            head.fps = fps;
            assert_eq!(head.nominal_ns(3), 600_000_000);
            assert!(head.fps_problem().unwrap().starts_with("byte 12: "));
        }
        assert_eq!(head.nominal_ns(u64::MAX), u64::MAX);
    }
}
