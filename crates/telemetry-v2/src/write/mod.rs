//! Writing captures: [`Writer`] writes a header and frames as a stream or as a file with indexes.

mod index;
mod output;
mod writer;

pub use writer::{Layout, Summary, WriteError, WriteOptions, Writer};
