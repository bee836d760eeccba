//! One question, one answer: HTTP as the game speaks it, with limits on time and size.

use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::time::Duration;

use super::address::EchoVrAddress;

/// No answer of the game is longer: ten players with all their bones are 50 kB.
pub(super) const MOST_BYTES: u64 = 2 << 20;
const MOST_HEAD_BYTES: usize = 16 << 10;
/// Hardly anybody in the same house takes longer to take a call.
const CONNECT: Duration = Duration::from_millis(500);
/// And nobody on this machine. Windows says only much later that nobody is there.
const CONNECT_HERE: Duration = Duration::from_millis(50);
/// A port that takes a call and says nothing holds up the look at the others no longer than this.
const SCOUT: Duration = Duration::from_secs(1);
/// Said by a player of gametape: the tape that it plays.
pub(crate) const TAPE_HEADER: &str = "gametape-tape";

/// Asks over a connection that is kept.
pub(super) struct Client {
    agent: ureq::Agent,
    time_out: Duration,
    connect: Duration,
}

/// What came beside the body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// The tape that is played, if it is not the game that answers.
    pub(super) played: Option<String>,
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Nobody takes the call.
    NotThere,
    /// The time is over, and the answer is not there, or not all of it.
    TimedOut,
    /// It goes on for more than [`MOST_BYTES`].
    TooLong,
    /// The connection ended, or what came is no HTTP.
    Broken,
}

impl Client {
    /// For answers that begin within this time, and end within as much again.
    pub(super) fn new(time_out: Duration) -> Self {
        Self { agent: agent(time_out, CONNECT), time_out, connect: CONNECT }
    }

    /// One that looks who is there.
    pub(super) fn scout(address: &EchoVrAddress, time_out: Duration) -> Self {
        let connect = if address.is_this_machine() { CONNECT_HERE } else { CONNECT };
        let time_out = time_out.min(SCOUT);
        Self { agent: agent(time_out, connect), time_out, connect }
    }

    /// Asks; the body goes into the memory that is given. A connection that was kept, and that the game has left, is made anew once.
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
    // A time for all of it together would cost a thread for each question: names are looked up under it.
    let config = ureq::Agent::config_builder()
        .timeout_connect(Some(connect))
        .timeout_send_request(Some(time_out))
        .timeout_recv_response(Some(time_out))
        .timeout_recv_body(Some(time_out))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // Also not one of the environment: what the game says stays on its way.
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

/// Ids of tapes are short, and go onto other tapes.
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
