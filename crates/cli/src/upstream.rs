//! Sends sessions and tapes to another gametape server, on a thread of its own.
//!
//! ```text
//! store, catalogue ──▶ what the other one lacks (table `pushed`) ──▶ PUT /api/v1/push/sessions, /api/v1/push/tapes/ID?offset=… ──▶ noted in `pushed`
//! ```
//! The store itself is the queue: whatever ends, here or there, is begun again from it. Ids are made from tapes and times, so what arrives twice is there once.

mod args;
mod client;
mod sending;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gametape::capture::StopFlag;
use gametape::store::Store;

pub(crate) use args::UpstreamArgs;
pub(crate) use client::Upstream;
use sending::{Pass, Sending};

/// How often it is looked whether there is anything new.
const LOOK: Duration = Duration::from_millis(500);
/// The first pause after a failure, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// Changes of old sessions are rare: all of them are looked at this often.
const ALL_AGAIN: Duration = Duration::from_secs(600);

/// Sending.
pub(crate) struct Pushing {
    stop: StopFlag,
    thread: JoinHandle<()>,
}

impl Pushing {
    /// Begins, and says so. Says what goes wrong, once for each reason.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        upstream: Upstream,
        say: impl Fn(String) + Send + 'static,
    ) -> std::io::Result<Self> {
        let stop = StopFlag::default();
        let wanted = stop.clone();
        say(format!("sending laps and tapes to {}", upstream.name()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("gametape-upstream".into()).spawn(move || {
            let sending = Sending { store: store.as_ref(), upstream: &upstream, runtime: &runtime, stop: &wanted };
            run(&sending, &say);
        })?;
        Ok(Self { stop, thread })
    }

    /// Ends it after the piece that it is at.
    pub(crate) fn stop(self) {
        self.stop.stop();
        let _ = self.thread.join();
    }
}

fn run(sending: &Sending<'_>, say: &dyn Fn(String)) {
    let mut pause = PAUSES.0;
    let mut done: Option<(i64, Instant)> = None;
    let mut said = String::new();
    while !sending.stop.wanted() {
        let counter = sending.store.changes().unwrap_or_default();
        let pass = match done {
            Some((before, _)) if before == counter => None,
            Some((_, all)) if all.elapsed() < ALL_AGAIN => Some(Pass::Newest),
            _ => Some(Pass::All),
        };
        let Some(pass) = pass else {
            std::thread::sleep(LOOK);
            continue;
        };
        match sending.pass(pass) {
            Ok(()) => {
                let all = done.map(|(_, all)| all).filter(|_| pass == Pass::Newest).unwrap_or_else(Instant::now);
                done = Some((counter, all));
                pause = PAUSES.0;
                said.clear();
            }
            Err(reason) => {
                let reason = reason.to_string();
                if said != reason {
                    say(format!("note: not everything has arrived at {}: {reason}", sending.upstream.name()));
                    said = reason;
                }
                let until = Instant::now() + pause;
                while Instant::now() < until && !sending.stop.wanted() {
                    std::thread::sleep(LOOK.min(pause));
                }
                pause = (pause * 2).min(PAUSES.1);
            }
        }
    }
}
