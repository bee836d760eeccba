//! A status line that is redrawn in place while a recording runs on a terminal; elsewhere a plain line now and then.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape::capture::{Numbers, Progress};

use crate::cli::tell;
use crate::human;
use crate::recording::on_terminal;
use crate::terminal;

const REDRAW_INTERVAL: Duration = Duration::from_millis(250);
/// In a log, one line a minute is enough to show that the recording is alive.
const LOG: Duration = Duration::from_secs(60);
/// The window over which frames per second are counted.
const RATE_OVER: Duration = Duration::from_secs(1);

/// The status line.
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
            // The first call, or a new tape.
            _ => *self = Self { since: Some((Instant::now(), frames)), per_second: 0.0 },
        }
        self.per_second
    }
}

impl StatusLine {
    pub(crate) fn new() -> Self {
        Self { terminal: on_terminal(), shown: None, state: String::new(), rate: Rate::default() }
    }

    /// Redraws the line if it is due.
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
        let interval = if self.terminal { REDRAW_INTERVAL } else { LOG };
        let first = !self.terminal && self.shown.is_none();
        if first {
            self.shown = Some(Instant::now());
        }
        if first || self.shown.is_some_and(|shown| shown.elapsed() < interval) {
            return;
        }
        self.shown = Some(Instant::now());
        let parts = match recording {
            Some(progress) => self.parts(progress),
            None if self.terminal => vec![Part(Needed::Always, self.state.clone())],
            None => return,
        };
        match self.terminal {
            true => drop(write!(std::io::stderr().lock(), "\r\x1b[K{}", fitted(parts, columns()))),
            false => tell(&fitted(parts, None)),
        }
    }

    fn parts(&self, progress: &Progress) -> Vec<Part> {
        let seen = progress.situation();
        let Numbers { frames, duration_ns, counters, .. } = progress.numbers();
        let bytes = seen.path.as_ref().and_then(|path| path.metadata().ok()).map(|metadata| metadata.len());
        let mut parts = vec![Part(Needed::Game, seen.game)];
        let names = [seen.about.car, seen.about.track].into_iter().flatten();
        parts.extend(names.map(|text| Part(Needed::Names, human::safe(&text))));
        parts.push(Part(Needed::State, self.state.clone()));
        parts.push(Part(Needed::Duration, human::duration(duration_ns)));
        parts.push(Part(Needed::Rate, format!("{:.0} frames/s", self.rate.per_second)));
        parts.push(Part(Needed::Frames, human::counted(frames, "frame")));
        parts.extend(bytes.map(|bytes| Part(Needed::Size, human::bytes(bytes))));
        let lost = [
            (counters.dropped, "LOST", Needed::Always),
            (counters.missed, "missed", Needed::Missed),
            (counters.torn, "torn", Needed::Torn),
        ];
        let lost = lost.into_iter().filter(|(count, ..)| *count > 0);
        parts.extend(lost.map(|(count, what, needed)| Part(needed, format!("{count} {what}"))));
        parts
    }

    /// Prints a line that stays.
    pub(crate) fn say(&mut self, text: &str) {
        self.clear();
        tell(text);
    }

    /// Prints a line that stays, with this program's colours.
    pub(crate) fn say_coloured(&mut self, text: &str) {
        self.clear();
        terminal::tell_coloured(text);
    }

    /// Erases the status line.
    pub(crate) fn clear(&self) {
        if self.terminal {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// Returns the width of the terminal, if known.
fn columns() -> Option<usize> {
    console::Term::stderr().size_checked().map(|(_, columns)| columns.into())
}

/// A part of the line, and its priority when not all parts fit.
struct Part(Needed, String);

/// Priorities, lowest first. Parts of low priority are dropped first when the row is too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Needed {
    Torn,
    Names,
    Rate,
    Frames,
    Game,
    State,
    Missed,
    Duration,
    Size,
    Always,
}

/// Joins the parts into one line that fits a row of the terminal. A longer line would wrap, and the second row would stay.
/// Parts of low priority are dropped first. The last column stays free, since some terminals wrap when it is written.
fn fitted(mut parts: Vec<Part>, columns: Option<usize>) -> String {
    const BETWEEN: &str = "  ";
    let line = |parts: &[Part]| parts.iter().map(|Part(_, text)| text.as_str()).collect::<Vec<_>>().join(BETWEEN);
    let Some(room) = columns.map(|columns| columns.saturating_sub(1)) else { return line(&parts) };
    while parts.len() > 1 && console::measure_text_width(&line(&parts)) > room {
        let Some(least) = parts.iter().map(|Part(needed, _)| *needed).min() else { break };
        // Among parts of equal priority, the last one is dropped.
        if let Some(index) = parts.iter().rposition(|Part(needed, _)| *needed == least) {
            parts.remove(index);
        }
    }
    console::truncate_str(&line(&parts), room, "…").into_owned()
}

/// Whether to show the line although nothing is recorded: a game runs but cannot be recorded as it should.
fn is_interesting(progress: &Progress) -> bool {
    use gametape::capture::{Away, State};
    !matches!(progress.situation().state, None | Some(State::Away(Away::NotThere)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded() -> Vec<Part> {
        [
            (Needed::Game, "assetto-corsa-competizione"),
            (Needed::Names, "mclaren_720s_gt3_evo"),
            (Needed::Names, "nurburgring_24h"),
            (Needed::State, "live"),
            (Needed::Duration, "1:02:03.450"),
            (Needed::Rate, "260 frames/s"),
            (Needed::Frames, "968,207 frames"),
            (Needed::Size, "41.3 MB"),
            (Needed::Always, "12 LOST"),
            (Needed::Missed, "448 missed"),
        ]
        .map(|(needed, text)| Part(needed, text.to_owned()))
        .into()
    }

    #[test]
    fn the_line_fits_any_width_and_size_and_loss_are_the_last_to_go() {
        for columns in 0..200 {
            let line = fitted(recorded(), Some(columns));
            let width = console::measure_text_width(&line);
            assert!(width < columns.max(2), "{width} in {columns}: {line}");
            assert_eq!(line.contains("41.3 MB"), columns > 16, "{columns}: {line}");
            assert_eq!(line.contains("12 LOST"), columns > 7, "{columns}: {line}");
        }
        assert!(fitted(recorded(), Some(80)).starts_with("assetto-corsa-competizione  live  1:02:03.450"));
        assert_eq!(fitted(recorded(), None).matches("  ").count(), 9, "without a terminal nothing is dropped");
    }

    #[test]
    fn a_line_is_cut_to_the_row_also_where_letters_are_wide() {
        let fitted = |text: &str, columns| fitted(vec![Part(Needed::Always, text.to_owned())], columns);
        assert_eq!(fitted("0123456789", Some(11)), "0123456789");
        assert_eq!(fitted("0123456789", Some(10)), "01234567…");
        assert_eq!(fitted("鈴鹿サーキット", Some(8)), "鈴鹿サ…");
        assert_eq!(fitted("0123456789", Some(0)).len(), "…".len());
        assert_eq!(fitted("0123456789", None), "0123456789");
    }
}
