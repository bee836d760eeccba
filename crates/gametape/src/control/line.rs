//! Questions and answers as lines of bounded length.

use std::io::{self, BufRead, BufReader, Read, Write};

use super::{ControlError, RunningRecorder, line};

/// Maximum length of a line. Marks are short texts.
const LINE_BYTES: u64 = 4096;

/// Reads a line without its terminator. Fails if it is too long, truncated or not UTF-8.
pub(super) fn read(from: &mut dyn Read) -> io::Result<String> {
    let mut line = Vec::new();
    BufReader::new(from.take(LINE_BYTES)).read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the line is truncated or longer than 4096 bytes"));
    }
    String::from_utf8(line).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the line is not UTF-8"))
}

/// Writes a text as one line: line breaks become spaces, and a text that is too long is truncated.
pub(super) fn write(to: &mut dyn Write, text: &str) -> io::Result<()> {
    let mut line: String = text.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }).collect();
    let mut end = line.len().min(LINE_BYTES as usize - 1);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.truncate(end);
    line.push('\n');
    to.write_all(line.as_bytes())
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_back_as_one_line_whatever_is_in_it() {
        let mut bytes = Vec::new();
        write(&mut bytes, "mark two\nlines ä").unwrap();
        assert_eq!(read(&mut bytes.as_slice()).unwrap(), "mark two lines ä");
        let mut long = Vec::new();
        write(&mut long, &"ä".repeat(5000)).unwrap();
        assert_eq!(read(&mut long.as_slice()).unwrap().chars().count(), 2047);
    }

    #[test]
    fn lines_that_are_cut_too_long_or_no_text_are_refused() {
        for bad in [b"mark".to_vec(), vec![b'x'; 10_000], b"\xff\n".to_vec(), Vec::new()] {
            assert!(read(&mut bad.as_slice()).is_err());
        }
    }
}
