//! Games that send datagrams only to clients that ask for them.
//!
//! ```text
//! record   RequestClient ──requests──▶ game ──datagrams──▶ recorder, which passes them to RequestClient::received
//! play     client ──requests──▶ RequestServer ──answers──▶ client; each frame that is played: RequestServer::delivery, for each client
//! ```
//! A game with such a protocol returns it from [`Rules::requests`](crate::Rules::requests). Everything here is pure: no socket and no clock. The
//! transport sends and receives, keeps the table of clients, and passes times in as nanoseconds of a clock that never goes back.
use std::fmt::Debug;

/// How a client asks a game for its datagrams, and how the game answers.
pub trait RequestProtocol: Debug + Sync {
    /// Returns the UDP port on which the game listens for requests by default.
    fn game_port(&self) -> u16;

    /// Returns the port that requests have to be sent from, because the game sends its datagrams there; `None` if it sends them to the port that
    /// a request came from.
    fn client_port(&self) -> Option<u16> {
        None
    }

    /// Returns whether the shared memory of the same game has the same values and more. Such a game is only asked on this machine if the user
    /// names it; otherwise each session would be recorded twice.
    fn is_in_shared_memory(&self) -> bool {
        false
    }

    /// Returns the file in which the user of the game configures its requests; `None` if there is nothing to configure.
    fn file(&self) -> Option<RequestFile> {
        None
    }

    /// Returns whether the game sends the frames of a stream as answers only. They do not show that a car is driven, and a player sends them
    /// when a client asks, not when they are due.
    fn is_answer(&self, _stream: &str) -> bool {
        false
    }

    /// Returns a client with these settings; `None` if the game cannot be asked with them.
    fn client(&self, settings: &RequestSettings) -> Option<Box<dyn RequestClient>>;

    /// Returns the game's side, for playback.
    fn server(&self) -> Box<dyn RequestServer>;
}

/// A JSON file of a game that says on which port it listens for requests. Without the file, or with port 0, it does not listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestFile {
    /// The Steam app id of the game, which names its Proton prefix.
    pub steam_app: u32,
    /// Path below the user's documents, with `/` as the separator.
    pub below_documents: &'static str,
    /// Key of the port.
    pub port_key: &'static str,
    /// Key of the password.
    pub password_key: &'static str,
}

/// What a client needs besides the address of the game. Most games need nothing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RequestSettings {
    /// Password for a connection; `None` if it is not known.
    pub password: Option<String>,
    /// Wanted milliseconds from one update to the next; `None` for the default of the protocol.
    pub interval_ms: Option<u32>,
}

/// Without the password: settings are printed in messages and logs.
impl Debug for RequestSettings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let password = self.password.as_ref().map(|_| "(not shown)");
        let Self { interval_ms, .. } = self;
        formatter
            .debug_struct("RequestSettings")
            .field("password", &password)
            .field("interval_ms", interval_ms)
            .finish()
    }
}

/// Asks one game for its datagrams, for as long as it exists: a game that is silent is asked again and again, at a low rate.
pub trait RequestClient: Debug + Send {
    /// Appends the datagrams that are to be sent to the game now. Returns when it wants to be called again; calls in between are allowed and
    /// append nothing that is not due.
    fn requests(&mut self, now_ns: u64, out: &mut Vec<Vec<u8>>) -> u64;

    /// Notes a datagram of the game: its stream, and what is recorded of it. Returns whether there is something to send at once, so that
    /// [`requests`](Self::requests) has to be called. Called for every datagram, so it must not allocate in general.
    fn received(&mut self, now_ns: u64, stream: &str, frame: &[u8]) -> bool;

    /// Appends the datagrams that end the subscription.
    fn end(&mut self, out: &mut Vec<Vec<u8>>);
}

/// The game's side of the protocol, for a player: answers requests, and decides which client gets which frame. Keeps a bounded amount of memory.
pub trait RequestServer: Debug + Send {
    /// Notes a frame that is played, for later answers. Before playback begins, it gets the frames of all streams of answers up to the first
    /// seconds that are played.
    fn note(&mut self, stream: &str, frame: &[u8]);

    /// Handles a datagram of a client, and appends the datagrams that answer it. Returns `false` if it is not a request: then nothing is answered
    /// and `client` is unchanged.
    fn request(&mut self, now_ns: u64, client: &mut Subscriber, request: &[u8], answers: &mut Vec<Vec<u8>>) -> bool;

    /// Decides what a client gets of a frame that is played. Appends it to `datagram`, which is empty, for [`Delivery::Changed`].
    fn delivery(&self, client: &mut Subscriber, stream: &str, frame: &[u8], datagram: &mut Vec<u8>) -> Delivery;
}

/// A client of a player. The transport creates it with the first datagram of an address and removes it when `until_ns` is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscriber {
    /// Distinguishes the clients of a player: 1 for the first one, never used again.
    pub id: i32,
    /// What the client asked for, in bits that the game's protocol defines. 0 if it has no subscription.
    pub wants: u32,
    /// Another number for the protocol's own use, 0 at first.
    pub note: u32,
    /// When the client is forgotten unless it asks again. A time that is over removes it at once; `u64::MAX` never does.
    pub until_ns: u64,
}

impl Subscriber {
    /// Returns a client without a subscription. It is removed unless a request changes that.
    #[must_use]
    pub const fn new(id: i32) -> Self {
        Self { id, wants: 0, note: 0, until_ns: 0 }
    }
}

/// What a client gets of a frame that is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Nothing.
    None,
    /// The datagram as it was recorded.
    Recorded,
    /// Another datagram, made of the frame.
    Changed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_printed() {
        let settings = RequestSettings { password: Some("secret".into()), interval_ms: Some(100) };
        let client = crate::acc::GAME.rules.requests().unwrap().client(&settings).unwrap();
        for printed in [format!("{settings:?}"), format!("{client:?}")] {
            assert!(!printed.contains("secret") && !printed.contains("115, 101, 99, 114"), "{printed}");
        }
        assert!(format!("{settings:?}").contains("not shown") && format!("{client:?}").contains("connection"));
    }
}
