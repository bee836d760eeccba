//! Decodes frames of a game to normalized samples, from a tape or a live source.

use crate::format::StreamSpec;
use crate::games::{Decode, Layout, Sample, SeenFrame, find_game};
use crate::layout::layout_of_stream;

/// The decoder of a game and the layouts of its streams.
pub(crate) struct Decoding {
    decoder: Box<dyn Decode>,
    streams: Vec<Option<(String, Layout)>>,
    sample: Sample,
}

impl Decoding {
    /// Creates a decoder for these streams, identified by their index; `None` if the game is unknown.
    pub(crate) fn new<'a>(game: &str, streams: impl Iterator<Item = &'a StreamSpec>) -> Option<Self> {
        let decoder = find_game(game)?.rules.decoder();
        let of_game = |spec: &StreamSpec| spec.game.is_empty() || spec.game == game;
        // Ignore a stream with an invalid layout.
        let known = |spec: &StreamSpec| Some((spec.name.clone(), layout_of_stream(spec).ok()?));
        let streams = streams.map(|spec| known(spec).filter(|_| of_game(spec))).collect();
        Some(Self { decoder, streams, sample: Sample::default() })
    }

    /// Decodes a frame. Returns the updated sample; `None` if the frame's stream is ignored.
    pub(crate) fn frame(&mut self, stream: usize, bytes: &[u8]) -> Option<&Sample> {
        let (name, layout) = self.streams.get(stream)?.as_ref()?;
        self.decoder.frame(SeenFrame { stream: name, layout, bytes }, &mut self.sample);
        Some(&self.sample)
    }
}
