//! Importer for Telemetry V2 captures (`.tape`) of every generation, compressed or not.

use telemetry_v2::generation::Generation;
use telemetry_v2::meaning;
use telemetry_v2::proto::telemetry::v2::echo_event::Event;
use telemetry_v2::proto::telemetry::v2::{CaptureHeader, EchoArenaFrame, Frame, Mark, envelope, frame};
use telemetry_v2::read::{Item, OpenError, Placed, ReadError, Reader, Tape};
use telemetry_v2::{Dictionary, Fitted, Record, RecordKind};

use super::any_game::{self, AnyGame};
use super::{ANSWERS, CaptureError, DICTIONARY, GENERATION, LAYOUT, SETTINGS_CHANGES, UNKNOWN_EVENTS, V2_RECORDS};
use super::{Reading, hex, limits, options};
use crate::echo::{Keys, Known, Maker, beyond, write_player_bones, write_session};
use crate::import::echo_streams::{EchoStreams, Kept};
use crate::import::kind::Kind;
use crate::import::out::Out;
use crate::import::problems::{Problems, tell_source_at};
use crate::import::{Found, ImportError, Importer, Source};

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " v2-tape 2");

/// Maximum number of marks between two responses that become events. All marks are stored as records.
const MAX_MARKS: usize = 4096;

/// Reads `.tape` files.
pub(in crate::import) struct V2Importer;

impl Importer for V2Importer {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let options = options(source);
        let read_failed = |error: ReadError| match error {
            ReadError::Io(error) => ImportError::Read { path: source.path.clone(), source: error },
            error @ (ReadError::NeedsDictionary { .. } | ReadError::OtherDictionary { .. }) => {
                CaptureError::Dictionary(error.to_string()).into()
            }
            error => CaptureError::Read(error.to_string()).into(),
        };
        let open_failed = |error: OpenError| match error {
            OpenError::Read(error) => read_failed(error),
            error @ OpenError::NotACapture => CaptureError::Read(error.to_string()).into(),
        };
        // The meaning of slots depends on the generation, which follows from the footer or from all frames together.
        let mut opened = Tape::open_with_options(Reading::new(source), &options).map_err(open_failed)?;
        let generation = opened.generation().generation;
        let raw = any_game::is_raw(&mut opened).map_err(read_failed)?;
        drop(opened);
        let mut reader = Reader::with_options(Reading::new(source), &options).map_err(read_failed)?;
        if raw {
            return AnyGame::read(reader, source, out, progress, &read_failed);
        }
        let mut import = Importing::new(generation);
        while let Some(item) = reader.next().map_err(read_failed)? {
            match item {
                Item::Problem(problem) => import.problems.add(problem),
                Item::Record(placed) => {
                    progress(placed.place.block.unwrap_or(placed.place.offset).min(source.bytes));
                    import.take(&placed, out)?;
                }
            }
        }
        let dictionary = source.dictionary.as_ref().filter(|_| reader.used_dictionary());
        import.finish(source, reader.is_packed(), dictionary, out)
    }
}

struct Importing {
    generation: Generation,
    problems: Problems,
    streams: EchoStreams,
    begun: bool,
    /// Whether the header was read.
    header: bool,
    known: Known,
    maker: Maker,
    records: u64,
    /// Number of frame records.
    frames: u32,
    arena_frames: u64,
    went_back: u64,
    settings_changes: u64,
    unknown_events: u64,
    first_block: Option<u64>,
    blocks: bool,
    event_ns: u64,
    /// Marks waiting for the next response.
    marks: Vec<Mark>,
}

impl Importing {
    fn new(generation: Generation) -> Self {
        Self {
            generation,
            problems: Problems::default(),
            streams: EchoStreams::new(V2_RECORDS),
            begun: false,
            header: false,
            known: Known::default(),
            maker: Maker::default(),
            records: 0,
            frames: 0,
            arena_frames: 0,
            went_back: 0,
            settings_changes: 0,
            unknown_events: 0,
            first_block: None,
            blocks: false,
            event_ns: 0,
            marks: Vec::new(),
        }
    }

    fn begin(&mut self, header: &CaptureHeader, out: &mut dyn Out) -> Result<(), ImportError> {
        if !self.begun {
            self.begun = true;
            let start = header.created_at.and_then(|time| i64::try_from(time.unix_nanos()).ok());
            out.begin(start)?;
            self.known = Known::new(header);
            self.maker = Maker::new(header);
        }
        Ok(())
    }

    fn take(&mut self, placed: &Placed, out: &mut dyn Out) -> Result<(), ImportError> {
        self.records += 1;
        let first = *self.first_block.get_or_insert(placed.place.block.unwrap_or_default());
        self.blocks |= placed.place.block.is_some_and(|block| block != first);
        let (record, offset) = (&placed.record, placed.place.offset);
        let kept = match record.kind() {
            RecordKind::Header if !self.header && self.records == 1 => {
                self.header = true;
                // The reader has already reported the problem.
                if let Ok(header) = record.header(&limits()) {
                    self.begin(&header, out)?;
                }
                Kept::Header
            }
            RecordKind::Frame => return self.take_frame(record, offset, out),
            RecordKind::Footer => Kept::Footer,
            RecordKind::Header | RecordKind::Unknown(_) | RecordKind::Empty => Kept::Extra,
        };
        self.keep(kept, record, offset, out)
    }

    fn keep(&mut self, kept: Kept, record: &Record, offset: u64, out: &mut dyn Out) -> Result<(), ImportError> {
        self.begin(&CaptureHeader::default(), out)?;
        self.streams.keep(out, kept, self.streams.answers, record.bytes(), offset)
    }

    fn take_frame(&mut self, record: &Record, offset: u64, out: &mut dyn Out) -> Result<(), ImportError> {
        let frame_index = self.frames;
        self.frames = self.frames.saturating_add(1);
        let mut frame = match record.fitted_frame(&limits()) {
            Ok(Fitted { message, misfits }) => {
                if !misfits.is_empty() {
                    self.problems.add(format!("fields of the frame at {offset} of the stream are not read: {misfits}"));
                }
                message
            }
            Err(error) => {
                self.problems.add(format!("the frame at {offset} of the stream is kept as it is: {error}"));
                return self.keep(Kept::Extra, record, offset, out);
            }
        };
        self.begin(&CaptureHeader::default(), out)?;
        meaning::frame_to_current(&mut frame, self.generation);
        self.known.follow(&frame);
        match &frame.payload {
            Some(frame::Payload::EchoArena(arena)) => {
                self.arena_frames += 1;
                self.count_unknown(arena);
                self.take_arena(frame_index, &frame, arena, record, offset, out)
            }
            Some(frame::Payload::Mark(mark)) => {
                // Its time must lie between those of the surrounding responses, and the next one is not known yet.
                if self.marks.len() < MAX_MARKS {
                    self.marks.push(mark.clone());
                }
                self.keep(Kept::Extra, record, offset, out)
            }
            _ => self.keep(Kept::Extra, record, offset, out),
        }
    }

    /// Counts events that cannot be represented in a response.
    fn count_unknown(&mut self, arena: &EchoArenaFrame) {
        for event in &arena.events {
            match &event.event {
                Some(Event::MatchSettingsChanged(_)) => self.settings_changes += 1,
                None => self.unknown_events += 1,
                Some(_) => {}
            }
        }
    }

    fn take_arena(
        &mut self,
        frame_index: u32,
        frame: &Frame,
        arena: &EchoArenaFrame,
        record: &Record,
        offset: u64,
        out: &mut dyn Out,
    ) -> Result<(), ImportError> {
        let wanted_ns = u64::from(frame.timestamp_offset_ms) * 1_000_000;
        self.went_back += u64::from(wanted_ns < self.streams.time_ns / 1_000_000 * 1_000_000);
        self.tell_marks(wanted_ns, out)?;
        self.take_along(arena, wanted_ns, offset, out)?;
        let time_ns = self.streams.time_for(wanted_ns);
        let keys = Keys { of_third_generation: self.generation >= Generation::Third, short_numbers: true };
        let session = write_session(&self.known.session(arena), keys);
        let bones = self.known.player_bones(arena).map(|bones| write_player_bones(&bones));
        let bones = bones.or_else(|| self.known.spelled_player_bones().map(str::to_owned));
        let (session, bones) = (session.as_bytes(), bones.as_deref().map(str::as_bytes));
        let number = self.streams.answers;
        self.event_ns = self.event_ns.max(time_ns);
        self.streams.session(out, time_ns, session, offset)?;
        bones.map(|bones| self.streams.player_bones(out, bones, offset)).transpose()?;
        let made = self.maker.frame(frame_index, time_ns, session, bones);
        let made = made.map(|made| self.maker.in_generation(made, self.generation));
        let same =
            made.is_some_and(|made| Record::from_message(envelope::Message::Frame(made)).bytes() == record.bytes());
        if same { Ok(()) } else { self.streams.keep(out, Kept::Instead, number, record.bytes(), offset) }
    }

    /// Emits responses from outside a match, and marks: a frame carries those that precede it among its events.
    fn take_along(
        &mut self,
        arena: &EchoArenaFrame,
        until_ns: u64,
        offset: u64,
        out: &mut dyn Out,
    ) -> Result<(), ImportError> {
        for event in arena.events.iter().filter_map(|event| event.event.as_ref()) {
            let Event::GenericEvent(generic) = event else { continue };
            let at_ns =
                generic.data.get("time_ns").and_then(|text| text.parse().ok()).unwrap_or(until_ns).min(until_ns);
            let of = |key: &str| generic.data.get(key).map(String::as_str).unwrap_or_default();
            if generic.event_type == beyond::ANSWER {
                let time_ns = self.streams.time_for(at_ns);
                self.streams.session(out, time_ns, generic.payload.as_bytes(), offset)?;
                self.event_ns = self.event_ns.max(time_ns);
                self.maker.frame(0, time_ns, generic.payload.as_bytes(), None);
            } else if generic.event_type == beyond::MARK {
                self.event(at_ns, until_ns, of("kind"), of("text"), out)?;
            }
        }
        Ok(())
    }

    /// Emits an event before a response. Times never go back.
    fn event(
        &mut self,
        at_ns: u64,
        until_ns: u64,
        kind: &str,
        text: &str,
        out: &mut dyn Out,
    ) -> Result<(), ImportError> {
        self.event_ns = at_ns.min(until_ns).max(self.event_ns);
        out.event(self.event_ns, kind, text)
    }

    /// Emits the marks that precede a response.
    fn tell_marks(&mut self, until_ns: u64, out: &mut dyn Out) -> Result<(), ImportError> {
        for Mark { kind, text, time_ns } in std::mem::take(&mut self.marks) {
            self.event(time_ns, until_ns, &kind, &text, out)?;
        }
        Ok(())
    }

    fn finish(
        mut self,
        source: &Source,
        packed: bool,
        dictionary: Option<&Dictionary>,
        out: &mut dyn Out,
    ) -> Result<Found, ImportError> {
        if self.arena_frames == 0 {
            return Err(CaptureError::NoFrames { records: self.records }.into());
        }
        if self.went_back > 0 {
            self.problems
                .add(format!("the time goes back in {} frames: they stand at the time before it", self.went_back));
        }
        self.tell_marks(u64::MAX >> 1, out)?;
        self.streams.tell_facts(out)?;
        let layout = match (packed, self.blocks) {
            (false, _) => "plain",
            (true, false) => "stream",
            (true, true) => "blocks",
        };
        out.metadata(ANSWERS, &self.streams.answers.to_string())?;
        out.metadata(LAYOUT, layout)?;
        out.metadata(GENERATION, generation_word(self.generation))?;
        out.metadata("capture_kept_records", &self.streams.instead.to_string())?;
        if let Some(dictionary) = dictionary {
            out.metadata(DICTIONARY, &hex(dictionary.sha256()))?;
        }
        for (key, count) in [(SETTINGS_CHANGES, self.settings_changes), (UNKNOWN_EVENTS, self.unknown_events)] {
            if count > 0 {
                out.metadata(key, &count.to_string())?;
            }
        }
        let found = Found { frames: self.arena_frames, problems: self.problems.list() };
        let at_ns = self.event_ns.max(self.streams.time_ns);
        tell_source_at(out, source, Kind::V2Tape, IMPORTER, "source", &self.problems, at_ns)?;
        Ok(found)
    }
}

/// Returns the name of a generation in metadata.
pub(crate) fn generation_word(generation: Generation) -> &'static str {
    match generation {
        Generation::Seed => "seed",
        Generation::Second => "second",
        Generation::Third => "third",
        Generation::Fourth => "fourth",
        Generation::Fifth => "fifth",
    }
}
