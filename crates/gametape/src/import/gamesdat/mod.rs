//! Importer for GamesDat files (`.dat`, sometimes `.bin`): with or without a header, closed or not, complete or cut.
//!
//! A file is a header and one LZ4 frame of records. In addition to the game's streams (see [`split`]), the tape has
//! `gamesdat.header` and, for the damaged parts of the file, `gamesdat.rest` with their original bytes.

mod head;
mod lz4;
mod payload;
mod records;
mod split;
mod times;

use gametape_format::{Role, StreamSpec};

use super::about::tell_about;
use super::kind::Kind;
use super::out::Out;
use super::problems::{Problems, tell_source};
use super::rest::Rest;
use super::{Found, ImportError, Importer, Source};
use head::Head;
use lz4::{Blocks, Step, Stop};
use payload::Payload;
use records::{MAX_PAYLOAD_BYTES, Next, RECORD_HEAD_BYTES, Records};
use split::{RecordPosition, Split};
use times::{RecordTimes, utc_ns};

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " gamesdat 1");

/// Why no record of a file can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GamesDatError {
    /// The file ends inside its header.
    #[error("the file ends at byte {file_bytes}, inside its header: the {part} at byte {offset} is incomplete")]
    HeaderCut {
        /// The incomplete part.
        part: &'static str,
        /// Offset of that part.
        offset: u64,
        /// Length of the file.
        file_bytes: u64,
    },
    /// The header version is newer than this program.
    #[error("byte 4: header version {found} is not supported, only 1 is; a newer gametape may read it")]
    Version {
        /// The version in the file.
        found: u16,
    },
    /// An LZ4 file of another program, or one whose first block is damaged.
    #[error(
        "this LZ4 file has no header and contains no recognizable GamesDat record; decompress it and import its content"
    )]
    NoRecords,
}

/// Reads GamesDat files.
pub(super) struct GamesDatImporter;

impl Importer for GamesDatImporter {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let mut reading = Reading::new(Head::read(source)?);
        let mut blocks = Blocks::new(source, reading.head.bytes.len() as u64);
        let mut offset = 0;
        loop {
            match blocks.next()? {
                Step::Data { offset: block } => {
                    offset = block;
                    progress(offset);
                    reading.take_data(blocks.data(), offset, out)?;
                }
                Step::End => reading.closed = true,
                Step::Stop { rest, why } => {
                    reading.end_data(offset, out)?;
                    reading.stop(source, rest, &why, out)?;
                    break;
                }
            }
        }
        reading.finish(source, out)
    }
}

/// State of an import.
struct Reading {
    head: Head,
    records: Records,
    /// Set from the first record on, when the tape begins.
    split: Option<Split>,
    times: RecordTimes,
    problems: Problems,
    rest: Rest,
    unread: Rest,
    count: u64,
    time_ns: u64,
    /// Whether record boundaries are lost.
    lost: bool,
    /// Whether the LZ4 frame ended with its end mark.
    closed: bool,
}

impl Reading {
    fn new(head: Head) -> Self {
        let mut problems = Problems::default();
        let believable = |bytes: &usize| (1..=MAX_PAYLOAD_BYTES).contains(bytes);
        let payload_bytes = head.payload_bytes.and_then(|bytes| usize::try_from(bytes).ok()).filter(believable);
        if let (Some(found), None) = (head.payload_bytes, payload_bytes) {
            problems.add(format!("the header says that payloads have {found} bytes, which cannot be"));
        }
        Self {
            head,
            records: Records::new(payload_bytes),
            split: None,
            times: RecordTimes::default(),
            problems,
            rest: Rest::new("gamesdat.rest"),
            unread: Rest::new("gamesdat.unread"),
            count: 0,
            time_ns: 0,
            lost: false,
            closed: false,
        }
    }

    fn take_data(&mut self, data: &[u8], offset: u64, out: &mut dyn Out) -> Result<(), ImportError> {
        if self.lost {
            return self.unread.keep(out, self.time_ns, data, offset);
        }
        self.records.push(data);
        self.take_records(offset, out)
    }

    fn take_records(&mut self, offset: u64, out: &mut dyn Out) -> Result<(), ImportError> {
        loop {
            let at = format!("record {}, in the block at byte {offset}", self.count);
            match self.records.next() {
                Next::Wait => return Ok(()),
                Next::Record { bytes } => {
                    let record = bytes.to_vec();
                    self.take_record(&record, offset, out)?;
                }
                Next::Damaged { bytes, found } => {
                    let record = bytes.to_vec();
                    self.problems.add(format!("{at}: its payload is said to have {found} bytes: it is kept as bytes"));
                    self.begin(None, out)?;
                    self.unread.keep(out, self.time_ns, &record, offset)?;
                }
                Next::Lost { found } => {
                    let text = "from here on no records can be made out, the rest is kept as bytes";
                    self.problems.add(format!("{at}: its payload is said to have {found} bytes: {text}"));
                    self.begin(None, out)?;
                    self.lost = true;
                    return self.unread.keep(out, self.time_ns, self.records.rest(), offset);
                }
            }
        }
    }

    fn take_record(&mut self, record: &[u8], offset: u64, out: &mut dyn Out) -> Result<(), ImportError> {
        let ticks = record.first_chunk().map(|bytes| i64::from_le_bytes(*bytes)).unwrap_or_default();
        let (time_ns, clock_set) = self.times.step(ticks);
        self.begin(Some(ticks), out)?;
        self.time_ns = time_ns;
        if let Some(utc_ns) = utc_ns(ticks).filter(|_| clock_set) {
            out.clock(time_ns, utc_ns)?;
        }
        let place = RecordPosition { number: self.count, time_ns, offset };
        self.count += 1;
        match &mut self.split {
            Some(split) => split.take(record, &place, out, &mut self.problems, &mut self.unread),
            None => Ok(()),
        }
    }

    /// Begins the tape on the first call.
    fn begin(&mut self, first_ticks: Option<i64>, out: &mut dyn Out) -> Result<(), ImportError> {
        if self.split.is_some() {
            return Ok(());
        }
        let payload_bytes = self.records.payload_bytes().unwrap_or_default();
        let known = Payload::of(&self.head, payload_bytes).is_some();
        if self.head.bytes.is_empty() && (!known || first_ticks.and_then(utc_ns).is_none()) {
            return Err(GamesDatError::NoRecords.into());
        }
        out.begin(first_ticks.and_then(utc_ns))?;
        self.split = Some(Split::begin(&self.head, payload_bytes, out, &mut self.problems)?);
        Ok(())
    }

    /// Handles the remaining decompressed bytes when no more can be decompressed.
    fn end_data(&mut self, offset: u64, out: &mut dyn Out) -> Result<(), ImportError> {
        self.records.end();
        if self.lost {
            return Ok(());
        }
        self.take_records(offset, out)?;
        let expected = RECORD_HEAD_BYTES + self.records.payload_bytes().unwrap_or_default();
        let left = self.records.rest().to_vec();
        if left.is_empty() {
            return Ok(());
        }
        let (count, found) = (self.count, left.len());
        self.problems.add(format!(
            "record {count}, in the block at byte {offset}: it is cut, {found} of {expected} bytes are there"
        ));
        self.begin(None, out)?;
        self.unread.keep(out, self.time_ns, &left, offset)
    }

    fn stop(
        &mut self,
        source: &Source,
        rest: std::ops::Range<u64>,
        why: &Stop,
        out: &mut dyn Out,
    ) -> Result<(), ImportError> {
        let at = rest.start;
        match why {
            Stop::EndOfFile => {}
            Stop::NoFrame if self.closed => {
                let bytes = rest.end - at;
                self.problems.add(format!("byte {at}: {bytes} bytes stand behind the end of the LZ4 frame"));
            }
            why => self.problems.add(format!("byte {at}: {why}")),
        }
        self.begin(None, out)?;
        self.rest.keep_stretch(out, self.time_ns, source, rest)
    }

    fn finish(self, source: &Source, out: &mut dyn Out) -> Result<Found, ImportError> {
        if !self.head.bytes.is_empty() {
            let spec =
                StreamSpec { role: Role::Describe, transport: "file".into(), ..StreamSpec::rows("gamesdat.header") };
            let header = out.add_stream(spec)?;
            out.append(header, 0, &self.head.bytes, 0)?;
        }
        tell_source(out, source, Kind::Dat, IMPORTER, "recorder_utc", &self.problems)?;
        let version = self.head.data_version_text();
        for (key, value) in [("payload_type", self.head.short_type()), ("payload_version", version.as_deref())] {
            value.into_iter().try_for_each(|value| out.metadata(key, value))?;
        }
        if self.times.steps > 0 {
            out.metadata("clock_steps", &self.times.steps.to_string())?;
        }
        if let Some(split) = &self.split {
            tell_about(out, split.about())?;
        }
        Ok(Found { frames: self.count, problems: self.problems.list() })
    }
}
