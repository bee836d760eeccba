//! Decodes rows into lap frames, live and from `.ibt` files.
//!
//! The game's current lap time restarts a second or two late, so it is not used: laps are timed by `SessionTime` at the
//! line crossing. `Lap` counts laps that were begun; it is 0 from the pits to the first line crossing. The only sign
//! that a lap is valid is that it gets a lap time, some seconds after the line.
use super::decode::presence;
use super::ground::Ground;
use super::lap_text::lap_text;
use super::row_vars::RowVar;
use super::session_info::session_info;
use super::session_text::session_text;
use crate::capture::SeenFrame;
use crate::lap_frame::{Identity, LapFrame, Pit, ReadLaps, Validity};
use crate::layout::Layout;
use crate::sample::Geo;
use crate::sane::{count, ms, not_zero};
use crate::session_kind::SessionKind;

/// Time left that the game reports for sessions without a limit: a week.
const UNLIMITED_S: f64 = 604_800.0;
/// The line may be at an angle: positions exceed both ends of a lap by up to this much.
const BEYOND_LINE: f32 = 0.1;
/// `SessionState`: behind the pace car, and racing.
const PARADE: i32 = 3;
const RACING: i32 = 4;
/// Below this speed a car has no reliable course.
const SLOWEST_M_PER_S: f32 = 3.0;
/// `PlayerTrackSurface`.
const NOT_IN_WORLD: i32 = -1;
const OFF_TRACK: i32 = 0;
const PIT_STALL: i32 = 1;

#[derive(Debug, Default)]
pub(super) struct IracingLaps {
    identity: Identity,
    text: String,
    /// `SessionNum` that `kind` belongs to.
    session: Option<i32>,
    kind: Option<SessionKind>,
    layout: Option<u64>,
    vars: LapVars,
    ground: Ground,
}

impl ReadLaps for IracingLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        if frame.stream.ends_with("session-text") {
            self.text = session_text(frame.bytes);
            (self.session, self.kind) = (None, None);
            self.take_text();
            self.identity.stamp(laps);
            return false;
        }
        if frame.stream != "telemetry" {
            return false;
        }
        let layout = frame.layout.fingerprint();
        if self.layout != Some(layout) {
            self.vars = LapVars::of(frame.layout);
            self.layout = Some(layout);
        }
        self.row(frame.bytes, laps);
        true
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl IracingLaps {
    fn take_text(&mut self) {
        let (about, laps) = (session_info(&self.text, None), lap_text(&self.text));
        self.identity.replace_with(Identity {
            game_version: about.game_version,
            track: about.track,
            layout: about.track_layout,
            car: about.car,
            driver: laps.driver,
            online: laps.online,
            sector_starts: laps.sector_starts,
            length_m: laps.length_m,
            validity: Validity::OfficialTime,
            ..Identity::default()
        });
    }

    fn kind_of(&mut self, session: Option<i32>) -> SessionKind {
        if self.kind.is_none() || self.session != session {
            let said = session_info(&self.text, session.map(i64::from)).session_type;
            (self.session, self.kind) = (session, Some(said.map_or(SessionKind::Unknown, |said| kind(&said))));
        }
        self.kind.unwrap_or(SessionKind::Unknown)
    }

    fn row(&mut self, row: &[u8], laps: &mut LapFrame) {
        let session = self.vars.session.whole(row);
        let kind = self.kind_of(session);
        let at = &self.vars;
        let whole = |var: RowVar| var.whole(row).map(i64::from);
        let seconds = |var: RowVar| var.number(row).and_then(|seconds| ms(seconds * 1000.0));
        let [replay, on_track, behind] = [at.is_replay, at.is_on_track, at.replay_frames_behind].map(whole);
        let known = [at.is_on_track.is(row), at.is_on_track_car.is(row)];
        let surface = at.surface.whole(row);
        let in_car = (known == [None; 2] || known.contains(&Some(true))) && surface != Some(NOT_IN_WORLD);
        let state = at.state.whole(row);
        let before_start = kind == SessionKind::Race && state.is_some_and(|state| state < PARADE);
        let position = at.position.f32(row);
        let flags = at.flags.whole(row).map(i32::cast_unsigned);
        let geo =
            Option::zip(at.latitude.number(row), at.longitude.number(row)).filter(|position| *position != (0.0, 0.0));
        let geo = geo.map(|(latitude_deg, longitude_deg)| Geo { latitude_deg, longitude_deg, altitude_m: None });
        *laps = LapFrame {
            presence: presence(replay, on_track, behind),
            counter: whole(at.tick),
            identity: self.identity.revision,
            names: self.identity.names,
            kind,
            session_index: session,
            session_id: whole(at.unique_id).map(i64::cast_unsigned),
            left_ms: at
                .left
                .number(row)
                .filter(|left| (0.0..UNLIMITED_S).contains(left))
                .map(|left| left as f32 * 1000.0),
            time_of_day_s: at.time_of_day.f32(row),
            game_ms: at.session_time.number(row).map(|seconds| seconds * 1000.0),
            laps_completed: at.lap.whole(row).and_then(|lap| count(lap.saturating_sub(1).max(0))),
            last_ms: seconds(at.last).filter(|ms| *ms > 0),
            last_exact: at.last.f32(row).filter(|seconds| *seconds > 0.0).map(f32::to_bits),
            off_track: surface.map(|surface| surface == OFF_TRACK).filter(|_| in_car),
            incidents: at.incidents.whole(row),
            pit: pit(in_car, at.in_stall.is(row), at.on_pit_road.is(row), surface),
            position: position.and_then(within_lap).filter(|_| in_car),
            bad_position: in_car && position.is_some_and(|position| within_lap(position).is_none()),
            world_m: geo.filter(|_| in_car).and_then(|geo| self.ground.metres(&geo)),
            course_rad: course(at, row).filter(|_| in_car),
            // Still, waving, caution, caution waving; red.
            caution: flags.map(|bits| bits & (0x8 | 0x100 | 0x4000 | 0x8000 | 0x10) != 0),
            on_lap: Some(in_car && !before_start),
            before_first_line: kind != SessionKind::Race && is_before_first_line(at.lap.whole(row), position),
            formation: state.map(|state| kind == SessionKind::Race && (PARADE..RACING).contains(&state)),
            speed_kmh: at.speed.f32(row).map(|metres_per_s| metres_per_s * 3.6),
            fuel_l: at.fuel.f32(row).filter(|_| in_car),
            air_celsius: at.air.f32(row).and_then(not_zero),
            track_celsius: at.track.f32(row).and_then(not_zero),
            ..LapFrame::default()
        };
    }
}

fn pit(in_car: bool, in_stall: Option<bool>, on_pit_road: Option<bool>, surface: Option<i32>) -> Option<Pit> {
    if !in_car {
        return Some(Pit::Box);
    }
    let in_stall = in_stall.or(surface.map(|surface| surface == PIT_STALL));
    Pit::of(in_stall, on_pit_road)
}

/// Returns whether the car has not crossed the line yet. `Lap` becomes 1 at the line, or slightly before it if the line
/// is at an angle: the position is still negative then.
fn is_before_first_line(lap: Option<i32>, position: Option<f32>) -> bool {
    match lap {
        Some(0) => true,
        Some(1) => position.is_some_and(|position| (-BEYOND_LINE..0.0).contains(&position)),
        _ => false,
    }
}

/// Wraps a position beyond the line to the other end of the lap.
fn within_lap(position: f32) -> Option<f32> {
    match position {
        position if (0.0..=1.0).contains(&position) => Some(position),
        position if (-BEYOND_LINE..0.0).contains(&position) => Some(position + 1.0),
        position if (1.0..1.0 + BEYOND_LINE).contains(&position) => Some(position - 1.0),
        _ => None,
    }
}

/// Returns the course over ground of a moving car: its heading plus the angle at which it slides. The signs were
/// checked on a recording that also has positions: the heading is clockwise from north, and sliding is positive to the
/// left.
fn course(at: &LapVars, row: &[u8]) -> Option<f32> {
    let (forward, left) = (at.velocity_forward.f32(row)?, at.velocity_left.f32(row)?);
    (forward > SLOWEST_M_PER_S).then_some(at.heading.f32(row)? - left.atan2(forward))
}

fn kind(said: &str) -> SessionKind {
    let said = said.to_lowercase();
    let words = [
        ("race", SessionKind::Race),
        ("qualify", SessionKind::Qualifying),
        ("time trial", SessionKind::TimeTrial),
        ("testing", SessionKind::Test),
        ("practice", SessionKind::Practice),
        ("warmup", SessionKind::Practice),
    ];
    words.into_iter().find(|(word, _)| said.contains(word)).map_or(SessionKind::Unknown, |(_, kind)| kind)
}

/// Variables of a row, looked up by name once per layout.
#[derive(Debug, Clone, Copy, Default)]
struct LapVars {
    tick: RowVar,
    session: RowVar,
    unique_id: RowVar,
    state: RowVar,
    session_time: RowVar,
    left: RowVar,
    time_of_day: RowVar,
    lap: RowVar,
    last: RowVar,
    position: RowVar,
    latitude: RowVar,
    longitude: RowVar,
    heading: RowVar,
    velocity_forward: RowVar,
    velocity_left: RowVar,
    is_on_track: RowVar,
    is_on_track_car: RowVar,
    is_replay: RowVar,
    replay_frames_behind: RowVar,
    surface: RowVar,
    on_pit_road: RowVar,
    in_stall: RowVar,
    incidents: RowVar,
    flags: RowVar,
    speed: RowVar,
    fuel: RowVar,
    air: RowVar,
    track: RowVar,
}

impl LapVars {
    fn of(layout: &Layout) -> Self {
        let at = |name: &str| RowVar::of(layout, name);
        let or = |name: &str, other: &str| if layout.channel(name).is_some() { at(name) } else { at(other) };
        Self {
            tick: at("SessionTick"),
            session: at("SessionNum"),
            unique_id: at("SessionUniqueID"),
            state: at("SessionState"),
            session_time: at("SessionTime"),
            left: at("SessionTimeRemain"),
            time_of_day: at("SessionTimeOfDay"),
            lap: at("Lap"),
            last: at("LapLastLapTime"),
            position: at("LapDistPct"),
            latitude: at("Lat"),
            longitude: at("Lon"),
            heading: at("YawNorth"),
            velocity_forward: at("VelocityX"),
            velocity_left: at("VelocityY"),
            is_on_track: at("IsOnTrack"),
            is_on_track_car: at("IsOnTrackCar"),
            is_replay: at("IsReplayPlaying"),
            replay_frames_behind: at("ReplayFrameNumEnd"),
            surface: at("PlayerTrackSurface"),
            on_pit_road: at("OnPitRoad"),
            in_stall: at("PlayerCarInPitStall"),
            incidents: at("PlayerCarMyIncidentCount"),
            flags: at("SessionFlags"),
            speed: at("Speed"),
            fuel: at("FuelLevel"),
            air: at("AirTemp"),
            track: or("TrackTempCrew", "TrackTemp"),
        }
    }
}
