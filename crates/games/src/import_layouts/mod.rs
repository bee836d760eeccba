//! Layouts of games that are only known from files of other programs, for importing those files.
//!
//! These games have no module yet, so nothing here describes how to capture them. When a game gets a module, its tables
//! move there.
pub mod f1;
mod packed;
pub mod trackmania;
pub mod war_thunder;
