//! Frames of a game to neutral samples, whatever the frames come from.

use gametape_format::StreamSpec;
use gametape_games::{Decode, Layout, Sample, SeenFrame, find_game};

use crate::layout::layout_of_stream;

/// The decoder of a game, and the streams it reads.
pub struct Decoding {
    decoder: Box<dyn Decode>,
    streams: Vec<Option<(String, Layout)>>,
    sample: Sample,
}

impl Decoding {
    /// For these streams, which are told apart by their place; `None` if nobody knows the game.
    #[must_use]
    pub fn new<'a>(game: &str, streams: impl Iterator<Item = &'a StreamSpec>) -> Option<Self> {
        let decoder = find_game(game)?.rules.decoder();
        let of_game = |spec: &StreamSpec| spec.game.is_empty() || spec.game == game;
        // A stream whose layout makes no sense says nothing.
        let known = |spec: &StreamSpec| Some((spec.name.clone(), layout_of_stream(spec).ok()?));
        let streams = streams.map(|spec| known(spec).filter(|_| of_game(spec))).collect();
        Some(Self { decoder, streams, sample: Sample::default() })
    }

    /// What is known after this frame; `None` for a frame that says nothing.
    pub fn frame(&mut self, stream: usize, bytes: &[u8]) -> Option<&Sample> {
        let (name, layout) = self.streams.get(stream)?.as_ref()?;
        self.decoder.frame(SeenFrame { stream: name, layout, bytes }, &mut self.sample);
        Some(&self.sample)
    }
}
