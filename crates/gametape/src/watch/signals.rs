//! Translates file system events to [`Signal`]s in a bounded queue. If the queue is full, a rescan is requested instead, so that nothing
//! is lost and memory stays bounded. Stopping a watch is a signal too.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind, RenameMode};

/// Capacity of the queue.
const QUEUE: usize = 4096;

/// A change in the file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Signal {
    /// A file or folder is new or has changed.
    Changed(PathBuf),
    /// A file was written to.
    Written(PathBuf),
    /// The writer of a file closed it.
    Closed(PathBuf),
    /// A file or folder was renamed to this path.
    Arrived(PathBuf),
    /// The previous path of something that was renamed.
    Renamed { from: PathBuf, to: PathBuf },
    /// A file or folder was removed.
    Gone(PathBuf),
    /// The system lost events.
    Overflow,
    /// Wakes the engine: the watch is to stop.
    Wake,
}

/// The queue, and whether it has overflowed.
#[derive(Debug)]
pub(super) struct Signals {
    sender: Sender,
    receiver: Receiver<Signal>,
}

/// The sending half of the queue.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    queue: SyncSender<Signal>,
    overflow: Arc<AtomicBool>,
}

impl Sender {
    pub(super) fn send(&self, signal: Signal) {
        if let Err(TrySendError::Full(_)) = self.queue.try_send(signal) {
            self.overflow.store(true, Ordering::Release);
        }
    }
}

impl Signals {
    pub(super) fn new() -> Self {
        let (queue, receiver) = mpsc::sync_channel(QUEUE);
        Self { sender: Sender { queue, overflow: Arc::default() }, receiver }
    }

    pub(super) fn sender(&self) -> Sender {
        self.sender.clone()
    }

    /// Returns the next signal, if any.
    pub(super) fn try_next(&self) -> Option<Signal> {
        // The overflow is reported once the queue is empty, after the signals that preceded it.
        let overflow = || self.sender.overflow.swap(false, Ordering::AcqRel).then_some(Signal::Overflow);
        self.receiver.try_recv().ok().or_else(overflow)
    }

    /// Waits for a signal.
    pub(super) fn wait(&self, at_most: Duration) -> Option<Signal> {
        match self.receiver.recv_timeout(at_most) {
            Ok(signal) => Some(signal),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => self.try_next(),
        }
    }
}

/// Translates events of the system to signals.
#[derive(Debug)]
pub(super) struct Translator {
    sender: Sender,
    /// Windows reports the two names of a rename as separate events, without linking them.
    renamed_from: Option<PathBuf>,
}

impl Translator {
    pub(super) fn new(sender: Sender) -> Self {
        Self { sender, renamed_from: None }
    }

    pub(super) fn translate(&mut self, event: notify::Result<notify::Event>) {
        let before = self.renamed_from.take();
        let Ok(event) = event else { return self.sender.send(Signal::Overflow) };
        if event.need_rescan() {
            return self.sender.send(Signal::Overflow);
        }
        let mut paths = event.paths.into_iter();
        let (Some(path), second) = (paths.next(), paths.next()) else { return };
        self.sender.send(match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => Signal::Closed(path),
            EventKind::Access(_) => return,
            EventKind::Modify(ModifyKind::Data(_)) => Signal::Written(path),
            EventKind::Modify(ModifyKind::Name(RenameMode::From)) => {
                self.renamed_from = cfg!(windows).then(|| path.clone());
                Signal::Gone(path)
            }
            EventKind::Remove(_) => Signal::Gone(path),
            EventKind::Modify(ModifyKind::Name(RenameMode::To)) => {
                self.sender.send(Signal::Arrived(path.clone()));
                match before {
                    Some(from) => Signal::Renamed { from, to: path },
                    None => return,
                }
            }
            EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => match second {
                Some(to) => Signal::Renamed { from: path, to },
                None => Signal::Changed(path),
            },
            EventKind::Create(_) | EventKind::Modify(_) | EventKind::Any | EventKind::Other => Signal::Changed(path),
        });
    }
}

/// The stop flag.
#[derive(Debug, Clone, Default)]
pub(super) struct Stopping(Arc<AtomicBool>);

impl Stopping {
    pub(super) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Stops a watch from any thread.
#[derive(Debug, Clone)]
pub struct StopHandle {
    stopping: Stopping,
    sender: Sender,
}

impl StopHandle {
    pub(super) fn new(stopping: Stopping, sender: Sender) -> Self {
        Self { stopping, sender }
    }

    /// Requests that the watch stop as soon as possible. Nothing incomplete is left, and pending files are inspected again after a
    /// restart.
    pub fn stop(&self) {
        self.stopping.0.store(true, Ordering::Release);
        self.sender.send(Signal::Wake);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{DataChange, Flag};

    fn translated(event: notify::Result<notify::Event>) -> Vec<Signal> {
        let signals = Signals::new();
        Translator::new(signals.sender()).translate(event);
        std::iter::from_fn(|| signals.try_next()).collect()
    }

    #[test]
    fn lost_events_and_errors_of_the_system_ask_for_a_scan() {
        let lost = notify::Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(translated(Ok(lost)), [Signal::Overflow]);
        assert_eq!(translated(Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch))), [Signal::Overflow]);
    }

    #[test]
    fn a_full_queue_asks_for_a_scan_after_what_was_in_it() {
        let signals = Signals::new();
        for _ in 0..QUEUE + 10 {
            signals.sender().send(Signal::Changed("a".into()));
        }
        let all: Vec<_> = std::iter::from_fn(|| signals.try_next()).collect();
        assert_eq!((all.len(), all.last()), (QUEUE + 1, Some(&Signal::Overflow)));
    }

    #[test]
    fn reading_a_file_is_no_signal_and_writing_it_is() {
        let event = |kind| Ok(notify::Event::new(kind).add_path("a".into()));
        assert_eq!(translated(event(EventKind::Access(AccessKind::Open(AccessMode::Any)))), []);
        assert_eq!(translated(event(EventKind::Access(AccessKind::Close(AccessMode::Read)))), []);
        let written = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        assert_eq!(translated(event(written)), [Signal::Written("a".into())]);
        let closed = EventKind::Access(AccessKind::Close(AccessMode::Write));
        assert_eq!(translated(event(closed)), [Signal::Closed("a".into())]);
    }

    #[cfg(windows)]
    #[test]
    fn the_two_names_of_a_rename_are_put_together() {
        let signals = Signals::new();
        let mut translator = Translator::new(signals.sender());
        let mut tell = |path: &str, mode| {
            let kind = EventKind::Modify(ModifyKind::Name(mode));
            translator.translate(Ok(notify::Event::new(kind).add_path(path.into())));
        };
        tell("a", RenameMode::From);
        tell("b", RenameMode::To);
        tell("c", RenameMode::To);
        let all: Vec<_> = std::iter::from_fn(|| signals.try_next()).collect();
        let renamed = Signal::Renamed { from: "a".into(), to: "b".into() };
        let arrived = |path: &str| Signal::Arrived(path.into());
        assert_eq!(all, [Signal::Gone("a".into()), arrived("b"), renamed, arrived("c")]);
    }
}
