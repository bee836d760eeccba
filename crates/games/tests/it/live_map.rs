//! iRacing's live memory: offsets are validated, new rows are found, torn copies are detected.
#![allow(clippy::unwrap_used)]
use crate::support;

use gametape_games::iracing::{
    GAME, HEADER_BYTES, LiveBuffer, LiveMap, LiveMapError, SECTION_BYTES, read_var_headers, session_text_bytes,
};
use gametape_games::{Layout, Presence, Sample, Seen, SeenFrame, fuzz_irsdk_map};
use support::put;

const SECTION: u64 = SECTION_BYTES as u64;

/// A header as the game writes it: three buffers of 24 KiB, with these ticks.
fn front(ticks: [i32; 3]) -> Vec<u8> {
    let mut front = vec![0; HEADER_BYTES];
    let numbers = [2, 1, 60, 8, 524_288, 112, 287, 524_400, 3, 7419];
    for (index, number) in numbers.into_iter().enumerate() {
        put(&mut front, index * 4, number);
    }
    for (index, tick) in ticks.into_iter().enumerate() {
        put(&mut front, 48 + 16 * index, tick);
        put(&mut front, 52 + 16 * index, 1_114_224 + 24_576 * index as i32);
    }
    front
}

fn map(front: &[u8]) -> LiveMap {
    LiveMap::read(front, SECTION).unwrap().unwrap()
}

fn error(change: impl Fn(&mut Vec<u8>)) -> LiveMapError {
    let mut front = front([10, 11, 12]);
    change(&mut front);
    LiveMap::read(&front, SECTION).unwrap_err()
}

fn ticks(buffers: &[LiveBuffer]) -> Vec<i32> {
    buffers.iter().map(|buffer| buffer.tick).collect()
}

#[test]
fn places_are_as_the_game_lays_them_out() {
    let map = map(&front([10, 11, 12]));
    assert_eq!((map.var_headers.clone(), map.session_text.clone()), (524_400..565_728, 112..524_400));
    assert_eq!((map.row_bytes, map.tick_rate_hz, map.session_text_update), (7419, Some(60), 8));
    let offsets: Vec<u64> = map.buffers().iter().map(|buffer| buffer.offset).collect();
    assert_eq!(offsets, [1_114_224, 1_138_800, 1_163_376]);
}

#[test]
fn a_game_that_is_not_connected_is_no_error() {
    assert_eq!(LiveMap::read(&[0; HEADER_BYTES], SECTION), Ok(None));
    let mut off = front([10, 11, 12]);
    put(&mut off, 4, 0);
    put(&mut off, 24, -5);
    assert_eq!(LiveMap::read(&off, SECTION), Ok(None));
}

#[test]
fn out_of_range_fields_are_named() {
    let field = |offset, value| match error(|front| put(front, offset, value)) {
        LiveMapError::Field { name, offset: at, found, .. } => {
            assert_eq!((at, found), (offset, value));
            name
        }
        other => unreachable!("{other}"),
    };
    for (offset, value, name) in [
        (0, 0, "ver"),
        (16, -1, "sessionInfoLen"),
        (16, i32::MAX, "sessionInfoLen"),
        (20, 0, "sessionInfoOffset"),
        (24, 0, "numVars"),
        (24, 4097, "numVars"),
        (24, i32::MIN, "numVars"),
        (28, 111, "varHeaderOffset"),
        (32, 1, "numBuf"),
        (32, 5, "numBuf"),
        (36, 0, "bufLen"),
        (36, i32::MAX, "bufLen"),
        (52, -1, "bufOffset"),
        (84, 8, "bufOffset"),
    ] {
        assert_eq!(field(offset, value), name);
    }
}

#[test]
fn parts_outside_the_section_are_rejected() {
    for (offset, value, text) in [
        (28, i32::MAX, "variable headers: bytes 2147483647"),
        (20, 1_191_935, "session text: bytes 1191935"),
        (84, 1_191_936 - 7418, "row buffers: bytes 1184518"),
    ] {
        let error = error(|front| put(front, offset, value));
        assert!(matches!(error, LiveMapError::Outside { section_bytes: SECTION, .. }), "{error}");
        assert!(error.to_string().starts_with(text), "{error}");
    }
    let short = LiveMap::read(&front([1, 2, 3]), 1_170_000).unwrap_err();
    assert!(matches!(short, LiveMapError::Outside { what: "row buffers", start: 1_163_376, .. }));
    assert_eq!(LiveMap::read(&[1; 111], SECTION), Err(LiveMapError::TooShort { found: 111 }));
    assert_eq!(LiveMap::read(&front([1, 2, 3]), 50), Err(LiveMapError::TooShort { found: 50 }));
}

#[test]
fn row_buffers_share_no_bytes() {
    let same = error(|front| put(front, 68, 1_114_224 + 7418));
    assert_eq!(same, LiveMapError::Overlap { index: 1, start: 1_121_642, other: "another row buffer" });
    let headers = error(|front| put(front, 52, 565_727));
    assert_eq!(headers, LiveMapError::Overlap { index: 0, start: 565_727, other: "the variable headers" });
}

#[test]
fn new_rows_come_oldest_first_from_all_buffers() {
    let map = map(&front([2004, 2005, 2003]));
    // The writer may be overwriting the oldest one.
    assert_eq!(ticks(map.newer_than(None).as_slice()), [2004, 2005]);
    assert_eq!(ticks(map.newer_than(Some(2003)).as_slice()), [2004, 2005]);
    assert_eq!(ticks(map.newer_than(Some(2005)).as_slice()), [0; 0]);
    assert_eq!(map.newest_tick(), Some(2005));
    assert_eq!(map.newer_than(Some(2004)).as_slice()[0].offset, 1_138_800);
}

#[test]
fn buffers_that_were_never_written_are_no_rows() {
    let before = map(&front([-1, -1, -1]));
    assert_eq!((before.newest_tick(), before.newer_than(None).as_slice().len()), (None, 0));
    assert!(!before.is_reconnect(500));
    assert_eq!(ticks(map(&front([1, 0, -1])).newer_than(None).as_slice()), [1]);
}

#[test]
fn a_tick_that_went_back_is_a_game_that_started_anew() {
    let map = map(&front([4, 2, 3]));
    assert!(map.is_reconnect(5) && !map.is_reconnect(4) && !map.is_reconnect(3));
}

#[test]
fn places_are_compared_without_ticks() {
    let one = map(&front([1, 2, 3]));
    assert!(one.is_placed_like(&map(&front([7, 8, 9]))));
    for (offset, value) in [(24, 286), (28, 524_404), (36, 7420), (52, 1_114_228), (32, 2)] {
        let mut other = front([1, 2, 3]);
        put(&mut other, offset, value);
        assert!(!one.is_placed_like(&map(&other)), "byte {offset}");
    }
}

#[test]
fn the_hint_of_the_newest_tick_is_not_relied_on() {
    let mut wrong = front([10, 11, 12]);
    put(&mut wrong, 40, 99);
    put(&mut wrong, 44, 0);
    assert_eq!(map(&wrong).newest_tick(), Some(12));
}

#[test]
fn a_copy_is_whole_until_the_writer_may_have_come_round() {
    let copied = map(&front([10, 11, 12])).buffers()[1];
    assert!(map(&front([10, 11, 12])).is_whole(&copied));
    // Tick 13 overwrites 10, so 12 may be the newest; once 13 is published, 11 may be overwritten.
    assert!(!map(&front([13, 11, 12])).is_whole(&copied));
    assert!(!map(&front([13, 14, 12])).is_whole(&copied));
    let oldest = map(&front([10, 11, 12])).buffers()[0];
    assert!(!map(&front([10, 11, 12])).is_whole(&oldest));
}

#[test]
fn with_begin_counts_a_copy_is_whole_until_the_writer_begins() {
    let with = |ticks: [i32; 3], begins: [i32; 3]| {
        let mut front = front(ticks);
        for (index, begin) in begins.into_iter().enumerate() {
            put(&mut front, 56 + 16 * index, begin);
        }
        map(&front)
    };
    let rest = with([10, 11, 12], [10, 11, 12]);
    let oldest = rest.buffers()[0];
    assert!(rest.is_whole(&oldest));
    assert_eq!(ticks(rest.newer_than(None).as_slice()), [10, 11, 12]);
    let writing = with([10, 11, 12], [13, 11, 12]);
    assert!(!writing.is_whole(&oldest));
    assert!(writing.is_whole(&rest.buffers()[1]));
    assert_eq!(ticks(writing.newer_than(None).as_slice()), [11, 12]);
    assert!(!with([13, 11, 12], [13, 11, 12]).is_whole(&oldest));
}

/// A writer that never pauses and a reader, interleaved step by step in random order. Counts accepted copies, and torn
/// ones among them.
struct Race {
    front: Vec<u8>,
    rows: [[i32; 5]; 4],
    buffers: usize,
    has_begins: bool,
    tick: i32,
    step: usize,
}

impl Race {
    fn new(buffers: usize, has_begins: bool) -> Self {
        let mut front = front([-1; 3]);
        put(&mut front, 32, buffers as i32);
        put(&mut front, 96, -1);
        put(&mut front, 100, 1_180_000);
        put(&mut front, 36, 7);
        Self { front, rows: [[0; 5]; 4], buffers, has_begins, tick: 1, step: 0 }
    }

    fn write_step(&mut self) {
        let buffer = self.tick as usize % self.buffers;
        match self.step {
            0 if self.has_begins => put(&mut self.front, 56 + 16 * buffer, self.tick),
            0 => {}
            1..=5 => self.rows[buffer][self.step - 1] = self.tick,
            _ => put(&mut self.front, 48 + 16 * buffer, self.tick),
        }
        self.step += 1;
        if self.step == 7 {
            self.step = 0;
            self.tick += 1;
        }
    }

    /// Runs this many polls, with or without the copy rule. Returns the numbers of accepted and of torn copies.
    fn run(mut self, looks: usize, rule: bool) -> (usize, usize) {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let (mut taken, mut torn) = (0, 0);
        for _ in 0..looks {
            let mut work = |race: &mut Self| {
                let steps = match next() % 64 {
                    0 => next() % 24,
                    1..=8 => 1,
                    _ => 0,
                };
                (0..steps).for_each(|_| race.write_step());
            };
            let before = self.look(&mut work);
            let buffers = if rule { before.newer_than(None).as_slice().to_vec() } else { before.buffers().to_vec() };
            let Some(&buffer) = buffers.first().filter(|buffer| buffer.tick > 0) else { continue };
            let mut copy = [0; 5];
            for (index, word) in copy.iter_mut().enumerate() {
                work(&mut self);
                *word = self.rows[buffer.index][index];
            }
            if !rule || self.look(&mut work).is_whole(&buffer) {
                taken += 1;
                torn += usize::from(copy != [buffer.tick; 5]);
            }
        }
        (taken, torn)
    }

    /// Reads the header number by number while the writer continues.
    fn look(&mut self, work: &mut impl FnMut(&mut Self)) -> LiveMap {
        let mut copy = vec![0; HEADER_BYTES];
        for at in (0..HEADER_BYTES).step_by(4) {
            work(self);
            copy[at..at + 4].copy_from_slice(&self.front[at..at + 4]);
        }
        map(&copy)
    }
}

#[test]
fn no_torn_copy_is_taken_whatever_the_order_of_steps() {
    for buffers in [3, 4] {
        for has_begins in [false, true] {
            let (taken, torn) = Race::new(buffers, has_begins).run(100_000, true);
            assert!(taken > 1000, "{buffers} buffers, begins {has_begins}: only {taken} copies accepted");
            assert_eq!(torn, 0, "{buffers} buffers, begins {has_begins}: of {taken}");
            let (_, torn) = Race::new(buffers, has_begins).run(100_000, false);
            assert!(torn > 100, "without the rule there must be torn copies, found {torn}");
        }
    }
}

#[test]
fn real_live_memory_is_read_as_the_game_means_it() {
    let test = "real_live_memory_is_read_as_the_game_means_it";
    let Some(directory) = support::real_data(test) else { return };
    for (name, newest, in_car) in [("live_map_a.bin", [1933, 1934], true), ("live_map_b.bin", [2004, 2005], false)] {
        let memory = std::fs::read(directory.join("irsdk-live").join(name)).unwrap();
        fuzz_irsdk_map(&memory);
        let slice = |start: u64, bytes: u64| &memory[start as usize..(start + bytes) as usize];
        let map = LiveMap::read(&memory[..HEADER_BYTES], memory.len() as u64).unwrap().unwrap();
        let rows = map.newer_than(None);
        assert_eq!(ticks(rows.as_slice()), newest);
        let headers = slice(map.var_headers.start, map.var_headers.end - map.var_headers.start);
        let table = read_var_headers(headers, map.row_bytes).unwrap();
        assert_eq!(table.problems, []);
        let cars = table.layout.channel("CarIdxLapDistPct").unwrap();
        assert_eq!(cars.count, 64);

        let mut counter = None;
        for buffer in rows.as_slice() {
            let bytes = slice(buffer.offset, map.row_bytes.into());
            let row = SeenFrame { stream: "telemetry", layout: &table.layout, bytes };
            let now = GAME.rules.counter(Seen(&[row]));
            assert!(now > counter, "{now:?} after {counter:?}");
            counter = now;
        }
        let newest = rows.as_slice().last().unwrap();
        let row =
            SeenFrame { stream: "telemetry", layout: &table.layout, bytes: slice(newest.offset, map.row_bytes.into()) };
        let mut sample = Sample::default();
        GAME.rules.decoder().frame(row, &mut sample);
        assert_eq!((sample.speed_kmh.is_some(), sample.presence), (in_car, Some(Presence::Live)));
        assert_eq!(sample.car_count, Some(if in_car { 3 } else { 0 }));

        let no_layout = Layout::new("text", 0, vec![]).unwrap();
        let text = session_text_bytes(slice(map.session_text.start, 524_288));
        let text = SeenFrame { stream: "session-text", layout: &no_layout, bytes: text };
        let about = GAME.rules.about(Seen(&[row, text]));
        assert!(about.car.is_some() && about.game_version.is_some(), "{about:?}");
        let track = if in_car { "Long Beach" } else { "Autodromo Nazionale Monza" };
        assert_eq!(about.track.as_deref(), Some(track));
        assert_eq!(about.session.as_deref(), Some(if in_car { "practice" } else { "offline-testing" }));
        assert_eq!(GAME.rules.session_key(Seen(&[row])), Some(1 << 16));
    }
}
