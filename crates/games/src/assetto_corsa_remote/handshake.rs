//! Requests to the game, as bytes. `requests` has the state machines of both sides.
//!
//! A client sends [`Operation::Handshake`] to [`GAME_PORT`], waits for the answer, then sends the subscriptions that it wants, all from the same
//! socket. There is no keep-alive. The game forgets its clients when a session ends: if nothing arrives any more, the client starts over.

use crate::bytes::i32_at;

/// The UDP port on which the game listens.
pub const GAME_PORT: u16 = 9996;

/// What a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Names of car, driver and track. Has to come first.
    Handshake,
    /// A message for each update of the player's car.
    SubscribeUpdate,
    /// A message for each completed lap of any car.
    SubscribeSpot,
    /// The end of all subscriptions.
    Dismiss,
}

impl Operation {
    /// Returns the operation that a datagram asks for; `None` if it is not a request.
    #[must_use]
    pub fn of_request(datagram: &[u8]) -> Option<Self> {
        if datagram.len() != request(Self::Handshake).len() {
            return None;
        }
        match i32_at(datagram, 8)? {
            0 => Some(Self::Handshake),
            1 => Some(Self::SubscribeUpdate),
            2 => Some(Self::SubscribeSpot),
            3 => Some(Self::Dismiss),
            _ => None,
        }
    }
}

/// Identifier and version of the client, which the game does not check.
const CLIENT: [i32; 2] = [1, 1];

/// Returns the datagram that asks for an operation.
#[must_use]
pub fn request(operation: Operation) -> [u8; 12] {
    let number: i32 = match operation {
        Operation::Handshake => 0,
        Operation::SubscribeUpdate => 1,
        Operation::SubscribeSpot => 2,
        Operation::Dismiss => 3,
    };
    let [identifier, version] = CLIENT.map(i32::to_le_bytes);
    let mut datagram = [0; 12];
    for (field, bytes) in datagram.as_chunks_mut::<4>().0.iter_mut().zip([identifier, version, number.to_le_bytes()]) {
        *field = bytes;
    }
    datagram
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_identifier_version_and_operation() {
        assert_eq!(request(Operation::Handshake), [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(request(Operation::SubscribeUpdate)[8..], [1, 0, 0, 0]);
        assert_eq!(request(Operation::SubscribeSpot)[8..], [2, 0, 0, 0]);
        assert_eq!(request(Operation::Dismiss)[8..], [3, 0, 0, 0]);
    }

    #[test]
    fn requests_are_read_back_and_nothing_else_is() {
        use Operation::{Dismiss, Handshake, SubscribeSpot, SubscribeUpdate};
        for operation in [Handshake, SubscribeUpdate, SubscribeSpot, Dismiss] {
            let datagram = request(operation);
            assert_eq!(Operation::of_request(&datagram), Some(operation));
            assert_eq!(Operation::of_request(&datagram[..11]), None);
            assert_eq!(Operation::of_request(&[&datagram[..], &[0]].concat()), None);
        }
        assert_eq!(Operation::of_request(&[1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0]), None);
        assert_eq!(Operation::of_request(&[]), None);
    }
}
