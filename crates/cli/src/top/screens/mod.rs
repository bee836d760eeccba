//! The screens: state in, lines out. Each has a `lines` function that takes the available room; lines that do not fit are
//! dropped or scrolled.

mod banner;
mod compare;
mod help;
mod laps;
mod list;
mod live;
mod live_figures;
mod sessions;
mod standings;
mod tapes;

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::mouse::ClickAreas;
use super::source::Status;
use super::state::{Screen, State};
use super::text::{cut, plain, width};

/// The output of a screen.
pub(crate) struct Drawn {
    pub(crate) lines: Vec<Line<'static>>,
    /// The line of the first visible list entry, and the index of that entry.
    pub(crate) list: Option<(usize, usize)>,
}

impl From<Vec<Line<'static>>> for Drawn {
    fn from(lines: Vec<Line<'static>>) -> Self {
        Self { lines, list: None }
    }
}

/// The space available to a screen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Room {
    /// Whether there is room for figures side by side.
    pub(crate) fn is_wide(self) -> bool {
        self.width >= 70
    }
}

/// From this height on the last line shows key hints; below it, only messages.
const HEIGHT_FOR_HINTS: u16 = 16;

/// Draws everything. Returns the clickable areas, for the mouse.
pub(crate) fn draw(state: &mut State, now: Instant, area: Rect, buffer: &mut Buffer) -> ClickAreas {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return ClickAreas::default();
    }
    let tabs = tabs(state, area, buffer);
    let foot = foot(state, now, area);
    let below = u16::from(foot.is_some() && area.height > 2);
    let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1 + below), ..area };
    let room = Room { width: usize::from(body.width), height: usize::from(body.height) };
    let drawn = body_of(state, now, room);
    for (row, line) in (body.y..body.bottom()).zip(&drawn.lines) {
        buffer.set_line(body.x, row, line, body.width);
    }
    if let Some(line) = foot.filter(|_| below > 0) {
        buffer.set_line(area.x, area.bottom() - 1, &line, area.width);
    }
    let list = drawn.list.and_then(|(line, first)| {
        let top = body.y.checked_add(u16::try_from(line).ok()?)?;
        Some((top..body.bottom().max(top), first))
    });
    ClickAreas { tabs, list }
}

fn body_of(state: &mut State, now: Instant, room: Room) -> Drawn {
    if state.help {
        return help::lines(state, room).into();
    }
    let mut lines = banner::lines(state, room);
    let room = Room { height: room.height.saturating_sub(lines.len()), ..room };
    let drawn = match state.screen {
        Screen::Live | Screen::Laps if state.all_cars => standings::lines(state, room),
        Screen::Live => live::lines(state, now, room).into(),
        Screen::Sessions => sessions::lines(state, room),
        Screen::Laps => laps::lines(state, room),
        Screen::Compare => compare::lines(state, room).into(),
        Screen::Tapes => tapes::lines(state, room),
    };
    let list = drawn.list.map(|(line, first)| (line + lines.len(), first));
    lines.extend(drawn.lines);
    Drawn { lines, list }
}

/// The tabs, and on the right the name of the server or store.
fn tabs(state: &State, area: Rect, buffer: &mut Buffer) -> Vec<(std::ops::Range<u16>, usize)> {
    let look = state.look;
    let wide = area.width >= 60;
    let mut areas = Vec::new();
    let mut spans = Vec::new();
    let mut x = area.x;
    for (index, screen) in Screen::ALL.into_iter().enumerate() {
        let (long, short) = screen.name();
        let is_here = screen == state.screen && !state.help;
        let (open, close) = if is_here { ("[", "]") } else { (" ", " ") };
        let text = format!("{open}{} {}{close}", index + 1, if wide { long } else { short });
        let cells = u16::try_from(width(&text)).unwrap_or(u16::MAX);
        areas.push((x..x.saturating_add(cells), index));
        x = x.saturating_add(cells);
        spans.push(Span::styled(text, if is_here { look.strong() } else { look.quiet() }));
    }
    buffer.set_line(area.x, area.y, &Line::from(spans), area.width);
    let name = match &state.status {
        Status::Connecting { name }
        | Status::Server { name }
        | Status::Store { name, .. }
        | Status::Lost { name, .. } => name,
    };
    let free = usize::from(area.right().saturating_sub(x.saturating_add(2)));
    if free >= 12 {
        let name = cut(name.trim_start_matches("http://"), free, look);
        let cells = u16::try_from(width(&name)).unwrap_or(0);
        buffer.set_line(area.right().saturating_sub(cells), area.y, &plain(name, look.quiet()), cells);
    }
    areas
}

/// The last line: the filter being typed, a message, or key hints.
fn foot(state: &State, now: Instant, area: Rect) -> Option<Line<'static>> {
    let look = state.look;
    let cells = usize::from(area.width);
    if state.typing {
        let text = format!("/{}{}  (Enter confirms, Esc clears)", state.filter, look.either("▏", "_"));
        return Some(plain(cut(&text, cells, look), look.strong()));
    }
    if let Some(message) = state.message(now) {
        return Some(plain(cut(message, cells, look), look.warning()));
    }
    let keys = match state.screen {
        Screen::Live | Screen::Laps if state.all_cars => "a your car only  up/down scroll  1-5 screens  ? help  q quit",
        Screen::Live => "1-5 screens  a all cars  ? help  q quit",
        Screen::Sessions => "up/down  Enter laps  / filter  ? help  q quit",
        Screen::Laps => "up/down  space choose A, B  c compare  a all cars  Esc back  ? help  q quit",
        Screen::Compare => "left/right move  up/down scroll  s swap  Esc back  ? help  q quit",
        Screen::Tapes => "Enter play  space pause  left/right seek  +/- speed  l loop  s stop  ? help",
    };
    (area.height >= HEIGHT_FOR_HINTS).then(|| plain(cut(keys, cells, look), look.quiet()))
}
