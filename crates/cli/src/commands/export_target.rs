//! The destination of an export: next to its source, a named file or folder, or stdout.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use gametape::export::Exporter;
use gametape::format::write::{Files as _, StdFiles};
use gametape::names::free_path;

use super::export::Args;
use crate::exit;

/// Names that mean stdout.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Whether the export goes to stdout.
pub(super) fn is_stdout(args: &Args) -> bool {
    args.output.as_ref().is_some_and(|output| STDOUT.iter().any(|name| output.as_os_str() == *name))
}

/// Whether the output is a folder, or is written like one.
pub(super) fn names_folder(output: &Path) -> bool {
    output.is_dir() || output.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// Chooses names for new files. Without `--force` nothing is overwritten. Even with it, sources and files written by this command are not.
pub(super) struct Names<'a> {
    args: &'a Args,
    sources: Vec<PathBuf>,
    written: RefCell<HashSet<PathBuf>>,
}

impl<'a> Names<'a> {
    /// For exports of these sources.
    pub(super) fn new(args: &'a Args, sources: &[PathBuf]) -> Self {
        let sources = sources.iter().filter_map(|path| path.canonicalize().ok()).collect();
        Self { args, sources, written: RefCell::default() }
    }

    /// Whether the name cannot be used.
    pub(super) fn is_taken(&self, path: &Path) -> bool {
        let may_replace = self.args.force && path.is_file() && !self.is_source(path);
        self.written.borrow().contains(path) || (path.exists() && !may_replace)
    }

    fn is_source(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|path| self.sources.contains(&path))
    }

    /// Returns the name of a file that will be written beside this one and cannot be used.
    fn taken_beside(&self, path: &Path, beside: &[&str]) -> Option<PathBuf> {
        all_of(path, beside).skip(1).find(|path| self.is_taken(path))
    }

    /// Returns the name itself, or the next free one, and reserves it for this export, together with the names of the files
    /// that are written beside it, which have these extensions.
    pub(super) fn free(&self, wanted: &Path, beside: &[&str]) -> PathBuf {
        let name = free_path(wanted, &|path| self.is_taken(path) || self.taken_beside(path, beside).is_some());
        self.written.borrow_mut().extend(all_of(&name, beside));
        name
    }

    /// Returns the file that a source is exported to; creates the folder. A name given by the user is used unchanged; a
    /// generated name gets a number if it is taken.
    pub(super) fn wanted(&self, source: &Path, format: &dyn Exporter, several: bool) -> anyhow::Result<PathBuf> {
        let near = source.with_extension(format.extension());
        let Some(output) = &self.args.output else { return Ok(near) };
        let is_folder = several || self.args.per_lap || names_folder(output);
        let shown = output.display();
        if is_folder {
            if output.exists() && !output.is_dir() {
                return Err(exit::usage(format!("{shown} is a file, but several files are written; name a folder")));
            }
            fs::create_dir_all(output)
                .map_err(|error| anyhow!("cannot create the folder {shown}: {error}; choose another with -o"))?;
            return Ok(output.join(near.file_name().unwrap_or_default()));
        }
        match output.metadata() {
            Ok(found) if !found.is_file() => Err(exit::usage(format!(
                "{shown} is not a regular file; write to stdout with `-o -` and redirect it there"
            ))),
            Ok(_) if self.is_source(output) => {
                Err(exit::usage(format!("{shown} is the source and was not overwritten; name another file")))
            }
            Ok(_) if !self.args.force => Err(exit::usage(format!(
                "{shown} already exists and was not overwritten; name another file, or use --force"
            ))),
            _ => match self.taken_beside(output, format.beside()) {
                Some(taken) => Err(exit::usage(format!(
                    "{} already exists and was not overwritten; name another file, or use --force",
                    taken.display()
                ))),
                None => Ok(output.clone()),
            },
        }
    }
}

/// Returns a name, and those of the files beside it.
fn all_of<'a>(name: &'a Path, beside: &'a [&str]) -> impl Iterator<Item = PathBuf> + 'a {
    std::iter::once(name.to_owned()).chain(beside.iter().map(|ending| name.with_extension(ending)))
}

/// Renames a finished file to its name, or to the next free one if the name was taken meanwhile. With `replace`, replaces a
/// file of that name.
pub(super) fn publish(finished: &Path, name: &Path, replace: bool) -> io::Result<PathBuf> {
    if replace {
        return fs::rename(finished, name).map(|()| name.to_owned());
    }
    loop {
        let name = free_path(name, &|path| path.exists());
        match StdFiles.publish(finished, &name) {
            Ok(()) => return Ok(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}
