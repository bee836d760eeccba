//! Judges what is seen of games in Wine: are their sections there, may they be read, and if none is a game's, why.

use gametape_games::{Game, iracing};

use super::finding::{Finding, Level, Subject};
use super::wine::WineFacts;

/// What helps where nothing else does.
const BRIDGE: &str =
    "or start a bridge before the game (simd of simapi, or acbridge.exe of simshmbridge in the game's prefix)";

/// What was seen of a process, if it is in Wine at all.
pub(super) fn seen(facts: &WineFacts) -> Option<Finding> {
    let WineFacts { process, fitting, zero, out_of_reach, servers, shut, denied } = facts;
    if denied.is_some() || (*fitting == 0 && *out_of_reach == 0) {
        return None;
    }
    let numbers: Vec<String> = servers.iter().map(u32::to_string).collect();
    let server = match numbers.as_slice() {
        [] => "no wineserver found".into(),
        [one] => format!("wineserver {one}"),
        several => format!("one of the wineservers {}", several.join(", ")),
    };
    let mut text = format!(
        "process {process} is in Wine ({server}): {fitting} sections of fitting size can be read without a bridge, {zero} of them all zero"
    );
    if *out_of_reach > 0 {
        text += &format!("; {out_of_reach} more are open nowhere that this user can see");
    }
    for (server, why) in shut {
        text += &format!("; wineserver {server} may not be looked into ({why})");
    }
    let level = if *fitting > 0 { Level::Ok } else { Level::Note };
    Some(Finding::new(Subject::Memory, level, text))
}

/// A game runs, and none of its sections was found: what is in the way, and the next step.
pub(super) fn not_found(game: &Game, facts: &WineFacts) -> Finding {
    let name = game.name;
    let finding = |level, text: String, to_do: String| Finding::new(Subject::Telemetry, level, text).next(to_do);
    let process = facts.process;
    if let Some(why) = &facts.denied {
        return finding(
            Level::Problem,
            format!("{name} runs, its memory is not in /dev/shm, and process {process} may not be looked into: {why}"),
            format!(
                "run gametape as the user who runs the game; if it is the same, the game's program has rights of its own (`getcap`) or a sandbox around it: \
                 take them away, {BRIDGE}. The setting kernel.yama.ptrace_scope does not matter for this"
            ),
        );
    }
    if facts.fitting == 0 && facts.out_of_reach > 0 {
        let shut: Vec<String> = facts.shut.iter().map(|(_, why)| why.clone()).collect();
        let why = if shut.is_empty() { String::new() } else { format!(": {}", shut.join(", ")) };
        return finding(
            Level::Problem,
            format!(
                "{name} runs, its memory is not in /dev/shm, and what it has in Wine is open nowhere that this user can see{why}"
            ),
            format!(
                "if the wineserver has rights of its own (`getcap` on it lists them), take them away with `setcap -r`, and start the game again; {BRIDGE}"
            ),
        );
    }
    if facts.fitting > 0 {
        return finding(
            Level::Note,
            format!("{name} runs in Wine, and none of its sections says yet that it is a page of the game"),
            format!("start a session and drive: recording begins by itself. If it does not, tell us; {BRIDGE}"),
        );
    }
    let on = match game.id == iracing::GAME.id {
        true => "set irsdkEnableMem=1 in iRacing's app.ini and start the sim again",
        false => "wait until it has started and start a session",
    };
    finding(
        Level::Problem,
        format!(
            "{name} runs, but has made no telemetry memory: it is neither in /dev/shm nor in what process {process} has in Wine"
        ),
        format!("{on}; {BRIDGE}"),
    )
}
