//! A fault on demand, for the test that looks at a terminal after one. Programs for users are built without it.

use crossterm::event::{KeyCode, KeyEvent};

/// Environment variable that says where the fault is to be: `screen` (the thread that draws) or `thread` (another one).
const WANTED: &str = "GAMETAPE_TEST_FAULT";

/// Goes wrong at F12, if the environment asks for that.
#[allow(clippy::panic, reason = "that is what it is for")]
pub(crate) fn at_key(key: &KeyEvent) {
    if !cfg!(debug_assertions) || key.code != KeyCode::F(12) {
        return;
    }
    match std::env::var(WANTED).as_deref() {
        Ok("screen") => panic!("a fault that was asked for"),
        Ok("thread") => drop(std::thread::spawn(|| panic!("a fault that was asked for"))),
        _ => {}
    }
}
