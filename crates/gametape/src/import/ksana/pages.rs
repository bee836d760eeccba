//! Frames of the Assetto Corsa family: three pages, each a stream.
//!
//! The recorders copy more bytes than a page has. If the bytes after the page are zero in the whole file, they are dropped and the
//! tape's metadata records their number; otherwise all are stored. The id `acsa` does not identify the game, but the content of the
//! pages does, so the file is read twice. The first pass applies the rules for a running game to each frame. If no frame is
//! conclusive, bytes that only Assetto Corsa Competizione fills decide.

use gametape_format::{StreamId, StreamSpec};
use gametape_games::{About, Game, Layout, Seen, SeenFrame, ac, acc};

use super::frames::Frames;
use super::head::{Head, Recorded};
use super::payload::{PagesFrame, PayloadProblem};
use super::{Moment, Payloads};
use crate::import::about::tell_about;
use crate::import::out::Out;
use crate::import::problems::Problems;
use crate::import::rest::Rest;
use crate::import::{ImportError, Source};
use crate::layout::stream_of_layout;

/// Physics bytes that Assetto Corsa lacks and Assetto Corsa Competizione fills.
const ONLY_IN_ACC: std::ops::Range<usize> = 580..800;

const PAGES: [&str; 3] = ["graphics", "physics", "static"];

/// Result of the first pass over the file.
#[derive(Debug, Default)]
struct Survey {
    frames: u64,
    /// Frames that identify as Assetto Corsa Competizione; `say_ac` counts those of Assetto Corsa.
    say_acc: u64,
    say_ac: u64,
    acc_bytes: bool,
    /// Description from the last static page.
    about: About,
    /// Used length of each page: all later bytes are zero in all frames.
    used: [usize; 3],
    /// Length of each page in the frames.
    slot: [usize; 3],
}

impl Survey {
    fn of(source: &Source, head: &Head, progress: &mut dyn FnMut(u64)) -> Result<Self, ImportError> {
        let mut survey = Self::default();
        let mut frames = Frames::new(source, head);
        let mut statics = Vec::new();
        while let Some(stretch) = frames.next()? {
            if let Some(frame) = stretch.whole.then(|| PagesFrame::parse(frames.raw(), head).ok()).flatten() {
                if let Some(static_page) = frame.static_page {
                    static_page.clone_into(&mut statics);
                }
                survey.add(&frame, &statics);
            }
            progress(stretch.range.end / 2);
        }
        Ok(survey)
    }

    fn add(&mut self, frame: &PagesFrame<'_>, statics: &[u8]) {
        let seen = [
            SeenFrame { stream: "graphics", layout: &acc::GRAPHICS_1588, bytes: frame.graphics },
            SeenFrame { stream: "physics", layout: &acc::PHYSICS_800, bytes: frame.physics },
            SeenFrame { stream: "static", layout: &acc::STATIC_820, bytes: statics },
        ];
        self.frames += 1;
        match acc::GAME.rules.is_it(Seen(&seen)) {
            Some(true) => self.say_acc += 1,
            Some(false) => self.say_ac += 1,
            None => {}
        }
        if frame.static_page.is_some() {
            self.about = acc::GAME.rules.about(Seen(&seen));
        }
        let only_acc = frame.physics.get(ONLY_IN_ACC).unwrap_or_default();
        self.acc_bytes |= only_acc.iter().any(|byte| *byte != 0);
        let pages = [Some(frame.graphics), Some(frame.physics), frame.static_page];
        for ((page, used), slot) in pages.into_iter().zip(&mut self.used).zip(&mut self.slot) {
            let page = page.unwrap_or_default();
            *used = (*used).max(page.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
            *slot = (*slot).max(page.len());
        }
    }

    /// Returns the game, and what decided it.
    fn game(&self, recorded: Recorded) -> (&'static Game, String) {
        let Self { frames, say_acc, say_ac, .. } = self;
        let of = |say: &u64| format!("what {say} of {frames} frames hold");
        match (recorded, say_acc, say_ac) {
            (Recorded::AccPages, _, _) => (&acc::GAME, "the id accz in the file's header".into()),
            (_, acc, ac) if acc > ac => (&acc::GAME, of(acc)),
            (_, acc, ac) if acc < ac => (&ac::GAME, of(ac)),
            _ if self.acc_bytes => (&acc::GAME, "physics bytes 580 to 799 are not zero in every frame".into()),
            _ => (&ac::GAME, "physics bytes 580 to 799 are zero in every frame".into()),
        }
    }
}

/// A page in the tape.
#[derive(Debug, Clone, Copy)]
struct Page {
    stream: StreamId,
    /// Number of bytes stored.
    bytes: usize,
}

/// The three streams.
pub(super) struct Pages {
    game: &'static Game,
    decided_by: String,
    layouts: [Option<&'static Layout>; 3],
    survey: Survey,
    pages: [Option<Page>; 3],
}

impl Pages {
    pub(super) fn survey(source: &Source, head: &Head, progress: &mut dyn FnMut(u64)) -> Result<Self, ImportError> {
        let survey = Survey::of(source, head, progress)?;
        let (game, decided_by) = survey.game(head.recorded);
        let layouts = PAGES.map(|page| game.stream(page)?.layouts().first().copied());
        Ok(Self { game, decided_by, layouts, survey, pages: [None; 3] })
    }

    fn append(&mut self, number: usize, bytes: &[u8], at: &Moment, out: &mut dyn Out) -> Result<(), ImportError> {
        let page = match self.pages.get(number).copied().flatten() {
            Some(page) => page,
            None => self.add_page(number, bytes.len(), out)?,
        };
        out.append(page.stream, at.time_ns, bytes.get(..page.bytes).unwrap_or(bytes), at.offset)
    }

    fn add_page(&mut self, number: usize, slot: usize, out: &mut dyn Out) -> Result<Page, ImportError> {
        let name = PAGES.get(number).copied().unwrap_or_default();
        let used = self.survey.used.get(number).copied().unwrap_or(slot);
        let layout = self.layouts.get(number).copied().flatten();
        let (mut spec, mut bytes) = (StreamSpec::rows(name), slot);
        if let Some(layout) = layout.filter(|layout| layout.frame_bytes() as usize <= slot) {
            spec = stream_of_layout(self.game.id, name, "file", layout);
            if used <= layout.frame_bytes() as usize {
                bytes = layout.frame_bytes() as usize;
            } else {
                spec.layout = format!("{}-in-{slot}", layout.id());
                spec.frame_bytes = u32::try_from(slot).unwrap_or_default();
            }
        }
        let spec = StreamSpec { game: self.game.id.into(), transport: "file".into(), ..spec };
        let page = Page { stream: out.add_stream(spec)?, bytes };
        if let Some(place) = self.pages.get_mut(number) {
            *place = Some(page);
        }
        Ok(page)
    }
}

impl Payloads for Pages {
    fn take(
        &mut self,
        raw: &[u8],
        head: &Head,
        moment: &Moment,
        out: &mut dyn Out,
        _: &mut Problems,
        rest: &mut Rest,
    ) -> Result<Result<(), PayloadProblem>, ImportError> {
        let frame = match PagesFrame::parse(raw, head) {
            Ok(frame) => frame,
            Err(problem) => return Ok(Err(problem)),
        };
        self.append(1, frame.physics, moment, out)?;
        self.append(0, frame.graphics, moment, out)?;
        if let Some(static_page) = frame.static_page {
            self.append(2, static_page, moment, out)?;
        }
        rest.keep(out, moment.time_ns, frame.unknown, moment.offset)?;
        Ok(Ok(()))
    }

    fn end(&mut self, out: &mut dyn Out) -> Result<(), ImportError> {
        out.metadata("game_decided_by", &self.decided_by)?;
        tell_about(out, &self.survey.about)?;
        for ((name, page), slot) in PAGES.iter().zip(self.pages).zip(self.survey.slot) {
            let left_off = page.map_or(0, |page| slot - page.bytes);
            if left_off > 0 {
                out.metadata(&format!("zeros_left_off.{name}"), &left_off.to_string())?;
            }
        }
        Ok(())
    }
}
