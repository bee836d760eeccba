//! The document that `gametape laps --json` prints, and what its table needs beside it. Field names are stable: other programs rely on them.

use gametape::analysis::documents::SessionDocument;
use gametape::laps::{Lap, TrackedSession};
use serde::Serialize;

use crate::server::CarStandingAnswer;

/// The document.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) sessions: Vec<ReportSession>,
}

/// A session.
#[derive(Debug, Serialize)]
pub(crate) struct ReportSession {
    #[serde(flatten)]
    pub(crate) document: SessionDocument,
    /// All cars, with `--all-cars`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cars: Option<Vec<CarStandingAnswer>>,
    /// For tables: the best lap and the best sectors of all laps, including those that a filter removes.
    #[serde(skip)]
    pub(crate) bests: Bests,
    /// For people: names given by users.
    #[serde(skip)]
    pub(crate) names: Names,
}

/// The bests of a session.
#[derive(Debug, Default)]
pub(crate) struct Bests {
    /// Number on the tape, and time.
    pub(crate) lap: Option<(u32, Option<u32>)>,
    pub(crate) sectors_ms: Vec<Option<u32>>,
}

impl Bests {
    fn of(laps: &[Lap], best: Option<&Lap>) -> Self {
        let eligible = || laps.iter().filter(|lap| lap.eligible);
        let sectors = eligible().map(|lap| lap.sectors.len()).max().unwrap_or(0);
        let of_sector = |index: usize| eligible().filter_map(|lap| lap.sectors.get(index)?.time_ms).min();
        Self { lap: best.map(|lap| (lap.tape_lap, lap.time_ms)), sectors_ms: (0..sectors).map(of_sector).collect() }
    }
}

/// Names that users gave to tracks, cars and drivers.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) track: Option<String>,
    pub(crate) car: Option<String>,
    pub(crate) driver: Option<String>,
}

impl ReportSession {
    pub(crate) fn of(tracked: &TrackedSession) -> Self {
        let best = tracked.session.best_lap.and_then(|best| tracked.laps.iter().find(|lap| lap.id == best));
        Self {
            document: SessionDocument::of(tracked),
            cars: None,
            bests: Bests::of(&tracked.laps, best),
            names: Names::default(),
        }
    }
}
