//! Sections as files in `/dev/shm`. Readers can also open unlinked files that a process has open.
//!
//! They are read and written with `pread` and `pwrite` instead of a memory mapping. Programs that map the same file see the same
//! pages, so nothing is lost, and it is safer: the owner may truncate the file at any time, which would kill a process that has it
//! mapped (SIGBUS) but is only an error here. A call costs well below 1 µs.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{Ordering, fence};

use super::linux_file::{is_named, open_to_read, open_to_write, path_of};

/// Returns the file of a section. `None` if sections are not files, or the name is invalid.
pub fn section_file(name: &str) -> Option<PathBuf> {
    path_of(name).ok()
}

/// Reads a section that another program created. Never creates, changes or removes one.
#[derive(Debug)]
pub struct SectionReader {
    file: File,
    path: PathBuf,
    device_and_inode: (u64, u64),
    /// An open file in `/proc` of the process that writes the section, if the section has no name.
    writer: Option<File>,
}

impl SectionReader {
    /// Opens a section; `None` if there is none with that name. A symbolic link, a pipe or a folder with that name is an error.
    pub fn open(name: &str) -> io::Result<Option<Self>> {
        let path = path_of(name)?;
        match open_to_read(&path) {
            Ok((file, metadata)) => {
                Ok(Some(Self { file, path, device_and_inode: (metadata.dev(), metadata.ino()), writer: None }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a section without a name through a process that has it open: `held` is `/proc/PID/fd/N` of that process, and `writer`
    /// is the folder in `/proc` of the process that writes. Once the latter has ended, the section is no longer
    /// [current](Self::is_current).
    pub fn open_held(held: &Path, writer: &Path) -> io::Result<Self> {
        let writer = File::open(writer.join("stat"))?;
        // Nonblocking, because it may be a pipe. Links are followed: an entry of `fd` is always a link.
        let nonblock = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let mut options = std::fs::OpenOptions::new();
        std::os::unix::fs::OpenOptionsExt::custom_flags(options.read(true), nonblock);
        let file = options.open(held)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other(format!("{} is not a regular file", held.display())));
        }
        let device_and_inode = (metadata.dev(), metadata.ino());
        Ok(Self { file, path: held.to_owned(), device_and_inode, writer: Some(writer) })
    }

    /// Creates another reader of the same section.
    pub fn try_clone(&self) -> io::Result<Self> {
        let writer = self.writer.as_ref().map(File::try_clone).transpose()?;
        let Self { path, device_and_inode, .. } = self;
        Ok(Self { file: self.file.try_clone()?, path: path.clone(), device_and_inode: *device_and_inode, writer })
    }

    /// Returns the file in `/proc` that refers to a section without a name; `None` if it has a name.
    pub fn held_as(&self) -> Option<&Path> {
        self.writer.as_ref().map(|_| self.path.as_path())
    }

    /// Returns the current size of the section in bytes. Its owner may change it.
    pub fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Returns whether the section has no bytes.
    pub fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Copies bytes while the game may be writing, so the copy may be torn; the caller must check. Copies are made in the order of
    /// the calls. Fails with `UnexpectedEof` if the section is shorter.
    pub fn copy(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        fence(Ordering::SeqCst);
        self.file.read_exact_at(out, offset)?;
        fence(Ordering::SeqCst);
        Ok(())
    }

    /// Returns whether the name still refers to this section: bridges remove and recreate files, and processes end.
    pub fn is_current(&self) -> bool {
        let Some(writer) = &self.writer else { return is_named(&self.path, self.device_and_inode) };
        // An open file in `/proc` is readable only while that very process lives, even if its id is reused.
        let lives = writer.read_at(&mut [0], 0).is_ok_and(|read| read > 0);
        lives && std::fs::metadata(&self.path).is_ok_and(|now| (now.dev(), now.ino()) == self.device_and_inode)
    }
}

/// Writes a section that other programs read.
#[derive(Debug)]
pub struct SectionWriter {
    file: File,
    path: PathBuf,
    device_and_inode: (u64, u64),
    bytes: u64,
    made: bool,
}

impl SectionWriter {
    /// Creates a section of this size, or reuses the existing one if it is a regular file of this user. An existing section is
    /// never truncated, and is extended if it is too short: the system would kill clients that access mapped pages beyond the end.
    /// Bytes after this size are not written.
    pub fn create(name: &str, bytes: u64) -> io::Result<Self> {
        let path = path_of(name)?;
        let (file, metadata, made) = open_to_write(&path)?;
        if metadata.len() < bytes {
            file.set_len(bytes)?;
        }
        Ok(Self { file, path, device_and_inode: (metadata.dev(), metadata.ino()), bytes, made })
    }

    /// Creates a section that only this writer has until it is [removed](Self::remove) or dropped, or the process ends; `None` if
    /// another writer has it. A section that was left behind is reused.
    pub fn claim(name: &str, bytes: u64) -> io::Result<Option<Self>> {
        let mut writer = Self::create(name, bytes)?;
        match writer.file.try_lock() {
            // Another writer may have removed the name between the two calls.
            Ok(()) if is_named(&writer.path, writer.device_and_inode) => {
                writer.made = true;
                Ok(Some(writer))
            }
            Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Returns the number of bytes that this writer may write.
    pub fn len(&self) -> u64 {
        self.bytes
    }

    /// Returns whether the section has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Returns whether this writer created the section.
    pub fn made(&self) -> bool {
        self.made
    }

    /// Writes bytes from the first to the last. Writes become visible in the order of the calls. Fails if the write would extend
    /// the section.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let end = offset.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > self.bytes) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a write beyond the end of the section"));
        }
        fence(Ordering::SeqCst);
        self.file.write_all_at(bytes, offset)?;
        fence(Ordering::SeqCst);
        Ok(())
    }

    /// Removes the name if this writer created the section and the name still refers to it. A reused section stays.
    pub fn remove(self) -> io::Result<()> {
        let ours = self.made && is_named(&self.path, self.device_and_inode);
        if ours { std::fs::remove_file(&self.path) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn name(test: &str) -> String {
        format!("gametape-test-{}-{test}", std::process::id())
    }

    #[test]
    fn what_is_written_is_read_and_the_name_goes_away_with_its_maker() {
        let name = name("pair");
        assert!(SectionReader::open(&name).unwrap().is_none());
        let writer = SectionWriter::create(&name, 4096).unwrap();
        let reader = SectionReader::open(&name).unwrap().unwrap();
        writer.write(100, b"abc").unwrap();
        let mut bytes = [0; 5];
        reader.copy(99, &mut bytes).unwrap();
        assert_eq!(&bytes, b"\0abc\0");
        assert_eq!((reader.len().unwrap(), writer.len(), reader.is_current()), (4096, 4096, true));
        writer.remove().unwrap();
        assert!(!reader.is_current());
    }

    #[test]
    fn a_section_that_was_there_is_taken_over_and_neither_cut_nor_removed() {
        let name = name("found");
        let first = SectionWriter::create(&name, 2048).unwrap();
        first.write(0, b"x").unwrap();
        let second = SectionWriter::create(&name, 1024).unwrap();
        assert_eq!((second.len(), second.made()), (1024, false));
        assert!(second.write(1024, b"y").is_err(), "only the length that was asked for");
        let third = SectionWriter::create(&name, 4096).unwrap();
        third.remove().unwrap();
        let reader = SectionReader::open(&name).unwrap().unwrap();
        let mut byte = [0];
        reader.copy(0, &mut byte).unwrap();
        assert_eq!((reader.len().unwrap(), &byte), (4096, b"x"));
        first.remove().unwrap();
    }

    #[test]
    fn a_section_that_is_cut_short_under_the_reader_is_an_error_and_not_the_end() {
        let name = name("cut");
        let writer = SectionWriter::create(&name, 4096).unwrap();
        let reader = SectionReader::open(&name).unwrap().unwrap();
        writer.file.set_len(10).unwrap();
        let mut bytes = [0; 20];
        assert_eq!(reader.copy(0, &mut bytes).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        writer.remove().unwrap();
    }

    #[test]
    fn a_file_that_another_process_holds_is_read_without_a_name_until_its_writer_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("section");
        let file = File::create_new(&path).unwrap();
        file.set_len(4096).unwrap();
        // A child process represents the game: its standard input is the section.
        let mut game = std::process::Command::new("sleep").arg("60").stdin(File::open(&path).unwrap()).spawn().unwrap();
        std::fs::remove_file(&path).unwrap();
        let process = PathBuf::from(format!("/proc/{}", game.id()));
        let reader = SectionReader::open_held(&process.join("fd/0"), &process).unwrap();
        let again = reader.try_clone().unwrap();
        file.write_all_at(b"moved", 100).unwrap();
        let mut bytes = [0; 5];
        again.copy(100, &mut bytes).unwrap();
        assert_eq!((&bytes, reader.len().unwrap(), reader.is_current()), (b"moved", 4096, true));
        // Also open in another process, as in a wineserver: the end of the writer counts.
        let own = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
        let held = SectionReader::open_held(Path::new(&own), &process).unwrap();
        assert!(held.is_current());
        game.kill().unwrap();
        game.wait().unwrap();
        assert!(!reader.is_current() && !again.is_current() && !held.is_current());
        assert!(SectionReader::open_held(&process.join("fd/0"), &process).is_err());
        assert!(SectionReader::open_held(Path::new("/dev/null"), Path::new("/proc/self")).is_err(), "no file");
    }

    #[test]
    fn a_planted_link_pipe_folder_or_page_is_refused_and_neither_followed_nor_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        std::fs::File::create_new(&target).unwrap().write_all(b"precious").unwrap();
        let (name, beside) = (name("planted"), name("planted-beside"));
        let path = path_of(&name).unwrap();
        let refused = |says: &str| {
            for refused in [
                SectionReader::open(&name).map(drop),
                SectionWriter::create(&name, 4096).map(drop),
                SectionWriter::claim(&name, 4096).map(drop),
            ] {
                let text = refused.unwrap_err().to_string();
                assert!(text.contains(says) && text.contains(&name), "{text}");
            }
        };
        std::os::unix::fs::symlink(&target, &path).unwrap();
        refused("is a symbolic link");
        std::fs::remove_file(&path).unwrap();
        // A dangling link must not create its target.
        std::os::unix::fs::symlink(folder.path().join("missing"), &path).unwrap();
        refused("is a symbolic link");
        assert!(!folder.path().join("missing").exists());
        std::fs::remove_file(&path).unwrap();
        // A link in the middle of a path.
        std::os::unix::fs::symlink(folder.path(), &path).unwrap();
        let through = SectionWriter::create(&format!("{name}/target"), 16).unwrap_err().to_string();
        assert!(through.contains("behind a link"), "{through}");
        assert!(SectionReader::open(&format!("{name}/target")).is_err());
        std::fs::remove_file(&path).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
        refused("is not a regular file");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        refused("is not a regular file");
        std::fs::remove_dir(&path).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"precious");

        let planted = File::create_new(&path).unwrap();
        let writer_refused = |says: &str| {
            let text = SectionWriter::create(&name, 4096).unwrap_err().to_string();
            assert!(text.contains(says) && text.contains(&name), "{text}");
        };
        planted.set_len(1 << 40).unwrap();
        writer_refused("1099511627776 bytes");
        planted.set_len(10).unwrap();
        let second = path_of(&beside).unwrap();
        std::fs::hard_link(&path, &second).unwrap();
        writer_refused("2 names");
        std::fs::remove_file(&second).unwrap();
        // Only root can change the owner of a file.
        if std::os::unix::fs::fchown(&planted, Some(54_321), None).is_ok() {
            writer_refused("belongs to user 54321");
            assert!(SectionReader::open(&name).unwrap().is_some(), "it may be read");
        }
        assert_eq!(planted.metadata().unwrap().len(), 10, "it was not made longer");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_section_that_is_claimed_has_one_writer_until_it_ends() {
        let name = name("claimed");
        let first = SectionWriter::claim(&name, 64).unwrap().unwrap();
        assert!(SectionWriter::claim(&name, 64).unwrap().is_none());
        drop(first);
        assert!(path_of(&name).unwrap().exists(), "left behind, as by a process that was killed");
        let second = SectionWriter::claim(&name, 64).unwrap().unwrap();
        second.remove().unwrap();
        assert!(!path_of(&name).unwrap().exists());
    }

    #[test]
    fn a_name_that_means_another_file_by_now_is_not_taken_away() {
        let name = name("replaced");
        let path = path_of(&name).unwrap();
        let first = SectionWriter::create(&name, 64).unwrap();
        std::fs::remove_file(&path).unwrap();
        let second = SectionWriter::create(&name, 64).unwrap();
        assert!(first.made() && second.made());
        first.remove().unwrap();
        assert!(path.exists());
        second.remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn writes_and_names_stay_inside() {
        let name = name("inside");
        let writer = SectionWriter::create(&name, 16).unwrap();
        assert!(writer.write(15, b"ab").is_err() && writer.write(u64::MAX, b"a").is_err());
        writer.remove().unwrap();
        for bad in ["", "../x", "/etc/passwd", "a/../b"] {
            assert_eq!(SectionReader::open(bad).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{bad}");
        }
    }
}
