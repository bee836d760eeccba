//! The current state of the car, or why it is not available.

use std::time::{Duration, Instant};

use ratatui::text::{Line, Span};

use super::super::facts::{Car, CarState};
use super::super::source::Status;
use super::super::state::State;
use super::super::text::{cut, plain, wrapped};
use super::Room;
use super::laps::{Row, head};
use super::live_figures::{narrow, wide};

/// Older figures are shown as stale.
const FRESH: Duration = Duration::from_secs(2);

pub(super) fn lines(state: &State, now: Instant, room: Room) -> Vec<Line<'static>> {
    let look = state.look;
    if let Some(lines) = nobody(state, room) {
        return lines;
    }
    let Some((car, at)) = &state.car else { return vec![plain("WAITING for data", look.strong())] };
    let age = now.saturating_duration_since(*at);
    let is_live = matches!(car.state, CarState::Driving);
    let (word, more) = match car.state {
        _ if is_live && age > FRESH => ("STALE".to_owned(), Some(format!("no new data for {} s", age.as_secs()))),
        CarState::Driving if car.in_pit_lane == Some(true) => ("PIT LANE".to_owned(), None),
        CarState::Driving => ("DRIVING".to_owned(), None),
        CarState::Paused => ("PAUSED".to_owned(), None),
        CarState::Replay => ("REPLAY".to_owned(), Some("the game is showing a replay, not live data".to_owned())),
        CarState::Menu => ("MENU".to_owned(), None),
        CarState::Stale => ("STALE".to_owned(), Some("the game sends no new data".to_owned())),
        CarState::Waiting => {
            let text = "No game is running. Start a game, or `gametape demo`, and it appears here.";
            let mut lines = vec![plain("NO GAME", look.warning())];
            lines.extend(wrapped(text, room.width, ratatui::style::Style::new(), look));
            return lines;
        }
    };
    let style = if is_live && age <= FRESH { look.strong() } else { look.warning() };
    let mut lines = vec![headline(&word, style, more, car, room, state)];
    let left = Room { height: room.height.saturating_sub(1), ..room };
    lines.extend(if room.is_wide() { wide(car, left, look) } else { narrow(car, left, look) });
    lines.extend(recent(state, Room { height: room.height.saturating_sub(lines.len()), ..room }));
    lines
}

/// Explains why there is no live data.
fn nobody(state: &State, room: Room) -> Option<Vec<Line<'static>>> {
    let look = state.look;
    let (title, text) = match &state.status {
        Status::Server { .. } => return None,
        // Shown in the banner.
        Status::Connecting { .. } => return Some(Vec::new()),
        Status::Lost { .. } => ("NO LIVE DATA", "Reconnecting until the server responds.".to_owned()),
        Status::Store { .. } => (
            "NO RECORDER IS RUNNING",
            "The other screens show the sessions, laps and tapes of this machine. To see a car, start `gametape`, which waits for a game, or `gametape demo`, in another terminal. It is found automatically. For another machine use --server URL.".to_owned(),
        ),
    };
    let mut lines = vec![plain(cut(title, room.width, look), look.warning())];
    lines.extend(wrapped(&text, room.width, ratatui::style::Style::new(), look));
    Some(lines)
}

fn headline(
    word: &str,
    style: ratatui::style::Style,
    more: Option<String>,
    car: &Car,
    room: Room,
    state: &State,
) -> Line<'static> {
    let look = state.look;
    let parts = [more.as_ref(), car.track.as_ref(), car.layout.as_ref(), car.car.as_ref(), car.driver.as_ref()];
    let mut known: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
    if known.is_empty() {
        known.extend(car.game.as_deref());
    }
    let rest = cut(&known.join(look.dot()), room.width.saturating_sub(word.len() + 2), look);
    Line::from(vec![Span::styled(format!("{word}  "), style), Span::raw(rest)])
}

/// The laps of this session, newest first, if there is room.
fn recent(state: &State, room: Room) -> Vec<Line<'static>> {
    let look = state.look;
    let Some(detail) =
        state.live.value.as_ref().filter(|detail| Some(detail.session.id.as_str()) == state.car_session())
    else {
        return Vec::new();
    };
    let driven: Vec<_> = detail.laps.iter().rev().filter(|lap| lap.state != "running").collect();
    if room.height < 4 || driven.is_empty() {
        return Vec::new();
    }
    let all = detail.sector_count();
    let sectors = if room.is_wide() && all <= 3 || room.width >= 56 + all * 9 { all } else { 0 };
    let best = detail.best_sectors();
    let mut lines = vec![Line::default(), head(sectors, room, look)];
    for lap in driven.into_iter().take(room.height - 2) {
        lines.push(Row { detail, lap, mark: " ", picked: false, sectors, best: &best, look }.line(room));
    }
    lines
}
