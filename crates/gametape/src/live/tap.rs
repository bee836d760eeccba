//! The capturing thread's side: each frame is copied once, into preallocated slots.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gametape_format::{Role, StreamSpec};
use gametape_games::find_game;

use super::LiveTape;
use crate::capture::{EndReason, ObservedFrame, Observer, StopFlag, TapeBegins};
use crate::library::{Inlet, Reuse, Ring, copy_into};

/// Number of slots: some seconds of frames of any game.
pub(crate) const SLOTS: usize = 2048;
/// Maximum memory for queued frames.
pub(crate) const BUDGET_BYTES: usize = 64 << 20;

/// Frames up to this size determine the buffer size of slots. Larger than a page or a row of any game. Texts are larger, and rare.
const COMMON_BYTES: usize = 16 << 10;

/// The tape that a slot belongs to.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) tape: LiveTape,
    pub(crate) streams: Vec<StreamSpec>,
    pub(crate) utc_ns: i64,
    /// Whether the game has laps; `true` for unknown games.
    pub(crate) has_laps: bool,
    /// Number of items of this tape that were dropped because the ring was full.
    pub(crate) skipped: AtomicU64,
}

/// What a slot holds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum What {
    /// A frame of the stream with this index.
    Frame {
        stream: usize,
        /// Whether the tape does not store it because it equals the previous one.
        unchanged: bool,
    },
    /// The end of a gap of this many nanoseconds, in which the game was unavailable.
    Gap(u64),
    /// A wall clock reading.
    Clock(i64),
    /// A user's mark, with its text.
    Mark,
    /// There are no more frames.
    End(EndReason),
    #[default]
    Nothing,
}

/// One item from a recorder. The memory is reused.
#[derive(Default)]
pub(crate) struct Slot {
    pub(crate) tape: Option<Arc<Begun>>,
    pub(crate) what: What,
    pub(crate) time_ns: u64,
    /// Number of items of this tape that were dropped before this one.
    pub(crate) skipped: u64,
    pub(crate) bytes: Vec<u8>,
}

impl Reuse for Slot {
    fn held_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    fn release(&mut self) {
        self.bytes = Vec::new();
    }
}

/// Observes what one recorder records.
pub(crate) struct Tap {
    inlet: Inlet<Slot>,
    /// `None` between tapes, and while nothing is stored: laps need a tape to belong to.
    tape: Option<Arc<Begun>>,
    /// Whether frames of this tape are forwarded.
    takes_frames: bool,
    /// Whether frames of games without laps, and marks, are forwarded too.
    takes_all: bool,
    /// Descriptions that found no free slot, the newest of each stream. A game writes them only once, so they are delivered later.
    owed: Vec<(usize, u64, Vec<u8>)>,
    /// Size of the largest frame so far, up to [`COMMON_BYTES`]. A slot that allocates memory allocates this much, so that any frame fits
    /// into it next time: in steady state nothing is allocated.
    common_bytes: usize,
}

impl Tap {
    /// Creates a tap and its ring. `takes_all`: forward the frames of every game, and marks. `patient`: wait for a free slot instead of
    /// dropping frames, until the flag is set.
    pub(crate) fn new(
        slots: usize,
        budget: usize,
        takes_all: bool,
        patient: Option<StopFlag>,
    ) -> (Self, Arc<Ring<Slot>>) {
        let ring = Arc::new(Ring::new(slots, budget, Slot::default));
        let inlet = Inlet::new(Arc::clone(&ring), patient);
        (Self { inlet, tape: None, takes_frames: true, takes_all, owed: Vec::new(), common_bytes: 0 }, ring)
    }

    /// Adds an item to the ring. Returns whether there was a free slot; if not, the drop is counted.
    fn put(&mut self, what: What, time_ns: u64, bytes: &[u8]) -> bool {
        let filled = self.try_put(what, time_ns, bytes);
        if let Some(tape) = self.tape.as_ref().filter(|_| !filled) {
            tape.skipped.fetch_add(1, Ordering::SeqCst);
        }
        filled
    }

    fn try_put(&mut self, what: What, time_ns: u64, bytes: &[u8]) -> bool {
        let Some(tape) = &self.tape else { return true };
        if bytes.len() <= COMMON_BYTES {
            self.common_bytes = self.common_bytes.max(bytes.len());
        }
        let room = self.common_bytes;
        self.inlet.fill(room.max(bytes.len()), &mut |slot| {
            slot.tape = Some(Arc::clone(tape));
            (slot.what, slot.time_ns) = (what, time_ns);
            slot.skipped = tape.skipped.load(Ordering::SeqCst);
            if slot.bytes.capacity() < bytes.len() {
                slot.bytes.clear();
                slot.bytes.reserve_exact(room.max(bytes.len()));
            }
            copy_into(&mut slot.bytes, bytes);
        })
    }

    /// Delivers the descriptions that found no free slot before.
    fn put_owed(&mut self) {
        while let Some((stream, time_ns, bytes)) = self.owed.pop() {
            // The drop was counted when it happened.
            if !self.try_put(What::Frame { stream, unchanged: false }, time_ns, &bytes) {
                self.owed.push((stream, time_ns, bytes));
                return;
            }
        }
    }

    fn owe(&mut self, stream: usize, time_ns: u64, bytes: &[u8]) {
        let spec = self.tape.as_ref().and_then(|tape| tape.streams.get(stream));
        if spec.is_some_and(|spec| spec.role == Role::Describe) {
            self.owed.retain(|(other, ..)| *other != stream);
            self.owed.push((stream, time_ns, bytes.to_vec()));
        }
    }
}

impl Observer for Tap {
    fn begin(&mut self, tape: &TapeBegins<'_>) {
        let has_laps = find_game(&tape.description.game).is_none_or(|game| game.rules.has_laps());
        self.takes_frames = self.takes_all || has_laps;
        self.owed.clear();
        self.tape = tape.file.map(|(id, path)| {
            Arc::new(Begun {
                tape: LiveTape {
                    id,
                    path: path.to_owned(),
                    game: tape.description.game.clone(),
                    replay_of: tape.replay_of.map(str::to_owned),
                },
                streams: tape.description.streams.clone(),
                utc_ns: tape.utc_ns,
                has_laps,
                skipped: AtomicU64::new(0),
            })
        });
    }

    fn frame(&mut self, frame: &ObservedFrame<'_>) {
        if !self.takes_frames {
            return;
        }
        self.put_owed();
        let ObservedFrame { stream, time_ns, bytes, unchanged } = *frame;
        if !self.put(What::Frame { stream, unchanged }, time_ns, bytes) {
            self.owe(stream, time_ns, bytes);
        }
    }

    fn gap(&mut self, until_ns: u64, length_ns: u64) {
        self.put(What::Gap(length_ns), until_ns, &[]);
    }

    fn clock(&mut self, time_ns: u64, utc_ns: i64) {
        self.put(What::Clock(utc_ns), time_ns, &[]);
    }

    fn mark(&mut self, time_ns: u64, text: &str) {
        if self.takes_all {
            self.put(What::Mark, time_ns, text.as_bytes());
        }
    }

    fn end(&mut self, time_ns: u64, reason: EndReason) {
        self.put(What::End(reason), time_ns, &[]);
        self.tape = None;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::capture::Description;

    fn begin(tap: &mut Tap, id: u8) {
        begin_game(tap, id, "iracing");
    }

    fn begin_game(tap: &mut Tap, id: u8, game: &str) {
        let description = Description::of_game(game);
        let file = Some((gametape_format::TapeId([id; 16]), std::path::Path::new("laps.gtape")));
        tap.begin(&TapeBegins { description: &description, file, utc_ns: 0, replay_of: None });
    }

    #[test]
    fn frames_of_a_game_without_laps_take_no_slots_where_only_laps_are_wanted() {
        for ((mut tap, ring), of_echo, of_iracing) in
            [(Tap::new(4, 1000, false, None), 1, 2), (Tap::new(4, 1000, true, None), 3, 3)]
        {
            for (game, slots) in [("echo-vr", of_echo), ("iracing", of_iracing)] {
                begin_game(&mut tap, 1, game);
                tap.frame(&ObservedFrame::new(0, 1, b"row"));
                tap.mark(1, "here");
                tap.end(2, EndReason::Stopped);
                let mut found = 0;
                while ring.try_empty(&mut |_| found += 1) {}
                assert_eq!(found, slots, "{game}");
            }
        }
    }

    #[test]
    fn what_is_skipped_counts_for_the_tape_that_it_was_of() {
        let (mut tap, ring) = Tap::new(3, 1000, false, None);
        for (id, frames) in [(1, 2), (2, 5)] {
            begin(&mut tap, id);
            (0..frames).for_each(|time_ns| tap.frame(&ObservedFrame::new(0, time_ns, b"row")));
        }
        let mut skipped = Vec::new();
        while ring.try_empty(&mut |slot| {
            let begun = slot.tape.take().unwrap();
            skipped.push((begun.tape.id.0[0], begun.skipped.load(Ordering::SeqCst)));
        }) {}
        assert_eq!(skipped, [(1, 0), (1, 0), (2, 4)]);
    }

    #[test]
    fn what_waits_is_bounded_in_bytes_and_counted_where_it_is_missing() {
        let (mut tap, ring) = Tap::new(SLOTS, 1 << 20, false, None);
        begin(&mut tap, 1);
        (0..10).for_each(|time_ns| tap.frame(&ObservedFrame::new(0, time_ns, &vec![7; 325_000])));
        assert!(ring.held_bytes() <= 1 << 20);
        let mut seen = Vec::new();
        while ring.try_empty(&mut |slot| seen.push((slot.time_ns, slot.skipped))) {}
        tap.frame(&ObservedFrame::new(0, 10, b"row"));
        while ring.try_empty(&mut |slot| seen.push((slot.time_ns, slot.skipped))) {}
        assert_eq!(seen, [(0, 0), (1, 0), (2, 0), (10, 7)]);
    }

    #[test]
    fn a_description_that_found_no_room_is_handed_over_later() {
        let (mut tap, ring) = Tap::new(2, 1000, false, None);
        let mut description = Description::of_game("iracing");
        description.streams = vec![StreamSpec::rows("telemetry"), StreamSpec::rows("text")];
        description.streams[1].role = Role::Describe;
        let file = Some((gametape_format::TapeId([1; 16]), std::path::Path::new("laps.gtape")));
        tap.begin(&TapeBegins { description: &description, file, utc_ns: 0, replay_of: None });
        for (stream, bytes) in [(0, "row 1"), (0, "row 2"), (1, "text 1"), (1, "text 2")] {
            tap.frame(&ObservedFrame::new(stream, 0, bytes.as_bytes()));
        }
        let mut seen = Vec::new();
        let read = |seen: &mut Vec<String>| {
            while ring.try_empty(&mut |slot| seen.push(String::from_utf8_lossy(&slot.bytes).into_owned())) {}
        };
        read(&mut seen);
        tap.frame(&ObservedFrame::new(0, 1, b"row 3"));
        read(&mut seen);
        assert_eq!(seen, ["row 1", "row 2", "text 2", "row 3"]);
    }
}
