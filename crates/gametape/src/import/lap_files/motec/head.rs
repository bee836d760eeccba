//! The header of a `.ld` file and the blocks that it leads to. [`crate::motec`] says where things are in them.

use std::ops::Range;

use gametape_games::lap_file::LapFileAbout;

use super::{incomplete, read_within, text_of};
use crate::import::Source;
use crate::import::error::ImportError;
use crate::motec::{event, head, vehicle, venue};

/// Length of the header.
pub(super) const HEAD_BYTES: u64 = head::BYTES as u64;

/// Returns whether a file begins like a `.ld` file.
pub(in crate::import) fn is_motec(start: &[u8]) -> bool {
    let number = |at: usize| start.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    number(head::MARKER) == Some(head::MARKER_VALUE)
        && number(4) == Some(0)
        && number(head::TIME_BASE) == Some(head::TIME_BASE_VALUE)
        && number(head::FIRST_CHANNEL) >= Some(64)
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
        let text = |at: Range<usize>| bytes.get(at).and_then(text_of);
        let first_channel = number(head::FIRST_CHANNEL).map(u64::from).ok_or_else(incomplete)?;
        let event_at = u64::from(number(head::EVENT).unwrap_or_default());
        let event_block = match event_at {
            0 => None,
            at => read_within(source, at..at + event::BYTES as u64)?,
        };
        let pointer = |block: &Option<Vec<u8>>, at: usize| {
            let bytes = block.as_ref()?.get(at..at + 2)?.try_into().ok()?;
            Some(u64::from(u16::from_le_bytes(bytes))).filter(|at| *at > 0)
        };
        let venue_block = match pointer(&event_block, event::VENUE) {
            Some(at) => read_within(source, at..at + venue::BYTES as u64)?,
            None => None,
        };
        let vehicle_block = match pointer(&venue_block, venue::VEHICLE) {
            Some(at) => read_within(source, at..at + vehicle::ID.end as u64)?,
            None => None,
        };
        let in_block =
            |block: &Option<Vec<u8>>, name: Range<usize>| block.as_ref().and_then(|block| text_of(block.get(name)?));
        let device = text(head::DEVICE);
        let about = LapFileAbout {
            format: Some(device.as_ref().map_or("MoTeC".to_owned(), |device| format!("MoTeC {device}"))),
            track: text(head::VENUE).or_else(|| in_block(&venue_block, venue::NAME)),
            car: text(head::VEHICLE).or_else(|| in_block(&vehicle_block, vehicle::ID)),
            driver: text(head::DRIVER),
            session: text(head::SESSION),
            length_m: None,
        };
        let start_utc_ns =
            Option::zip(text(head::DATE), text(head::TIME)).and_then(|(date, time)| utc_ns(&date, &time));
        let channel_count = number(head::CHANNELS).map(u64::from).unwrap_or_default();
        let (comment, event) = (text(head::COMMENT), in_block(&event_block, event::NAME));
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
