//! The layout of iRacing's shared memory: as recorded in the tape, or as the current version of the game has it.
//!
//! ```text
//!        0 header, 112 bytes
//!      112 session text, 512 KiB
//!  524 400 variable headers, 4096 of 144 bytes
//! 1 114 224 three rows, 24 KiB each          section: 1 191 936 bytes
//! ```
use gametape_games::iracing::{HEADER_BYTES, IrsdkHeader, LiveMap, MAX_VARS, SECTION_BYTES, VAR_HEADER_BYTES};

const TEXT_ROOM: u64 = 512 << 10;
/// Longer session texts are not accepted.
const MOST_TEXT: u64 = 16 << 20;
const ROW_ROOM: u64 = 24 << 10;
const BUFFERS: usize = 3;
const USUAL_HZ: i32 = 60;
const USUAL_VERSION: i32 = 2;

/// Offsets and sizes in the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) text_at: u64,
    pub(super) text_room: u64,
    pub(super) variables_at: u64,
    pub(super) rows_at: Vec<u64>,
    /// Fields that only newer versions of the game write.
    pub(super) new_fields: NewFields,
    /// The header before the first row: not connected, no row written.
    pub(super) header: [u8; HEADER_BYTES],
}

/// Fields that newer versions of the game write, and older ones leave zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NewFields {
    /// The tick of each row, written before the row.
    pub(super) begin_counts: bool,
    /// The index of the newest row.
    pub(super) newest: bool,
}

/// Returns the size of a section that is large enough for any headers of the tape.
pub(super) fn section_bytes(row_bytes: u32, text_bytes: u64) -> u64 {
    let rows_at = rows_at(text_room(text_bytes));
    (rows_at + BUFFERS as u64 * row_room(row_bytes)).max(SECTION_BYTES.into())
}

fn text_room(text_bytes: u64) -> u64 {
    text_bytes.saturating_add(1).clamp(TEXT_ROOM, MOST_TEXT)
}

fn rows_at(text_room: u64) -> u64 {
    HEADER_BYTES as u64 + text_room + u64::from(MAX_VARS) * VAR_HEADER_BYTES as u64
}

fn row_room(row_bytes: u32) -> u64 {
    u64::from(row_bytes).next_multiple_of(4096).max(ROW_ROOM)
}

impl Places {
    /// Returns the layout from the header of the tape, if it is a valid live header and everything fits into the section.
    pub(super) fn of_tape(header: &[u8], row_bytes: u32, variables: usize, section_bytes: u64) -> Option<Self> {
        let mut bytes: [u8; HEADER_BYTES] = header.get(..HEADER_BYTES)?.try_into().ok()?;
        put(&mut bytes, 4, 1);
        let map = LiveMap::read(&bytes, section_bytes).ok()??;
        let fits = map.row_bytes == row_bytes && map.var_headers.end - map.var_headers.start == variables as u64;
        let text = map.session_text.clone();
        let apart = text.end <= map.var_headers.start || map.var_headers.end <= text.start;
        let rows = || map.buffers().iter().map(|buffer| buffer.offset..buffer.offset + u64::from(row_bytes));
        let clear = rows().all(|row| row.end <= text.start || text.end <= row.start);
        if !fits || text.is_empty() || !apart || !clear {
            return None;
        }
        let read = IrsdkHeader::read(&bytes)?;
        let new_fields = NewFields {
            begin_counts: read.buffers.iter().any(|buffer| buffer.tick_begin != 0),
            newest: read.newest_tick != 0,
        };
        Some(Self {
            text_at: text.start,
            text_room: text.end - text.start,
            variables_at: map.var_headers.start,
            rows_at: map.buffers().iter().map(|buffer| buffer.offset).collect(),
            new_fields,
            header: empty(bytes, map.buffers().len()),
        })
    }

    /// Returns the layout of the current version of the game. Takes rate and version from the header if there is one.
    pub(super) fn usual(header: Option<&[u8]>, row_bytes: u32, variables: usize, text_bytes: u64) -> Self {
        let read = header.and_then(IrsdkHeader::read);
        let told =
            |number: Option<i32>, usual: i32| number.filter(|number| (1..=1000).contains(number)).unwrap_or(usual);
        let text_room = text_room(text_bytes);
        let text_at = HEADER_BYTES as u64;
        let rows_at: Vec<u64> =
            (0..BUFFERS as u64).map(|index| rows_at(text_room) + index * row_room(row_bytes)).collect();
        let mut bytes = [0; HEADER_BYTES];
        let numbers = [
            (0, i64::from(told(read.as_ref().map(|header| header.version), USUAL_VERSION))),
            (8, i64::from(told(read.as_ref().map(|header| header.tick_rate_hz), USUAL_HZ))),
            (16, text_room as i64),
            (20, text_at as i64),
            (24, (variables / VAR_HEADER_BYTES) as i64),
            (28, (text_at + text_room) as i64),
            (32, BUFFERS as i64),
            (36, i64::from(row_bytes)),
        ];
        let offsets = rows_at.iter().enumerate().map(|(index, at)| (52 + 16 * index, *at as i64));
        for (at, number) in numbers.into_iter().chain(offsets) {
            put(&mut bytes, at, i32::try_from(number).unwrap_or_default());
        }
        let header = empty(bytes, BUFFERS);
        let new_fields = NewFields { begin_counts: true, newest: true };
        Self { text_at, text_room, variables_at: text_at + text_room, rows_at, new_fields, header }
    }
}

/// Returns the header of a memory without rows.
fn empty(mut header: [u8; HEADER_BYTES], buffers: usize) -> [u8; HEADER_BYTES] {
    for at in [4, 12, 40, 44] {
        put(&mut header, at, 0);
    }
    for index in 0..buffers {
        put(&mut header, 48 + 16 * index, -1);
        put(&mut header, 56 + 16 * index, 0);
    }
    header
}

/// Writes a number into a header.
fn put(header: &mut [u8; HEADER_BYTES], at: usize, number: i32) {
    if let Some(place) = header.get_mut(at..at + 4) {
        place.copy_from_slice(&number.to_le_bytes());
    }
}

/// Parses bytes as the header of a tape and checks that nothing would be written outside the section. For fuzz targets and mutation
/// tests only.
#[doc(hidden)]
pub fn fuzz_tape_header(data: &[u8]) {
    let (row_bytes, variables) = (1000, 10 * VAR_HEADER_BYTES);
    let section = section_bytes(row_bytes, 0);
    let of_tape = Places::of_tape(data, row_bytes, variables, section);
    let usual = Places::usual(Some(data), row_bytes, variables, 0);
    for places in of_tape.iter().chain([&usual]) {
        let rows = places.rows_at.iter().map(|at| at + u64::from(row_bytes));
        let ends = rows.chain([places.text_at + places.text_room, places.variables_at + variables as u64]);
        assert!(ends.into_iter().all(|end| end <= section), "{places:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_places_are_those_of_the_game_and_lie_inside_the_section() {
        let places = Places::usual(None, 1099, 285 * 144, 31_346);
        assert_eq!(places.rows_at, [1_114_224, 1_138_800, 1_163_376]);
        assert_eq!(section_bytes(1099, 31_346), 1_191_936);
        let mut header = places.header;
        put(&mut header, 4, 1);
        let map = LiveMap::read(&header, 1_191_936).unwrap().unwrap();
        assert_eq!((map.tick_rate_hz, map.row_bytes, map.newest_tick()), (Some(60), 1099, None));
        // A row or text that is too long for the default layout gets more space and still fits.
        for (row_bytes, text_bytes) in [(30_000, 10), (1_000, 3_000_000), (1_048_576, 20 << 20)] {
            let mut header = Places::usual(None, row_bytes, 4096 * 144, text_bytes).header;
            put(&mut header, 4, 1);
            assert!(LiveMap::read(&header, section_bytes(row_bytes, text_bytes)).unwrap().is_some());
        }
    }

    #[test]
    fn the_places_of_the_tape_are_kept_and_wild_ones_are_not_followed() {
        let usual = Places::usual(None, 500, 2 * 144, 0);
        let mut written = usual.header;
        put(&mut written, 40, 9);
        put(&mut written, 56, 9);
        assert_eq!(Places::of_tape(&written, 500, 2 * 144, 1_191_936), Some(usual.clone()));
        let old = Places::of_tape(&usual.header, 500, 2 * 144, 1_191_936).unwrap();
        assert_eq!(old.new_fields, NewFields { begin_counts: false, newest: false });
        assert_eq!(Places::of_tape(&usual.header, 501, 2 * 144, 1_191_936), None, "rows are of another length");
        assert_eq!(Places::of_tape(&usual.header, 500, 3 * 144, 1_191_936), None, "there are other variables");
        assert_eq!(Places::of_tape(&usual.header, 500, 2 * 144, 1_000_000), None, "rows would lie outside");
        let mut wild = usual.header;
        put(&mut wild, 20, 524_400 + 10);
        assert_eq!(Places::of_tape(&wild, 500, 2 * 144, 1_191_936), None, "the text would lie on the variables");
        let mut one = usual.header;
        put(&mut one, 32, 1);
        assert_eq!(Places::of_tape(&one, 500, 2 * 144, 1_191_936), None, "one buffer is a file");
    }
}
