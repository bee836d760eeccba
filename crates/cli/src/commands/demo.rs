//! `gametape demo`

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow};
use gametape::demo_car::{DemoCar, LAP_FRAMES, RATE_HZ};
use gametape::format::StreamId;
use gametape::format::write::{AppendError, CreateError, Files, Finished, WriteOptions, Writer};
use gametape::games::acc::{GAME, PHYSICS, PHYSICS_800};
use gametape::identity::new_id;
use gametape::layout::stream_of_layout;
use gametape::names::{free_path, recording_name};

use crate::cli::{not_yet, tell};
use crate::exit::Outcome;
use crate::open::DATA_DIR;
use crate::stop::Stop;
use crate::{human, open};

const FRAME_NS: u64 = 1_000_000_000 / RATE_HZ;
/// How long to sleep while nothing is due; also how soon Ctrl+C is seen.
const NAP: Duration = Duration::from_millis(5);
const STATUS_INTERVAL: Duration = Duration::from_millis(250);
/// Seconds of data at the greatest speed, should the disk stall.
const JOURNAL_BYTES: u64 = 16 << 20;

/// Record a made-up car, to see how things work
///
/// The frames come from a small generator that is built in: plausible numbers in the layout of Assetto Corsa Competizione's physics page,
/// not a game and not a simulation. They go through the real recorder into a tape in a folder of its own, apart from your tapes. A lap takes
/// 36 seconds. The path of the tape goes to stdout.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape demo                    until Ctrl+C
  gametape demo --exit             one lap
  gametape demo --laps 3 --speed 20
  gametape info $(gametape demo --exit --speed 100)")]
pub(crate) struct Args {
    /// End after this many laps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    laps: Option<u64>,
    /// Times faster than real time, up to 100
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = parse_speed)]
    speed: f64,
    /// Another number gives another drive, the same number the same
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Prefix of memory names (not there yet)
    #[arg(long, value_name = "PREFIX", hide = true)]
    names: Option<String>,
    /// End by itself: after one lap, or after --laps
    #[arg(long)]
    exit: bool,
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok().filter(|speed| (0.01..=100.0).contains(speed));
    speed.ok_or_else(|| "the speed is a number from 0.01 to 100".into())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.names.is_some() {
        return Err(not_yet("gametape demo --names"));
    }
    let stop = Stop::listen().context("cannot listen for Ctrl+C")?;
    let (path, mut recording) = Recording::begin(args)?;
    tell(&format!("recording a built-in generator (not a game) to {}", path.display()));
    if args.laps.is_none() && !args.exit {
        tell("press Ctrl+C to end");
    }
    let laps = args.laps.or(args.exit.then_some(1));
    recording.drive(laps.map(|laps| laps * LAP_FRAMES), args.speed, &stop)?;
    let frames = recording.car.frames();
    let finished = recording.writer.finish().context("cannot close the tape")?;
    let lost = tell_end(&path, frames, &finished)?;
    Ok(match (lost, stop.interrupted()) {
        (true, _) => Outcome::Damage,
        (false, true) => Outcome::Interrupted,
        (false, false) => Outcome::Done,
    })
}

struct Recording {
    writer: Writer,
    stream: StreamId,
    car: DemoCar,
}

impl Recording {
    fn begin(args: &Args) -> anyhow::Result<(PathBuf, Self)> {
        let files: Arc<dyn Files> = Arc::new(gametape::sys::MappedFiles);
        let folder = open::folders()?.demo;
        std::fs::create_dir_all(&folder).with_context(|| {
            format!("cannot make the folder {}; set {DATA_DIR} to one that you may write to", folder.display())
        })?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let start_utc_ns = i64::try_from(now.as_nanos()).unwrap_or_default();
        let options = WriteOptions {
            start_utc_ns: Some(start_utc_ns),
            journal_bytes: JOURNAL_BYTES,
            ..WriteOptions::new(new_id())
        };
        let wanted = folder.join(recording_name("demo", None, start_utc_ns));
        let (path, mut writer) = create(files, &wanted, &options)?;
        let stream = writer.add_stream(stream_of_layout(GAME.id, PHYSICS.name, "demo", &PHYSICS_800))?;
        for (key, value) in [
            ("source", "built-in generator of `gametape demo`, not a game".to_owned()),
            ("demo_seed", args.seed.to_string()),
            ("demo_speed", args.speed.to_string()),
            ("recorder", concat!("gametape ", env!("CARGO_PKG_VERSION")).to_owned()),
        ] {
            writer.metadata(0, key, &value)?;
        }
        writer.event(0, "session_start", "demo")?;
        Ok((path, Self { writer, stream, car: DemoCar::new(args.seed) }))
    }

    /// Records what is due until enough frames are there or somebody wants the end.
    fn drive(&mut self, frames: Option<u64>, speed: f64, stop: &Stop) -> anyhow::Result<()> {
        let start = Instant::now();
        let mut status = StatusLine::new();
        let frames = frames.unwrap_or(u64::MAX);
        while self.car.frames() < frames && !stop.wanted() {
            let due = (start.elapsed().as_secs_f64() * speed * RATE_HZ as f64) as u64 + 1;
            // In slices, so that a great speed does not keep Ctrl+C waiting.
            let until = due.min(frames).min(self.car.frames() + LAP_FRAMES);
            while self.car.frames() < until {
                self.record_next()?;
            }
            status.show(&self.car);
            if self.car.frames() < frames {
                std::thread::sleep(NAP);
            }
        }
        status.clear();
        Ok(())
    }

    fn record_next(&mut self) -> anyhow::Result<()> {
        let number = self.car.frames();
        let time_ns = number * FRAME_NS;
        if number.is_multiple_of(LAP_FRAMES) {
            let lap = format!("lap {}", number / LAP_FRAMES + 1);
            go_on_if_counted(self.writer.event(time_ns, "lap_start", &lap))?;
        }
        go_on_if_counted(self.writer.append(self.stream, time_ns, self.car.next_frame()))
    }
}

/// A frame or an event that a slow disk has no room for does not end the recording: the writer counts it, and the end tells it.
fn go_on_if_counted<T>(appended: Result<T, AppendError>) -> anyhow::Result<()> {
    match appended {
        Ok(_) | Err(AppendError::NoRoom { .. } | AppendError::Journal(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Makes a tape of this name or, if it is taken, of the next one. Another demo may take a name while we look.
fn create(files: Arc<dyn Files>, wanted: &Path, options: &WriteOptions) -> anyhow::Result<(PathBuf, Writer)> {
    let mut taken = HashSet::new();
    loop {
        let path = free_path(wanted, &|path: &Path| path.exists() || taken.contains(path));
        match Writer::create(files.clone(), &path, options) {
            Ok(writer) => return Ok((path, writer)),
            Err(CreateError::Exists { .. }) => taken.insert(path),
            Err(error) => return Err(anyhow!("{error}; set {DATA_DIR} to a folder with room that you may write to")),
        };
    }
}

/// One line that is written over on a terminal; elsewhere a line for each lap.
struct StatusLine {
    terminal: bool,
    shown: Option<Instant>,
    laps: u64,
}

impl StatusLine {
    fn new() -> Self {
        Self { terminal: std::io::stderr().is_terminal(), shown: None, laps: 0 }
    }

    fn show(&mut self, car: &DemoCar) {
        let dials = car.dials();
        if self.terminal {
            let time = human::duration(car.frames() * FRAME_NS);
            if self.shown.is_none_or(|shown| shown.elapsed() >= STATUS_INTERVAL) {
                self.shown = Some(Instant::now());
                let (lap, frames) = (dials.laps + 1, human::count(car.frames()));
                let speed = dials.speed_kmh;
                let _ = write!(
                    std::io::stderr().lock(),
                    "\r\x1b[Klap {lap}  {time}  {speed:>3.0} km/h  gear {}  {} rpm  {frames} frames",
                    dials.gear,
                    dials.rpm
                );
            }
        } else if dials.laps > self.laps {
            self.laps = dials.laps;
            let time = human::duration(dials.laps * LAP_FRAMES * FRAME_NS);
            tell(&format!("lap {} done at {time}", dials.laps));
        }
    }

    fn clear(&self) {
        if self.terminal {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// Says what is on the tape and what to do with it. Gives whether frames were lost.
fn tell_end(path: &Path, frames: u64, finished: &Finished) -> anyhow::Result<bool> {
    let loss = finished.loss();
    let lost = match loss.dropped {
        0 => "nothing was lost".to_owned(),
        dropped => format!("{} LOST: the disk did not keep up", human::counted(dropped, "frame")),
    };
    let duration = human::duration(frames * FRAME_NS);
    tell(&format!("{duration}, {}, {}, {lost}", human::counted(frames, "frame"), human::bytes(finished.bytes)));
    tell("try next:");
    tell(&format!("  gametape info {}", path.display()));
    tell(&format!("  gametape cat {} --channels speedKmh,gear,gas,brake --to 2", path.display()));
    writeln!(std::io::stdout().lock(), "{}", path.display())?;
    Ok(loss.dropped > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape::format::Role;
    use gametape::format::read::Tape;
    use gametape::format::write::{JournalFile, StdFiles};
    use std::io;
    use std::sync::{Condvar, Mutex};

    /// A disk on which no journal but the first gets ready before it is released.
    #[derive(Default)]
    struct SlowDisk {
        released: Mutex<bool>,
        changed: Condvar,
    }

    impl SlowDisk {
        fn release(&self) {
            *self.released.lock().unwrap() = true;
            self.changed.notify_all();
        }
    }

    impl Files for SlowDisk {
        fn create_journal(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn JournalFile>> {
            if !path.to_string_lossy().ends_with("-journal-0") {
                drop(self.changed.wait_while(self.released.lock().unwrap(), |released| !*released).unwrap());
            }
            StdFiles.create_journal(path, bytes)
        }
    }

    #[test]
    fn a_disk_without_room_for_a_lap_start_does_not_end_the_recording() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gtape");
        let disk = Arc::new(SlowDisk::default());
        let options = WriteOptions { journal_bytes: 1 << 20, ..WriteOptions::new(new_id()) };
        let mut writer = Writer::create(disk.clone(), &path, &options).unwrap();
        let stream = writer.add_stream(stream_of_layout(GAME.id, PHYSICS.name, "demo", &PHYSICS_800)).unwrap();
        let mut recording = Recording { writer, stream, car: DemoCar::new(1) };
        let first_lap = (0..LAP_FRAMES).try_for_each(|_| recording.record_next());
        // The journal has long no room for a frame; now it has none for a small event either.
        while recording.writer.event(0, "fill", "").is_ok() {}
        let second_lap = recording.record_next();
        // Before anything can fail: the writer waits for the disk.
        disk.release();
        first_lap.and(second_lap).unwrap();
        recording.writer.finish().unwrap();
        let tape = Tape::open(&path).unwrap();
        let laps = tape.events().iter().filter(|event| event.kind == "lap_start").count();
        let dropped = tape.stream_of_role(Role::Events).unwrap().status().counters.dropped;
        assert_eq!((laps, dropped), (1, 2), "the one that filled no more, and the second lap_start");
        let frames = tape.stream(stream).unwrap();
        assert_eq!(frames.totals().frames + frames.status().counters.dropped, LAP_FRAMES + 1);
        assert!(frames.status().counters.dropped > 0);
    }
}
