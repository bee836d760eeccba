//! What the system says about folders. Takes its events, gives [`Signal`]s through a bounded queue; what does not fit becomes a
//! wish for a scan, so nothing is lost and memory stays small.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind, RenameMode};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

/// Signals that wait at most.
const QUEUE: usize = 4096;

/// Something happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Signal {
    /// A file or folder is new, or not as it was.
    Changed(PathBuf),
    /// A file was written to.
    Written(PathBuf),
    /// The writer of a file closed it.
    Closed(PathBuf),
    /// A file or folder came here under its name in one step.
    Arrived(PathBuf),
    /// The name that something had before it arrived.
    Renamed { from: PathBuf, to: PathBuf },
    /// A file or folder is gone.
    Gone(PathBuf),
    /// The system lost events.
    Overflow,
    /// Look up: the end is wanted.
    Wake,
}

/// Both ends of the queue, and what did not fit.
#[derive(Debug)]
pub(super) struct Signals {
    sender: Sender,
    receiver: Receiver<Signal>,
}

/// The end of the queue where signals go in.
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

    /// The next signal, if there is one.
    pub(super) fn try_next(&self) -> Option<Signal> {
        // Only once the queue is empty: signals before the gap come first.
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

/// Listens to folders.
#[derive(Debug)]
pub(super) struct Ears {
    watcher: Option<RecommendedWatcher>,
}

impl Ears {
    /// With no ears, folders are looked at again and again.
    pub(super) fn new(sender: Sender) -> Self {
        let handler = move |event: notify::Result<notify::Event>| translate(event, &sender);
        Self { watcher: notify::recommended_watcher(handler).ok() }
    }

    /// Hears nothing.
    pub(super) fn deaf() -> Self {
        Self { watcher: None }
    }

    /// Whether the system tells when a writer closes a file.
    pub(super) fn hear_closing(&self) -> bool {
        cfg!(any(target_os = "linux", target_os = "android")) && self.watcher.is_some()
    }

    /// Listens to a folder; again does no harm. `top` is the folder that was asked for: where the system listens to whole trees, the
    /// folders below it need nothing. On Linux each folder is listened to by itself, before it is read: so no file is missed in between.
    pub(super) fn listen(&mut self, folder: &Path, top: bool, recursive: bool) -> Result<(), Deaf> {
        let watcher = self.watcher.as_mut().ok_or(Deaf::NoEvents)?;
        let trees = cfg!(not(any(target_os = "linux", target_os = "android")));
        if trees && !top {
            return Ok(());
        }
        let mode = if trees && recursive { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        watcher.watch(folder, mode).map_err(Deaf::Refused)
    }

    /// Stops listening to a folder that is gone: should it be somewhere else now, that is not our business.
    pub(super) fn forget(&mut self, folder: &Path) {
        if let Some(watcher) = &mut self.watcher {
            // It may have ended by itself.
            let _ = watcher.unwatch(folder);
        }
    }
}

/// Why a folder is not listened to.
#[derive(Debug, thiserror::Error)]
pub(super) enum Deaf {
    /// There are no events here.
    #[error("there are no events to listen to")]
    NoEvents,
    /// Most often there are too many watched folders.
    #[error("the system refused events ({0})")]
    Refused(notify::Error),
}

fn translate(event: notify::Result<notify::Event>, sender: &Sender) {
    let Ok(event) = event else { return sender.send(Signal::Overflow) };
    if event.need_rescan() {
        return sender.send(Signal::Overflow);
    }
    let mut paths = event.paths.into_iter();
    let (Some(path), second) = (paths.next(), paths.next()) else { return };
    sender.send(match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => Signal::Closed(path),
        EventKind::Access(_) => return,
        EventKind::Modify(ModifyKind::Data(_)) => Signal::Written(path),
        EventKind::Modify(ModifyKind::Name(RenameMode::From)) | EventKind::Remove(_) => Signal::Gone(path),
        EventKind::Modify(ModifyKind::Name(RenameMode::To)) => Signal::Arrived(path),
        EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => match second {
            Some(to) => Signal::Renamed { from: path, to },
            None => Signal::Changed(path),
        },
        EventKind::Create(_) | EventKind::Modify(_) | EventKind::Any | EventKind::Other => Signal::Changed(path),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{DataChange, Flag};

    fn translated(event: notify::Result<notify::Event>) -> Vec<Signal> {
        let signals = Signals::new();
        translate(event, &signals.sender());
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
}
