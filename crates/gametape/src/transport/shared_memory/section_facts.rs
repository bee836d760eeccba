//! Sections of shared memory as objects: size, owner and permissions.

use std::io;

use gametape_games::Game;

use crate::sys::{Prefix, SectionReader, section_file};

/// Only this many bytes are checked for zeros. No known section is larger.
const LOOK_BYTES: u64 = 2 << 20;

/// A section that games of a group use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its name, with the prefix.
    pub name: String,
    /// Its location for people: the file on Linux, the object name on Windows.
    pub place: String,
    /// Size of the shortest page that it may hold.
    pub least_bytes: u64,
    /// Page sizes of known versions; empty if any size is possible.
    pub known_bytes: Vec<u64>,
    /// What was found.
    pub found: SectionFound,
    /// User id of the owner.
    pub owner: Option<u32>,
    /// Its permission bits.
    pub mode: Option<u32>,
}

/// What exists under the name of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SectionFound {
    /// Nothing.
    Missing,
    /// A section that this user is not allowed to read.
    Forbidden,
    /// Something that cannot be read, and why.
    Unusable(String),
    /// A section.
    There {
        /// Its size in bytes.
        bytes: u64,
        /// Whether it contains only zeros.
        zero: bool,
    },
}

impl Section {
    /// Examines each section of these games once.
    pub(super) fn of_games(games: &[Game], prefix: &Prefix) -> Vec<Self> {
        let mut sections: Vec<Self> = Vec::new();
        for stream in games.iter().flat_map(|game| game.streams) {
            let Some(section) = stream.section() else { continue };
            let shortest = stream.layouts().iter().map(|layout| u64::from(layout.frame_bytes())).min().unwrap_or(1);
            let part = stream.part();
            let least = part.map_or(shortest, |part| part.page_bytes.into());
            let name = prefix.section(section);
            let section = match sections.iter_mut().position(|known| known.name == name) {
                Some(place) => place,
                None => {
                    let looked = Self::look(name, least);
                    if stream.is_optional() && looked.found == SectionFound::Missing {
                        continue;
                    }
                    sections.push(looked);
                    sections.len() - 1
                }
            };
            if let Some(section) = sections.get_mut(section) {
                section.least_bytes = section.least_bytes.min(least);
                // How much larger than its parts a section is depends on who made it.
                if part.is_none() {
                    section.known_bytes.extend(stream.lengths());
                }
            }
        }
        sections
    }

    /// Describes a section that a recorder reads through a process that has it open; `None` if the section has a name.
    pub(super) fn held(name: String, reader: &SectionReader) -> Option<Self> {
        let file = reader.held_as()?;
        let bytes = reader.len().unwrap_or_default();
        let found = content(reader).unwrap_or_else(|error| SectionFound::Unusable(error.to_string()));
        let (owner, mode) = owner_and_mode(file);
        let place = format!("{name} in Wine, without a bridge, through {}", file.display());
        Some(Self { name, place, least_bytes: bytes, known_bytes: Vec::new(), found, owner, mode })
    }

    fn look(name: String, least_bytes: u64) -> Self {
        let found = match look(&name) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => SectionFound::Forbidden,
            Err(error) => SectionFound::Unusable(error.to_string()),
        };
        let file = section_file(&name);
        let (owner, mode) = file.as_ref().map(|file| owner_and_mode(file)).unwrap_or_default();
        let named = || if cfg!(windows) { format!(r"Local\{name}") } else { name.clone() };
        let place = file.map_or_else(named, |file| file.display().to_string());
        Self { name, place, least_bytes, known_bytes: Vec::new(), found, owner, mode }
    }
}

fn look(name: &str) -> io::Result<SectionFound> {
    SectionReader::open(name)?.map_or(Ok(SectionFound::Missing), |reader| content(&reader))
}

fn content(reader: &SectionReader) -> io::Result<SectionFound> {
    let bytes = reader.len()?;
    let mut copy = vec![0; usize::try_from(bytes.min(LOOK_BYTES)).unwrap_or_default()];
    reader.copy(0, &mut copy)?;
    Ok(SectionFound::There { bytes, zero: copy.iter().all(|byte| *byte == 0) })
}

#[cfg(unix)]
fn owner_and_mode(file: &std::path::Path) -> (Option<u32>, Option<u32>) {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(file).ok();
    (metadata.as_ref().map(MetadataExt::uid), metadata.map(|metadata| metadata.mode() & 0o777))
}

#[cfg(not(unix))]
fn owner_and_mode(_file: &std::path::Path) -> (Option<u32>, Option<u32>) {
    (None, None)
}
