//! `.ibt`: the telemetry file that iRacing writes while the player drives.
//!
//! The file can be large, so it is read in steps. Pass its first [`IbtHead::BYTES`] bytes and its length to
//! [`IbtHead::parse`], then the bytes of the range [`IbtHead::var_headers`] to [`IbtHead::finish`]. The resulting
//! [`Ibt`] locates the session info string and the rows. Every number is checked against limits and against the length
//! of the file before use.
//!
//! ```text
//!   0 header, 112 bytes, 1 buffer: its offset is the start of the rows
//! 112 startDate i64 (unix), startTime f64, endTime f64, lapCount i32, recordCount i32
//! 144 variable headers, 144 bytes each; session text; rows up to the end of the file
//! ```
//! The header gives the offsets of the last three; the order shown is the one that the game uses.
use std::ops::Range;

use super::header::{HEADER_BYTES, IrsdkHeader};
use super::ibt_error::{IbtError, IbtProblem};
use super::row_times::plausible_rate_hz;
use super::var_headers::{MAX_VARS, VAR_HEADER_BYTES, VarDetail, read_var_headers};
use crate::bytes::{f64_at, i32_at, i64_at};
use crate::layout::Layout;

/// Maximum plausible row length. The live memory has 24 KiB per row.
const MAX_ROW_BYTES: i64 = 1 << 20;

/// Maximum plausible length of the session info string. The live memory has 512 KiB for it.
const MAX_SESSION_TEXT_BYTES: u64 = 16 << 20;

/// The disk subheader, bytes 112 to 144. Only files have it.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskSubHeader {
    /// Start, in seconds since 1970, UTC.
    pub start_date_unix_s: i64,
    /// `SessionTime` at the start.
    pub start_time_s: f64,
    /// `SessionTime` at the end.
    pub end_time_s: f64,
    /// Number of laps, as the game counts them.
    pub lap_count: i32,
    /// Number of rows. Wrong in a file that was not finished: see [`IbtRows::count`].
    pub record_count: i32,
}

/// Location of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IbtRows {
    /// Offset of the first row in the file.
    pub start: u64,
    /// Length of each row.
    pub row_bytes: u32,
    /// Number of whole rows in the file.
    pub count: u64,
}

impl IbtRows {
    /// Returns the byte range of a row; `None` if the file has no such whole row.
    #[must_use]
    pub fn range(&self, index: u64) -> Option<Range<u64>> {
        if index >= self.count {
            return None;
        }
        let start = self.start.checked_add(index.checked_mul(u64::from(self.row_bytes))?)?;
        Some(start..start.checked_add(u64::from(self.row_bytes))?)
    }
}

/// The parsed start of a file: locates everything else.
#[derive(Debug, Clone, PartialEq)]
pub struct IbtHead {
    /// The header, as stored in the file.
    pub header: IrsdkHeader,
    /// The disk subheader, as stored in the file.
    pub disk: DiskSubHeader,
    /// Byte range of the variable headers; inside the file.
    pub var_headers: Range<u64>,
    /// Byte range of the session info string; inside the file, empty if there is none.
    pub session_text: Range<u64>,
    /// Location of the rows; inside the file.
    pub rows: IbtRows,
    /// Problems found so far.
    pub problems: Vec<IbtProblem>,
}

/// Everything about a file except its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Ibt {
    /// The header, as stored in the file.
    pub header: IrsdkHeader,
    /// The disk subheader, as stored in the file.
    pub disk: DiskSubHeader,
    /// Byte range of the variable headers; inside the file.
    pub var_headers: Range<u64>,
    /// Byte range of the session info string; inside the file, empty if there is none. Decode it with
    /// [`session_text`](super::session_text()).
    pub session_text: Range<u64>,
    /// Location of the rows; inside the file.
    pub rows: IbtRows,
    /// Layout of a row.
    pub layout: Layout,
    /// Additional details on each channel, in the order of the layout's channels.
    pub details: Vec<VarDetail>,
    /// Problems that do not prevent the file from being read.
    pub problems: Vec<IbtProblem>,
}

impl IbtHead {
    /// Number of bytes that [`IbtHead::parse`] needs.
    pub const BYTES: usize = HEADER_BYTES + 32;

    /// Parses the start of a file that is `file_bytes` long. `start` may be longer than [`IbtHead::BYTES`].
    ///
    /// # Errors
    /// Fails if this is not an `.ibt`, or if it is too damaged to locate its rows.
    pub fn parse(start: &[u8], file_bytes: u64) -> Result<Self, IbtError> {
        // Check the version first: for a short file that is not an .ibt, it says more than the length.
        if let Some(found) = i32_at(start, 0).filter(|version| !matches!(version, 1 | 2)) {
            return Err(IbtError::NotIbt { found });
        }
        let (Some(header), Some(disk)) = (IrsdkHeader::read(start), DiskSubHeader::read(start)) else {
            let have = u64::try_from(start.len()).unwrap_or(u64::MAX).min(file_bytes);
            return Err(IbtError::CutOff { what: "headers", start: 0, end: Self::BYTES as u64, file_bytes: have });
        };
        if header.buffer_count != 1 {
            return Err(IbtError::NotOneBuffer { found: header.buffer_count });
        }
        let mut problems = Vec::new();
        if plausible_rate_hz(header.tick_rate_hz).is_none() {
            problems.push(IbtProblem::TickRate { found: header.tick_rate_hz });
        }
        let var_headers = var_headers_range(&header, file_bytes)?;
        let rows = rows(&header, &disk, &var_headers, file_bytes, &mut problems)?;
        let session_text = session_text_range(&header, &rows, file_bytes, &mut problems);
        Ok(Self { header, disk, var_headers, session_text, rows, problems })
    }

    /// Parses the variable headers: the bytes of the range [`IbtHead::var_headers`].
    ///
    /// # Errors
    /// Fails if the number of bytes differs from that range.
    pub fn finish(self, var_headers: &[u8]) -> Result<Ibt, IbtError> {
        let expected = self.var_headers.end - self.var_headers.start;
        let actual = u64::try_from(var_headers.len()).unwrap_or(u64::MAX);
        if actual != expected {
            return Err(IbtError::VarHeaderBytes { expected, actual });
        }
        let table = read_var_headers(var_headers, self.rows.row_bytes)?;
        let mut problems = self.problems;
        problems.extend(table.problems.into_iter().map(IbtProblem::from));
        Ok(Ibt {
            header: self.header,
            disk: self.disk,
            var_headers: self.var_headers,
            session_text: self.session_text,
            rows: self.rows,
            layout: table.layout,
            details: table.details,
            problems,
        })
    }
}

impl Ibt {
    /// Parses a file that is completely in memory.
    ///
    /// # Errors
    /// See [`IbtHead::parse`].
    pub fn parse(file: &[u8]) -> Result<Self, IbtError> {
        let file_bytes = u64::try_from(file.len()).unwrap_or(u64::MAX);
        let head = IbtHead::parse(file, file_bytes)?;
        let from = usize::try_from(head.var_headers.start).unwrap_or(usize::MAX);
        let to = usize::try_from(head.var_headers.end).unwrap_or(usize::MAX);
        head.finish(file.get(from..to).unwrap_or_default())
    }
}

impl DiskSubHeader {
    fn read(start: &[u8]) -> Option<Self> {
        Some(Self {
            start_date_unix_s: i64_at(start, HEADER_BYTES)?,
            start_time_s: f64_at(start, HEADER_BYTES + 8)?,
            end_time_s: f64_at(start, HEADER_BYTES + 16)?,
            lap_count: i32_at(start, HEADER_BYTES + 24)?,
            record_count: i32_at(start, HEADER_BYTES + 28)?,
        })
    }
}

/// Returns the number if it is between `min` and `max`.
fn field(field: &'static str, offset: u64, found: i32, min: i64, max: i64) -> Result<u32, IbtError> {
    let in_range = (min..=max).contains(&i64::from(found));
    let number = u32::try_from(found).ok().filter(|_| in_range);
    number.ok_or(IbtError::Field { field, offset, found: i64::from(found), min, max })
}

fn var_headers_range(header: &IrsdkHeader, file_bytes: u64) -> Result<Range<u64>, IbtError> {
    let count = field("numVars", 24, header.var_count, 1, i64::from(MAX_VARS))?;
    let least = IbtHead::BYTES as i64;
    let start = u64::from(field("varHeaderOffset", 28, header.var_headers_offset, least, i64::from(i32::MAX))?);
    let end = start + u64::from(count) * VAR_HEADER_BYTES as u64;
    if end > file_bytes {
        return Err(IbtError::CutOff { what: "variable headers", start, end, file_bytes });
    }
    Ok(start..end)
}

/// Locates the rows, which end at the end of the file or at the next part that the header places after them.
fn rows(
    header: &IrsdkHeader,
    disk: &DiskSubHeader,
    var_headers: &Range<u64>,
    file_bytes: u64,
    problems: &mut Vec<IbtProblem>,
) -> Result<IbtRows, IbtError> {
    let (start, row_bytes) = (row_start(header)?, field("bufLen", 36, header.row_bytes, 1, MAX_ROW_BYTES)?);
    if var_headers.contains(&start) {
        let Range { start: from, end } = *var_headers;
        return Err(IbtError::RowsInVarHeaders { row_start: start, start: from, end });
    }
    if start > file_bytes {
        problems.push(IbtProblem::NoRows { row_start: start, file_bytes });
    }
    let recorded = u64::try_from(disk.record_count).ok();
    let recorded_end = recorded.filter(|rows| *rows > 0).map(|rows| start + rows * u64::from(row_bytes));
    let text = u64::try_from(header.session_info_offset).ok().filter(|_| header.session_info_bytes > 0);
    // A damaged text offset must not hide rows: ignore it unless the recorded rows end before it.
    let text = text.filter(|text| recorded_end.is_some_and(|end| end <= *text));
    let behind = [Some(var_headers.start), text].into_iter().flatten().filter(|other| *other > start);
    let end = behind.fold(file_bytes, u64::min);

    let bytes = end.saturating_sub(start);
    let (count, rest) = (bytes / u64::from(row_bytes), bytes % u64::from(row_bytes));
    if recorded != Some(count) {
        problems.push(IbtProblem::RowCount { recorded: disk.record_count, whole: count });
    }
    if rest > 0 && end == file_bytes {
        problems.push(IbtProblem::CutRow { offset: end - rest, bytes: rest });
    }
    Ok(IbtRows { start, row_bytes, count })
}

fn row_start(header: &IrsdkHeader) -> Result<u64, IbtError> {
    let [buffer, ..] = header.buffers;
    field("bufOffset", 52, buffer.offset, IbtHead::BYTES as i64, i64::from(i32::MAX)).map(u64::from)
}

/// Locates the session info string. An impossible location is reported and the string left out; the rows are still
/// read.
fn session_text_range(
    header: &IrsdkHeader,
    rows: &IbtRows,
    file_bytes: u64,
    problems: &mut Vec<IbtProblem>,
) -> Range<u64> {
    let (offset, bytes) = (header.session_info_offset, header.session_info_bytes);
    if bytes == 0 {
        return 0..0;
    }
    let rows_end = rows.start + rows.count * u64::from(rows.row_bytes);
    let start = u64::try_from(offset).ok().filter(|start| {
        let in_rows = (rows.start..rows_end).contains(start);
        (IbtHead::BYTES as u64..file_bytes).contains(start) && !in_rows
    });
    let expected = u64::try_from(bytes).ok().filter(|bytes| *bytes <= MAX_SESSION_TEXT_BYTES);
    let (Some(start), Some(expected)) = (start, expected) else {
        problems.push(IbtProblem::SessionText { offset, bytes });
        return 0..0;
    };
    let limit = if start < rows.start { file_bytes.min(rows.start) } else { file_bytes };
    let end = (start + expected).min(limit);
    if end - start < expected {
        problems.push(IbtProblem::SessionTextCut { offset: start, expected, actual: end - start });
    }
    start..end
}
