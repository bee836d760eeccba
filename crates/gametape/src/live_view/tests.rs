#![allow(clippy::unwrap_used, clippy::panic)]

use super::reference::Reference;
use crate::games::Sample;

fn here(share: f32, time_ms: u32) -> Sample {
    Sample { track_position: Some(share), lap_time_ms: Some(time_ms), ..Sample::default() }
}

fn lap(ms: impl Fn(f32) -> f32) -> Reference {
    let mut lap = Reference::default();
    for step in 0..=1000 {
        let share = step as f32 / 1000.0;
        lap.add(&here(share, ms(share) as u32), 0);
    }
    lap
}

#[test]
fn a_delta_is_the_difference_at_the_same_place() {
    let even = lap(|share| share * 100_000.0);
    assert_eq!(even.delta_ms(&here(0.25, 26_000), 0), Some(1_000), "a second later: slower is +");
    assert_eq!(even.delta_ms(&here(0.5005, 49_550), 0), Some(-500), "between two points");
    assert_eq!(even.delta_ms(&Sample::default(), 0), None);
    let without_timer = Sample { track_position: Some(0.5), ..Sample::default() };
    assert_eq!(even.delta_ms(&without_timer, 50_250_000_000), Some(250), "by the clock where the game has no timer");
}

#[test]
fn what_was_not_driven_has_no_delta_and_what_went_back_does_not_count() {
    let mut holed = Reference::default();
    for step in (0..400).chain(600..1000) {
        holed.add(&here(step as f32 / 1000.0, step * 100), 0);
    }
    assert_eq!(holed.delta_ms(&here(0.5, 50_000), 0), None);
    assert_eq!(holed.delta_ms(&here(0.7, 70_000), 0), Some(0));
    let mut odd = Reference::default();
    // The last place of the lap before, then forward, a spin, and forward again.
    for (share, ms) in [(0.999, 0), (0.1, 10_000), (0.11, 11_000), (0.105, 12_000), (f32::NAN, 12_500), (0.12, 20_000)]
    {
        odd.add(&here(share, ms), 0);
    }
    assert_eq!(odd.delta_ms(&here(0.115, 15_500), 0), Some(0));
    assert_eq!(odd.delta_ms(&here(0.05, 5_000), 0), None);
}
