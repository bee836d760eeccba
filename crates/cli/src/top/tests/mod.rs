//! Renders screens of fixed facts into memory.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod acting;
mod drawing;
mod facts;
mod showing;

use std::time::Instant;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::look::Look;
use super::screens::draw;
use super::state::{Screen, State};

pub(super) const PLAIN: Look = Look { colour: false, unicode: false, attributes: false };
pub(super) const FULL: Look = Look { colour: true, unicode: true, attributes: true };

/// Renders to a terminal of this size.
fn drawn(state: &mut State, columns: u16, rows: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| drop(draw(state, Instant::now(), frame.area(), frame.buffer_mut()))).unwrap();
    terminal.backend().buffer().clone()
}

/// Renders as text, without trailing spaces.
fn text(state: &mut State, columns: u16, rows: u16) -> String {
    let buffer = drawn(state, columns, rows);
    let row = |y: u16| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..rows).map(|y| row(y).trim_end().to_owned() + "\n").collect()
}

fn on(screen: Screen, look: Look) -> State {
    let mut state = facts::full(look);
    state.screen = screen;
    state
}
