//! Test cases of games that send datagrams: the same drive as the others, one frame of each stream every 50 ms. Names are sent once.
use gametape::games::{Game, assetto_corsa_remote, automobilista_2, gran_turismo, project_cars};
use gametape::layout::stream_of_layout;

use super::{Case, LINE, Moment, Recorded, moments};

pub fn cases() -> Vec<Case> {
    vec![
        Case { game: &assetto_corsa_remote::GAME, name: "lap-and-pits", streams: assetto_corsa_remote() },
        Case { game: &automobilista_2::GAME, name: "lap-and-pits", streams: automobilista_2() },
        Case {
            game: &gran_turismo::GT7,
            name: "gran-turismo-7-lap-and-pause",
            streams: gran_turismo(&gran_turismo::GT7, "c"),
        },
        Case {
            game: &gran_turismo::GT_SPORT,
            name: "gran-turismo-sport-lap-and-pause",
            streams: gran_turismo(&gran_turismo::GT_SPORT, "a"),
        },
        Case { game: &project_cars::GAME, name: "lap-and-pits", streams: project_cars() },
    ]
}

/// A frame, written channel by channel. Channels that this length does not have are left out.
struct Frame {
    layout: &'static gametape::games::Layout,
    bytes: Vec<u8>,
}

impl Frame {
    fn put(&mut self, channel: &str, value: &[u8]) -> &mut Self {
        if let Some(channel) = self.layout.channel(channel) {
            self.bytes[channel.offset as usize..][..value.len()].copy_from_slice(value);
        }
        self
    }

    fn f32s(&mut self, channel: &str, numbers: &[f32]) -> &mut Self {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.put(channel, &bytes)
    }

    fn i32(&mut self, channel: &str, number: i32) -> &mut Self {
        self.put(channel, &number.to_le_bytes())
    }

    fn u16(&mut self, channel: &str, number: u16) -> &mut Self {
        self.put(channel, &number.to_le_bytes())
    }
}

/// A stream in its newest layout, with a frame for each moment.
fn stream<'a>(
    game: &Game,
    name: &str,
    moments: impl Iterator<Item = Moment> + 'a,
    write: impl Fn(&mut Frame, &Moment) + 'a,
) -> Recorded {
    let layout = game.stream(name).unwrap().layouts()[0];
    let frames = moments.map(|moment| {
        let mut frame = Frame { layout, bytes: vec![0; layout.frame_bytes() as usize] };
        write(&mut frame, &moment);
        frame.bytes
    });
    Recorded { spec: stream_of_layout(game.id, name, "udp", layout), frames: frames.collect() }
}

fn once() -> impl Iterator<Item = Moment> {
    moments().take(1)
}

/// Metres on a track of 4 km that is a square.
fn world(moment: &Moment) -> [f32; 3] {
    let along = moment.share * 4.0;
    let (side, rest) = (along as u32 % 4, along.fract() * 1000.0);
    match side {
        0 => [rest, 5.0, 0.0],
        1 => [1000.0, 5.0, rest],
        2 => [1000.0 - rest, 5.0, 1000.0],
        _ => [0.0, 5.0, 1000.0 - rest],
    }
}

fn pedals(moment: &Moment) -> [u8; 2] {
    let gas = (moment.step % 11) as u8 * 25;
    [gas, 250 - gas]
}

fn last_ms(moment: &Moment) -> i32 {
    if moment.step < LINE { -1 } else { 92_050 }
}

/// Pauses where others are in the pits, too, and shows a demo car before the menus.
fn gran_turismo(game: &'static Game, kind: &str) -> Vec<Recorded> {
    let write = |frame: &mut Frame, moment: &Moment| {
        frame.put("magic", b"0S7G").i32("packetId", 5_000 + moment.step * 3).i32("iv", moment.step * 77);
        if moment.status == 0 {
            frame.put("currentLap", &(-1_i16).to_le_bytes()).put("totalLaps", &(-1_i16).to_le_bytes());
            return;
        }
        let flags = match moment.status {
            3 => 0b1011,
            _ if (94..98).contains(&moment.step) => 0b1000,
            _ => 0b1001,
        };
        frame.u16("flags", flags).i32("carCode", 3311).u16("currentLap", moment.lap as u16 + 1).u16("totalLaps", 6);
        frame.i32("lastLapTime", last_ms(moment)).i32("bestLapTime", last_ms(moment));
        frame.i32("currentLapTime", moment.lap_ms).i32("timeOfDay", 43_200_000 + moment.step * 50);
        frame.f32s("position", &world(moment)).f32s("rotation", &[0.0, 0.5, 0.0]);
        frame.f32s("orientationToNorth", &[0.866_025_4]).f32s("engineRpm", &[4000.0 + moment.step as f32 * 20.0]);
        frame.f32s("fuelLevel", &[60.0 - moment.step as f32 / 16.0, 100.0]).f32s("speed", &[moment.speed_kmh / 3.6]);
        frame.f32s("tyreSurfaceTemperature", &[71.0, 72.0, 73.0, 74.0]).f32s("wheelSpeed", &[-100.0; 4]);
        let [gas, brake] = pedals(moment);
        frame.put("gears", &[0xF0 | moment.gear as u8, gas, brake]);
        frame.f32s("steeringWheelAngle", &[0.5]).f32s("sway", &[4.9, 0.0, -2.45]);
    };
    vec![stream(game, kind, moments(), write)]
}

fn project_cars() -> Vec<Recorded> {
    let game = &project_cars::GAME;
    let names = stream(game, "participants", once(), |frame, _| {
        frame.u16("sBuildVersionNumber", 1200).put("sPacketType", &[1]);
        frame.put("sCarName", b"Test Car").put("sCarClassName", b"Road").put("sTrackLocation", b"Test Track");
        frame.put("sTrackVariation", b"Short").put("sParticipants[0].sName", b"Driver 1");
    });
    let telemetry = stream(game, "telemetry", moments(), |frame, moment| {
        let [gas, brake] = pedals(moment);
        let game_state = [1, 6, 2, 3][moment.status as usize];
        frame.u16("sBuildVersionNumber", 1200).put("sGameSessionState", &[0x50 | game_state, 0, 1]);
        frame.put("sRaceStateFlags", &[if (50..70).contains(&moment.step) { 2 | 8 } else { 2 }]);
        let last_s = last_ms(moment) as f32 / 1000.0;
        frame.f32s("sBestLapTime", &[last_s]).f32s("sLastLapTime", &[last_s, moment.lap_ms as f32 / 1000.0]);
        frame.f32s("sEventTimeRemaining", &[600.0 - moment.step as f32 / 20.0]).f32s("sCurrentSectorTimes", &[30.0]);
        frame.put("sPitModeSchedule", &[u8::from(moment.in_pits)]).put("sFuelCapacity", &[60, brake, gas, 0, 0x20]);
        frame.f32s("sFuelLevel", &[0.5]).f32s("sSpeed", &[moment.speed_kmh / 3.6]);
        frame.u16("sRpm", 4000 + moment.step as u16 * 20).put("sGearNumGears", &[0x60 | moment.gear as u8]);
        frame.f32s("sOdometerKM", &[100.0 + moment.step as f32 / 100.0]).f32s("sLocalAcceleration", &[-4.9, 0.0, 2.45]);
        frame.f32s("sTyreRPS", &[-100.0; 4]).put("sTyreWear", &[5; 4]);
        frame.put("sTyreTreadTemp", &[0x60, 0x01]).put("sBrakeTempCelsius", &[0x90, 0x01]);
        frame.put("sAmbientTemperature", &[22, 31]).f32s("sTrackLength", &[4000.0]);
        let [x, y, z] = world(moment).map(|metres| metres as i16);
        let place: Vec<u8> = [x, y, z].iter().flat_map(|metres| metres.to_le_bytes()).collect();
        frame.put("sParticipantInfo[0].sWorldPosition", &place);
        frame.u16("sParticipantInfo[0].sCurrentLapDistance", (moment.share * 4000.0) as u16);
        let sector = 1 + (moment.share * 3.0) as u8;
        let lap = moment.lap as u8;
        frame.put("sParticipantInfo[0].sRacePosition", &[0x82, lap, lap + 1, sector | 0x50]);
        frame.f32s("sParticipantInfo[0].sLastSectorTime", &[31.0]);
    });
    vec![names, telemetry]
}

fn automobilista_2() -> Vec<Recorded> {
    let game = &automobilista_2::GAME;
    fn header(frame: &mut Frame, moment: &Moment, packet_type: u8) {
        frame.i32("mPacketNumber", 10 + moment.step).i32("mCategoryPacketNumber", 1 + moment.step);
        frame.put("mPartialPacketIndex", &[1, 1, packet_type, 1]);
    }
    let state = stream(game, "game-state", moments(), |frame, moment| {
        header(frame, moment, 4);
        let game_state = [1, 6, 2, 3][moment.status as usize];
        frame.u16("mBuildVersionNumber", 1510).put("mGameState", &[0x50 | game_state, 22, 31]);
    });
    let definition = stream(game, "race-definition", once(), |frame, moment| {
        header(frame, moment, 1);
        frame.f32s("sTrackLength", &[4000.0]).put("sTrackLocation", b"Test Track").put("sTrackVariation", b"Short");
    });
    let participants = stream(game, "participants", once(), |frame, moment| {
        header(frame, moment, 2);
        frame.put("sName[0].sName", b"Driver 1").u16("sIndex", 4);
    });
    let vehicles = stream(game, "vehicles", once(), |frame, moment| {
        header(frame, moment, 8);
        frame.u16("sVehicles[0].sIndex", 4).i32("sVehicles[0].sClass", 77).put("sVehicles[0].sName", b"Test Car");
    });
    let classes = stream(game, "vehicle-classes", once(), |frame, moment| {
        header(frame, moment, 8);
        frame.i32("sClasses[0].sClassIndex", 77).put("sClasses[0].sName", b"GT3");
    });
    let telemetry = stream(game, "telemetry", moments(), |frame, moment| {
        header(frame, moment, 0);
        let [gas, brake] = pedals(moment);
        frame.put("sFuelCapacity", &[60, brake, gas, 0]).f32s("sFuelLevel", &[0.5, moment.speed_kmh / 3.6]);
        frame.u16("sRpm", 4000 + moment.step as u16 * 20).put("sSteering", &[0x20, 0x60 | moment.gear as u8]);
        frame.f32s("sLocalAcceleration", &[-4.9, 0.0, 2.45]).f32s("sTyreRPS", &[-100.0; 4]);
        frame.u16("sTyreTempCenter", 80).f32s("sFullPosition", &world(moment)).put("sTyreCompound[0].sName", b"Soft");
    });
    let timings = stream(game, "timings", moments(), |frame, moment| {
        header(frame, moment, 3);
        frame.put("sNumParticipants", &[1]).f32s("sEventTimeRemaining", &[600.0 - moment.step as f32 / 20.0]);
        frame.u16("sParticipants[0].sCurrentLapDistance", (moment.share * 4000.0) as u16);
        let (sector, yellow) = ((moment.share * 3.0) as u8, if moment.step / 10 == 4 { 6 } else { 0 });
        frame.put("sParticipants[0].sRacePosition", &[0x82, sector, yellow, u8::from(moment.in_pits)]);
        let state = if (50..70).contains(&moment.step) { 2 | 8 } else { 2 };
        frame.put("sParticipants[0].sRaceState", &[state, moment.lap as u8 + 1]);
        frame.f32s("sParticipants[0].sCurrentTime", &[moment.lap_ms as f32 / 1000.0]);
        frame.u16("sParticipants[0].sMPParticipantIndex", 4).u16("sLocalParticipantIndex", 4);
    });
    let stats = stream(game, "time-stats", moments(), |frame, moment| {
        header(frame, moment, 7);
        let last_s = last_ms(moment) as f32 / 1000.0;
        frame.f32s("sParticipants[0].sFastestLapTime", &[last_s, last_s, 31.0, 30.0, 31.0, 31.05]);
        frame.u16("sParticipants[0].sMPParticipantIndex", 4);
    });
    vec![state, definition, participants, vehicles, classes, telemetry, timings, stats]
}

/// The game sends nothing in the menus and pauses: it drives all the time.
fn assetto_corsa_remote() -> Vec<Recorded> {
    let game = &assetto_corsa_remote::GAME;
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let handshake = stream(game, "handshake", once(), move |frame, _| {
        frame.put("carName", &utf16("test_car%")).put("driverName", &utf16("Driver 1%")).i32("identifier", 4242);
        frame.put("trackName", &utf16("test_track%")).put("trackConfig", &utf16("short%"));
    });
    let car = stream(game, "car", moments(), |frame, moment| {
        frame.put("identifier", b"a").i32("size", 328).f32s("speed_Kmh", &[moment.speed_kmh]);
        frame.put("isInPit", &[u8::from((78..82).contains(&moment.step))]).f32s("accG_lateral", &[-0.5, 0.0, -0.25]);
        frame
            .i32("lapTime", moment.lap_ms)
            .i32("lastLap", last_ms(moment).max(0))
            .i32("bestLap", last_ms(moment).max(0));
        frame.i32("lapCount", moment.lap).i32("gear", moment.gear + 1);
        let [gas, brake] = pedals(moment).map(|pedal| f32::from(pedal) / 250.0);
        frame.f32s("gas", &[gas, brake, 1.0, 4000.0 + moment.step as f32 * 20.0, 45.0]);
        frame.f32s("wheelAngularSpeed", &[100.0; 4]).f32s("suspensionHeight", &[0.03; 4]);
        frame.f32s("carPositionNormalized", &[moment.share]).f32s("carCoordinates", &world(moment));
    });
    vec![handshake, car]
}
