//! The rewrite engine behind `cut`, `merge` and `recover`. Until the format crate has it, each says that it is not there yet.
#![allow(dead_code, reason = "the engine will use all of it")]

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use gametape::format::TapeId;
use gametape::format::read::{Problem, Tape};
use gametape::format::write::Files;

pub(crate) struct RewriteProgress {
    pub(crate) done_frames: u64,
    pub(crate) total_frames: u64,
}

pub(crate) struct RewriteReport {
    pub(crate) bytes: u64,
    pub(crate) frames: u64,
    pub(crate) problems: Vec<Problem>,
}

#[derive(Debug)]
pub(crate) struct RewriteError(&'static str);

impl std::fmt::Display for RewriteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`gametape {}` is not there yet", self.0)
    }
}

impl std::error::Error for RewriteError {}

pub(crate) fn cut(
    _files: Arc<dyn Files>,
    _tape: &Tape,
    _times: Range<u64>,
    _out: &Path,
    _tape_id: TapeId,
    _progress: &mut dyn FnMut(RewriteProgress),
) -> Result<RewriteReport, RewriteError> {
    Err(RewriteError("cut"))
}

pub(crate) fn merge(
    _files: Arc<dyn Files>,
    _tapes: &[Tape],
    _out: &Path,
    _tape_id: TapeId,
    _progress: &mut dyn FnMut(RewriteProgress),
) -> Result<RewriteReport, RewriteError> {
    Err(RewriteError("merge"))
}

pub(crate) fn recover(
    _files: Arc<dyn Files>,
    _path: &Path,
    _out: Option<&Path>,
    _progress: &mut dyn FnMut(RewriteProgress),
) -> Result<RewriteReport, RewriteError> {
    Err(RewriteError("recover"))
}
