//! Test cases of games with one page of shared memory: the simulated car ends a lap; then the game is paused, and goes off.
use gametape::games::{
    Game, american_truck_simulator, automobilista_2, euro_truck_simulator_2, project_cars, raceroom, trackmania,
};
use gametape::layout::stream_of_layout;

use super::{Case, Recorded};
use crate::simulated_pages::{page_stream, pages_between, put};

pub fn cases() -> Vec<Case> {
    vec![
        case(&american_truck_simulator::GAME, "job-and-pause"),
        case(&automobilista_2::GAME, "memory-lap-and-pause"),
        case(&euro_truck_simulator_2::GAME, "job-and-pause"),
        case(&project_cars::GAME, "memory-lap-and-pause"),
        case(&raceroom::GAME, "lap-and-pause"),
        case(&trackmania::GAME, "lap-and-pause"),
    ]
}

fn case(game: &'static Game, name: &'static str) -> Case {
    let is_truck = !game.rules.has_laps();
    // The first lap ends at 39.1 s; the job begins at 5 s.
    let from_ms = if is_truck { 4_000 } else { 37_500 };
    let mut pages = pages_between(game, from_ms, from_ms + 4_000, 50);
    let last = pages.last().unwrap().clone();
    for index in 0..8 {
        let mut paused = last.clone();
        pause(game, &mut paused, index >= 4);
        pages.push(paused);
    }
    let stream = page_stream(game);
    let layout = stream.layout_of(pages[0].len() as u32).unwrap();
    let spec = stream_of_layout(game.id, stream.name, "shm", layout);
    Case { game, name, streams: vec![Recorded { spec, frames: pages }] }
}

/// Shows that the game is paused or off.
fn pause(game: &Game, page: &mut [u8], is_off: bool) {
    match game.id {
        "raceroom" => {
            put(page, 20, &1_i32.to_le_bytes());
            if is_off {
                put(page, 780, &(-1_i32).to_le_bytes());
            }
        }
        "automobilista-2" | "project-cars" => put(page, 8, &(if is_off { 1_u32 } else { 3 }).to_le_bytes()),
        "trackmania" => put(page, 44, &(if is_off { 1_u32 } else { 3 }).to_le_bytes()),
        _ => {
            put(page, 4, &[1]);
            put(page, 0, &[u8::from(!is_off)]);
        }
    }
}
