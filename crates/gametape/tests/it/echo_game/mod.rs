//! A mock Echo VR server: responds over HTTP according to a script, in every way a server may, and records what it has served.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic)]
use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use gametape::capture::{EchoVrAddress, EchoVrSource, RecorderEvent, TapeSummary};
use gametape::format::read::Tape;

/// How the game handles a request.
#[derive(Debug, Clone)]
pub enum Act {
    /// Responds with a `Content-Length`.
    Answer(Vec<u8>),
    /// Responds with chunked encoding.
    Chunked(Vec<u8>),
    /// Responds without a length; closing the connection ends the response.
    UntilClose(Vec<u8>),
    /// Responds with another status.
    Status(u16, &'static str),
    /// Closes the connection without a response.
    HangUp,
    /// Sends less than the announced length and closes the connection.
    Half(Vec<u8>),
    /// Sends nothing until the client gives up.
    Stall,
    /// Sends one byte at a time until the client gives up.
    Drip(Vec<u8>),
}

#[derive(Default)]
struct Script {
    acts: VecDeque<Act>,
    /// Handles requests after the last act.
    then: Option<Box<dyn FnMut(u64) -> Act + Send>>,
    served: Vec<Vec<u8>>,
    bones: Vec<Vec<u8>>,
    no_bones: bool,
    questions: u64,
}

struct Shared {
    script: Mutex<Script>,
    changed: Condvar,
    stop: AtomicBool,
    connections: AtomicU64,
}

/// A running game.
pub struct EchoGame {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    clients: Arc<Mutex<Vec<TcpStream>>>,
}

impl EchoGame {
    /// Starts on a free port, in the menus.
    pub fn start() -> Self {
        Self::start_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap())
    }

    pub fn start_on(listener: TcpListener) -> Self {
        let address = listener.local_addr().unwrap();
        let script = Script { then: Some(Box::new(|_| Act::Status(404, "{\"err_code\":-6}"))), ..Script::default() };
        let shared = Arc::new(Shared {
            script: Mutex::new(script),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            connections: AtomicU64::new(0),
        });
        let clients = Arc::new(Mutex::new(Vec::new()));
        let (of_thread, list) = (Arc::clone(&shared), Arc::clone(&clients));
        let thread = std::thread::spawn(move || {
            for client in listener.incoming() {
                if of_thread.stop.load(Ordering::Relaxed) {
                    return;
                }
                let client = client.unwrap();
                of_thread.connections.fetch_add(1, Ordering::Relaxed);
                list.lock().unwrap().push(client.try_clone().unwrap());
                let shared = Arc::clone(&of_thread);
                std::thread::spawn(move || serve(client, &shared));
            }
        });
        Self { address, shared, thread: Some(thread), clients }
    }

    /// Performs these acts, then returns to the menus.
    pub fn script(&self, acts: Vec<Act>) {
        self.shared.script.lock().unwrap().acts = acts.into();
    }

    /// Handles every request from now on with this closure, which gets the number of the request.
    pub fn always(&self, then: impl FnMut(u64) -> Act + Send + 'static) {
        let mut script = self.shared.script.lock().unwrap();
        script.acts.clear();
        script.then = Some(Box::new(then));
    }

    /// Stops serving bones.
    pub fn no_bones(&self) {
        self.shared.script.lock().unwrap().no_bones = true;
    }

    /// Goes to the menus.
    pub fn menus(&self) {
        self.always(|_| Act::Status(404, "{\"err_code\":-6}"));
    }

    /// Waits until this many match responses have been served in total.
    pub fn wait_served(&self, count: usize) {
        let script = self.shared.script.lock().unwrap();
        let limit = Duration::from_secs(60);
        let few = |script: &mut Script| script.served.len() < count;
        assert!(!self.shared.changed.wait_timeout_while(script, limit, few).unwrap().1.timed_out(), "nobody asks");
    }

    /// Waits until all acts are done.
    pub fn wait_done(&self) {
        let script = self.shared.script.lock().unwrap();
        let limit = Duration::from_secs(60);
        let left = |script: &mut Script| !script.acts.is_empty();
        assert!(!self.shared.changed.wait_timeout_while(script, limit, left).unwrap().1.timed_out(), "nobody asks");
    }

    /// Returns the match responses that were served completely.
    pub fn served(&self) -> Vec<Vec<u8>> {
        self.shared.script.lock().unwrap().served.clone()
    }

    /// Returns the bones responses that were served.
    pub fn bones(&self) -> Vec<Vec<u8>> {
        self.shared.script.lock().unwrap().bones.clone()
    }

    /// Returns the number of connections.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// Ends like a crashing game. Returns what it had served.
    pub fn crash(mut self) -> Vec<Vec<u8>> {
        self.end();
        self.served()
    }

    fn end(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        for client in self.clients.lock().unwrap().drain(..) {
            let _ = client.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for EchoGame {
    fn drop(&mut self) {
        self.end();
    }
}

fn serve(mut client: TcpStream, shared: &Shared) {
    let mut reader = BufReader::new(client.try_clone().unwrap());
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let act = if head.starts_with("GET /player_bones ") {
            let mut script = shared.script.lock().unwrap();
            let body = bones_body(script.bones.len() as u64);
            match script.no_bones {
                true => Act::Status(404, ""),
                false => {
                    script.bones.push(body.clone());
                    Act::Answer(body)
                }
            }
        } else {
            let mut script = shared.script.lock().unwrap();
            script.questions += 1;
            let number = script.questions;
            match script.acts.pop_front() {
                Some(act) => act,
                None => script.then.as_mut().unwrap()(number),
            }
        };
        let is_session = head.starts_with("GET /session ");
        let done = act_on(&act, &mut client, &mut reader);
        let mut script = shared.script.lock().unwrap();
        if let (true, true, Act::Answer(body) | Act::Chunked(body) | Act::UntilClose(body)) = (is_session, done, act)
            && body.starts_with(b"{\"sessionid\"")
        {
            script.served.push(body);
        }
        drop(script);
        shared.changed.notify_all();
        if !done {
            let _ = client.shutdown(Shutdown::Both);
            return;
        }
    }
}

/// Returns `false` if the connection is closed or the response was incomplete.
fn act_on(act: &Act, client: &mut TcpStream, reader: &mut BufReader<TcpStream>) -> bool {
    let with_length = |status: &str, body: &[u8]| {
        let head =
            format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    };
    let send = |client: &mut TcpStream, bytes: &[u8]| client.write_all(bytes).is_ok();
    match act {
        Act::Answer(body) => send(client, &with_length("200 OK", body)),
        Act::Status(status, body) => send(client, &with_length(&format!("{status} Other"), body.as_bytes())),
        Act::Chunked(body) => {
            let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            for piece in body.chunks(700) {
                bytes.extend(format!("{:x}\r\n", piece.len()).as_bytes());
                bytes.extend(piece);
                bytes.extend(b"\r\n");
            }
            bytes.extend(b"0\r\n\r\n");
            send(client, &bytes)
        }
        Act::UntilClose(body) => {
            let sent = send(client, &[b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", &body[..]].concat());
            let _ = client.shutdown(Shutdown::Write);
            sent
        }
        Act::HangUp => false,
        Act::Half(body) => {
            let whole = with_length("200 OK", body);
            send(client, &whole[..whole.len() - body.len() / 2]);
            false
        }
        Act::Stall => {
            let _ = reader.read(&mut [0; 1]);
            false
        }
        Act::Drip(body) => {
            let whole = with_length("200 OK", body);
            for byte in &whole {
                if client.write_all(&[*byte]).is_err() {
                    return false;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            true
        }
    }
}

fn bones_body(number: u64) -> Vec<u8> {
    format!("{{\"user_bones\":[{{\"bone_t\":[0.25,1.5],\"playerid\":{number}}}],\"err_code\":0}}").into_bytes()
}

/// A match response with a number in it.
pub fn answer(id: &str, number: u64) -> Vec<u8> {
    let text = format!(
        "{{\"sessionid\":\"{id}\",\"map_name\":\"mpl_arena_a\",\"match_type\":\"Echo_Arena\",\"client_name\":\"Player 1\",\
         \"number\":{number},\"odd\" : 1.50e-5,\"teams\":[{{\"players\":[]}},{{}},{{}}]}}\r\n"
    );
    text.into_bytes()
}

/// A source that polls this game, and looks for it, at short intervals.
pub fn source(address: SocketAddr) -> EchoVrSource {
    EchoVrSource::new(EchoVrAddress::from(address), 200)
        .look_every(Duration::from_millis(20))
        .time_out(Duration::from_millis(400))
}

/// All frames of a stream.
pub fn frames(tape: &Tape, stream: &str) -> Vec<Vec<u8>> {
    let mut frames = tape.frames(tape.stream_named(stream).unwrap());
    let mut found = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        found.push(frame.data.to_vec());
    }
    found
}

/// Asserts that both have the same responses in the same order. Shows only the first difference, because responses are long.
#[track_caller]
pub fn assert_same(found: &[Vec<u8>], expected: &[Vec<u8>]) {
    let differs = found.iter().zip(expected).position(|(found, expected)| found != expected);
    if let Some(at) = differs {
        let text = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
        panic!("answer {at} differs: {} and not {}", text(&found[at]), text(&expected[at]));
    }
    assert_eq!(found.len(), expected.len(), "all are there");
}

/// Returns the tapes that were closed.
pub fn closed(told: &[RecorderEvent]) -> Vec<(PathBuf, &'static str)> {
    let closed = told.iter().filter_map(|told| match told {
        RecorderEvent::Closed(TapeSummary { path, end: reason, .. }) => Some((path.clone(), reason.as_str())),
        _ => None,
    });
    closed.collect()
}

pub fn open(path: &Path) -> Tape {
    let tape = Tape::open(path).unwrap();
    assert!(tape.problems().is_empty() && tape.is_complete(), "{:?}", tape.problems());
    tape
}
