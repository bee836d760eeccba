//! Key input of `gametape play`: from a terminal, or lines on stdin.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use gametape::play::Controls;

const NEAR: Duration = Duration::from_secs(5);
const FAR: Duration = Duration::from_secs(60);
/// The poll interval, and so the longest delay until a stop is noticed.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Reads keys until dropped, then restores the terminal.
pub(crate) struct Keys {
    ended: Arc<AtomicBool>,
    interrupted: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Reads keys from the terminal if there is one; otherwise, with `step`, lines from stdin.
pub(crate) fn listen(controls: &Controls, step: bool) -> io::Result<Option<Keys>> {
    if step {
        controls.pause(true);
    }
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        enable_raw_mode()?;
        let ended = Arc::new(AtomicBool::new(false));
        let interrupted = Arc::new(AtomicBool::new(false));
        let (wanted, pressed, controls) = (Arc::clone(&ended), Arc::clone(&interrupted), controls.clone());
        let hear = move || hear_keys(&controls, step, &wanted, &pressed);
        let thread = std::thread::Builder::new().name("gametape-keys".into()).spawn(hear);
        let thread = thread.inspect_err(|_| drop(disable_raw_mode()))?;
        return Ok(Some(Keys { ended, interrupted, thread: Some(thread) }));
    }
    if step {
        let controls = controls.clone();
        // Not joined: a blocking read cannot be interrupted.
        std::thread::Builder::new().name("gametape-lines".into()).spawn(move || {
            for line in io::stdin().lock().lines() {
                match line {
                    Ok(_) => controls.step(),
                    Err(_) => break,
                }
            }
            controls.stop_after_steps();
        })?;
    }
    Ok(None)
}

fn hear_keys(controls: &Controls, step: bool, ended: &AtomicBool, interrupted: &AtomicBool) {
    while !ended.load(Ordering::Relaxed) {
        match poll(POLL_INTERVAL) {
            Ok(true) => {}
            Ok(false) => continue,
            // The terminal is gone; signals still end playback.
            Err(_) => return,
        }
        if let Ok(Event::Key(key)) = read()
            && key.kind != KeyEventKind::Release
        {
            // In raw mode the terminal sends Ctrl+C as a key.
            if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
                interrupted.store(true, Ordering::Relaxed);
                controls.stop();
            }
            press(controls, step, key);
        }
    }
}

fn press(controls: &Controls, step: bool, key: KeyEvent) {
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => controls.stop(),
        KeyCode::Char(' ' | 'n') | KeyCode::Enter if step => controls.step(),
        KeyCode::Char(' ') => controls.toggle_pause(),
        KeyCode::Char('n') => controls.step(),
        KeyCode::Left => controls.back(NEAR),
        KeyCode::Right => controls.forward(NEAR),
        KeyCode::Down => controls.back(FAR),
        KeyCode::Up => controls.forward(FAR),
        _ => {}
    }
}

impl Keys {
    /// Whether Ctrl+C was pressed.
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = disable_raw_mode();
    }
}
