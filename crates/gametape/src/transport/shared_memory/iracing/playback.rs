//! Which streams of a tape are which part of iRacing's memory.

use gametape_format::StreamId;
use gametape_format::read::{Tape, TapeStream};
use gametape_games::iracing::{HEADER_BYTES, SESSION_TEXT, TELEMETRY};

use super::lookahead::TickLookahead;
use super::stage::IracingStage;
use crate::transport::{Lookahead, OpenStage, Part, Playback, StageError, StageOptions};

/// What the frames of a stream are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The header of an `.ibt` file.
    FileHeader,
    /// Variable headers.
    Variables,
    /// The session text.
    Text,
    /// A row.
    Row,
    /// The 112-byte header of the memory, as it was when the row with the same time was copied.
    Header,
}

impl Kind {
    /// In the order in which frames with the same time are shown. A header describes the memory after the row.
    const ALL: [(Self, &str); 5] = [
        (Self::FileHeader, "file-header"),
        (Self::Variables, "variables"),
        (Self::Text, SESSION_TEXT.name),
        (Self::Row, TELEMETRY.name),
        (Self::Header, "header"),
    ];

    /// Returns the kinds of parts that [`IracingPlayback`] made.
    pub(super) fn of_parts(parts: &[Part]) -> Vec<Self> {
        let kind = |part: &Part| Self::ALL.iter().find(|(_, name)| *name == part.name).map(|(kind, _)| *kind);
        parts.iter().filter_map(kind).collect()
    }
}

/// The streams of iRacing on a tape. Live recordings and imports use slightly different stream names. If a tape has rows of several layouts,
/// the first is played.
pub(in super::super) struct IracingPlayback {
    rows: Option<StreamId>,
}

impl IracingPlayback {
    /// Finds the rows.
    pub(in super::super) fn new(tape: &Tape) -> Self {
        Self { rows: tape.stream_named(TELEMETRY.name).ok().map(TapeStream::id) }
    }

    fn kind(&self, stream: &TapeStream) -> Option<Kind> {
        let rows = self.rows?;
        let describes = stream.spec().describes == Some(rows);
        match stream.name() {
            _ if stream.id() == rows => Some(Kind::Row),
            "telemetry.variables" if describes => Some(Kind::Variables),
            "session-text" | "telemetry.session-text" => Some(Kind::Text),
            "telemetry.header" if describes => {
                let live = stream.spec().frame_bytes as usize == HEADER_BYTES;
                Some(if live { Kind::Header } else { Kind::FileHeader })
            }
            _ => None,
        }
    }
}

impl Playback for IracingPlayback {
    fn part(&self, stream: &TapeStream) -> Option<Part> {
        let kind = self.kind(stream)?;
        let (rank, (_, name)) = (0..).zip(Kind::ALL).find(|(_, (known, _))| *known == kind)?;
        Some(Part { stream: stream.id(), name, rank, moves: kind == Kind::Row, is_message: false })
    }

    fn lookahead(&self, parts: &[Part]) -> Option<Box<dyn Lookahead>> {
        let kinds = Kind::of_parts(parts);
        kinds.contains(&Kind::Header).then(|| Box::new(TickLookahead::new(kinds)) as _)
    }

    fn open(&self, tape: &Tape, parts: &[Part], options: &StageOptions) -> Result<OpenStage, StageError> {
        let mut notes = Vec::new();
        let stage = IracingStage::open(tape, parts, options, &mut notes)?;
        Ok(OpenStage { notes, ..OpenStage::new(stage) })
    }
}
