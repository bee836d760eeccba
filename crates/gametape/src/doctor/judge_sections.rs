//! Diagnoses the sections of a group of games: whether they exist, are readable, and are large enough.

use super::facts::Facts;
use super::finding::{Finding, Level, Subject};
use super::{Memory, Section, SectionFound};
use crate::transport::shared_memory::unknown_length;

/// Returns one finding for all missing sections, and one for each existing section.
pub(super) fn judge(facts: &Facts, memory: &Memory, game: Option<&'static str>, game_runs: bool) -> Vec<Finding> {
    let (missing, there): (Vec<&Section>, Vec<&Section>) =
        memory.sections.iter().partition(|section| section.found == SectionFound::Missing);
    let mut findings: Vec<Finding> = there.iter().map(|section| one(facts, section, game_runs).of(game)).collect();
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|section| section.place.as_str()).collect();
        let not_there = format!("{} missing", names.join(", "));
        findings.push(match there.is_empty() {
            true => Finding::new(Subject::Memory, Level::Note, not_there).of(game),
            false => Finding::new(
                Subject::Memory,
                Level::Problem,
                format!("{not_there}, although other sections of the game exist"),
            )
            .next("exit the program that created the others, then start the bridge and the game again")
            .of(game),
        });
    }
    findings
}

fn one(facts: &Facts, section: &Section, game_runs: bool) -> Finding {
    let (place, least) = (&section.place, section.least_bytes);
    let finding = |level, text: String| Finding::new(Subject::Memory, level, text);
    match &section.found {
        SectionFound::Missing => finding(Level::Note, format!("{place} missing")),
        SectionFound::Forbidden => forbidden(facts, section),
        SectionFound::Unusable(why) => finding(Level::Problem, format!("{place} cannot be read: {why}"))
            .next("exit the program that created it and remove it, then restart the game"),
        SectionFound::There { bytes: 0, .. } => {
            let level = if game_runs { Level::Problem } else { Level::Note };
            finding(level, format!("{place} is empty: a program opened it before the game did")).next(
                "exit programs that read the game's telemetry, then start the bridge, the game, and those programs last",
            )
        }
        SectionFound::There { bytes, .. } if *bytes < least => finding(
            Level::Problem,
            format!("{place} has {bytes} bytes, too few for any known version of the page ({least} at least)"),
        )
        .next("exit the program that created it and remove it, then start the bridge and the game again"),
        SectionFound::There { bytes, zero } => {
            let recorded = section.known_bytes.iter().copied().filter(|known| known <= bytes).max();
            match unknown_length(place, *bytes, &section.known_bytes, recorded.unwrap_or_default()) {
                Some(text) if !section.known_bytes.is_empty() => finding(Level::Note, text).next(
                    "check whether a newer gametape supports this version of the game; what is recorded now stays readable",
                ),
                _ => finding(Level::Ok, format!("{place}, {bytes} bytes{}", if *zero { ", all zero" } else { "" })),
            }
        }
    }
}

fn forbidden(facts: &Facts, section: &Section) -> Finding {
    let Section { place, owner, mode, .. } = section;
    let you = facts.users.own_name();
    let mode = mode.map(|mode| format!(" with mode {mode:04o}")).unwrap_or_default();
    let (text, to_do) = match owner.filter(|_| facts.users.is_other(*owner)).map(|owner| facts.users.name(owner)) {
        Some(owner) => (
            format!("{place} belongs to {owner}{mode}, but gametape runs as {you}: access denied"),
            format!(
                "run gametape as {owner}, the user who runs the game; or let {owner} run `chmod o+r {place}` each time after the game was started"
            ),
        ),
        None => (
            format!("{place}{mode} is not readable by {you}"),
            format!("run `chmod u+r {place}`, or run gametape as the user who runs the game"),
        ),
    };
    Finding::new(Subject::Memory, Level::Problem, text).next(to_do)
}
