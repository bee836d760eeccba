//! Decodes frames into lap frames of the player's car.
//!
//! The telemetry of the car makes a lap frame: it has the exact moment at which the lap began. The classification, which arrives a few times
//! a second, has the lap count, the official times and whether the lap counts. What it says about the current lap is taken once it means
//! the same lap as the telemetry. When the time of the last lap changes, it makes the record of that lap, with its sectors, if it is the time
//! that the telemetry measured.
use super::interface::{Interface, Newest, TELEMETRY_CARS};
use super::scoring::{Entry, Info, time_of_day_s};
use super::vehicle::Vehicle;
use crate::bytes::i32_at;
use crate::capture::SeenFrame;
use crate::lap_frame::{Identity, LapFrame, LapRecord, Pit, ReadLaps, SectorValue, Validity};

/// Two lap starts this close are the same.
const SAME_START_S: f64 = 0.005;
/// An official time this close to the measured one is of the same lap.
const SAME_LAP_MS: f64 = 20.0;
/// Between two classifications, the distance along the lap is extended by at most this much time.
const MOST_AHEAD_S: f64 = 1.0;
/// Streams with the version: that of the plugin, as text, and that of the game, as a number.
const EXTENDED: &str = "extended";
const HEADER: &str = "header";

#[derive(Debug)]
pub(crate) struct Laps {
    interface: Interface,
    newest: Newest,
    identity: Identity,
    version: Option<String>,
    tyre: Option<String>,
    /// The last lap time and its sectors, as last reported; `None` before the first classification, which may be about a lap before the
    /// recording.
    last: Option<[Option<u32>; 4]>,
    record: Option<LapRecord>,
    /// Starts of the current lap and of the one before, on the session clock.
    starts_s: [Option<f64>; 2],
}

impl Laps {
    pub(crate) fn new(interface: Interface) -> Self {
        Self {
            interface,
            newest: Newest::new(interface),
            identity: Identity::default(),
            version: None,
            tyre: None,
            last: None,
            record: None,
            starts_s: [None; 2],
        }
    }

    /// Takes the classification.
    fn scoring(&mut self) {
        let (info, player) = (self.newest.info(), self.newest.player());
        let identity = Identity {
            game_version: self.version.clone(),
            track: info.and_then(|info| info.text(0, 64)),
            car: player.and_then(Entry::vehicle),
            driver: player.and_then(Entry::driver),
            tyre: self.tyre.clone(),
            sector_count: Some(3),
            length_m: info.and_then(Info::length_m),
            validity: Validity::Flag,
            ..Identity::default()
        };
        let last = player.map(|player| {
            let [first, second, third] = player.last_sectors_ms();
            [player.last_ms(), first, second, third]
        });
        let before = std::mem::replace(&mut self.last, last);
        if let (Some(last), Some(before), Some(player)) = (last, before, player)
            && last != before
        {
            self.record = self.record_of(last, player);
        }
        if player.is_none() {
            (self.record, self.starts_s) = (None, [None; 2]);
        }
        self.identity.replace_with(identity);
    }

    /// Returns the record of the lap that ended last, if its time is the one that was measured.
    fn record_of(&self, [time_ms, first, second, third]: [Option<u32>; 4], player: Entry<'_>) -> Option<LapRecord> {
        let lap = player.laps().filter(|lap| *lap > 0)?;
        let measured_ms = Option::zip(self.starts_s[1], player.lap_start_s()).map(|(from, to)| (to - from) * 1000.0);
        let is_it = Option::zip(measured_ms, time_ms)
            .is_some_and(|(measured_ms, time_ms)| (f64::from(time_ms) - measured_ms).abs() < SAME_LAP_MS);
        is_it.then_some(LapRecord { lap, time_ms, sectors_ms: [first, second, third], ..LapRecord::default() })
    }

    fn car(&mut self, car: Vehicle<'_>, laps: &mut LapFrame) {
        let start_s = car.lap_start_s();
        let is_other =
            Option::zip(start_s, self.starts_s[0]).is_none_or(|(now, before)| (now - before).abs() > SAME_START_S);
        if is_other {
            self.starts_s =
                [start_s, self.starts_s[0].filter(|before| start_s.is_some_and(|start_s| start_s > *before))];
            let tyre = car.tyre();
            if tyre != self.tyre {
                self.tyre.clone_from(&tyre);
                self.identity.replace_with(Identity { tyre, ..self.identity.clone() });
            }
        }
        let (Some(info), Some(player)) = (self.newest.info(), self.newest.player()) else { return };
        let is_same_lap = Option::zip(start_s, player.lap_start_s())
            .is_some_and(|(telemetry, scoring)| (telemetry - scoring).abs() < SAME_START_S);
        let position = position(info, player, car);
        let in_car = info.is_in_realtime() == Some(true) && player.is_driven_here();
        let pit = match player.pit() {
            Some(Pit::Box) => Some(Pit::Box),
            pit => Pit::of(Some(false), car.is_in_pit_lane()).or(pit),
        };
        let invalidated = self.interface.is_lmu && car.u8(745).is_some_and(|flag| flag != 0);
        *laps = LapFrame {
            presence: self.newest.presence(),
            kind: info.kind(),
            session_index: info.session(),
            player_car: player.id(),
            left_ms: info.left_ms().map(|left_ms| left_ms as f32),
            time_of_day_s: time_of_day_s(self.newest.scoring(), self.interface.info_at)
                .filter(|_| self.interface.is_lmu),
            game_ms: car.elapsed_s().map(|seconds| seconds * 1000.0),
            laps_completed: player.laps(),
            running_ms: car.running_ms(),
            last_ms: player.last_ms(),
            last_exact: player.last_exact(),
            sector: if is_same_lap { player.sector() } else { car.sector() },
            sector_value: match player.splits_ms() {
                _ if !is_same_lap => SectorValue::None,
                [_, Some(second_ms)] => SectorValue::Cumulative(second_ms),
                [Some(first_ms), None] => SectorValue::Cumulative(first_ms),
                [None, None] => SectorValue::None,
            },
            valid: match player.lap_counts() {
                _ if invalidated => Some(false),
                counts => counts.filter(|_| is_same_lap),
            },
            record: self.record,
            pit,
            position: position.filter(|position| (0.0..=1.0).contains(position)),
            bad_position: position.is_some_and(|position| position > 1.0),
            // The game's axes are left-handed.
            world_m: car.vector(160).map(|[x, y, z]| [x, y, -z]),
            caution: Some(info.is_yellow() || info.is_red() || player.is_under_yellow()),
            on_lap: Some(in_car && (!info.is_before_start() || info.is_formation())),
            formation: Some(info.is_before_start() && info.is_formation()),
            speed_kmh: car.speed_kmh(),
            fuel_l: car.fuel_l(),
            air_celsius: info.air_celsius(),
            track_celsius: info.track_celsius(),
            ..LapFrame::default()
        };
        self.identity.stamp(laps);
    }
}

/// Returns the track position: that of the newest classification, and what the car has driven since.
fn position(info: Info<'_>, player: Entry<'_>, car: Vehicle<'_>) -> Option<f32> {
    let (along_m, length_m) = (player.along_m()?, f64::from(info.length_m()?));
    let since_s = Option::zip(car.elapsed_s(), info.clock_s()).map_or(0.0, |(now, then)| now - then);
    let ahead_m = f64::from(car.ahead_m_per_s()?) * since_s.clamp(0.0, MOST_AHEAD_S);
    // A car on its grid place is behind the line.
    if !(-length_m..=length_m * 1.05).contains(&along_m) {
        return Some(f32::INFINITY);
    }
    Some(((along_m + ahead_m).rem_euclid(length_m) / length_m) as f32)
}

impl ReadLaps for Laps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        if self.newest.take(frame) {
            self.scoring();
            laps.presence = self.newest.presence();
            self.identity.stamp(laps);
            // Without a session there may be no telemetry.
            return self.newest.player().is_none();
        }
        match frame.stream {
            EXTENDED if !self.interface.is_lmu => self.version = super::rules::plugin_version(frame.bytes),
            HEADER if self.interface.is_lmu => {
                self.version =
                    i32_at(frame.bytes, 64).filter(|version| *version != 0).map(|version| version.to_string());
            }
            stream if stream.starts_with(TELEMETRY_CARS) => {
                let id = self.newest.player().and_then(|player| player.id());
                let Some(car) = id.and_then(|id| Vehicle::with_id(frame.bytes, id)) else { return false };
                self.car(car, laps);
                return true;
            }
            _ => {}
        }
        false
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}
