//! Fault injection for the test that checks the terminal after a panic. Does nothing in release builds.

use crossterm::event::{KeyCode, KeyEvent};

/// Environment variable that selects where to panic: `screen` (the drawing thread) or `thread` (another one).
const WANTED: &str = "GAMETAPE_TEST_FAULT";

/// Panics at F12 if the environment variable is set.
#[allow(clippy::panic, reason = "fault injection")]
pub(crate) fn at_key(key: &KeyEvent) {
    if !cfg!(debug_assertions) || key.code != KeyCode::F(12) {
        return;
    }
    match std::env::var(WANTED).as_deref() {
        Ok("screen") => panic!("injected fault"),
        Ok("thread") => drop(std::thread::spawn(|| panic!("injected fault"))),
        _ => {}
    }
}
