//! Reads the responses in an Echo VR tape: each `/session` response with its `/player_bones` response.

use gametape_format::read::{Frames, Problem, ReadError, Tape};
use gametape_games::echo_vr;

use crate::import::echoreplay::{LINES, PLAYER_BONES_MARK, SESSION_MARK, WHOLE_MARK};

/// Reads both streams in parallel. If the tape records which lines had bones, they are matched by line; otherwise each response gets the
/// latest bones since the previous response.
pub(super) struct Answers<'a> {
    session: Frames<'a>,
    bones: Option<Frames<'a>>,
    lines: Option<Frames<'a>>,
    waiting: Option<(u64, Vec<u8>)>,
    /// Parts of the tape that could not be read.
    pub(super) damage: Vec<Problem>,
    /// Stored lines that are not replay lines.
    pub(super) other_lines: u64,
}

/// The responses at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) time_ns: u64,
    pub(super) session: Vec<u8>,
    pub(super) player_bones: Option<Vec<u8>>,
}

/// Returns whether a tape has Echo VR responses.
pub(super) fn is_echo_vr(tape: &Tape) -> bool {
    tape.stream_named(echo_vr::SESSION).is_ok_and(|stream| stream.spec().game == echo_vr::ID)
}

impl<'a> Answers<'a> {
    /// Opens the responses of a tape; `None` if it is from another game.
    pub(super) fn of(tape: &'a Tape) -> Option<Self> {
        let frames = |name: &str| tape.stream_named(name).ok().map(|stream| tape.frames(stream));
        let session = frames(echo_vr::SESSION).filter(|_| is_echo_vr(tape))?;
        let (bones, lines) = (frames(echo_vr::PLAYER_BONES), frames(LINES));
        Some(Self { session, bones, lines, waiting: None, damage: Vec::new(), other_lines: 0 })
    }

    /// Seeks to the first response at or after a time.
    pub(super) fn seek(&mut self, time_ns: u64) -> Result<(), ReadError> {
        for frames in [Some(&mut self.session), self.bones.as_mut(), self.lines.as_mut()].into_iter().flatten() {
            match frames.seek_time(time_ns) {
                Err(ReadError::Damaged(problem)) => self.damage.push(problem),
                sought => sought?,
            }
        }
        Ok(())
    }

    /// Returns the next responses. Damage before them is recorded.
    pub(super) fn next(&mut self) -> Result<Option<Moment>, ReadError> {
        let Some((time_ns, session)) = next_frame(&mut self.session, &mut self.damage)? else { return Ok(None) };
        let player_bones = match self.line_has_bones(time_ns)? {
            Some(true) => self.bones_between(time_ns, time_ns, false)?,
            Some(false) => None,
            None => self.bones_between(0, time_ns, true)?,
        };
        Ok(Some(Moment { time_ns, session, player_bones }))
    }

    /// Returns whether the line of the next response has bones; `None` if the tape has no lines.
    fn line_has_bones(&mut self, time_ns: u64) -> Result<Option<bool>, ReadError> {
        let Some(lines) = &mut self.lines else { return Ok(None) };
        while let Some((at_ns, rest)) = next_frame(lines, &mut self.damage)? {
            let whole = rest.first() == Some(&WHOLE_MARK);
            self.other_lines += u64::from(whole);
            if !whole && at_ns >= time_ns && rest.contains(&SESSION_MARK) {
                return Ok(Some(rest.contains(&PLAYER_BONES_MARK)));
            }
        }
        Ok(Some(false))
    }

    /// Returns bones from this time range: the first, or the latest.
    fn bones_between(&mut self, from_ns: u64, to_ns: u64, newest: bool) -> Result<Option<Vec<u8>>, ReadError> {
        let Some(bones) = &mut self.bones else { return Ok(None) };
        let mut found = None;
        loop {
            if self.waiting.is_none() {
                self.waiting = next_frame(bones, &mut self.damage)?;
            }
            match self.waiting.take_if(|(at_ns, _)| *at_ns <= to_ns) {
                Some((at_ns, _)) if at_ns < from_ns => {}
                Some((_, answer)) if newest => found = Some(answer),
                Some((_, answer)) => return Ok(Some(answer)),
                None => return Ok(found),
            }
        }
    }
}

/// Returns the next readable frame. Damage before it is recorded.
pub(super) fn next_frame(
    frames: &mut Frames<'_>,
    damage: &mut Vec<Problem>,
) -> Result<Option<(u64, Vec<u8>)>, ReadError> {
    loop {
        match frames.next() {
            Ok(frame) => return Ok(frame.map(|frame| (frame.time_ns, frame.data.to_vec()))),
            Err(ReadError::Damaged(problem)) => damage.push(problem),
            Err(error) => return Err(error),
        }
    }
}
