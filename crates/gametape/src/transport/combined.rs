//! Plays a game that is reached through several transports: each shows the streams that are its own.

use std::net::SocketAddr;

use gametape_format::read::{Tape, TapeStream};

use super::stage::{Asked, Entry, Lookahead, OpenStage, Part, Playback, Shown, Stage, StageError, StageOptions};

/// How the streams of one game on a tape are played through several transports.
pub(super) struct Combined(pub(super) Vec<Box<dyn Playback>>);

impl Playback for Combined {
    fn part(&self, stream: &TapeStream) -> Option<Part> {
        self.0.iter().find_map(|playback| playback.part(stream))
    }

    fn is_left_out_silently(&self, stream: &TapeStream) -> bool {
        self.0.iter().all(|playback| playback.is_left_out_silently(stream))
    }

    fn has_marker(&self) -> bool {
        self.0.iter().any(|playback| playback.has_marker())
    }

    fn lookahead(&self, parts: &[Part]) -> Option<Box<dyn Lookahead>> {
        self.0.iter().find_map(|playback| playback.lookahead(parts))
    }

    /// Opens the transports that have streams. If one of them cannot be opened, the others are played, with a note.
    fn open(&self, tape: &Tape, parts: &[Part], options: &StageOptions) -> Result<OpenStage, StageError> {
        let mut places: Vec<Option<(usize, usize)>> = vec![None; parts.len()];
        let (mut stages, mut notes, mut address, mut failed) = (Vec::new(), Vec::new(), None, None);
        for playback in &self.0 {
            let is_its = |part: &Part| tape.stream(part.stream).is_some_and(|stream| playback.part(stream).is_some());
            let own: Vec<usize> = (0..parts.len()).filter(|index| parts.get(*index).is_some_and(is_its)).collect();
            let list: Vec<Part> = own.iter().filter_map(|index| parts.get(*index)).copied().collect();
            if list.is_empty() {
                continue;
            }
            match playback.open(tape, &list, options) {
                Ok(open) => {
                    for (inside, index) in own.into_iter().enumerate() {
                        if let Some(place) = places.get_mut(index).filter(|place| place.is_none()) {
                            *place = Some((stages.len(), inside));
                        }
                    }
                    stages.push(open.stage);
                    notes.extend(open.notes);
                    address = address.or(open.address);
                }
                Err(error) => {
                    let names: Vec<&str> = list.iter().map(|part| part.name).collect();
                    notes.push(format!("not played: {}: {error}", names.join(", ")));
                    failed = failed.or(Some(error));
                }
            }
        }
        match failed {
            Some(error) if stages.is_empty() => Err(error),
            _ => Ok(OpenStage { stage: Box::new(CombinedStage { stages, places }), address, notes }),
        }
    }
}

struct CombinedStage {
    stages: Vec<Box<dyn Stage>>,
    /// For each part: the stage that shows it, and the index of the part there. `None` if it is not shown.
    places: Vec<Option<(usize, usize)>>,
}

impl Stage for CombinedStage {
    fn show(&mut self, entry: &Entry, frame: &[u8]) -> Result<Shown, StageError> {
        let Some((stage, part)) = self.places.get(entry.part).copied().flatten() else { return Ok(Shown::Noted) };
        let Some(stage) = self.stages.get_mut(stage) else { return Ok(Shown::Noted) };
        stage.show(&Entry { part, ..entry.clone() }, frame)
    }

    fn shows_moments(&self) -> bool {
        self.stages.iter().any(|stage| stage.shows_moments())
    }

    fn settle(&mut self) -> Result<(), StageError> {
        self.stages.iter_mut().try_for_each(|stage| stage.settle())
    }

    fn jump(&mut self) {
        self.stages.iter_mut().for_each(|stage| stage.jump());
    }

    fn pulse_every_ns(&self) -> Option<u64> {
        self.stages.iter().filter_map(|stage| stage.pulse_every_ns()).min()
    }

    fn pulse(&self) {
        self.stages.iter().for_each(|stage| stage.pulse());
    }

    fn status_address(&self) -> Option<SocketAddr> {
        self.stages.iter().find_map(|stage| stage.status_address())
    }

    fn request_address(&self) -> Option<SocketAddr> {
        self.stages.iter().find_map(|stage| stage.request_address())
    }

    fn asked(&self) -> Asked {
        let all = self.stages.iter().map(|stage| stage.asked());
        all.fold(Asked::default(), |sum, one| Asked {
            clients: sum.clients + one.clients,
            requests: sum.requests + one.requests,
        })
    }

    fn leave(&mut self) -> Result<(), StageError> {
        self.stages.iter_mut().map(|stage| stage.leave()).fold(Ok(()), Result::and)
    }

    fn remove(self: Box<Self>) -> Result<(), StageError> {
        self.stages.into_iter().map(|stage| stage.remove()).fold(Ok(()), Result::and)
    }
}
