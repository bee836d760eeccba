//! A game whose shared memory and datagrams are recorded on one tape.
//!
//! ```text
//! main: pages ──┐
//!               ├──▶ one description: the streams of the pages, then those of the datagrams
//! side: UDP ────┘
//! ```
//! The pages decide which game runs and where its sessions begin. Datagrams join their tape from the first to the last one; a tape has their streams even
//! before the first one, because the streams of a tape do not change. If the game sends but has no pages, the tape has the datagrams only.

use std::net::SocketAddr;

use gametape_games::{About, Game, Presence, RequestProtocol, RequestSettings};

use super::batch::{Batch, Description};
use super::clock::Clock;
use super::source::{Pace, Source, SourceError, State};
use super::udp::{AskedGame, Configured, UdpSettings, UdpSource, configured, udp_description};
use crate::sys::Prefix;

/// Returns whether a game has pages and sends datagrams to clients that ask.
pub(super) fn sends_beside_pages(game: &Game) -> bool {
    game.is_in_memory() && game.udp_port().is_some() && game.rules.requests().is_some()
}

/// How long to wait for pages before a game that sends is recorded without them.
const WITHOUT_PAGES_NS: u64 = 3_000_000_000;
/// If the pages stay off for this long while the game sends, its datagrams decide where sessions begin: somebody watches others.
const PAGES_ARE_OFF_NS: u64 = 5_000_000_000;
/// How often to look for the file in which the game is configured.
const LOOK_EVERY_NS: u64 = 5_000_000_000;
/// Maximum size of datagrams that wait for pages.
const WAITING_BYTES: usize = 8 << 20;

/// The pages of a group of games, and the datagrams of one of them.
pub(super) struct Beside {
    main: Box<dyn Source>,
    main_batch: Batch,
    main_is_here: bool,
    /// When the pages were described.
    main_ns: u64,
    /// The pages have been in a session since the game began to send without a break: they decide which session it is.
    main_decides: bool,
    side: Side,
    side_batch: Batch,
    /// Since when the game sends although there are no pages.
    sends_since_ns: Option<u64>,
    /// What the recorder was told: which streams, and the number of the description of the pages.
    described: Option<(Streams, u64)>,
    key: Option<u64>,
}

/// Whose streams are on a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Streams {
    Pages,
    Both,
    Datagrams,
}

impl Beside {
    /// Records `main`, and beside it the datagrams of a game on this machine.
    pub(super) fn new(main: Box<dyn Source>, game: &'static Game, settings: &UdpSettings, prefix: &Prefix) -> Self {
        Self {
            main,
            main_batch: Batch::default(),
            main_is_here: false,
            main_ns: 0,
            main_decides: false,
            side: Side::new(game, settings, prefix),
            side_batch: Batch::default(),
            sends_since_ns: None,
            described: None,
            key: None,
        }
    }

    /// Decides whose streams are recorded; `None` while that is not known.
    fn streams(&self, now_ns: u64) -> Option<Streams> {
        let is_its = self.main_batch.described() > 0 && self.main_batch.description().game == self.side.game.id;
        let waited_ns = self.sends_since_ns.map(|since_ns| now_ns.saturating_sub(since_ns));
        match self.described.map(|(streams, _)| streams) {
            _ if is_its && self.side.source.is_some() => Some(Streams::Both),
            _ if is_its || self.main_is_here => Some(Streams::Pages),
            _ if waited_ns.is_some_and(|ns| ns >= WITHOUT_PAGES_NS) => Some(Streams::Datagrams),
            before => before,
        }
    }

    fn describe(&self, streams: Streams) -> Description {
        let datagrams = udp_description(self.side.game);
        match streams {
            Streams::Pages => self.main_batch.description().clone(),
            Streams::Datagrams => datagrams,
            Streams::Both => {
                let mut both = self.main_batch.description().clone();
                both.streams.extend(datagrams.streams);
                both
            }
        }
    }

    /// Moves what was read to the recorder.
    fn pass_on(&mut self, streams: Option<Streams>, out: &mut Batch) {
        match streams {
            Some(Streams::Both) => {
                let pages = self.main_batch.description().streams.len();
                out.take_over(&mut self.main_batch, 0);
                out.take_over(&mut self.side_batch, pages);
            }
            Some(Streams::Datagrams) => {
                self.main_batch.clear();
                out.take_over(&mut self.side_batch, 0);
            }
            Some(Streams::Pages) if self.main_is_here => {
                out.take_over(&mut self.main_batch, 0);
                self.side_batch.clear();
            }
            // What the game sent may be the beginning of a tape without pages.
            _ => {
                if streams.is_some() {
                    out.take_over(&mut self.main_batch, 0);
                }
                self.side_batch.drop_newest(WAITING_BYTES);
                if self.sends_since_ns.is_none() {
                    self.side_batch.clear();
                }
            }
        }
    }

    /// Returns the key of the session. Pages and datagrams have keys of their own, so they must not alternate on a tape.
    fn session(&self, streams: Option<Streams>, now_ns: u64) -> Option<u64> {
        let sends_ns = self.sends_since_ns.map_or(0, |since_ns| now_ns.saturating_sub(since_ns.max(self.main_ns)));
        match streams {
            _ if self.main_is_here => self.main.session_key(),
            Some(Streams::Datagrams) => self.side.session_key(),
            Some(Streams::Both) if !self.main_decides && sends_ns >= PAGES_ARE_OFF_NS => self.side.session_key(),
            _ => None,
        }
    }
}

impl Source for Beside {
    fn pace(&self) -> Pace {
        self.main.pace()
    }

    fn read(&mut self, clock: &dyn Clock, out: &mut Batch) -> Result<State, SourceError> {
        let described = self.main_batch.described();
        let main = self.main.read(clock, &mut self.main_batch)?;
        let now_ns = clock.now_ns();
        self.main_is_here = matches!(main, State::Here(_));
        if self.main_batch.described() != described {
            self.main_ns = now_ns;
        }
        // The game reads its file when it starts, so there is no need to look while it drives.
        if !self.main_is_here || self.side.looked_ns.is_none() {
            self.side.look(now_ns);
        }
        let side = self.side.read(clock, &mut self.side_batch);
        let is_there = matches!(side, Some(State::Here(_)));
        // A game that sends nothing counts as paused, also in its menus.
        let sends = match side {
            Some(State::Here(presence)) if presence != Presence::Paused => Some(presence),
            _ => None,
        };
        self.sends_since_ns = self.sends_since_ns.or(sends.map(|_| now_ns)).filter(|_| is_there && !self.main_is_here);
        self.main_decides = self.main_is_here || (self.main_decides && sends.is_some());
        let streams = self.streams(now_ns);
        if let Some(streams) = streams {
            let now = Some((streams, self.main_batch.described()));
            let is_same = streams == Streams::Datagrams && self.described.is_some_and(|(before, _)| before == streams);
            if self.described != now && !is_same {
                out.describe(self.describe(streams));
            }
            self.described = now;
        }
        self.pass_on(streams, out);
        self.key = self.session(streams, now_ns);
        Ok(match (main, streams, side) {
            (main @ (State::Here(_) | State::Ended), ..) => main,
            (_, Some(Streams::Datagrams), Some(side)) => side,
            (main, Some(Streams::Both), _) => sends.map_or(main, State::Here),
            (main, ..) => main,
        })
    }

    fn session_key(&self) -> Option<u64> {
        self.key
    }

    fn about(&self) -> About {
        let (main, side) = (self.main.about(), self.side.about());
        match self.described {
            Some((Streams::Pages, _)) => main,
            _ => About {
                game_version: main.game_version.or(side.game_version),
                car: main.car.or(side.car),
                track: main.track.or(side.track),
                track_layout: main.track_layout.or(side.track_layout),
                session: main.session.or(side.session),
            },
        }
    }

    fn about_changes(&self) -> Option<u64> {
        self.main.about_changes().filter(|_| self.main_is_here)
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        let side = self.side.source.iter().flat_map(Source::metadata);
        self.main.metadata().into_iter().chain(side.filter(|_| !self.has_pages_only())).collect()
    }

    fn replay_of(&self) -> Option<String> {
        let side = || self.side.source.as_ref().filter(|_| !self.has_pages_only())?.replay_of();
        self.main.replay_of().or_else(side)
    }

    fn zero_ns(&self) -> Option<u64> {
        self.main.zero_ns()
    }

    fn take_notice(&mut self) -> Option<String> {
        self.main.take_notice().or_else(|| self.side.take_notice())
    }
}

impl Beside {
    fn has_pages_only(&self) -> bool {
        self.described.is_some_and(|(streams, _)| streams == Streams::Pages)
    }
}

/// The datagrams of a game on this machine.
struct Side {
    game: &'static Game,
    settings: UdpSettings,
    prefix: Prefix,
    /// `None` while the game does not listen.
    source: Option<UdpSource>,
    /// Where the game is asked, and with which settings.
    asked: Vec<(SocketAddr, RequestSettings)>,
    looked_ns: Option<u64>,
    notice: Option<String>,
}

impl Side {
    fn new(game: &'static Game, settings: &UdpSettings, prefix: &Prefix) -> Self {
        let (settings, prefix) = (settings.clone(), prefix.clone());
        Self { game, settings, prefix, source: None, asked: Vec::new(), looked_ns: None, notice: None }
    }

    /// Looks where the game listens, at intervals. Starts to ask it, or asks it in another way.
    fn look(&mut self, now_ns: u64) {
        if self.looked_ns.is_some_and(|looked_ns| now_ns < looked_ns + LOOK_EVERY_NS) {
            return;
        }
        self.looked_ns = Some(now_ns);
        let Some(protocol) = self.game.rules.requests() else { return };
        let asked = self.targets(protocol);
        if asked == self.asked {
            return;
        }
        let ask = asked.iter().map(|(address, settings)| AskedGame {
            game: self.game.id,
            address: *address,
            settings: settings.clone(),
        });
        let settings = UdpSettings {
            usual_ports: false,
            listen: Vec::new(),
            lan: Vec::new(),
            forward: self.settings.forward.clone(),
            ask: ask.collect(),
            documents: None,
        };
        self.source = match asked.is_empty() {
            true => None,
            false => UdpSource::of_senders(&settings, Some(self.game), &self.prefix, 1).pop(),
        };
        self.asked = asked;
    }

    /// Returns where the game is asked: where the user says, or where its file says.
    fn targets(&self, protocol: &dyn RequestProtocol) -> Vec<(SocketAddr, RequestSettings)> {
        let named =
            self.settings.ask.iter().filter(|asked| asked.game == self.game.id && asked.address.ip().is_loopback());
        let named: Vec<_> = named.map(|asked| (asked.address, asked.settings.clone())).collect();
        if !named.is_empty() || !self.settings.usual_ports {
            return named;
        }
        match protocol.file().and_then(|file| configured(&file)) {
            Some(Configured::On { port, settings }) => vec![(SocketAddr::from(([127, 0, 0, 1], port)), settings)],
            Some(Configured::Off) | None => Vec::new(),
        }
    }

    /// Adds what has arrived. A failure ends the datagrams, not the recording of the pages.
    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Option<State> {
        match self.source.as_mut()?.poll(clock, batch) {
            Ok(state) => Some(state),
            Err(error) => {
                self.notice = Some(format!("{} is recorded without its datagrams: {error}", self.game.name));
                self.source = None;
                None
            }
        }
    }

    fn session_key(&self) -> Option<u64> {
        self.source.as_ref().and_then(Source::session_key)
    }

    fn about(&self) -> About {
        self.source.as_ref().map(Source::about).unwrap_or_default()
    }

    fn take_notice(&mut self) -> Option<String> {
        self.notice.take().or_else(|| self.source.as_mut().and_then(Source::take_notice))
    }
}
