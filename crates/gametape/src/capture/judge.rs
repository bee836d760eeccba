//! When a tape begins and ends, and on which tape frames belong: one decision for each look at a source.
//!
//! Takes what a look found and the time; gives a [`Ruling`]. It knows no frames and no files, so that every rule can be tried by
//! itself; [`Driver`](super::driver::Driver) does what it says.
//!
//! ```text
//!            here, and something moved                another session, half a second long
//!  no tape ─────────────────────────────▶ a tape ─────────────────────────────▶ the next tape
//!     ▲                                      │
//!     └────── away too long, or frozen ◀─────┘
//! ```

use std::time::Duration;

use gametape_games::Presence;

use super::options::{EndReason, Split};

/// A game that is away this long has ended. Shorter absences are gaps.
pub(super) const AWAY_GRACE_NS: u64 = 1_500_000_000;
/// A running game of which nothing moves this long has crashed or hangs.
const FROZEN_NS: u64 = 30_000_000_000;
/// In a pause or a replay nothing needs to move. After this long nobody can tell it from a crash.
const FROZEN_IN_PAUSE_NS: u64 = 600_000_000_000;
/// A session must be seen this long before a tape is begun for it: games change their pages one after the other.
const NEW_SESSION_NS: u64 = 500_000_000;

/// What a look found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// `None` if the game is away.
    pub(super) here: Option<Presence>,
    /// Whether something is other than at the look before.
    pub(super) moved: bool,
    /// Which session the game says it is in.
    pub(super) session: Option<u64>,
    /// Whether the tape's file is still being made: such a tape is not left for another.
    pub(super) opening: bool,
    pub(super) now_ns: u64,
}

/// What to do with the frames that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ruling {
    /// There is no tape and no game: they are worth nothing.
    Forget,
    /// There is no tape, and nothing moves: those of the newest look may become the beginning of one.
    Wait,
    /// A tape begins with them.
    Begin,
    /// They belong on the tape.
    Keep,
    /// They belong on the tape, and the game was away before them for this long.
    KeepAfterGap(u64),
    /// It shows later where they belong. What waited before the first of them belongs on the tape.
    Hold,
    /// They are the last ones on the tape.
    End(EndReason),
    /// The tape has ended before those that were held; another begins with them.
    Renew,
    /// The tape has ended before those of this look; the next piece of the session begins with them.
    NextPiece,
}

/// Remembers what the rulings depend on.
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
    /// An absence that is over, until frames after it are kept.
    gap_ns: Option<u64>,
    /// Since when the game says that it is in another session.
    other_since_ns: Option<u64>,
}

impl Judge {
    pub(super) fn new(split: Split, piece: Option<Duration>) -> Self {
        let piece_ns = piece.map(|piece| u64::try_from(piece.as_nanos()).unwrap_or(u64::MAX));
        Self { split, piece_ns, tape: None }
    }

    /// The tape is over for a reason that is not in the looks.
    pub(super) fn tape_ended(&mut self) {
        self.tape = None;
    }

    /// Decides.
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
            // Whichever session it is by now: the old one is over.
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
            // A page that does not move may be all that a game left behind.
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
        // It may come back with the session that began to show.
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
        // A game that does not say for a moment has not changed its session.
        let Some(key) = look.session else { return self.other_since_ns.is_some() };
        *self.session.get_or_insert(key) != key && split == Split::Session
    }
}
