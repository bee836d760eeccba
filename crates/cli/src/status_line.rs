//! One line that is written over while a recording runs on a terminal; elsewhere a plain line now and then.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape::capture::{Numbers, Progress};

use crate::cli::tell;
use crate::human;
use crate::recording::on_terminal;

const RENEW: Duration = Duration::from_millis(250);
/// In a log, one line a minute is enough to see that it lives.
const LOG: Duration = Duration::from_secs(60);
/// Frames a second are counted over this time.
const RATE_OVER: Duration = Duration::from_secs(1);

/// Shows progress.
pub(crate) struct StatusLine {
    terminal: bool,
    shown: Option<Instant>,
    state: String,
    rate: Rate,
}

#[derive(Default)]
struct Rate {
    since: Option<(Instant, u64)>,
    per_second: f64,
}

impl Rate {
    fn update(&mut self, frames: u64) -> f64 {
        match self.since {
            Some((since, before)) if frames >= before => {
                let passed = since.elapsed();
                if passed >= RATE_OVER {
                    self.per_second = (frames - before) as f64 / passed.as_secs_f64();
                    self.since = Some((Instant::now(), frames));
                }
            }
            // The first look, or a new tape.
            _ => *self = Self { since: Some((Instant::now(), frames)), per_second: 0.0 },
        }
        self.per_second
    }
}

impl StatusLine {
    pub(crate) fn new() -> Self {
        Self { terminal: on_terminal(), shown: None, state: String::new(), rate: Rate::default() }
    }

    /// Renews the line if it is time.
    pub(crate) fn show(&mut self, all: &[Arc<Progress>]) {
        let recording = all.iter().find(|progress| progress.is_recording());
        if let Some(progress) = recording {
            self.rate.update(progress.numbers().frames);
        }
        let state = recording.or_else(|| all.iter().find(|progress| is_interesting(progress))).or_else(|| all.first());
        let Some(progress) = state else { return };
        let text = progress.situation().state.map(|state| human::safe(state.text())).unwrap_or_default();
        let changed = text != self.state;
        if changed && !self.terminal && (!self.state.is_empty() || is_interesting(progress)) {
            tell(&text);
        }
        self.state = text;
        let interval = if self.terminal { RENEW } else { LOG };
        let first = !self.terminal && self.shown.is_none();
        if first {
            self.shown = Some(Instant::now());
        }
        if first || self.shown.is_some_and(|shown| shown.elapsed() < interval) {
            return;
        }
        self.shown = Some(Instant::now());
        let line = match recording {
            Some(progress) => self.line(progress),
            None if self.terminal => self.state.clone(),
            None => return,
        };
        match self.terminal {
            true => drop(write!(std::io::stderr().lock(), "\r\x1b[K{}", fitted(&line, columns()))),
            false => tell(&line),
        }
    }

    fn line(&self, progress: &Progress) -> String {
        let seen = progress.situation();
        let Numbers { frames, duration_ns, counters, .. } = progress.numbers();
        let bytes = seen.path.as_ref().and_then(|path| path.metadata().ok()).map(|metadata| metadata.len());
        let mut parts = vec![seen.game];
        parts.extend([seen.about.car, seen.about.track].into_iter().flatten().map(|text| human::safe(&text)));
        parts.push(self.state.clone());
        parts.push(human::duration(duration_ns));
        parts.push(format!("{:.0} frames/s", self.rate.per_second));
        parts.push(human::counted(frames, "frame"));
        parts.extend(bytes.map(human::bytes));
        let lost = [(counters.dropped, "LOST"), (counters.missed, "missed"), (counters.torn, "torn")];
        parts.extend(lost.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
        parts.join("  ")
    }

    /// Says something that stays.
    pub(crate) fn say(&mut self, text: &str) {
        self.clear();
        tell(text);
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        if self.terminal {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// Columns of the terminal, if it says.
fn columns() -> Option<usize> {
    console::Term::stderr().size_checked().map(|(_, columns)| columns.into())
}

/// The line as far as one row of the terminal goes: what is longer would begin a second row, which stays. The last column stays free, since
/// some terminals go to the next row when it is written.
fn fitted(line: &str, columns: Option<usize>) -> Cow<'_, str> {
    match columns {
        Some(columns) => console::truncate_str(line, columns.saturating_sub(1), "…"),
        None => line.into(),
    }
}

/// Worth showing although nothing is recorded: a game that is there but not as it should be.
fn is_interesting(progress: &Progress) -> bool {
    use gametape::capture::{Away, State};
    !matches!(progress.situation().state, None | Some(State::Away(Away::NotThere)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_to_the_row_also_where_letters_are_wide() {
        assert_eq!(fitted("0123456789", Some(11)), "0123456789");
        assert_eq!(fitted("0123456789", Some(10)), "01234567…");
        assert_eq!(fitted("鈴鹿サーキット", Some(8)), "鈴鹿サ…");
        assert_eq!(fitted("0123456789", Some(0)).len(), "…".len());
        assert_eq!(fitted("0123456789", None), "0123456789");
    }
}
