//! The content of each screen for fixed facts.

use std::time::{Duration, Instant};

use serde_json::json;

use super::super::facts::{Car, TapeRow};
use super::super::source::{Answer, News, Status};
use super::super::state::Screen;
use super::facts::{car, full, tape};
use super::{FULL, PLAIN, on, text};

fn has(shown: &str, words: &[&str]) {
    for word in words {
        assert!(shown.contains(word), "{word:?} is not in\n{shown}");
    }
}

#[test]
fn all_cars_are_shown_with_dashes_for_what_the_game_does_not_report() {
    for screen in [Screen::Live, Screen::Laps] {
        let mut state = on(screen, PLAIN);
        state.all_cars = true;
        let wide = text(&mut state, 100, 24);
        let line = |name: &str| wide.lines().find(|line| line.contains(name)).unwrap().to_owned();
        has(&wide, &["pos", "interval", "stops", "tyre", "class"]);
        has(&line("Driver 2"), &["1", "1:44.990", "1:44.550*", "medium", "GT3"]);
        has(&line("Driver 1"), &[">  2", "+12.345", "1:45.673 ", "soft"]);
        assert!(!line("Driver 2").contains('+'), "the leader has no gap");
        has(&line("car 9"), &["-:--.---", "retired"]);
        assert!(!line("car 9").contains('0'), "unknown is not 0: {}", line("car 9"));
        let narrow = text(&mut state, 40, 12);
        has(&narrow, &["Driver 1", "+12.345", "1:45.673"]);
    }
}

#[test]
fn the_live_screen_has_all_figures_at_both_sizes() {
    let mut state = on(Screen::Live, PLAIN);
    let wide = text(&mut state, 80, 24);
    has(
        &wide,
        &[
            "DRIVING",
            "Kyalami",
            "Driver 1",
            "213 km/h",
            "gear 4",
            "7,012 rpm",
            "9,250",
            "92 %",
            "-25 %",
            "-0.213",
            "0:45.123",
            "valid",
            "1:45.104",
            "invalid",
            "1:45.673*",
            "1:44.990",
            "+0.087",
            "31.204",
            "32.4 L",
            "2.31 L/lap",
            "14.0 laps left",
            "82.1 C",
            "27.3 psi",
            "4 % worn",
            "P3",
            "12:34 left",
        ],
    );
    let narrow = text(&mut state, 40, 12);
    has(
        &narrow,
        &[
            "DRIVING",
            "213 km/h",
            "gear 4",
            "7,012 rpm",
            "thr ",
            "92%",
            "brk ",
            "str ",
            "0:45.123",
            "valid",
            "-0.213",
            "1:45.104",
            "1:45.673",
            "S1 31.204",
            "32.4 L",
            "FL  82C 27.3psi",
            "RR  80C 27.1psi",
        ],
    );
    let tall = text(&mut state, 120, 40);
    has(&tall, &["to best", "cut", "1:45.990"]);
}

#[test]
fn a_game_that_is_not_driven_is_said_to_be_so() {
    for (said, word) in [
        ("paused", "PAUSED"),
        ("replay", "REPLAY"),
        ("menu", "MENU"),
        ("stale", "STALE"),
        ("waiting", "NO GAME"),
        ("nonsense", "NO GAME"),
    ] {
        let mut state = full(PLAIN);
        let mut car = car();
        car["state"] = said.into();
        state.hear(News { car: Some((Car::of(&car), Instant::now())), ..News::default() });
        for (columns, rows) in [(80, 24), (40, 12)] {
            let shown = text(&mut state, columns, rows);
            has(&shown, &[word]);
            assert!(!shown.contains("DRIVING"), "{shown}");
        }
    }
    let mut state = full(PLAIN);
    state.hear(News { car: Some((Car::of(&car()), Instant::now() - Duration::from_secs(5))), ..News::default() });
    has(&text(&mut state, 80, 24), &["STALE", "no new data for 5 s"]);
}

#[test]
fn a_lost_line_is_said_on_every_screen_and_its_figures_go() {
    let mut state = full(PLAIN);
    let lost = Status::Lost { name: "http://rig:7223".into(), reason: "connection refused".into() };
    state.hear(News { status: Some(lost), ..News::default() });
    for screen in Screen::ALL {
        state.screen = screen;
        has(&text(&mut state, 80, 24), &["CONNECTION LOST", "connection refused", "reconnecting"]);
        has(&text(&mut state, 40, 12), &["CONNECTION LOST"]);
    }
    state.screen = Screen::Live;
    assert!(!text(&mut state, 80, 24).contains("213"));
    state.screen = Screen::Laps;
    has(&text(&mut state, 80, 24), &["1:45.673"]);
    let here = Status::Store { name: "the store".into(), lost: None };
    state.hear(News { status: Some(here), ..News::default() });
    state.screen = Screen::Live;
    has(&text(&mut state, 80, 24), &["NO RECORDER IS RUNNING", "gametape demo"]);
    has(&text(&mut state, 40, 12), &["NO RECORDER IS RUNNING", "gametape demo"]);
}

#[test]
fn an_empty_store_says_what_to_do() {
    let mut state = super::super::state::State::new(PLAIN);
    let answers =
        vec![super::super::source::Answer::Sessions(Ok(vec![])), super::super::source::Answer::Tapes(Ok(vec![]))];
    let status = Some(Status::Store { name: "no store yet".into(), lost: None });
    state.hear(News { status, answers, ..News::default() });
    for screen in [Screen::Sessions, Screen::Laps, Screen::Tapes] {
        state.screen = screen;
        has(&text(&mut state, 80, 24), &["yet", "gametape demo"]);
        has(&text(&mut state, 40, 12), &["yet", "gametape demo"]);
    }
    state.screen = Screen::Compare;
    has(&text(&mut state, 40, 12), &["No laps are chosen", "space"]);
}

#[test]
fn laps_that_do_not_count_say_so_in_words_and_bests_have_a_sign() {
    let shown = text(&mut on(Screen::Laps, PLAIN), 80, 24);
    let row = |number: &str| {
        shown.lines().find(|line| line.get(3..7).is_some_and(|lap| lap.trim() == number)).unwrap().to_owned()
    };
    has(&row("3"), &["1:45.673*", "best"]);
    has(&row("4"), &["1:45.990 ", "+0.317", "invalid, cut"]);
    has(&row("2"), &["31.210*", "41.522*", "32.390*"]);
    assert!(!row("2").contains("invalid"));
    has(&shown, &["best 1:45.673", "best sectors 1:45.104", "practice, Kyalami"]);
    let narrow = text(&mut on(Screen::Laps, PLAIN), 40, 12);
    has(&narrow, &["1:45.673*", "+0.317", "invalid"]);
}

#[test]
fn a_comparison_has_its_delta_its_stretches_and_a_place() {
    let mut state = on(Screen::Compare, PLAIN);
    let shown = text(&mut state, 80, 30);
    has(
        &shown,
        &[
            "A  1:45.673",
            "B  1:45.990",
            "+0.317",
            "km/h A",
            "km/h B",
            "thr A",
            "brk B",
            "lost  +0.120  0 to 200 m",
            "won  -0.088  200 to 400 m",
            "+0.200",
            "-0.200",
        ],
    );
    assert!(!shown.contains("400 to 600"), "what was driven alike is not told: {shown}");
    assert!(shown.contains("A 150 km/h 0%/0%   B 155 km/h 0%/0%"), "{shown}");
    state.cursor = 1.0;
    has(&text(&mut state, 80, 30), &["  4000 m"]);
    // Small terminals scroll.
    let top = text(&mut state, 40, 12);
    has(&top, &["A  1:45.673", "more below"]);
    state.scroll = 500;
    has(&text(&mut state, 40, 12), &["lost  +0.120  0 to 200 m", "won   -0.088"]);
}

#[test]
fn tapes_say_what_is_open_or_missing() {
    let shown = text(&mut on(Screen::Tapes, PLAIN), 80, 24);
    has(&shown, &["1:02:03", "3.0 MB", "open", "missing", "1 of 4 tapes"]);
    has(&text(&mut on(Screen::Tapes, PLAIN), 40, 12), &["Kyalami", "1:02:03"]);
}

#[test]
fn a_tape_that_is_being_recorded_says_so_and_claims_no_length() {
    let mut state = on(Screen::Tapes, PLAIN);
    // As in the catalogue: it was empty when it was opened.
    let mut file = tape(1);
    file["duration_ns"] = json!(0);
    state.hear(News { answers: vec![Answer::Tapes(Ok(TapeRow::of(&file).into_iter().collect()))], ..News::default() });
    let another = text(&mut state, 80, 24);
    has(&another, &["open"]);
    assert!(!another.contains("0:00") && !another.contains("recording"), "{another}");
    let mut driving = car();
    driving["tape"] = file["id"].clone();
    state.hear(News { car: Some((Car::of(&driving), Instant::now())), ..News::default() });
    for (columns, rows) in [(80, 24), (40, 12)] {
        let shown = text(&mut state, columns, rows);
        has(&shown, &["Kyalami", "recording"]);
        assert!(!shown.contains("0:00") && !shown.contains("3.0 MB"), "{shown}");
    }
}

#[test]
fn whole_screens_are_as_they_were_looked_at() {
    for (screen, columns, rows, expected) in [
        (Screen::Live, 80, 24, include_str!("live-80x24.txt")),
        (Screen::Live, 40, 12, include_str!("live-40x12.txt")),
        (Screen::Laps, 80, 24, include_str!("laps-80x24.txt")),
        (Screen::Compare, 80, 24, include_str!("compare-80x24.txt")),
        (Screen::Sessions, 40, 12, include_str!("sessions-40x12.txt")),
    ] {
        let shown = text(&mut on(screen, FULL), columns, rows);
        let file = format!("{screen:?}-{columns}x{rows}").to_lowercase();
        if let Some(folder) = std::env::var_os("GAMETAPE_TOP_SCREENS") {
            std::fs::write(std::path::Path::new(&folder).join(format!("{file}.txt")), &shown).unwrap();
            continue;
        }
        assert_eq!(shown, expected, "{file}");
    }
}
