//! The commands: one file each, with its arguments and its `run`.

pub(crate) mod cat;
pub(crate) mod completions;
pub(crate) mod cut;
pub(crate) mod demo;
pub(crate) mod doctor;
mod doctor_report;
pub(crate) mod games;
pub(crate) mod import;
pub(crate) mod info;
mod info_report;
pub(crate) mod man;
pub(crate) mod mark;
pub(crate) mod merge;
pub(crate) mod play;
mod play_keys;
pub(crate) mod play_process;
mod problem_report;
pub(crate) mod record;
pub(crate) mod recover;
mod rewriting;
pub(crate) mod save;
pub(crate) mod serve;
pub(crate) mod token;
pub(crate) mod verify;
pub(crate) mod watch;
mod watch_report;
