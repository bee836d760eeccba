//! Cost of event detection for each frame without events.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Result;
use gametape::games::echo_vr::simulated::{Match, Script};
use gametape::games::echo_vr::{EventDetector, State};

use super::PART_EVENTS as PART;
use super::matches::settings;
use crate::laps::figures::Figure;

/// Nanoseconds per frame.
const MOST_NS: f64 = 200.0;
const ROUNDS: usize = 200;

/// Measures the detection.
pub(super) fn measure() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for players in [2, 10] {
        let match_of_nothing = Match::with_script(settings(players, false, 500, 1), Script::new(Vec::new()));
        let answers: Vec<Vec<u8>> = match_of_nothing.map(|answers| answers.session.into_bytes()).collect();
        let mut states: Vec<State> = answers
            .iter()
            .map(|answer| {
                let mut state = State::default();
                state.read(answer);
                state
            })
            .collect();
        let mut detector = EventDetector::default();
        let mut events = Vec::new();
        detector.see(&mut states[0].clone(), &mut events);
        events.clear();
        let mut best_ns = f64::MAX;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for state in &mut states {
                detector.see(black_box(state), &mut events);
            }
            best_ns = best_ns.min(start.elapsed().as_nanos() as f64 / states.len() as f64);
        }
        let mut state = State::default();
        let mut read_ns = f64::MAX;
        for _ in 0..ROUNDS / 10 {
            let start = Instant::now();
            for answer in &answers {
                black_box(state.read(black_box(answer)));
            }
            read_ns = read_ns.min(start.elapsed().as_nanos() as f64 / answers.len() as f64);
        }
        figures.extend([
            Figure::new(PART, format!("{players} players, detection"), best_ns, "ns/frame").at_most(MOST_NS),
            Figure::count(PART, "  events found where nothing happens", events.len()).exactly(0.0),
            Figure::new(PART, "  reading the state from the text, before it", read_ns, "ns/frame"),
        ]);
    }
    Ok(figures)
}
