//! Progress bars on a terminal; nothing elsewhere.

use std::io::IsTerminal;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// The bars of one command.
pub(crate) struct Bars(Option<MultiProgress>);

impl Bars {
    /// Returns bars if stderr is a terminal.
    pub(crate) fn on_terminal() -> Self {
        Self(std::io::stderr().is_terminal().then(MultiProgress::new))
    }

    /// Adds a bar. Its length is the total passed to [`Bar::at`].
    pub(crate) fn add(&self, what: &str) -> Bar {
        let Some(bars) = &self.0 else { return Bar(None) };
        let bar = bars.add(ProgressBar::new(0));
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {percent:>3} % {eta}") {
            bar.set_style(style);
        }
        bar.set_message(crate::human::safe(what));
        Bar(Some(bar))
    }
}

/// One bar; removed from the terminal when dropped.
pub(crate) struct Bar(Option<ProgressBar>);

impl Bar {
    /// Moves the bar.
    pub(crate) fn at(&self, done: u64, total: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(total);
            bar.set_position(done);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
