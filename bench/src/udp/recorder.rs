//! The recorder of the flood: does what `gametape record` does for games that send datagrams, and prints the cost as a line of JSON.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use gametape::capture::{
    Destination, Progress, RealClock, RecordOptions, Recorder, RecorderEvent, StopFlag, UdpSettings, UdpSource,
};
use gametape::sys::Prefix;
use serde::{Deserialize, Serialize};

use crate::live::system::{Scheduled, processor_ns, threads};
use crate::memory::Memory;

/// As many senders as the program records at the same time.
const SENDERS: usize = 4;
/// Everything was taken when nothing came for this long.
const QUIET: Duration = Duration::from_millis(500);
/// Within this time everything must have been taken.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where to record to.
#[derive(Debug, Args)]
pub(crate) struct RecorderArgs {
    /// Folder of the tapes
    folder: PathBuf,
}

/// Cost and results of a recording.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// CPU time of the process, from its start to the closed tape.
    pub(crate) processor_ns: u64,
    /// CPU time of its threads, before the tape was closed.
    pub(crate) threads: Vec<Scheduled>,
    pub(crate) memory: Memory,
    pub(crate) tapes: Vec<PathBuf>,
    pub(crate) tape_bytes: u64,
    /// Datagrams that the system dropped, as the tapes count them.
    pub(crate) missed: u64,
    /// Datagrams that the recorder dropped, as the tapes count them.
    pub(crate) dropped: u64,
    /// Size of the system's buffer.
    pub(crate) buffer_bytes: Option<u64>,
}

/// Sources that record, each on a thread.
pub(super) struct Recorders {
    pub(super) threads: Vec<JoinHandle<bool>>,
    pub(super) progress: Vec<Arc<Progress>>,
    pub(super) stop: StopFlag,
}

impl Recorders {
    /// Starts to record.
    pub(super) fn start(sources: Vec<UdpSource>, folder: PathBuf, told: &Sender<RecorderEvent>) -> Result<Self> {
        let options = Arc::new(RecordOptions::new(Some(Destination::Folder(folder))));
        let mut recorders = Self { threads: Vec::new(), progress: Vec::new(), stop: StopFlag::default() };
        for mut source in sources {
            let recorder = Recorder {
                options: Arc::clone(&options),
                clock: Arc::new(RealClock::start()),
                progress: Arc::default(),
                told: told.clone(),
                observers: Vec::new(),
                stop: recorders.stop.clone(),
                once: false,
            };
            recorders.progress.push(Arc::clone(&recorder.progress));
            let thread = std::thread::Builder::new().name("gametape-capture".into());
            recorders.threads.push(thread.spawn(move || recorder.run(&mut source))?);
        }
        Ok(recorders)
    }

    /// Returns the sources of a program that listens as the settings say.
    pub(super) fn sources(settings: &UdpSettings) -> Vec<UdpSource> {
        UdpSource::of_senders(settings, None, &Prefix::default(), SENDERS)
    }

    /// Stops, and waits until all tapes are closed.
    pub(super) fn end(self) -> Result<()> {
        self.stop.stop();
        for thread in self.threads {
            ensure!(thread.join().unwrap_or(false), "a recorder failed");
        }
        Ok(())
    }

    /// Waits until no more frames arrive.
    fn wait_until_quiet(&self) {
        let frames = || self.progress.iter().map(|progress| progress.numbers().frames).sum::<u64>();
        let (start, mut last, mut since) = (Instant::now(), frames(), Instant::now());
        while since.elapsed() < QUIET && start.elapsed() < PATIENCE {
            std::thread::sleep(QUIET / 10);
            if frames() != last {
                (last, since) = (frames(), Instant::now());
            }
        }
    }
}

/// Prints the address, records until standard input ends, and prints the cost.
pub(crate) fn run(args: &RecorderArgs) -> Result<()> {
    let ended = super::input_ended();
    let listen = vec!["127.0.0.1:0".parse()?];
    let settings = UdpSettings { usual_ports: false, listen, ..UdpSettings::default() };
    let mut sources = Recorders::sources(&settings);
    let addresses = sources.first_mut().context("no source")?.listen()?;
    let (sender, told) = channel();
    let recorders = Recorders::start(sources, args.folder.clone(), &sender)?;
    drop(sender);
    println!("{}", addresses.first().context("no port")?);
    std::io::stdout().flush()?;

    while !ended.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
    }
    recorders.wait_until_quiet();
    let (memory, threads) = (Memory::now()?, threads());
    recorders.end()?;
    let mut cost = Cost {
        processor_ns: processor_ns()?,
        threads,
        memory: Memory { peak_kib: Memory::now()?.peak_kib.max(memory.now_kib), ..memory },
        tapes: Vec::new(),
        tape_bytes: 0,
        missed: 0,
        dropped: 0,
        buffer_bytes: None,
    };
    for event in told {
        match event {
            RecorderEvent::Closed(tape) => {
                (cost.missed, cost.dropped) = (cost.missed + tape.loss.missed, cost.dropped + tape.loss.dropped);
                cost.tape_bytes += tape.bytes;
                let opened = gametape_format::read::Tape::open(&tape.path)?;
                cost.buffer_bytes = opened.metadata().get("udp_buffer_bytes").and_then(|bytes| bytes.parse().ok());
                cost.tapes.push(tape.path);
            }
            RecorderEvent::Failed(why) | RecorderEvent::Lost(why) => bail!(why),
            RecorderEvent::Opened { .. } | RecorderEvent::Warned(_) => {}
        }
    }
    println!("{}", serde_json::to_string(&cost)?);
    Ok(())
}
