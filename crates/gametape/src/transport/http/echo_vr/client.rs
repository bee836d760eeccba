//! An HTTP client for the game's API, with limits on time and size.

use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::time::Duration;

use super::address::EchoVrAddress;

/// Maximum size of a response body. Ten players with all their bones are 50 kB.
pub(super) const MOST_BYTES: u64 = 2 << 20;
const MOST_HEAD_BYTES: usize = 16 << 10;
/// Connect timeout on the local network.
const CONNECT: Duration = Duration::from_millis(500);
/// Connect timeout on this machine. Windows reports a refused connection only much later.
const CONNECT_HERE: Duration = Duration::from_millis(50);
/// Timeout of a port scan. A port that accepts connections but does not respond must not delay the other ports longer.
const SCOUT: Duration = Duration::from_secs(1);
/// Response header of a gametape player: the id of the tape that it plays.
pub(crate) const TAPE_HEADER: &str = "gametape-tape";

/// An HTTP client that keeps its connection alive.
pub(super) struct Client {
    agent: ureq::Agent,
    time_out: Duration,
    connect: Duration,
}

/// Status and headers of a response.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// Id of the tape that is being played, if a player responds instead of the game.
    pub(super) played: Option<String>,
}

/// Why a request failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The connection was refused, or the host is unreachable.
    NotThere,
    /// The timeout expired before the response was complete.
    TimedOut,
    /// The response is longer than [`MOST_BYTES`].
    TooLong,
    /// The connection ended, or the response is not HTTP.
    Broken,
}

impl Client {
    /// Creates a client for responses that start within `time_out`, and end within `time_out` after that.
    pub(super) fn new(time_out: Duration) -> Self {
        Self { agent: agent(time_out, CONNECT), time_out, connect: CONNECT }
    }

    /// Creates a client for port scans, with shorter timeouts.
    pub(super) fn scout(address: &EchoVrAddress, time_out: Duration) -> Self {
        let connect = if address.is_this_machine() { CONNECT_HERE } else { CONNECT };
        let time_out = time_out.min(SCOUT);
        Self { agent: agent(time_out, connect), time_out, connect }
    }

    /// Sends a GET request and reads the body into the given buffer. If a kept-alive connection was closed by the game, reconnects
    /// and retries once.
    pub(super) fn get(&mut self, place: SocketAddr, path: &str, body: &mut Vec<u8>) -> Result<Reply, Failure> {
        let url = format!("http://{place}{path}");
        let first = ask(&self.agent, &url, body);
        if first != Err(Failure::Broken) {
            return first;
        }
        self.agent = agent(self.time_out, self.connect);
        ask(&self.agent, &url, body)
    }
}

fn agent(time_out: Duration, connect: Duration) -> ureq::Agent {
    // A global timeout would cost a thread for each request, because `ureq` resolves names under it.
    let config = ureq::Agent::config_builder()
        .timeout_connect(Some(connect))
        .timeout_send_request(Some(time_out))
        .timeout_recv_response(Some(time_out))
        .timeout_recv_body(Some(time_out))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // Ignore proxies from the environment too: traffic with the game stays direct.
        .proxy(None)
        .max_idle_connections(1)
        .max_idle_connections_per_host(1)
        .max_response_header_size(MOST_HEAD_BYTES)
        .user_agent(concat!("gametape/", env!("CARGO_PKG_VERSION")))
        .accept("application/json")
        .build();
    ureq::Agent::new_with_config(config)
}

fn ask(agent: &ureq::Agent, url: &str, body: &mut Vec<u8>) -> Result<Reply, Failure> {
    body.clear();
    let response = agent.get(url).call().map_err(|error| failure(&error))?;
    let status = response.status().as_u16();
    let played = response.headers().get(TAPE_HEADER).and_then(|tape| tape.to_str().ok()).filter(|tape| is_id(tape));
    let played = played.map(str::to_owned);
    let mut reader = response.into_body().into_with_config().limit(MOST_BYTES).reader();
    reader.read_to_end(body).map_err(|error| io_failure(&error))?;
    Ok(Reply { status, played })
}

/// Validates a tape id from a header. Ids are short and are stored in other tapes.
fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn failure(error: &ureq::Error) -> Failure {
    match error {
        ureq::Error::Timeout(ureq::Timeout::Connect) | ureq::Error::ConnectionFailed | ureq::Error::HostNotFound => {
            Failure::NotThere
        }
        ureq::Error::Timeout(_) => Failure::TimedOut,
        ureq::Error::BodyExceedsLimit(_) => Failure::TooLong,
        ureq::Error::Io(error) => io_failure(error),
        _ => Failure::Broken,
    }
}

fn io_failure(error: &io::Error) -> Failure {
    if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>()) {
        return failure(inner);
    }
    match error.kind() {
        io::ErrorKind::ConnectionRefused | io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            Failure::NotThere
        }
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Failure::TimedOut,
        _ => Failure::Broken,
    }
}
