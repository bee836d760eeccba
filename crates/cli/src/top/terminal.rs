//! Takes over the terminal, and restores it however the program ends.

use std::cell::Cell;
use std::io::{self, IsTerminal as _, Stdout, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::exit;

/// Whether the terminal is currently taken over.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether a thread has panicked, after which nothing is drawn.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// Held while a frame is drawn: a restored terminal must not receive the rest of a frame.
static PEN: Mutex<()> = Mutex::new(());

thread_local! {
    /// Whether this thread holds [`PEN`].
    static DRAWS: Cell<bool> = const { Cell::new(false) };
}

/// The terminal to draw on.
type Paper = Terminal<CrosstermBackend<Stdout>>;

/// The taken-over terminal; restored when dropped.
pub(crate) struct Taken {
    paper: Paper,
    mouse: bool,
}

/// Fails unless stdin and stdout are a terminal.
pub(crate) fn check() -> anyhow::Result<()> {
    let what = match (io::stdin().is_terminal(), stdout().is_terminal()) {
        (true, true) => return Ok(()),
        (true, false) => "stdout",
        (false, _) => "stdin",
    };
    Err(exit::usage(format!(
        "{what} is not a terminal, which `gametape top` needs; start it in a terminal, or use `gametape laps --json` or `gametape serve` in scripts"
    )))
}

impl Taken {
    /// Takes over the terminal.
    pub(crate) fn take(mouse: bool) -> io::Result<Self> {
        give_back_on_panic();
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        crate::cli::hold_lines(true);
        let begun = execute!(stdout(), EnterAlternateScreen, Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(stdout())));
        let paper = begun.inspect_err(|_| give_back())?;
        let mut taken = Self { paper, mouse: false };
        if mouse {
            taken.toggle_mouse()?;
        }
        Ok(taken)
    }

    /// Draws a frame, unless the terminal was restored after a panic.
    pub(crate) fn draw(&mut self, picture: impl FnOnce(Rect, &mut Buffer)) -> io::Result<()> {
        let _pen = PEN.lock().unwrap_or_else(PoisonError::into_inner);
        if panicked() {
            return Ok(());
        }
        DRAWS.set(true);
        let drawn = self.paper.draw(|frame| picture(frame.area(), frame.buffer_mut())).map(drop);
        DRAWS.set(false);
        drawn
    }

    /// Redraws the whole screen with the next frame, since something else has written to the terminal.
    pub(crate) fn draw_anew(&mut self) -> io::Result<()> {
        // Not `clear`: it queries the cursor position, and the response would arrive as a key.
        let size = self.paper.size()?;
        self.paper.resize(Rect::new(0, 0, size.width, size.height))
    }

    /// Enables or disables mouse capture.
    pub(crate) fn toggle_mouse(&mut self) -> io::Result<bool> {
        self.mouse = !self.mouse;
        match self.mouse {
            true => execute!(stdout(), EnableMouseCapture)?,
            false => execute!(stdout(), DisableMouseCapture)?,
        }
        Ok(self.mouse)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        give_back();
    }
}

/// Restores the terminal, once.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // If the terminal is gone, there is nothing to restore.
        let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
        crate::cli::hold_lines(false);
    }
}

/// Restores the terminal before a panic message is printed, so that it is readable.
fn give_back_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICKED.store(true, Ordering::SeqCst);
        // If another thread is drawing, its frame is finished first; it is the last one.
        let _pen = (!DRAWS.get()).then(|| PEN.lock().unwrap_or_else(PoisonError::into_inner));
        give_back();
        before(panic);
    }));
}

/// Whether a thread has panicked, so the terminal is no longer taken over.
pub(crate) fn panicked() -> bool {
    PANICKED.load(Ordering::SeqCst)
}
