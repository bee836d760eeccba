//! An incremental parser for Server-Sent Events. Does no I/O and buffers at most one event.
//!
//! ```text
//! event: car\n data: {…}\n \n          a line that begins with `:` is a keep-alive comment
//! ```

/// The largest event in bytes; a longer one is an error.
const LONGEST: usize = 256 << 10;

/// A parsed event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) kind: String,
    pub(super) data: String,
}

/// The parser.
#[derive(Debug, Default)]
pub(super) struct Parser {
    line: Vec<u8>,
    kind: String,
    data: String,
}

impl Parser {
    /// Returns the events that these bytes complete, or an error if one is too long.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, String> {
        let mut events = Vec::new();
        for byte in bytes {
            if *byte != b'\n' {
                self.line.push(*byte);
            } else {
                let line = std::mem::take(&mut self.line);
                let line = String::from_utf8_lossy(&line);
                events.extend(self.take_line(line.trim_end_matches('\r')));
            }
            if self.line.len() + self.data.len() + self.kind.len() > LONGEST {
                return Err("an event of the live stream is too long".to_owned());
            }
        }
        Ok(events)
    }

    fn take_line(&mut self, line: &str) -> Option<Event> {
        if line.is_empty() {
            let (kind, data) = (std::mem::take(&mut self.kind), std::mem::take(&mut self.data));
            return (!data.is_empty()).then_some(Event { kind, data });
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => self.kind = value.to_owned(),
            "data" => {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &[u8] =
        b": nothing new\n\nid: 3\nevent: lap_final\ndata: {\"a\":1}\n\nevent: car\r\ndata: x\r\ndata: y\r\n\r\n";

    fn events(pieces: &[&[u8]]) -> Vec<Event> {
        let mut parser = Parser::default();
        pieces.iter().flat_map(|piece| parser.push(piece).unwrap()).collect()
    }

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        let whole = events(&[STREAM]);
        let event = |kind: &str, data: &str| Event { kind: kind.into(), data: data.into() };
        assert_eq!(whole, [event("lap_final", "{\"a\":1}"), event("car", "x\ny")]);
        for at in 0..STREAM.len() {
            let (one, other) = STREAM.split_at(at);
            assert_eq!(events(&[one, other]), whole, "cut at {at}");
        }
    }

    #[test]
    fn an_event_without_end_is_an_error_and_takes_no_memory() {
        let mut parser = Parser::default();
        let endless = vec![b'x'; LONGEST + 1];
        assert!(parser.push(&endless).is_err());
        let mut parser = Parser::default();
        let mut all = Ok(Vec::new());
        for _ in 0..LONGEST {
            all = parser.push(b"data: xx\n");
            if all.is_err() {
                break;
            }
        }
        assert!(all.is_err() && parser.data.len() <= LONGEST + 8);
    }

    #[test]
    fn flipped_bytes_do_no_harm() {
        for at in 0..STREAM.len() {
            for flip in [0x01, 0x20, 0x80, 0xff] {
                let mut bytes = STREAM.to_vec();
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= flip;
                }
                assert!(events(&[&bytes]).len() <= 3);
            }
        }
    }
}
