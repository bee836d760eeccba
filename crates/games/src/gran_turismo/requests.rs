//! Asks a console for packets, and answers heartbeats in its place.
//!
//! The client asks for the kind with the most values. If the console is silent, the kinds take turns, because an older game does not know the
//! newest ones and no kind is answered in the menus. So the first answer may be to a lesser kind than the game knows. Better kinds are therefore
//! tried now and then, halfway between two heartbeats of the kind that is answered: a game that does not know them goes on without a gap.
use super::GT6;
use super::cipher::Kind;
use super::heartbeat::{Heartbeat, PacketKind};
use crate::requests::{Delivery, RequestClient, RequestProtocol, RequestServer, RequestSettings, Subscriber};

const NS_PER_MS: u64 = 1_000_000;
/// A console sends this long after a heartbeat. Some clients send one every 10 s.
const SUBSCRIBED_NS: u64 = 12_000 * NS_PER_MS;
/// Better kinds are tried after this many heartbeats again: the player may have left a replay, in which not all kinds are sent.
const TRY_EVERY: u32 = 60;

/// The requests of a game with these packet kinds.
#[derive(Debug)]
pub(super) struct HeartbeatProtocol {
    pub(super) heartbeat: Heartbeat,
    pub(super) kinds: &'static [Kind],
}

impl RequestProtocol for HeartbeatProtocol {
    fn game_port(&self) -> u16 {
        self.heartbeat.console_port
    }

    fn client_port(&self) -> Option<u16> {
        Some(self.heartbeat.reply_port)
    }

    fn client(&self, _: &RequestSettings) -> Option<Box<dyn RequestClient>> {
        Some(Box::new(HeartbeatClient::new(self.heartbeat)))
    }

    fn server(&self) -> Box<dyn RequestServer> {
        Box::new(HeartbeatServer { has_other_kinds: self.heartbeat.has_other_kinds, kinds: self.kinds })
    }
}

/// Sends heartbeats to one console.
#[derive(Debug)]
struct HeartbeatClient {
    heartbeat: Heartbeat,
    /// The kind asked for.
    asked: Option<PacketKind>,
    /// When it was first asked for or last answered.
    since_ns: u64,
    next_ns: u64,
    /// When the last heartbeat was sent.
    sent_ns: u64,
    is_answered: bool,
    /// How many heartbeats of this kind were sent since the first answer.
    heartbeats: u32,
    /// A better kind to try, and when.
    try_next: Option<(u64, PacketKind)>,
}

impl HeartbeatClient {
    fn new(heartbeat: Heartbeat) -> Self {
        Self {
            heartbeat,
            asked: None,
            since_ns: 0,
            next_ns: 0,
            sent_ns: 0,
            is_answered: false,
            heartbeats: 0,
            try_next: None,
        }
    }

    fn interval_ns(&self) -> u64 {
        self.heartbeat.interval_ms.saturating_mul(NS_PER_MS)
    }

    fn ask_for(&mut self, kind: PacketKind, now_ns: u64) {
        (self.asked, self.since_ns) = (Some(kind), now_ns);
        (self.is_answered, self.heartbeats, self.try_next) = (false, 0, None);
    }

    /// Returns the better kind to try after this heartbeat, if it is time to.
    fn better_kind(&self, than: PacketKind) -> Option<PacketKind> {
        let better: &[PacketKind] = match than {
            PacketKind::A | PacketKind::B => &[PacketKind::C, PacketKind::Tilde],
            PacketKind::Tilde => &[PacketKind::C],
            PacketKind::C => &[],
        };
        let count = u32::try_from(better.len()).ok().filter(|count| *count > 0 && self.heartbeat.has_other_kinds)?;
        // Twice at first, as a datagram may be lost.
        let is_time = self.heartbeats < 2 * count || self.heartbeats % TRY_EVERY < count;
        better.get((self.heartbeats % count) as usize).copied().filter(|_| is_time && self.is_answered)
    }
}

impl RequestClient for HeartbeatClient {
    fn requests(&mut self, now_ns: u64, out: &mut Vec<Vec<u8>>) -> u64 {
        if let Some((_, kind)) = self.try_next.filter(|(at_ns, _)| now_ns >= *at_ns) {
            out.push(vec![kind.letter()]);
            self.try_next = None;
        }
        if now_ns >= self.next_ns {
            let silent_ms = now_ns.saturating_sub(self.since_ns) / NS_PER_MS;
            let (kind, datagram) = self.heartbeat.next(self.asked, silent_ms);
            if self.asked != Some(kind) {
                self.ask_for(kind, now_ns);
            }
            out.push(datagram.to_vec());
            (self.sent_ns, self.next_ns) = (now_ns, now_ns.saturating_add(self.interval_ns()));
            if self.is_answered {
                let halfway_ns = now_ns.saturating_add(self.interval_ns() / 2);
                self.try_next = self.better_kind(kind).map(|better| (halfway_ns, better));
                self.heartbeats = self.heartbeats.wrapping_add(1);
            }
        }
        self.try_next.map_or(self.next_ns, |(at_ns, _)| at_ns.min(self.next_ns))
    }

    fn received(&mut self, now_ns: u64, stream: &str, _: &[u8]) -> bool {
        let change = kind_of(stream).zip(self.asked).filter(|(kind, asked)| kind != asked);
        let change = change.filter(|_| self.heartbeat.has_other_kinds);
        if let Some((kind, asked)) = change {
            self.ask_for(kind, now_ns);
            if kind.packet_bytes() < asked.packet_bytes() {
                // The answer to an earlier heartbeat. The console goes silent if it does not know the kind asked for since.
                self.next_ns = now_ns.max(self.sent_ns.saturating_add(self.interval_ns() / 2));
            }
        }
        (self.is_answered, self.since_ns) = (true, now_ns);
        change.is_some() && now_ns >= self.next_ns
    }

    /// A console stops by itself.
    fn end(&mut self, _: &mut Vec<Vec<u8>>) {}
}

/// A console that sends recorded packets.
#[derive(Debug)]
struct HeartbeatServer {
    has_other_kinds: bool,
    kinds: &'static [Kind],
}

impl RequestServer for HeartbeatServer {
    fn note(&mut self, _: &str, _: &[u8]) {}

    fn request(&mut self, now_ns: u64, client: &mut Subscriber, request: &[u8], _: &mut Vec<Vec<u8>>) -> bool {
        let &[letter] = request else { return false };
        let Some(kind) = PacketKind::of_letter(letter) else { return false };
        if kind != PacketKind::A && !self.has_other_kinds {
            return false;
        }
        client.wants = letter.into();
        client.until_ns = now_ns.saturating_add(SUBSCRIBED_NS);
        true
    }

    /// Sends the kind that was asked for if the recorded one continues it, and the recorded kind otherwise.
    fn delivery(&self, client: &mut Subscriber, stream: &str, frame: &[u8], datagram: &mut Vec<u8>) -> Delivery {
        let Some(wanted) = u8::try_from(client.wants).ok().and_then(PacketKind::of_letter) else {
            return Delivery::None;
        };
        let is_more = kind_of(stream).is_some_and(|kind| kind.packet_bytes() > wanted.packet_bytes());
        let kind = self.kinds.iter().find(|kind| kind.stream != GT6 && kind_of(kind.stream) == Some(wanted));
        match (kind, frame.get(..wanted.packet_bytes())) {
            (Some(kind), Some(front)) if is_more => {
                datagram.extend_from_slice(front);
                kind.apply(datagram);
                Delivery::Changed
            }
            _ => Delivery::Recorded,
        }
    }
}

/// Returns the packet kind that a stream holds.
fn kind_of(stream: &str) -> Option<PacketKind> {
    match stream {
        "a" => Some(PacketKind::A),
        "b" => Some(PacketKind::B),
        "tilde" => Some(PacketKind::Tilde),
        "c" => Some(PacketKind::C),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GT_SPORT, GT7};
    use super::*;
    use crate::registry::Game;

    const MS: u64 = NS_PER_MS;

    fn protocol(game: &Game) -> &dyn RequestProtocol {
        game.rules.requests().unwrap()
    }

    /// A console that knows some kinds. It sends every 16 ms for 1.6 s after a heartbeat, as old versions do, of the kind asked for last.
    struct Console {
        knows: &'static [u8],
        /// The first moment at which a car is on the screen.
        car_from_ms: u64,
        heartbeat: Option<(u64, u8)>,
    }

    /// Runs a client against a console. Returns for each time of a packet its kind.
    fn run(client: &mut dyn RequestClient, console: &mut Console, until_ms: u64) -> Vec<(u64, &'static str)> {
        let mut packets = Vec::new();
        let mut out = Vec::new();
        for ms in (0..until_ms).step_by(16) {
            out.clear();
            client.requests(ms * MS, &mut out);
            let known = out.iter().flatten().rfind(|letter| console.knows.contains(*letter));
            console.heartbeat = known.map(|letter| (ms, *letter)).or(console.heartbeat);
            let answers = console.heartbeat.filter(|(at, _)| ms >= console.car_from_ms && ms - at < 1600);
            if let Some((_, letter)) = answers {
                let stream = match letter {
                    b'A' => "a",
                    b'~' => "tilde",
                    _ => "c",
                };
                packets.push((ms, stream));
                client.received(ms * MS, stream, &[]);
            }
        }
        packets
    }

    fn has_no_gap(packets: &[(u64, &str)]) -> bool {
        packets.windows(2).all(|two| two[1].0 - two[0].0 <= 16)
    }

    #[test]
    fn the_best_kind_that_the_game_knows_is_recorded_whenever_a_car_appears() {
        for (knows, best) in [(&b"AB~C"[..], "c"), (b"AB~", "tilde"), (b"A", "a")] {
            for car_from_ms in (0..20_000).step_by(700) {
                let mut client = protocol(&GT7).client(&RequestSettings::default()).unwrap();
                let mut console = Console { knows, car_from_ms, heartbeat: None };
                let packets = run(&mut *client, &mut console, 60_000);
                let first_ms = packets.first().unwrap().0;
                assert!(first_ms < car_from_ms + 10_000, "{best} from {car_from_ms}: first at {first_ms}");
                assert!(has_no_gap(&packets), "{best} from {car_from_ms}");
                let best_ms = packets.iter().find(|(_, kind)| *kind == best).unwrap().0;
                assert!(best_ms < first_ms + 5_000, "{best} from {car_from_ms}: best at {best_ms}");
                let after = packets.iter().filter(|(ms, _)| *ms > best_ms + 1_000);
                assert!(after.clone().count() > 1_000 && after.clone().all(|(_, kind)| *kind == best));
            }
        }
    }

    #[test]
    fn a_silent_console_costs_one_byte_a_second_for_ever() {
        let mut client = protocol(&GT7).client(&RequestSettings::default()).unwrap();
        let (mut now_ns, mut out) = (5 * MS, Vec::new());
        for _ in 0..1000 {
            let next_ns = client.requests(now_ns, &mut out);
            assert!(next_ns >= now_ns + 1000 * MS, "{now_ns}: {next_ns}");
            now_ns = next_ns;
        }
        assert_eq!((out.len(), out.concat().len()), (1000, 1000));
        let before = out.len();
        client.requests(now_ns - 1, &mut out);
        assert_eq!(out.len(), before, "nothing is due yet");
        client.requests(u64::MAX, &mut out);
        client.end(&mut out);
        assert_eq!(out.len(), before + 1);
    }

    #[test]
    fn older_games_are_asked_for_packet_a_only() {
        let mut client = protocol(&GT_SPORT).client(&RequestSettings::default()).unwrap();
        let mut out = Vec::new();
        for second in 0..100 {
            client.requests(second * 1000 * MS, &mut out);
            client.received(second * 1000 * MS, "a", &[]);
        }
        assert_eq!(out.concat(), [b'A'; 100]);
    }

    #[test]
    fn a_heartbeat_is_a_subscription_for_some_seconds_and_nothing_else_is_one() {
        let mut server = protocol(&GT7).server();
        let (mut client, mut answers) = (Subscriber::new(1), Vec::new());
        for wrong in [&b""[..], b"D", b"AA", b"a"] {
            assert!(!server.request(0, &mut client, wrong, &mut answers));
            assert_eq!(client, Subscriber::new(1));
        }
        assert!(server.request(5, &mut client, b"C", &mut answers));
        assert_eq!((client.until_ns, answers.len()), (12_000 * MS + 5, 0));
        let mut sport = protocol(&GT_SPORT).server();
        assert!(
            !sport.request(5, &mut client, b"C", &mut answers) && sport.request(5, &mut client, b"A", &mut answers)
        );
    }

    #[test]
    fn a_client_gets_the_kind_it_asked_for_if_the_tape_has_it() {
        let mut server = protocol(&GT7).server();
        let mut plain: Vec<u8> = (0..368_u32).map(|at| at as u8).collect();
        plain[..4].copy_from_slice(b"0S7G");
        plain[0xD4..0xF4].fill(0);
        let mut delivered = |letter: u8, stream: &str, frame: &[u8]| {
            let (mut client, mut datagram) = (Subscriber::new(1), Vec::new());
            assert!(server.request(0, &mut client, &[letter], &mut Vec::new()));
            let delivery = server.delivery(&mut client, stream, frame, &mut datagram);
            (delivery, datagram)
        };
        for (letter, stream, bytes) in [(b'A', "a", 296), (b'B', "b", 316), (b'~', "tilde", 344)] {
            let (delivery, datagram) = delivered(letter, "c", &plain);
            let mut decrypted = Vec::new();
            assert_eq!((delivery, datagram.len()), (Delivery::Changed, bytes));
            assert_eq!(GT7.rules.datagram(&datagram, &mut decrypted), Some(stream));
            assert_eq!(decrypted, plain[..bytes]);
        }
        assert_eq!(delivered(b'C', "c", &plain), (Delivery::Recorded, Vec::new()));
        assert_eq!(delivered(b'C', "a", &plain[..296]), (Delivery::Recorded, Vec::new()));
        assert_eq!(delivered(b'A', "raw", &plain), (Delivery::Recorded, Vec::new()));
        assert_eq!(delivered(b'A', "c", &plain[..100]), (Delivery::Recorded, Vec::new()), "a frame that is too short");
        let none = server.delivery(&mut Subscriber::new(2), "c", &plain, &mut Vec::new());
        assert_eq!(none, Delivery::None);
    }
}
