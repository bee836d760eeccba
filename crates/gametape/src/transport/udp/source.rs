//! Records what one sender sends in one game.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gametape_format::{Counters, Role, StreamId, StreamSpec};
use gametape_games::{About, Game, Layout, NO_CHANNELS, Presence, Seen, SeenFrame};

use super::datagrams::{Arrived, Datagrams};
use super::held_answers::HeldAnswers;
use super::inbox::{Inbox, Lost, Sender, Taken};
use super::listener::Listeners;
use super::settings::UdpSettings;
use super::switchboard::{Switchboard, has_gone};
use super::user_settings::DescribedGames;
use crate::sys::Prefix;
use crate::transport::shared_memory::player_marker;
use crate::transport::{Away, Batch, Clock, Description, Pace, Source, SourceError, State};

/// The stream of what a sender sends besides the game's own datagrams.
pub(super) const OTHER: &str = "other";
/// How much of it is kept on a tape. The rest is only counted.
pub(super) const MOST_OTHER_BYTES: u64 = 16 << 20;
/// The stream of the user's own description of the datagrams.
const STRUCTURE: &str = "structure";
/// How long a read waits for datagrams while a game sends, and while none does.
const NAP: Duration = Duration::from_millis(100);
const IDLE_NAP: Duration = Duration::from_millis(400);
/// A game that sends nothing for this long is paused: most send nothing then.
const PAUSED_AFTER: Duration = Duration::from_secs(1);
/// How often to look whether a silent sender is still there.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A game sends all that belongs to a frame within this time.
const SETTLES_WITHIN: Duration = Duration::from_millis(50);
/// How long to wait until frames that wait in the batch are on a tape.
const BATCH_NAP: Duration = Duration::from_millis(2);
/// How often frames of a stream may begin to have another length. Each time, another tape begins: a sender that changes it all the time must not
/// fill the folder with tapes.
const MOST_CHANGES: u32 = 4;
/// An upper bound: no game has more streams.
const MAX_STREAMS: usize = 24;

/// Receives for several sources.
struct Hub {
    settings: UdpSettings,
    game: Option<&'static Game>,
    board: Arc<Switchboard>,
    /// Datagrams that the user described. Read once: the game reads these files only when it starts, too.
    described: Arc<DescribedGames>,
    /// Started by the first read of any source.
    listeners: Mutex<Option<Listeners>>,
}

/// A source for what one sender sends. Several of them share the ports: each records another sender.
pub struct UdpSource {
    hub: Arc<Hub>,
    inbox: Arc<Inbox>,
    prefix: Prefix,
    taken: Taken,
    /// What was lost and is not counted yet: only a batch that is described has counters.
    lost: Lost,
    /// Index of the next datagram in `taken`.
    next: usize,
    recorded: Option<Recorded>,
    last_ns: u64,
    notices: Vec<String>,
    /// Whether it is the one that tells the user about all of them.
    tells: bool,
    /// What was noticed of datagrams that are not recorded: unknown ones, and those of too many senders.
    noticed: (bool, bool),
    /// The size of the system's buffer for datagrams that were not taken yet.
    buffer_bytes: Option<usize>,
}

/// The sender that is being recorded.
struct Recorded {
    sender: Sender,
    described: Arc<DescribedGames>,
    streams: Vec<OfStream>,
    /// Index of the stream of the last datagram.
    newest: usize,
    key: Option<u64>,
    /// The batch knows the streams as they are now.
    is_described: bool,
    other_bytes: u64,
    held: HeldAnswers,
    last: Instant,
    looked: Instant,
    gone: bool,
}

/// A stream of the game.
struct OfStream {
    name: &'static str,
    layout: &'static Layout,
    /// Length of its frames; `None` if their length varies, or before the first one.
    bytes: Option<usize>,
    /// How often the length has changed.
    changes: u32,
    newest: Vec<u8>,
    /// The game sends its frames only on request, also while nobody drives.
    is_answer: bool,
}

impl UdpSource {
    /// Creates sources that record this many senders at the same time, of one game or of all.
    pub fn of_senders(
        settings: &UdpSettings,
        game: Option<&'static Game>,
        prefix: &Prefix,
        senders: usize,
    ) -> Vec<Self> {
        let inboxes: Vec<Arc<Inbox>> = (0..senders).map(|_| Arc::default()).collect();
        let board = Arc::new(Switchboard::new(inboxes.clone()));
        let described = Arc::new(DescribedGames::read(game, settings));
        let hub = Hub { settings: settings.clone(), game, board, described, listeners: Mutex::new(None) };
        let hub = Arc::new(hub);
        let source = |(index, inbox)| Self {
            tells: index == 0,
            hub: Arc::clone(&hub),
            inbox,
            prefix: prefix.clone(),
            taken: Taken::default(),
            lost: Lost::default(),
            next: 0,
            recorded: None,
            last_ns: 0,
            notices: Vec::new(),
            noticed: (false, false),
            buffer_bytes: None,
        };
        inboxes.into_iter().enumerate().map(source).collect()
    }

    /// Opens the ports, unless another source has. Returns the addresses that are listened on.
    pub fn listen(&mut self) -> Result<Vec<std::net::SocketAddr>, SourceError> {
        let mut listeners = self.hub.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listeners) = &*listeners {
            self.buffer_bytes = listeners.buffer_bytes;
            if let Some(address) = listeners.dead() {
                let text =
                    format!("the thread that listens on {address} ended early, which is a bug; restart the recording");
                return Err(SourceError::Other(text));
            }
            return Ok(listeners.addresses().collect());
        }
        let failed = |source| SourceError::Io { what: "UDP ports".into(), source };
        let started = Listeners::start(&self.hub.settings, self.hub.game, &self.hub.board, &self.hub.described);
        let mut started = started.map_err(failed)?;
        self.notices.append(&mut started.notices);
        let addresses = started.addresses().collect();
        self.buffer_bytes = started.buffer_bytes;
        *listeners = Some(started);
        Ok(addresses)
    }

    /// Tells once that something arrives that is not recorded. The first source does it for all.
    fn notice_not_recorded(&mut self) {
        let (unknown, no_place) = self.hub.board.not_recorded();
        if unknown > 0 && !std::mem::replace(&mut self.noticed.0, true) {
            let text = "datagrams arrive that no supported game sends; `gametape games` lists those that are";
            self.notices.push(text.into());
        }
        if no_place > 0 && !std::mem::replace(&mut self.noticed.1, true) {
            self.notices.push("more games send at the same time than are recorded; some of them are not".into());
        }
    }

    /// Adds the datagrams that wait, up to those of another session or with other columns. `first` is the index of the first frame of this read.
    fn take_waiting(&mut self, first: usize, clock: &dyn Clock, batch: &mut Batch) {
        let Some(recorded) = &mut self.recorded else { return };
        while let Some(Arrived { at, stream, bytes }) = self.taken.queue.get(self.next) {
            if let Some(index) = stream {
                let is_other_length = |stream: &OfStream| stream.bytes.is_some_and(|length| length != bytes.len());
                if recorded.streams.get(index).is_none_or(is_other_length) {
                    // Another version of the packet: its columns are others.
                    recorded.change_layout(index, bytes.len());
                }
                if !recorded.is_described {
                    let time_ns = clock.time_of(at).max(self.last_ns + 1);
                    if !recorded.describe(time_ns, batch) {
                        return;
                    }
                    if recorded.described.description(recorded.sender.game).is_some() {
                        self.last_ns = time_ns;
                    }
                }
                recorded.note(index, bytes);
                let key = recorded.with_seen(|seen| recorded.sender.game.rules.session_key(seen));
                let is_next = Option::zip(key, recorded.key).is_some_and(|(now, before)| now != before);
                if is_next && batch.len() > first {
                    // It begins the next read: a read has one session.
                    return;
                }
                if is_next {
                    recorded.other_bytes = 0;
                }
                recorded.key = key.or(recorded.key);
                if recorded.hold_answer(index, bytes) {
                    self.next += 1;
                    continue;
                }
                for (place, answer) in recorded.take_held() {
                    self.last_ns = clock.time_of(at).max(self.last_ns + 1);
                    batch.frame(place, self.last_ns, &answer);
                }
            }
            // No two datagrams have the same time, so that they are played in the order in which they came.
            let time_ns = clock.time_of(at).max(self.last_ns + 1);
            if !stream.and_then(|index| recorded.streams.get(index)).is_some_and(|stream| stream.is_answer) {
                recorded.last = recorded.last.max(at);
            }
            match stream.or_else(|| recorded.place_of_other(bytes.len())) {
                Some(place) => {
                    self.last_ns = time_ns;
                    batch.frame(place, time_ns, bytes);
                }
                None => batch.count(recorded.streams.len(), &Counters { missed: 1, ..Counters::default() }),
            }
            self.next += 1;
        }
    }

    /// Gets what arrived since, and notes what was lost on the way.
    fn refill(&mut self, patience: Duration) {
        self.inbox.take(&mut self.taken, patience);
        self.next = 0;
        let is_new = |sender: &Sender| self.recorded.as_ref().is_none_or(|old| old.sender.number != sender.number);
        if let Some(sender) = self.taken.sender.filter(is_new) {
            let mut recorded = Recorded::new(sender, Arc::clone(&self.hub.described));
            recorded.choose_layouts(&self.taken.queue);
            self.recorded = Some(recorded);
        }
        self.lost.by_system += self.taken.lost.by_system;
        self.lost.here += self.taken.lost.here;
    }

    /// Counts what was lost, as soon as the batch is described.
    fn count_lost(&mut self, clock: &dyn Clock, batch: &mut Batch) {
        let Some(recorded) = self.recorded.as_ref().filter(|recorded| recorded.is_described) else { return };
        let (other, lost) = (recorded.streams.len(), std::mem::take(&mut self.lost));
        if lost.by_system > 0 {
            batch.count(other, &Counters { missed: lost.by_system, ..Counters::default() });
            let text = format!("{}: the system received them faster than they were taken", lost.by_system);
            batch.event(clock.now_ns(), "datagrams_dropped", &text);
        }
        batch.count(other, &Counters { dropped: lost.here, ..Counters::default() });
    }

    /// Adds what has arrived, without waiting. For a source that is read together with another one.
    pub(crate) fn poll(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        self.listen()?;
        if self.tells {
            self.notice_not_recorded();
        }
        if self.next >= self.taken.queue.len() {
            self.refill(Duration::ZERO);
        }
        self.take_waiting(batch.len(), clock, batch);
        self.count_lost(clock, batch);
        Ok(self.state())
    }

    fn state(&mut self) -> State {
        let Some(recorded) = &mut self.recorded else { return State::Away(Away::NotThere) };
        let presence = recorded.with_seen(|seen| recorded.sender.game.rules.presence(seen));
        let silent = recorded.last.elapsed();
        if silent < PAUSED_AFTER {
            recorded.gone = false;
        } else if !recorded.gone && recorded.looked.elapsed() >= LOOK_EVERY {
            recorded.looked = Instant::now();
            recorded.gone = has_gone(recorded.sender.address);
        }
        match (presence, silent < PAUSED_AFTER) {
            _ if recorded.gone => State::Away(Away::NotThere),
            (Presence::Off, _) => State::Away(Away::Off),
            (presence, true) => State::Here(presence),
            (_, false) => State::Here(Presence::Paused),
        }
    }
}

/// Describes what a game sends, before anything has arrived: with the newest layouts.
pub(crate) fn udp_description(game: &'static Game) -> Description {
    describe(game, game.udp_streams().map(|stream| (stream.name, stream.layouts().first().copied())))
}

/// Describes streams by their names and layouts, and the one for everything else.
fn describe(game: &Game, streams: impl Iterator<Item = (&'static str, Option<&'static Layout>)>) -> Description {
    let mut description = Description::of_game(game.id);
    for (name, layout) in streams {
        match layout {
            Some(layout) => description.layout(name, "udp", layout),
            None => description.rows(name, "udp"),
        }
    }
    description.rows(OTHER, "udp");
    // Every datagram counts, also one that is equal to the last.
    description.streams.iter_mut().for_each(|stream| stream.skip_unchanged = false);
    description
}

impl Recorded {
    fn new(sender: Sender, described: Arc<DescribedGames>) -> Self {
        let now = Instant::now();
        let protocol = sender.game.rules.requests();
        let stream = |stream: &'static gametape_games::Stream| {
            // If it is not the one of the first datagram, that would end the tape.
            let of_user = described.layout_of_stream(sender.game, stream.name);
            let newest = of_user.or_else(|| stream.layouts().first().copied());
            OfStream {
                name: stream.name,
                layout: newest.unwrap_or(&NO_CHANNELS),
                bytes: newest.map(|layout| layout.frame_bytes() as usize),
                changes: 0,
                newest: Vec::new(),
                is_answer: protocol.is_some_and(|protocol| protocol.is_answer(stream.name)),
            }
        };
        let streams = sender.game.udp_streams().map(stream).collect();
        Self {
            sender,
            described,
            streams,
            newest: 0,
            key: None,
            is_described: false,
            other_bytes: 0,
            held: HeldAnswers::default(),
            last: now,
            looked: now,
            gone: false,
        }
    }

    /// Chooses the layouts of the streams whose first datagrams are known.
    fn choose_layouts(&mut self, queue: &Datagrams) {
        let datagrams = (0..queue.len()).filter_map(|index| queue.get(index));
        let mut chosen = [false; MAX_STREAMS];
        for (index, bytes) in datagrams.filter_map(|datagram| Some((datagram.stream?, datagram.bytes.len()))) {
            if chosen.get_mut(index).is_some_and(|chosen| !std::mem::replace(chosen, true)) {
                self.choose_layout(index, bytes);
            }
        }
    }

    /// Describes the streams. Returns whether it is done: frames that wait in the batch are described otherwise.
    fn describe(&mut self, time_ns: u64, batch: &mut Batch) -> bool {
        if !batch.is_empty() {
            std::thread::sleep(BATCH_NAP);
            return false;
        }
        batch.describe(self.description());
        if let Some(text) = self.described.description(self.sender.game) {
            batch.frame(self.streams.len() + 1, time_ns, text.as_bytes());
        }
        self.is_described = true;
        true
    }

    /// Remembers a datagram as the newest of its stream.
    fn note(&mut self, index: usize, bytes: &[u8]) {
        if let Some(stream) = self.streams.get_mut(index) {
            stream.newest.clear();
            stream.newest.extend_from_slice(bytes);
            self.newest = index;
        }
    }

    /// Chooses the layout for frames of this length.
    fn choose_layout(&mut self, index: usize, bytes: usize) {
        let stream = self.sender.game.udp_streams().nth(index);
        let of_user = stream.and_then(|stream| self.described.layout_of(self.sender.game, stream.name, bytes));
        let known = |stream: &gametape_games::Stream| stream.layout_of(u32::try_from(bytes).unwrap_or(u32::MAX));
        let layout = of_user.or_else(|| stream.and_then(known));
        if let Some(stream) = self.streams.get_mut(index) {
            stream.layout = layout.unwrap_or(&NO_CHANNELS);
            stream.bytes = layout.map(|_| bytes);
        }
    }

    /// Changes the layout of a stream, which begins another tape. If its lengths keep changing, the stream has no columns from then on, and frames of
    /// any length.
    fn change_layout(&mut self, index: usize, bytes: usize) {
        self.choose_layout(index, bytes);
        self.is_described = false;
        let Some(stream) = self.streams.get_mut(index) else { return };
        stream.changes = stream.changes.saturating_add(1);
        if stream.changes >= MOST_CHANGES {
            (stream.layout, stream.bytes) = (&NO_CHANNELS, None);
        }
    }

    fn description(&self) -> Description {
        let streams = self.streams.iter().map(|stream| (stream.name, stream.bytes.map(|_| stream.layout)));
        let mut description = describe(self.sender.game, streams);
        if self.described.description(self.sender.game).is_some() {
            description.rows(STRUCTURE, "udp");
            if let Some(stream) = description.streams.last_mut() {
                *stream = StreamSpec {
                    role: Role::Describe,
                    describes: Some(StreamId(0)),
                    skip_unchanged: false,
                    ..stream.clone()
                };
            }
        }
        description
    }

    /// Holds a frame back if it is an answer of a game in which nobody drives yet: no tape is begun for it. Returns whether it did.
    fn hold_answer(&mut self, index: usize, bytes: &[u8]) -> bool {
        let is_held = self.streams.get(index).is_some_and(|stream| stream.is_answer)
            && self.with_seen(|seen| self.sender.game.rules.presence(seen)) == Presence::Off;
        if is_held {
            self.held.push(index, bytes);
        }
        is_held
    }

    /// Returns the answers that were held back, if the game is driven now: they begin its tape.
    fn take_held(&mut self) -> Vec<(usize, Vec<u8>)> {
        let is_due =
            !self.held.is_empty() && self.with_seen(|seen| self.sender.game.rules.presence(seen)) != Presence::Off;
        if is_due { self.held.take() } else { Vec::new() }
    }

    /// Returns the index of the stream for what is not the game's; `None` if it has its fill.
    fn place_of_other(&mut self, bytes: usize) -> Option<usize> {
        self.other_bytes = self.other_bytes.saturating_add(bytes as u64);
        (self.other_bytes <= MOST_OTHER_BYTES).then_some(self.streams.len())
    }

    /// Asks about the newest frames, that of the last datagram first.
    fn with_seen<T>(&self, ask: impl FnOnce(Seen<'_>) -> T) -> T {
        // An array, to avoid an allocation for every datagram.
        let mut frames = [SeenFrame { stream: "", layout: &NO_CHANNELS, bytes: &[] }; MAX_STREAMS];
        let mut count = 0;
        let others = self.streams.iter().enumerate().filter(|(index, _)| *index != self.newest);
        let all = self.streams.get(self.newest).into_iter().chain(others.map(|(_, stream)| stream));
        let seen = all.filter(|stream| !stream.newest.is_empty());
        for (frame, stream) in frames.iter_mut().zip(seen) {
            *frame = SeenFrame { stream: stream.name, layout: stream.layout, bytes: &stream.newest };
            count += 1;
        }
        ask(Seen(frames.get(..count).unwrap_or_default()))
    }
}

impl Drop for UdpSource {
    fn drop(&mut self) {
        self.inbox.close();
    }
}

impl Source for UdpSource {
    fn pace(&self) -> Pace {
        Pace::Source
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        self.listen()?;
        if self.tells {
            self.notice_not_recorded();
        }
        let is_sending = self.recorded.as_ref().is_some_and(|recorded| recorded.last.elapsed() < PAUSED_AFTER);
        let mut patience = if is_sending { NAP } else { IDLE_NAP };
        let (first, mut settled_at) = (batch.len(), None::<Instant>);
        loop {
            if self.next >= self.taken.queue.len() {
                self.refill(patience);
            }
            self.take_waiting(first, clock, batch);
            self.count_lost(clock, batch);
            let state = self.state();
            // The first datagrams of a session may not tell yet that it is one: those that do come at once.
            let is_at_the_end = self.next >= self.taken.queue.len();
            let is_unsettled = state == State::Away(Away::Off) && batch.len() > first && is_at_the_end;
            let settled_at = settled_at.get_or_insert_with(|| Instant::now() + SETTLES_WITHIN);
            patience = settled_at.saturating_duration_since(Instant::now());
            if !is_unsettled || patience.is_zero() {
                return Ok(state);
            }
        }
    }

    fn session_key(&self) -> Option<u64> {
        self.recorded.as_ref().and_then(|recorded| recorded.key)
    }

    fn about(&self) -> About {
        let about = |recorded: &Recorded| recorded.with_seen(|seen| recorded.sender.game.rules.about(seen));
        self.recorded.as_ref().map(about).unwrap_or_default()
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        let Some(Recorded { sender, .. }) = &self.recorded else { return Vec::new() };
        let buffer = self.buffer_bytes.map(|bytes| ("udp_buffer_bytes", bytes.to_string()));
        let sender = [("udp_sender", sender.address.to_string()), ("udp_port", sender.port.to_string())];
        sender.into_iter().chain(buffer).collect()
    }

    fn replay_of(&self) -> Option<String> {
        let sender = &self.recorded.as_ref()?.sender;
        let is_here = sender.address.ip().is_loopback();
        player_marker::tape_being_played(&self.prefix, std::slice::from_ref(sender.game)).filter(|_| is_here)
    }

    fn take_notice(&mut self) -> Option<String> {
        (!self.notices.is_empty()).then(|| self.notices.remove(0))
    }
}
