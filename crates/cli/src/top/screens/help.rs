//! What keys do.

use ratatui::text::Line;

use super::super::state::{Screen, State};
use super::super::text::{cut, line, plain};
use super::Room;

const EVERYWHERE: [(&str, &str); 5] =
    [("1-5, Tab", "screens"), ("Esc", "back"), ("m", "mouse on or off"), ("Ctrl+L", "draw anew"), ("q, Ctrl+C", "end")];

fn of_screen(screen: Screen) -> &'static [(&'static str, &'static str)] {
    match screen {
        Screen::Live => &[],
        Screen::Sessions => &[
            ("up, down, PgUp, PgDn", "move"),
            ("Enter", "laps of the session"),
            ("/", "filter: type words, Enter keeps them"),
        ],
        Screen::Laps => &[
            ("up, down, PgUp, PgDn", "move"),
            ("space", "choose lap A, then lap B, of any session"),
            ("c, Enter", "compare A and B, or this lap and the best"),
            ("x", "forget what was chosen"),
        ],
        Screen::Compare => &[("left, right", "go along the lap"), ("up, down", "scroll"), ("s", "swap A and B")],
        Screen::Tapes => &[
            ("Enter, p", "play the tape into shared memory"),
            ("space", "stand still, go on"),
            ("left, right", "5 seconds"),
            ("[, ]", "a minute"),
            ("+, -", "faster, slower"),
            ("l", "loop"),
            ("s", "stop; it also ends with this program"),
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
        lines.push(plain("* is a best, ~ a time that was measured and is not the game's,", look.quiet()));
        lines.push(plain("invalid: the game does not count the lap. + is slower, - faster.", look.quiet()));
    }
    lines
}
