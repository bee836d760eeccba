//! The request-response protocol, independent of the transport.

use std::io::{self, Read, Write};

use super::{ControlError, RunningRecorder, line};

/// Reads a request and writes the response. `answer` gets the verb and the argument.
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

/// Sends a request over a new connection. Returns the response without `ok`.
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
