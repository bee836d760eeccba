//! Diagnoses Echo VR: whether it responds, and with what.

use gametape_games::echo_vr::{GAME, ID, NAME};

use super::facts::Facts;
use super::finding::{Finding, Level, Subject};
use crate::transport::http::EchoVrFacts;
use crate::transport::{Away, State};

/// Returns the findings, and the id of the game if it can be recorded.
pub(super) fn judge(facts: &Facts, seen: &EchoVrFacts) -> (Vec<Finding>, Option<&'static str>) {
    let EchoVrFacts { address, state, played } = seen;
    let listed = facts.processes.iter().flatten().filter(|_| facts.prefix.as_str().is_empty());
    let process = listed.into_iter().find(|process| GAME.processes.iter().any(|program| process.runs(program)));
    let finding = |subject, level, text: String| Finding::new(subject, level, text).of(Some(ID));
    let mut findings = Vec::new();
    if facts.processes.is_some() && facts.prefix.as_str().is_empty() {
        let (level, text) = match process {
            Some(process) => (Level::Ok, format!("is running, process {}", process.id)),
            None => (Level::Note, format!("{} is not running", GAME.processes.join(", "))),
        };
        findings.push(finding(Subject::Process, level, text));
    }
    let mut ready = None;
    findings.extend(match (state, played) {
        (State::Here(_), Some(tape)) => {
            ready = Some(ID);
            Some(finding(Subject::Player, Level::Ok, format!("a player responds on {address} with the tape {tape}")))
        }
        (State::Here(_), None) => {
            ready = Some(ID);
            Some(finding(Subject::Telemetry, Level::Ok, format!("responds on {address} with a match")))
        }
        (State::Away(Away::Unreadable(why)), _) => Some(
            finding(Subject::Telemetry, Level::Problem, why.clone())
                .next("then run `gametape doctor` again; set GAMETAPE_ECHO=HOST:PORT if the game is elsewhere"),
        ),
        (State::Away(Away::NotThere), _) => process.map(|_| {
            let text = format!("{NAME} is running, but nothing responds on {address}: its API is off");
            finding(Subject::Telemetry, Level::Problem, text)
                .next("switch \"API Access\" on in the game's settings and restart it")
        }),
        (State::Away(_) | State::Ended, _) => {
            let text = format!("responds on {address}: there is no match");
            Some(finding(Subject::Telemetry, Level::Note, text).next("join a match: recording starts with it"))
        }
    });
    (findings, ready)
}
