//! Sizes, colours, characters: invariants of every screen.

use ratatui::style::{Color, Modifier};
use serde_json::{Value, json};

use super::super::facts::{Car, Comparison, SessionDetail, Standings, TapeRow, sessions};
use super::super::look::Look;
use super::super::source::{Answer, News};
use super::super::state::{Screen, State};
use super::facts::{car, comparison, detail, full, id, session, standings, tape, told};
use super::{FULL, PLAIN, drawn, on, text};

const SIZES: [(u16, u16); 12] =
    [(1, 1), (2, 2), (1, 50), (200, 1), (3, 3), (10, 4), (40, 12), (69, 15), (70, 16), (80, 24), (120, 40), (400, 200)];

/// Texts that are malicious or not names.
const NASTY: &str = "\u{1b}[31mred\u{7}\u{202e}desrever\u{0}\r\n\t\u{9b}2J 日本語のとても長い名前 é\u{301}";

fn nasty(value: &mut Value, number: &Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| nasty(item, number)),
        Value::Object(fields) => fields
            .iter_mut()
            .filter(|(name, _)| !name.contains("id") && *name != "session" && *name != "name")
            .for_each(|(_, field)| nasty(field, number)),
        Value::String(text) => *text = NASTY.repeat(20),
        Value::Number(old) => *value = if old.is_f64() { json!(1e300) } else { number.clone() },
        _ => {}
    }
}

/// A state in which everything is malformed.
fn garbage(look: Look, number: &Value) -> State {
    let mut state = full(look);
    let (mut car, mut list, mut laps, mut compared, mut file) = (car(), session(1), detail(9), comparison(), tape(1));
    for value in [&mut car, &mut list, &mut laps, &mut compared, &mut file] {
        nasty(value, number);
    }
    car["state"] = "driving".into();
    car["session"] = id(1).into();
    let mut answers = vec![Answer::Sessions(Ok(sessions(&json!({ "sessions": [list], "next": NASTY })).0))];
    answers.extend(SessionDetail::of(&laps).map(|laps| Answer::Session(id(1), Ok(laps))));
    answers.extend(Comparison::of(&compared).map(|found| Answer::Compare((id(103), id(104)), Ok(Box::new(found)))));
    let mut cars = standings();
    nasty(&mut cars, number);
    answers.extend(Standings::of(&cars).map(|cars| Answer::Standings(id(1), Ok(cars))));
    answers.extend(TapeRow::of(&file).map(|tape| Answer::Tapes(Ok(vec![tape]))));
    state.hear(News { car: Some((Car::of(&car), std::time::Instant::now())), answers, ..News::default() });
    state.say(super::super::text::clean(NASTY));
    state
}

fn states(look: Look) -> Vec<State> {
    let numbers =
        [json!(u64::MAX), json!(-1), json!(0), json!("text"), json!(null), json!([[]]), json!(4_000_000_000_u64)];
    let mut states: Vec<State> = numbers.iter().map(|number| garbage(look, number)).collect();
    states.extend([
        State::new(look),
        full(look),
        told(look, &car(), 500),
        told(look, &json!({}), 0),
        told(look, &json!("x"), 1),
    ]);
    let mut failed = State::new(look);
    failed.hear(News {
        answers: vec![Answer::Sessions(Err("no".into())), Answer::Tapes(Err("no".into()))],
        ..News::default()
    });
    states.push(failed);
    states
}

fn each(look: Look, mut check: impl FnMut(&mut State, &str)) {
    for (number, mut state) in states(look).into_iter().enumerate() {
        for screen in Screen::ALL {
            for (help, all_cars) in [(false, false), (true, false), (false, true)] {
                (state.screen, state.help, state.all_cars) = (screen, help, all_cars);
                check(&mut state, &format!("state {number}, {screen:?}, help {help}, all cars {all_cars}"));
            }
        }
    }
}

#[test]
fn every_screen_draws_at_every_size_whatever_the_server_says() {
    for look in [PLAIN, FULL] {
        each(look, |state, _| {
            for (columns, rows) in SIZES {
                drawn(state, columns, rows);
            }
        });
    }
}

#[test]
fn without_utf8_every_cell_is_ascii_and_without_colour_none_has_one() {
    each(PLAIN, |state, what| {
        for (columns, rows) in [(40, 12), (80, 24), (120, 40)] {
            let buffer = drawn(state, columns, rows);
            for cell in buffer.content() {
                assert!(cell.symbol().is_ascii(), "{what}: {:?}", cell.symbol());
                assert_eq!(
                    (cell.fg, cell.bg, cell.modifier),
                    (Color::Reset, Color::Reset, Modifier::empty()),
                    "{what}"
                );
            }
        }
    });
    let coloured = drawn(&mut on(Screen::Live, FULL), 80, 24);
    assert!(coloured.content().iter().any(|cell| cell.fg != Color::Reset), "the control: with colours there are some");
    assert!(coloured.content().iter().any(|cell| !cell.symbol().is_ascii()));
}

#[test]
fn nothing_that_steers_a_terminal_comes_through() {
    let unsafe_sign = |c: char| {
        c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
    };
    assert!(NASTY.chars().any(unsafe_sign), "the control: it is in what the server says");
    each(FULL, |state, what| {
        for (columns, rows) in [(40, 12), (120, 40)] {
            for cell in drawn(state, columns, rows).content() {
                assert!(!cell.symbol().chars().any(unsafe_sign), "{what}: {:?}", cell.symbol());
            }
        }
    });
}

#[test]
fn the_environment_says_what_may_be_used() {
    let look = |variables: &[(&str, &str)]| {
        let found =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Look::of(found, false)
    };
    assert_eq!(look(&[("LANG", "en_US.UTF-8"), ("TERM", "xterm-256color")]), FULL);
    assert_eq!(look(&[("LANG", "de_DE.utf8"), ("TERM", "xterm")]), FULL);
    assert_eq!(look(&[("LANG", "en_US.UTF-8"), ("TERM", "dumb")]), PLAIN);
    assert_eq!(look(&[("LANG", "C"), ("TERM", "xterm")]), Look { unicode: false, ..FULL });
    assert_eq!(look(&[("TERM", "xterm")]), Look { unicode: false, ..FULL });
    assert_eq!(look(&[("LANG", "en_US.UTF-8"), ("LC_ALL", "C")]), Look { unicode: false, ..FULL });
    assert_eq!(look(&[("LANG", "C.UTF-8"), ("NO_COLOR", "1")]), Look { colour: false, ..FULL });
    assert_eq!(look(&[("LANG", "C.UTF-8"), ("NO_COLOR", "")]), FULL, "an empty one does not count");
}

#[test]
fn of_five_hundred_laps_the_picked_one_is_shown() {
    let mut state = told(PLAIN, &car(), 500);
    state.screen = Screen::Laps;
    for at in [0, 1, 250, 499] {
        state.lap.at = at;
        let shown = text(&mut state, 80, 24);
        assert!(shown.lines().any(|line| line.starts_with(&format!(">  {:>4} ", at + 1))), "{at}\n{shown}");
        assert!(shown.contains(&format!("{} of 500 laps", at + 1)), "{shown}");
    }
}
