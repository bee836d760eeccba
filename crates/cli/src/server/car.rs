//! The current state of the car as a message for live clients: only the latest one counts, and none is stored.

use gametape::format::read::Tape;
use gametape::games::{Sample, Wheel};
use gametape::laps::{Lap, Session};
use gametape::live::view::{CarNow, CarSink, Reference, RunningLap};
use gametape::paths::this_machine;
use gametape::store::{Audience, Filter, ListQuery, NameFilter};
use serde::Serialize;

use super::car_feed::About;
use super::state::AppState;

/// Pounds per square inch in a kilopascal. Sim racers use psi.
const PSI_PER_KPA: f32 = 0.145_037_74;

/// Publishes cars to the live clients of the server.
pub(crate) struct PublishCars(pub(crate) AppState);

impl CarSink for PublishCars {
    fn car(&self, car: &CarNow<'_>) {
        let answer = CarAnswer { error: self.0.car.error(), ..CarAnswer::of(car) };
        let about = About {
            tape: answer.tape.clone(),
            session: answer.session.clone(),
            game: answer.game.to_owned(),
            track: answer.track.map(str::to_owned),
            car: answer.car.map(str::to_owned),
            driver: answer.driver.map(str::to_owned),
        };
        // Numbers and texts always serialize.
        let Ok(text) = serde_json::to_string(&Message { kind: "car", data: answer }) else { return };
        let public = self.0.car.is_public(car.session, car.lap.and_then(|lap| lap.driver.as_ref()));
        self.0.car.show(about, text, public);
    }

    fn gone(&self) {
        self.0.car.gone();
    }

    fn failed(&self, part: &'static str) {
        self.0.car.fail(part);
    }

    fn best_ever(&self, session: &Session) -> Option<Reference> {
        let filter = Filter {
            game: Some(session.game.clone()),
            track: session.track.clone().map(NameFilter::Is),
            layout: session.layout.clone().map(NameFilter::Is),
            car: session.car.clone().map(NameFilter::Is),
            driver: session.driver.clone().map(NameFilter::Is),
            ..Filter::default()
        };
        let query = ListQuery { filter, limit: 1, after: None };
        let store = &self.0.store;
        let best = store.bests(&query, Audience::Owner).ok()?.items.into_iter().next()?;
        let best = store.lap(best.lap, Audience::Owner).ok()??;
        let tape = store.tape(best.tape).ok()??;
        let here = tape.place == this_machine() && tape.missing_us.is_none();
        here.then(|| Tape::open(&tape.path).ok()).flatten().and_then(|tape| Reference::of(&tape, &best.lap))
    }
}

#[derive(Serialize)]
struct Message<'a> {
    kind: &'static str,
    data: CarAnswer<'a>,
}

/// The data of a `car` message. Field names are stable.
#[derive(Serialize)]
struct CarAnswer<'a> {
    rig: &'static str,
    state: &'static str,
    at_ns: u64,
    tape: String,
    session: Option<String>,
    game: &'a str,
    track: Option<&'a str>,
    layout: Option<&'a str>,
    car: Option<&'a str>,
    driver: Option<&'a str>,
    lap: Option<RunningAnswer<'a>>,
    last_lap: Option<LastLapAnswer>,
    best_ms: Option<u32>,
    delta_session_ms: Option<i32>,
    best_ever_ms: Option<u32>,
    delta_best_ms: Option<i32>,
    speed_kmh: Option<f32>,
    rpm: Option<f32>,
    rpm_max: Option<f32>,
    gear: Option<i8>,
    throttle: Option<f32>,
    brake: Option<f32>,
    clutch: Option<f32>,
    steering: Option<f32>,
    steering_rad: Option<f32>,
    fuel_l: Option<f32>,
    fuel_per_lap_l: Option<f32>,
    fuel_laps_left: Option<f32>,
    tyres: [TyreAnswer; 4],
    world_m: Option<[f32; 3]>,
    air_c: Option<f32>,
    track_c: Option<f32>,
    race_position: Option<u16>,
    session_left_ms: Option<u32>,
    in_pit_lane: Option<bool>,
    /// A part beside the recording that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct RunningAnswer<'a> {
    id: String,
    number: Option<u32>,
    tape_lap: u32,
    phase: &'static str,
    valid: Option<bool>,
    time_ms: Option<u32>,
    share: Option<f32>,
    sector: Option<u8>,
    sectors_ms: &'a [Option<u32>],
}

#[derive(Serialize)]
struct LastLapAnswer {
    id: String,
    number: Option<u32>,
    time_ms: Option<u32>,
    valid: Option<bool>,
    eligible: bool,
    state: &'static str,
    sectors_ms: Vec<Option<u32>>,
}

#[derive(Serialize)]
struct TyreAnswer {
    core_c: Option<f32>,
    pressure_psi: Option<f32>,
    wear: Option<f32>,
    brake_c: Option<f32>,
}

impl<'a> CarAnswer<'a> {
    fn of(car: &CarNow<'a>) -> Self {
        let (sample, session) = (car.sample, car.session);
        let text = |of: fn(&Session) -> &Option<String>| session.and_then(|session| of(session).as_deref());
        Self {
            rig: "local",
            state: car.state.as_str(),
            at_ns: car.at_ns,
            tape: car.tape.id.to_string(),
            session: session.map(|session| session.id.to_string()),
            game: &car.tape.game,
            track: text(|session| &session.track),
            layout: text(|session| &session.layout),
            car: text(|session| &session.car),
            driver: text(|session| &session.driver),
            lap: car.lap.map(|lap| RunningAnswer::of(lap, car.lap_time_ms, sample)),
            last_lap: car.last_lap.map(LastLapAnswer::of),
            best_ms: car.best_ms,
            delta_session_ms: car.delta_session_ms,
            best_ever_ms: car.best_ever_ms,
            delta_best_ms: car.delta_best_ms,
            speed_kmh: sample.speed_kmh,
            rpm: sample.rpm,
            rpm_max: car.rpm_max,
            gear: sample.gear,
            throttle: sample.throttle,
            brake: sample.brake,
            clutch: sample.clutch,
            steering: sample.steering,
            steering_rad: sample.steering_rad,
            fuel_l: sample.fuel_l,
            fuel_per_lap_l: car.fuel_per_lap_l,
            fuel_laps_left: car.fuel_laps_left,
            tyres: sample.wheels.map(TyreAnswer::of),
            world_m: sample.world_m,
            air_c: sample.air_celsius,
            track_c: sample.track_celsius,
            race_position: sample.race_position,
            session_left_ms: sample.session_left_ms,
            in_pit_lane: sample.in_pit_lane,
            error: None,
        }
    }
}

impl<'a> RunningAnswer<'a> {
    fn of(lap: &'a RunningLap, time_ms: Option<u32>, sample: &Sample) -> Self {
        Self {
            id: lap.id.to_string(),
            number: lap.number,
            tape_lap: lap.tape_lap,
            phase: lap.phase.as_str(),
            valid: sample.lap_is_valid,
            time_ms,
            share: sample.track_position,
            sector: sample.sector,
            sectors_ms: &lap.sectors_ms,
        }
    }
}

impl LastLapAnswer {
    fn of(lap: &Lap) -> Self {
        Self {
            id: lap.id.to_string(),
            number: lap.number,
            time_ms: lap.time_ms,
            valid: lap.valid,
            eligible: lap.eligible,
            state: lap.state.as_str(),
            sectors_ms: lap.sectors.iter().map(|sector| sector.time_ms).collect(),
        }
    }
}

impl TyreAnswer {
    fn of(wheel: Wheel) -> Self {
        Self {
            core_c: wheel.tyre_core_celsius,
            pressure_psi: wheel.pressure_kpa.map(|kpa| kpa * PSI_PER_KPA),
            wear: wheel.tread_left.map(|left| 1.0 - left),
            brake_c: wheel.brake_celsius,
        }
    }
}
