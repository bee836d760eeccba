//! iRacing's memory: rotating rows, tick counts, variable headers and session text, written in the order in which the game does.
//!
//! `linker` finds out which tick a row of the tape was, `plan` where things are in the memory, `memory` writes it.
mod linker;
mod memory;
mod plan;

pub(super) use linker::Linker;
pub(super) use memory::IracingStage;
#[doc(hidden)]
pub use plan::fuzz_tape_header;
