//! Turns facts into findings.

#[cfg(feature = "echo")]
use super::echo_vr;
use super::facts::Facts;
use super::finding::{Diagnosis, Finding, Level, Subject};
use super::{advice, judge_folder, judge_memory, judge_udp};

/// Interprets the facts. Has no side effects.
pub fn diagnose(facts: &Facts) -> Diagnosis {
    let (mut findings, mut ready) = (Vec::new(), Vec::new());
    for memory in &facts.memories {
        let (found, game) = judge_memory::judge(facts, memory);
        findings.extend(found);
        ready.extend(game);
    }
    #[cfg(feature = "echo")]
    if let Some(seen) = &facts.echo_vr {
        let (found, game) = echo_vr::judge(facts, seen);
        findings.extend(found);
        ready.extend(game);
    }
    if let Some(udp) = &facts.udp {
        let (found, games) = judge_udp::judge(facts, udp);
        findings.extend(found);
        ready.extend(games);
    }
    let diagnosis = Diagnosis { findings, ready };
    let unexplained = diagnosis.ready.is_empty() && diagnosis.reason().is_none();
    let Diagnosis { mut findings, ready } = diagnosis;
    if unexplained {
        findings.push(no_game(facts));
    }
    findings.extend(judge_folder::judge(facts));
    Diagnosis { findings, ready }
}

fn no_game(facts: &Facts) -> Finding {
    let prefix = facts.prefix.as_str();
    let text = match (prefix.is_empty(), facts.game) {
        (false, _) => format!("no game uses names that begin with {prefix}"),
        (true, Some(game)) => format!("{} is not running", game.name),
        (true, None) => "no known game is running".into(),
    };
    Finding::new(Subject::Telemetry, Level::Note, text)
        .next(advice::start_a_game(facts.system, !prefix.is_empty()))
        .of(facts.game.map(|game| game.id))
}
