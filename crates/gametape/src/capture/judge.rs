//! Decides when a tape begins and ends, and to which tape frames belong. There is one decision for each read of a source.
//!
//! Takes the result of a read and the time; returns a [`Ruling`]. It does not access frames or files, so that every rule can be
//! tested in isolation. [`Driver`](super::driver::Driver) carries the rulings out.
//!
//! ```text
//!            present, and something moved              another session for half a second
//!  no tape ─────────────────────────────▶ a tape ─────────────────────────────▶ the next tape
//!     ▲                                      │
//!     └───── absent too long, or frozen ◀────┘
//! ```

use std::time::Duration;

use gametape_games::Presence;

use super::options::{EndReason, Split};
use crate::transport::AWAY_GRACE_NS;

/// A live game in which nothing moves for this long has crashed or hangs.
const FROZEN_NS: u64 = 30_000_000_000;
/// Nothing needs to move in a pause or a replay. After this long, it is indistinguishable from a crash.
const FROZEN_IN_PAUSE_NS: u64 = 600_000_000_000;
/// A session must persist this long before a tape is begun for it, because games update their pages one after the other.
const NEW_SESSION_NS: u64 = 500_000_000;

/// The result of one read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// `None` if the game is absent.
    pub(super) here: Option<Presence>,
    /// Whether anything changed since the previous read.
    pub(super) moved: bool,
    /// Key of the session that the game reports.
    pub(super) session: Option<u64>,
    /// Whether the file of the tape is still being created. Such a tape is not replaced by another one.
    pub(super) opening: bool,
    pub(super) now_ns: u64,
}

/// What to do with the queued frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ruling {
    /// No tape and no game: discard them.
    Forget,
    /// No tape, and nothing moves. The frames of the newest read may become the beginning of a tape.
    Wait,
    /// A tape begins with them.
    Begin,
    /// They belong to the tape.
    Keep,
    /// They belong to the tape, after a gap of this many nanoseconds.
    KeepAfterGap(u64),
    /// Undecided. Frames queued before the first of them belong to the tape.
    Hold,
    /// They are the last frames of the tape.
    End(EndReason),
    /// The tape ended before the held frames; a new tape begins with them.
    Renew,
    /// The tape ended before the frames of this read; the next piece of the session begins with them.
    NextPiece,
}

/// The state that rulings depend on.
#[derive(Debug)]
pub(super) struct Judge {
    split: Split,
    piece_ns: Option<u64>,
    tape: Option<OfTape>,
}

#[derive(Debug)]
struct OfTape {
    begun_ns: u64,
    session: Option<u64>,
    moved_ns: u64,
    away_since_ns: Option<u64>,
    /// Length of an absence that is over, until frames after it are kept.
    gap_ns: Option<u64>,
    /// Time since which the game has reported another session.
    other_since_ns: Option<u64>,
}

impl Judge {
    pub(super) fn new(split: Split, piece: Option<Duration>) -> Self {
        let piece_ns = piece.map(|piece| u64::try_from(piece.as_nanos()).unwrap_or(u64::MAX));
        Self { split, piece_ns, tape: None }
    }

    /// Resets the state because the tape ended for a reason that the reads do not show.
    pub(super) fn tape_ended(&mut self) {
        self.tape = None;
    }

    /// Decides what to do with the queued frames after this read.
    pub(super) fn rule(&mut self, look: &Look) -> Ruling {
        let Some(tape) = &mut self.tape else { return self.rule_without_tape(look) };
        if look.moved {
            tape.moved_ns = look.now_ns;
        }
        let Some(presence) = look.here else { return self.rule_away(look.now_ns) };
        if let Some(since_ns) = tape.away_since_ns.take() {
            tape.gap_ns = Some(look.now_ns.saturating_sub(since_ns));
        }
        if tape.is_other_session(look, self.split) {
            let since_ns = *tape.other_since_ns.get_or_insert(look.now_ns);
            // Whichever session it is by now, the old one is over.
            if look.now_ns.saturating_sub(since_ns) < NEW_SESSION_NS || look.opening {
                return Ruling::Hold;
            }
            self.begin(look);
            return Ruling::Renew;
        }
        tape.other_since_ns = None;
        let still_ns = look.now_ns.saturating_sub(tape.moved_ns);
        let frozen = match presence {
            Presence::Live => still_ns >= FROZEN_NS,
            _ => still_ns >= FROZEN_IN_PAUSE_NS && self.split == Split::Session,
        };
        if frozen {
            self.tape = None;
            return Ruling::End(EndReason::Frozen);
        }
        let length_ns = look.now_ns.saturating_sub(tape.begun_ns);
        if self.piece_ns.is_some_and(|piece_ns| length_ns >= piece_ns) && tape.gap_ns.is_none() && !look.opening {
            tape.begun_ns = look.now_ns;
            return Ruling::NextPiece;
        }
        tape.gap_ns.take().map_or(Ruling::Keep, Ruling::KeepAfterGap)
    }

    fn rule_without_tape(&mut self, look: &Look) -> Ruling {
        match (look.here, look.moved) {
            (None, _) => Ruling::Forget,
            // A page that does not change may be a leftover of a game that is gone.
            (Some(_), false) => Ruling::Wait,
            (Some(_), true) => {
                self.begin(look);
                Ruling::Begin
            }
        }
    }

    fn rule_away(&mut self, now_ns: u64) -> Ruling {
        let Some(tape) = &mut self.tape else { return Ruling::Forget };
        let since_ns = *tape.away_since_ns.get_or_insert(now_ns);
        if self.split == Split::Session && now_ns.saturating_sub(since_ns) >= AWAY_GRACE_NS {
            self.tape = None;
            return Ruling::End(EndReason::GameEnded);
        }
        // The game may come back with the session that had begun to show.
        if tape.other_since_ns.is_some() { Ruling::Hold } else { Ruling::Keep }
    }

    fn begin(&mut self, look: &Look) {
        self.tape = Some(OfTape {
            begun_ns: look.now_ns,
            session: look.session,
            moved_ns: look.now_ns,
            away_since_ns: None,
            gap_ns: None,
            other_since_ns: None,
        });
    }
}

impl OfTape {
    fn is_other_session(&mut self, look: &Look, split: Split) -> bool {
        // A game that briefly reports no session has not changed its session.
        let Some(key) = look.session else { return self.other_since_ns.is_some() };
        *self.session.get_or_insert(key) != key && split == Split::Session
    }
}
