//! The one place with unsafe code: what the operating system offers and the standard library does not.

mod mapped_files;
mod process;
mod shared_memory;
mod wait;

pub use mapped_files::MappedFiles;
pub use process::process_runs;
pub use shared_memory::{Prefix, SectionReader, SectionWriter, section_file};
pub use wait::{sleep_until, wake_exactly};
