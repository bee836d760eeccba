//! Raw frames of running recordings for live clients. A client that joins late first gets the latest frame of each stream: some
//! come only once in a session.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use gametape::format::{StreamSpec, TapeId};
use gametape::live::LiveTape;
use gametape::live::frames::{FrameSink, LiveFrame};

use super::frame_log::{Entry, Follower, FrameLog};
use super::state::AppState;

/// A running recording.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) tape: LiveTape,
    pub(super) streams: Vec<StreamSpec>,
    /// UTC at time 0, nanoseconds since 1970.
    pub(super) utc_ns: i64,
}

/// A frame of a running recording.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) stream: usize,
    pub(super) time_ns: u64,
    pub(super) sequence: u64,
    pub(super) bytes: Bytes,
}

/// An event of a recording.
#[derive(Debug, Clone)]
pub(super) enum News {
    /// A recording has begun.
    Begins,
    Frame(TapeId, Frame),
    /// A user has set a mark.
    Mark {
        tape: TapeId,
        time_ns: u64,
        text: Arc<str>,
    },
    /// This many frames did not reach the feed.
    Lost {
        tape: TapeId,
        frames: u64,
        time_ns: u64,
    },
    Ended(TapeId),
}

impl Entry for News {
    fn held_bytes(&self) -> usize {
        let more = match self {
            Self::Frame(_, frame) => frame.bytes.len(),
            Self::Mark { text, .. } => text.len(),
            Self::Begins | Self::Lost { .. } | Self::Ended(_) => 0,
        };
        size_of::<Self>() + more
    }
}

/// Distributes frames.
#[derive(Default)]
pub(crate) struct FrameFeed {
    running: Mutex<Vec<Known>>,
    news: FrameLog<News>,
}

struct Known {
    recording: Arc<Running>,
    newest: Vec<Option<Frame>>,
}

impl FrameFeed {
    /// Updates the state and publishes the news atomically, so that a client that joins gets each frame once.
    fn publish(&self, change: impl FnOnce(&mut Vec<Known>), news: News) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut running);
        self.news.push(news);
    }

    /// Returns a follower of all future news.
    pub(super) fn listen(&self) -> Follower<News> {
        self.news.follow()
    }

    /// Returns the recording that began last, with the latest frame of each stream in time order, and a follower of what comes after these.
    pub(super) fn join(&self) -> Option<(Arc<Running>, Vec<Frame>, Follower<News>)> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let known = running.last()?;
        let mut newest: Vec<Frame> = known.newest.iter().flatten().cloned().collect();
        newest.sort_by_key(|frame| frame.time_ns);
        Some((Arc::clone(&known.recording), newest, self.news.follow()))
    }

    /// Whether the recording is still running.
    pub(super) fn runs(&self, tape: TapeId) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.iter().any(|known| known.recording.tape.id == tape)
    }
}

/// Passes frames to the live clients of the server.
pub(crate) struct PublishFrames(pub(crate) AppState);

impl FrameSink for PublishFrames {
    fn begins(&self, tape: &LiveTape, streams: &[StreamSpec], utc_ns: i64) {
        let recording = Arc::new(Running { tape: tape.clone(), streams: streams.to_vec(), utc_ns });
        let known = Known { recording, newest: vec![None; streams.len()] };
        self.0.frames.publish(|running| running.push(known), News::Begins);
    }

    fn frame(&self, tape: &LiveTape, frame: &LiveFrame<'_>) {
        let LiveFrame { stream, time_ns, sequence, bytes } = *frame;
        let frame = Frame { stream, time_ns, sequence, bytes: Bytes::copy_from_slice(bytes) };
        let newest = frame.clone();
        let keep = |running: &mut Vec<Known>| {
            let known = running.iter_mut().find(|known| known.recording.tape.id == tape.id);
            if let Some(room) = known.and_then(|known| known.newest.get_mut(stream)) {
                *room = Some(newest);
            }
        };
        self.0.frames.publish(keep, News::Frame(tape.id, frame));
    }

    fn mark(&self, tape: &LiveTape, time_ns: u64, text: &str) {
        self.0.frames.publish(|_| {}, News::Mark { tape: tape.id, time_ns, text: text.into() });
    }

    fn lost(&self, tape: &LiveTape, frames: u64, time_ns: u64) {
        self.0.frames.publish(|_| {}, News::Lost { tape: tape.id, frames, time_ns });
    }

    fn ended(&self, tape: &LiveTape) {
        let forget = |running: &mut Vec<Known>| running.retain(|known| known.recording.tape.id != tape.id);
        self.0.frames.publish(forget, News::Ended(tape.id));
    }
}
