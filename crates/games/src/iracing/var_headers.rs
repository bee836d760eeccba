//! Variable headers: the game's own description of its rows.
//!
//! Parses the headers of an `.ibt` file or of the live memory into a [`VarTable`]: a [`Layout`] of the valid channels,
//! and a problem for each invalid header. Rows are complete either way: a header that is left out only leaves its bytes
//! unnamed.
//!
//! ```text
//! 0 type  4 offset  8 count  12 countAsTime (u8), 3 pad  16 name[32]  48 desc[64]  112 unit[32]      144 bytes
//! type: 0 char, 1 bool, 2 int, 3 bitfield, 4 float, 5 double
//! ```
use std::collections::HashMap;

use thiserror::Error;

use super::session_text::until_nul;
use crate::bytes::i32_at;
use crate::layout::{Channel, Kind, Layout, LayoutError};
use crate::text::windows_1252_text;

/// Length of one variable header.
pub const VAR_HEADER_BYTES: usize = 144;

/// Number of variable headers that the live memory has space for; no file has more.
pub const MAX_VARS: u32 = 4096;

/// The parsed variable headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VarTable {
    /// Layout of a row, with names and units as the game spells them.
    pub layout: Layout,
    /// Additional details on each channel, in the order of the layout's channels.
    pub details: Vec<VarDetail>,
    /// Headers that were left out, and why.
    pub problems: Vec<VarProblem>,
}

/// The fields of a variable header beyond name, offset, type and unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VarDetail {
    /// Description of the variable, in the game's words.
    pub desc: String,
    /// The values of the array are consecutive in time, within the tick.
    pub count_as_time: bool,
}

/// Why a variable header was left out. Imported tapes store these messages as events.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VarProblem {
    /// The name is empty or holds control characters.
    #[error("variable {index} has no readable name: left out")]
    Name {
        /// Index of the header.
        index: usize,
    },
    /// The type is not one of the six known ones.
    #[error("variable {index} {name:?} is of type {found}, known are 0 to 5: left out")]
    Type {
        /// Index of the header.
        index: usize,
        /// Its name.
        name: String,
        /// The type in the header.
        found: i32,
    },
    /// The values are not inside the row.
    #[error("variable {index} {name:?} has {count} values from byte {offset} of a row of {row_bytes} bytes: left out")]
    OutsideRow {
        /// Index of the header.
        index: usize,
        /// Its name.
        name: String,
        /// The offset in the header.
        offset: i32,
        /// The count in the header.
        count: i32,
        /// Length of a row.
        row_bytes: u32,
    },
    /// An earlier variable has the same name.
    #[error("variable {index} {name:?} has the name of variable {first_index}: left out")]
    DuplicateName {
        /// Index of the header.
        index: usize,
        /// Its name.
        name: String,
        /// Index of the earlier header.
        first_index: usize,
    },
    /// The variable overlaps another one.
    #[error("variable {index} {name:?} overlaps variable {other_index} {other:?} in the row: left out")]
    Overlap {
        /// Index of the header.
        index: usize,
        /// Its name.
        name: String,
        /// Index of the header that was kept.
        other_index: usize,
        /// Its name.
        other: String,
    },
}

struct Var {
    index: usize,
    channel: Channel,
    detail: VarDetail,
}

/// Parses consecutive variable headers until fewer than [`VAR_HEADER_BYTES`] are left.
///
/// If headers overlap, which only happens in damaged files, the largest non-overlapping set is kept: one header with a
/// wild count does not cost all the channels that it covers.
///
/// # Errors
/// No known input causes one: the layout is validated once more at the end.
pub fn read_var_headers(headers: &[u8], row_bytes: u32) -> Result<VarTable, LayoutError> {
    let mut problems = Vec::new();
    let mut first_index: HashMap<String, usize> = HashMap::new();
    let mut vars = Vec::new();
    for (index, header) in headers.as_chunks::<VAR_HEADER_BYTES>().0.iter().enumerate() {
        match read_one(index, header, row_bytes) {
            Err(problem) => problems.push(problem),
            Ok(var) => {
                let name = var.channel.name.to_string();
                match first_index.get(&name).copied() {
                    Some(first_index) => problems.push(VarProblem::DuplicateName { index, name, first_index }),
                    None => {
                        first_index.insert(name, index);
                        vars.push(var);
                    }
                }
            }
        }
    }
    let vars = without_overlaps(vars, &mut problems);
    let (channels, details) = vars.into_iter().map(|var| (var.channel, var.detail)).unzip();
    let layout = Layout::new(format!("iracing-row-{row_bytes}"), row_bytes, channels)?;
    Ok(VarTable { layout, details, problems })
}

fn read_one(index: usize, header: &[u8; VAR_HEADER_BYTES], row_bytes: u32) -> Result<Var, VarProblem> {
    let text = |from: usize, to: usize| windows_1252_text(until_nul(header.get(from..to).unwrap_or_default()));
    let number = |at: usize| i32_at(header, at).unwrap_or_default();

    let name = text(16, 48);
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(VarProblem::Name { index });
    }
    let kind = match number(0) {
        0 => Kind::Char,
        1 => Kind::Bool,
        2 => Kind::I32,
        3 => Kind::Bits32,
        4 => Kind::F32,
        5 => Kind::F64,
        found => return Err(VarProblem::Type { index, name, found }),
    };
    let (offset, count) = (number(4), number(8));
    let channel = match (u32::try_from(offset), u32::try_from(count)) {
        (Ok(offset), Ok(count)) if count > 0 => {
            Some(Channel { name: name.clone().into(), offset, kind, count, unit: text(112, 144).into() })
        }
        _ => None,
    };
    let Some(channel) = channel.filter(|channel| channel.end() <= u64::from(row_bytes)) else {
        return Err(VarProblem::OutsideRow { index, name, offset, count, row_bytes });
    };
    let detail = VarDetail { desc: text(48, 112), count_as_time: header.get(12).is_some_and(|byte| *byte != 0) };
    Ok(Var { index, channel, detail })
}

/// Keeps the largest set without overlaps: in order of their ends, each variable that starts after the last one kept.
/// Returns it sorted by offset.
fn without_overlaps(mut vars: Vec<Var>, problems: &mut Vec<VarProblem>) -> Vec<Var> {
    vars.sort_by_key(|var| (var.channel.end(), var.index));
    let mut kept: Vec<Var> = Vec::with_capacity(vars.len());
    for var in vars {
        match kept.last() {
            Some(last) if last.channel.end() > u64::from(var.channel.offset) => problems.push(VarProblem::Overlap {
                index: var.index,
                name: var.channel.name.into_owned(),
                other_index: last.index,
                other: last.channel.name.to_string(),
            }),
            _ => kept.push(var),
        }
    }
    kept
}
