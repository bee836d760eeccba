#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::{Arc, Mutex};

use gametape_format::TapeId;
use zerocopy::IntoBytes as _;

use super::Reference;
use super::{CarNow, CarSink};
use crate::capture::{Description, ObservedFrame, Observer as _, TapeBegins};
use crate::games::{Sample, acc};
use crate::laps::Session;
use crate::layout::stream_of_layout;
use crate::live::tap::Tap;
use crate::live::worker::{Readers, Worker};
use gametape_simulator::{Script, Simulation};

fn here(share: f32, time_ms: u32) -> Sample {
    Sample { track_position: Some(share), lap_time_ms: Some(time_ms), ..Sample::default() }
}

fn lap(ms: impl Fn(f32) -> f32) -> Reference {
    let mut lap = Reference::default();
    for step in 0..=1000 {
        let share = step as f32 / 1000.0;
        lap.add(&here(share, ms(share) as u32), None);
    }
    lap
}

#[test]
fn a_delta_is_the_difference_at_the_same_place() {
    let even = lap(|share| share * 100_000.0);
    assert_eq!(even.delta_ms(&here(0.25, 26_000), None), Some(1_000), "a second later: slower is +");
    assert_eq!(even.delta_ms(&here(0.5005, 49_550), None), Some(-500), "between two points");
    assert_eq!(even.delta_ms(&Sample::default(), None), None);
    let without_timer = Sample { track_position: Some(0.5), ..Sample::default() };
    assert_eq!(
        even.delta_ms(&without_timer, Some(50_250_000_000)),
        Some(250),
        "by the clock where the game has no timer"
    );
}

#[test]
fn what_was_not_driven_has_no_delta_and_what_went_back_does_not_count() {
    let mut holed = Reference::default();
    for step in (0..400).chain(600..1000) {
        holed.add(&here(step as f32 / 1000.0, step * 100), None);
    }
    assert_eq!(holed.delta_ms(&here(0.5, 50_000), None), None);
    assert_eq!(holed.delta_ms(&here(0.7, 70_000), None), Some(0));
    let mut odd = Reference::default();
    // The last position of the previous lap, then forward, a spin, and forward again.
    for (share, ms) in [(0.999, 0), (0.1, 10_000), (0.11, 11_000), (0.105, 12_000), (f32::NAN, 12_500), (0.12, 20_000)]
    {
        odd.add(&here(share, ms), None);
    }
    assert_eq!(odd.delta_ms(&here(0.115, 15_500), None), Some(0));
    assert_eq!(odd.delta_ms(&here(0.05, 5_000), None), None);
}

#[test]
fn a_timer_that_starts_anew_late_is_not_believed_until_it_does() {
    // Like iRacing: for two seconds after the line, the timer still shows the previous lap.
    let shown = |ms: u32| if ms < 2_000 { 100_400 + ms } else { ms };
    let mut late = Reference::default();
    for ms in (0..100_000).step_by(100) {
        late.add(&here(ms as f32 / 100_000.0, shown(ms)), Some(u64::from(ms) * 1_000_000));
    }
    let at = |share: f32, ms: u32| late.delta_ms(&here(share, shown(ms)), Some(u64::from(ms) * 1_000_000));
    assert_eq!((at(0.5, 50_300), at(0.01, 1_100)), (Some(300), Some(100)));
    // If recording began in the middle of a lap, only the game's timer is known.
    assert_eq!(late.delta_ms(&here(0.5, 50_300), None), Some(300));
}

/// What was shown: time, best lap, whether there is a session, state of the car.
type Shown = (u64, Option<u32>, bool, &'static str);

/// Records what is shown.
#[derive(Default)]
struct Newest(Mutex<Vec<Shown>>);

impl CarSink for Newest {
    fn car(&self, car: &CarNow<'_>) {
        self.0.lock().unwrap().push((car.at_ns, car.best_ms, car.session.is_some(), car.state.as_str()));
    }

    fn gone(&self) {}

    fn best_ever(&self, _: &Session) -> Option<Reference> {
        None
    }

    fn failed(&self, part: &'static str) {
        panic!("{part} failed");
    }
}

/// Returns what is shown for a script that is followed by a gap of three seconds.
fn shown(script: Script) -> Vec<Shown> {
    let pages = [("physics", &acc::PHYSICS_800), ("graphics", &acc::GRAPHICS_1588), ("static", &acc::STATIC_820)];
    let mut description = Description::of_game(acc::GAME.id);
    description.streams = pages.map(|(name, layout)| stream_of_layout(acc::GAME.id, name, "shm", layout)).to_vec();
    let (mut tap, ring) = Tap::new(4, 1 << 20, false, None);
    let file = Some((TapeId([7; 16]), std::path::Path::new("car.gtape")));
    tap.begin(&TapeBegins { description: &description, file, utc_ns: 0, replay_of: None });
    let newest = Arc::new(Newest::default());
    let sink: Arc<dyn CarSink> = newest.clone();
    let mut worker = Worker::new(Readers::of_car(sink));
    let mut take = || while ring.try_empty(&mut |slot| worker.take(slot)) {};
    let mut last_ns = 0;
    for (time_ns, pages) in Simulation::bare(script).sample(20) {
        let bytes = [pages.physics.as_bytes(), pages.graphics.as_bytes(), pages.static_page.as_bytes()];
        let frames = bytes.into_iter().enumerate();
        frames.for_each(|(stream, bytes)| tap.frame(&ObservedFrame::new(stream, time_ns, bytes)));
        take();
        last_ns = time_ns;
    }
    tap.gap(last_ns + 3_000_000_000, 3_000_000_000);
    take();
    newest.0.lock().unwrap().clone()
}

#[test]
fn the_best_is_that_of_the_sessions_driver_and_a_gap_ends_the_session() {
    let slow = [30_500, 34_700, 35_200];
    let driven = Script::new().lap(&slow).sectors(&slow).set(|board| board.finish_lap(100_400));
    let driven = driven.sectors(&slow).set(|board| board.finish_lap(100_400)).lap(&[29_000, 34_000, 35_000]);
    let pits = driven.at(195_000).in_pit_lane(true).at(205_000).in_box(true).at(210_000);
    let swapped = pits.driver_swap("Driver", "2", 1002).at(230_000).in_box(false).wait(3_000).in_pit_lane(false);
    let shown = shown(swapped.at(404_500));
    let (_, best, session, _) = shown[shown.len() - 2];
    assert_eq!((best, session), (Some(100_400), true), "not the other driver's");
    assert!(shown.iter().all(|(_, best, ..)| best.is_none_or(|best| best == 100_400)));
    assert!(!shown.last().unwrap().2, "the game was away: its session is over");
}

#[test]
fn f3_a_page_that_stands_is_shown_as_stale() {
    let mut shown = shown(Script::new().at(20_000).freeze(10_000).at(40_000));
    // After the drive there is a gap.
    shown.pop();
    let stale: Vec<u64> = shown.iter().filter(|shown| shown.3 == "stale").map(|shown| shown.0 / 1_000_000).collect();
    let (first, last) = (*stale.first().unwrap(), *stale.last().unwrap());
    assert!((22_000..22_200).contains(&first) && (29_900..30_100).contains(&last), "{first} to {last}");
    let driving = shown.iter().filter(|shown| shown.3 == "driving").count();
    assert!(
        driving > shown.len() / 2 && driving + stale.len() + 3 >= shown.len(),
        "all but the first pages: {driving}"
    );
}
