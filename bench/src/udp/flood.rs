//! Datagrams much faster than any game sends them: how many are lost, and what recording them costs.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use gametape_format::read::Tape;

use super::bare::Bare;
use super::recorder::Cost;
use super::sender::Sent;
use super::traffic::{NUMBER_AT, Traffic};
use super::{PART_FLOOD as PART, say};
use crate::data::bytes::u32_at;
use crate::laps::figures::Figure;
use crate::live::children::Process;

/// The sender may be this much slower than wanted.
const LEAST_RATE: f64 = 0.99;

/// Starts a sender and waits for its end.
fn send(to: &str, rate: u64, seconds: u64) -> Result<Sent> {
    let mut sender =
        Process::start(["udp-sender", to, "--rate", &rate.to_string(), "--seconds", &seconds.to_string()])?;
    let sent = serde_json::from_str(&sender.line()?)?;
    sender.end()?;
    Ok(sent)
}

/// Compares the tapes with what was sent. Returns how many datagrams they have.
fn compare(tapes: &[PathBuf], rate: u64) -> Result<u64> {
    let mut traffic = Traffic::new(rate)?;
    let (mut frames, mut last) = (0, None);
    for path in tapes {
        let tape = Tape::open(path)?;
        ensure!(tape.is_complete() && tape.problems().is_empty(), "{} is not complete", path.display());
        let mut merged = tape.merged(tape.streams().filter(|stream| !stream.name().starts_with('.')));
        while let Some(frame) = merged.next()? {
            let number = u64::from(u32_at(frame.data, NUMBER_AT));
            ensure!(last.is_none_or(|last| number > last), "datagram {number} comes after {last:?}");
            last = Some(number);
            let name = tape.stream(frame.stream).context("no such stream")?.name();
            let wanted = if traffic.is_session(number) { "session" } else { "car-telemetry" };
            ensure!(name == wanted, "datagram {number} is in the stream {name}");
            ensure!(frame.data == traffic.datagram(number), "datagram {number} is not what was sent");
            frames += 1;
        }
    }
    Ok(frames)
}

/// Measures a recording, and a process that only receives.
pub(super) fn measure(rate: u64, seconds: u64, files: &Path) -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir_in(files)?;
    let mut recorder = Process::start(["udp-recorder", &folder.path().to_string_lossy()])?;
    let sent = send(&recorder.line()?, rate, seconds)?;
    recorder.hang_up();
    let cost: Cost = serde_json::from_str(&recorder.line()?)?;
    recorder.end()?;
    say("comparing");
    let on_tape = compare(&cost.tapes, rate)?;
    drop(folder);

    say("only receiving");
    let mut receiver = Process::start(["udp-bare"])?;
    let sent_to_bare = send(&receiver.line()?, rate, seconds)?;
    receiver.hang_up();
    let bare: Bare = serde_json::from_str(&receiver.line()?)?;
    receiver.end()?;

    let count = |what: &str, value: u64| Figure::count(PART, what, value);
    let seconds_of = |what: String, ns: u64| Figure::new(PART, what, ns as f64 / 1e9, "s of CPU time").digits(2);
    let mb = |what: &str, bytes: u64| Figure::new(PART, what, bytes as f64 / 1e6, "MB").digits(1);
    // What is neither on a tape nor dropped by the system was lost by us, whether we counted it or not.
    let lost_here = sent.datagrams.saturating_sub(on_tape + cost.missed);
    let sent_rate = sent.datagrams as f64 / sent.seconds;
    let mut figures = vec![
        count("datagrams sent, 1352 bytes each", sent.datagrams),
        Figure::new(PART, "  rate", sent_rate, "1/s").at_least(rate as f64 * LEAST_RATE),
        mb("  raw", sent.bytes),
        count("read back from the tape, all equal", on_tape).exactly(sent.datagrams as f64),
        count("lost by the system", cost.missed).exactly(0.0),
        count("lost by the recorder", lost_here).exactly(0.0),
        count("  counted by it", cost.dropped).exactly(lost_here as f64),
        mb("buffer of the system", cost.buffer_bytes.unwrap_or_default()),
        mb("tape", cost.tape_bytes),
        seconds_of("recorder".to_owned(), cost.processor_ns),
    ];
    for thread in &cost.threads {
        figures.push(seconds_of(format!("  threads {}", thread.name), thread.processor_ns));
    }
    figures.extend([
        seconds_of("only receiving, with recvmmsg".to_owned(), bare.processor_ns),
        count("  lost by the system", sent_to_bare.datagrams.saturating_sub(bare.datagrams)),
        Figure::new(PART, "recorder / only receiving", cost.processor_ns as f64 / bare.processor_ns.max(1) as f64, "")
            .digits(2),
        mb("resident memory, the most", cost.memory.peak_kib * 1024),
        mb("  heap and stacks at the end", cost.memory.own_kib * 1024),
        mb("  mapped files at the end: program, journals", cost.memory.files_kib * 1024),
    ]);
    Ok(figures)
}
