//! iRacing's shared memory: rotating row buffers, tick counts, variable headers and session text, written in the same order as by
//! the game.
//!
//! `linker` finds the tick of each row, `plan` computes the memory layout, `memory` writes it.
mod linker;
mod memory;
mod plan;

pub(super) use linker::Linker;
pub(super) use memory::IracingStage;
#[doc(hidden)]
pub use plan::fuzz_tape_header;
