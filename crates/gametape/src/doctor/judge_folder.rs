//! Judges what is around games: recorders and players, the tapes folder, the timer.

use super::facts::Facts;
use super::finding::{Finding, Level, Subject};

/// Below this a long session may not fit.
const LITTLE_ROOM_BYTES: u64 = 1_000_000_000;
/// Below this not even a short one does.
const NO_ROOM_BYTES: u64 = 50_000_000;
/// Later than this, samples at 1000 a second are missed.
const LATE_NS: u64 = 1_000_000;

pub(super) fn judge(facts: &Facts) -> Vec<Finding> {
    let mut findings = recorders(facts);
    findings.push(folder(facts));
    findings.extend(facts.tapes.unfinished.iter().map(|tape| {
        Finding::new(Subject::UnfinishedTape, Level::Note, format!("{} was not closed", tape.display()))
            .next(format!("gametape recover {}", tape.display()))
    }));
    findings.extend(facts.wakes_late_ns.map(timer));
    findings
}

fn recorders(facts: &Facts) -> Vec<Finding> {
    let recorder = |recorder: &super::RecorderFacts| {
        let doing = match &recorder.tape {
            Some(tape) => format!("recording to {}", tape.display()),
            None => recorder.status.clone(),
        };
        let text = format!("a recorder runs already, process {}: {doing}", recorder.process);
        Finding::new(Subject::Recorder, Level::Note, text)
    };
    let mut findings: Vec<Finding> = facts.recorders.iter().map(recorder).collect();
    if let Some(tape) = &facts.player {
        let text = format!("a player plays tape {tape} under these names: what is recorded now is a replay of it");
        findings.push(Finding::new(Subject::Player, Level::Note, text));
    }
    findings
}

fn folder(facts: &Facts) -> Finding {
    let tapes = &facts.tapes;
    let shown = tapes.path.display();
    let finding = |level, text: String| Finding::new(Subject::TapesFolder, level, text);
    if let Some(why) = &tapes.not_writable {
        return finding(Level::Problem, format!("nothing can be written to {shown}: {why}"))
            .next("give this user the right to write there, or set GAMETAPE_DATA_DIR to another folder");
    }
    let made = if tapes.exists { "" } else { ", made with the first tape" };
    let room = tapes.free_bytes.map(|free| format!(", {:.1} GB free", free as f64 / 1e9)).unwrap_or_default();
    let text = format!("{shown}{made}{room}");
    match tapes.free_bytes {
        Some(free) if free < LITTLE_ROOM_BYTES => {
            let level = if free < NO_ROOM_BYTES { Level::Problem } else { Level::Note };
            finding(level, text).next("make room, or set GAMETAPE_DATA_DIR to a folder on another disk")
        }
        _ => finding(Level::Ok, text),
    }
}

fn timer(late_ns: u64) -> Finding {
    let text = format!("the system wakes a recorder {:.2} ms late", late_ns as f64 / 1e6);
    match late_ns > LATE_NS {
        true => Finding::new(Subject::Timer, Level::Note, text)
            .next("at high rates ticks will be missed, and counted: close programs that keep the processor busy"),
        false => Finding::new(Subject::Timer, Level::Ok, text),
    }
}
