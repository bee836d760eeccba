//! Decodes datagrams into lap frames.
//!
//! A lap ends when `LapNumber` rises, with its time in `LastLap`. The last lap of a race does not raise `LapNumber`. It has ended when
//!
//! 1. `LastLap` changes to the time that `CurrentLap` had reached,
//! 2. `DistanceTraveled` falls to 0 while the car stays where it is (point-to-point events of Horizon), or
//! 3. `CurrentRaceTime` stands still for 1.5 s while the game is not paused.
//!
//! In the last two cases the lap time is the value that `CurrentLap` had reached. If the game stops sending at the line, the lap stays open. There
//! are no sectors, no validity and no track position. Free roam in Horizon is not a session.
//!
//! A rewind takes the clocks and `LapNumber` back, at once or step by step.
use super::clock::{RaceClock, Step};
use super::names::{car_text, track_name};
use super::packet::{CURRENT_LAP, CarId, DISTANCE, LAST_LAP, Packet, RACE_POSITION, RACE_TIME, SPEED};
use super::{DATA_OUT, Series};
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::{BackInTime, Identity, LapFrame, ReadLaps};
use crate::sane::{finite, ms};
use crate::session_kind::SessionKind;

/// The remark on sessions in the format that has only the car.
const SLED_ONLY: &str = "the Sled format has no laps: choose the Dash format in the game's menu";
/// How near `LastLap` is to the time that `CurrentLap` had reached in the previous frame.
const SAME_TIME_S: f32 = 1.0;
/// A race clock that stands still for this long has been stopped by the finish.
const STOPPED_MS: u32 = 1_500;
/// Shortest lap that ends without `LapNumber`: a clock that stands still before the start is not a finish.
const SHORTEST_LAP_S: f32 = 10.0;
/// A distance that falls from more than this to less than [`RESET_M`] was reset.
const RESET_FROM_M: f32 = 100.0;
const RESET_M: f32 = 1.0;
/// At a finish the car is still near where it was; a fast travel moves it.
const SAME_PLACE_M: f32 = 50.0;
/// Clocks that go back by at most this much have not been rewound: a datagram was overtaken by the next one.
const OVERTAKEN_MS: f64 = 100.0;
/// Longest step over which a speed is added up to a distance.
const LONGEST_STEP_S: f32 = 1.0;

#[derive(Debug)]
pub(super) struct ForzaLaps {
    series: Series,
    identity: Identity,
    /// What the identity was made of.
    named: Option<(Option<CarId>, Option<i32>, bool)>,
    clock: RaceClock,
    before: Option<Before>,
    /// `LapNumber` of the lap that ended without raising it, and its time in seconds.
    finish: Option<(u16, f32)>,
    kind: SessionKind,
    driven_m: f32,
    /// How far the clock has gone back since it last ran forwards.
    back_ms: f64,
    rewinds: u32,
}

/// The previous frame in an event.
#[derive(Debug, Clone, Copy)]
struct Before {
    lap: u16,
    last_s: f32,
    current_s: f32,
    distance: f32,
    world_m: Option<[f32; 3]>,
}

impl ForzaLaps {
    pub(super) fn new(series: Series) -> Self {
        Self {
            series,
            identity: Identity::default(),
            named: None,
            clock: RaceClock::default(),
            before: None,
            finish: None,
            kind: SessionKind::Unknown,
            driven_m: 0.0,
            back_ms: 0.0,
            rewinds: 0,
        }
    }
}

impl ReadLaps for ForzaLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        let Some(packet) = Packet::of(self.series, frame.bytes).filter(|_| frame.stream == DATA_OUT) else {
            return false;
        };
        if packet.is_race_on() {
            self.name(packet);
            self.driving(packet, laps);
        } else {
            self.clock.pause(packet.timestamp_ms());
            laps.presence = Presence::Paused;
        }
        self.identity.stamp(laps);
        true
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl ForzaLaps {
    fn driving(&mut self, packet: Packet<'_>, laps: &mut LapFrame) {
        let speed_kmh = packet.dash(SPEED).map(|speed| speed * 3.6).and_then(finite);
        let Some(now) = before_of(packet) else {
            *laps = LapFrame { presence: Presence::Live, ..LapFrame::default() };
            return;
        };
        if self.is_reset(packet, &now) {
            let before = self.before.replace(now);
            let (lap, time_s) = before.map_or((0, 0.0), |before| (before.lap, before.current_s));
            self.finish = Some((lap, time_s));
            // The clocks of the event may be gone already. The timer falls, and the lap is counted.
            *laps = LapFrame {
                presence: Presence::Live,
                laps_completed: Some(u32::from(lap) + 1),
                running_ms: Some(0),
                last_ms: ms(f64::from(time_s) * 1000.0),
                last_exact: Some(time_s.to_bits()),
                ..*laps
            };
            return;
        }
        if !packet.is_event() {
            self.leave();
            *laps = LapFrame { presence: Presence::Off, world_m: now.world_m, speed_kmh, ..LapFrame::default() };
            return;
        }
        self.step(packet, &now);
        let finish = self.finish.filter(|(lap, _)| *lap == now.lap);
        let last_s = finish.map_or(now.last_s, |(_, time_s)| time_s);
        *laps = LapFrame {
            presence: Presence::Live,
            kind: self.kind,
            game_ms: self.clock.ms(),
            laps_completed: Some(u32::from(now.lap) + u32::from(finish.is_some())),
            running_ms: ms(f64::from(now.current_s) * 1000.0),
            last_ms: ms(f64::from(last_s) * 1000.0).filter(|ms| *ms > 0),
            last_exact: (last_s > 0.0).then_some(last_s.to_bits()),
            distance_m: Some(if self.series == Series::Motorsport { now.distance } else { self.driven_m }),
            world_m: now.world_m,
            speed_kmh,
            back_in_time: Some(BackInTime::Rewinds(self.rewinds)),
            ..LapFrame::default()
        };
        self.before = Some(now);
    }

    /// Compares a frame of an event with the previous one.
    fn step(&mut self, packet: Packet<'_>, now: &Before) {
        let before_ms = self.clock.ms();
        let race_s = packet.dash(RACE_TIME).unwrap_or(0.0);
        match self.clock.step(race_s, packet.timestamp_ms()) {
            Step::Restarted => {
                let clock = std::mem::take(&mut self.clock);
                self.leave();
                self.clock = clock;
            }
            Step::Stands(stood_ms) => {
                let over = stood_ms >= STOPPED_MS && now.current_s >= SHORTEST_LAP_S;
                if over && self.finish.is_none_or(|(lap, _)| lap != now.lap) {
                    self.finish = Some((now.lap, now.current_s));
                }
            }
            Step::Ran => self.back_ms = 0.0,
            Step::Rewound(by_ms) => {
                self.back_ms += by_ms;
                if self.back_ms > OVERTAKEN_MS {
                    self.rewinds = self.rewinds.wrapping_add(1);
                    // What went back is not compared with what was before. A finish may have been undone.
                    (self.before, self.finish) = (None, None);
                }
            }
        }
        if let Some((from_ms, to_ms)) = Option::zip(before_ms, self.clock.ms()) {
            let seconds = ((to_ms - from_ms) / 1000.0) as f32;
            if (0.0..LONGEST_STEP_S).contains(&seconds) {
                self.driven_m += packet.dash(SPEED).unwrap_or(0.0) * seconds;
            }
        }
        if let Some(before) = self.before
            && before.lap == now.lap
            && now.last_s != before.last_s
            && (now.last_s - before.current_s).abs() <= SAME_TIME_S
        {
            self.finish = Some((now.lap, now.last_s));
        }
        // The clock runs, and the car is still before the line: it starts from a grid.
        let on_grid = now.lap == 0 && now.current_s > 0.0 && now.distance < 0.0;
        if on_grid && packet.dash_byte(RACE_POSITION).is_some_and(|position| position > 0) {
            self.kind = SessionKind::Race;
        }
    }

    /// Returns whether a point-to-point event has just ended.
    fn is_reset(&self, packet: Packet<'_>, now: &Before) -> bool {
        let Some(before) = self.before.filter(|_| self.series == Series::Horizon) else { return false };
        let near = Option::zip(before.world_m, now.world_m).is_some_and(|(from, to)| {
            let squares = from.iter().zip(to).map(|(from, to)| (to - from) * (to - from));
            squares.sum::<f32>() < SAME_PLACE_M * SAME_PLACE_M
        });
        let stands = packet.dash(SPEED).is_some_and(|speed| speed < 1.0);
        let fell = before.distance > RESET_FROM_M && now.distance.abs() < RESET_M;
        let counted = self.finish.is_some_and(|(lap, _)| lap == before.lap);
        fell && near && stands && !counted && before.current_s >= SHORTEST_LAP_S
    }

    /// Forgets the event.
    fn leave(&mut self) {
        self.clock = RaceClock::default();
        (self.before, self.finish) = (None, None);
        (self.kind, self.driven_m) = (SessionKind::Unknown, 0.0);
    }

    /// Updates car and track, if their numbers changed.
    fn name(&mut self, packet: Packet<'_>) {
        let car = packet.car().or(self.named.and_then(|(car, ..)| car));
        let named = (car, packet.track(), packet.has_dash());
        if self.named.replace(named) == Some(named) {
            return;
        }
        let (car, number, has_dash) = named;
        let name = number.and_then(track_name);
        self.identity.replace_with(Identity {
            car: car.map(|car| car_text(self.series, car)),
            track: name.map(|name| name.track.to_owned()).or(number.map(|number| format!("track {number}"))),
            layout: name.map(|name| name.layout.to_owned()),
            length_m: name.map(|name| name.km * 1000.0),
            remark: (!has_dash).then_some(SLED_ONLY),
            ..Identity::default()
        });
    }
}

/// Returns the lap fields; `None` if the datagram has none.
fn before_of(packet: Packet<'_>) -> Option<Before> {
    Some(Before {
        lap: packet.lap_number()?,
        last_s: packet.dash(LAST_LAP)?,
        current_s: packet.dash(CURRENT_LAP)?,
        distance: packet.dash(DISTANCE)?,
        world_m: packet.world_m(),
    })
}
