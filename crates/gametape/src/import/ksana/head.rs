//! The first 72 bytes of a ksana or shm-debugger file.
//!
//! ```text
//!         ksana, container 1 and 2             shm-debugger ("v0")
//!  0  8   RECROCKS                             RECROCKS
//!  8  4   container version                    frames a second
//! 12  4   frames a second                      id of the game: irac, accz
//! 16  4   id of the game: irac, acsa           0
//! 20  4   version of the payload (2), 0 in 1   0
//! 24 48   0                                    0
//! ```
//! Files of container 1 and 2 end in `.ksr` or `.bin`, so the version field decides, not the name.

/// Length of the file header.
pub(super) const HEAD_BYTES: u64 = 72;

/// Frames a second that are believed. ksana records 1 to 60.
const BELIEVABLE_FPS: std::ops::RangeInclusive<i32> = 1..=1000;

/// What ksana records at unless told otherwise; taken where the header gives no rate that can be.
const USUAL_FPS: u32 = 5;

/// Why no frame of a file can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KsanaError {
    /// The file ends inside its header.
    #[error("the file ends inside its header: {found} of {HEAD_BYTES} bytes are there")]
    HeadCut {
        /// Bytes that are there.
        found: u64,
    },
    /// A container that came later.
    #[error("byte 8: this is container version {found}, known are 1 and 2; a newer gametape may read it")]
    Version {
        /// The version it gives.
        found: i32,
    },
    /// A payload that came later.
    #[error("byte 20: this is payload version {found}, known are 1 and 2; a newer gametape may read it")]
    Payload {
        /// The version it gives.
        found: i32,
    },
    /// A game that is not known.
    #[error("byte {offset}: the id of the game is {found}, known are irac, acsa and accz")]
    Game {
        /// Where it stands.
        offset: u64,
        /// The four bytes, made readable.
        found: String,
    },
}

/// How the file's frames are framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// shm-debugger: packed length and raw length.
    V0,
    /// ksana up to 0.3: header length (always 12), packed length, raw length.
    V1,
    /// ksana from 0.4: the header may be longer than 12 bytes.
    V2,
}

/// Whose frames they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recorded {
    /// `irac`.
    IRacing,
    /// `acsa`: the pages of Assetto Corsa or of Assetto Corsa Competizione.
    Pages,
    /// `accz`: those of Assetto Corsa Competizione, in shm-debugger's lengths.
    AccPages,
}

/// The file header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) container: Container,
    pub(super) recorded: Recorded,
    /// Whether payloads begin with a byte that says what is in them.
    pub(super) typed_payload: bool,
    /// As the header gives it.
    pub(super) fps: i32,
    /// Where that stands.
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
        // No rate reads like an id, so what stands at 12 tells the two programs apart.
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

    /// Frames a second, if there can be so many.
    pub(super) fn believable_fps(&self) -> Option<u32> {
        u32::try_from(self.fps).ok().filter(|_| BELIEVABLE_FPS.contains(&self.fps))
    }

    /// When a frame was, to the nearest nanosecond, by its number alone: the file has no times.
    pub(super) fn nominal_ns(&self, number: u64) -> u64 {
        let fps = u128::from(self.believable_fps().unwrap_or(USUAL_FPS));
        u64::try_from((u128::from(number) * 1_000_000_000 + fps / 2) / fps).unwrap_or(u64::MAX)
    }

    /// What is wrong with the rate.
    pub(super) fn fps_problem(&self) -> Option<String> {
        let (at, fps) = (self.fps_offset, self.fps);
        let text = format!("byte {at}: {fps} frames a second cannot be: frames are placed as at {USUAL_FPS} a second");
        self.believable_fps().is_none().then_some(text)
    }

    /// What the tape calls the container.
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
