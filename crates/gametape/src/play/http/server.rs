//! A small HTTP server on this machine: each client has a thread, keeps its connection, and gets what is shown at that moment.
//!
//! ```text
//! GET, a path that is shown  ──▶ status and body that were shown
//! GET, one that is not       ──▶ 404, and a body with the game's number for "no match"
//! anything else              ──▶ 404; of another site or machine 403; no HTTP 400
//! ```

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::request::{self, Wants};
use crate::capture::TAPE_HEADER;
use crate::games::echo_vr::IN_LOBBY;

/// Clients at once; who comes then is sent away.
const MOST_CLIENTS: usize = 64;
/// Who begins a request ends it, and takes its answer, within this time.
const PATIENCE: Duration = Duration::from_secs(2);
/// A connection over which nobody asks is kept this long.
const IDLE: Duration = Duration::from_secs(60);
/// The wish to stop is seen this soon.
const NAP: Duration = Duration::from_millis(100);
/// A client's thread needs little.
const STACK_BYTES: usize = 256 << 10;

/// What is answered at a path.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) status: u16,
    pub(super) body: Arc<[u8]>,
}

#[derive(Debug)]
struct Shared {
    paths: Vec<&'static str>,
    shown: Mutex<Vec<Option<Shown>>>,
    tape: String,
    clients: AtomicUsize,
    stop: AtomicBool,
}

/// Answers until it is dropped.
#[derive(Debug)]
pub(super) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers at these paths, on this port of the loopback address; 0 is any free one.
    pub(super) fn start(port: u16, paths: Vec<&'static str>, tape: String) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shown = Mutex::new(vec![None; paths.len()]);
        let shared =
            Arc::new(Shared { paths, shown, tape, clients: AtomicUsize::new(0), stop: AtomicBool::new(false) });
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("gametape-http".into());
        let thread = thread.spawn(move || accept(&listener, &of_thread))?;
        Ok(Self { address, shared, thread: Some(thread) })
    }

    /// Where it answers.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers this at a path, by its number, from now on.
    pub(super) fn show(&self, path: usize, shown: Option<Shown>) {
        let mut all = self.shared.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = all.get_mut(path) {
            *place = shown;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // The thread waits for a client: here is one.
        if TcpStream::connect_timeout(&self.address, PATIENCE).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    for client in listener.incoming() {
        if shared.stop.load(Ordering::Relaxed) {
            break;
        }
        threads.retain(|thread| !thread.is_finished());
        // Out of file handles, for example: not a reason to spin.
        let Ok(client) = client else {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        if shared.clients.load(Ordering::Relaxed) >= MOST_CLIENTS {
            let _ = send(&client, &answer(503, &[], false, &shared.tape));
            continue;
        }
        shared.clients.fetch_add(1, Ordering::Relaxed);
        let of_thread = Arc::clone(shared);
        let thread = std::thread::Builder::new().name("gametape-client".into()).stack_size(STACK_BYTES);
        let serve = move || {
            // A client that goes away in the middle is its own matter.
            let _ = serve(&client, &of_thread);
            of_thread.clients.fetch_sub(1, Ordering::Relaxed);
        };
        match thread.spawn(serve) {
            Ok(thread) => threads.push(thread),
            Err(_) => drop(shared.clients.fetch_sub(1, Ordering::Relaxed)),
        }
    }
    threads.into_iter().for_each(|thread| drop(thread.join()));
}

fn serve(client: &TcpStream, shared: &Shared) -> io::Result<()> {
    client.set_nodelay(true)?;
    client.set_read_timeout(Some(NAP))?;
    let mut reader = client;
    let (mut bytes, mut piece) = (Vec::new(), [0; 2048]);
    let mut since = Instant::now();
    while !shared.stop.load(Ordering::Relaxed) {
        match request::read(&bytes) {
            request::Read::Partial if bytes.len() < request::MOST_BYTES => {}
            request::Read::Partial | request::Read::Nonsense => {
                send(client, &answer(400, &[], false, &shared.tape))?;
                return hang_up(client);
            }
            request::Read::Whole { bytes: length, wants, keeps } => {
                send(client, &shared.answer(&wants, keeps))?;
                if !keeps {
                    return hang_up(client);
                }
                bytes.drain(..length);
                since = Instant::now();
                continue;
            }
        }
        let longest = if bytes.is_empty() { IDLE } else { PATIENCE };
        if since.elapsed() >= longest {
            return Ok(());
        }
        match reader.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                if bytes.is_empty() {
                    since = Instant::now();
                }
                bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
            }
            Err(error) if is_nap(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Lets the client read to the end: one that has said more than was read would lose the answer with the connection.
fn hang_up(mut client: &TcpStream) -> io::Result<()> {
    client.shutdown(Shutdown::Write)?;
    let (end, mut rest) = (Instant::now() + PATIENCE, [0; 4096]);
    while Instant::now() < end && client.read(&mut rest)? > 0 {}
    Ok(())
}

fn is_nap(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

impl Shared {
    fn answer(&self, wants: &Wants<'_>, keeps: bool) -> Vec<u8> {
        let number = match wants {
            Wants::Get(path) => self.paths.iter().position(|known| known == path),
            Wants::Other => None,
            Wants::Foreign => return answer(403, &[], keeps, &self.tape),
        };
        let Some(number) = number else { return answer(404, &[], keeps, &self.tape) };
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner).get(number).cloned().flatten();
        match shown {
            Some(Shown { status, body }) => answer(status, &body, keeps, &self.tape),
            None => {
                let body = format!("{{\"err_code\":{IN_LOBBY},\"err_description\":\"no match is shown\"}}");
                answer(404, body.as_bytes(), keeps, &self.tape)
            }
        }
    }
}

/// Head and body in one piece, so that they go in one go.
fn answer(status: u16, body: &[u8], keeps: bool, tape: &str) -> Vec<u8> {
    let words = match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        500 => "Internal Server Error",
        _ => "Service Unavailable",
    };
    let connection = if keeps { "keep-alive" } else { "close" };
    let mut bytes = format!(
        "HTTP/1.1 {status} {words}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: {connection}\r\n\
         {TAPE_HEADER}: {tape}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Sends all of it within the time that a client has.
fn send(mut client: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    let end = Instant::now() + PATIENCE;
    let mut rest = bytes;
    while !rest.is_empty() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        client.set_write_timeout(Some(left))?;
        match client.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
