//! A small HTTP server on the loopback interface. Each client has a thread, keeps its connection alive, and receives the current
//! frame.
//!
//! ```text
//! GET, a path with a frame   ──▶ status and body of the frame
//! GET, a path without one    ──▶ 404, and a body with the game's error code for "no match"
//! anything else              ──▶ 404; from another site or host 403; not HTTP 400
//! ```

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::echo_vr::TAPE_HEADER;
use super::request::{self, Wants};

/// Maximum number of clients. Further connections get a 503.
const MOST_CLIENTS: usize = 64;
/// Time limit for a client to finish a request, and to accept the response.
const PATIENCE: Duration = Duration::from_secs(2);
/// Idle timeout of a connection.
const IDLE: Duration = Duration::from_secs(60);
/// Maximum delay until a stop request is noticed.
const NAP: Duration = Duration::from_millis(100);
/// Stack size of a client's thread, which needs little.
const STACK_BYTES: usize = 256 << 10;

/// The response of a path.
#[derive(Debug, Clone)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) body: Arc<[u8]>,
}

#[derive(Debug)]
struct Shared {
    paths: Vec<&'static str>,
    shown: Mutex<Vec<Option<Response>>>,
    tape: String,
    /// Body of the response of a path without a frame.
    nothing: String,
    clients: AtomicUsize,
    stop: AtomicBool,
}

/// A server that runs until it is dropped.
#[derive(Debug)]
pub(super) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves these paths on this port of the loopback address; 0 means any free port. A path without a frame is `404` with the body
    /// `nothing`.
    pub(super) fn start(port: u16, paths: Vec<&'static str>, tape: String, nothing: String) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shown = Mutex::new(vec![None; paths.len()]);
        let shared = Arc::new(Shared {
            paths,
            shown,
            tape,
            nothing,
            clients: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        });
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("gametape-http".into());
        let thread = thread.spawn(move || accept(&listener, &of_thread))?;
        Ok(Self { address, shared, thread: Some(thread) })
    }

    /// Returns the address of the server.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the response of a path, given by its index.
    pub(super) fn show(&self, path: usize, shown: Option<Response>) {
        let mut all = self.shared.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = all.get_mut(path) {
            *place = shown;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // The thread is blocked in `accept`: wake it with a connection.
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
        // For example out of file descriptors: sleep instead of spinning.
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
            // Errors of a client that disconnects are ignored.
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

/// Closes the connection gracefully: closing it with unread data would discard the response.
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
            Some(Response { status, body }) => answer(status, &body, keeps, &self.tape),
            None => answer(404, self.nothing.as_bytes(), keeps, &self.tape),
        }
    }
}

/// Builds head and body in one buffer, so that they are sent together.
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

/// Sends all bytes within the time limit.
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
