//! Writes a tape without a journal, for converters, which can start over from their source.
//!
//! The tape is written under a temporary name and renamed once it is complete and durable, so a killed converter does
//! not leave a partial tape.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::blocks::BlockMaker;
use super::files::Files;
use super::outcome::{CreateError, WriteOptions};
use super::sink::Sink;
use crate::block::Block;
use crate::footer::Totals;
use crate::record::RecordHeader;
use crate::stream::{Role, StreamId, StreamSpec};
use crate::system::{Counters, Event, Group, Status, metadata_bytes, system_stream};

/// The reason why a converter failed. The unfinished file is removed.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// An I/O error.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error reported by the system.
        source: io::Error,
    },
    /// A violation of the rules of the format.
    #[error("stream {stream:?}: {reason}")]
    Refused {
        /// Name of the stream.
        stream: String,
        /// What is wrong.
        reason: String,
    },
}

struct BuiltStream {
    spec: StreamSpec,
    next_seq: u64,
    last_ns: u64,
    frames: u64,
}

/// Writes a tape from existing frames.
pub struct TapeBuilder {
    files: Arc<dyn Files>,
    path: PathBuf,
    temporary: PathBuf,
    replace: bool,
    maker: BlockMaker,
    streams: Vec<BuiltStream>,
    status: BTreeMap<u16, Status>,
    finished: bool,
}

impl TapeBuilder {
    /// Starts a tape that will be named `path`. With `replace`, it replaces an existing file of that name.
    pub fn create(
        files: Arc<dyn Files>,
        path: &Path,
        options: &WriteOptions,
        replace: bool,
    ) -> Result<Self, CreateError> {
        let temporary = temporary_path(path);
        let failed = |doing: &'static str| {
            let path = temporary.clone();
            move |source: io::Error| match source.kind() {
                io::ErrorKind::AlreadyExists => CreateError::Exists { path },
                _ => CreateError::Io { doing, path, source },
            }
        };
        if !replace && path.exists() {
            return Err(CreateError::Exists { path: path.into() });
        }
        let file = files.create_tape(&temporary).map_err(failed("create"))?;
        // On a full disk, for example, do not leave an empty file behind.
        let begun = Sink::new(file, options.header()).inspect_err(|_| drop(files.remove(&temporary)));
        let sink = begun.map_err(failed("write"))?;
        Ok(Self {
            files,
            path: path.into(),
            temporary,
            replace,
            maker: BlockMaker::new(sink),
            streams: Vec::new(),
            status: BTreeMap::new(),
            finished: false,
        })
    }

    /// Adds a stream whose frames are numbered starting at `first_seq`.
    pub fn add_stream(&mut self, spec: StreamSpec, first_seq: u64) -> Result<StreamId, BuildError> {
        let refused = |reason: String| BuildError::Refused { stream: spec.name.clone(), reason };
        spec.check().map_err(|error| refused(error.to_string()))?;
        if self.streams.iter().any(|stream| stream.spec.name == spec.name) {
            return Err(refused("the tape already has a stream of this name".into()));
        }
        if self.streams.len() >= crate::limits::STREAMS {
            return Err(refused(format!("a tape has at most {} streams", crate::limits::STREAMS)));
        }
        let tables = self.streams.iter().map(|stream| &stream.spec).chain([&spec]);
        crate::stream::check_tables(tables).map_err(|error| refused(error.to_string()))?;
        let id = StreamId(self.streams.len() as u16);
        self.maker.add_stream(id, &spec).map_err(self.io())?;
        self.streams.push(BuiltStream { spec, next_seq: first_seq, last_ns: 0, frames: 0 });
        Ok(id)
    }

    /// Appends a frame.
    pub fn append(&mut self, stream: StreamId, time_ns: u64, frame: &[u8]) -> Result<(), BuildError> {
        let state = self.state(stream)?;
        let refused = |reason: String| BuildError::Refused { stream: state.spec.name.clone(), reason };
        if time_ns < state.last_ns {
            return Err(refused(format!("time {time_ns} ns is earlier than {} ns", state.last_ns)));
        }
        if frame.len() > crate::limits::BLOCK_RAW_BYTES {
            return Err(refused(format!("a frame of {} bytes is too large", frame.len())));
        }
        let seq = state.next_seq;
        state.next_seq += 1;
        state.frames += 1;
        state.last_ns = time_ns;
        self.maker.push(stream, seq, time_ns, frame).map_err(self.io())
    }

    /// Appends a complete block of another tape to the stream without recoding it. The times in `header` apply.
    pub(crate) fn append_block(
        &mut self,
        stream: StreamId,
        header: &RecordHeader,
        payload: &[u8],
        block: &Block,
    ) -> Result<(), BuildError> {
        let state = self.state(stream)?;
        let header = RecordHeader { stream: stream.0, first_seq: state.next_seq, ..*header };
        if header.first_ns < state.last_ns {
            let reason = format!("a block at {} ns is earlier than {} ns", header.first_ns, state.last_ns);
            return Err(BuildError::Refused { stream: state.spec.name.clone(), reason });
        }
        state.next_seq = header.end_seq();
        state.frames += u64::from(header.rows);
        state.last_ns = header.last_ns;
        self.maker.seal(stream).map_err(self.io())?;
        self.maker.sink.write_block(header, payload, block).map_err(self.io())
    }

    /// Appends an event.
    pub fn event(&mut self, time_ns: u64, kind: &str, text: &str) -> Result<(), BuildError> {
        let id = self.system(Role::Events)?;
        self.append(id, time_ns, &Event::to_bytes(kind, text, None))
    }

    /// Appends an event copied from another tape, at this time.
    pub(crate) fn copy_event(&mut self, time_ns: u64, event: &Event) -> Result<(), BuildError> {
        let id = self.system(Role::Events)?;
        self.append(id, time_ns, &Event::to_bytes(&event.kind, &event.text, event.length_ns))
    }

    /// Sets a metadata entry.
    pub fn metadata(&mut self, time_ns: u64, key: &str, value: &str) -> Result<(), BuildError> {
        let id = self.system(Role::Metadata)?;
        self.append(id, time_ns, &metadata_bytes(key, value))
    }

    /// Maps a tape time to UTC.
    pub fn clock(&mut self, time_ns: u64, utc_ns: i64) -> Result<(), BuildError> {
        let id = self.system(Role::Clock)?;
        self.append(id, time_ns, &utc_ns.to_le_bytes())
    }

    /// Sets the loss counters and "seen until" of a stream.
    pub fn set_status(&mut self, stream: StreamId, status: Status) {
        self.status.insert(stream.0, status);
    }

    /// Adds to the counters of a stream.
    pub fn count(&mut self, stream: StreamId, counters: &Counters) {
        self.status.entry(stream.0).or_default().counters.add(counters);
    }

    /// Adds to the counters of a system stream, creating the stream if necessary.
    pub(crate) fn count_system(&mut self, role: Role, counters: &Counters) -> Result<(), BuildError> {
        if *counters != Counters::default() {
            let id = self.system(role)?;
            self.count(id, counters);
        }
        Ok(())
    }

    /// The time of the last frame of a stream, 0 before the first.
    pub(crate) fn last_ns(&self, stream: StreamId) -> u64 {
        self.streams.get(stream.0 as usize).map_or(0, |state| state.last_ns)
    }

    /// The number of frames appended to all streams so far.
    pub fn frames(&self) -> u64 {
        self.streams.iter().map(|stream| stream.frames).sum()
    }

    /// The frames of a stream written so far, not counting those in open blocks.
    pub fn totals(&self, stream: StreamId) -> Totals {
        self.maker.sink.totals(stream)
    }

    /// Closes the tape, makes it durable, renames it to its final name and returns its length.
    pub fn finish(mut self) -> Result<u64, BuildError> {
        let at = self.streams.iter().map(|stream| stream.last_ns).max().unwrap_or_default();
        let has_status = |status: &Status| *status != Status::default();
        let status: Vec<(u16, Status)> =
            self.status.iter().map(|(id, status)| (*id, *status)).filter(|(_, s)| has_status(s)).collect();
        for (number, (id, row)) in status.iter().enumerate() {
            let system = self.system(Role::Status)?;
            let group = Group { rows: status.len() as u16, number: number as u16 };
            self.append(system, at, &row.to_bytes(Some(StreamId(*id)), group))?;
        }
        self.maker.seal_all().map_err(self.io())?;
        let status = self.status.clone();
        let bytes = self.maker.sink.close(&status).map_err(self.io())?;
        let named = match self.replace {
            true => self.files.replace(&self.temporary, &self.path),
            false => self.files.publish(&self.temporary, &self.path),
        };
        named.map_err(self.io())?;
        self.finished = true;
        self.files.sync_directory(&self.path).map_err(self.io())?;
        Ok(bytes)
    }

    fn state(&mut self, stream: StreamId) -> Result<&mut BuiltStream, BuildError> {
        let unknown = || BuildError::Refused { stream: stream.0.to_string(), reason: "does not exist".into() };
        self.streams.get_mut(stream.0 as usize).ok_or_else(unknown)
    }

    fn system(&mut self, role: Role) -> Result<StreamId, BuildError> {
        match self.streams.iter().position(|stream| stream.spec.role == role) {
            Some(index) => Ok(StreamId(index as u16)),
            None => self.add_stream(system_stream(role), 0),
        }
    }

    fn io(&self) -> impl FnOnce(io::Error) -> BuildError + use<> {
        let path = self.path.clone();
        move |source| BuildError::Io { path, source }
    }
}

impl Drop for TapeBuilder {
    fn drop(&mut self) {
        if !self.finished {
            let _ = self.files.remove(&self.temporary);
        }
    }
}

const UNFINISHED: &str = ".part";

fn temporary_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}{UNFINISHED}", std::process::id()));
    PathBuf::from(name)
}

/// Lists the files beside a tape that are named like its temporary files, of any process.
pub(super) fn unfinished_paths(path: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(name) = path.file_name() else { return Ok(Vec::new()) };
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let file_name = entry.file_name();
        let number = file_name.as_encoded_bytes().strip_prefix(name.as_encoded_bytes());
        let number = number.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(UNFINISHED.as_bytes()));
        if number.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)) {
            found.push(entry.path());
        }
    }
    Ok(found)
}
