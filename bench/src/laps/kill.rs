//! Kills the server repeatedly while laps are driven and clients send requests: each lap that it announced must be in
//! the store.
//!
//! All rounds share one folder: laps announced in earlier rounds must survive the later ones, too. Every second round
//! is killed at the very moment a lap is announced; a lap announced before it is stored would be lost then.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use gametape::laps::{Id, LapState};
use gametape::store::{Audience, SqlStore, Store as _};
use serde_json::Value;
use tokio_tungstenite::tungstenite::{self, Message};

use super::figures::Figure;
use super::http::Connection;
use super::say;
use super::server::Server;
use crate::data::noise::Noise;

const PART: &str = "kill";
/// A lap takes two seconds.
const SPEED: u32 = 20;
/// Number of connections that send requests meanwhile, without a pause.
const ASKING: usize = 4;
const PATHS: [&str; 3] = ["/api/v1/sessions?laps=true", "/api/v1/laps?sort=newest", "/api/v1/bests"];
/// A round lasts until a lap is announced, but no longer than this.
const PATIENCE: Duration = Duration::from_secs(120);

/// Announced laps by id, with the last announced time.
#[derive(Default)]
struct Announced {
    done: HashMap<Id, Option<u64>>,
    /// Laps that had begun; they need not be stored.
    opened: Vec<Id>,
}

impl Announced {
    /// Handles a message; returns whether a lap was completed.
    fn hear(&mut self, text: &str) -> Option<bool> {
        let message: Value = serde_json::from_str(text).ok()?;
        let (kind, data) = (message["kind"].as_str()?, &message["data"]);
        match kind {
            "lap_final" | "lap_aborted" | "lap_amended" => {
                self.done.insert(Id::parse(data["id"].as_str()?)?, data["time_ms"].as_u64());
                Some(kind != "lap_amended")
            }
            "lap_opened" => {
                self.opened.push(Id::parse(data["lap"].as_str()?)?);
                Some(false)
            }
            _ => None,
        }
    }

    /// Counts announced laps that the store does not hold as announced.
    fn lost(&self, store: &SqlStore) -> Result<usize> {
        let mut lost = 0;
        for (id, time_ms) in &self.done {
            let there = store.lap(*id, Audience::Owner)?.map(|stored| stored.lap);
            let done = there.filter(|lap| matches!(lap.state, LapState::Final | LapState::Aborted));
            lost += usize::from(done.is_none_or(|lap| lap.time_ms.map(u64::from) != *time_ms));
        }
        Ok(lost)
    }

    /// Returns the number of laps that had only begun, and how many of them are in the store. Call it before the next
    /// start, which recovers them from the tape.
    fn only_opened(&self, store: &SqlStore) -> Result<(usize, usize)> {
        let running: Vec<&Id> = self.opened.iter().filter(|id| !self.done.contains_key(id)).collect();
        let mut there = 0;
        for id in &running {
            there += usize::from(store.lap(**id, Audience::Owner)?.is_some());
        }
        Ok((running.len(), there))
    }
}

/// Listens until the server is gone, processes everything that arrived, and signals each lap at once.
fn listen(address: SocketAddr, laps: &Sender<()>) -> Result<Announced> {
    let socket = std::net::TcpStream::connect(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let (mut socket, _) = tungstenite::client(format!("ws://{address}/api/v1/live"), socket)
        .map_err(|error| anyhow::anyhow!("opening the WebSocket failed: {error}"))?;
    let mut announced = Announced::default();
    while let Ok(message) = socket.read() {
        if let Message::Text(text) = message
            && announced.hear(&text) == Some(true)
        {
            let _ = laps.send(());
        }
    }
    Ok(announced)
}

/// Sends requests until told to stop, or until the server is gone.
fn ask(address: SocketAddr, stop: &AtomicBool, answers: &AtomicU64) {
    let Ok(mut connection) = Connection::open(address) else { return };
    for path in PATHS.iter().cycle() {
        let answered = connection.get(path).is_ok_and(|answer| answer.status == 200);
        if !answered || stop.load(Ordering::Relaxed) {
            return;
        }
        answers.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits for the moment of the kill: some time, or the next lap after that.
fn wait(laps: &Receiver<()>, after: Duration, at_lap: bool) {
    let until = Instant::now() + after;
    let (mut heard, patience) = (false, until + PATIENCE);
    loop {
        let now = Instant::now();
        let enough = now >= until && heard && !at_lap;
        let next = if now < until { until } else { patience };
        if enough || now >= patience {
            return;
        }
        match laps.recv_timeout(next - now) {
            Ok(()) if at_lap && Instant::now() >= until => return,
            Ok(()) => heard = true,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Runs one round; returns what was announced in it.
fn round(program: &Path, data: &Path, after: Duration, at_lap: bool, answers: &Arc<AtomicU64>) -> Result<Announced> {
    let server = Server::demo(program, data, SPEED)?;
    let address = server.address();
    let (told, laps) = channel();
    let listener = std::thread::spawn(move || listen(address, &told));
    let stop = Arc::new(AtomicBool::new(false));
    let asking: Vec<_> = (0..ASKING)
        .map(|_| {
            let (stop, answers) = (Arc::clone(&stop), Arc::clone(answers));
            std::thread::spawn(move || ask(address, &stop, &answers))
        })
        .collect();
    wait(&laps, after, at_lap);
    let killed = server.kill();
    stop.store(true, Ordering::Relaxed);
    asking.into_iter().for_each(|thread| drop(thread.join()));
    killed?;
    listener.join().map_err(|_| anyhow::anyhow!("the listener panicked"))?
}

/// Runs this many rounds and checks the store.
pub(super) fn measure(program: &Path, rounds: u32, control: bool) -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("demo").join("laps.sqlite");
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |now| now.as_nanos() as u64);
    let (mut noise, answers) = (Noise::new(seed), Arc::new(AtomicU64::new(0)));
    let (mut all, mut lost, mut silent) = (Announced::default(), 0, 0);
    let (mut running, mut running_there) = (0, 0);
    say(&format!("killing the server {rounds} times"));
    for number in 0..rounds {
        let after = Duration::from_millis(1_000 + noise.next_u64() % 4_000);
        let at_lap = number % 2 == 1;
        let announced = round(program, folder.path(), after, at_lap, &answers)
            .with_context(|| format!("round {} of {rounds}", number + 1))?;
        silent += u32::from(announced.done.is_empty());
        let store = SqlStore::sqlite(&path)?;
        lost += announced.lost(&store)?;
        let (opened, there) = announced.only_opened(&store)?;
        (running, running_there) = (running + opened, running_there + there);
        all.done.extend(announced.done);
    }
    // The next start recovers what was left behind, which must not lose anything.
    let server = Server::demo(program, folder.path(), SPEED)?;
    std::thread::sleep(Duration::from_secs(2));
    server.end()?;
    let store = SqlStore::sqlite(&path)?;
    let mut figures = vec![
        Figure::count(PART, "rounds", rounds),
        Figure::count(PART, "  without an announced lap", silent).exactly(0.0),
        Figure::count(PART, "requests answered meanwhile", answers.load(Ordering::Relaxed)).at_least(1.0),
        Figure::count(PART, "laps announced", all.done.len()).at_least(1.0),
        Figure::count(PART, "  lost when it was killed", lost).exactly(0.0),
        Figure::count(PART, "  lost after all rounds and the next start", all.lost(&store)?).exactly(0.0),
    ];
    if control {
        figures.push(Figure::count(PART, "control: laps that had only begun", running).at_least(1.0));
        figures.push(Figure::count(PART, "  of them in the store when it was killed", running_there).exactly(0.0));
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lap_that_was_announced_and_is_not_stored_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap();
        super::super::fill::fill(&store, 1, 1).unwrap();
        let session = super::super::fill::session(0);
        let (there, gone) = (Id::of_lap(session.tape, 0, 0), Id::of_lap(session.tape, 1, 0));
        let time_ms = store.lap(there, Audience::Owner).unwrap().unwrap().lap.time_ms.unwrap();
        let mut announced = Announced::default();
        let message = |kind: &str, id: Id, time_ms: u32| {
            format!(r#"{{"seq":1,"kind":"{kind}","data":{{"id":"{id}","lap":"{id}","time_ms":{time_ms}}}}}"#)
        };
        assert_eq!(announced.hear(&message("lap_final", there, time_ms)), Some(true));
        assert_eq!(announced.hear(&message("lap_opened", gone, 0)), Some(false));
        assert_eq!(announced.lost(&store).unwrap(), 0);
        assert_eq!(announced.only_opened(&store).unwrap(), (1, 0));
        announced.hear(&message("lap_aborted", gone, 1));
        assert_eq!(announced.lost(&store).unwrap(), 1, "it is not there");
        announced.hear(&message("lap_amended", there, time_ms + 1));
        assert_eq!(announced.lost(&store).unwrap(), 2, "it is there with another time");
    }
}
