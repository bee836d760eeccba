//! Text split into a skeleton and columns of values: block coding 2 of row blocks (docs/format.md, section 5).
//!
//! Encodes the frames of a row block whose stream holds JSON or other text with numbers in it, and decodes them to the
//! same bytes, whatever they are. [`split`] separates a frame into a skeleton (keys, punctuation, spaces) and values.
//! Frames with the same skeleton form a table: a [`template`], with the values as rows of columns, which
//! [`crate::column`] codes. [`kind`] defines how the values of a column are represented as numbers: [`decimal`] and
//! [`float`] handle the textual forms of numbers, [`digits`] parses and formats many digits at once. While writing,
//! every frame is rendered again from the data to be stored and compared; a frame that differs is stored verbatim.

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
/// Maximum number of templates in a block.
pub(crate) const TEMPLATES: usize = 255;
/// Maximum size of all templates of a block together, unpacked.
pub(crate) const TEMPLATES_BYTES: usize = 32 << 20;
/// Maximum size of the values of all templates of a block together, as rows.
pub(crate) const VALUES_BYTES: usize = crate::limits::BLOCK_RAW_BYTES;
