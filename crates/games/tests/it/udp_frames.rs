//! Datagrams for the tests of games on the network: real ones, made-up ones, and what a game's code reads from them.
#![allow(unreachable_pub)]
use std::path::Path;

use gametape_games::{GAMES, Game, LapFrame, Layout, NO_CHANNELS, ReadLaps, Sample, Seen, SeenFrame};

/// Returns the datagrams of a file that holds nothing else, back to back.
pub fn datagrams(directory: &Path, file: &str, bytes: usize) -> Vec<Vec<u8>> {
    let file = std::fs::read(directory.join(file)).unwrap();
    assert!(file.len().is_multiple_of(bytes));
    file.chunks(bytes).map(<[u8]>::to_vec).collect()
}

/// Returns the ids of the games that accept a datagram. Datagrams are recorded as they came.
pub fn accepted_by(datagram: &[u8]) -> Vec<&'static str> {
    let accepts = |game: &&Game| {
        let mut plain = Vec::new();
        let stream = game.rules.datagram(datagram, &mut plain);
        assert!(stream.is_none_or(|stream| game.stream(stream).is_some()), "{} {stream:?}", game.id);
        stream.is_some() && plain.is_empty()
    };
    GAMES.iter().filter(accepts).map(|game| game.id).collect()
}

/// Returns the layout of a datagram.
pub fn layout_of(game: &Game, stream: &str, datagram: &[u8]) -> &'static Layout {
    let known = game.stream(stream).unwrap();
    known.layout_of(datagram.len() as u32).unwrap_or(&NO_CHANNELS)
}

/// A datagram under construction.
pub struct Built {
    pub bytes: Vec<u8>,
    layout: &'static Layout,
}

impl Built {
    /// All zero.
    pub fn new(game: &Game, stream: &str, bytes: u32) -> Self {
        let layout = game.stream(stream).unwrap().layout_of(bytes).unwrap();
        Self { bytes: vec![0; bytes as usize], layout }
    }

    /// Sets the first value of a channel.
    pub fn put(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let at = self.layout.channel(name).unwrap_or_else(|| panic!("{name}")).offset as usize;
        let value = value.as_ref();
        self.bytes[at..at + value.len()].copy_from_slice(value);
        self
    }

    /// Sets values of `f32` channels.
    pub fn floats(self, values: &[(&str, f32)]) -> Self {
        values.iter().fold(self, |built, (name, value)| built.put(name, value.to_le_bytes()))
    }
}

/// Reads datagrams as a game's code does.
pub struct Reader {
    pub game: &'static Game,
    decoder: Box<dyn gametape_games::Decode>,
    reader: Box<dyn ReadLaps>,
    pub sample: Sample,
    pub laps: LapFrame,
}

impl Reader {
    pub fn new(game: &'static Game) -> Self {
        let (decoder, reader) = (game.rules.decoder(), game.rules.laps());
        Self { game, decoder, reader, sample: Sample::default(), laps: LapFrame::default() }
    }

    /// Reads a datagram that the game accepts.
    pub fn read(&mut self, datagram: &[u8]) -> &LapFrame {
        let stream = self.game.rules.datagram(datagram, &mut Vec::new()).expect("not accepted");
        let frame = SeenFrame { stream, layout: layout_of(self.game, stream, datagram), bytes: datagram };
        self.decoder.frame(frame, &mut self.sample);
        self.reader.frame(frame, &mut self.laps);
        &self.laps
    }

    pub fn identity(&self) -> &gametape_games::Identity {
        self.reader.identity()
    }

    /// Calls `then` with a datagram as the newest frame.
    pub fn seen<T>(&self, datagram: &[u8], then: impl FnOnce(Seen<'_>) -> T) -> T {
        let stream = self.game.rules.datagram(datagram, &mut Vec::new()).expect("not accepted");
        let frame = SeenFrame { stream, layout: layout_of(self.game, stream, datagram), bytes: datagram };
        then(Seen(&[frame]))
    }
}

/// Passes damaged copies of a datagram, and random bytes of many lengths, through everything that a game does with bytes. It must not panic, and
/// what it makes of them must be numbers.
pub fn survives_any_bytes(game: &'static Game, datagram: &[u8]) {
    let mut state = 0x1234_5678_9ABC_DEF1_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut reader = Reader::new(game);
    let mut try_bytes = |bytes: &[u8]| {
        let stream = game.rules.datagram(bytes, &mut Vec::new());
        assert!(stream.is_none_or(|stream| game.stream(stream).is_some()));
        for stream in game.streams {
            let own = stream.layout_of(bytes.len() as u32);
            for layout in own.into_iter().chain(stream.layouts().first().copied()) {
                let frame = SeenFrame { stream: stream.name, layout, bytes };
                let seen = Seen(&[frame]);
                let _ = (game.rules.presence(seen), game.rules.counter(seen), game.rules.is_it(seen));
                let _ = (game.rules.session_key(seen), game.rules.about(seen));
                reader.decoder.frame(frame, &mut reader.sample);
                reader.reader.frame(frame, &mut reader.laps);
                let sample = &reader.sample;
                let shares = [sample.throttle, sample.brake, sample.clutch, reader.laps.position];
                assert!(shares.into_iter().flatten().all(|share| (0.0..=1.0).contains(&share)), "{sample:?}");
                let numbers = [sample.speed_kmh, sample.rpm, sample.lap_distance_m, reader.laps.speed_kmh];
                assert!(numbers.into_iter().flatten().all(f32::is_finite), "{sample:?}");
            }
        }
    };
    for length in 0..=datagram.len() + 8 {
        let bytes: Vec<u8> = (0..length).map(|_| random() as u8).collect();
        try_bytes(&bytes);
        try_bytes(datagram.get(..length).unwrap_or(datagram));
    }
    for _ in 0..20_000 {
        let mut bytes = datagram.to_vec();
        for _ in 0..1 + random() % 8 {
            let at = random() as usize % bytes.len();
            bytes[at] = if random() % 2 == 0 { 0xFF } else { random() as u8 };
        }
        try_bytes(&bytes);
    }
}
