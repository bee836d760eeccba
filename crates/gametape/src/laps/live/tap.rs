//! The capturing thread's end: frames are copied into slots that are there from the start.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gametape_format::StreamSpec;
use gametape_games::find_game;

use super::LiveTape;
use crate::capture::{EndReason, Observer, TapeBegins};
use crate::library::{Inlet, Ring};

/// Memory that a slot keeps: more than a page or a row of any game has. Texts are larger, and seldom.
const MOST_KEPT_BYTES: usize = 16 << 10;

/// The tape that slots belong to.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) tape: LiveTape,
    pub(crate) streams: Vec<StreamSpec>,
    pub(crate) utc_ns: i64,
    /// What of this tape found no slot.
    pub(crate) skipped: AtomicU64,
}

/// What a slot holds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum What {
    /// A frame of the stream with this number.
    Frame(usize),
    /// The game was away until now, for so many nanoseconds.
    Gap(u64),
    /// A reading of the wall clock.
    Clock(i64),
    /// A mark of a user, with its text.
    Mark,
    /// There are no more frames.
    End(EndReason),
    #[default]
    Nothing,
}

/// One thing that a recorder saw. The memory is used again.
#[derive(Default)]
pub(crate) struct Slot {
    pub(crate) tape: Option<Arc<Begun>>,
    pub(crate) what: What,
    pub(crate) time_ns: u64,
    pub(crate) bytes: Vec<u8>,
}

impl Slot {
    /// Slots that held something large give that memory back, on the thread that reads: any of them may get it next.
    pub(crate) fn give_back(&mut self) {
        if self.bytes.capacity() > MOST_KEPT_BYTES {
            self.bytes.clear();
            self.bytes.shrink_to(MOST_KEPT_BYTES);
        }
    }
}

/// Sees what one recorder records.
pub(crate) struct LapTap {
    inlet: Inlet<Slot>,
    /// `None` between tapes, and while nothing is kept: laps need a tape to belong to.
    tape: Option<Arc<Begun>>,
    /// Whether its frames are wanted.
    takes_frames: bool,
    /// For more than laps: frames of games that have none, and marks.
    takes_all: bool,
}

impl LapTap {
    pub(crate) fn new(slots: usize) -> (Self, Arc<Ring<Slot>>) {
        let ring = Arc::new(Ring::new(slots, Slot::default));
        let inlet = Inlet::new(Arc::clone(&ring), None);
        (Self { inlet, tape: None, takes_frames: true, takes_all: false }, ring)
    }

    /// One that takes the frames of every game, and marks.
    pub(crate) fn of_all(slots: usize) -> (Self, Arc<Ring<Slot>>) {
        let (tap, ring) = Self::new(slots);
        (Self { takes_all: true, ..tap }, ring)
    }

    fn put(&mut self, what: What, time_ns: u64, bytes: &[u8]) {
        let Some(tape) = &self.tape else { return };
        let filled = self.inlet.fill(&mut |slot| {
            slot.tape = Some(Arc::clone(tape));
            (slot.what, slot.time_ns) = (what, time_ns);
            slot.bytes.clear();
            slot.bytes.extend_from_slice(bytes);
        });
        if !filled {
            tape.skipped.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Observer for LapTap {
    fn begin(&mut self, tape: &TapeBegins<'_>) {
        let has_laps = find_game(&tape.description.game).is_none_or(|game| game.rules.has_laps());
        self.takes_frames = self.takes_all || has_laps;
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
                skipped: AtomicU64::new(0),
            })
        });
    }

    fn frame(&mut self, stream: usize, time_ns: u64, bytes: &[u8]) {
        if self.takes_frames {
            self.put(What::Frame(stream), time_ns, bytes);
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

    fn begin(tap: &mut LapTap, id: u8) {
        begin_game(tap, id, "iracing");
    }

    fn begin_game(tap: &mut LapTap, id: u8, game: &str) {
        let description = Description::of_game(game);
        let file = Some((gametape_format::TapeId([id; 16]), std::path::Path::new("laps.gtape")));
        tap.begin(&TapeBegins { description: &description, file, utc_ns: 0, replay_of: None });
    }

    #[test]
    fn frames_of_a_game_without_laps_take_no_slots_where_only_laps_are_wanted() {
        for ((mut tap, ring), of_echo, of_iracing) in [(LapTap::new(4), 1, 2), (LapTap::of_all(4), 3, 3)] {
            for (game, slots) in [("echo-vr", of_echo), ("iracing", of_iracing)] {
                begin_game(&mut tap, 1, game);
                tap.frame(0, 1, b"row");
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
        let (mut tap, ring) = LapTap::new(3);
        for (id, frames) in [(1, 2), (2, 5)] {
            begin(&mut tap, id);
            (0..frames).for_each(|time_ns| tap.frame(0, time_ns, b"row"));
        }
        let mut skipped = Vec::new();
        while ring.try_empty(&mut |slot| {
            let begun = slot.tape.take().unwrap();
            skipped.push((begun.tape.id.0[0], begun.skipped.load(Ordering::SeqCst)));
        }) {}
        assert_eq!(skipped, [(1, 0), (1, 0), (2, 4)]);
    }

    #[test]
    fn a_slot_does_not_keep_the_memory_of_a_text() {
        let (mut tap, ring) = LapTap::new(4);
        begin(&mut tap, 1);
        for bytes in [600_000, 8_000] {
            tap.frame(0, 0, &vec![7; bytes]);
            let mut kept = 0;
            ring.try_empty(&mut |slot| {
                assert_eq!(slot.bytes.len(), bytes);
                slot.give_back();
                kept = slot.bytes.capacity();
            });
            assert!((8_000..=MOST_KEPT_BYTES).contains(&kept), "{kept}");
        }
    }
}
