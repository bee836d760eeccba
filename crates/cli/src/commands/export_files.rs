//! Output files of an export: written under a temporary name until they are complete, and never over an existing file.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use gametape::export::{ExportSink, FileOf, Split};
use gametape::names::free_path;

use super::export_target::{Names, publish};
use super::lake;
use crate::progress::Bar;
use crate::stop::Stop;
use crate::stoppable::Stopped;
use crate::terminal::{self, Out};

/// The longest part of a file name that comes from a tape.
const MOST_OF_NAME: usize = 60;

/// A temporary folder that is removed when dropped.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new() -> io::Result<Self> {
        let wanted = std::env::temp_dir().join(format!("gametape-export-{}", std::process::id()));
        loop {
            let path = free_path(&wanted, &|path| path.exists());
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                // Another file of the same command uses this name.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It is in the system's temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Adds the path to an I/O error.
fn of_path(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// A file under its temporary name. Removed when dropped, unless it was published.
struct Unnamed {
    /// `None` once the file is complete: a tape of a long race has more laps than a process may open files.
    out: Option<BufWriter<File>>,
    path: PathBuf,
    name: PathBuf,
    replace: bool,
    published: bool,
}

impl Unnamed {
    /// Creates a file that will get this name.
    fn create(name: PathBuf, replace: bool) -> io::Result<Self> {
        let path = part_path(&name);
        let out = BufWriter::with_capacity(1 << 18, File::create_new(&path).map_err(of_path(&name))?);
        Ok(Self { out: Some(out), path, name, replace, published: false })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.out {
            Some(out) => out.write_all(bytes).map_err(of_path(&self.name)),
            None => Err(of_path(&self.name)(io::Error::other("the file is closed"))),
        }
    }

    /// Replaces bytes that were written before.
    fn replace(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let Some(out) = &mut self.out else { return Err(of_path(&self.name)(io::Error::other("the file is closed"))) };
        let replaced = out
            .seek(SeekFrom::Start(offset))
            .and_then(|_| out.write_all(bytes))
            .and_then(|()| out.seek(SeekFrom::End(0)));
        replaced.map(drop).map_err(of_path(&self.name))
    }

    /// Flushes and syncs the file.
    fn close(&mut self) -> io::Result<()> {
        let closed = match self.out.take() {
            Some(mut out) => out.flush().and_then(|()| out.get_ref().sync_all()),
            None => Ok(()),
        };
        closed.map_err(of_path(&self.name))
    }

    /// Gives the file its final name.
    fn publish(&mut self) -> io::Result<PathBuf> {
        self.close()?;
        let name = publish(&self.path, &self.name, self.replace).map_err(of_path(&self.name))?;
        self.published = true;
        Ok(name)
    }
}

impl Drop for Unnamed {
    fn drop(&mut self) {
        if !self.published {
            self.out = None;
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Returns the temporary name of a file.
fn part_path(name: &Path) -> PathBuf {
    let mut path = name.to_owned().into_os_string();
    path.push(format!(".part-{}", std::process::id()));
    PathBuf::from(path)
}

/// The output of an export.
pub(super) trait Output: ExportSink {
    /// Completes the output and returns the files and the number of bytes.
    fn finish(self: Box<Self>) -> io::Result<(Vec<PathBuf>, u64)>;
}

/// Writes one file, or one per lap, per stream or per session.
pub(super) struct ExportFiles<'a> {
    /// The file, or the one that the names of several files are made from.
    wanted: PathBuf,
    /// Extensions of the files beside each file.
    beside: &'static [&'static str],
    names: &'a Names<'a>,
    split: Split,
    replace: bool,
    stop: &'a Stop,
    bar: Bar,
    files: Vec<Unnamed>,
    /// Whether rows go to the last file; `false` between laps, whose rows are skipped.
    open: bool,
    /// The name of the next file, until it is created.
    next: Option<PathBuf>,
}

impl<'a> ExportFiles<'a> {
    pub(super) fn new(
        (wanted, beside): (PathBuf, &'static [&'static str]),
        names: &'a Names<'a>,
        (split, replace): (Split, bool),
        stop: &'a Stop,
        bar: Bar,
    ) -> Self {
        let next = Some(wanted.clone());
        Self { wanted, beside, names, split, replace, stop, bar, files: Vec::new(), open: false, next }
    }

    /// Returns `NAME.WHAT.EXTENSION`.
    fn named(&self, what: &str) -> PathBuf {
        let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
        let what: String = what.chars().take(MOST_OF_NAME).map(safe).collect();
        let mut name = self.wanted.file_stem().unwrap_or_default().to_owned();
        name.push(format!(".{what}"));
        if let Some(extension) = self.wanted.extension() {
            name.push(".");
            name.push(extension);
        }
        self.wanted.with_file_name(name)
    }
}

impl Output for ExportFiles<'_> {
    fn finish(mut self: Box<Self>) -> io::Result<(Vec<PathBuf>, u64)> {
        let (mut names, mut bytes) = (Vec::new(), 0);
        // If one fails, it and the following ones are removed on drop.
        for file in &mut self.files {
            let name = file.publish()?;
            bytes += name.metadata().map(|file| file.len()).unwrap_or_default();
            names.push(name);
        }
        Ok((names, bytes))
    }
}

impl ExportSink for ExportFiles<'_> {
    fn split(&self) -> Split {
        self.split
    }

    fn file(&mut self, of: FileOf<'_>) -> io::Result<()> {
        self.next = Some(match of {
            FileOf::Stream(stream) => self.named(stream),
            FileOf::Session { tape, game, session } => {
                let folder = self.wanted.parent().unwrap_or(Path::new(""));
                let path = lake::path_of(folder, tape, game, session);
                std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(of_path(&path))?;
                // The name is that of the session: a number would add the same rows to the lake twice.
                if self.names.is_taken(&path) {
                    let shown = path.display();
                    return Err(io::Error::new(
                        io::ErrorKind::AlreadyExists,
                        format!("{shown} already exists and was not overwritten; use --force to replace it"),
                    ));
                }
                path
            }
        });
        Ok(())
    }

    fn part(&mut self, lap: Option<u32>, head: &[u8]) -> io::Result<()> {
        let name = match (self.split, lap) {
            (Split::Nothing | Split::Sessions, _) => match self.next.take() {
                Some(next) => self.names.free(&next, self.beside),
                None => return Ok(()),
            },
            (Split::Laps, None) => {
                self.open = false;
                return Ok(());
            }
            (Split::Laps, Some(lap)) => {
                let of = self.next.as_ref().unwrap_or(&self.wanted);
                let stem = of.file_stem().unwrap_or_default().to_string_lossy();
                let ending = of.extension().unwrap_or_default().to_string_lossy();
                self.names.free(&of.with_file_name(format!("{stem}_lap{lap:02}.{ending}")), self.beside)
            }
        };
        self.open = true;
        if let Some(before) = self.files.last_mut() {
            before.close()?;
        }
        let mut file = Unnamed::create(name, self.replace)?;
        file.write(head)?;
        self.files.push(file);
        Ok(())
    }

    fn write(&mut self, row: &[u8]) -> io::Result<()> {
        match self.files.last_mut().filter(|_| self.open) {
            Some(file) => file.write(row),
            None => Ok(()),
        }
    }

    fn beside(&mut self, extension: &str, bytes: &[u8]) -> io::Result<bool> {
        if let Some(file) = self.files.last_mut().filter(|_| self.open) {
            file.close()?;
            let mut beside = Unnamed::create(file.name.with_extension(extension), self.replace)?;
            beside.write(bytes)?;
            beside.close()?;
            self.files.push(beside);
        }
        Ok(true)
    }

    fn at(&mut self, done_ns: u64, of_ns: u64) {
        self.bar.at(done_ns, of_ns);
    }

    fn goes_on(&self) -> io::Result<()> {
        goes_on(self.stop)
    }
}

/// One file with a name that is reserved already. Removed when dropped unless finished.
pub(super) struct NewFile<'a> {
    file: Unnamed,
    stop: &'a Stop,
    bar: &'a Bar,
}

impl<'a> NewFile<'a> {
    /// Creates a file that will get this name, or the next free one.
    pub(super) fn create(name: &Path, replace: bool, stop: &'a Stop, bar: &'a Bar) -> io::Result<Self> {
        Ok(Self { file: Unnamed::create(name.to_owned(), replace)?, stop, bar })
    }

    /// Syncs the file and gives it its name.
    pub(super) fn finish(mut self) -> io::Result<PathBuf> {
        self.file.publish()
    }
}

impl ExportSink for NewFile<'_> {
    fn part(&mut self, _: Option<u32>, head: &[u8]) -> io::Result<()> {
        self.file.write(head)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write(bytes)
    }

    fn replace(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.replace(offset, bytes)
    }

    fn at(&mut self, done_ns: u64, of_ns: u64) {
        self.bar.at(done_ns, of_ns);
    }

    fn goes_on(&self) -> io::Result<()> {
        goes_on(self.stop)
    }
}

fn goes_on(stop: &Stop) -> io::Result<()> {
    if stop.wanted() { Err(io::Error::other(Stopped)) } else { Ok(()) }
}

/// Writes to stdout.
pub(super) struct ToStdout<'a> {
    out: BufWriter<Out>,
    bytes: u64,
    begun: bool,
    stop: &'a Stop,
    bar: Bar,
}

impl<'a> ToStdout<'a> {
    pub(super) fn new(stop: &'a Stop, bar: Bar) -> Self {
        Self { out: BufWriter::with_capacity(1 << 18, terminal::data()), bytes: 0, begun: false, stop, bar }
    }
}

impl Output for ToStdout<'_> {
    fn finish(mut self: Box<Self>) -> io::Result<(Vec<PathBuf>, u64)> {
        self.out.flush()?;
        Ok((Vec::new(), self.bytes))
    }
}

impl ExportSink for ToStdout<'_> {
    fn part(&mut self, _: Option<u32>, head: &[u8]) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) { Ok(()) } else { self.write(head) }
    }

    fn write(&mut self, row: &[u8]) -> io::Result<()> {
        self.bytes += row.len() as u64;
        self.out.write_all(row)
    }

    fn at(&mut self, done_ns: u64, of_ns: u64) {
        self.bar.at(done_ns, of_ns);
    }

    fn goes_on(&self) -> io::Result<()> {
        goes_on(self.stop)
    }
}
