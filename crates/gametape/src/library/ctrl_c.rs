//! Detects Ctrl+C and termination requests of the system while a caller waits for a capture.
//!
//! The first wait installs the handler, and it stays installed. When no caller waits, and on the second Ctrl+C, it acts like the default
//! handler: the process ends. (The tape's journal holds all accepted frames even then.)

use std::sync::OnceLock;

/// Detects a termination request during its lifetime.
pub(crate) struct CtrlC {
    before: usize,
}

impl CtrlC {
    /// Starts listening.
    pub(crate) fn listen() -> std::io::Result<Self> {
        static INSTALLED: OnceLock<Result<(), String>> = OnceLock::new();
        let installed = INSTALLED.get_or_init(|| system::install().map_err(|error| error.to_string()));
        installed.clone().map_err(std::io::Error::other)?;
        system::waits(true);
        Ok(Self { before: system::count() })
    }

    /// Returns whether a termination request arrived since [`listen`](Self::listen).
    pub(crate) fn pressed(&self) -> bool {
        system::count() != self.before
    }
}

impl Drop for CtrlC {
    fn drop(&mut self) {
        system::waits(false);
    }
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, LazyLock};

    use signal_hook::consts::{SIGINT, SIGTERM};

    /// Number of waiting callers. Without one, the signal ends the process.
    static WAITING: AtomicUsize = AtomicUsize::new(0);
    static PRESSED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
    static AS_USUAL: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
    static COUNT: AtomicUsize = AtomicUsize::new(0);

    pub(super) fn install() -> io::Result<()> {
        for signal in [SIGINT, SIGTERM] {
            // The order matters: the second signal must find the flag set by the first.
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&AS_USUAL))?;
            signal_hook::flag::register(signal, Arc::clone(&PRESSED))?;
            signal_hook::flag::register(signal, Arc::clone(&AS_USUAL))?;
        }
        Ok(())
    }

    pub(super) fn waits(begin: bool) {
        let waiting = match begin {
            true => WAITING.fetch_add(1, Ordering::SeqCst) + 1,
            false => WAITING.fetch_sub(1, Ordering::SeqCst) - 1,
        };
        AS_USUAL.store(waiting == 0, Ordering::SeqCst);
    }

    /// Returns a count that increases with each observed signal.
    pub(super) fn count() -> usize {
        if PRESSED.swap(false, Ordering::SeqCst) {
            COUNT.fetch_add(1, Ordering::SeqCst);
        }
        COUNT.load(Ordering::SeqCst)
    }
}

#[cfg(windows)]
mod system {
    use std::io;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crate::sys::on_console_event;

    static WAITING: AtomicUsize = AtomicUsize::new(0);
    static COUNT: AtomicUsize = AtomicUsize::new(0);

    pub(super) fn install() -> io::Result<()> {
        // Returning `false` lets the event end the process.
        on_console_event(|_| {
            let earlier = COUNT.fetch_add(1, Ordering::SeqCst);
            WAITING.load(Ordering::SeqCst) > 0 && earlier == 0
        })
    }

    pub(super) fn waits(begin: bool) {
        match begin {
            true => WAITING.fetch_add(1, Ordering::SeqCst),
            false => WAITING.fetch_sub(1, Ordering::SeqCst),
        };
    }

    pub(super) fn count() -> usize {
        COUNT.load(Ordering::SeqCst)
    }
}

#[cfg(not(any(unix, windows)))]
mod system {
    use std::io;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static WAITING: AtomicUsize = AtomicUsize::new(0);
    static COUNT: AtomicUsize = AtomicUsize::new(0);

    pub(super) fn install() -> io::Result<()> {
        ctrlc::set_handler(|| {
            let earlier = COUNT.fetch_add(1, Ordering::SeqCst);
            if WAITING.load(Ordering::SeqCst) == 0 || earlier > 0 {
                std::process::exit(130);
            }
        })
        .map_err(io::Error::other)
    }

    pub(super) fn waits(begin: bool) {
        match begin {
            true => WAITING.fetch_add(1, Ordering::SeqCst),
            false => WAITING.fetch_sub(1, Ordering::SeqCst),
        };
    }

    pub(super) fn count() -> usize {
        COUNT.load(Ordering::SeqCst)
    }
}
