//! Test cases of rFactor 2 and Le Mans Ultimate: two cars of the simulated race, around the end of the player's second lap. The streams are the parts
//! of the sections.
use gametape::games::{Game, Stream, le_mans_ultimate, rfactor_2};
use gametape::layout::stream_of_layout;
use gametape_simulator::{RFactor2Pages, Race, RaceSettings};

use super::{Case, Recorded};
use gametape::format::StreamSpec;

/// Moments 50 ms apart: the game is off in the first two and the last one.
const MOMENTS: usize = 30;
const STEPS_PER_MOMENT: usize = 5;
/// The line is crossed in the middle.
const BEFORE_LINE: usize = 14;

pub fn cases() -> Vec<Case> {
    vec![
        Case { game: &le_mans_ultimate::GAME, name: "race-of-two", streams: le_mans_ultimate() },
        Case { game: &rfactor_2::GAME, name: "race-of-two", streams: rfactor_2() },
    ]
}

fn race() -> Race {
    Race::new(RaceSettings { cars: 2, ..RaceSettings::default() })
}

/// Returns the step at which the player has driven two laps.
fn line_step() -> usize {
    let mut race = race();
    (1..100_000)
        .find(|_| {
            race.step();
            race.player_laps_ms().len() == 2
        })
        .unwrap()
}

/// Calls `write` after each step, and `take` for each moment.
fn drive(mut write: impl FnMut(&Race), mut take: impl FnMut(bool)) {
    let first = line_step() - BEFORE_LINE * STEPS_PER_MOMENT;
    let mut race = race();
    for step in 1..first + MOMENTS * STEPS_PER_MOMENT {
        race.step();
        write(&race);
        if step >= first && (step - first).is_multiple_of(STEPS_PER_MOMENT) {
            let moment = (step - first) / STEPS_PER_MOMENT;
            take((2..MOMENTS - 1).contains(&moment));
        }
    }
}

fn recorded(game: &Game, stream: &Stream) -> Recorded {
    let bytes = stream.part().unwrap().bytes as u32;
    let spec = match stream.layout_of(bytes) {
        Some(layout) => stream_of_layout(game.id, stream.name, "shm", layout),
        None => StreamSpec { game: game.id.into(), transport: "shm".into(), ..StreamSpec::rows(stream.name) },
    };
    Recorded { spec, frames: Vec::new() }
}

fn cut(stream: &Stream, page: &[u8], is_on: bool) -> Vec<u8> {
    let part = stream.part().unwrap();
    if is_on { page[part.offset..part.offset + part.bytes].to_vec() } else { vec![0; part.bytes] }
}

fn le_mans_ultimate() -> Vec<Recorded> {
    let streams: Vec<&Stream> = le_mans_ultimate::GAME.streams.iter().take(6).collect();
    let mut all: Vec<Recorded> = streams.iter().map(|stream| recorded(&le_mans_ultimate::GAME, stream)).collect();
    let page = std::cell::RefCell::new(vec![0; 324_820]);
    let take = |is_on| {
        for (recorded, stream) in all.iter_mut().zip(&streams) {
            recorded.frames.push(cut(stream, &page.borrow(), is_on));
        }
    };
    drive(|race| race.write_lmu(&mut page.borrow_mut()), take);
    all
}

fn rfactor_2() -> Vec<Recorded> {
    let streams: Vec<&Stream> = rfactor_2::GAME.streams.iter().take(5).collect();
    let mut all: Vec<Recorded> = streams.iter().map(|stream| recorded(&rfactor_2::GAME, stream)).collect();
    let pages = std::cell::RefCell::new(RFactor2Pages::default());
    let take = |is_on| {
        let pages = pages.borrow();
        for (recorded, stream) in all.iter_mut().zip(&streams) {
            let page = match stream.section().unwrap() {
                "$rFactor2SMMP_Telemetry$" => &pages.telemetry,
                "$rFactor2SMMP_Scoring$" => &pages.scoring,
                _ => &pages.extended,
            };
            recorded.frames.push(cut(stream, page, is_on));
        }
    };
    drive(|race| race.write_rfactor_2(&mut pages.borrow_mut()), take);
    all
}
