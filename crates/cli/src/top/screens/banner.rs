//! The banner above every screen: the connection is lost, or the server is gone.

use ratatui::text::Line;

use super::super::source::Status;
use super::super::state::State;
use super::super::text::wrapped;
use super::Room;

/// Returns no lines while the connection works. The live screen shows its own message.
pub(super) fn lines(state: &State, room: Room) -> Vec<Line<'static>> {
    let text = match &state.status {
        Status::Lost { name, reason } => format!("CONNECTION LOST: {name}: {reason}; reconnecting"),
        Status::Store { lost: Some(lost), name } => format!("{lost}; showing {name}"),
        Status::Connecting { name } => format!("CONNECTING to {name}"),
        Status::Store { .. } | Status::Server { .. } => return Vec::new(),
    };
    let mut lines = wrapped(&text, room.width, state.look.warning(), state.look);
    lines.truncate(2);
    lines
}
