//! A recording as the user sees it: a capture, a status line, and a summary at the end.

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context as _;
use gametape::capture::{Progress, RecordOptions, RecorderEvent, TapeSummary};
use gametape::control::ControlServer;
use gametape::format::Counters;
use gametape::keep_last::Ring;
use gametape::{Capture, RunningCapture};
use serde_json::json;

use crate::cli::tell;
use crate::disk_space::DiskSpace;
use crate::exit::Outcome;
use crate::human;
use crate::status_line::StatusLine;
use crate::stop::Stop;

/// How often the status line is updated and Ctrl+C is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Called when a tape is opened or closed.
type OnTape = Box<dyn Fn(&Path)>;

/// A running capture.
pub(crate) struct Recording {
    /// `None` after its end.
    capture: Option<RunningCapture>,
    progress: Vec<Arc<Progress>>,
    status: StatusLine,
    /// Lines from other parts of the program, to be printed above the status line.
    lines: Vec<Receiver<String>>,
    /// Called when a tape is opened or closed.
    on_tape: Option<OnTape>,
    disk_space: DiskSpace,
    closed: Vec<TapeSummary>,
    /// Set if only the last part of the recording is kept.
    ring: Option<Ring>,
    /// What is being kept, as last reported to the user.
    kept: Option<String>,
    /// Notes about the game's data, as last reported to the user.
    noted: Vec<String>,
    failed: bool,
    /// Something beside the recording failed, such as the tracker. The tapes are not affected.
    beside_failed: bool,
    /// Captured frames are missing from every tape.
    lost: bool,
    /// The address of the laps server, for requests on the control channel.
    server: Arc<OnceLock<SocketAddr>>,
    /// The prefix of the shared-memory names if this is the main job, for requests on the control channel.
    main_job: Arc<OnceLock<String>>,
    _control: Option<ControlServer>,
}

impl Recording {
    /// Starts the capture with these options, and opens the control channel in the folder.
    pub(crate) fn start(capture: Capture, options: RecordOptions, run_folder: &Path) -> anyhow::Result<Self> {
        let disk_space = DiskSpace::of(options.place.as_ref());
        // With `go_on` a disk error is reported, and the recorder keeps trying: the game does not wait until the disk is fixed.
        let capture = capture.options(RecordOptions { go_on: true, ..options });
        let capture = capture.start().context("cannot start recording")?;
        let progress: Vec<Arc<Progress>> = capture.progress().cloned().collect();
        let shared = progress.clone();
        let server = Arc::new(OnceLock::new());
        let main_job = Arc::new(OnceLock::new());
        let (served, job) = (Arc::clone(&server), Arc::clone(&main_job));
        let control = ControlServer::start(run_folder, move |verb, rest| answer(&shared, &served, &job, verb, rest));
        let control = control
            .inspect_err(|error| tell(&format!("note: `gametape mark` cannot reach this recorder: {error}")))
            .ok();
        let status = StatusLine::new();
        Ok(Self {
            capture: Some(capture),
            progress,
            status,
            lines: Vec::new(),
            on_tape: None,
            disk_space,
            closed: Vec::new(),
            ring: None,
            kept: None,
            noted: Vec::new(),
            failed: false,
            beside_failed: false,
            lost: false,
            server,
            main_job,
            _control: control,
        })
    }

    /// Sets the ring that the recorded pieces belong to.
    pub(crate) fn keeping(self, ring: Option<Ring>) -> Self {
        Self { ring, ..self }
    }

    /// Prints these lines as they arrive, and calls `on_tape` when a tape is opened or closed.
    pub(crate) fn with(mut self, lines: Receiver<String>, on_tape: impl Fn(&Path) + 'static) -> Self {
        self.lines.push(lines);
        Self { on_tape: Some(Box::new(on_tape)), ..self }
    }

    /// Also prints these lines as they arrive.
    pub(crate) fn with_lines(mut self, lines: Receiver<String>) -> Self {
        self.lines.push(lines);
        self
    }

    /// Announces on the control channel that this is the main job, with this prefix of the shared-memory names.
    pub(crate) fn of_main_job(self, prefix: &str) -> Self {
        let _ = self.main_job.set(prefix.to_owned());
        self
    }

    /// Announces the address of the laps server on the control channel.
    pub(crate) fn serving(self, address: Option<SocketAddr>) -> Self {
        if let Some(address) = address {
            let _ = self.server.set(address);
        }
        self
    }

    /// Shows progress until the user wants to stop or a source has ended.
    pub(crate) fn watch(&mut self, stop: &Stop) {
        self.watch_until(|| stop.wanted());
    }

    /// Shows progress until `done` returns true or a source has ended: it reached its maximum duration, failed, or has no more data. The
    /// other sources wait for games that are no longer wanted.
    pub(crate) fn watch_until(&mut self, mut done: impl FnMut() -> bool) {
        while let Some(capture) = self.capture.as_ref().filter(|capture| !done() && !capture.any_ended()) {
            match capture.next_event(POLL_INTERVAL) {
                Ok(event) => self.handle(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.say_lines();
            if let Some(warning) = self.disk_space.check() {
                self.status.say(&warning);
            }
            self.status.show(&self.progress);
        }
    }

    /// Drops the `on_tape` callback. All tapes must be closed.
    pub(crate) fn forget_tapes(&mut self) {
        self.on_tape = None;
    }

    /// Notes that something beside the recording failed. It was reported before, and makes the command fail at the end.
    pub(crate) fn failed_beside(&mut self) {
        self.beside_failed = true;
    }

    /// Prints the lines of other parts of the program.
    pub(crate) fn say_lines(&mut self) {
        for line in self.lines.iter().flat_map(Receiver::try_iter) {
            self.status.say_coloured(&line);
        }
    }

    /// Stops the capture and returns the paths of the tapes.
    pub(crate) fn end(&mut self) -> Vec<PathBuf> {
        if let Some(capture) = self.capture.take() {
            capture.stopper().stop();
            loop {
                match capture.next_event(POLL_INTERVAL) {
                    Ok(event) => self.handle(event),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            // Its errors were among the events.
            let _ = capture.stop();
        }
        self.status.clear();
        self.closed.iter().map(|tape| tape.path.clone()).collect()
    }

    /// Stops the recorders, prints a summary and returns the outcome.
    pub(crate) fn finish(mut self, stop: &Stop, as_json: bool) -> anyhow::Result<Outcome> {
        self.end();
        match self.ring.take() {
            Some(ring) if ring.is_empty() => ring.remove_if_empty(),
            Some(_) => tell("the last part is kept for a day; `gametape save` makes a tape of it"),
            None => {}
        }
        if self.closed.is_empty() && self.kept.is_none() && !self.failed {
            tell("nothing was recorded; `gametape doctor` shows why no game was found");
        }
        self.print(as_json)?;
        let dropped = self.closed.iter().any(|tape| tape.loss.dropped > 0);
        if self.failed {
            return Err(anyhow::anyhow!("not everything could be recorded and closed; see the errors above"));
        }
        if self.beside_failed {
            return Err(anyhow::anyhow!(
                "laps or the live view failed (see above), but the tapes are complete; run `gametape laps rebuild` to add the missing laps"
            ));
        }
        Ok(match (dropped || self.lost, stop.interrupted()) {
            (true, _) => Outcome::Damage,
            (false, true) => Outcome::Interrupted,
            (false, false) => Outcome::Done,
        })
    }

    fn handle(&mut self, event: RecorderEvent) {
        if let (Some(on_tape), RecorderEvent::Opened { path, .. } | RecorderEvent::Closed(TapeSummary { path, .. })) =
            (&self.on_tape, &event)
        {
            on_tape(path);
        }
        match event {
            RecorderEvent::Opened { path, game, about, notes } => {
                let known = [about.car, about.track].into_iter().flatten().map(|text| human::safe(&text));
                let known: Vec<String> = known.collect();
                self.say_notes(notes);
                let what = if known.is_empty() { game } else { format!("{game}, {}", known.join(", ")) };
                if self.ring.is_none() {
                    self.status.say(&format!("recording {what} to {}", path.display()));
                } else if self.kept.as_ref() != Some(&what) {
                    self.status.say(&format!("keeping the last part of {what}; `gametape save` makes a tape of it"));
                    self.kept = Some(what);
                }
            }
            RecorderEvent::Closed(tape) => match &mut self.ring {
                Some(ring) => ring.closed(tape.path),
                None => {
                    self.status.say(&text(&tape));
                    self.closed.push(tape);
                }
            },
            RecorderEvent::Failed(text) => {
                self.failed = true;
                self.status.say(&format!("error: {text}"));
            }
            RecorderEvent::Lost(text) => {
                self.lost = true;
                self.status.say(&format!("LOST: {text}"));
            }
            RecorderEvent::Warned(text) => self.status.say(&format!("warning: {text}")),
        }
    }

    /// Prints notes about the game's data: only when they change, not for every tape.
    fn say_notes(&mut self, notes: Vec<String>) {
        if self.noted != notes {
            for note in &notes {
                self.status.say(&format!("note: {}", human::safe(note)));
            }
            self.noted = notes;
        }
    }

    fn print(&self, as_json: bool) -> anyhow::Result<()> {
        let mut out = crate::terminal::data();
        if as_json {
            let tapes: Vec<_> = self.closed.iter().map(json_of).collect();
            writeln!(out, "{}", json!({ "tapes": tapes }))?;
        } else {
            for tape in &self.closed {
                writeln!(out, "{}", tape.path.display())?;
            }
        }
        Ok(())
    }
}

/// Describes a tape in one line.
fn text(tape: &TapeSummary) -> String {
    let Counters { torn, gaps, late, .. } = tape.loss;
    let noticed = [
        (gaps, "gap", "gaps"),
        (torn, "torn copy retried", "torn copies retried"),
        (late, "late sample", "late samples"),
    ];
    let noticed = noticed.into_iter().filter(|(count, ..)| *count > 0);
    let noticed: Vec<String> = noticed.map(|(count, one, many)| human::counted_as(count, one, many)).collect();
    let noticed = if noticed.is_empty() { String::new() } else { format!("; also {}", noticed.join(", ")) };
    let duration = human::duration(nanos(tape.duration));
    let (frames, bytes, lost) = (human::counted(tape.frames, "frame"), human::bytes(tape.bytes), lost(&tape.loss));
    format!("{}: {duration}, {frames}, {bytes}, {lost} ({}){noticed}", tape.path.display(), tape.end.as_str())
}

fn json_of(tape: &TapeSummary) -> serde_json::Value {
    let Counters { dropped, torn, missed, gaps, late, unchanged } = tape.loss;
    json!({
        "path": tape.path, "game": tape.game, "end_reason": tape.end.as_str(), "duration_ns": nanos(tape.duration),
        "frames": tape.frames, "bytes": tape.bytes,
        "loss": { "dropped": dropped, "torn": torn, "missed": missed, "gaps": gaps },
        "stats": { "late": late, "unchanged": unchanged },
    })
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Describes the loss in one statement. A missed sample was never captured; a dropped frame was captured but is not on the tape.
fn lost(loss: &Counters) -> String {
    let missed = human::counted_as(loss.missed, "sample was missed", "samples were missed");
    match (loss.dropped, loss.missed) {
        (0, 0) => "nothing was lost".to_owned(),
        (0, _) => format!("every captured frame is stored, {missed}"),
        (dropped, 0) => format!("{} LOST", human::counted(dropped, "frame")),
        (dropped, _) => format!("{} LOST, {missed}", human::counted(dropped, "frame")),
    }
}

/// Handles a request on the control channel.
fn answer(
    progress: &[Arc<Progress>],
    server: &OnceLock<SocketAddr>,
    main_job: &OnceLock<String>,
    verb: &str,
    rest: &str,
) -> Result<String, String> {
    match verb {
        "mark" => {
            let marked = progress.iter().find(|progress| progress.mark(rest));
            let path = marked.and_then(|progress| progress.situation().path);
            path.map(|path| path.display().to_string()).ok_or_else(|| "nothing is being recorded right now".into())
        }
        "status" => {
            let recording =
                progress.iter().find_map(|progress| Some((progress.situation().path?, progress.numbers().frames)));
            Ok(recording.map_or("waiting".into(), |(path, frames)| format!("recording {frames} {}", path.display())))
        }
        "server" => match server.get() {
            Some(address) => Ok(format!("http://{address}")),
            None => Err("nothing is served".into()),
        },
        "main-job" => main_job.get().cloned().ok_or_else(|| "this is not the main job".into()),
        other => Err(format!("this version does not support {other:?}")),
    }
}

/// Whether stderr is a terminal.
pub(crate) fn on_terminal() -> bool {
    std::io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_is_one_statement_that_does_not_contradict_itself() {
        let of = |dropped, missed| lost(&Counters { dropped, missed, ..Counters::default() });
        assert_eq!(of(0, 0), "nothing was lost");
        assert_eq!(of(0, 448), "every captured frame is stored, 448 samples were missed");
        assert_eq!(of(0, 1), "every captured frame is stored, 1 sample was missed");
        assert_eq!(of(12, 0), "12 frames LOST");
        assert_eq!(of(1, 2), "1 frame LOST, 2 samples were missed");
    }
}
