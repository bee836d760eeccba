//! A shared memory page as a source: opened when it appears, copied according to its rule, reopened when it is replaced.

use std::io;
use std::time::Duration;

use super::own_memory::IsLive;
use crate::format::Counters;
use crate::games::{CopyRule, Presence};
use crate::sys::SectionReader;
use crate::transport::shared_memory::{CopyError, Page, look};
use crate::transport::{Away, Batch, Clock, Description, Pace, Source, SourceError, State};

/// Interval for looking up the name again: programs replace their sections.
const CHECK_NAME_NS: u64 = 1_000_000_000;

/// Reads frames of a fixed length from the start of a section.
pub(crate) struct PageSource {
    section: String,
    description: Description,
    bytes: usize,
    rule: CopyRule,
    period: Duration,
    live: Option<IsLive>,
    page: Option<Page<SectionReader>>,
    checked_ns: u64,
}

impl PageSource {
    pub(crate) fn new(
        section: String,
        description: Description,
        bytes: usize,
        rule: CopyRule,
        period: Duration,
        live: Option<IsLive>,
    ) -> Self {
        Self { section, description, bytes, rule, period, live, page: None, checked_ns: 0 }
    }

    fn open(&self) -> Result<Page<SectionReader>, Away> {
        let unreadable = |error: io::Error| Away::Unreadable(format!("{}: {error}", self.section));
        let reader = SectionReader::open(&self.section).map_err(unreadable)?.ok_or(Away::NotThere)?;
        match reader.len().map_err(unreadable)? {
            0 => Err(Away::Empty),
            there if there < self.bytes as u64 => {
                let text = format!("{} has {there} bytes, the struct {}", self.section, self.bytes);
                Err(Away::Unreadable(text))
            }
            _ => Ok(Page::new(reader, self.bytes, self.rule)),
        }
    }

    fn read_page(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, CopyError> {
        let Some(page) = &mut self.page else { return Ok(State::Away(Away::NotThere)) };
        let mut counters = [Counters::default()];
        look(std::slice::from_mut(page), &mut counters, clock)?;
        if page.done() && self.live.as_ref().is_some_and(|live| !live(page.frame())) {
            return Ok(State::Away(Away::Off));
        }
        if page.done() {
            let time_ns = if page.fresh() { page.frame_ns() } else { clock.now_ns() };
            batch.frame(0, time_ns, page.frame());
        }
        batch.count(0, &counters[0]);
        Ok(State::Here(Presence::Live))
    }
}

impl Source for PageSource {
    fn pace(&self) -> Pace {
        Pace::Every(self.period)
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        if batch.described() == 0 {
            batch.describe(self.description.clone());
        }
        let now_ns = clock.now_ns();
        if let Some(page) = &self.page
            && now_ns >= self.checked_ns + CHECK_NAME_NS
        {
            self.checked_ns = now_ns;
            if !page.bytes().is_current() {
                self.page = None;
            }
        }
        if self.page.is_none() {
            match self.open() {
                Ok(page) => (self.page, self.checked_ns) = (Some(page), now_ns),
                Err(away) => return Ok(State::Away(away)),
            }
        }
        self.read_page(clock, batch).or_else(|error| {
            // Truncated or removed while reading: open it again.
            self.page = None;
            Ok(State::Away(Away::Unreadable(format!("{}: {error}", self.section))))
        })
    }
}
