//! What must be said before anything else: the line is lost, or the server has gone.

use ratatui::text::Line;

use super::super::source::Status;
use super::super::state::State;
use super::super::text::wrapped;
use super::Room;

/// Nothing while all is well. The live screen says it itself.
pub(super) fn lines(state: &State, room: Room) -> Vec<Line<'static>> {
    let text = match &state.status {
        Status::Lost { name, reason } => format!("CONNECTION LOST: {name}: {reason}; trying again"),
        Status::Store { lost: Some(lost), name } => format!("{lost}; this is {name}"),
        Status::Connecting { name } => format!("CONNECTING to {name}"),
        Status::Store { .. } | Status::Server { .. } => return Vec::new(),
    };
    let mut lines = wrapped(&text, room.width, state.look.warning(), state.look);
    lines.truncate(2);
    lines
}
