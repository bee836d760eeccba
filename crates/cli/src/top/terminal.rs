//! The terminal: taken over, and given back as it was, whatever ends the program.

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

/// Whether the terminal is ours just now.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether something has gone wrong so badly that nothing more is drawn.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// Held while a picture is drawn: a terminal that was given back must not get the rest of one.
static PEN: Mutex<()> = Mutex::new(());

thread_local! {
    /// Whether this thread has the pen.
    static DRAWS: Cell<bool> = const { Cell::new(false) };
}

/// What is drawn on.
type Paper = Terminal<CrosstermBackend<Stdout>>;

/// The terminal, until it is dropped.
pub(crate) struct Taken {
    paper: Paper,
    mouse: bool,
}

/// An error if there is no terminal to draw on and to hear keys from.
pub(crate) fn check() -> anyhow::Result<()> {
    let what = match (io::stdin().is_terminal(), stdout().is_terminal()) {
        (true, true) => return Ok(()),
        (true, false) => "standard output",
        (false, _) => "standard input",
    };
    Err(exit::usage(format!(
        "{what} is no terminal, and `gametape top` draws on one: start it in a terminal; for scripts there are `gametape laps --json` and `gametape serve`"
    )))
}

impl Taken {
    /// Takes the terminal.
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

    /// Draws a picture, unless the terminal was given back because something went wrong.
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

    /// The next picture is drawn whole: something else has written on the terminal.
    pub(crate) fn draw_anew(&mut self) -> io::Result<()> {
        // Not `clear`: that asks the terminal where its cursor is, and the answer would come as a key.
        let size = self.paper.size()?;
        self.paper.resize(Rect::new(0, 0, size.width, size.height))
    }

    /// Hears the mouse, or no longer.
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

/// Gives the terminal back, once.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // If the terminal is gone, there is nothing to give back.
        let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
        crate::cli::hold_lines(false);
    }
}

/// What a panic says must be readable, on a terminal that works.
fn give_back_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICKED.store(true, Ordering::SeqCst);
        // A picture that another thread draws is finished first; it is the last.
        let _pen = (!DRAWS.get()).then(|| PEN.lock().unwrap_or_else(PoisonError::into_inner));
        give_back();
        before(panic);
    }));
}

/// Whether some thread has panicked: the terminal is no longer ours.
pub(crate) fn panicked() -> bool {
    PANICKED.load(Ordering::SeqCst)
}
