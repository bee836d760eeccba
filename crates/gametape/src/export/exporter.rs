//! The contract of a file format that tapes are exported to. Command line and server find the formats in a list and use nothing else.

#[cfg(any(feature = "echo", feature = "mcap"))]
use std::cell::RefCell;
use std::fmt;
use std::io;
#[cfg(any(feature = "echo", feature = "mcap"))]
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;

use gametape_analysis::report::ReportError;
use gametape_format::TapeId;
use gametape_format::read::{Problem, ReadError, Tape};

use super::{Columns, choose_every, choose_usual};
#[cfg(feature = "echo")]
use crate::import::Dictionary;
use crate::laps::{Session, Tracked};

/// A file format that tapes are exported to. [`EXPORTERS`](super::EXPORTERS) lists them.
pub trait Exporter: Sync {
    /// Returns the name of the format, as users type it.
    fn name(&self) -> &'static str;

    /// Returns the extension of its files.
    fn extension(&self) -> &'static str {
        self.name()
    }

    /// Returns the extensions of the files that it writes beside each of its files: [`ExportSink::beside`].
    fn beside(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns its media type, for HTTP.
    fn media_type(&self) -> &'static str;

    /// Returns what its files contain, and thus which parts of [`Export`] apply.
    fn content(&self) -> Content;

    /// Returns the channels that are exported if the user names none.
    fn usual_columns(&self, tape: &Tape) -> Columns {
        match self.content() {
            Content::Rows => choose_usual(tape),
            Content::Report | Content::Recording => choose_every(tape),
        }
    }

    /// Returns whether each stream goes to a file of its own ([`ExportSink::file`]), and tables may be neutral ([`Export::neutral`]).
    fn is_columnar(&self) -> bool {
        false
    }

    /// Returns why this program cannot write the format, if so.
    fn unavailable(&self) -> Option<&'static str> {
        None
    }

    /// Writes a tape. Damaged parts are skipped and returned in [`Exported::damage`].
    ///
    /// # Errors
    /// If the tape has nothing for this format or cannot be read at all, or if the sink fails.
    fn export(&self, what: &Export<'_>, sink: &mut dyn ExportSink) -> Result<Exported, ExportError>;
}

impl fmt::Debug for dyn Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the files of a format contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Rows of selected channels, of a time range, of all laps or of one.
    Rows,
    /// An overview of the whole tape, with selected channels.
    Report,
    /// The whole recording, in the format of another program.
    Recording,
}

/// Which laps have files of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LapFiles {
    /// None: one file has everything.
    Together,
    /// Each lap.
    Each,
    /// Only the lap with this number on the tape is exported.
    Only(u32),
}

/// What to export.
#[derive(Clone)]
pub struct Export<'a> {
    /// The tape.
    pub tape: &'a Tape,
    /// Name of the file that is exported.
    pub file: &'a str,
    /// Its laps, if the game has any.
    pub tracked: Option<&'a Tracked>,
    /// The channels.
    pub columns: &'a Columns,
    /// Whether the user selected the channels.
    pub named: bool,
    /// Only these times, in nanoseconds since the start of the tape.
    pub times: Range<u64>,
    /// Maximum rows per second; `None` exports all of them.
    pub hz: Option<f64>,
    /// Columnar tables: one table of the whole tape, whose columns are the same for all games.
    pub neutral: bool,
    /// Which laps have files of their own. Tables need not look at it: their sinks sort rows into files.
    pub laps: LapFiles,
    /// Write the first generation of the format's schema, for readers that support no other.
    pub first_generation: bool,
    /// The zstd dictionary to compress with.
    #[cfg(feature = "echo")]
    pub dictionary: Option<&'a Dictionary>,
}

impl<'a> Export<'a> {
    /// Exports everything of a tape.
    #[must_use]
    pub fn all(tape: &'a Tape, file: &'a str, columns: &'a Columns) -> Self {
        Self {
            tape,
            file,
            tracked: None,
            columns,
            named: false,
            times: 0..u64::MAX,
            hz: None,
            neutral: false,
            laps: LapFiles::Together,
            first_generation: false,
            #[cfg(feature = "echo")]
            dictionary: None,
        }
    }
}

/// How a sink divides the rows of a table into files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Into one file.
    Nothing,
    /// Into a file for each lap. Rows outside laps are not kept.
    Laps,
    /// Into a file for each session. Rows outside sessions are not kept, unless the tape has no sessions.
    Sessions,
}

/// What a file of an export holds, if there are several.
#[derive(Debug, Clone, Copy)]
pub enum FileOf<'a> {
    /// The rows of a stream.
    Stream(&'a str),
    /// The rows of a session, or of a tape without sessions.
    Session {
        /// The tape.
        tape: Option<TapeId>,
        /// The game; empty if the tape does not name one.
        game: &'a str,
        /// The session.
        session: Option<&'a Session>,
    },
}

/// Receives the bytes of an export.
pub trait ExportSink {
    /// Returns how rows are divided into files. Formats whose files have an end must know, others just call [`part`](Self::part).
    fn split(&self) -> Split {
        Split::Nothing
    }

    /// Begins another of several files. The next call is of [`part`](Self::part), also if that was called before. Only called for columnar
    /// formats, if the export has more than one stream or the sink splits sessions.
    fn file(&mut self, of: FileOf<'_>) -> io::Result<()> {
        let _ = of;
        Err(io::Error::new(io::ErrorKind::Unsupported, "the export has several files"))
    }

    /// Starts the rows of another lap (`None` outside any lap). Also called before the first byte. `head` is what a file begins with.
    fn part(&mut self, lap: Option<u32>, head: &[u8]) -> io::Result<()>;

    /// Appends bytes. A row is passed as a whole, including its line ending.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Replaces bytes that were written before. Only called for formats with [`Content::Recording`].
    fn replace(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let _ = (offset, bytes);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Writes a small file beside the one that was just completed: with the same name and this extension, which is one of
    /// [`Exporter::beside`]. Returns whether there is room for it: there is not on stdout.
    fn beside(&mut self, extension: &str, bytes: &[u8]) -> io::Result<bool> {
        let _ = (extension, bytes);
        Ok(false)
    }

    /// Reports progress, in nanoseconds of tape time.
    fn at(&mut self, done_ns: u64, of_ns: u64) {
        let _ = (done_ns, of_ns);
    }

    /// Returns an error to stop the export.
    fn goes_on(&self) -> io::Result<()> {
        Ok(())
    }
}

/// What was exported.
#[derive(Debug, Default)]
pub struct Exported {
    /// Rows of a table.
    pub rows: Option<u64>,
    /// Frames or lines of a recording.
    pub frames: Option<u64>,
    /// Number of channels.
    pub channels: usize,
    /// What the file lacks, mostly because the format cannot represent it.
    pub left_out: Vec<LeftOut>,
    /// Parts of the tape that could not be read.
    pub damage: Vec<Problem>,
}

impl Exported {
    /// Counts what was left out, if anything was.
    pub(super) fn leave_out(&mut self, count: u64, one: &'static str, many: &'static str) {
        if count > 0 {
            self.left_out.push(LeftOut::Counted { count, one, many });
        }
    }
}

/// Something that an exported file lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOut {
    /// A number of things.
    Counted {
        /// How many.
        count: u64,
        /// What happened to one of them.
        one: &'static str,
        /// What happened to several of them.
        many: &'static str,
    },
    /// The zstd dictionary that the header names: it was not given, so the file is compressed without it.
    Dictionary,
}

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The tape has nothing that the format could hold.
    #[error("{0}")]
    Nothing(String),
    /// The tape cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
    /// The format does not allow it.
    #[error(transparent)]
    Format(Box<dyn std::error::Error + Send + Sync>),
}

impl From<ReportError> for ExportError {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Read(error) => Self::Read(error),
            ReportError::Stopped(error) => Self::Write(error),
            other => Self::Format(Box::new(other)),
        }
    }
}

#[cfg(any(feature = "echo", feature = "mcap"))]
/// A sink as a file that is written from its beginning, with corrections. The sink is shared with the progress of the same export.
pub(super) struct SinkFile<'a, 'b> {
    sink: &'a RefCell<&'b mut dyn ExportSink>,
    position: u64,
    end: u64,
}

#[cfg(any(feature = "echo", feature = "mcap"))]
impl<'a, 'b> SinkFile<'a, 'b> {
    /// Begins the file, of the whole tape or of a lap.
    pub(super) fn begin(sink: &'a RefCell<&'b mut dyn ExportSink>, lap: Option<u32>) -> io::Result<Self> {
        sink.borrow_mut().part(lap, &[])?;
        Ok(Self { sink, position: 0, end: 0 })
    }
}

#[cfg(any(feature = "echo", feature = "mcap"))]
impl Write for SinkFile<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let before = usize::try_from(self.end - self.position).unwrap_or(usize::MAX).min(bytes.len());
        let (over, new) = bytes.split_at(before);
        let mut sink = self.sink.borrow_mut();
        if !over.is_empty() {
            sink.replace(self.position, over)?;
        }
        if !new.is_empty() {
            sink.write(new)?;
        }
        self.position += bytes.len() as u64;
        self.end = self.end.max(self.position);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(any(feature = "echo", feature = "mcap"))]
impl Seek for SinkFile<'_, '_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = to.filter(|to| *to <= self.end).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(feature = "echo")]
/// Returns a function that passes progress on to the sink and stops the export if the sink does.
pub(super) fn progress<'a, 'b>(
    tape: &Tape,
    sink: &'a RefCell<&'b mut dyn ExportSink>,
) -> impl FnMut(u64) -> io::Result<()> + use<'a, 'b> {
    let last_ns = tape.streams().filter_map(|stream| stream.totals().last_ns).max().unwrap_or_default();
    move |done_ns| {
        let mut sink = sink.borrow_mut();
        sink.at(done_ns, last_ns);
        sink.goes_on()
    }
}
