//! Where the sections of a game are opened: by their names, or, on Linux, in the memory of a game that runs in Wine.

use std::io;
#[cfg(target_os = "linux")]
use std::sync::Arc;

use gametape_games::{Game, Stream, Transport};

use super::source::Away;
use crate::sys::{Prefix, SectionReader};
#[cfg(target_os = "linux")]
use crate::wine::{WineSearch, is_zero};

/// Into which processes Linux looks where no section has the name: sections in Wine have none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum InWine {
    /// Known games. Under a prefix nobody's: what a game calls its memory there does not show, and a prefix keeps games out.
    #[default]
    Games,
    /// Nobody's.
    Off,
    /// Those of this program (its file name), or of this number, whatever game they are. Also under a prefix.
    Process(String),
}

/// Opens sections for the sources of a recorder. Clones share what they have found out.
#[derive(Debug, Clone)]
pub struct Sections {
    prefix: Prefix,
    #[cfg(target_os = "linux")]
    wine: Option<Arc<WineSearch>>,
}

/// Sections that belong together.
#[derive(Debug)]
pub(super) struct OpenSections {
    /// In the order in which they were asked for.
    pub(super) readers: Vec<SectionReader>,
    /// Sections that say nothing yet and may be what was asked for: once one of them is written, all are to be opened anew.
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
    /// Names with this prefix, and these processes.
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

    /// What stands before all names.
    pub fn prefix(&self) -> &Prefix {
        &self.prefix
    }

    /// The name of a section, with the prefix.
    pub(super) fn name(&self, section: &str) -> String {
        self.prefix.section(section)
    }

    /// Opens the sections of these streams, all by name or all of one process. Names come first, unless nobody has written there.
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

    /// Whether what was opened by name and holds nothing is worth keeping open: not where a game's memory may turn up elsewhere.
    pub(super) fn keeps_zeros(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.wine.is_none();
        #[cfg(not(target_os = "linux"))]
        true
    }

    fn open_named(&self, streams: &[&'static Stream]) -> Result<OpenSections, Away> {
        let mut readers = Vec::new();
        for stream in streams {
            let Transport::SharedMemory { section, .. } = stream.transport else { continue };
            let name = self.name(section);
            let unreadable = |error: io::Error| Away::Unreadable(format!("{name}: {error}"));
            readers.push(SectionReader::open(&name).map_err(unreadable)?.ok_or(Away::NotThere)?);
        }
        Ok(OpenSections { readers, blank: Vec::new() })
    }
}

impl OpenSections {
    /// Whether one of the sections that said nothing was written.
    pub(super) fn blank_was_written(blank: &[SectionReader]) -> bool {
        #[cfg(target_os = "linux")]
        return blank.iter().any(|reader| !is_zero(reader));
        #[cfg(not(target_os = "linux"))]
        !blank.is_empty()
    }
}
