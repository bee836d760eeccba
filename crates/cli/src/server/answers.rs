//! Response bodies: pages of anything, and sessions. Field names are stable; those of sessions and laps match `gametape laps --json`.

use gametape::laps::Stint;
use gametape::store::{SessionDetail, StoredSession};
use serde::Serialize;
use utoipa::ToSchema;

use super::lap_answer::LapAnswer;
use super::list_answers::{BestAnswer, DayAnswer, DrivenAnswer, DriverAnswer, TapeAnswer};
use super::times;

/// A page of items.
macro_rules! page {
    ($name:ident, $field:ident, $item:ty, $text:literal) => {
        #[doc = $text]
        #[derive(Debug, Serialize, ToSchema)]
        pub(super) struct $name {
            /// The items of this page.
            pub(super) $field: Vec<$item>,
            /// `cursor` of the next page; `null` on the last one.
            pub(super) next: Option<String>,
        }
    };
}

page!(SessionPage, sessions, SessionAnswer, "Sessions, newest first.");
page!(LapPage, laps, LapAnswer, "Laps.");
page!(BestPage, bests, BestAnswer, "Bests by track, fastest first.");
page!(TrackPage, tracks, DrivenAnswer, "Tracks by name.");
page!(CarPage, cars, DrivenAnswer, "Cars by name.");
page!(DriverPage, drivers, DriverAnswer, "Drivers by name.");
page!(ProgressPage, days, DayAnswer, "Days by track and car, oldest first.");
page!(TapePage, tapes, TapeAnswer, "Tapes, newest first.");

/// A session.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SessionAnswer {
    pub(super) id: String,
    pub(super) tape_id: String,
    pub(super) game: String,
    pub(super) game_version: Option<String>,
    pub(super) r#type: &'static str,
    pub(super) track: Option<String>,
    pub(super) track_name: Option<String>,
    pub(super) layout: Option<String>,
    pub(super) car: Option<String>,
    pub(super) car_name: Option<String>,
    pub(super) driver: Option<String>,
    pub(super) driver_name: Option<String>,
    pub(super) online: Option<bool>,
    pub(super) started_utc: Option<String>,
    pub(super) ended_utc: Option<String>,
    /// `null` while it is running.
    pub(super) end_reason: Option<&'static str>,
    pub(super) sector_count: Option<u8>,
    /// Id of the best lap of its driver.
    pub(super) best_lap: Option<String>,
    pub(super) best_ms: Option<u32>,
    pub(super) theoretical_best_ms: Option<u32>,
    pub(super) lap_count: u32,
    pub(super) remark: Option<String>,
    /// Its laps are someone else's: they come from a lap file, and count for no personal best.
    pub(super) foreign: bool,
    pub(super) name: Option<String>,
    pub(super) note: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) deleted_utc: Option<String>,
    /// Id of the session that this one continues, if the recorder was restarted in between.
    pub(super) continues: Option<String>,
    /// Only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stints: Option<Vec<StintAnswer>>,
    /// Only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) laps: Option<Vec<LapAnswer>>,
}

impl From<StoredSession> for SessionAnswer {
    fn from(found: StoredSession) -> Self {
        let session = found.session;
        Self {
            id: session.id.to_string(),
            tape_id: session.tape.to_string(),
            game: session.game,
            game_version: session.game_version,
            r#type: session.kind.as_str(),
            track: session.track,
            track_name: found.track_name,
            layout: session.layout,
            car: session.car,
            car_name: found.car_name,
            driver: session.driver,
            driver_name: found.driver_name,
            online: session.online,
            started_utc: times::text(session.started_utc_us),
            ended_utc: times::text(session.ended_utc_us),
            end_reason: session.end.map(|end| end.as_str()),
            sector_count: session.sector_count,
            best_lap: session.best_lap.map(|id| id.to_string()),
            best_ms: found.best_ms,
            theoretical_best_ms: session.theoretical_best_ms,
            lap_count: found.lap_count,
            remark: session.remark,
            foreign: session.foreign,
            name: found.remarks.name,
            note: found.remarks.note,
            tags: found.remarks.tags,
            deleted_utc: times::text(found.remarks.deleted_us),
            continues: found.continues.map(|id| id.to_string()),
            stints: None,
            laps: None,
        }
    }
}

impl From<SessionDetail> for SessionAnswer {
    fn from(found: SessionDetail) -> Self {
        let best_ms = found.session.best_ms;
        let laps = found.laps.into_iter().map(|lap| LapAnswer::of(lap, best_ms)).collect();
        let stints = found.stints.into_iter().map(StintAnswer::from).collect();
        Self { stints: Some(stints), laps: Some(laps), ..Self::from(found.session) }
    }
}

/// A stint: a run between two stops.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StintAnswer {
    n: u32,
    start_reason: &'static str,
    end_reason: Option<&'static str>,
    first_lap: Option<u32>,
    last_lap: Option<u32>,
    driver: Option<String>,
    fuel_start_l: Option<f32>,
    fuel_end_l: Option<f32>,
}

impl From<Stint> for StintAnswer {
    fn from(stint: Stint) -> Self {
        Self {
            n: stint.n,
            start_reason: stint.start.as_str(),
            end_reason: stint.end.map(|end| end.as_str()),
            first_lap: stint.first_lap,
            last_lap: stint.last_lap,
            driver: stint.driver,
            fuel_start_l: stint.fuel_start_l,
            fuel_end_l: stint.fuel_end_l,
        }
    }
}
