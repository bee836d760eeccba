//! Records what one sender sends in one game.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gametape_format::Counters;
use gametape_games::{About, Game, Layout, NO_CHANNELS, Presence, Seen, SeenFrame};

use super::datagrams::{Arrived, Datagrams};
use super::inbox::{Inbox, Sender, Taken};
use super::listener::Listeners;
use super::settings::UdpSettings;
use super::switchboard::{Switchboard, has_gone};
use crate::sys::Prefix;
use crate::transport::shared_memory::player_marker;
use crate::transport::{Away, Batch, Clock, Description, Pace, Source, SourceError, State};

/// The stream of what a sender sends besides the game's own datagrams.
pub(super) const OTHER: &str = "other";
/// How much of it is kept on a tape. The rest is only counted.
pub(super) const MOST_OTHER_BYTES: u64 = 16 << 20;
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
/// An upper bound: no game has more streams.
const MAX_STREAMS: usize = 24;

/// Receives for several sources.
struct Hub {
    settings: UdpSettings,
    game: Option<&'static Game>,
    board: Arc<Switchboard>,
    /// Started by the first read of any source.
    listeners: Mutex<Option<Listeners>>,
}

/// A source for what one sender sends. Several of them share the ports: each records another sender.
pub struct UdpSource {
    hub: Arc<Hub>,
    inbox: Arc<Inbox>,
    prefix: Prefix,
    taken: Taken,
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
    streams: Vec<OfStream>,
    /// Index of the stream of the last datagram.
    newest: usize,
    key: Option<u64>,
    /// The batch knows the streams as they are now.
    is_described: bool,
    other_bytes: u64,
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
    newest: Vec<u8>,
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
        let hub = Hub { settings: settings.clone(), game, board, listeners: Mutex::new(None) };
        let hub = Arc::new(hub);
        let source = |(index, inbox)| Self {
            tells: index == 0,
            hub: Arc::clone(&hub),
            inbox,
            prefix: prefix.clone(),
            taken: Taken::default(),
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
        let mut started = Listeners::start(&self.hub.settings, self.hub.game, &self.hub.board).map_err(failed)?;
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
                    recorded.choose_layout(index, bytes.len());
                    recorded.is_described = false;
                }
                if !recorded.describe(batch) {
                    return;
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
            }
            // No two datagrams have the same time, so that they are played in the order in which they came.
            let time_ns = clock.time_of(at).max(self.last_ns + 1);
            recorded.last = recorded.last.max(at);
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
    fn refill(&mut self, patience: Duration, clock: &dyn Clock, batch: &mut Batch) {
        self.inbox.take(&mut self.taken, patience);
        self.next = 0;
        let is_new = |sender: &Sender| self.recorded.as_ref().is_none_or(|old| old.sender.number != sender.number);
        if let Some(sender) = self.taken.sender.filter(is_new) {
            let mut recorded = Recorded::new(sender);
            recorded.choose_layouts(&self.taken.queue);
            self.recorded = Some(recorded);
        }
        let (Some(recorded), lost) = (&self.recorded, self.taken.lost) else { return };
        let other = recorded.streams.len();
        if lost.by_system > 0 {
            batch.count(other, &Counters { missed: lost.by_system, ..Counters::default() });
            let text = format!("{}: the system received them faster than they were taken", lost.by_system);
            batch.event(clock.now_ns(), "datagrams_dropped", &text);
        }
        batch.count(other, &Counters { dropped: lost.here, ..Counters::default() });
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

impl Recorded {
    fn new(sender: Sender) -> Self {
        let now = Instant::now();
        let stream = |stream: &'static gametape_games::Stream| {
            let newest = stream.layouts().first();
            OfStream {
                name: stream.name,
                layout: newest.copied().unwrap_or(&NO_CHANNELS),
                bytes: newest.map(|layout| layout.frame_bytes() as usize),
                newest: Vec::new(),
            }
        };
        let streams = sender.game.streams.iter().map(stream).collect();
        Self {
            sender,
            streams,
            newest: 0,
            key: None,
            is_described: false,
            other_bytes: 0,
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

    /// Describes the streams, if that is due. Returns whether it is done: frames that wait in the batch are described otherwise.
    fn describe(&mut self, batch: &mut Batch) -> bool {
        if self.is_described {
            return true;
        }
        if !batch.is_empty() {
            std::thread::sleep(BATCH_NAP);
            return false;
        }
        batch.describe(self.description());
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
        let stream = self.sender.game.streams.get(index);
        let layout = stream.and_then(|stream| stream.layout_of(u32::try_from(bytes).unwrap_or(u32::MAX)));
        if let Some(stream) = self.streams.get_mut(index) {
            stream.layout = layout.unwrap_or(&NO_CHANNELS);
            stream.bytes = layout.map(|_| bytes);
        }
    }

    fn description(&self) -> Description {
        let mut description = Description::of_game(self.sender.game.id);
        for stream in &self.streams {
            match stream.bytes {
                Some(_) => description.layout(stream.name, "udp", stream.layout),
                None => description.rows(stream.name, "udp"),
            }
        }
        description.rows(OTHER, "udp");
        // Every datagram counts, also one that is equal to the last.
        description.streams.iter_mut().for_each(|stream| stream.skip_unchanged = false);
        description
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
                self.refill(patience, clock, batch);
            }
            self.take_waiting(first, clock, batch);
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
