//! Ctrl+C and the system's wish that we end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a process that a second signal ended.
#[cfg(any(unix, windows))]
const INTERRUPTED: i32 = 130;

/// Whether and why a command should end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop {
    interrupted: Arc<AtomicBool>,
    terminated: Arc<AtomicBool>,
}

impl Stop {
    /// Listens from now on: Ctrl+C no longer ends the process, the command has to ask.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let stop = Self::default();
        #[cfg(windows)]
        stop.hear_console(false)?;
        #[cfg(not(windows))]
        {
            let interrupted = stop.interrupted.clone();
            ctrlc::set_handler(move || interrupted.store(true, Ordering::Relaxed))?;
        }
        #[cfg(unix)]
        signal_hook::flag::register(signal_hook::consts::SIGTERM, stop.terminated.clone())?;
        Ok(stop)
    }

    /// The same, and the terminal that goes away is heard too: what has to be put in order is put in order.
    pub(crate) fn listen_also_to_hang_up() -> anyhow::Result<Self> {
        let stop = Self::listen()?;
        #[cfg(unix)]
        signal_hook::flag::register(signal_hook::consts::SIGHUP, stop.terminated.clone())?;
        Ok(stop)
    }

    /// Ctrl+C and Ctrl+Break are one thing, all that takes the window away is another: the system waits for us, and not for long.
    #[cfg(windows)]
    fn hear_console(&self, second_ends: bool) -> anyhow::Result<()> {
        use gametape::sys::{ConsoleEvent, on_console_event};
        let heard = self.clone();
        on_console_event(move |event| {
            if second_ends && heard.wanted() {
                std::process::exit(INTERRUPTED);
            }
            let flag = match event {
                ConsoleEvent::Interrupt => &heard.interrupted,
                ConsoleEvent::End => &heard.terminated,
            };
            flag.store(true, Ordering::Relaxed);
            true
        })?;
        Ok(())
    }

    /// Listens from now on, and a second signal ends the process at once: for commands that lose nothing by that.
    pub(crate) fn listen_once() -> anyhow::Result<Self> {
        #[cfg(not(any(unix, windows)))]
        return Self::listen();
        #[cfg(windows)]
        {
            let stop = Self::default();
            stop.hear_console(true)?;
            Ok(stop)
        }
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGINT, SIGTERM};
            use signal_hook::flag::{register, register_conditional_shutdown};
            let stop = Self::default();
            for flag in [&stop.interrupted, &stop.terminated] {
                register_conditional_shutdown(SIGINT, INTERRUPTED, flag.clone())?;
                register_conditional_shutdown(SIGTERM, INTERRUPTED, flag.clone())?;
            }
            register(SIGINT, stop.interrupted.clone())?;
            register(SIGTERM, stop.terminated.clone())?;
            Ok(stop)
        }
    }

    /// The user pressed Ctrl+C.
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// As if the user had pressed Ctrl+C.
    #[cfg(test)]
    pub(crate) fn want(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Time to finish, for whatever reason.
    pub(crate) fn wanted(&self) -> bool {
        self.interrupted() || self.terminated.load(Ordering::Relaxed)
    }
}
