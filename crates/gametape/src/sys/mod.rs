//! Operating system services that the standard library does not offer. The only module with unsafe code.

#[cfg(windows)]
mod console;
#[cfg(windows)]
mod event;
#[cfg(windows)]
mod folder_identity;
mod mapped_files;
mod open_files;
#[cfg(windows)]
mod pipe;
mod process;
mod processes;
mod shared_memory;
mod wait;
#[cfg(windows)]
mod windows_object;

#[cfg(windows)]
pub use console::{ConsoleEvent, console_finished, console_is_ours_alone, on_console_event};
#[cfg(windows)]
pub use event::Event;
#[cfg(windows)]
pub use folder_identity::FolderIdentity;
pub use mapped_files::MappedFiles;
pub use open_files::raise_open_files;
#[cfg(windows)]
pub use pipe::{PipeClient, PipeServer, PipeStream};
pub(crate) use process::panic_message;
#[cfg(windows)]
pub use process::running_programs;
pub use process::{process_runs, process_start};
pub use processes::Process;
/// Runs the parsers of external bytes. For fuzz targets and mutation tests only.
#[doc(hidden)]
pub use processes::fuzz_processes;
#[cfg(target_os = "linux")]
pub(crate) use processes::named_process;
pub(crate) use processes::{effective_user, list_processes, running_processes};
pub use shared_memory::{Prefix, SectionReader, SectionWriter, section_file};
pub use wait::{sleep_until, wake_exactly};
