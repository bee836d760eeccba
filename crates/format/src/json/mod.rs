//! Text split into a skeleton and columns of values: block coding 2 of row blocks (docs/format.md, section 5).
//!
//! Takes the frames of a row block whose stream holds JSON or text with numbers in it; gives a payload, and back the same bytes,
//! whatever they are. [`split`] cuts a frame into what stays (keys, punctuation, spaces) and values. Frames with the same skeleton
//! make a table: a [`template`] with its values as rows of columns, which [`crate::column`] codes. [`kind`] says how the values of a column are
//! numbers: [`decimal`] and [`float`] know how numbers are spelled, [`digits`] reads and writes many digits at once. While writing, every frame is rendered again from what will be
//! stored and compared; one that differs is stored as it is.

mod decimal;
mod decode;
mod digits;
#[cfg(feature = "write")]
mod encode;
mod float;
mod fuzz;
mod kind;
#[cfg(feature = "write")]
mod shape;
#[cfg(feature = "write")]
mod split;
mod template;
#[cfg(all(test, feature = "write"))]
mod tests;
#[cfg(feature = "write")]
mod values;

pub(crate) use decode::{Rendered, decode, decode_row};
#[cfg(feature = "write")]
pub(crate) use encode::TextEncoder;
#[doc(hidden)]
pub use fuzz::fuzz_json_block;

/// The number of this coding in a record header.
pub(crate) const CODING: u8 = 2;
/// Templates of a block.
pub(crate) const TEMPLATES: usize = 255;
/// All templates of a block, unpacked, together.
pub(crate) const TEMPLATES_BYTES: usize = 32 << 20;
/// Values of all templates of a block, as bytes of rows, together.
pub(crate) const VALUES_BYTES: usize = crate::limits::BLOCK_RAW_BYTES;
