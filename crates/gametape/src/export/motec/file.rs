//! The bytes of a `.ld` file before its samples: header, event, venue, vehicle and the channel records. Texts of tapes are untrusted: what
//! latin-1 cannot represent is replaced, control characters are left out, and all is cut to the length of its field.

use std::ops::Range;

use super::channels::LogChannel;
use crate::motec::{channel, event, head, vehicle, venue};

/// Longest file: its pointers are numbers of 32 bits.
pub(super) const LONGEST_FILE: u64 = u32::MAX as u64;

/// Bytes per sample.
pub(super) const SAMPLE_BYTES: u64 = 4;

/// The blocks are where MoTeC's own sample has them. What is between them is 0: some readers take the pointers of 16 bits, which end their
/// block, for pointers of 32 bits.
const EVENT_AT: usize = head::BYTES;
const VENUE_AT: usize = 4918;
const VEHICLE_AT: usize = 8020;
const CHANNELS_AT: usize = 13_384;
const _: () = assert!(EVENT_AT + event::BYTES + 2 <= VENUE_AT && VENUE_AT + venue::BYTES + 2 <= VEHICLE_AT);
const _: () = assert!(VEHICLE_AT + vehicle::BYTES <= CHANNELS_AT && VEHICLE_AT <= u16::MAX as usize);

/// Serial number, version and flags of the logger, as in MoTeC's own sample.
const LOGGER: (u32, u16, u16) = (12_007, 420, 0x80);
/// The first id of a channel; the following ones count up.
const FIRST_ID: u16 = 8000;

/// What the header says.
#[derive(Debug, Default)]
pub(super) struct About {
    pub(super) driver: String,
    pub(super) car: String,
    pub(super) track: String,
    pub(super) session: String,
    pub(super) game: String,
    pub(super) comment: String,
    /// Start in UTC, in nanoseconds since 1970.
    pub(super) start_utc_ns: Option<i64>,
}

/// Returns where the samples of each channel begin, and the length of the file.
pub(super) fn places(counts: impl ExactSizeIterator<Item = u64>) -> (Vec<u64>, u64) {
    let mut at = (CHANNELS_AT + counts.len() * channel::BYTES) as u64;
    let place = |count: u64| {
        let place = at;
        at = at.saturating_add(count.saturating_mul(SAMPLE_BYTES));
        place
    };
    (counts.map(place).collect(), at)
}

/// Returns everything before the samples. `places` has where the samples of each channel begin, and how many there are; all of it is below
/// [`LONGEST_FILE`].
pub(super) fn before_samples(about: &About, channels: &[LogChannel], places: &[(u64, u64)]) -> Vec<u8> {
    let mut out = Block(vec![0; CHANNELS_AT + channels.len() * channel::BYTES]);
    let first = if channels.is_empty() { 0 } else { CHANNELS_AT as u64 };
    let (serial, version, flags) = LOGGER;
    out.long(head::MARKER, head::MARKER_VALUE.into());
    out.long(head::FIRST_CHANNEL, first);
    out.long(head::FIRST_SAMPLE, out.0.len() as u64);
    out.long(head::EVENT, EVENT_AT as u64);
    out.long(head::TIME_BASE, head::TIME_BASE_VALUE.into());
    out.long(head::SERIAL, serial.into());
    out.text(0, head::DEVICE, "ADL");
    out.short(head::DEVICE_VERSION, version);
    out.short(head::DEVICE_FLAGS, flags);
    out.long(head::CHANNELS, channels.len() as u64);
    if let Some((date, time)) = about.start_utc_ns.and_then(date_and_time) {
        out.text(0, head::DATE, &date);
        out.text(0, head::TIME, &time);
    }
    out.text(0, head::DRIVER, &about.driver);
    out.text(0, head::VEHICLE, &about.car);
    out.text(0, head::VENUE, &about.track);
    out.long(head::PRO, head::PRO_VALUE.into());
    out.text(0, head::SESSION, &about.session);
    out.text(0, head::COMMENT, &about.comment);
    out.text(EVENT_AT, event::NAME, &about.game);
    out.text(EVENT_AT, event::SESSION, &about.session);
    out.text(EVENT_AT, event::COMMENT, &about.comment);
    out.short(EVENT_AT + event::VENUE, VENUE_AT as u16);
    out.text(VENUE_AT, venue::NAME, &about.track);
    out.short(VENUE_AT + venue::VEHICLE, VEHICLE_AT as u16);
    out.text(VEHICLE_AT, vehicle::ID, &about.car);

    for (number, (of, (samples, count))) in channels.iter().zip(places).enumerate() {
        let at = |number: usize| (CHANNELS_AT + number * channel::BYTES) as u64;
        let (start, is_last) = (CHANNELS_AT + number * channel::BYTES, number + 1 == channels.len());
        out.long(start + channel::PREVIOUS, number.checked_sub(1).map_or(0, at));
        out.long(start + channel::NEXT, if is_last { 0 } else { at(number + 1) });
        out.long(start + channel::SAMPLES, *samples);
        out.long(start + channel::COUNT, *count);
        out.short(start + channel::ID, FIRST_ID.wrapping_add(number as u16));
        out.short(start + channel::FAMILY, if of.is_integer { channel::INTEGER } else { channel::FLOAT });
        out.short(start + channel::SIZE, SAMPLE_BYTES as u16);
        out.short(start + channel::HZ, of.hz);
        out.short(start + channel::SHIFT, 0);
        out.short(start + channel::MULTIPLIER, 1);
        out.short(start + channel::SCALE, 1);
        out.short(start + channel::DECIMALS, of.decimals.cast_unsigned());
        out.text(start, channel::NAME, &of.name);
        out.text(start, channel::SHORT_NAME, &of.name);
        out.text(start, channel::UNIT, &of.unit);
    }
    out.0
}

/// Bytes that are filled in.
struct Block(Vec<u8>);

impl Block {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        if let Some(room) = self.0.get_mut(at..at + bytes.len()) {
            room.copy_from_slice(bytes);
        }
    }

    fn short(&mut self, at: usize, value: u16) {
        self.put(at, &value.to_le_bytes());
    }

    fn long(&mut self, at: usize, value: u64) {
        self.put(at, &u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes());
    }

    /// Writes a text with a NUL at its end.
    fn text(&mut self, start: usize, field: Range<usize>, text: &str) {
        let text = latin_1(text);
        let letters =
            text.chars().take(width(&field) - 1).map(|letter| u8::try_from(u32::from(letter)).unwrap_or(b'?'));
        self.put(start + field.start, &letters.collect::<Vec<u8>>());
    }
}

/// Returns the length of a field.
pub(super) fn width(field: &Range<usize>) -> usize {
    field.end - field.start
}

/// Returns a text in letters that latin-1 has, without control characters.
pub(super) fn latin_1(text: &str) -> String {
    let known = |letter: char| if u32::from(letter) < 0x100 { letter } else { '?' };
    text.chars().filter(|letter| !letter.is_control()).map(known).collect()
}

/// Returns `dd/mm/yyyy` and `HH:MM:SS`.
fn date_and_time(utc_ns: i64) -> Option<(String, String)> {
    let at = jiff::Timestamp::from_nanosecond(utc_ns.into()).ok()?.to_zoned(jiff::tz::TimeZone::UTC);
    let date = format!("{:02}/{:02}/{:04}", at.day(), at.month(), at.year());
    Some((date, format!("{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_tapes_stay_in_their_fields() {
        let long = "Zoë \u{1F600}\0\u{202E}\"&<".repeat(100);
        let about = About {
            driver: long.clone(),
            car: long.clone(),
            track: long.clone(),
            session: long.clone(),
            game: long.clone(),
            comment: long,
            ..About::default()
        };
        let bytes = before_samples(&about, &[], &[]);
        assert_eq!(bytes.len(), CHANNELS_AT);
        assert_eq!(bytes[head::DRIVER][..8], *b"Zo\xEB ??\"&");
        assert!(
            [head::DRIVER.end, head::VEHICLE.end, head::VENUE.end, head::SESSION.end, head::COMMENT.end]
                .iter()
                .all(|end| bytes[end - 1] == 0)
        );
        assert_eq!(bytes[head::DRIVER.end..][..1], bytes[head::VEHICLE][..1]);
        assert_eq!(bytes[EVENT_AT + event::COMMENT.end - 1], 0);
        assert_eq!(bytes[EVENT_AT + event::VENUE..][..2], (VENUE_AT as u16).to_le_bytes());
    }

    #[test]
    fn dates_are_those_of_utc() {
        let (date, time) = date_and_time(1_700_000_000_000_000_000).unwrap();
        assert_eq!((date.as_str(), time.as_str()), ("14/11/2023", "22:13:20"));
    }
}
