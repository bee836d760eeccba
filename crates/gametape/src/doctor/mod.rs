//! Why no game is found, and what to do about it.
//!
//! [`Facts::collect`] looks at the machine: processes, sections of shared memory, the tapes folder. [`diagnose`] turns facts into
//! [`Finding`]s and touches nothing, so every case can be made by hand. Words and exit codes around it belong to the caller.
//!
//! ```text
//! Examination ──collect──▶ Facts ──diagnose──▶ Diagnosis { findings, ready }
//!                          processes · sections · what games have in Wine · two looks at each game's memory · recorders · player · tapes folder · timer
//! ```
//! What a game's memory says is asked of the sources that record it ([`capture`](crate::capture)): the doctor has no rules of its
//! own about frames. A system other than Linux adds how processes and sections are looked up.
mod advice;
mod diagnose;
mod echo_vr;
mod facts;
mod finding;
mod folder;
mod judge_folder;
mod judge_memory;
mod judge_sections;
mod judge_wine;
mod look;
mod processes;
mod sections;
mod setting;
mod users;
mod wine;

pub use diagnose::diagnose;
pub use echo_vr::EchoVrFacts;
pub use facts::{Examination, Facts, Memory, RecorderFacts, System};
pub use finding::{Diagnosis, Finding, Level, Subject};
pub use folder::TapesFolder;
pub use look::Look;
pub use processes::Process;
pub use sections::{Section, SectionFound};
pub use setting::{Origin, Setting};
pub use users::Users;
pub use wine::WineFacts;

/// Runs what reads bytes from outside: for the fuzz targets and mutation only.
#[doc(hidden)]
pub use processes::fuzz_processes;

#[cfg(target_os = "linux")]
pub(crate) use processes::named_process;

/// All processes that this user may see; none where they cannot be listed.
pub(crate) fn running_processes() -> Vec<Process> {
    processes::of_this_machine().unwrap_or_default()
}

#[cfg(test)]
mod tests;
