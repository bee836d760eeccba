//! What both sides say, whatever carries it.

use std::io::{self, Read, Write};

use super::{ControlError, RunningRecorder, line};

/// Reads a question, writes the answer. `answer` gets verb and rest.
pub(super) fn answer<S: Read + Write>(
    stream: &mut S,
    answer: &dyn Fn(&str, &str) -> Result<String, String>,
) -> io::Result<()> {
    let asked = line::read(stream)?;
    let (verb, rest) = asked.split_once(' ').unwrap_or((&asked, ""));
    match answer(verb, rest) {
        Ok(text) => line::write(stream, &format!("ok {text}")),
        Err(text) => line::write(stream, &format!("no {text}")),
    }
}

/// Asks over a new connection. Gives the answer without the `ok`.
pub(super) fn ask<S: Read + Write>(
    recorder: &RunningRecorder,
    connect: impl FnOnce() -> io::Result<S>,
    text: &str,
) -> Result<String, ControlError> {
    let asked = connect().and_then(|mut stream| {
        line::write(&mut stream, text)?;
        line::read(&mut stream)
    });
    let answer = asked.map_err(|source| ControlError::Io { address: recorder.address.clone(), source })?;
    match answer.split_once(' ') {
        Some(("ok", text)) => Ok(text.into()),
        Some(("no", why)) => Err(ControlError::Refused(why.into())),
        _ => Err(ControlError::NotUnderstood(answer)),
    }
}
