//! Games that send datagrams: Forza, the Codemasters "extradata" format, EA SPORTS WRC.
use gametape::games::{Game, Layout, dirt_rally, ea_wrc, forza};
use gametape::layout::stream_of_layout;

use super::{Case, LINE, Moment, Recorded, moments};

pub(super) fn cases() -> Vec<Case> {
    let motorsport = (&forza::MOTORSPORT, "forza-motorsport-lap-and-pause", 331);
    let horizon = (&forza::HORIZON, "forza-horizon-lap-and-pause", 324);
    let forza = [motorsport, horizon].map(|(game, name, bytes)| Case { game, name, streams: forza(game, bytes) });
    let others = [
        Case { game: &dirt_rally::GAME, name: "stage-and-finish", streams: dirt_rally() },
        Case { game: &ea_wrc::GAME, name: "run-in-our-structure", streams: wrc_in_our_structure() },
        Case { game: &ea_wrc::GAME, name: "run-in-the-default-structure", streams: wrc_in_default_structure() },
    ];
    forza.into_iter().chain(others).collect()
}

fn recorded(game: &Game, name: &str, layout: &Layout, frames: Vec<Vec<u8>>) -> Recorded {
    Recorded { spec: stream_of_layout(game.id, name, "udp", layout), frames }
}

/// A frame under construction.
struct Packet<'a> {
    layout: &'a Layout,
    bytes: Vec<u8>,
}

impl<'a> Packet<'a> {
    fn new(layout: &'a Layout) -> Self {
        Self { layout, bytes: vec![0; layout.frame_bytes() as usize] }
    }

    fn put(mut self, name: &str, value: &[u8]) -> Self {
        let at = self.layout.channel(name).unwrap().offset as usize;
        self.bytes[at..at + value.len()].copy_from_slice(value);
        self
    }

    /// Sets the first values of `f32` channels.
    fn floats(self, values: &[(&str, f32)]) -> Self {
        values.iter().fold(self, |packet, (name, value)| packet.put(name, &value.to_le_bytes()))
    }
}

/// Pauses where the others are off or paused: everything is 0 but the time.
fn forza(game: &'static Game, bytes: u32) -> Vec<Recorded> {
    let stream = &game.streams[0];
    let layout = stream.layout_of(bytes).unwrap();
    let frame = |moment: Moment| {
        let packet = Packet::new(layout).put("TimestampMS", &(600_000 + moment.step as u32 * 50).to_le_bytes());
        if moment.status != 2 {
            return packet.bytes;
        }
        let metres = moment.share * 4_280.0;
        let packet = packet
            .put("IsRaceOn", &1_i32.to_le_bytes())
            .floats(&[("EngineMaxRpm", 8_000.0), ("EngineIdleRpm", 800.0)])
            .floats(&[("CurrentEngineRpm", 4_000.0 + moment.step as f32 * 20.0), ("Yaw", 1.5), ("Velocity", 0.5)])
            .put("CarOrdinal", &3_545_i32.to_le_bytes())
            .put("CarClass", &4_i32.to_le_bytes())
            .put("CarPerformanceIndex", &693_i32.to_le_bytes())
            .floats(&[("Position", metres), ("Speed", moment.speed_kmh / 3.6), ("TireTemp", 176.0)])
            .floats(&[("DistanceTraveled", moment.lap as f32 * 4_280.0 + metres), ("Fuel", 0.5)])
            .floats(&[
                ("CurrentLap", moment.lap_ms as f32 / 1000.0),
                ("CurrentRaceTime", 300.0 + moment.step as f32 / 20.0),
            ])
            .floats(&[("LastLap", if moment.step < LINE { 0.0 } else { 92.05 })])
            .put("LapNumber", &(moment.lap as u16).to_le_bytes())
            .put("RacePosition", &[4])
            // A shift now and then.
            .put("Gear", &[if moment.step % 20 == 10 { 11 } else { moment.gear as u8 }])
            .put("Accel", &[255])
            .put("Steer", &[0xC1]);
        match bytes {
            331 => packet.put("TrackOrdinal", &1640_i32.to_le_bytes()).floats(&[("TireWear", 0.25)]).bytes,
            _ => packet.bytes,
        }
    };
    vec![recorded(game, stream.name, layout, moments().map(frame).collect())]
}

/// The last kilometre of a stage, with a pause and a penalty; cleared packets behind the finish.
fn dirt_rally() -> Vec<Recorded> {
    let layout = dirt_rally::TELEMETRY.layout_of(264).unwrap();
    let frame = |moment: Moment| {
        let packet = Packet::new(layout);
        let paused = (30..50).contains(&moment.step);
        let driven = if paused { 30 } else { moment.step - if moment.step < 50 { 0 } else { 20 } };
        let progress = 0.987 + driven as f32 / 5_000.0;
        if progress >= 1.0 {
            return packet.bytes;
        }
        let penalty_s = if driven < 60 { 0.0 } else { 15.0 };
        packet
            .floats(&[("totalTime", 210.0 + moment.step as f32 / 20.0)])
            .floats(&[("lapTime", 200.0 + driven as f32 / 20.0 + penalty_s)])
            .floats(&[("lapDistance", progress * 5_000.0), ("progress", progress), ("trackLength", 5_000.0)])
            .floats(&[("positionX", progress * 900.0), ("positionY", 30.0), ("positionZ", -400.0)])
            .floats(&[("speed", 20.0), ("velocityZ", 20.0), ("sidewaysX", 1.0), ("forwardZ", 1.0)])
            .floats(&[("throttle", 0.75), ("steering", -0.5), ("brake", 0.25), ("gear", 3.0), ("gLateral", 0.5)])
            .floats(&[("engineSpeed", 600.0), ("maximumEngineSpeed", 837.758_06), ("idleEngineSpeed", 151.843_66)])
            .floats(&[("gears", 5.0), ("racePosition", 3.0), ("totalLaps", 1.0), ("sector", 3.0)])
            .floats(&[("sector1Time", 53.25), ("sector2Time", 55.75), ("brakeTemperatureFL", 120.0)])
            .floats(&[("suspensionPositionRR", -25.0)])
            .bytes
    };
    vec![recorded(&dirt_rally::GAME, "telemetry", layout, moments().map(frame).collect())]
}

/// A car on a stage of 9876.5 m, of which it drives the last 50.
fn wrc_update(moment: &Moment, packet: Packet<'_>) -> Vec<u8> {
    let distance_m = 9_826.5 + f64::from(moment.step) * 0.5;
    packet
        .put("packet_uid", &(1_000 + moment.step as u64).to_le_bytes())
        .floats(&[
            ("vehicle_left_direction_x", 1.0),
            ("vehicle_forward_direction_z", 1.0),
            ("vehicle_up_direction_y", 1.0),
        ])
        .floats(&[("vehicle_speed", 10.0), ("vehicle_position_x", 5.0), ("vehicle_position_z", distance_m as f32)])
        .floats(&[("vehicle_engine_rpm_max", 7_500.0), ("vehicle_engine_rpm_idle", 1_600.0)])
        .floats(&[("vehicle_engine_rpm_current", 5_000.0 + moment.step as f32), ("vehicle_throttle", 0.5)])
        .floats(&[("vehicle_brake_temperature_fl", 200.0), ("vehicle_hub_position_br", 0.02)])
        .floats(&[("stage_current_time", 300.0 + moment.step as f32 / 20.0)])
        .put("vehicle_gear_index", &[moment.gear as u8])
        .put("vehicle_gear_index_reverse", &[10])
        .put("vehicle_gear_maximum", &[6])
        .put("stage_current_distance", &distance_m.to_le_bytes())
        .put("stage_length", &9_876.5_f64.to_le_bytes())
        .bytes
}

fn wrc_in_our_structure() -> Vec<Recorded> {
    let layout = |stream: &str| ea_wrc::GAME.stream(stream).unwrap().layouts()[0];
    let start = Packet::new(layout("session-start")).put("packet_4cc", b"SESS").put("packet_uid", &7_u64.to_le_bytes());
    let update = |moment: Moment| {
        let packet =
            Packet::new(layout("session-update")).put("packet_4cc", b"SESU").put("route_id", &345_u16.to_le_bytes());
        let packet = packet.put("location_id", &12_u16.to_le_bytes()).put("vehicle_id", &67_u16.to_le_bytes());
        wrc_update(&moment, packet)
    };
    vec![
        recorded(&ea_wrc::GAME, "session-start", layout("session-start"), vec![start.bytes]),
        recorded(&ea_wrc::GAME, "session-update", layout("session-update"), moments().map(update).collect()),
    ]
}

fn wrc_in_default_structure() -> Vec<Recorded> {
    let layout = ea_wrc::GAME.stream("session-update").unwrap().layout_of(237).unwrap();
    let frames = moments().map(|moment| wrc_update(&moment, Packet::new(layout))).collect();
    vec![recorded(&ea_wrc::GAME, "session-update", layout, frames)]
}
