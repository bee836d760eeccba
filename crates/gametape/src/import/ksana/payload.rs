//! Parses a decompressed frame into slices, checked against its length.
//!
//! ```text
//! typed payloads (ksana 0.4) begin with 16 bytes: 1 or 2, then zeros. 1 = the optional part is present, 2 = it is absent.
//!
//! iRacing                                          Assetto Corsa and Competizione        ksana   shm-debugger
//! 112            irsdk header                      graphics                               2048           1700
//! numVars × 144  variable headers (optional)       physics                                1024           1000
//! u64, bytes     session text, empty = unchanged   static (optional)                      2048           1000
//! u64, bytes     newest row
//! ```
//! Without the type, iRacing frames always have variable headers, and the length of the others tells whether the static page is present.

use gametape_games::iracing::{HEADER_BYTES, IrsdkHeader, MAX_VARS, VAR_HEADER_BYTES};

use super::head::{Head, Recorded};

/// Length of the prefix of a typed payload.
const PREFIX_BYTES: usize = 16;

/// Why a decompressed frame cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PayloadProblem {
    #[error("the unpacked frame ends at byte {found}, inside its {part}")]
    Short { part: &'static str, found: usize },
    #[error("the unpacked frame is of type {found}, known are 1 and 2")]
    Type { found: u8 },
    #[error("the unpacked frame says it has {found} variables, at most {MAX_VARS} can be")]
    Variables { found: i32 },
    #[error("the unpacked frame says its {part} has {found} bytes, {left} are left")]
    Length { part: &'static str, found: u64, left: usize },
    #[error("the unpacked frame is {found} bytes long, {with} with the static page and {without} without it are known")]
    Pages { found: usize, with: usize, without: usize },
}

/// An iRacing frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct IRacingFrame<'a> {
    pub(super) header: &'a [u8],
    pub(super) variables: Option<&'a [u8]>,
    /// Empty if unchanged.
    pub(super) session_text: &'a [u8],
    pub(super) row: &'a [u8],
    /// Bytes without a meaning: a prefix that is not all zeros, bytes after the row.
    pub(super) unknown: [&'a [u8]; 2],
}

/// A frame of the Assetto Corsa family.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PagesFrame<'a> {
    pub(super) graphics: &'a [u8],
    pub(super) physics: &'a [u8],
    pub(super) static_page: Option<&'a [u8]>,
    /// A prefix that is not all zeros.
    pub(super) unknown: &'a [u8],
}

/// Takes parts off the front of a frame.
struct Parts<'a> {
    rest: &'a [u8],
    whole: usize,
}

impl<'a> Parts<'a> {
    fn take(&mut self, part: &'static str, bytes: usize) -> Result<&'a [u8], PayloadProblem> {
        let short = PayloadProblem::Short { part, found: self.whole };
        let (front, rest) = self.rest.split_at_checked(bytes).ok_or(short)?;
        self.rest = rest;
        Ok(front)
    }

    fn take_counted(&mut self, part: &'static str) -> Result<&'a [u8], PayloadProblem> {
        let length = self.take(part, 8)?.try_into().map(u64::from_le_bytes).unwrap_or_default();
        let left = self.rest.len();
        let bytes = usize::try_from(length).ok().filter(|bytes| *bytes <= left);
        self.take(part, bytes.ok_or(PayloadProblem::Length { part, found: length, left })?)
    }

    /// Returns whether the optional part is present, if the payload is typed, and the prefix if it has unknown bytes.
    fn take_type(&mut self, typed: bool) -> Result<(Option<bool>, &'a [u8]), PayloadProblem> {
        if !typed {
            return Ok((None, &[]));
        }
        let prefix = self.take("type", PREFIX_BYTES)?;
        let unknown = if prefix.iter().skip(1).any(|byte| *byte != 0) { prefix } else { &[] };
        match prefix.first() {
            Some(1) => Ok((Some(true), unknown)),
            Some(2) => Ok((Some(false), unknown)),
            found => Err(PayloadProblem::Type { found: found.copied().unwrap_or_default() }),
        }
    }
}

impl<'a> IRacingFrame<'a> {
    pub(super) fn parse(raw: &'a [u8], head: &Head) -> Result<Self, PayloadProblem> {
        let mut parts = Parts { rest: raw, whole: raw.len() };
        let (has_variables, prefix) = parts.take_type(head.typed_payload)?;
        let header = parts.take("irsdk header", HEADER_BYTES)?;
        let count = IrsdkHeader::read(header).map_or(0, |header| header.var_count);
        let variables = if has_variables.unwrap_or(true) {
            let known = u32::try_from(count).ok().filter(|count| *count <= MAX_VARS);
            let count = known.ok_or(PayloadProblem::Variables { found: count })?;
            Some(parts.take("variable headers", count as usize * VAR_HEADER_BYTES)?)
        } else {
            None
        };
        let session_text = parts.take_counted("session text")?;
        let row = parts.take_counted("row")?;
        Ok(Self { header, variables, session_text, row, unknown: [prefix, parts.rest] })
    }
}

impl<'a> PagesFrame<'a> {
    pub(super) fn parse(raw: &'a [u8], head: &Head) -> Result<Self, PayloadProblem> {
        let mut parts = Parts { rest: raw, whole: raw.len() };
        let (has_static, unknown) = parts.take_type(head.typed_payload)?;
        let (graphics, physics, static_page) = slots(head.recorded);
        let (with, without) = (graphics + physics + static_page, graphics + physics);
        let says_length = match parts.rest.len() {
            length if length == with => true,
            length if length == without && head.recorded == Recorded::Pages => false,
            _ => return Err(PayloadProblem::Pages { found: raw.len(), with, without }),
        };
        if has_static.is_some_and(|has_static| has_static != says_length) {
            return Err(PayloadProblem::Pages { found: raw.len(), with, without });
        }
        Ok(Self {
            graphics: parts.take("graphics page", graphics)?,
            physics: parts.take("physics page", physics)?,
            static_page: says_length.then(|| parts.take("static page", static_page)).transpose()?,
            unknown,
        })
    }
}

/// Returns how many bytes a recorder copies of the graphics, physics and static page.
fn slots(recorded: Recorded) -> (usize, usize, usize) {
    match recorded {
        Recorded::AccPages => (1700, 1000, 1000),
        Recorded::Pages | Recorded::IRacing => (2048, 1024, 2048),
    }
}
