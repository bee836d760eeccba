//! Reads a tape ahead of the player on a separate thread, because decoding a block takes longer than a tick.
//!
//! ```text
//! player ── Seek ──▶ [thread] ── Chunk: Begin, frames at that time, frames …, End ──▶ player
//! ```
//! A seek uses the index, so its cost does not grow with the length of the tape. Chunks are bounded in number and size.

use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread::JoinHandle;

use super::chunk::{Chunk, Item};
use super::error::PlayError;
use crate::format::read::{Frames, ReadError, Tape, TapeStream};
use crate::transport::{Entry, Lookahead, Part};

/// A chunk is sent once it has this many frames or bytes.
const CHUNK_FRAMES: usize = 64;
const CHUNK_BYTES: usize = 256 << 10;
/// Maximum number of chunks that are read ahead.
const CHUNKS: usize = 8;
/// Frames this close to the beginning belong to it: a recorder copies the pages of one tick one after the other.
const ONE_MOMENT_NS: u64 = 1_000_000;

/// What to read.
pub(super) struct Plan {
    pub(super) parts: Vec<Part>,
    /// Links frames to those that follow them, if the game needs it.
    pub(super) lookahead: Option<Box<dyn Lookahead>>,
    /// The range of tape times to play.
    pub(super) times: Range<u64>,
    /// Time until which the last frame is shown.
    pub(super) end_ns: u64,
    pub(super) looping: bool,
}

struct Seek {
    generation: u64,
    to_ns: u64,
}

/// A handle to the reading thread.
pub(super) struct Prefetch {
    seeks: Sender<Seek>,
    chunks: Receiver<Result<Chunk, ReadError>>,
    generation: u64,
    /// Taken once the thread is known to have ended.
    thread: Option<JoinHandle<()>>,
}

impl Prefetch {
    /// Starts reading at the beginning of the range.
    pub(super) fn start(tape: Arc<Tape>, plan: Plan) -> Result<Self, PlayError> {
        Self::spawn(move |seeks, give| read(&tape, plan, seeks, give))
    }

    fn spawn(
        read: impl FnOnce(&Receiver<Seek>, &SyncSender<Result<Chunk, ReadError>>) + Send + 'static,
    ) -> Result<Self, PlayError> {
        let (seeks, seek) = channel();
        let (give, chunks) = sync_channel(CHUNKS);
        let thread = std::thread::Builder::new().name("gametape-prefetch".into());
        let thread = thread.spawn(move || read(&seek, &give)).map_err(PlayError::Thread)?;
        Ok(Self { seeks, chunks, generation: 0, thread: Some(thread) })
    }

    /// Seeks to another time. Chunks that were read ahead are discarded.
    pub(super) fn seek(&mut self, to_ns: u64) {
        self.generation += 1;
        // If the thread has ended, `next` reports it.
        let _ = self.seeks.send(Seek { generation: self.generation, to_ns });
    }

    /// Returns the next chunk; blocks until it is available. The thread lives as long as `self`, even after the end of the tape, so
    /// a thread that has ended is an error.
    pub(super) fn next(&mut self) -> Result<Chunk, PlayError> {
        loop {
            match self.chunks.recv() {
                Ok(Ok(chunk)) if chunk.generation < self.generation => {}
                Ok(chunk) => return Ok(chunk?),
                Err(_) => return Err(PlayError::ReaderDied { why: self.why_it_died() }),
            }
        }
    }

    fn why_it_died(&mut self) -> String {
        let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) else { return "it has ended".into() };
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        text.map_or_else(|| "it panicked".into(), |text| format!("it panicked: {text}"))
    }

    /// Returns a reader that sends these items and then panics.
    #[cfg(test)]
    fn dying_after(items: Vec<Item>) -> Self {
        Self::spawn(move |_, give| {
            let mut chunk = Chunk::default();
            chunk.items = items;
            give.send(Ok(chunk)).unwrap();
            panic!("a defect in the reader");
        })
        .unwrap()
    }
}

/// Why reading stops.
enum Stop {
    /// A seek was requested.
    Seek(Seek),
    /// The receiver is gone, or an error was sent.
    Over,
}

fn read(tape: &Tape, mut plan: Plan, seeks: &Receiver<Seek>, give: &SyncSender<Result<Chunk, ReadError>>) {
    let streams: Vec<(usize, Part, &TapeStream)> = plan
        .parts
        .iter()
        .enumerate()
        .filter_map(|(index, part)| Some((index, *part, tape.stream(part.stream)?)))
        .collect();
    let cursors = streams.iter().map(|(index, part, stream)| Cursor {
        part: *index,
        rank: part.rank,
        is_message: part.is_message,
        frames: tape.frames(stream),
    });
    let cursors = cursors.collect();
    let lookahead = plan.lookahead.take();
    let mut reader =
        Reader { plan: &plan, cursors, lookahead, released: Vec::new(), seeks, give, chunk: Chunk::default() };
    let mut seek = Seek { generation: 0, to_ns: plan.times.start };
    loop {
        match reader.pass(&seek) {
            Ok(Stop::Seek(next)) => seek = next,
            Ok(Stop::Over) => return,
            Err(error) => {
                let _ = give.send(Err(error));
                return;
            }
        }
    }
}

struct Cursor<'a> {
    part: usize,
    rank: u8,
    is_message: bool,
    frames: Frames<'a>,
}

struct Reader<'a> {
    plan: &'a Plan,
    cursors: Vec<Cursor<'a>>,
    lookahead: Option<Box<dyn Lookahead>>,
    /// Frames that the lookahead releases; empty in between.
    released: Vec<Entry>,
    seeks: &'a Receiver<Seek>,
    give: &'a SyncSender<Result<Chunk, ReadError>>,
    chunk: Chunk,
}

impl Reader<'_> {
    /// Reads from a position to the end, and again from the start when looping.
    fn pass(&mut self, seek: &Seek) -> Result<Stop, ReadError> {
        let mut from_ns = seek.to_ns.clamp(self.plan.times.start, self.plan.times.end);
        loop {
            self.chunk = Chunk::new(seek.generation);
            self.chunk.items.push(Item::Begin { at_ns: from_ns });
            self.place(from_ns)?;
            // Send what is shown immediately without waiting for later frames.
            let mut full = true;
            loop {
                if full
                    && self.lookahead.as_ref().is_none_or(|lookahead| lookahead.is_empty())
                    && let Some(stop) = self.send()
                {
                    return Ok(stop);
                }
                if !self.read_frame()? {
                    break;
                }
                full = self.chunk.items.len() >= CHUNK_FRAMES || self.chunk.len() >= CHUNK_BYTES;
            }
            if let Some(lookahead) = &mut self.lookahead {
                lookahead.release(&mut self.released);
                self.chunk.items.extend(self.released.drain(..).map(Item::Frame));
            }
            self.chunk.items.push(Item::End { at_ns: self.plan.end_ns });
            if let Some(stop) = self.send() {
                return Ok(stop);
            }
            if !self.plan.looping {
                return Ok(self.seeks.recv().map_or(Stop::Over, Stop::Seek));
            }
            from_ns = self.plan.times.start;
        }
    }

    /// Positions all streams at `at_ns`. The frames shown at that time are queued first, followed by later ones.
    fn place(&mut self, at_ns: u64) -> Result<(), ReadError> {
        if let Some(lookahead) = &mut self.lookahead {
            lookahead.restart();
        }
        let mut shown = Vec::new();
        for cursor in &mut self.cursors {
            if cursor.is_message {
                cursor.seek_time(at_ns, &mut self.chunk)?;
                continue;
            }
            let mut found = cursor.seek(at_ns, &mut self.chunk)?;
            if !found {
                // If the first frame follows shortly, it belongs to the beginning.
                let first_ns = cursor.peek(&mut self.chunk)?;
                let soon_ns = at_ns.saturating_add(ONE_MOMENT_NS).min(self.plan.times.end);
                found = first_ns.is_some_and(|first_ns| first_ns < soon_ns);
            }
            if found && let Some(frame) = cursor.frames.next()? {
                shown.push((cursor.rank, self.chunk.keep(cursor.part, frame.time_ns, true, frame.data)));
            }
        }
        shown.sort_by_key(|(rank, _)| *rank);
        shown.into_iter().for_each(|(_, entry)| self.put(entry));
        Ok(())
    }

    /// Reads the next frame. Returns `false` at the end of the range.
    fn read_frame(&mut self) -> Result<bool, ReadError> {
        let mut first: Option<(u64, u8, usize)> = None;
        for (index, cursor) in self.cursors.iter_mut().enumerate() {
            if let Some(time_ns) = cursor.peek(&mut self.chunk)? {
                let candidate = (time_ns, cursor.rank, index);
                first = Some(first.map_or(candidate, |first| first.min(candidate)));
            }
        }
        let Some((time_ns, _, index)) = first.filter(|(time_ns, ..)| *time_ns < self.plan.times.end) else {
            return Ok(false);
        };
        let Some(cursor) = self.cursors.get_mut(index) else { return Ok(false) };
        let Some(frame) = cursor.frames.next()? else { return Ok(false) };
        let entry = self.chunk.keep(cursor.part, time_ns, false, frame.data);
        self.put(entry);
        Ok(true)
    }

    fn put(&mut self, entry: Entry) {
        let Some(lookahead) = &mut self.lookahead else {
            self.chunk.items.push(Item::Frame(entry));
            return;
        };
        let bytes = if lookahead.reads(entry.part) { self.chunk.bytes(&entry) } else { &[] };
        lookahead.take(entry, bytes, &mut self.released);
        self.chunk.items.extend(self.released.drain(..).map(Item::Frame));
    }

    /// Sends the chunk. Returns why reading should stop, if it should.
    fn send(&mut self) -> Option<Stop> {
        let next = Chunk::new(self.chunk.generation);
        if self.give.send(Ok(std::mem::replace(&mut self.chunk, next))).is_err() {
            return Some(Stop::Over);
        }
        let mut newest = None;
        loop {
            match self.seeks.try_recv() {
                Ok(seek) => newest = Some(Stop::Seek(seek)),
                Err(TryRecvError::Empty) => return newest,
                Err(TryRecvError::Disconnected) => return Some(Stop::Over),
            }
        }
    }
}

impl Cursor<'_> {
    /// Seeks to the frame shown at `at_ns`. If there is none, seeks to the first frame after it and returns `false`.
    fn seek(&mut self, at_ns: u64, chunk: &mut Chunk) -> Result<bool, ReadError> {
        match self.frames.seek_last_before(at_ns) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(error) => tell_damage(error, chunk)?,
        }
        self.seek_time(at_ns, chunk)?;
        Ok(false)
    }

    /// Seeks to the first frame at or after `at_ns`.
    fn seek_time(&mut self, at_ns: u64, chunk: &mut Chunk) -> Result<(), ReadError> {
        match self.frames.seek_time(at_ns) {
            Ok(()) => Ok(()),
            Err(error) => tell_damage(error, chunk),
        }
    }

    /// Returns the time of the next readable frame.
    fn peek(&mut self, chunk: &mut Chunk) -> Result<Option<u64>, ReadError> {
        loop {
            match self.frames.peek() {
                Ok(time_ns) => return Ok(time_ns),
                // The next call continues after the damage.
                Err(error) => tell_damage(error, chunk)?,
            }
        }
    }
}

/// Reports damage, which costs only its frames. Any other error is returned.
fn tell_damage(error: ReadError, chunk: &mut Chunk) -> Result<(), ReadError> {
    match error {
        ReadError::Damaged(problem) => {
            let frames = problem.frames_lost.unwrap_or(0);
            chunk.items.push(Item::Damage { frames, text: problem.to_string() });
            Ok(())
        }
        error => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::playing::{Around, Begun, Playing};
    use super::*;

    use crate::transport::{Shown, Stage, StageError};

    struct NoStage;

    impl Stage for NoStage {
        fn show(&mut self, _: &Entry, _: &[u8]) -> Result<Shown, StageError> {
            Ok(Shown::Step)
        }
        fn jump(&mut self) {}
        fn leave(&mut self) -> Result<(), StageError> {
            Ok(())
        }
        fn remove(self: Box<Self>) -> Result<(), StageError> {
            Ok(())
        }
    }

    fn playing(items: Vec<Item>, looping: bool) -> Playing {
        let prefetch = Prefetch::dying_after(items);
        Playing::new(Begun {
            game_id: crate::games::acc::GAME.id.into(),
            game: &crate::games::acc::GAME,
            stage: Box::new(NoStage),
            around: Around { marker: None, simapi: None, http: None },
            prefetch,
            decoded: Vec::new(),
            times: 0..1_000_000,
            end_ns: 1_000_000,
            speed: 1.0,
            looping,
            notes: Vec::new(),
        })
    }

    #[test]
    fn a_reader_that_dies_is_an_error_and_not_the_end_of_the_tape() {
        for (looping, items) in [
            (false, vec![Item::Begin { at_ns: 0 }]),
            (true, vec![Item::Begin { at_ns: 0 }, Item::End { at_ns: 0 }]),
            (false, Vec::new()),
        ] {
            let mut playing = playing(items.clone(), looping);
            let error = playing.run().unwrap_err();
            assert!(error.to_string().contains("it panicked: a defect in the reader"), "{error}");
            // A caller that retries, such as a server that loops, gets the error again.
            playing.seek(Duration::ZERO);
            assert!(matches!(playing.run(), Err(PlayError::ReaderDied { .. })));
            assert!(matches!(playing.step(), Err(PlayError::ReaderDied { .. })));
        }
    }
}
