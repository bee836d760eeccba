//! For the fuzz targets and mutation tests only: vehicles of rFactor 2 and Le Mans Ultimate in frames that are shorter than those of the games.
use super::interface::{SCORING, SCORING_CARS};
use crate::capture::{Presence, Seen, SeenFrame};
use crate::lap_frame::LapFrame;
use crate::layout::NO_CHANNELS;
use crate::registry::Game;
use crate::sample::Sample;

/// Vehicles in a moment.
const VEHICLES: usize = 3;
/// Lengths of the frames of a moment: session, classification, telemetry.
const MOMENT: [usize; 3] = [560, VEHICLES * 584, VEHICLES * 1888];

/// Reads bytes as moments of both games. Panics if an invariant that must hold for any input does not.
pub fn fuzz_vehicles(data: &[u8]) {
    for (game, telemetry) in
        [(&super::GAME, "telemetry_cars_0_31"), (&crate::le_mans_ultimate::GAME, "telemetry_cars_0_25")]
    {
        read(game, telemetry, data);
    }
}

fn read(game: &Game, telemetry: &'static str, mut data: &[u8]) {
    let (mut decoder, mut laps) = (game.rules.decoder(), game.rules.laps());
    let Some(mut standings) = game.rules.standings() else { return };
    let (mut sample, mut lap_frame) = (Sample::default(), LapFrame::default());
    while !data.is_empty() {
        let frames = MOMENT.into_iter().zip([SCORING, SCORING_CARS, telemetry]).map(|(bytes, stream)| {
            let (frame, rest) = data.split_at(data.len().min(bytes));
            data = rest;
            SeenFrame { stream, layout: &NO_CHANNELS, bytes: frame }
        });
        let frames: Vec<SeenFrame<'_>> = frames.collect();
        for frame in &frames {
            decoder.frame(*frame, &mut sample);
            laps.frame(*frame, &mut lap_frame);
            standings.frame(*frame);
            let numbers = [sample.speed_kmh, sample.fuel_l, sample.track_position, sample.lateral_g, sample.steering];
            assert!(numbers.into_iter().flatten().all(f32::is_finite), "{sample:?}");
            for share in [sample.throttle, sample.brake, sample.clutch, sample.track_position, lap_frame.position] {
                assert!(share.is_none_or(|share| (0.0..=1.0).contains(&share)), "{share:?}");
            }
            let cars = standings.cars();
            assert!(cars.len() <= VEHICLES && cars.is_sorted_by_key(|car| car.car), "{cars:?}");
        }
        let (seen, rules) = (Seen(&frames), game.rules);
        let _ = (rules.is_it(seen), rules.about(seen), rules.counter(seen));
        if rules.presence(seen) == Presence::Off {
            assert!(rules.session_key(seen).is_none());
        }
        for section_bytes in [245_760, 77_824, 327_680] {
            let found = rules.stream_of(section_bytes, frames.first().map_or(&[], |frame| frame.bytes));
            assert!(found.is_none_or(|stream| game.stream(stream).is_some()), "{found:?}");
        }
    }
}
