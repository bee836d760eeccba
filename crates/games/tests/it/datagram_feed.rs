//! Runs datagrams through a game as a recording does: rules, decoder and lap reader.
#![allow(unreachable_pub, clippy::unwrap_used)]
use gametape_games::{Decode, Game, LapFrame, Layout, NO_CHANNELS, Presence, ReadLaps, Sample, Seen, SeenFrame};

/// The newest frames of a game, and what was decoded from all of them.
pub struct Feed {
    game: &'static Game,
    decoder: Box<dyn Decode>,
    reader: Box<dyn ReadLaps>,
    newest: Vec<(&'static str, Vec<u8>)>,
    pub sample: Sample,
    pub laps: LapFrame,
    /// Whether the newest frame makes a lap frame.
    pub is_lap_frame: bool,
}

impl Feed {
    pub fn new(game: &'static Game) -> Self {
        let (decoder, reader) = (game.rules.decoder(), game.rules.laps());
        let (sample, laps) = (Sample::default(), LapFrame::default());
        Self { game, decoder, reader, newest: Vec::new(), sample, laps, is_lap_frame: false }
    }

    /// Adds a datagram. Returns its stream; `None` if the game does not accept it. What would be recorded must restore the datagram.
    pub fn datagram(&mut self, datagram: &[u8]) -> Option<&'static str> {
        let mut plain = Vec::new();
        let name = self.game.rules.datagram(datagram, &mut plain)?;
        let frame = if plain.is_empty() { datagram } else { &plain };
        let mut sent = Vec::new();
        self.game.rules.sent_datagram(name, frame, &mut sent);
        assert_eq!(if sent.is_empty() { frame } else { &sent }, datagram, "{name} is not restored");
        self.frame(name, frame);
        Some(name)
    }

    /// Adds a frame of a stream.
    pub fn frame(&mut self, name: &'static str, bytes: &[u8]) {
        let seen = SeenFrame { stream: name, layout: layout_of(self.game, name, bytes), bytes };
        self.decoder.frame(seen, &mut self.sample);
        self.is_lap_frame = self.reader.frame(seen, &mut self.laps);
        self.newest.retain(|(stream, _)| *stream != name);
        self.newest.push((name, bytes.to_vec()));
    }

    /// Calls a function with the newest frames.
    pub fn seen<T>(&self, ask: impl FnOnce(Seen<'_>) -> T) -> T {
        let frames = self.newest.iter().map(|(stream, bytes)| {
            let layout = layout_of(self.game, stream, bytes);
            SeenFrame { stream, layout, bytes }
        });
        ask(Seen(&frames.collect::<Vec<_>>()))
    }

    pub fn presence(&self) -> Presence {
        self.seen(|seen| self.game.rules.presence(seen))
    }

    pub fn session_key(&self) -> Option<u64> {
        self.seen(|seen| self.game.rules.session_key(seen))
    }

    pub fn about(&self) -> gametape_games::About {
        self.seen(|seen| self.game.rules.about(seen))
    }

    pub fn identity(&self) -> &gametape_games::Identity {
        self.reader.identity()
    }
}

fn layout_of(game: &Game, stream: &str, bytes: &[u8]) -> &'static Layout {
    game.stream(stream).unwrap().layout_of(bytes.len() as u32).unwrap_or(&NO_CHANNELS)
}

/// Pseudo-random numbers: xorshift.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

/// Overwrites bytes.
pub fn put<const N: usize>(bytes: &mut [u8], offset: usize, value: [u8; N]) {
    bytes[offset..offset + N].copy_from_slice(&value);
}

/// Asserts that no other game accepts a datagram of this one.
pub fn assert_only(game: &Game, datagram: &[u8]) {
    for other in gametape_games::GAMES.iter().filter(|other| other.id != game.id) {
        let stream = other.rules.datagram(datagram, &mut Vec::new());
        assert_eq!(stream, None, "{} accepts a datagram of {}", other.id, game.id);
    }
}

/// Every game's rules and decoders agree on any bytes, also on those that begin like a packet.
#[test]
fn rules_and_decoders_agree_on_noise() {
    let mut noise = Noise(3);
    let fronts: [&[u8]; 4] = [b"", b"0S7G", b"a\0\0\0\x48\x01\0\0", &[1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 4, 1, 0, 0, 0x52]];
    for round in 0..400 {
        let front = fronts[round % fronts.len()];
        let bytes = [front, &noise.bytes(noise_length(round))].concat();
        gametape_games::fuzz_frames(&bytes);
    }
}

fn noise_length(round: usize) -> usize {
    round * 37 % 9_000
}
