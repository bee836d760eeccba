//! State while iRacing is connected. Copies each row once, oldest first, and only if it is complete.

use std::io;

use gametape_format::Counters;
use gametape_games::Layout;
use gametape_games::iracing::LiveMap;

use super::source::{HEADER, ROWS, Section, USUAL_HZ, front};
use super::text::SessionText;
use crate::sys::Prefix;
use crate::transport::{Batch, Clock};

/// Maximum number of rounds in which new rows are fetched, so that a writer that never rests cannot hold up the reader.
const ROUNDS: usize = 4;

/// A connected game.
pub(super) struct Connection {
    pub(super) map: LiveMap,
    pub(super) variables: Vec<u8>,
    pub(super) layout: Layout,
    pub(super) last_tick: Option<i32>,
    pub(super) text: SessionText,
    pub(super) row: Vec<u8>,
    copied: Vec<u8>,
}

impl Connection {
    pub(super) fn new(map: &LiveMap, variables: Vec<u8>, layout: Layout) -> Self {
        Self {
            map: map.clone(),
            variables,
            layout,
            last_tick: None,
            text: SessionText::default(),
            row: Vec::new(),
            copied: vec![0; map.row_bytes as usize],
        }
    }

    pub(super) fn is_continued_by(&self, map: &LiveMap) -> bool {
        self.map.is_placed_like(map) && !self.last_tick.is_some_and(|tick| map.is_reconnect(tick))
    }

    /// Keeps the state from before a short absence if the variables are unchanged, so that no tick is captured twice.
    pub(super) fn after(self, before: Option<Self>) -> Self {
        before.filter(|before| before.variables == self.variables).unwrap_or(self)
    }

    /// Copies new rows, oldest first, until there is no newer one. `last_ns` is the time of the newest row so far.
    pub(super) fn take_rows(
        &mut self,
        section: &Section,
        mut map: LiveMap,
        only_newest: bool,
        (clock, last_ns): (&dyn Clock, &mut u64),
        batch: &mut Batch,
    ) -> io::Result<()> {
        let before = self.last_tick;
        let (mut counters, mut newest_header) = (Counters::default(), None);
        for _ in 0..ROUNDS {
            let newer = map.newer_than(self.last_tick);
            let skip = if only_newest { newer.as_slice().len().saturating_sub(1) } else { 0 };
            if newer.as_slice().is_empty() {
                break;
            }
            for buffer in newer.as_slice().iter().skip(skip) {
                section.reader.copy(buffer.offset, &mut self.copied)?;
                let now_ns = clock.now_ns();
                let Ok((after, header)) = front(section)? else { break };
                if !after.is_whole(buffer) {
                    counters.torn += 1;
                    map = after;
                    continue;
                }
                let behind = after.newest_tick().unwrap_or(buffer.tick).saturating_sub(buffer.tick);
                // A tick in an older buffer was written earlier. Times of a stream must not decrease.
                *last_ns = now_ns.saturating_sub(self.tick_ns() * u64::from(behind.unsigned_abs())).max(*last_ns);
                batch.frame(ROWS, *last_ns, &self.copied);
                std::mem::swap(&mut self.row, &mut self.copied);
                self.copied.resize(self.row.len(), 0);
                if let (Some(last), false) = (self.last_tick, only_newest) {
                    counters.missed += u64::from(buffer.tick.saturating_sub(last).unsigned_abs()).saturating_sub(1);
                }
                self.last_tick = Some(buffer.tick);
                newest_header = Some(header);
                map = after;
            }
        }
        if self.last_tick != before
            && let Some(header) = newest_header
        {
            batch.frame(HEADER, *last_ns, &header);
        }
        batch.count(ROWS, &counters);
        Ok(())
    }

    pub(super) fn tick_ns(&self) -> u64 {
        1_000_000_000 / u64::from(self.map.tick_rate_hz.unwrap_or(USUAL_HZ).max(1))
    }
}

/// Name of the event.
#[cfg(windows)]
const EVENT: &str = "IRSDKDataValidEvent";

/// The event.
#[derive(Debug)]
pub(super) struct DataValidEvent(#[cfg(windows)] crate::sys::Event);

impl DataValidEvent {
    /// Maximum time between two signals; `None` if the platform has no named events.
    pub(super) const EVERY_NS: Option<u64> = if cfg!(windows) { Some(15_000_000) } else { None };

    /// Creates the event in the nonsignaled state.
    #[cfg_attr(not(windows), allow(unused_variables, reason = "named events exist only on Windows"))]
    pub(super) fn create(prefix: &Prefix) -> io::Result<Self> {
        Ok(Self(
            #[cfg(windows)]
            crate::sys::Event::create(&prefix.section(EVENT))?,
        ))
    }

    /// Wakes all waiting threads, like the game does. Threads that wait later get the next signal.
    pub(super) fn signal(&self) {
        // If a signal fails, the next one follows.
        #[cfg(windows)]
        let _ = self.0.pulse();
    }
}
