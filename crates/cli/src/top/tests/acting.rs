//! Key handling and requests.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::keys::{Act, DeckKey, press};
use super::super::mouse::mouse;
use super::super::screens::draw;
use super::super::source::{Answer, Ask, News, Status};
use super::super::state::{Screen, State};
use super::facts::{full, id};
use super::{PLAIN, text};

fn key(state: &mut State, code: KeyCode) -> Option<Act> {
    press(state, KeyEvent::new(code, KeyModifiers::NONE))
}

fn typed(state: &mut State, text: &str) {
    for c in text.chars() {
        key(state, KeyCode::Char(c));
    }
}

#[test]
fn digits_tab_and_escape_go_through_the_screens_and_q_ends() {
    let mut state = full(PLAIN);
    for (digit, screen) in ['1', '2', '3', '4', '5'].into_iter().zip(Screen::ALL) {
        key(&mut state, KeyCode::Char(digit));
        assert_eq!(state.screen, screen);
    }
    key(&mut state, KeyCode::Tab);
    assert_eq!(state.screen, Screen::Live);
    key(&mut state, KeyCode::BackTab);
    assert_eq!(state.screen, Screen::Tapes);
    state.screen = Screen::Compare;
    for screen in [Screen::Laps, Screen::Sessions, Screen::Live, Screen::Live] {
        key(&mut state, KeyCode::Esc);
        assert_eq!(state.screen, screen);
    }
    assert_eq!(key(&mut state, KeyCode::Char('q')), Some(Act::Quit { interrupted: false }));
    let ctrl_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(press(&mut state, ctrl_c), Some(Act::Quit { interrupted: true }));
}

#[test]
fn all_cars_are_on_a_key_and_requested_while_they_are_shown() {
    let mut state = full(PLAIN);
    let now = Instant::now();
    let wanted = |state: &mut State, now: Instant| {
        let is_cars = |ask: &Ask| matches!(ask, Ask::Standings(session) if *session == id(1));
        state.wants(now).iter().filter(|ask| is_cars(ask)).count()
    };
    assert_eq!(wanted(&mut state, now), 0);
    key(&mut state, KeyCode::Char('a'));
    assert!(state.all_cars);
    assert_eq!((wanted(&mut state, now), wanted(&mut state, now)), (1, 0), "once");
    let cars = state.cars.value.clone().unwrap();
    state.hear(News { answers: vec![Answer::Standings(id(1), Ok(cars))], ..News::default() });
    assert_eq!(wanted(&mut state, now + Duration::from_secs(1)), 0, "nothing has changed");
    state.hear(News { cars_changed: true, ..News::default() });
    assert_eq!(wanted(&mut state, now + Duration::from_secs(1)), 1);
    key(&mut state, KeyCode::End);
    assert_eq!(state.first_car, 2);
    // Not on the other screens.
    state.screen = Screen::Sessions;
    key(&mut state, KeyCode::Char('a'));
    assert!(state.all_cars && state.cars_wanted().is_none());
}

#[test]
fn help_is_on_a_key_and_any_key_leaves_it() {
    let mut state = full(PLAIN);
    state.screen = Screen::Tapes;
    key(&mut state, KeyCode::Char('?'));
    let shown = text(&mut state, 80, 24);
    assert!(shown.contains("faster, slower") && shown.contains("q, Ctrl+C"), "{shown}");
    assert!(text(&mut state, 40, 12).contains("Enter, p"));
    assert_eq!(key(&mut state, KeyCode::Char('5')), None);
    assert!(!state.help && state.screen == Screen::Tapes);
}

#[test]
fn typing_filters_sessions_and_letters_are_no_commands_meanwhile() {
    let mut state = full(PLAIN);
    state.screen = Screen::Sessions;
    state.session.at = 5;
    key(&mut state, KeyCode::Char('/'));
    typed(&mut state, "MONZA q");
    assert!(state.shown_sessions().is_empty());
    key(&mut state, KeyCode::Backspace);
    key(&mut state, KeyCode::Backspace);
    assert_eq!(state.shown_sessions().len(), 3);
    assert!(state.session.at < 3, "what is picked is among what is shown");
    let shown = text(&mut state, 80, 24);
    assert!(shown.contains("Monza") && !shown.contains("Kyalami") && shown.contains("/MONZA"), "{shown}");
    key(&mut state, KeyCode::Enter);
    assert!(!state.typing && state.filter == "MONZA");
    key(&mut state, KeyCode::Enter);
    assert_eq!((state.screen, state.open.as_deref()), (Screen::Laps, Some(id(2).as_str())));
    state.screen = Screen::Sessions;
    key(&mut state, KeyCode::Esc);
    assert_eq!((state.screen, state.filter.as_str()), (Screen::Sessions, ""));
    key(&mut state, KeyCode::Char('/'));
    typed(&mut state, &"x".repeat(10_000));
    assert!(state.filter.len() <= 60, "a key that is stuck takes no memory");
}

#[test]
fn two_laps_are_chosen_and_compared_and_one_alone_with_the_best() {
    let mut state = full(PLAIN);
    (state.pair, state.screen) = (None, Screen::Laps);
    state.lap.at = 3;
    key(&mut state, KeyCode::Char('c'));
    assert_eq!(
        (state.pair.clone(), state.screen),
        (Some((id(103), id(104))), Screen::Compare),
        "the best is the reference"
    );
    state.screen = Screen::Laps;
    key(&mut state, KeyCode::Char(' '));
    key(&mut state, KeyCode::Up);
    key(&mut state, KeyCode::Up);
    key(&mut state, KeyCode::Char(' '));
    let shown = text(&mut state, 80, 24);
    assert!(shown.contains(" A    4") && shown.contains(">B    2"), "{shown}");
    key(&mut state, KeyCode::Char('c'));
    assert_eq!(state.pair, Some((id(104), id(102))));
    key(&mut state, KeyCode::Char('s'));
    assert_eq!(state.pair, Some((id(102), id(104))));
    state.screen = Screen::Laps;
    state.chosen.clear();
    state.lap.at = 2;
    key(&mut state, KeyCode::Char('c'));
    assert_eq!(state.screen, Screen::Laps, "the best beside itself shows nothing");
}

#[test]
fn keys_of_the_player_are_those_of_the_screen_of_tapes_alone() {
    let mut state = full(PLAIN);
    assert_eq!(key(&mut state, KeyCode::Char('p')), None);
    state.screen = Screen::Tapes;
    for (code, expected) in [
        (KeyCode::Enter, DeckKey::Play),
        (KeyCode::Char(' '), DeckKey::Pause),
        (KeyCode::Left, DeckKey::Seek(-5)),
        (KeyCode::Char(']'), DeckKey::Seek(60)),
        (KeyCode::Char('+'), DeckKey::Faster),
        (KeyCode::Char('l'), DeckKey::Loop),
        (KeyCode::Char('s'), DeckKey::Stop),
    ] {
        assert_eq!(key(&mut state, code), Some(Act::Deck(expected)));
    }
}

#[test]
fn a_question_is_asked_once_and_again_when_something_changed_or_the_line_was_lost() {
    let server = || News { status: Some(Status::Server { name: "x".into() }), ..News::default() };
    let mut state = State::new(PLAIN);
    state.screen = Screen::Sessions;
    let now = Instant::now();
    assert!(state.wants(now).is_empty(), "nobody is there to ask");
    state.hear(server());
    assert_eq!(state.wants(now), [Ask::Sessions]);
    assert!(state.wants(now + Duration::from_secs(60)).is_empty(), "the answer is waited for");
    state.hear(News { answers: vec![Answer::Sessions(Ok(vec![]))], ..News::default() });
    assert!(state.wants(now + Duration::from_secs(1)).is_empty());
    state.hear(News { changed: true, ..News::default() });
    assert_eq!(state.wants(now + Duration::from_secs(1)), [Ask::Sessions]);
    state.hear(News { status: Some(Status::Lost { name: "x".into(), reason: "y".into() }), ..News::default() });
    state.hear(server());
    assert_eq!(state.wants(now + Duration::from_secs(2)), [Ask::Sessions], "the answer went down with the line");
}

#[test]
fn a_comparison_is_asked_for_once_and_again_only_if_it_failed() {
    let mut state = full(PLAIN);
    state.screen = Screen::Compare;
    let now = Instant::now();
    assert!(state.wants(now + Duration::from_secs(60)).is_empty(), "it is there");
    state.compare(id(101), id(102));
    let ask = || Ask::Compare(id(101), id(102));
    assert_eq!(state.wants(now), [ask()]);
    state.hear(News { answers: vec![Answer::Compare((id(101), id(102)), Err("not yet".into()))], ..News::default() });
    assert!(text(&mut state, 80, 24).contains("not yet"));
    assert!(state.wants(now + Duration::from_secs(1)).is_empty());
    assert_eq!(state.wants(now + Duration::from_secs(11)), [ask()]);
}

#[test]
fn an_answer_about_another_session_or_pair_is_not_shown() {
    let mut state = full(PLAIN);
    state.open_session(&id(2));
    state.hear(News { answers: vec![Answer::Session(id(1), Err("late".into()))], ..News::default() });
    assert!(state.laps.error.is_none() && state.laps.value.is_none());
    state.compare(id(101), id(102));
    state.hear(News { answers: vec![Answer::Compare((id(103), id(104)), Err("late".into()))], ..News::default() });
    assert!(state.compare.error.is_none());
}

#[test]
fn the_mouse_picks_tabs_and_rows() {
    let mut state = full(PLAIN);
    let area = Rect::new(0, 0, 80, 24);
    let mut places = draw(&mut state, Instant::now(), area, &mut Buffer::empty(area));
    let click = |column, row| MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column,
        row,
        modifiers: KeyModifiers::NONE,
    };
    let tab = places.tabs.get(1).unwrap().0.start + 2;
    assert!(mouse(&mut state, click(tab, 0), &places));
    assert_eq!(state.screen, Screen::Sessions);
    places = draw(&mut state, Instant::now(), area, &mut Buffer::empty(area));
    let top = places.list.clone().unwrap().0.start;
    mouse(&mut state, click(3, top + 2), &places);
    assert_eq!(state.session.at, 2);
    mouse(&mut state, click(3, top + 2), &places);
    assert_eq!((state.screen, state.open.as_deref()), (Screen::Laps, Some(id(3).as_str())));
    mouse(&mut state, click(79, 23), &places);
    mouse(&mut state, click(u16::MAX, u16::MAX), &places);
}
