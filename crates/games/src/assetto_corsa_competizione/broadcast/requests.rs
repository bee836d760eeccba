//! What a client sends to the game. A malformed registration crashes the game, so these bytes are built here only and tested byte by byte.
//!
//! The protocol also has messages that change what the game shows (49 to 51). A recorder observes, so they do not exist here.

/// Version of the protocol. The game does not respond to any other.
pub(super) const VERSION: u8 = 4;

/// Kinds of messages.
const REGISTER: u8 = 1;
const UNREGISTER: u8 = 9;
const ENTRY_LIST: u8 = 10;
const TRACK_DATA: u8 = 11;

/// Longest text that is sent, in bytes. The game reads far fewer.
const MOST_TEXT_BYTES: usize = 255;

/// Returns the message that registers a read-only client, which gets messages every `interval_ms` from then on.
#[must_use]
pub fn register(display_name: &str, password: &str, interval_ms: i32) -> Vec<u8> {
    let mut message = vec![REGISTER, VERSION];
    put_text(&mut message, display_name);
    put_text(&mut message, password);
    message.extend_from_slice(&interval_ms.to_le_bytes());
    // An empty command password: the client cannot change what the game shows.
    put_text(&mut message, "");
    message
}

/// Returns the message that ends a registration.
#[must_use]
pub fn unregister(connection: i32) -> Vec<u8> {
    request(UNREGISTER, connection)
}

/// Returns the message that requests the cars and their drivers.
#[must_use]
pub fn request_entry_list(connection: i32) -> Vec<u8> {
    request(ENTRY_LIST, connection)
}

/// Returns the message that requests the track.
#[must_use]
pub fn request_track_data(connection: i32) -> Vec<u8> {
    request(TRACK_DATA, connection)
}

fn request(kind: u8, connection: i32) -> Vec<u8> {
    let mut message = vec![kind];
    message.extend_from_slice(&connection.to_le_bytes());
    message
}

/// Appends a text with its length. Cuts it at a character if it is too long, so that length and text always agree, and before a NUL, which ends texts
/// in many programs.
fn put_text(message: &mut Vec<u8>, text: &str) {
    let text = text.split('\0').next().unwrap_or_default();
    let text = text.get(..text.floor_char_boundary(MOST_TEXT_BYTES)).unwrap_or_default();
    let length = u16::try_from(text.len()).unwrap_or_default();
    message.extend_from_slice(&length.to_le_bytes());
    message.extend_from_slice(text.as_bytes());
}

/// A message of a client, as the game reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request<'a> {
    /// Registers a client.
    Register {
        /// Name of the client.
        display_name: &'a str,
        /// Password of the connection.
        password: &'a str,
        /// Time between two updates.
        interval_ms: i32,
    },
    /// Ends a registration. Some clients send no connection id.
    Unregister,
    /// Requests the cars and their drivers.
    EntryList,
    /// Requests the track.
    TrackData,
    /// A command that changes what the game shows (49 to 51).
    Command,
}

impl<'a> Request<'a> {
    /// Parses a datagram; `None` if it is not a message of a client.
    #[must_use]
    pub fn parse(datagram: &'a [u8]) -> Option<Self> {
        let mut reader = super::reader::Reader(datagram);
        let request = match reader.u8()? {
            REGISTER => {
                (reader.u8()? == VERSION).then_some(())?;
                let (display_name, password) = (reader.text()?, reader.text()?);
                let interval_ms = reader.i32()?;
                let _command_password = reader.text()?;
                Self::Register { display_name, password, interval_ms }
            }
            UNREGISTER if datagram.len() == 1 => Self::Unregister,
            kind @ (UNREGISTER | ENTRY_LIST | TRACK_DATA) => {
                reader.i32()?;
                match kind {
                    UNREGISTER => Self::Unregister,
                    ENTRY_LIST => Self::EntryList,
                    _ => Self::TrackData,
                }
            }
            49..=51 => return Some(Self::Command),
            _ => return None,
        };
        reader.end().map(|()| request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_these_bytes() {
        let registration = [&[1, 4][..], &[8, 0], b"gametape", &[3, 0], b"asd", &[0xFA, 0, 0, 0], &[0, 0]];
        assert_eq!(register("gametape", "asd", 250), registration.concat());
        assert_eq!(register("", "", -1), [1, 4, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0]);
        assert_eq!(register("a\0b", "\0", 1), register("a", "", 1));
        assert_eq!(unregister(4), [9, 4, 0, 0, 0]);
        assert_eq!(request_entry_list(0x0102_0304), [10, 4, 3, 2, 1]);
        assert_eq!(request_track_data(4), [11, 4, 0, 0, 0]);
    }

    #[test]
    fn a_text_that_is_too_long_is_cut_and_its_length_is_that_of_the_rest() {
        // Two bytes each: 255 is in the middle of one.
        let long = "é".repeat(300);
        let message = register(&long, "p", 100);
        let cut = "é".repeat(127);
        assert_eq!(
            Request::parse(&message),
            Some(Request::Register { display_name: &cut, password: "p", interval_ms: 100 })
        );
    }

    #[test]
    fn a_request_is_parsed_to_its_last_byte() {
        assert_eq!(Request::parse(&[9]), Some(Request::Unregister));
        assert_eq!(Request::parse(&unregister(1)), Some(Request::Unregister));
        assert_eq!(Request::parse(&request_entry_list(1)), Some(Request::EntryList));
        assert_eq!(Request::parse(&request_track_data(1)), Some(Request::TrackData));
        assert_eq!(Request::parse(&[50, 1, 0, 0, 0, 0, 0]), Some(Request::Command));
        let message = register("a", "b", 100);
        for length in 0..message.len() {
            assert_eq!(Request::parse(message.get(..length).unwrap()), None, "{length}");
        }
        assert_eq!(Request::parse(&[message.clone(), vec![0]].concat()), None);
        let mut other_version = message;
        other_version[1] = 3;
        assert_eq!(Request::parse(&other_version), None);
    }
}
