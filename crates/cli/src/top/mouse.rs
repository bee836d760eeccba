//! Mouse support, if enabled: tabs and rows are clickable, the wheel scrolls.

use std::ops::Range;

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::keys::{open_picked, scroll};
use super::state::{Screen, State};

/// Where clickable things were drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClickAreas {
    /// Column ranges of the tabs in the first row.
    pub(crate) tabs: Vec<(Range<u16>, usize)>,
    /// The rows of the list, and the index of its first visible entry.
    pub(crate) list: Option<(Range<u16>, usize)>,
}

/// Rows per wheel step.
const WHEEL: isize = 3;

/// Handles a mouse event. Returns whether to redraw.
pub(crate) fn mouse(state: &mut State, event: MouseEvent, areas: &ClickAreas) -> bool {
    match event.kind {
        MouseEventKind::ScrollUp => scroll(state, -WHEEL),
        MouseEventKind::ScrollDown => scroll(state, WHEEL),
        MouseEventKind::Down(MouseButton::Left) => click(state, event.column, event.row, areas),
        _ => return false,
    }
    true
}

fn click(state: &mut State, column: u16, row: u16, areas: &ClickAreas) {
    state.help = false;
    if row == 0 {
        let tab = areas.tabs.iter().find(|(columns, _)| columns.contains(&column));
        if let Some(screen) = tab.and_then(|(_, index)| Screen::ALL.get(*index)) {
            state.screen = *screen;
        }
        return;
    }
    let Some((rows, first)) = areas.list.as_ref().filter(|(rows, _)| rows.contains(&row)) else { return };
    let at = first + usize::from(row - rows.start);
    match state.screen {
        // A second click opens the session.
        Screen::Sessions if state.session.at == at => open_picked(state),
        Screen::Sessions => {
            state.session.at = at;
            let len = state.shown_sessions().len();
            state.session.by(0, len);
        }
        Screen::Laps => {
            state.lap.at = at;
            let len = state.lap_count();
            state.lap.by(0, len);
        }
        Screen::Tapes => {
            state.tape.at = at;
            let len = state.tapes.value.as_ref().map_or(0, Vec::len);
            state.tape.by(0, len);
        }
        Screen::Live | Screen::Compare => {}
    }
}
