//! Test cases of games that send datagrams: the same drive as the others, one frame of each stream every 50 ms. Names are sent once.
use gametape::games::{Game, gran_turismo};
use gametape::layout::stream_of_layout;

use super::{Case, LINE, Moment, Recorded, moments};

pub fn cases() -> Vec<Case> {
    vec![
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
