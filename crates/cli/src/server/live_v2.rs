//! The live stream as Telemetry V2: a running recording as length-delimited envelopes. One recording per connection: a header,
//! the latest frame of each stream, every frame from then on, and a footer at its end. If nothing is being recorded, the stream
//! waits for a recording.

use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket};
use axum::response::Response;
use gametape::export::v2::{CaptureHead, StreamMaker, V2MakeError};

use super::clients::OpenStream;
use super::connection_slots::ConnectionSlot;
use super::frame_log::{Follower, Read};
use super::frames::{Frame, News};
use super::live_routes::{KEEP_ALIVE, SEND_TIMEOUT};
use super::oversight::{self, Overseen, UntilEnded};
use super::state::AppState;
use super::streaming::{self, Chunks};

/// Approximate size of a chunk.
const CHUNK_BYTES: usize = 32 << 10;

/// A client that follows a recording.
pub(super) struct Following {
    state: AppState,
    news: Follower<News>,
    made: Option<Made>,
    /// Entries were missed, possibly the end.
    lagged: bool,
    /// The stream has ended.
    over: bool,
    /// Both are held while the stream is open.
    _open: OpenStream,
    _slot: Option<ConnectionSlot>,
}

/// The recording that is followed.
struct Made {
    maker: StreamMaker,
    tape: gametape::format::TapeId,
    streams: Vec<String>,
    /// Time of the latest frame.
    time_ns: u64,
}

impl Following {
    pub(super) fn new(state: AppState, open: OpenStream, slot: Option<ConnectionSlot>) -> Self {
        Self { news: state.frames.listen(), state, made: None, lagged: false, over: false, _open: open, _slot: slot }
    }

    /// Returns the next complete envelopes; `None` when the recording has ended.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.over {
                return None;
            }
            match self.step().await {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => return Some(bytes.into()),
                // A stream is full, after years: the connection ends here, without a footer.
                Err(_) => self.over = true,
            }
        }
    }

    async fn step(&mut self) -> Result<Vec<u8>, V2MakeError> {
        let Some(made) = &mut self.made else { return self.begin().await };
        let mut news = self.news.next().await;
        let mut bytes = Vec::new();
        // Everything that has arrived meanwhile is included.
        loop {
            self.over = match news {
                Some(Read::Next(News::Ended(tape))) => tape == made.tape,
                Some(Read::Next(news)) => made.take_in(&news).map(|()| false)?,
                Some(Read::Missed(frames)) => {
                    self.lagged = true;
                    made.lost(made.time_ns, frames).map(|()| false)?
                }
                None => true,
            };
            self.over |= self.lagged && self.news.is_empty() && !self.state.frames.runs(made.tape);
            bytes.extend(made.maker.take());
            if self.over || bytes.len() >= CHUNK_BYTES {
                break;
            }
            news = self.news.try_next();
            if news.is_none() {
                break;
            }
        }
        if let Some(made) = self.made.take_if(|_| self.over) {
            bytes.extend(made.maker.finish()?);
        }
        Ok(bytes)
    }

    /// Waits for a recording; returns its header and the latest frames of its streams.
    async fn begin(&mut self) -> Result<Vec<u8>, V2MakeError> {
        let Some((recording, newest, news)) = self.state.frames.join() else {
            // Any news triggers another check.
            self.over = self.news.next().await.is_none();
            return Ok(Vec::new());
        };
        let head = CaptureHead {
            capture_id: recording.tape.id.to_string(),
            start_utc_ns: Some(recording.utc_ns),
            ..CaptureHead::default()
        };
        let mut made = Made {
            maker: StreamMaker::new(head, &recording.tape.game, &recording.streams)?,
            tape: recording.tape.id,
            streams: recording.streams.iter().map(|spec| spec.name.clone()).collect(),
            time_ns: 0,
        };
        newest.iter().try_for_each(|frame| made.frame(frame))?;
        let bytes = made.maker.take();
        (self.news, self.made) = (news, Some(made));
        Ok(bytes)
    }
}

impl Made {
    fn take_in(&mut self, news: &News) -> Result<(), V2MakeError> {
        match news {
            News::Frame(tape, frame) if *tape == self.tape => self.frame(frame),
            News::Mark { tape, time_ns, text } if *tape == self.tape => self.maker.mark(*time_ns, "mark", text),
            News::Lost { tape, frames, time_ns } if *tape == self.tape => self.lost(*time_ns, *frames),
            _ => Ok(()),
        }
    }

    fn frame(&mut self, frame: &Frame) -> Result<(), V2MakeError> {
        let Some(stream) = self.streams.get(frame.stream) else { return Ok(()) };
        self.time_ns = self.time_ns.max(frame.time_ns);
        self.maker.frame(stream, frame.time_ns, frame.sequence, &frame.bytes)
    }

    /// Marks lost frames at the time where they were lost.
    fn lost(&mut self, time_ns: u64, frames: u64) -> Result<(), V2MakeError> {
        self.time_ns = self.time_ns.max(time_ns);
        self.maker.mark(self.time_ns, "lost", &format!("{frames} frames were not sent; the tape has them"))
    }
}

/// Sends envelopes until the recording ends, or the client disconnects or is too slow. Each message contains complete envelopes
/// with their lengths.
pub(super) async fn talk(mut socket: WebSocket, mut following: Following, mut overseen: Overseen) {
    let ending = tokio::select! {
        ending = overseen.ended() => ending,
        () = send_all(&mut socket, &mut following) => return,
    };
    oversight::close(socket, ending).await;
}

async fn send_all(socket: &mut WebSocket, following: &mut Following) {
    loop {
        let message = tokio::select! {
            bytes = following.next() => match bytes {
                Some(bytes) => Message::Binary(bytes),
                None => Message::Close(None),
            },
            () = tokio::time::sleep(KEEP_ALIVE) => Message::Ping(Bytes::new()),
            heard = socket.recv() => match heard {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => continue,
            },
        };
        let last = matches!(message, Message::Close(_));
        match tokio::time::timeout(SEND_TIMEOUT, socket.send(message)).await {
            Ok(Ok(())) if !last => {}
            _ => return,
        }
    }
}

/// Sends the same as a response body: saved to a file, it is a capture.
pub(super) fn body(following: UntilEnded<Following>) -> Response {
    streaming::answer(following, "application/x-protobuf")
}

impl Chunks for Following {
    async fn chunk(&mut self) -> Option<Bytes> {
        self.next().await
    }
}
