//! Goals as events: from the header, which knows who scored, and from the scores of the teams in the network frames, which also know goals
//! that the header lacks.

use boxcars::Replay;

use super::facts::{self, Goal};
use super::game::Played;
use super::nanoseconds;
use crate::import::replays::Reading;

/// Maximum number of frames between a goal in the header and the score in the network frames.
const NEAR_FRAMES: u32 = 60;

/// Adds an event for each goal, with the score after it.
pub(super) fn add(replay: &Replay, frame_times_ns: &[u64], played: &Played, reading: &mut Reading) {
    let told = facts::goals(replay);
    let mut all: Vec<(u32, i64, Option<String>)> =
        told.iter().map(|goal| (goal.frame, goal.team.into(), Some(goal.player.clone()))).collect();
    let mut left: Vec<&Goal> = told.iter().collect();
    for (frame, team) in &played.scored {
        let same = |goal: &&Goal| i64::from(goal.team) == *team && goal.frame.abs_diff(*frame) <= NEAR_FRAMES;
        match left.iter().position(same) {
            Some(place) => drop(left.remove(place)),
            None => all.push((*frame, *team, None)),
        }
    }
    all.sort_by_key(|(frame, ..)| *frame);
    // A recording that began late begins with a score.
    let mut score = played.first_scores.map(Option::unwrap_or_default);
    let mut last_ns = 0;
    for (frame, team, player) in all {
        if let Some(score) = usize::try_from(team).ok().and_then(|team| score.get_mut(team)) {
            *score += 1;
        }
        last_ns = time_ns(frame, replay, frame_times_ns).max(last_ns);
        let [zero, one] = score;
        let text = match player {
            Some(player) => format!("{zero}:{one} {player}, team {team}"),
            None => format!("{zero}:{one} team {team}"),
        };
        reading.event(last_ns, "goal", text);
    }
}

/// Returns the time of a network frame since the first: from the frames' own times, else from their nominal rate.
fn time_ns(frame: u32, replay: &Replay, frame_times_ns: &[u64]) -> u64 {
    const USUAL_FPS: f64 = 30.0;
    let nominal = || nanoseconds(f64::from(frame) / facts::record_fps(replay).unwrap_or(USUAL_FPS));
    // The last goal can be at the frame after the last one.
    frame_times_ns.get(frame as usize).or(frame_times_ns.last()).copied().unwrap_or_else(nominal)
}
