//! Ctrl+C and termination signals.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a process that was ended by a second signal.
#[cfg(any(unix, windows))]
const INTERRUPTED: i32 = 130;

/// Whether and why a command should stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop {
    interrupted: Arc<AtomicBool>,
    terminated: Arc<AtomicBool>,
}

impl Stop {
    /// Installs the signal handlers. From now on Ctrl+C does not end the process; the command has to poll.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let stop = Self::default();
        #[cfg(windows)]
        stop.on_console(false)?;
        #[cfg(not(windows))]
        {
            let interrupted = stop.interrupted.clone();
            ctrlc::set_handler(move || interrupted.store(true, Ordering::Relaxed))?;
        }
        #[cfg(unix)]
        signal_hook::flag::register(signal_hook::consts::SIGTERM, stop.terminated.clone())?;
        Ok(stop)
    }

    /// Like [`listen`](Self::listen), and also handles SIGHUP, so that a command can clean up when its terminal closes.
    pub(crate) fn listen_also_to_hang_up() -> anyhow::Result<Self> {
        let stop = Self::listen()?;
        #[cfg(unix)]
        signal_hook::flag::register(signal_hook::consts::SIGHUP, stop.terminated.clone())?;
        Ok(stop)
    }

    /// Ctrl+C and Ctrl+Break count as an interrupt. Closing the window, logoff and shutdown count as termination: the system
    /// waits a short time for the process.
    #[cfg(windows)]
    fn on_console(&self, second_ends: bool) -> anyhow::Result<()> {
        use gametape::sys::{ConsoleEvent, on_console_event};
        let stop = self.clone();
        on_console_event(move |event| {
            if second_ends && stop.wanted() {
                std::process::exit(INTERRUPTED);
            }
            let flag = match event {
                ConsoleEvent::Interrupt => &stop.interrupted,
                ConsoleEvent::End => &stop.terminated,
            };
            flag.store(true, Ordering::Relaxed);
            true
        })?;
        Ok(())
    }

    /// Like [`listen`](Self::listen), but a second signal ends the process at once: for commands that lose nothing by that.
    pub(crate) fn listen_once() -> anyhow::Result<Self> {
        #[cfg(not(any(unix, windows)))]
        return Self::listen();
        #[cfg(windows)]
        {
            let stop = Self::default();
            stop.on_console(true)?;
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

    /// Whether the user pressed Ctrl+C.
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Acts as if the user had pressed Ctrl+C.
    #[cfg(test)]
    pub(crate) fn want(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Whether the command should stop, for any reason.
    pub(crate) fn wanted(&self) -> bool {
        self.interrupted() || self.terminated.load(Ordering::Relaxed)
    }
}
