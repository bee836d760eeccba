//! The list of tapes, and the player.

use ratatui::style::Style;
use ratatui::text::Line;

use super::super::bars::bar;
use super::super::deck::{DeckState, DeckView};
use super::super::facts::TapeRow;
use super::super::look::Look;
use super::super::state::State;
use super::super::text::{cut, fit, line, plain, right, wrapped};
use super::list::{first_shown, nothing};
use super::{Drawn, Room};
use crate::human;

/// Width of the columns beside the name on a wide screen.
const BESIDE_NAMES: usize = 2 + 17 + 12 + 11 + 11;

pub(super) fn lines(state: &State, room: Room) -> Drawn {
    let look = state.look;
    let mut lines = state.deck.as_ref().map(|deck| player(deck, room, look)).unwrap_or_default();
    let tapes = state.tapes.value.as_deref().unwrap_or_default();
    lines.push(head(room, look));
    if tapes.is_empty() {
        let why =
            ["no tapes yet", "gametape      waits for a game and records it", "gametape demo drives a simulated car"];
        lines.extend(nothing(state.tapes.value.is_none(), state.tapes.error.as_ref(), &why, look));
        return lines.into();
    }
    let top = lines.len();
    let rows = room.height.saturating_sub(top + 1);
    let first = first_shown(state.tape.at, tapes.len(), rows);
    let running = state.car.as_ref().and_then(|(car, _)| car.tape.as_deref());
    for (index, tape) in tapes.iter().enumerate().skip(first).take(rows) {
        let is_running = !tape.complete && running == Some(tape.id.as_str());
        lines.push(row(tape, is_running, index == state.tape.at, room, look));
    }
    let count = format!("{} of {}", state.tape.at + 1, human::counted(tapes.len() as u64, "tape"));
    lines.push(plain(fit(&count, room.width, look), look.quiet()));
    Drawn { lines, list: Some((top, first)) }
}

fn head(room: Room, look: Look) -> Line<'static> {
    let text = match room.is_wide() {
        true => {
            let names = room.width - BESIDE_NAMES;
            format!(
                "  {:<16} {} {:>11} {:>10}  state",
                "recorded (UTC)",
                fit("track, car", names, look),
                "length",
                "size"
            )
        }
        false => {
            let names = room.width.saturating_sub(2 + 12 + 10);
            format!("  {:<11} {} {:>9}", "recorded", fit("track", names, look), "length")
        }
    };
    plain(text, look.quiet())
}

/// Formats a tape duration: `1:02:03`.
fn length(ns: Option<u64>) -> String {
    let text = ns.map(human::duration).unwrap_or_else(|| "-".to_owned());
    text.split('.').next().unwrap_or_default().to_owned()
}

fn row(tape: &TapeRow, is_running: bool, picked: bool, room: Room, look: Look) -> Line<'static> {
    let style = if picked { look.picked() } else { Style::new() };
    let sign = if picked { ">" } else { " " };
    let state = match (tape.missing, tape.complete) {
        (true, _) => "missing",
        (_, false) if is_running => "recording",
        (_, false) => "open",
        _ => "",
    };
    // The catalogue entry of a growing tape dates from when it was opened.
    let (length, size) = match is_running {
        true => ("-".to_owned(), "-".to_owned()),
        false => (length(tape.duration_ns), human::bytes(tape.bytes)),
    };
    let text = match room.is_wide() {
        true => {
            let names = room.width - BESIDE_NAMES;
            let what = if tape.track == "-" { tape.file.clone() } else { format!("{}, {}", tape.track, tape.car) };
            format!(
                "{sign} {} {} {:>11} {:>10}  {state:<9}",
                fit(&tape.created, 16, look),
                fit(&what, names, look),
                length,
                size
            )
        }
        false => {
            let names = room.width.saturating_sub(2 + 12 + 10);
            let what = if tape.track == "-" { &tape.file } else { &tape.track };
            let created = fit(tape.created.get(5..).unwrap_or_default(), 11, look);
            let length = if is_running { state } else { &length };
            format!("{sign} {created} {} {}", fit(what, names, look), right(length, 9, look))
        }
    };
    plain(text, style)
}

/// What is playing, the position, and the speed.
fn player(deck: &DeckView, room: Room, look: Look) -> Vec<Line<'static>> {
    let (word, style) = match &deck.state {
        DeckState::Starting => ("STARTING", look.strong()),
        DeckState::Playing => ("PLAYING", look.strong()),
        DeckState::Paused => ("PAUSED", look.warning()),
        DeckState::Ended(_) => ("ENDED", look.quiet()),
        DeckState::Failed(_) => ("CANNOT PLAY", look.warning()),
    };
    let mut lines = vec![line([
        (format!("{word} "), style),
        (cut(&deck.name, room.width.saturating_sub(word.len() + 1), look), Style::new()),
    ])];
    match &deck.state {
        DeckState::Failed(reason) => {
            lines.extend(wrapped(reason, room.width, look.warning(), look).into_iter().take(4))
        }
        DeckState::Ended(summary) => lines.push(plain(cut(summary, room.width, look), look.quiet())),
        _ => {
            let (at, of) = (length(Some(deck.position_ns)), length(deck.duration_ns));
            let speed = format!("x{}", deck.speed);
            let again = if deck.looping { " loop" } else { "" };
            let text = format!(" {at} of {of}  {speed}{again}");
            let share = deck.duration_ns.filter(|ns| *ns > 0).map(|ns| deck.position_ns as f64 / ns as f64);
            let cells = room.width.saturating_sub(text.len());
            lines.push(line([(bar(share, cells, look), look.rpm()), (text, Style::new())]));
        }
    }
    lines.push(Line::default());
    lines
}
