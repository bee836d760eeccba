//! Decodes the frames of a game into neutral samples, whatever their source.

use gametape_format::StreamSpec;
use gametape_games::{Decode, Layout, Sample, SeenFrame, find_reader};

use crate::layout::layout_of_stream;

/// A game's decoder, and the streams it reads.
pub struct Decoding {
    decoder: Box<dyn Decode>,
    streams: Vec<Option<(String, Layout)>>,
    sample: Sample,
}

impl Decoding {
    /// Creates a decoder for these streams, which are identified by their index. Returns `None` if the game is unknown.
    #[must_use]
    pub fn new<'a>(game: &str, streams: impl Iterator<Item = &'a StreamSpec>) -> Option<Self> {
        let decoder = find_reader(game)?.decoder();
        let of_game = |spec: &StreamSpec| spec.game.is_empty() || spec.game == game;
        // Streams with an invalid layout are ignored.
        let known = |spec: &StreamSpec| Some((spec.name.clone(), layout_of_stream(spec).ok()?));
        let streams = streams.map(|spec| known(spec).filter(|_| of_game(spec))).collect();
        Some(Self { decoder, streams, sample: Sample::default() })
    }

    /// Decodes a frame and returns the updated sample, or `None` if the stream is unknown or ignored.
    pub fn frame(&mut self, stream: usize, bytes: &[u8]) -> Option<&Sample> {
        let (name, layout) = self.streams.get(stream)?.as_ref()?;
        self.decoder.frame(SeenFrame { stream: name, layout, bytes }, &mut self.sample);
        Some(&self.sample)
    }
}
