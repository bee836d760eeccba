//! The simulated game of `demo`: in shared memory or on the network, and the thread that drives it.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use gametape::capture::{Clock, Source, StopFlag, UdpSettings, UdpSource, game_sources};
use gametape::games::{GAMES, Game, acc};
use gametape::play::DatagramServer;
use gametape::sys::Prefix;
use gametape_simulator::live::{GameClock, LiveError, LiveGame, LivePage, LiveSender};
use gametape_simulator::{Board, PageEncoder, Simulation, datagram_encoder, page_encoder};

use crate::exit;
use crate::this_machine::{AtSpeed, InStep, ThisMachine};

/// The simulation goes on this long after the last lap, so that the lap time is recorded.
const AFTER_LAST_LAP_MS: u64 = 1_000;
/// How often progress is printed until the first lap is complete.
const SAY_EVERY: Duration = Duration::from_secs(3);

/// A simulated game, and what records it.
pub(super) struct Stand {
    pub(super) game: Driven,
    pub(super) clock: Arc<GameClock>,
    pub(super) sources: Vec<Box<dyn Source>>,
    pub(super) recorder_clock: Arc<dyn Clock>,
    /// The game waits for its recorder.
    pub(super) in_step: bool,
    /// Tells the user how other programs reach the car.
    pub(super) how_else: Vec<String>,
}

/// The interface of the game.
pub(super) enum Driven {
    /// Pages in shared memory.
    Memory(LiveGame<ThisMachine>),
    /// The page of a game with one page of shared memory.
    Page(LivePage<ThisMachine>),
    /// Datagrams.
    Network(LiveSender<ThisMachine>),
}

impl Stand {
    /// A car in shared memory, in lockstep with its recorder.
    pub(super) fn in_memory(names: Option<Prefix>, simulation: Simulation, speed: f64) -> anyhow::Result<Self> {
        let prefix = match names {
            Some(prefix) => prefix,
            None => own_prefix()?,
        };
        let clock = Arc::new(GameClock::in_step(speed));
        let game = LiveGame::start(ThisMachine, prefix.as_str(), simulation)?;
        Ok(Self {
            game: Driven::Memory(game),
            sources: game_sources(Some(&acc::GAME), &prefix, None),
            recorder_clock: Arc::new(InStep(Arc::clone(&clock))),
            clock,
            in_step: true,
            how_else: vec![
                "driving a simulated car (not a game); to record it with another program as well, run:".into(),
                format!("  gametape record --names {}", prefix.as_str()),
            ],
        })
    }

    /// A car in the page of another game, in lockstep with its recorder.
    pub(super) fn in_page(
        game: &'static Game,
        encoder: Box<dyn PageEncoder>,
        simulation: Simulation,
        speed: f64,
    ) -> anyhow::Result<Self> {
        let prefix = own_prefix()?;
        let clock = Arc::new(GameClock::in_step(speed));
        let page = LivePage::start(ThisMachine, prefix.as_str(), game, simulation, encoder)?;
        // Only what this car writes: a game in shared memory may also send datagrams.
        Ok(Self {
            game: Driven::Page(page),
            sources: game_sources(Some(game), &prefix, None),
            recorder_clock: Arc::new(InStep(Arc::clone(&clock))),
            clock,
            in_step: true,
            how_else: vec![
                format!(
                    "driving a simulated car (not a game) that writes the page of {}; to record it with another program as well, run:",
                    game.name
                ),
                format!("  gametape record --game {} --names {}", game.id, prefix.as_str()),
            ],
        })
    }

    /// A car that sends datagrams: to a port of its recorder's own, and to the usual port of the game, where others may listen.
    pub(super) fn on_the_network(game: &'static Game, simulation: Simulation, speed: f64) -> anyhow::Result<Self> {
        let Some(encoder) = datagram_encoder(game.id) else {
            let has_encoder = |id: &str| datagram_encoder(id).is_some() || page_encoder(id).is_some();
            let can = GAMES.iter().map(|game| game.id).filter(|id| *id == acc::GAME.id || has_encoder(id));
            let can: Vec<&str> = can.collect();
            return Err(exit::usage(format!(
                "the simulated car cannot stand in for {}; it can for {}",
                game.name,
                can.join(", ")
            )));
        };
        let here = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let settings = UdpSettings { usual_ports: false, listen: vec![here(0)], ..UdpSettings::default() };
        let mut sources = UdpSource::of_senders(&settings, Some(game), &Prefix::default(), 1);
        let mut to = Vec::new();
        for source in &mut sources {
            to.extend(source.listen()?);
        }
        let usual = game.udp_port().filter(|port| *port > 0).map(here);
        to.extend(usual);
        let mut others: Vec<String> =
            usual.map(|address| format!("other programs receive it on {address}")).into_iter().collect();
        let server = match DatagramServer::start(game, None, &[]) {
            Ok(server) => server,
            Err(error) => {
                others.push(format!("requests are not answered: cannot listen on the port of the game: {error}"));
                None
            }
        };
        others.extend(server.as_ref().map(|server| format!("other programs can ask for it on {}", server.address())));
        if others.is_empty() {
            others.push("its port is the player's choice, so only this recorder receives it".into());
        }
        let socket = UdpSocket::bind(here(0)).context("cannot open a UDP socket")?;
        let send = sender(game, server, socket, to);
        Ok(Self {
            game: Driven::Network(LiveSender::new(ThisMachine, simulation, encoder, send)),
            clock: Arc::new(GameClock::in_real_time(speed)),
            sources: sources.into_iter().map(|source| Box::new(source) as Box<dyn Source>).collect(),
            recorder_clock: Arc::new(AtSpeed::start(speed)),
            in_step: false,
            how_else: vec![format!(
                "driving a simulated car (not a game) that sends what {} sends; {}",
                game.name,
                others.join("; ")
            )],
        })
    }
}

/// Returns a function that sends a datagram of the game to these addresses, and to all clients that asked for it.
fn sender(
    game: &'static Game,
    mut server: Option<DatagramServer>,
    socket: UdpSocket,
    to: Vec<SocketAddr>,
) -> impl FnMut(&[u8]) + Send + 'static {
    let mut plain = Vec::new();
    move |datagram: &[u8]| {
        plain.clear();
        let stream = server.as_ref().and_then(|_| game.rules.datagram(datagram, &mut plain));
        match (&mut server, stream) {
            (Some(server), Some(stream)) => {
                let frame = if plain.is_empty() { datagram } else { &plain };
                // Nobody may listen.
                let _ = server.send(stream, frame, &to);
            }
            _ => to.iter().for_each(|address| {
                let _ = socket.send_to(datagram, address);
            }),
        }
    }
}

/// Returns a prefix that no other demo and no game uses.
fn own_prefix() -> anyhow::Result<Prefix> {
    let text = format!("demo-{}-", std::process::id());
    Prefix::new(&text).ok_or_else(|| anyhow!("{text:?} is not a valid prefix; name another one with --names"))
}

/// The simulated game on its own thread.
pub(super) struct Drive {
    thread: JoinHandle<Result<u32, LiveError>>,
    stop: StopFlag,
}

impl Drive {
    /// Drives until that many laps are complete. Sends progress to `say` until the first lap is complete.
    pub(super) fn start(
        mut game: Driven,
        clock: Arc<GameClock>,
        laps: Option<u32>,
        say: Sender<String>,
        stop: StopFlag,
    ) -> anyhow::Result<Self> {
        let wanted = stop.clone();
        let thread = std::thread::Builder::new().name("gametape-demo".into()).spawn(move || {
            let mut counter = LapCounter { wanted: laps, ..LapCounter::default() };
            let mut said = Instant::now();
            let each = |simulation: &Simulation| {
                let board = simulation.board();
                // A lap counts a few seconds after the line: the next one is not the first.
                if counter.done == 0 && board.completed_laps == 0 && said.elapsed() >= SAY_EVERY {
                    said = Instant::now();
                    let _ = say.send(first_lap_text(board, simulation.pages().physics.speed_kmh));
                }
                counter.goes_on(board.completed_laps, simulation.ms())
            };
            match &mut game {
                Driven::Memory(game) => game.run(&clock, || wanted.wanted(), each)?,
                Driven::Page(game) => game.run(&clock, || wanted.wanted(), each)?,
                Driven::Network(game) => game.run(&clock, || wanted.wanted(), each),
            }
            match game {
                Driven::Memory(game) => game.stop(&clock)?,
                Driven::Page(game) => game.stop(&clock)?,
                Driven::Network(_) => {}
            }
            Ok(counter.done)
        })?;
        Ok(Self { thread, stop })
    }

    /// Stops the simulation and returns the number of completed laps.
    pub(super) fn end(self) -> anyhow::Result<u32> {
        self.stop.stop();
        let ended = self
            .thread
            .join()
            .map_err(|_| anyhow!("the simulation thread panicked, which is a bug; please report it"))?;
        Ok(ended?)
    }
}

/// Describes the progress of the first lap, for users who wait for it.
fn first_lap_text(board: &Board, speed_kmh: f32) -> String {
    let percent = (board.position.clamp(0.0, 1.0) * 100.0).floor();
    let sector = board.sector + 1;
    format!("  first lap: {percent:.0} % of the track, sector {sector}, {speed_kmh:.0} km/h")
}

/// Counts laps over all sessions, and decides when to stop.
#[derive(Debug, Default)]
struct LapCounter {
    wanted: Option<u32>,
    done: u32,
    /// The lap count that the session reported last. A new session counts from 0.
    of_session: i32,
    end_ms: Option<u64>,
}

impl LapCounter {
    /// Takes the number of completed laps of the session. Returns `false` when it is time to stop.
    fn goes_on(&mut self, of_session: i32, now_ms: u64) -> bool {
        let more = of_session.saturating_sub(self.of_session);
        self.of_session = of_session;
        self.done = self.done.saturating_add(u32::try_from(more).unwrap_or_default());
        if self.end_ms.is_none() && self.wanted.is_some_and(|wanted| self.done >= wanted) {
            self.end_ms = Some(now_ms + AFTER_LAST_LAP_MS);
        }
        self.end_ms.is_none_or(|end_ms| now_ms < end_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laps_are_counted_over_sessions() {
        // 90 laps an hour: the session ends, and the next one counts from 0.
        let mut counter = LapCounter { wanted: Some(98), ..LapCounter::default() };
        let of_sessions = (0..=90).chain(0..=8);
        for (lap, now_ms) in of_sessions.zip((0..).step_by(40_000)) {
            assert!(counter.goes_on(lap, now_ms) && counter.goes_on(lap, now_ms + 1), "{lap} at {now_ms}");
        }
        assert_eq!(counter.done, 98);
        let last_ms = 98 * 40_000;
        assert!(counter.goes_on(8, last_ms + 40_000 + AFTER_LAST_LAP_MS - 1));
        assert!(!counter.goes_on(8, last_ms + 40_000 + AFTER_LAST_LAP_MS));
        // A session that ends at this moment does not restart the countdown.
        assert!(!counter.goes_on(0, last_ms + 100_000));
    }

    #[test]
    fn without_a_number_of_laps_it_goes_on() {
        let mut counter = LapCounter::default();
        assert!((0..1000).all(|lap| counter.goes_on(lap, u64::MAX)));
    }
}
