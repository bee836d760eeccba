//! Files that rows go to: under a temporary name until they are whole, and never over another.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use gametape::export::RowSink;
use gametape::format::write::{Files as _, StdFiles};
use gametape::names::free_path;

use crate::progress::Bar;
use crate::stop::Stop;
use crate::stoppable::Stopped;

/// A folder that goes away with what is in it.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new() -> io::Result<Self> {
        let wanted = std::env::temp_dir().join(format!("gametape-export-{}", std::process::id()));
        loop {
            let path = free_path(&wanted, &|path| path.exists());
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                // Another file of the same command took it.
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
        // It is in the system's own folder for such things.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file that has not got its name yet.
struct Unnamed {
    /// `None` once it is whole: a tape of a long race has more laps than a process may have files open.
    out: Option<BufWriter<File>>,
    path: PathBuf,
    name: PathBuf,
}

impl Unnamed {
    /// All is on the disk.
    fn close(&mut self) -> io::Result<()> {
        match self.out.take() {
            Some(mut out) => out.flush().and_then(|()| out.get_ref().sync_all()),
            None => Ok(()),
        }
    }

    /// Takes its name, or the next that is free: somebody may have taken it meanwhile.
    fn take_name(&self) -> io::Result<PathBuf> {
        loop {
            let name = free_path(&self.name, &|path| path.exists());
            match StdFiles.publish(&self.path, &name) {
                Ok(()) => return Ok(name),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// One file that is written from its beginning to its end. What is not finished is removed.
pub(super) struct NewFile(Option<Unnamed>);

impl NewFile {
    /// A file that will have this name, or the next that is free.
    pub(super) fn create(name: &Path) -> io::Result<Self> {
        let path = part_path(name);
        let out = BufWriter::with_capacity(1 << 18, File::create_new(&path)?);
        Ok(Self(Some(Unnamed { out: Some(out), path, name: name.to_owned() })))
    }

    /// Where its bytes go.
    pub(super) fn out(&mut self) -> io::Result<&mut BufWriter<File>> {
        self.0.as_mut().and_then(|file| file.out.as_mut()).ok_or_else(|| io::Error::other("the file is closed"))
    }

    /// All is on the disk, and the file has its name.
    pub(super) fn finish(mut self) -> io::Result<PathBuf> {
        let Some(file) = &mut self.0 else { return Err(io::Error::other("the file is closed")) };
        file.close()?;
        let name = file.take_name()?;
        self.0 = None;
        Ok(name)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            let _ = std::fs::remove_file(&file.path);
        }
    }
}

/// The name of a file until it is whole.
fn part_path(name: &Path) -> PathBuf {
    let mut path = name.to_owned().into_os_string();
    path.push(format!(".part-{}", std::process::id()));
    PathBuf::from(path)
}

/// One file, or one for each lap.
pub(super) struct ExportFiles<'a> {
    wanted: &'a Path,
    per_lap: bool,
    stop: &'a Stop,
    bar: Bar,
    files: Vec<Unnamed>,
    /// Rows go to the last file; `false` between laps, where nobody wants them.
    open: bool,
}

impl<'a> ExportFiles<'a> {
    pub(super) fn new(wanted: &'a Path, per_lap: bool, stop: &'a Stop, bar: Bar) -> Self {
        Self { wanted, per_lap, stop, bar, files: Vec::new(), open: false }
    }

    fn create(&mut self, name: PathBuf, head: &[u8]) -> io::Result<()> {
        let path = part_path(&name);
        let mut out = BufWriter::with_capacity(1 << 18, File::create_new(&path)?);
        out.write_all(head)?;
        if let Some(before) = self.files.last_mut() {
            before.close()?;
        }
        self.files.push(Unnamed { out: Some(out), path, name });
        Ok(())
    }

    /// Gives the files their names.
    pub(super) fn finish(mut self) -> io::Result<Vec<PathBuf>> {
        let mut names = Vec::new();
        // What fails, and what comes behind it, is removed with this.
        while let Some(file) = self.files.first_mut() {
            file.close()?;
            names.push(file.take_name()?);
            self.files.remove(0);
        }
        Ok(names)
    }
}

impl RowSink for ExportFiles<'_> {
    fn part(&mut self, lap: Option<u32>, head: &[u8]) -> io::Result<()> {
        let name = match (self.per_lap, lap) {
            (false, _) if self.files.is_empty() => self.wanted.to_owned(),
            (false, _) => return Ok(()),
            (true, None) => {
                self.open = false;
                return Ok(());
            }
            (true, Some(lap)) => {
                let stem = self.wanted.file_stem().unwrap_or_default().to_string_lossy();
                let ending = self.wanted.extension().unwrap_or_default().to_string_lossy();
                let name = self.wanted.with_file_name(format!("{stem}_lap{lap:02}.{ending}"));
                free_path(&name, &|path| path.exists())
            }
        };
        self.open = true;
        self.create(name, head)
    }

    fn row(&mut self, row: &[u8]) -> io::Result<()> {
        match self.files.last_mut().filter(|_| self.open) {
            Some(Unnamed { out: Some(out), .. }) => out.write_all(row),
            _ => Ok(()),
        }
    }

    fn at(&mut self, done_ns: u64, of_ns: u64) {
        self.bar.at(done_ns, of_ns);
    }

    fn goes_on(&self) -> io::Result<()> {
        if self.stop.wanted() { Err(io::Error::other(Stopped)) } else { Ok(()) }
    }
}

impl Drop for ExportFiles<'_> {
    fn drop(&mut self) {
        for file in &self.files {
            let _ = std::fs::remove_file(&file.path);
        }
    }
}
