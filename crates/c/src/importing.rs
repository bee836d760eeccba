//! Makes tapes of files of other programs. Natively only.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gametape::format::write::{BuildError, CreateError, Files, StdFiles, TapeFile};
use gametape::import::{ImportError, ImportOptions, import_with};
use serde::{Deserialize, Serialize};

use crate::border::Reporter;
use crate::progress::stop;
use crate::status::{Failure, Status};

/// What the bytes of the file do not say.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    own: bool,
}

#[derive(Serialize)]
struct Document {
    kind: &'static str,
    tape_id: String,
    frames: u64,
    bytes_source: u64,
    bytes: u64,
    problems: Vec<String>,
}

/// Imports a file; returns what was found as JSON.
pub(crate) fn import(source: &str, tape: &str, options: Option<&str>, reporter: &Reporter) -> Result<String, Failure> {
    let stopped = Arc::new(AtomicBool::new(false));
    let files = Arc::new(StoppableFiles(Arc::clone(&stopped)));
    let mut progress = |progress: gametape::import::ImportProgress| {
        let done = progress.done_bytes as f64 / progress.total_bytes.max(1) as f64;
        // Asked no more once it wants to stop.
        if !stopped.load(Ordering::Relaxed) && !reporter.goes_on(done.clamp(0.0, 1.0)) {
            stopped.store(true, Ordering::Relaxed);
        }
    };
    let Options { own } = match options {
        Some(text) => serde_json::from_str(text)?,
        None => Options::default(),
    };
    #[allow(
        clippy::needless_update,
        reason = "with its feature `echo`, which others may enable, there are more fields"
    )]
    let options = ImportOptions { is_own: own, ..ImportOptions::default() };
    let imported = import_with(files, Path::new(source), Path::new(tape), &options, &mut progress);
    let imported = imported.map_err(|error| match stopped.load(Ordering::Relaxed) {
        true => Failure::new(Status::Stopped, "stopped by the caller; there is no tape"),
        false => error.into(),
    })?;
    let document = Document {
        kind: imported.kind.id(),
        tape_id: imported.tape_id.to_string(),
        frames: imported.frames,
        bytes_source: imported.source_bytes,
        bytes: imported.tape_bytes,
        problems: imported.problems,
    };
    Ok(serde_json::to_string(&document)?)
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        let status = match &error {
            ImportError::Exists { .. } | ImportError::Create(CreateError::Exists { .. }) => Status::Exists,
            ImportError::Read { .. } | ImportError::Create(_) | ImportError::Build(BuildError::Io { .. }) => Status::Io,
            _ => Status::Format,
        };
        Self::new(status, error.to_string())
    }
}

/// Files that do not grow any more once the caller wants to stop: the import then fails as with a full disk, and removes its unfinished tape.
struct StoppableFiles(Arc<AtomicBool>);

fn go_on(stopped: &AtomicBool) -> io::Result<()> {
    if stopped.load(Ordering::Relaxed) { Err(stop()) } else { Ok(()) }
}

impl Files for StoppableFiles {
    fn create_tape(&self, path: &Path) -> io::Result<Box<dyn TapeFile>> {
        go_on(&self.0)?;
        Ok(Box::new(StoppableFile { file: StdFiles.create_tape(path)?, stopped: Arc::clone(&self.0), begun: false }))
    }

    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        go_on(&self.0)?;
        StdFiles.publish(from, to)
    }
}

struct StoppableFile {
    file: Box<dyn TapeFile>,
    stopped: Arc<AtomicBool>,
    /// The first write always succeeds: an unfinished file is removed only if it was begun.
    begun: bool,
}

impl TapeFile for StoppableFile {
    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            go_on(&self.stopped)?;
        }
        self.file.append(data)
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.file.truncate(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        go_on(&self.stopped)?;
        self.file.sync()
    }
}
