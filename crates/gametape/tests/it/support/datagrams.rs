//! Datagrams of every kind that the games of the registry send: those of the simulated car, and what it does not send made of the games' own rules.
use std::collections::BTreeSet;

use gametape::games::{GAMES, Game, Stream, f1};
use gametape_simulator::{Datagrams, Script, Settings, Simulation, datagram_encoder};

/// Of a stream with more lengths, the longest and the shortest are sent, and some between.
const MOST_LENGTHS: usize = 4;
/// About how many datagrams are sent of each game.
const DATAGRAMS: usize = 200;
/// For this long the simulated car drives: most is sent at least every five seconds, and the rest at the end of a lap.
const DRIVE_MS: u64 = 6_000;
const LONG_DRIVE_MS: u64 = 60_000;

/// What a game sends in one session, each stream in one length.
pub(crate) struct Traffic {
    pub(crate) game: &'static Game,
    pub(crate) datagrams: Vec<Vec<u8>>,
}

/// Returns the games that send datagrams.
pub(crate) fn udp_games() -> impl Iterator<Item = &'static Game> {
    GAMES.iter().filter(|game| game.udp_port().is_some())
}

/// Returns the stream of a datagram and what is recorded of it.
pub(crate) fn recorded(game: &Game, datagram: &[u8]) -> Option<(&'static str, Vec<u8>)> {
    let mut plain = Vec::new();
    let stream = game.rules.datagram(datagram, &mut plain)?;
    Some((stream, if plain.is_empty() { datagram.to_vec() } else { plain }))
}

/// Returns the datagram that a recorded frame was.
fn as_sent(game: &Game, stream: &str, frame: &[u8]) -> Vec<u8> {
    let mut datagram = Vec::new();
    game.rules.sent_datagram(stream, frame, &mut datagram);
    if datagram.is_empty() { frame.to_vec() } else { datagram }
}

/// Returns the lengths of a stream that are sent; `None` is any.
pub(crate) fn lengths(stream: &Stream) -> Vec<Option<usize>> {
    let all: Vec<usize> = stream.lengths().map(|length| length as usize).collect();
    let step = all.len().div_ceil(MOST_LENGTHS - 1).max(1);
    let mut some: Vec<Option<usize>> = all.iter().step_by(step).map(|length| Some(*length)).collect();
    if let Some(shortest) = all.last().filter(|last| some.last() != Some(&Some(**last))) {
        some.push(Some(*shortest));
    }
    if some.is_empty() { vec![None] } else { some }
}

/// Returns what each game sends, once for each length of its streams.
pub(crate) fn all_kinds() -> Vec<Traffic> {
    udp_games().flat_map(|game| (0..variants(game)).map(move |variant| traffic(game, variant))).collect()
}

fn udp_streams(game: &'static Game) -> impl Iterator<Item = &'static Stream> {
    game.streams.iter().filter(|stream| stream.udp_port().is_some())
}

fn variants(game: &'static Game) -> usize {
    udp_streams(game).map(|stream| lengths(stream).len()).max().unwrap_or(0)
}

/// Returns what a game sends, its streams in the lengths with this number. Panics for a kind that nobody knows how to make.
pub(crate) fn traffic(game: &'static Game, variant: usize) -> Traffic {
    let length_of = |name: &str| {
        let all = lengths(game.stream(name).unwrap());
        all[variant.min(all.len() - 1)]
    };
    let kinds: Vec<&'static Stream> = udp_streams(game).collect();
    let mut driven = simulated(game, DRIVE_MS);
    if kinds.iter().any(|stream| make(game, stream.name, length_of(stream.name), &driven, 0).is_none()) {
        driven = simulated(game, LONG_DRIVE_MS);
    }
    let of_kind = |stream: &Stream, number: u32| {
        let length = length_of(stream.name);
        let made = make(game, stream.name, length, &driven, number);
        made.unwrap_or_else(|| {
            let (id, name) = (game.id, stream.name);
            panic!("{id}: no datagram of {name} with {length:?} bytes: send it in the simulator, or make it here")
        })
    };
    // First one of each kind: then it is known which session it is.
    let mut datagrams: Vec<Vec<u8>> = kinds.iter().map(|stream| of_kind(stream, 0)).collect();
    let stride = driven.len().div_ceil(DATAGRAMS).max(1);
    let mut some = driven.iter().step_by(stride);
    for number in 0..DATAGRAMS as u32 {
        let next = some.next().and_then(|(stream, frame)| resized(game, stream, frame, length_of(stream)));
        datagrams.extend(next);
        if number % 4 == 0 {
            datagrams.push(of_kind(kinds[number as usize / 4 % kinds.len()], number));
        }
    }
    Traffic { game, datagrams }
}

/// What is recorded of datagrams, and in which streams.
type Driven = Vec<(&'static str, Vec<u8>)>;

/// Returns what the simulated car sends as this game.
fn simulated(game: &Game, drive_ms: u64) -> Driven {
    let Some(mut encoder) = datagram_encoder(game.id) else { return Vec::new() };
    let mut simulation = Simulation::driving(Settings::default(), Script::new());
    let mut sent = Datagrams::default();
    while simulation.ms() < drive_ms {
        simulation.step();
        if let Some(driven) = simulation.game() {
            encoder.encode(simulation.ms(), driven, &mut sent);
        }
    }
    sent.iter().filter_map(|datagram| recorded(game, datagram)).collect()
}

/// Returns a frame as a datagram of another length, if the game knows it as one of the stream.
fn resized(game: &Game, stream: &str, frame: &[u8], length: Option<usize>) -> Option<Vec<u8>> {
    let mut frame = frame.to_vec();
    frame.resize(length.unwrap_or(frame.len()), 0);
    let datagram = as_sent(game, stream, &frame);
    recorded(game, &datagram).is_some_and(|(name, _)| name == stream).then_some(datagram)
}

/// Returns a datagram of a stream: one that the simulated car sends, or the first of some attempts that the game knows.
fn make(game: &Game, stream: &str, length: Option<usize>, driven: &Driven, number: u32) -> Option<Vec<u8>> {
    let own = driven.iter().find(|(name, _)| *name == stream);
    if let Some(datagram) = own.and_then(|(name, frame)| resized(game, name, frame, length)) {
        return Some(datagram);
    }
    let mut streams = BTreeSet::new();
    let bases: Vec<_> = driven.iter().filter(|(name, _)| streams.insert(*name)).collect();
    let mut attempts: Vec<Vec<u8>> = Vec::new();
    for (name, base) in &bases {
        let mut frame = base.clone();
        frame.resize(length.unwrap_or(frame.len()), 0);
        attempts.push(as_sent(game, stream, &frame));
        // Gran Turismo 6, which is otherwise like its successor.
        frame.splice(..4, *b"G6S0");
        attempts.push(as_sent(game, stream, &frame));
        // A length that is not known.
        attempts.push([as_sent(game, name, base), vec![0; 3]].concat());
    }
    // Project CARS, whose kinds are numbers.
    for (at, kind) in (0..12).flat_map(|at| (1..10).map(move |kind| (at, kind))) {
        let mut bytes = vec![0; length.unwrap_or(100).max(12)];
        bytes[at] = kind;
        attempts.push(bytes);
    }
    // EA SPORTS WRC. The packets with the highest number are the newest: updates are.
    for (word, number) in [(b"SESU", u64::from(number) + 1), (b"SESS", 0), (b"SESP", 0), (b"SESR", 0), (b"SESE", 0)] {
        let rest = vec![0; length.unwrap_or(237) - 12];
        attempts.push([&word[..], &number.to_le_bytes(), &rest].concat());
    }
    let header = bases.first().map(|(_, base)| base.as_slice());
    attempts.extend((0..24).filter_map(|packet_id| f1_packet(game, packet_id, header, length, number)));
    attempts.into_iter().find(|datagram| {
        recorded(game, datagram)
            .is_some_and(|(name, frame)| name == stream && length.is_none_or(|length| length == frame.len()))
    })
}

/// Returns an F1 packet with the header of another one, if there is one; `None` if the game is another.
fn f1_packet(game: &Game, id: u8, header: Option<&[u8]>, length: Option<usize>, number: u32) -> Option<Vec<u8>> {
    let format = (2018..2100).find(|format| f1::game_id(*format).as_deref() == Some(game.id))?;
    let mut bytes: Vec<u8> =
        (0..length.unwrap_or(400 + usize::from(id))).map(|at| (at * 7) as u8 ^ number as u8).collect();
    let (id_at, after_id) = match format {
        ..2019 => (3, 4),
        2019..2023 => (5, 6),
        _ => (6, 7),
    };
    // Format, versions and id; UID, time, frame and player.
    let mut own =
        [&format.to_le_bytes()[..], &[1; 5][..after_id - 2], &7_u64.to_le_bytes(), &1.5_f32.to_le_bytes()].concat();
    own.extend([&number.to_le_bytes()[..], &[0; 6]].concat());
    let header = header.and_then(|header| header.get(..after_id + 22)).unwrap_or(&own);
    let header = &header[..header.len().min(bytes.len())];
    bytes[..header.len()].copy_from_slice(header);
    bytes[id_at] = id;
    Some(bytes)
}
