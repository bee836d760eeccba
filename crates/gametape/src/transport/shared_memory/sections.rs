//! Opens the sections of a game: by name or, on Linux, in the memory of a game that runs in Wine.

use std::io;
#[cfg(target_os = "linux")]
use std::sync::Arc;

use gametape_games::{CopyRule, Game, Stream};

use super::wine::InWine;
#[cfg(target_os = "linux")]
use super::wine::{WineSearch, is_zero};
use crate::sys::{Prefix, SectionReader};
use crate::transport::Away;

/// Opens sections for the sources of a recorder. Clones share the results of the search.
#[derive(Debug, Clone)]
pub struct Sections {
    prefix: Prefix,
    #[cfg(target_os = "linux")]
    wine: Option<Arc<WineSearch>>,
}

/// Sections that belong together.
#[derive(Debug)]
pub(super) struct OpenSections {
    /// In the order in which they were requested.
    pub(super) readers: Vec<SectionReader>,
    /// Empty sections that may be the requested ones. Once one of them is written to, all sections must be opened again.
    pub(super) blank: Vec<SectionReader>,
}

impl From<Prefix> for Sections {
    fn from(prefix: Prefix) -> Self {
        Self::new(prefix, InWine::default())
    }
}

impl From<&Prefix> for Sections {
    fn from(prefix: &Prefix) -> Self {
        prefix.clone().into()
    }
}

impl Sections {
    /// Creates a set of sections with this prefix, searched for in these processes.
    pub fn new(prefix: Prefix, in_wine: InWine) -> Self {
        #[cfg(target_os = "linux")]
        {
            let whose = Some(in_wine).filter(|in_wine| match in_wine {
                InWine::Games => prefix.as_str().is_empty(),
                InWine::Off => false,
                InWine::Process(_) => true,
            });
            Self { wine: whose.map(|whose| Arc::new(WineSearch::new(whose))), prefix }
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = in_wine;
            Self { prefix }
        }
    }

    /// Returns the prefix of all section names.
    pub fn prefix(&self) -> &Prefix {
        &self.prefix
    }

    /// Returns the name of a section, with the prefix.
    pub(super) fn name(&self, section: &str) -> String {
        self.prefix.section(section)
    }

    /// Opens the sections of these streams, all by name or all in one process. Named sections take precedence, unless all of them
    /// are empty.
    pub(super) fn open(&self, games: &[Game], streams: &[&'static Stream], now_ns: u64) -> Result<OpenSections, Away> {
        let named = self.open_named(streams);
        #[cfg(target_os = "linux")]
        if let Some(wine) = &self.wine
            && !named.as_ref().is_ok_and(|open| open.readers.iter().any(|reader| !is_zero(reader)))
            && let Some(found) = wine.find(games, streams, now_ns)
        {
            return Ok(OpenSections { readers: found.sections, blank: found.blank });
        }
        let _ = (games, now_ns);
        named
    }

    /// Opens the section of a stream that may be missing, by name, if it has at least this many bytes.
    pub(super) fn open_optional(&self, stream: &Stream, least_bytes: u64) -> Option<SectionReader> {
        let reader = SectionReader::open(&self.name(stream.section()?)).ok()??;
        (reader.len().ok()? >= least_bytes).then_some(reader)
    }

    /// Opens the section with the lock of a copy rule, to look at it. Many bridges do not provide it.
    pub(super) fn open_lock(&self, rule: CopyRule) -> Option<SectionReader> {
        let CopyRule::TwoEqualCopiesUnlocked { lock_section, busy_offset } = rule else { return None };
        let lock = SectionReader::open(&self.name(lock_section)).ok()??;
        (lock.len().ok()? >= u64::from(busy_offset) + 4).then_some(lock)
    }

    /// Returns whether empty sections that were opened by name should stay open. Not if the memory of the game may appear
    /// elsewhere.
    pub(super) fn keeps_zeros(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.wine.is_none();
        #[cfg(not(target_os = "linux"))]
        true
    }

    fn open_named(&self, streams: &[&'static Stream]) -> Result<OpenSections, Away> {
        let mut readers = Vec::new();
        for stream in streams {
            let Some(section) = stream.section() else { continue };
            let name = self.name(section);
            let unreadable = |error: io::Error| Away::Unreadable(format!("{name}: {error}"));
            readers.push(SectionReader::open(&name).map_err(unreadable)?.ok_or(Away::NotThere)?);
        }
        Ok(OpenSections { readers, blank: Vec::new() })
    }
}

impl OpenSections {
    /// Returns whether one of the empty sections was written to.
    pub(super) fn blank_was_written(blank: &[SectionReader]) -> bool {
        #[cfg(target_os = "linux")]
        return blank.iter().any(|reader| !is_zero(reader));
        #[cfg(not(target_os = "linux"))]
        !blank.is_empty()
    }
}
