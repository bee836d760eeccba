//! The one place with unsafe code: what the operating system offers and the standard library does not.

mod mapped_files;

pub use mapped_files::MappedFiles;
