//! The events that the tracker emits. Each event carries the current state of its subject.

use super::model::{Conditions, Id, Lap, Sector, Session, Stint, TrackFacts};
use super::standings::CarChange;

/// An event of the tracker.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A session began, or was joined.
    SessionOpened(Session),
    /// More is known about a session than when it opened, such as names that appeared later.
    SessionChanged(Session),
    /// A session ended; [`Session::end`] says why.
    SessionClosed(Session),
    /// Track facts learned in a session. Emitted after its first full lap, and again before it closes.
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
        /// Sector number, from 1.
        number: u8,
        /// The sector.
        sector: Sector,
    },
    /// The car crossed the line; the lap time is the measured one.
    LapProvisional(Lap),
    /// A lap is final.
    LapFinal(Lap),
    /// A lap was aborted: it has no end, or none that counts. Its reasons say why.
    LapAborted(Lap),
    /// A final lap has changed.
    LapAmended(Lap),
    /// The best lap of a driver in the session has changed, or was revoked.
    BestChanged {
        /// The session.
        session: Id,
        /// The driver.
        driver: Option<String>,
        /// The best lap.
        best_lap: Option<Id>,
        /// Its lap time.
        time_ms: Option<u32>,
        /// The theoretical best: the sum of the best sectors.
        theoretical_best_ms: Option<u32>,
    },
    /// Grip, rain, temperatures, tyres or flags have changed.
    ConditionsChanged {
        /// The session.
        session: Id,
        /// Time since the start of the tape.
        at_ns: u64,
        /// The new conditions.
        conditions: Conditions,
    },
    /// Standings or laps of cars have changed, in a game that reports all cars. May follow the end of the session.
    Standings {
        /// The session.
        session: Id,
        /// The cars that have changed.
        cars: Vec<CarChange>,
    },
}
