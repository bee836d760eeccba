//! Echo VR: does it answer, and what. Its facts are what a recorder would find; what they mean is said here too.

use gametape_games::echo_vr::{GAME, ID, NAME};

use super::facts::Facts;
use super::finding::{Finding, Level, Subject};
use crate::capture::{Away, EchoVrAddress, State, look_at_echo_vr};

/// What a look at the ports of Echo VR found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EchoVrFacts {
    /// Where was looked.
    pub address: String,
    /// What was found.
    pub state: State,
    /// Id of the tape that is played there, where it is a player that answers.
    pub played: Option<String>,
}

impl EchoVrFacts {
    /// Asks, once. Where nobody is, that is known at once on this machine.
    pub(super) fn look(address: &EchoVrAddress) -> Self {
        let (state, played) = look_at_echo_vr(address);
        Self { address: address.to_string(), state, played }
    }
}

/// What was found, and whether it can be recorded.
pub(super) fn judge(facts: &Facts, seen: &EchoVrFacts) -> (Vec<Finding>, Option<&'static str>) {
    let EchoVrFacts { address, state, played } = seen;
    let listed = facts.processes.iter().flatten().filter(|_| facts.prefix.as_str().is_empty());
    let process = listed.into_iter().find(|process| GAME.processes.iter().any(|program| process.runs(program)));
    let finding = |subject, level, text: String| Finding::new(subject, level, text).of(Some(ID));
    let mut findings = Vec::new();
    if facts.processes.is_some() && facts.prefix.as_str().is_empty() {
        let (level, text) = match process {
            Some(process) => (Level::Ok, format!("runs, process {}", process.id)),
            None => (Level::Note, format!("{} does not run", GAME.processes.join(", "))),
        };
        findings.push(finding(Subject::Process, level, text));
    }
    let mut ready = None;
    findings.extend(match (state, played) {
        (State::Here(_), Some(tape)) => {
            ready = Some(ID);
            Some(finding(Subject::Player, Level::Ok, format!("a player answers on {address} with the tape {tape}")))
        }
        (State::Here(_), None) => {
            ready = Some(ID);
            Some(finding(Subject::Telemetry, Level::Ok, format!("answers on {address} with a match")))
        }
        (State::Away(Away::Unreadable(why)), _) => Some(
            finding(Subject::Telemetry, Level::Problem, why.clone())
                .next("then run `gametape doctor` again; GAMETAPE_ECHO=HOST:PORT says where the game is"),
        ),
        (State::Away(Away::NotThere), _) => process.map(|_| {
            let text = format!("{NAME} runs, but nobody answers on {address}: its API is off");
            finding(Subject::Telemetry, Level::Problem, text)
                .next("switch \"API Access\" on in the game's settings and start it again")
        }),
        (State::Away(_) | State::Ended, _) => {
            let text = format!("answers on {address}: there is no match");
            Some(finding(Subject::Telemetry, Level::Note, text).next("join a match: a tape begins with it"))
        }
    });
    (findings, ready)
}
