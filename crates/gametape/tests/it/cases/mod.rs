//! The frames of the games' test cases, made up: a car that ends a lap, drives through the pits, and a game that goes off.
//! One frame of each stream every 50 ms.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]
mod datagrams;
mod forza_and_rally;
mod lap_file;
mod pages;
mod races;

use gametape::format::StreamSpec;
use gametape::games::echo_vr::simulated::{Happening, Match, Script, Settings, What};
use gametape::games::{Channel, Chars, Frame, Game, Kind, Layout, Utf16, ac, acc, ace, acr, echo_vr, f1, iracing};
use gametape::layout::stream_of_layout;
use zerocopy::little_endian::U64;
use zerocopy::{FromZeros, IntoBytes};

/// A stream and its frames, the first at 0 ms.
pub struct Recorded {
    pub spec: StreamSpec,
    pub frames: Vec<Vec<u8>>,
}

/// A test case: the tape of one folder.
pub struct Case {
    pub game: &'static Game,
    pub name: &'static str,
    pub streams: Vec<Recorded>,
}

pub fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case { game: &ac::GAME, name: "lap-and-pits", streams: assetto_corsa() },
        Case { game: &acc::GAME, name: "lap-and-pits", streams: competizione() },
        Case { game: &ace::GAME, name: "lap-and-pits", streams: evo() },
        Case { game: &acr::GAME, name: "physics-alone", streams: rally() },
        Case { game: &echo_vr::GAME, name: "match-and-lobby", streams: echo() },
        Case { game: &f1::F1_18, name: "f1-18-drive-and-menu", streams: f1_older(&f1::F1_18, 2018) },
        Case { game: &f1::F1_19, name: "f1-19-drive-and-menu", streams: f1_older(&f1::F1_19, 2019) },
        Case { game: &f1::F1_20, name: "f1-20-drive-and-menu", streams: f1_older(&f1::F1_20, 2020) },
        Case { game: &f1::F1_21, name: "f1-21-drive-and-menu", streams: f1_older(&f1::F1_21, 2021) },
        Case { game: &f1::F1_22, name: "f1-22-lap-and-pause", streams: f1(&f1::F1_22, 2022) },
        Case { game: &f1::F1_23, name: "f1-23-lap-and-pause", streams: f1(&f1::F1_23, 2023) },
        Case { game: &f1::F1_24, name: "f1-24-lap-and-pause", streams: f1(&f1::F1_24, 2024) },
        Case { game: &f1::F1_25, name: "f1-25-lap-and-pause", streams: f1(&f1::F1_25, 2025) },
        Case { game: &f1::F1_26, name: "f1-26-lap-and-pause", streams: f1(&f1::F1_26, 2026) },
        Case { game: &iracing::GAME, name: "lap-and-pits", streams: iracing() },
    ];
    cases.extend(forza_and_rally::cases());
    cases.extend(datagrams::cases());
    cases.extend(lap_file::cases());
    cases.extend(pages::cases());
    cases.extend(races::cases());
    cases
}

/// Three packets of a car that ends a lap, pauses where others are in the pits, and is in the menus at the end.
fn f1(game: &'static Game, format: u16) -> Vec<Recorded> {
    const PLAYER: usize = 19;
    let of_car = |array: &str, field: &str| format!("{array}[{PLAYER}].{field}");
    let packets = [(1, "session"), (2, "lap-data"), (6, "car-telemetry")].map(|(id, name)| {
        let layout = game.stream(name).unwrap().layouts()[0];
        let frames = moments().map(|moment| {
            let mut bytes = vec![0; layout.frame_bytes() as usize];
            let mut put = |name: &str, value: &[u8]| {
                if let Some(channel) = layout.channel(name) {
                    bytes[channel.offset as usize..][..value.len()].copy_from_slice(value);
                }
            };
            put("packetFormat", &format.to_le_bytes());
            put("packetId", &[id]);
            put("playerCarIndex", &[PLAYER as u8]);
            put("frameIdentifier", &(moment.step as u32).to_le_bytes());
            let uid: u64 = if moment.status == 0 { 0 } else { 0x0123_4567_89AB_CDEF };
            put("sessionUID", &uid.to_le_bytes());
            put("gamePaused", &[u8::from(moment.in_pits)]);
            put(&of_car("lapData", "currentLapNum"), &[moment.lap as u8 + 1]);
            put(&of_car("lapData", "currentLapTimeInMS"), &moment.lap_ms.to_le_bytes());
            put(&of_car("lapData", "lapDistance"), &(moment.share * 5_000.0).to_le_bytes());
            put(&of_car("carTelemetryData", "speed"), &(moment.speed_kmh as u16).to_le_bytes());
            put(&of_car("carTelemetryData", "gear"), &[moment.gear as u8]);
            bytes
        });
        Recorded { spec: stream_of_layout(game.id, name, "file", layout), frames: frames.collect() }
    });
    packets.into()
}

/// Two packets of a format whose contents are not decoded: the header, and bytes that change.
fn f1_older(game: &'static Game, format: u16) -> Vec<Recorded> {
    let id_at = if format == 2018 { 3 } else { 5 };
    let packets = [(0, "motion"), (2, "lap-data")].map(|(id, name)| {
        let frames = moments().map(|moment| {
            let mut bytes = vec![0; 64];
            let mut put = |at: usize, value: &[u8]| bytes[at..][..value.len()].copy_from_slice(value);
            let uid: u64 = if moment.status == 0 { 0 } else { 0x0123_4567_89AB_CDEF };
            put(0, &format.to_le_bytes());
            put(id_at, &[id]);
            put(id_at + 1, &uid.to_le_bytes());
            put(id_at + 9, &(moment.step as f32 / 20.0).to_le_bytes());
            put(id_at + 13, &(moment.step as u32).to_le_bytes());
            put(id_at + 17, &[19]);
            put(32, &moment.lap_ms.to_le_bytes());
            bytes
        });
        let spec = StreamSpec { game: game.id.into(), transport: "udp".into(), ..StreamSpec::rows(name) };
        Recorded { spec, frames: frames.collect() }
    });
    packets.into()
}

/// A match with a pause, the lobby, and another match.
fn echo() -> Vec<Recorded> {
    let answers = |seed, frames, pause_s| {
        let settings = Settings { seed, frames, rate_hz: 20.0, ..Settings::default() };
        let pause = |at_s, state| Happening { at_s, what: What::Pause(state) };
        Match::with_script(settings, Script::new(vec![pause(pause_s, "paused"), pause(pause_s + 0.5, "unpaused")]))
    };
    let (mut sessions, mut bones) = (Vec::new(), Vec::new());
    for answer in answers(1, 24, 0.5) {
        sessions.push(answer.session.into_bytes());
        bones.push(answer.player_bones.into_bytes());
    }
    for _ in 0..2 {
        sessions.push(b"{\"err_code\":-6,\"err_description\":\"in the lobby\"}".to_vec());
        bones.push(b"{\"err_code\":0}".to_vec());
    }
    for answer in answers(2, 8, 10.0) {
        sessions.push(answer.session.into_bytes());
        bones.push(answer.player_bones.into_bytes());
    }
    let of_game = |name, frames| {
        let spec = StreamSpec { game: echo_vr::ID.into(), transport: "http".into(), ..StreamSpec::json(name) };
        Recorded { spec, frames }
    };
    vec![of_game(echo_vr::SESSION, sessions), of_game(echo_vr::PLAYER_BONES, bones)]
}

const STEPS: i32 = 100;
const LINE: i32 = 40;

/// What happens at a step: the same for all games.
struct Moment {
    step: i32,
    share: f32,
    lap: i32,
    lap_ms: i32,
    speed_kmh: f32,
    gear: i32,
    in_pits: bool,
    status: i32,
}

fn moments() -> impl Iterator<Item = Moment> {
    (0..STEPS).map(|step| {
        let since_line = (step - LINE).rem_euclid(STEPS);
        let in_pits = (70..90).contains(&step);
        let speed_kmh = if in_pits { 50.0 } else { 120.0 + (step % 20) as f32 * 2.5 };
        Moment {
            step,
            share: since_line as f32 / STEPS as f32,
            lap: 3 + i32::from(step >= LINE),
            lap_ms: if step < LINE { 90_000 + step * 50 } else { since_line * 50 },
            speed_kmh,
            gear: 1 + (speed_kmh / 40.0) as i32,
            in_pits,
            status: match step {
                0..2 => 0,
                60..63 => 3,
                98.. => 0,
                _ => 2,
            },
        }
    })
}

fn physics(moment: &Moment) -> ac::Physics {
    let mut page = ac::Physics::new_zeroed();
    page.packet_id = 1000 + moment.step * 16;
    page.speed_kmh = moment.speed_kmh;
    page.gear = moment.gear + 1;
    page.rpms = 4000 + moment.step * 20;
    page.gas = (moment.step % 11) as f32 / 10.0;
    page.brake = 1.0 - page.gas;
    page.steer_angle = (moment.step % 7) as f32 / 10.0 - 0.3;
    page.fuel = 60.0 - moment.step as f32 / 16.0;
    page.acc_g = [0.5, 0.0, -0.25];
    page.wheels_pressure = [27.5, 27.0, 26.5, 26.0];
    page.tyre_core_temperature = [81.0, 82.0, 83.0, 84.0];
    page.tyre_temp_m = [79.0; 4];
    page.brake_temp = [400.0, 401.0, 300.0, 301.0];
    page.air_temp = 22.0;
    page.road_temp = 31.5;
    page.pit_limiter_on = moment.in_pits.into();
    page
}

fn graphics(moment: &Moment) -> ac::GraphicsHead {
    let mut page = ac::GraphicsHead::new_zeroed();
    page.packet_id = 500 + moment.step;
    page.status = moment.status;
    page.session = 2;
    page.completed_laps = moment.lap;
    page.position = 4;
    page.i_current_time = moment.lap_ms;
    page.i_last_time = if moment.step < LINE { i32::MAX } else { 92_050 };
    page.i_best_time = page.i_last_time;
    page.session_time_left = 600_000.0 - moment.step as f32 * 50.0;
    page.distance_traveled = 12_000.0 + moment.step as f32;
    page.is_in_pit = (78..82).contains(&moment.step).into();
    page.current_sector_index = (moment.share * 3.0) as i32;
    page.last_sector_time = 30_000;
    page.normalized_car_position = moment.share;
    page.tyre_compound = Utf16::new("slick");
    page
}

fn statics() -> ac::Static {
    let mut page = ac::Static::new_zeroed();
    page.sm_version = Utf16::new("1.7");
    page.ac_version = Utf16::new("1.2.3");
    page.car_model = Utf16::new("test_car");
    page.track = Utf16::new("test_track");
    page.sector_count = 3;
    page.max_rpm = 8000;
    page.num_cars = 12;
    page
}

fn page_stream<F: Frame>(frames: Vec<Vec<u8>>) -> Recorded {
    let typed = F::stream();
    let spec = stream_of_layout(typed.game.id, typed.stream.name, "shm", typed.stream.layouts()[0]);
    Recorded { spec, frames }
}

fn assetto_corsa() -> Vec<Recorded> {
    let graphics = |moment: Moment| {
        let mut page = ac::Graphics { head: graphics(&moment), ..ac::Graphics::new_zeroed() };
        page.car_coordinates = [moment.share * 100.0 - 50.0, 1.0, 20.0];
        page.flag = i32::from(moment.step > 90) * 5;
        page.is_in_pit_lane = moment.in_pits.into();
        page.surface_grip = 0.98;
        page.as_bytes().to_vec()
    };
    let statics = ac::Static { track_spline_length: 4000.0, track_configuration: Utf16::new("short"), ..statics() };
    vec![
        page_stream::<ac::Physics>(moments().map(|moment| physics(&moment).as_bytes().to_vec()).collect()),
        page_stream::<ac::Graphics>(moments().map(graphics).collect()),
        page_stream::<ac::Static>(vec![statics.as_bytes().to_vec()]),
    ]
}

fn competizione() -> Vec<Recorded> {
    let physics = |moment: Moment| {
        let mut page = acc::Physics { head: physics(&moment), ..acc::Physics::new_zeroed() };
        page.abs = (page.brake - 0.8).max(0.0);
        page.water_temp = 90.0;
        page.pad_life = [29.0, 29.0, 28.5, 28.5];
        page.as_bytes().to_vec()
    };
    let graphics = |moment: Moment| {
        let mut page = acc::Graphics { head: graphics(&moment), ..acc::Graphics::new_zeroed() };
        page.active_cars = 2;
        page.car_id[..2].copy_from_slice(&[1001, 1007]);
        page.car_coordinates[1] = [moment.share * 100.0 - 50.0, 1.0, 20.0];
        page.player_car_id = 1007;
        page.is_in_pit_lane = moment.in_pits.into();
        page.is_valid_lap = (!(50..70).contains(&moment.step)).into();
        page.global_yellow = (moment.step / 10 == 4).into();
        page.tc = 3;
        page.abs = 2;
        page.gap_ahead = 1500;
        page.as_bytes().to_vec()
    };
    let statics = acc::Static { head: statics(), dry_tyres_name: Utf16::new("DHE"), ..acc::Static::new_zeroed() };
    vec![
        page_stream::<acc::Physics>(moments().map(physics).collect()),
        page_stream::<acc::Graphics>(moments().map(graphics).collect()),
        page_stream::<acc::Static>(vec![statics.as_bytes().to_vec()]),
    ]
}

fn evo() -> Vec<Recorded> {
    let physics = |moment: Moment| {
        let mut page = acc::Physics { head: physics(&moment), ..acc::Physics::new_zeroed() };
        page.current_max_rpm = 8200;
        page.as_bytes().to_vec()
    };
    let graphics = |moment: Moment| {
        let mut page = ace::Graphics::new_zeroed();
        (page.packet_id, page.status) = (500 + moment.step, moment.status);
        (page.player_car_id_a, page.player_car_id_b) = (U64::new(77), U64::new(1 << 63));
        page.car_ids[1] = [U64::new(77), U64::new(1 << 63)];
        page.car_coordinates[1] = [moment.share * 100.0 - 50.0, 1.0, 20.0];
        page.active_cars = 2;
        (page.npos, page.current_lap_time_ms, page.total_lap_count) = (moment.share, moment.lap_ms, moment.lap);
        page.last_laptime_ms = if moment.step < LINE { i32::MAX } else { 92_050 };
        page.best_laptime_ms = page.last_laptime_ms;
        page.current_pos = 4;
        page.session_state.time_left_ms = 600_000 - moment.step * 50;
        page.is_in_pit_box = (78..82).contains(&moment.step).into();
        page.is_in_pit_lane = moment.in_pits.into();
        page.is_valid_lap = (!(50..70).contains(&moment.step)).into();
        page.car_location = if moment.in_pits { 1 } else { 4 };
        page.abs_active = (moment.step % 11 < 2).into();
        (page.electronics.tc_level, page.electronics.abs_level) = (3, 2);
        page.tyre_rr.tyre_pression = 26.0;
        (page.flag, page.global_flag) = (0, i32::from(moment.step / 10 == 4) * 5);
        page.car_model = Chars::new("test_car");
        page.as_bytes().to_vec()
    };
    let mut statics = ace::Static::new_zeroed();
    (statics.sm_version, statics.ac_evo_version) = (Chars::new("1.0"), Chars::new("0.9.1"));
    (statics.session, statics.session_id) = (1, 2);
    (statics.track, statics.track_configuration) = (Chars::new("test_track"), Chars::new("short"));
    statics.track_length_m = 4000.0;
    vec![
        page_stream::<ace::Physics>(moments().map(physics).collect()),
        page_stream::<ace::Graphics>(moments().map(graphics).collect()),
        page_stream::<ace::Static>(vec![statics.as_bytes().to_vec()]),
    ]
}

/// The page is cleared at the end, as bridges do it.
fn rally() -> Vec<Recorded> {
    let physics = |moment: Moment| {
        let page = acc::Physics { head: physics(&moment), ..acc::Physics::new_zeroed() };
        if moment.step < STEPS - 2 { page } else { acc::Physics::new_zeroed() }.as_bytes().to_vec()
    };
    vec![
        page_stream::<acr::Physics>(moments().map(physics).collect()),
        page_stream::<acr::Graphics>(vec![acr::Graphics::default().as_bytes().to_vec()]),
        page_stream::<acr::Static>(vec![acr::Static::default().as_bytes().to_vec()]),
    ]
}

const SESSION_TEXT: &str = "---\nWeekendInfo:\n TrackDisplayName: Test Track\n TrackConfigName: Short\n BuildVersion: 2026.1\n\n\
    SessionInfo:\n Sessions:\n - SessionNum: 0\n   SessionType: Practice\n - SessionNum: 1\n   SessionType: Race\n\n\
    DriverInfo:\n DriverCarIdx: 1\n Drivers:\n - CarIdx: 0\n   UserName: Driver 1\n   CarScreenName: Other Car\n\
    \x20- CarIdx: 1\n   UserName: Driver 2\n   CarScreenName: Test Car\n";

fn iracing() -> Vec<Recorded> {
    let mut layout = Vec::new();
    let frames = moments().map(|moment| {
        let mut row = Row::default();
        let pedal = (moment.step % 11) as f32 / 10.0;
        row.add("SessionTime", Kind::F64, "s", &(f64::from(moment.step) / 20.0).to_le_bytes());
        row.add("SessionTick", Kind::I32, "", &(moment.step * 3 + 9).to_le_bytes());
        row.add("SessionNum", Kind::I32, "", &1_i32.to_le_bytes());
        row.add("SessionUniqueID", Kind::I32, "", &7_i32.to_le_bytes());
        row.add("IsOnTrack", Kind::Bool, "", &[(moment.status == 2).into()]);
        row.add("SessionFlags", Kind::Bits32, "irsdk_Flags", &(0x1000_0004_u32).to_le_bytes());
        row.add("Speed", Kind::F32, "m/s", &(moment.speed_kmh / 3.6).to_le_bytes());
        row.add("Gear", Kind::I32, "", &moment.gear.to_le_bytes());
        row.add("Throttle", Kind::F32, "%", &pedal.to_le_bytes());
        row.add("Clutch", Kind::F32, "%", &1.0_f32.to_le_bytes());
        row.add("SteeringWheelAngle", Kind::F32, "rad", &0.5_f32.to_le_bytes());
        row.add("LapDistPct", Kind::F32, "%", &moment.share.to_le_bytes());
        row.add("LapCompleted", Kind::I32, "", &moment.lap.to_le_bytes());
        row.add("LapCurrentLapTime", Kind::F32, "s", &(moment.lap_ms as f32 / 1000.0).to_le_bytes());
        row.add("LapLastLapTime", Kind::F32, "s", &(if moment.step < LINE { -1.0 } else { 92.05_f32 }).to_le_bytes());
        row.add("OnPitRoad", Kind::Bool, "", &[moment.in_pits.into()]);
        row.add("VertAccel", Kind::F32, "m/s^2", &9.806_65_f32.to_le_bytes());
        row.add("LFpressure", Kind::F32, "kPa", &176.0_f32.to_le_bytes());
        layout = row.channels;
        row.bytes
    });
    let frames: Vec<Vec<u8>> = frames.collect();
    let layout = Layout::new("iracing-row-test", frames[0].len() as u32, layout).unwrap();
    let text = StreamSpec {
        game: iracing::GAME.id.into(),
        transport: "shm".into(),
        ..StreamSpec::rows(iracing::SESSION_TEXT.name)
    };
    vec![
        Recorded { spec: stream_of_layout(iracing::GAME.id, iracing::TELEMETRY.name, "shm", &layout), frames },
        Recorded { spec: text, frames: vec![SESSION_TEXT.as_bytes().to_vec()] },
    ]
}

#[derive(Default)]
struct Row {
    channels: Vec<Channel>,
    bytes: Vec<u8>,
}

impl Row {
    fn add(&mut self, name: &'static str, kind: Kind, unit: &'static str, value: &[u8]) {
        let offset = self.bytes.len() as u32;
        self.channels.push(Channel { name: name.into(), offset, kind, count: 1, unit: unit.into() });
        self.bytes.extend(value);
    }
}
