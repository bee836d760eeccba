//! Test case of lap files: the drive of the others as a logger writes it, with a line crossing.
use gametape::format::{Channel, ChannelType, StreamSpec};
use gametape::games::lap_file::{ABOUT, GAME, LAPS, LAPS_36, LapFileAbout, LapFileRow};
use gametape::layout::stream_of_layout;

use super::{Case, LINE, Recorded, moments};

pub fn cases() -> Vec<Case> {
    let text = |text: &str| Some(text.to_owned());
    let about = LapFileAbout {
        format: text("MoTeC ADL"),
        track: text("Track B"),
        car: text("Car A"),
        driver: text("Driver 1"),
        session: text("2"),
        length_m: Some(5_000.0),
    };
    let spec = StreamSpec { game: GAME.id.into(), transport: "file".into(), ..StreamSpec::rows(ABOUT.name) };
    let about = Recorded { spec, frames: vec![about.to_text().into_bytes()] };

    let names = [
        ("Ground Speed", "km/h"),
        ("Gear", ""),
        ("Throttle Pos", "%"),
        ("G Force Lat", "G"),
        ("Tyre Temp FL Centre", "F"),
    ];
    let channels = names.into_iter().zip((0u32..).step_by(4));
    let channels = channels.map(|((name, unit), at)| Channel::new(name, ChannelType::F32, at, 1, unit)).collect();
    let frame = |moment: super::Moment| {
        let numbers = [moment.speed_kmh, moment.gear as f32, 75.0, 1.25, 176.0];
        numbers.into_iter().flat_map(f32::to_le_bytes).collect()
    };
    let spec = StreamSpec {
        game: GAME.id.into(),
        transport: "file".into(),
        layout: "motec-20hz-20".into(),
        ..StreamSpec::columns("20hz", 20, channels)
    };
    let channels = Recorded { spec, frames: moments().map(frame).collect() };

    let row = |moment: super::Moment| {
        let is_behind = moment.step >= LINE;
        let row = LapFileRow {
            lap_distance_m: Some(f64::from(moment.share) * 5_000.0),
            lap_time_s: is_behind.then(|| f64::from(moment.step - LINE) * 0.05),
            last_lap_time_s: None,
            position: Some(moment.share),
            laps_completed: 0,
            before_first_line: !is_behind,
        };
        row.to_bytes().to_vec()
    };
    let laps =
        Recorded { spec: stream_of_layout(GAME.id, LAPS.name, "file", &LAPS_36), frames: moments().map(row).collect() };
    vec![Case { game: &GAME, name: "motec-line", streams: vec![about, channels, laps] }]
}
