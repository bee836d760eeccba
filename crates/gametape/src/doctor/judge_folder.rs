//! Diagnoses the environment: recorders and players, the tapes folder, the timer.

use super::facts::Facts;
use super::finding::{Finding, Level, Subject};

/// With less space, a long session may not fit.
const LITTLE_ROOM_BYTES: u64 = 1_000_000_000;
/// With less space, not even a short session fits.
const NO_ROOM_BYTES: u64 = 50_000_000;
/// With a higher latency, samples at 1000 Hz are missed.
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
        let text = format!("a recorder is already running, process {}: {doing}", recorder.process);
        Finding::new(Subject::Recorder, Level::Note, text)
    };
    let mut findings: Vec<Finding> = facts.recorders.iter().map(recorder).collect();
    if let Some(tape) = &facts.player {
        let text = format!("a player is playing tape {tape} under these names: recording now would record the replay");
        findings.push(Finding::new(Subject::Player, Level::Note, text));
    }
    findings
}

fn folder(facts: &Facts) -> Finding {
    let tapes = &facts.tapes;
    let shown = tapes.path.display();
    let finding = |level, text: String| Finding::new(Subject::TapesFolder, level, text);
    if let Some(why) = &tapes.not_writable {
        return finding(Level::Problem, format!("cannot write to {shown}: {why}"))
            .next("give this user write permission, or set GAMETAPE_DATA_DIR to another folder");
    }
    let made = if tapes.exists { "" } else { ", will be created with the first tape" };
    let room = tapes.free_bytes.map(|free| format!(", {:.1} GB free", free as f64 / 1e9)).unwrap_or_default();
    let text = format!("{shown}{made}{room}");
    match tapes.free_bytes {
        Some(free) if free < LITTLE_ROOM_BYTES => {
            let level = if free < NO_ROOM_BYTES { Level::Problem } else { Level::Note };
            finding(level, text).next("free some space, or set GAMETAPE_DATA_DIR to a folder on another disk")
        }
        _ => finding(Level::Ok, text),
    }
}

fn timer(late_ns: u64) -> Finding {
    let text = format!("the system wakes up a recorder {:.2} ms late", late_ns as f64 / 1e6);
    match late_ns > LATE_NS {
        true => Finding::new(Subject::Timer, Level::Note, text)
            .next("at high sampling rates ticks will be missed and counted: close programs that keep the CPU busy"),
        false => Finding::new(Subject::Timer, Level::Ok, text),
    }
}
