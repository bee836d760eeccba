//! Diagnoses games in Wine: whether their sections exist and are readable, and if none is recognized, why.

use gametape_games::{Game, iracing};

use super::WineFacts;
use super::finding::{Finding, Level, Subject};

/// The last resort.
const BRIDGE: &str =
    "or start a bridge before the game (simd of simapi, or acbridge.exe of simshmbridge in the game's prefix)";

/// Describes what was found in a process, if it is in Wine.
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
        "process {process} is in Wine ({server}): {fitting} sections of a matching size are readable without a bridge, {zero} of them all zero"
    );
    if *out_of_reach > 0 {
        text += &format!("; {out_of_reach} more are not open in any process that this user can inspect");
    }
    for (server, why) in shut {
        text += &format!("; wineserver {server} cannot be inspected ({why})");
    }
    let level = if *fitting > 0 { Level::Ok } else { Level::Note };
    Some(Finding::new(Subject::Memory, level, text))
}

/// A game is running, but none of its sections was found. Returns the obstacle and the next step.
pub(super) fn not_found(game: &Game, facts: &WineFacts) -> Finding {
    let name = game.name;
    let finding = |level, text: String, to_do: String| Finding::new(Subject::Telemetry, level, text).next(to_do);
    let process = facts.process;
    if let Some(why) = &facts.denied {
        return finding(
            Level::Problem,
            format!(
                "{name} is running, its memory is not in /dev/shm, and process {process} cannot be inspected: {why}"
            ),
            format!(
                "run gametape as the user who runs the game; if it is the same user, the game's program has file capabilities (`getcap`) or runs in a sandbox: \
                 remove these, {BRIDGE}. The setting kernel.yama.ptrace_scope does not matter for this"
            ),
        );
    }
    if facts.fitting == 0 && facts.out_of_reach > 0 {
        let shut: Vec<String> = facts.shut.iter().map(|(_, why)| why.clone()).collect();
        let why = if shut.is_empty() { String::new() } else { format!(": {}", shut.join(", ")) };
        return finding(
            Level::Problem,
            format!(
                "{name} is running, its memory is not in /dev/shm, and its sections in Wine are not open in any process that this user can inspect{why}"
            ),
            format!(
                "if the wineserver has file capabilities (`getcap` lists them), remove them with `setcap -r` and restart the game; {BRIDGE}"
            ),
        );
    }
    if facts.fitting > 0 {
        return finding(
            Level::Note,
            format!("{name} is running in Wine, but none of its sections is recognized as a page of the game yet"),
            format!(
                "start a session and drive: recording starts automatically. If it does not, please report it; {BRIDGE}"
            ),
        );
    }
    let on = match game.id == iracing::GAME.id {
        true => "set irsdkEnableMem=1 in iRacing's app.ini and restart the sim",
        false => "wait until it has started and start a session",
    };
    finding(
        Level::Problem,
        format!(
            "{name} is running, but has created no telemetry memory: it is neither in /dev/shm nor in the Wine memory of process {process}"
        ),
        format!("{on}; {BRIDGE}"),
    )
}
