//! Sessions, stints, laps and sectors.
//!
//! The tracker and the data model are pure functions and types of [`gametape_analysis::laps`], which is re-exported here. [`crate::live`] runs
//! the tracker during a recording.

#[cfg(test)]
pub(crate) mod tests;

pub use gametape_analysis::laps::*;

#[cfg(test)]
mod end_reasons {
    use super::{SessionEnd, end_of_reason};
    use crate::capture::EndReason;

    #[test]
    fn d1_d2_d10_a_session_that_has_a_tape_of_its_own_ends_for_the_reason_that_the_next_tape_began() {
        for (tape, session) in [
            (EndReason::GameEnded, SessionEnd::Game),
            (EndReason::NewSession, SessionEnd::IndexChange),
            (EndReason::NewSessionType, SessionEnd::TypeChange),
            (EndReason::NewCar, SessionEnd::CarChange),
            (EndReason::NewTrack, SessionEnd::TrackChange),
            (EndReason::Stopped, SessionEnd::ToolStop),
            (EndReason::Frozen, SessionEnd::StreamEnd),
            (EndReason::SourceFailed, SessionEnd::StreamEnd),
        ] {
            assert_eq!(end_of_reason(tape.as_str()), session, "{tape:?}");
        }
    }
}
