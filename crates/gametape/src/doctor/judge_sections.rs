//! Judges the sections of a group of games: are they there, may they be read, are they large enough.

use super::facts::{Facts, Memory};
use super::finding::{Finding, Level, Subject};
use super::sections::{Section, SectionFound};
use crate::capture::unknown_length;

/// One finding for all that are missing, one for each that is there.
pub(super) fn judge(facts: &Facts, memory: &Memory, game: Option<&'static str>, game_runs: bool) -> Vec<Finding> {
    let (missing, there): (Vec<&Section>, Vec<&Section>) =
        memory.sections.iter().partition(|section| section.found == SectionFound::Missing);
    let mut findings: Vec<Finding> = there.iter().map(|section| one(facts, section, game_runs).of(game)).collect();
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|section| section.place.as_str()).collect();
        let not_there = format!("{} not there", names.join(", "));
        findings.push(match there.is_empty() {
            true => Finding::new(Subject::Memory, Level::Note, not_there).of(game),
            false => Finding::new(
                Subject::Memory,
                Level::Problem,
                format!("{not_there}, although others of the game's sections are"),
            )
            .next("end whatever made the others, then start the bridge and the game again")
            .of(game),
        });
    }
    findings
}

fn one(facts: &Facts, section: &Section, game_runs: bool) -> Finding {
    let (place, least) = (&section.place, section.least_bytes);
    let finding = |level, text: String| Finding::new(Subject::Memory, level, text);
    match &section.found {
        SectionFound::Missing => finding(Level::Note, format!("{place} not there")),
        SectionFound::Forbidden => forbidden(facts, section),
        SectionFound::Unusable(why) => finding(Level::Problem, format!("{place} cannot be read: {why}"))
            .next("end the program that made it and remove it, then start the game again"),
        SectionFound::There { bytes: 0, .. } => {
            let level = if game_runs { Level::Problem } else { Level::Note };
            finding(level, format!("{place} is empty: a program asked for it before there was a game")).next(
                "end programs that read the game's telemetry, then start the bridge, the game, and those programs last",
            )
        }
        SectionFound::There { bytes, .. } if *bytes < least => finding(
            Level::Problem,
            format!("{place} has {bytes} bytes, too few for any known version of the page ({least} at least)"),
        )
        .next("end the program that made it and remove it, then start the bridge and the game again"),
        SectionFound::There { bytes, zero } => {
            let recorded = section.known_bytes.iter().copied().filter(|known| known <= bytes).max();
            match unknown_length(place, *bytes, &section.known_bytes, recorded.unwrap_or_default()) {
                Some(text) if !section.known_bytes.is_empty() => finding(Level::Note, text).next(
                    "see whether a newer gametape knows this version of the game; what is recorded now stays readable",
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
            format!("{place} belongs to {owner}{mode}, and gametape runs as {you}: it may not be read"),
            format!(
                "run gametape as {owner}, the user who runs the game; or let {owner} run `chmod o+r {place}` each time the game was started"
            ),
        ),
        None => (
            format!("{place}{mode} may not be read by {you}"),
            format!("run `chmod u+r {place}`, or run gametape as the user who runs the game"),
        ),
    };
    Finding::new(Subject::Memory, Level::Problem, text).next(to_do)
}
