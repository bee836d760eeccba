//! The header of a `.ld` file and the blocks that it leads to.
//!
//! ```text
//!    0  u32      0x40
//!    8  u32      first channel record
//!   36  u32      event block, or 0
//!   66  u32      1,000,000
//!   74  char[8]  device
//!   86  u32      number of channels
//!   94  char[16] date dd/mm/yyyy        126  char[16] time HH:MM:SS
//!  158  char[64] driver                 222  char[64] vehicle      350  char[64] venue
//! 1508  char[64] session               1572  char[64] comment
//! event:   name char[64] · session char[64] · comment char[1024] · u16 venue block
//! venue:   name char[64] · … · 1098 u16 vehicle block
//! vehicle: id char[64]
//! ```

use gametape_games::lap_file::LapFileAbout;

use super::{incomplete, read_within, text_of};
use crate::import::Source;
use crate::import::error::ImportError;

/// Length of the header.
pub(super) const HEAD_BYTES: u64 = 1762;

/// Returns whether a file begins like a `.ld` file.
pub(in crate::import) fn is_motec(start: &[u8]) -> bool {
    let number = |at: usize| start.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    number(0) == Some(0x40) && number(4) == Some(0) && number(66) == Some(1_000_000) && number(8) >= Some(64)
}

/// What the header says.
pub(super) struct LdHead {
    pub(super) about: LapFileAbout,
    /// The logger's local time, taken as UTC.
    pub(super) start_utc_ns: Option<i64>,
    pub(super) first_channel: u64,
    pub(super) channel_count: u64,
    pub(super) comment: Option<String>,
    pub(super) device: Option<String>,
    pub(super) event: Option<String>,
}

impl LdHead {
    pub(super) fn read(source: &Source) -> Result<Self, ImportError> {
        let bytes = read_within(source, 0..HEAD_BYTES)?.ok_or_else(incomplete)?;
        let number = |at: usize| bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
        let text = |at: usize, length: usize| bytes.get(at..at + length).and_then(text_of);
        let first_channel = number(8).map(u64::from).ok_or_else(incomplete)?;
        let event_at = u64::from(number(36).unwrap_or_default());
        let event = match event_at {
            0 => None,
            at => read_within(source, at..at + 1154)?,
        };
        let pointer = |block: &Option<Vec<u8>>, at: usize| {
            let bytes = block.as_ref()?.get(at..at + 2)?.try_into().ok()?;
            Some(u64::from(u16::from_le_bytes(bytes))).filter(|at| *at > 0)
        };
        let venue = match pointer(&event, 1152) {
            Some(at) => read_within(source, at..at + 1100)?,
            None => None,
        };
        let vehicle = match pointer(&venue, 1098) {
            Some(at) => read_within(source, at..at + 64)?,
            None => None,
        };
        let in_block = |block: &Option<Vec<u8>>| block.as_ref().and_then(|block| text_of(block.get(..64)?));
        let device = text(74, 8);
        let about = LapFileAbout {
            format: Some(device.as_ref().map_or("MoTeC".to_owned(), |device| format!("MoTeC {device}"))),
            track: text(350, 64).or_else(|| in_block(&venue)),
            car: text(222, 64).or_else(|| in_block(&vehicle)),
            driver: text(158, 64),
            session: text(1508, 64),
            length_m: None,
        };
        let start_utc_ns = Option::zip(text(94, 16), text(126, 16)).and_then(|(date, time)| utc_ns(&date, &time));
        let channel_count = number(86).map(u64::from).unwrap_or_default();
        let (comment, event) = (text(1572, 64), in_block(&event));
        Ok(Self { about, start_utc_ns, first_channel, channel_count, comment, device, event })
    }
}

/// Parses `dd/mm/yyyy` and `HH:MM:SS` or `HH:MM`.
fn utc_ns(date: &str, time: &str) -> Option<i64> {
    let numbers = |text: &str, at: char| -> Option<Vec<i16>> { text.split(at).map(|part| part.parse().ok()).collect() };
    let (date, time) = (numbers(date, '/')?, numbers(time, ':')?);
    let small = |numbers: &[i16], at: usize| numbers.get(at).and_then(|number| i8::try_from(*number).ok());
    let date = jiff::civil::Date::new(*date.get(2)?, small(&date, 1)?, small(&date, 0)?).ok()?;
    let time = jiff::civil::Time::new(small(&time, 0)?, small(&time, 1)?, small(&time, 2).unwrap_or(0), 0).ok()?;
    let at = date.to_datetime(time).to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    i64::try_from(at.timestamp().as_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_loggers_may_lack_the_seconds() {
        assert_eq!(utc_ns("23/11/2005", "09:53:00"), Some(1_132_739_580_000_000_000));
        assert_eq!(utc_ns("23/11/2005", "09:53"), utc_ns("23/11/2005", "09:53:00"));
        assert_eq!(utc_ns("23/13/2005", "09:53"), None);
        assert_eq!(utc_ns("", ""), None);
    }
}
