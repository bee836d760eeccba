//! Frames of what is being recorded, for those who take them as they are. Who joins late gets the newest frame of each stream first: some come once in a session.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use gametape::format::{StreamSpec, TapeId};
use gametape::laps::live::LiveTape;
use gametape::live_frames::{FrameSink, LiveFrame};

use super::frame_log::{Entry, Follower, FrameLog};
use super::state::AppState;

/// A recording that runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) tape: LiveTape,
    pub(super) streams: Vec<StreamSpec>,
    /// UTC at time 0, nanoseconds since 1970.
    pub(super) utc_ns: i64,
}

/// A frame of it.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) stream: usize,
    pub(super) time_ns: u64,
    pub(super) sequence: u64,
    pub(super) bytes: Bytes,
}

/// What is told of recordings.
#[derive(Debug, Clone)]
pub(super) enum News {
    /// One begins.
    Begins,
    Frame(TapeId, Frame),
    /// A user has set a mark.
    Mark {
        tape: TapeId,
        time_ns: u64,
        text: Arc<str>,
    },
    /// So many frames did not come this far.
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

/// Where frames are told.
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
    /// Changes what is known and tells it, in one: who joins gets each frame once.
    fn tell(&self, change: impl FnOnce(&mut Vec<Known>), news: News) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut running);
        self.news.push(news);
    }

    /// What will be told from now on.
    pub(super) fn listen(&self) -> Follower<News> {
        self.news.follow()
    }

    /// The recording that began last, with the newest frame of each stream in the order of their times, and what comes after these.
    pub(super) fn join(&self) -> Option<(Arc<Running>, Vec<Frame>, Follower<News>)> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let known = running.last()?;
        let mut newest: Vec<Frame> = known.newest.iter().flatten().cloned().collect();
        newest.sort_by_key(|frame| frame.time_ns);
        Some((Arc::clone(&known.recording), newest, self.news.follow()))
    }

    /// Whether the recording still runs.
    pub(super) fn runs(&self, tape: TapeId) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.iter().any(|known| known.recording.tape.id == tape)
    }
}

/// Gives frames to who listens to the server.
pub(crate) struct TellFrames(pub(crate) AppState);

impl FrameSink for TellFrames {
    fn begins(&self, tape: &LiveTape, streams: &[StreamSpec], utc_ns: i64) {
        let recording = Arc::new(Running { tape: tape.clone(), streams: streams.to_vec(), utc_ns });
        let known = Known { recording, newest: vec![None; streams.len()] };
        self.0.frames.tell(|running| running.push(known), News::Begins);
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
        self.0.frames.tell(keep, News::Frame(tape.id, frame));
    }

    fn mark(&self, tape: &LiveTape, time_ns: u64, text: &str) {
        self.0.frames.tell(|_| {}, News::Mark { tape: tape.id, time_ns, text: text.into() });
    }

    fn lost(&self, tape: &LiveTape, frames: u64, time_ns: u64) {
        self.0.frames.tell(|_| {}, News::Lost { tape: tape.id, frames, time_ns });
    }

    fn ended(&self, tape: &LiveTape) {
        let forget = |running: &mut Vec<Known>| running.retain(|known| known.recording.tape.id != tape.id);
        self.0.frames.tell(forget, News::Ended(tape.id));
    }
}
