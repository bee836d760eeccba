//! Writing of captures: [`Writer`] takes a header and frames, gives a stream or a file with its indexes.

mod index;
mod output;
mod writer;

pub use writer::{Layout, Summary, WriteError, WriteOptions, Writer};
