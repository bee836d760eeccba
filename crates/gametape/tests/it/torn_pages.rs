//! Games with one page of shared memory: pages that are written by their own protocols with random pauses, and read at 1000 Hz.
#![cfg(any(target_os = "linux", windows))]
use gametape::games::{CopyRule, Game, Stream, automobilista_2, euro_truck_simulator_2, raceroom, trackmania};
use gametape::sys::SectionWriter;

use crate::simulated_pages::pages_between;
use crate::torn::{Raced, RacedPage, race, writes};

/// Marks a page of Automobilista 2.
fn lock_automobilista(section: &SectionWriter, number: u32, is_writing: bool) {
    section.write(7320, &number.wrapping_sub(is_writing.into()).to_le_bytes()).unwrap();
}

/// Marks a page of Trackmania.
fn lock_trackmania(section: &SectionWriter, number: u32, is_writing: bool) {
    section.write(40, &number.wrapping_sub(is_writing.into()).to_le_bytes()).unwrap();
}

fn page_of(game: &Game) -> Vec<u8> {
    pages_between(game, 20_000, 20_100, 50).pop().unwrap()
}

fn automobilista(games: &'static [Game]) -> RacedPage {
    RacedPage {
        games,
        page: page_of(&automobilista_2::GAME),
        number: (7320, 2),
        lock: Some(lock_automobilista),
        stamps: vec![3000, 6300, 12_000, 15_000, 18_000, 20_300],
        pauses_inside: true,
    }
}

fn trackmania(games: &'static [Game]) -> RacedPage {
    RacedPage {
        games,
        page: page_of(&trackmania::GAME),
        number: (40, 2),
        lock: Some(lock_trackmania),
        stamps: vec![436, 1100, 1340, 1370, 1680],
        pauses_inside: true,
    }
}

fn raceroom(games: &'static [Game], pauses_inside: bool) -> RacedPage {
    let stamps = vec![2_700, 12_000, 20_000, 30_000, 43_900];
    RacedPage { games, page: page_of(&raceroom::GAME), number: (44, 1), lock: None, stamps, pauses_inside }
}

fn trucks(games: &'static [Game], pauses_inside: bool) -> RacedPage {
    let page = page_of(&euro_truck_simulator_2::GAME);
    RacedPage { games, page, number: (8, 1), lock: None, stamps: vec![3_900, 7_000, 14_000, 21_500], pauses_inside }
}

#[track_caller]
fn assert_enough(raced: &Raced) {
    assert!(raced.frames * 10 >= raced.reads, "{raced:?}: less than a tenth of the reads gave a frame");
    assert!(raced.refused > 0, "{raced:?}: the reader never met the writer");
}

#[test]
fn pages_with_a_sequence_number_are_never_torn() {
    for raced in [automobilista(&[automobilista_2::GAME]), trackmania(&[trackmania::GAME])] {
        let raced = race(&raced, writes());
        assert_enough(&raced);
        assert_eq!(raced.torn + raced.interrupted, 0);
    }
}

#[test]
fn pages_without_a_lock_that_are_written_at_once_are_torn_at_most_once_in_ten_thousand() {
    for raced in [raceroom(&[raceroom::GAME], false), trucks(&[euro_truck_simulator_2::GAME], false)] {
        let raced = race(&raced, writes());
        assert_enough(&raced);
        assert!(raced.torn <= raced.frames / 10_000, "{raced:?}");
    }
}

/// How often a game without a lock that pauses in the middle of its page would be torn: printed, and documented.
#[test]
fn pages_without_a_lock_whose_writer_pauses_inside_are_counted() {
    for raced in [raceroom(&[raceroom::GAME], true), trucks(&[euro_truck_simulator_2::GAME], true)] {
        assert_enough(&race(&raced, writes() / 10));
    }
}

const fn without_rule(stream: Stream) -> Stream {
    Stream { copy_rule: CopyRule::Whole, ..stream }
}

/// The games without their copy rules: every read is accepted as complete.
static WITHOUT_RULES: [[Game; 1]; 4] = [
    [Game { streams: &[without_rule(automobilista_2::PAGE)], ..automobilista_2::GAME }],
    [Game { streams: &[without_rule(trackmania::PAGE)], ..trackmania::GAME }],
    [Game { streams: &[without_rule(raceroom::PAGE)], ..raceroom::GAME }],
    [Game { streams: &[without_rule(euro_truck_simulator_2::PAGE)], ..euro_truck_simulator_2::GAME }],
];

#[test]
fn control_pages_are_torn_when_their_rules_are_switched_off() {
    let [first, second, third, fourth] = &WITHOUT_RULES;
    let all = [automobilista(first), trackmania(second), raceroom(third, false), trucks(fourth, false)];
    for raced in all {
        let raced = race(&raced, writes() / 2);
        assert!(raced.torn > raced.frames / 10_000, "{raced:?}: the tests above cannot tell");
    }
}
