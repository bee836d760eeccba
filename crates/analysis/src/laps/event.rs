//! What the tracker tells while frames go through it. Each event carries what it is about as it stands then.

use super::model::{Conditions, Id, Lap, Sector, Session, Stint, TrackFacts};

/// Something happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A session began, or was joined.
    SessionOpened(Session),
    /// More is known of a session than when it opened: names that came later.
    SessionChanged(Session),
    /// A session ended; [`Session::end`] says why.
    SessionClosed(Session),
    /// What a session taught about its track: told when its first whole lap is driven, and again before it closes.
    TrackLearned(TrackFacts),
    /// A stint began.
    StintOpened {
        /// Its session.
        session: Id,
        /// The stint.
        stint: Stint,
    },
    /// A stint ended.
    StintClosed {
        /// Its session.
        session: Id,
        /// The stint.
        stint: Stint,
    },
    /// A lap began.
    LapOpened(Lap),
    /// A sector of the running lap ended.
    SectorClosed {
        /// Its lap.
        lap: Id,
        /// From 1.
        number: u8,
        /// The sector.
        sector: Sector,
    },
    /// The line was crossed; the time is the measured one.
    LapProvisional(Lap),
    /// A lap is done.
    LapFinal(Lap),
    /// A lap has no end, or none that counts; its reasons say why.
    LapAborted(Lap),
    /// Something about a lap that was done has changed.
    LapAmended(Lap),
    /// Another lap is the best of a driver in the session, or none is any more.
    BestChanged {
        /// The session.
        session: Id,
        /// Whose best.
        driver: Option<String>,
        /// The best lap.
        best_lap: Option<Id>,
        /// Its time.
        time_ms: Option<u32>,
        /// The sum of the best sectors.
        theoretical_best_ms: Option<u32>,
    },
    /// Grip, rain, temperatures, tyres or flags are others now.
    ConditionsChanged {
        /// The session.
        session: Id,
        /// When.
        at_ns: u64,
        /// What it is now.
        conditions: Conditions,
    },
}
