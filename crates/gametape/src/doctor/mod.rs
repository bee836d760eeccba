//! Diagnoses why no game is found, and what to do about it.
//!
//! [`Facts::collect`] examines the machine: processes, sections of shared memory, the tapes folder. `diagnose` turns facts into
//! [`Finding`]s without side effects, so every case can be constructed in tests. Output and exit codes belong to the caller.
//!
//! ```text
//! Examination ──collect──▶ Facts ──diagnose──▶ Diagnosis { findings, ready }
//!                          processes · sections · memory in Wine · two reads of each game's memory · UDP ports ·
//!                          recorders · player · tapes folder · timer
//! ```
//! The facts about games come from their [`transport`](crate::transport), and thus from the sources that record them; the doctor has no
//! rules of its own for frames. Other systems than Linux differ only in how processes and sections are looked up.
mod advice;
mod diagnose;
#[cfg(feature = "echo")]
mod echo_vr;
mod facts;
mod finding;
mod folder;
mod judge_folder;
mod judge_memory;
#[cfg(feature = "watch")]
mod judge_replays;
mod judge_sections;
mod judge_udp;
mod judge_wine;
mod setting;
mod users;

pub use crate::sys::Process;
pub use diagnose::diagnose;
pub use facts::{Examination, Facts, RecorderFacts, System};
pub use finding::{Diagnosis, Finding, Level, Subject};
pub use folder::TapesFolder;
#[cfg(feature = "watch")]
pub use judge_replays::replay_folders;
pub use setting::{Origin, Setting};
pub use users::Users;

#[cfg(feature = "echo")]
pub use crate::transport::http::EchoVrFacts;
pub use crate::transport::shared_memory::facts::{Look, Memory};
pub use crate::transport::shared_memory::section_facts::{Section, SectionFound};
pub use crate::transport::shared_memory::wine::facts::WineFacts;
pub use crate::transport::udp::GameSettings;
pub use crate::transport::udp::facts::{Arrivals, PortFacts, PortState, RequestFileFacts, UdpFacts};

/// Runs the parsers of external bytes. For fuzz targets and mutation tests only.
#[doc(hidden)]
pub use crate::sys::fuzz_processes;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_udp;
