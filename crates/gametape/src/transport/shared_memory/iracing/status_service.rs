//! The service that iRacing's clients query to find out whether the game is running: HTTP on port 32034 of the loopback interface.
//!
//! ```text
//! GET /get_sim_status?object=simStatus  ──▶  200, running:1
//! anything else                         ──▶  404
//! ```
//! Of the real service's response, only `running:1` is known. Clients search for this string.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The port that clients query.
pub const STATUS_PORT: u16 = 32034;

/// Time limit of a request.
const PATIENCE: Duration = Duration::from_millis(500);
/// Maximum size of a request.
const MOST_BYTES: usize = 8 << 10;

/// A service that runs until it is dropped.
#[derive(Debug)]
pub(super) struct StatusService {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl StatusService {
    /// Listens on this port of the loopback address; 0 means any free port.
    pub(super) fn start(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let wanted = Arc::clone(&stop);
        let serve = move || {
            for client in listener.incoming() {
                if wanted.load(Ordering::Relaxed) {
                    return;
                }
                match client {
                    // Errors of a client that disconnects are ignored.
                    Ok(client) => drop(answer(client)),
                    // For example out of file descriptors: sleep instead of spinning.
                    Err(_) => std::thread::sleep(Duration::from_millis(20)),
                }
            }
        };
        let thread = std::thread::Builder::new().name("gametape-status".into()).spawn(serve)?;
        Ok(Self { address, stop, thread: Some(thread) })
    }

    /// Returns the address of the service.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for StatusService {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // The thread is blocked in `accept`: wake it with a connection.
        if TcpStream::connect_timeout(&self.address, PATIENCE).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn answer(mut client: TcpStream) -> io::Result<()> {
    client.set_write_timeout(Some(PATIENCE))?;
    let (mut request, mut piece) = (Vec::new(), [0; 1024]);
    let end = Instant::now() + PATIENCE;
    while !is_whole(&request) && request.len() < MOST_BYTES {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        client.set_read_timeout(Some(left))?;
        match client.read(&mut piece)? {
            0 => break,
            count => request.extend_from_slice(piece.get(..count).unwrap_or_default()),
        }
    }
    let (status, body) = if asks_for_status(&request) { ("200 OK", "running:1\r\n") } else { ("404 Not Found", "") };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    client.write_all(head.as_bytes())?;
    client.write_all(body.as_bytes())
}

fn is_whole(request: &[u8]) -> bool {
    request.windows(4).any(|end| end == b"\r\n\r\n")
}

/// Returns whether the request line asks for the state of the game. The target may contain a host, as with a proxy.
fn asks_for_status(request: &[u8]) -> bool {
    let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let mut words = line.split(|byte| *byte == b' ');
    let gets = words.next() == Some(b"GET");
    let target = words.next().unwrap_or_default();
    gets && target.windows(SERVICE.len()).any(|part| part == SERVICE)
}

const SERVICE: &[u8] = b"/get_sim_status";

/// Parses bytes as a request. For fuzz targets and mutation tests only.
#[doc(hidden)]
pub fn fuzz_status_request(data: &[u8]) {
    let _ = (is_whole(data), asks_for_status(data));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(service: &StatusService, request: &[u8]) -> String {
        let mut client = TcpStream::connect(service.address()).unwrap();
        client.write_all(request).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn the_game_runs_while_the_service_lives() {
        let service = StatusService::start(0).unwrap();
        assert!(service.address().ip().is_loopback());
        let get = b"GET /get_sim_status?object=simStatus HTTP/1.1\r\nHost: 127.0.0.1:32034\r\n\r\n";
        let told = ask(&service, get);
        assert!(told.starts_with("HTTP/1.1 200") && told.contains("running:1"), "{told}");
        for other in
            [&b"GET / HTTP/1.1\r\n\r\n"[..], b"POST /get_sim_status HTTP/1.1\r\n\r\n", b"\r\n\r\n", b"x y z\r\n\r\n"]
        {
            let told = ask(&service, other);
            assert!(told.starts_with("HTTP/1.1 404") && !told.contains("running"), "{told}");
        }
        let address = service.address();
        drop(service);
        assert!(TcpStream::connect(address).is_err());
    }

    #[test]
    fn a_silent_client_keeps_nobody_waiting_for_long() {
        let service = StatusService::start(0).unwrap();
        let _silent = TcpStream::connect(service.address()).unwrap();
        let told = ask(&service, b"GET /get_sim_status HTTP/1.1\r\n\r\n");
        assert!(told.contains("running:1"), "{told}");
    }

    #[test]
    fn a_port_that_is_taken_is_an_error() {
        let first = StatusService::start(0).unwrap();
        let taken = StatusService::start(first.address().port()).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
    }
}
