//! The help screen.

use ratatui::text::Line;

use super::super::state::{Screen, State};
use super::super::text::{cut, line, plain};
use super::Room;

const EVERYWHERE: [(&str, &str); 5] =
    [("1-5, Tab", "screens"), ("Esc", "back"), ("m", "mouse on or off"), ("Ctrl+L", "redraw"), ("q, Ctrl+C", "quit")];

fn of_screen(screen: Screen) -> &'static [(&'static str, &'static str)] {
    match screen {
        Screen::Live => &[("a", "all cars, in games that report them")],
        Screen::Sessions => &[
            ("up, down, PgUp, PgDn", "move"),
            ("Enter", "show the laps of the session"),
            ("/", "filter: type words, confirm with Enter"),
        ],
        Screen::Laps => &[
            ("up, down, PgUp, PgDn", "move"),
            ("space", "choose lap A, then lap B, of any session"),
            ("c, Enter", "compare A and B, or this lap with the best"),
            ("x", "clear the choice"),
            ("a", "all cars, in games that report them"),
        ],
        Screen::Compare => &[("left, right", "move along the lap"), ("up, down", "scroll"), ("s", "swap A and B")],
        Screen::Tapes => &[
            ("Enter, p", "play the tape into shared memory"),
            ("space", "pause, resume"),
            ("left, right", "5 seconds"),
            ("[, ]", "a minute"),
            ("+, -", "faster, slower"),
            ("l", "loop"),
            ("s", "stop; quitting stops it too"),
        ],
    }
}

pub(super) fn lines(state: &State, room: Room) -> Vec<Line<'static>> {
    let look = state.look;
    let keys = if room.width >= 60 { 22 } else { 12 };
    let row = |(key, does): &(&str, &str)| {
        let cells = room.width.saturating_sub(keys + 1);
        line([(format!("{key:<keys$} "), look.strong()), (cut(does, cells, look), ratatui::style::Style::new())])
    };
    let mut lines = Vec::new();
    let own = of_screen(state.screen);
    if !own.is_empty() {
        lines.push(plain(state.screen.name().0, look.quiet()));
        lines.extend(own.iter().map(row));
    }
    lines.push(plain("Everywhere", look.quiet()));
    lines.extend(EVERYWHERE.iter().map(row));
    if room.height > lines.len() + 4 {
        lines.push(Line::default());
        lines.push(plain("* is a best, ~ a time that was measured instead of reported by the game,", look.quiet()));
        lines.push(plain("invalid: the game does not count the lap. + is slower, - is faster.", look.quiet()));
    }
    lines
}
