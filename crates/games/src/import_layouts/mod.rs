//! Layouts of games that are known from files of other programs only: for importing those.
//!
//! These games have no folder yet, so nothing here says how to capture them. When one gets a folder, its tables move there.
pub mod f1;
mod packed;
pub mod trackmania;
pub mod war_thunder;
