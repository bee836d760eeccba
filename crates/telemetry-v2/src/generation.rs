//! Determines which generation of the schema a stream was written with. All of them call themselves version 2 and give
//! the same bytes different meanings, so the generation is inferred from features that only some of them write. Takes
//! records, returns a [`Verdict`].

use crate::event_type;
use crate::proto::telemetry::v2::CaptureHeader;
use crate::record::{ECHO_ARENA, FRAME, Record, RecordKind};
use crate::wire::{Field, Fields, Value};

/// The generations, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// "G1": the first one. −1 means nobody, event types are strings, the footer has the size of the stream.
    Seed,
    /// "G2": absent means nobody, event types are numbers, the footer has its own offset.
    Second,
    /// "G3", called 2.1.0: more fields and events. Written by default.
    Third,
    /// "G4": keyframe marks, producer, dictionaries. Read, not written.
    Fourth,
    /// "G5": frame rates in the header, settings of the match as events, 2.2. Read, not written.
    Fifth,
}

/// The key and value in the header's metadata with which this crate marks streams of the seed generation: a reader of a
/// live stream cannot look ahead.
pub const SCHEMA_KEY: &str = "schema";
/// See [`SCHEMA_KEY`].
pub const SCHEMA_SEED: &str = "telemetry.v2/seed";

/// The location of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordPlace {
    /// Offset of the first byte of its length prefix in the stream.
    pub offset: u64,
    /// Offset after its last byte in the stream.
    pub end: u64,
    /// Offset in the file of the zstd frame that contains its first byte. `None` if the file is not compressed.
    pub block: Option<u64>,
}

/// What can be concluded from the records so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The oldest generation that matches.
    pub generation: Generation,
    /// False if nothing was found that only the seed or only later generations write. Everything common to both can be read anyway.
    pub certain: bool,
    /// Whether records contradict each other, as in streams joined by hand.
    pub mixed: bool,
}

/// Collects evidence of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    at_least: Generation,
    at_most: Generation,
    /// Whether a slot of −1 was found. Later writers put it into optional fields by mistake, so it proves nothing by itself.
    minus_one: bool,
    mixed: bool,
}

impl Default for Evidence {
    fn default() -> Self {
        Self { at_least: Generation::Seed, at_most: Generation::Fifth, minus_one: false, mixed: false }
    }
}

impl Evidence {
    /// The current conclusion.
    pub fn verdict(&self) -> Verdict {
        let certain = self.is_decided();
        let generation = match (certain, self.minus_one) {
            (true, _) => self.at_least.min(self.at_most),
            (false, true) => Generation::Seed,
            // A capture of the seed generation has a −1 as soon as the disc is free. Without any, absent means absent.
            (false, false) => Generation::Second,
        };
        Verdict { generation, certain, mixed: self.mixed }
    }

    /// Whether the meaning of fields is known. Further records can only distinguish between the later generations.
    pub fn is_decided(&self) -> bool {
        self.at_most == Generation::Seed || self.at_least > Generation::Seed
    }

    /// Examines a record. Its location determines the meaning of field 3 of a footer.
    pub fn observe(&mut self, record: &Record, place: Option<RecordPlace>) {
        for field in fields(record.bytes()) {
            match (record.kind(), field.number, field.bytes()) {
                (RecordKind::Header, 1, Some(header)) => self.header(header),
                (RecordKind::Frame, FRAME, Some(frame)) => self.frame(frame),
                (RecordKind::Footer, 3, Some(footer)) => self.footer(footer, place),
                _ => {}
            }
        }
    }

    fn at_least(&mut self, generation: Generation) {
        self.mixed |= generation > self.at_most;
        if !self.mixed {
            self.at_least = self.at_least.max(generation);
        }
    }

    fn at_most(&mut self, generation: Generation) {
        self.mixed |= generation < self.at_least;
        if !self.mixed {
            self.at_most = self.at_most.min(generation);
        }
    }

    fn header(&mut self, header: &[u8]) {
        for field in fields(header) {
            match (field.number, field.bytes()) {
                (5, None) if field.varint().is_some_and(|minor| minor >= 2) => self.at_least(Generation::Fifth),
                (5..=7, None) => self.at_least(Generation::Third),
                // Strings in the fourth generation.
                (101 | 102, None) if field.varint().is_some() => self.at_least(Generation::Fifth),
                (8 | 9 | 100..=102, Some(_)) => self.at_least(Generation::Fourth),
                (4, Some(entry)) => {
                    let mut pair = fields(entry).filter_map(|field| field.bytes());
                    if (pair.next(), pair.next()) == (Some(SCHEMA_KEY.as_bytes()), Some(SCHEMA_SEED.as_bytes())) {
                        self.at_most(Generation::Seed);
                    }
                }
                (ECHO_ARENA, Some(arena)) => self.arena_header(arena),
                _ => {}
            }
        }
    }

    fn arena_header(&mut self, arena: &[u8]) {
        for field in fields(arena) {
            match (field.number, field.bytes()) {
                (3 | 5 | 6, None) => self.at_most(Generation::Third),
                (10..=13, _) => self.at_least(Generation::Third),
                (8, Some(player)) if has(player, &[5, 6]) => self.at_least(Generation::Second),
                _ => {}
            }
        }
    }

    fn frame(&mut self, frame: &[u8]) {
        for field in fields(frame) {
            match (field.number, field.bytes()) {
                (3, None) => self.at_least(Generation::Fourth),
                (ECHO_ARENA, Some(arena)) => self.arena(arena),
                _ => {}
            }
        }
    }

    fn arena(&mut self, arena: &[u8]) {
        for field in fields(arena) {
            match (field.number, field.bytes()) {
                (13..=21, _) => self.at_least(Generation::Third),
                (5, Some(player)) if !self.is_decided() && has(player, &[9, 10]) => self.at_least(Generation::Third),
                (12, Some(event)) => fields(event).for_each(|field| self.event(&field)),
                _ => {}
            }
        }
    }

    fn event(&mut self, event: &Field<'_>) {
        let Some(bytes) = event.bytes() else { return };
        match event.number {
            event_type::MATCH_SETTINGS_CHANGED => self.at_least(Generation::Fifth),
            24..=26 | 58 => self.at_least(Generation::Third),
            11 if has(bytes, &[2, 3]) => self.at_least(Generation::Second),
            15 => {
                for field in fields(bytes).filter(|field| field.number == 5) {
                    match field.value {
                        Value::Fixed32(_) => self.at_most(Generation::Seed),
                        Value::Bytes(_) => self.at_least(Generation::Second),
                        _ => {}
                    }
                }
            }
            20 if has(bytes, &[5, 6]) => self.at_least(Generation::Second),
            30 => self.slots(bytes, &[1, 2]),
            40 => {
                self.slots(bytes, &[7]);
                if has(bytes, &[8, 9]) {
                    self.at_least(Generation::Third);
                }
            }
            53 => self.slots(bytes, &[3]),
            _ => {}
        }
    }

    /// Slots that are optional since the second generation: only since then is a 0 written.
    fn slots(&mut self, event: &[u8], numbers: &[u32]) {
        for field in fields(event).filter(|field| numbers.contains(&field.number)) {
            match field.varint() {
                Some(0) => self.at_least(Generation::Second),
                #[allow(clippy::cast_possible_wrap)]
                Some(slot) if (slot as i64) < 0 => self.minus_one = true,
                _ => {}
            }
        }
    }

    fn footer(&mut self, footer: &[u8], place: Option<RecordPlace>) {
        for field in fields(footer) {
            match (field.number, field.bytes()) {
                (5, Some(entry)) => {
                    for field in fields(entry).filter(|field| field.number == 1) {
                        match field.value {
                            Value::Bytes(_) => self.at_most(Generation::Seed),
                            Value::Varint(_) => self.at_least(Generation::Second),
                            _ => {}
                        }
                    }
                }
                (3, None) => match (field.varint(), place) {
                    (Some(value), Some(place)) if value == place.offset || Some(value) == place.block => {
                        self.at_least(Generation::Second)
                    }
                    (Some(value), Some(place)) if value == place.end => self.at_most(Generation::Seed),
                    _ => {}
                },
                _ => {}
            }
        }
    }
}

/// Returns what can be concluded from a header alone. This is for live streams; for a file, consider the footer and the frames too.
pub fn of_header(header: &CaptureHeader) -> Verdict {
    let mut evidence = Evidence::default();
    evidence.header(&prost::Message::encode_to_vec(header));
    evidence.verdict()
}

fn fields(bytes: &[u8]) -> impl Iterator<Item = Field<'_>> {
    Fields::new(bytes).filter_map(Result::ok)
}

fn has(bytes: &[u8], numbers: &[u32]) -> bool {
    fields(bytes).any(|field| numbers.contains(&field.number))
}
