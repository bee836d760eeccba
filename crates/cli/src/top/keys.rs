//! Key handling. Actions that need more than the state are returned.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::state::{Chosen, Screen, State};

/// An action outside of the state.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Act {
    /// Quits; `interrupted` if by Ctrl+C.
    Quit {
        interrupted: bool,
    },
    ToggleMouse,
    Deck(DeckKey),
    /// Redraws the whole screen.
    Redraw,
}

/// Keys of the player.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DeckKey {
    /// Plays the selected tape.
    Play,
    Pause,
    /// Seeks by this many seconds.
    Seek(i64),
    Faster,
    Slower,
    Loop,
    Stop,
}

/// The largest length of a filter.
const LONGEST_FILTER: usize = 60;
/// Rows per page key.
const PAGE: isize = 10;

/// Handles a key.
pub(crate) fn press(state: &mut State, key: KeyEvent) -> Option<Act> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => Some(Act::Quit { interrupted: true }),
            KeyCode::Char('l') => Some(Act::Redraw),
            KeyCode::Char('u') if state.typing => {
                state.filter.clear();
                None
            }
            _ => None,
        };
    }
    if state.typing {
        typed(state, key.code);
        return None;
    }
    if state.help {
        // Any key closes the help and does nothing else, except q, which quits.
        state.help = false;
        return (key.code == KeyCode::Char('q')).then_some(Act::Quit { interrupted: false });
    }
    match key.code {
        KeyCode::Char('q') => return Some(Act::Quit { interrupted: false }),
        KeyCode::Char('?' | 'h') | KeyCode::F(1) => state.help = true,
        KeyCode::Char('m') => return Some(Act::ToggleMouse),
        KeyCode::Char(digit @ '1'..='5') => {
            let index = digit as usize - '1' as usize;
            state.screen = Screen::ALL.get(index).copied().unwrap_or(state.screen);
        }
        KeyCode::Tab => turn(state, 1),
        KeyCode::BackTab => turn(state, Screen::ALL.len() - 1),
        KeyCode::Esc => back(state),
        code => return on_screen(state, code),
    }
    None
}

fn turn(state: &mut State, by: usize) {
    let here = Screen::ALL.iter().position(|screen| *screen == state.screen).unwrap_or(0);
    state.screen = Screen::ALL.get((here + by) % Screen::ALL.len()).copied().unwrap_or(state.screen);
}

fn back(state: &mut State) {
    match state.screen {
        Screen::Sessions if !state.filter.is_empty() => state.filter.clear(),
        Screen::Laps => state.screen = Screen::Sessions,
        Screen::Compare => state.screen = Screen::Laps,
        _ => state.screen = Screen::Live,
    }
}

fn typed(state: &mut State, code: KeyCode) {
    match code {
        KeyCode::Char(c) if !c.is_control() && state.filter.chars().count() < LONGEST_FILTER => state.filter.push(c),
        KeyCode::Backspace => drop(state.filter.pop()),
        KeyCode::Enter => state.typing = false,
        KeyCode::Esc => {
            state.typing = false;
            state.filter.clear();
        }
        KeyCode::Up => scroll(state, -1),
        KeyCode::Down => scroll(state, 1),
        _ => {}
    }
    state.session.by(0, state.shown_sessions().len());
}

fn on_screen(state: &mut State, code: KeyCode) -> Option<Act> {
    match code {
        KeyCode::Up | KeyCode::Char('k') => scroll(state, -1),
        KeyCode::Down | KeyCode::Char('j') => scroll(state, 1),
        KeyCode::PageUp => scroll(state, -PAGE),
        KeyCode::PageDown => scroll(state, PAGE),
        KeyCode::Home | KeyCode::Char('g') => scroll(state, isize::MIN),
        KeyCode::End | KeyCode::Char('G') => scroll(state, isize::MAX),
        code => {
            return match state.screen {
                Screen::Live | Screen::Laps if code == KeyCode::Char('a') => {
                    state.all_cars = !state.all_cars;
                    None
                }
                Screen::Live => None,
                Screen::Sessions => sessions(state, code),
                Screen::Laps => laps(state, code),
                Screen::Compare => compare(state, code),
                Screen::Tapes => tapes(code),
            };
        }
    }
    None
}

/// Moves up or down in the current screen.
pub(crate) fn scroll(state: &mut State, by: isize) {
    match state.screen {
        Screen::Live | Screen::Laps if state.all_cars => {
            let len = state.cars.value.as_ref().map_or(0, |standings| standings.cars.len());
            state.first_car = state.first_car.saturating_add_signed(by).min(len.saturating_sub(1));
        }
        Screen::Live => {}
        Screen::Sessions => {
            let len = state.shown_sessions().len();
            state.session.by(by, len);
        }
        Screen::Laps => {
            let len = state.lap_count();
            state.lap.by(by, len);
        }
        // Drawing limits it to the actual end.
        Screen::Compare => state.scroll = state.scroll.saturating_add_signed(by).min(500),
        Screen::Tapes => {
            let len = state.tapes.value.as_ref().map_or(0, Vec::len);
            state.tape.by(by, len);
        }
    }
}

fn sessions(state: &mut State, code: KeyCode) -> Option<Act> {
    match code {
        KeyCode::Char('/' | 'f') => state.typing = true,
        KeyCode::Enter | KeyCode::Right => open_picked(state),
        _ => {}
    }
    None
}

/// Opens the laps of the selected session.
pub(crate) fn open_picked(state: &mut State) {
    if let Some(id) = state.picked_session().map(|session| session.id.clone()) {
        state.open_session(&id);
        state.screen = Screen::Laps;
    }
}

fn laps(state: &mut State, code: KeyCode) -> Option<Act> {
    match code {
        KeyCode::Char(' ') => choose(state),
        KeyCode::Char('x') => state.chosen.clear(),
        KeyCode::Char('c') | KeyCode::Enter => compare_chosen(state),
        KeyCode::Left => state.screen = Screen::Sessions,
        _ => {}
    }
    None
}

fn picked_lap(state: &State) -> Option<Chosen> {
    let detail = state.laps.value.as_ref()?;
    let lap = detail.laps.get(state.lap.at)?;
    let number = lap.number.or(lap.tape_lap).map_or_else(|| "-".to_owned(), |number| number.to_string());
    let time = crate::commands::laps_table::lap_time(lap.time_ms);
    Some(Chosen { id: lap.id.clone(), name: format!("lap {number}, {time}") })
}

/// Toggles the selection of the current lap for comparison. A third lap replaces the second.
fn choose(state: &mut State) {
    let Some(lap) = picked_lap(state) else { return };
    match state.chosen.iter().position(|chosen| chosen.id == lap.id) {
        Some(at) => drop(state.chosen.remove(at)),
        None => {
            state.chosen.truncate(1);
            state.chosen.push(lap);
        }
    }
    match state.chosen.as_slice() {
        [a] => state.say(format!("A is {}; choose B with space, compare with c", a.name)),
        [_, b] => state.say(format!("B is {}; compare with c, clear with x", b.name)),
        _ => {}
    }
}

/// Compares the chosen laps; with one, the selected lap against it; with none, the selected lap against the best of the session.
fn compare_chosen(state: &mut State) {
    let picked = picked_lap(state).map(|lap| lap.id);
    let chosen: Vec<String> = state.chosen.iter().map(|chosen| chosen.id.clone()).collect();
    let best = state.laps.value.as_ref().and_then(|detail| detail.best_lap.clone());
    match (chosen.as_slice(), best, picked) {
        ([a, b], _, _) => state.compare(a.clone(), b.clone()),
        ([a], _, Some(picked)) if *a != picked => state.compare(a.clone(), picked),
        ([], Some(best), Some(picked)) if best != picked => state.compare(best, picked),
        ([], None, _) => state.say("this session has no best lap; choose two laps with space"),
        _ => state.say("choose another lap with space, then compare with c"),
    }
}

fn compare(state: &mut State, code: KeyCode) -> Option<Act> {
    const STEP: f64 = 0.01;
    match code {
        KeyCode::Left => state.cursor = (state.cursor - STEP).max(0.0),
        KeyCode::Right => state.cursor = (state.cursor + STEP).min(1.0),
        KeyCode::Char('s') => {
            if let Some((one, other)) = state.pair.clone() {
                state.compare(other, one);
            }
        }
        _ => {}
    }
    None
}

fn tapes(code: KeyCode) -> Option<Act> {
    let key = match code {
        KeyCode::Enter | KeyCode::Char('p') => DeckKey::Play,
        KeyCode::Char(' ') => DeckKey::Pause,
        KeyCode::Left => DeckKey::Seek(-5),
        KeyCode::Right => DeckKey::Seek(5),
        KeyCode::Char('[') => DeckKey::Seek(-60),
        KeyCode::Char(']') => DeckKey::Seek(60),
        KeyCode::Char('+' | '=') => DeckKey::Faster,
        KeyCode::Char('-') => DeckKey::Slower,
        KeyCode::Char('l') => DeckKey::Loop,
        KeyCode::Char('s') => DeckKey::Stop,
        _ => return None,
    };
    Some(Act::Deck(key))
}
