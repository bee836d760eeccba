//! Serves the clients of a game that sends datagrams on request, in place of the game.
//!
//! ```text
//! client ──request──▶ thread: Clients ──responses──▶ client
//! player ──frame──▶ DatagramServer::send ──▶ every client that subscribed
//! ```
//! Only clients on this machine and at addresses that the user named are served. Their number and the rate of responses are limited.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gametape_games::{Delivery, Game, RequestProtocol};

use super::admission::Admission;
use super::clients::Clients;
use crate::transport::Asked;

/// The time in which a stop is noticed.
const PATIENCE: Duration = Duration::from_millis(100);
/// A socket that cannot be read is tried again after this time.
const AFTER_ERROR: Duration = Duration::from_millis(200);
/// No datagram is longer. A request has far fewer, but Windows reports a datagram that does not fit as an error.
const MOST_REQUEST_BYTES: usize = 1 << 16;

/// A game's port on this machine: responds to requests, and sends frames to subscribed clients. Dropping it closes the port.
#[derive(Debug)]
pub struct DatagramServer {
    game: &'static Game,
    protocol: &'static dyn RequestProtocol,
    socket: UdpSocket,
    /// For receivers that the socket cannot reach.
    outside: Option<UdpSocket>,
    address: SocketAddr,
    clients: Arc<Mutex<Clients>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// The datagram that a frame was made of, and one that is changed for a client.
    recorded: Vec<u8>,
    changed: Vec<u8>,
}

impl DatagramServer {
    /// Listens for requests on a port: `None` means the game's own, 0 any free one. Serves this machine and the addresses in `lan`. Returns
    /// `None` if the game needs no requests.
    ///
    /// # Errors
    ///
    /// The port is in use: by the game, or by another player.
    pub fn start(game: &'static Game, port: Option<u16>, lan: &[IpAddr]) -> io::Result<Option<Self>> {
        let Some(protocol) = game.rules.requests() else { return Ok(None) };
        let host = if lan.is_empty() { Ipv4Addr::LOCALHOST } else { Ipv4Addr::UNSPECIFIED };
        let socket = UdpSocket::bind((host, port.unwrap_or(protocol.game_port())))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let address = socket.local_addr()?;
        let outside = if lan.is_empty() { Some(UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?) } else { None };
        for sends in outside.iter().chain([&socket]) {
            sends.set_broadcast(true)?;
        }
        let clients = Arc::new(Mutex::new(Clients::new(protocol.server())));
        let stop = Arc::new(AtomicBool::new(false));
        let answering = Answering {
            socket: socket.try_clone()?,
            admission: Admission::new(lan),
            clients: Arc::clone(&clients),
            stop: Arc::clone(&stop),
        };
        let thread = std::thread::Builder::new().name("gametape-requests".into()).spawn(move || answering.run())?;
        let (recorded, changed) = (Vec::new(), Vec::new());
        Ok(Some(Self {
            game,
            protocol,
            socket,
            outside,
            address,
            clients,
            stop,
            thread: Some(thread),
            recorded,
            changed,
        }))
    }

    /// Returns the address on which it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the numbers of clients and requests so far.
    #[must_use]
    pub fn asked(&self) -> Asked {
        lock(&self.clients).asked()
    }

    /// Returns whether the game sends the frames of a stream as responses only.
    pub(super) fn is_answer(&self, stream: &str) -> bool {
        self.protocol.is_answer(stream)
    }

    /// Notes a frame for later responses, without sending it.
    pub fn note(&self, stream: &str, frame: &[u8]) {
        lock(&self.clients).note(stream, frame);
    }

    /// Sends a frame to every client that subscribed to it, and to the addresses in `also`, which get every frame as it was recorded. An address
    /// that is both gets it once, as a client.
    ///
    /// # Errors
    ///
    /// Returns the first address in `also` that cannot be reached. That nobody listens there is not an error.
    pub fn send(&mut self, stream: &str, frame: &[u8], also: &[SocketAddr]) -> Result<(), (SocketAddr, io::Error)> {
        self.recorded.clear();
        if self.game.stream(stream).is_some() {
            self.game.rules.sent_datagram(stream, frame, &mut self.recorded);
        }
        let recorded: &[u8] = if self.recorded.is_empty() { frame } else { &self.recorded };
        let mut clients = lock(&self.clients);
        clients.note(stream, frame);
        let changed = &mut self.changed;
        clients.each(|server, address, client| {
            changed.clear();
            let datagram = match server.delivery(client, stream, frame, changed) {
                Delivery::None => return,
                Delivery::Recorded => recorded,
                Delivery::Changed => changed.as_slice(),
            };
            // A client that is gone is forgotten soon.
            let _ = self.socket.send_to(datagram, address);
        });
        for address in also.iter().filter(|address| !clients.contains(**address)) {
            let is_near = address.ip().is_loopback();
            let socket = self.outside.as_ref().filter(|_| !is_near).unwrap_or(&self.socket);
            sent(socket.send_to(recorded, address)).map_err(|error| (*address, error))?;
        }
        Ok(())
    }
}

impl Drop for DatagramServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // If it panicked, requests got no responses, but frames were still sent.
            let _ = thread.join();
        }
    }
}

/// Drops the error that nobody listens at an address.
pub(super) fn sent(result: io::Result<usize>) -> io::Result<()> {
    match result {
        Err(error) if !matches!(error.kind(), io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionReset) => {
            Err(error)
        }
        _ => Ok(()),
    }
}

fn lock(clients: &Mutex<Clients>) -> MutexGuard<'_, Clients> {
    // Every change is complete before the lock is released, so a thread that panicked left nothing half done.
    clients.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread that responds to requests.
struct Answering {
    socket: UdpSocket,
    admission: Admission,
    clients: Arc<Mutex<Clients>>,
    stop: Arc<AtomicBool>,
}

impl Answering {
    fn run(mut self) {
        let mut request = vec![0; MOST_REQUEST_BYTES];
        let mut answers = Vec::new();
        let mut looked = Instant::now();
        while !self.stop.load(Ordering::Relaxed) {
            match self.socket.recv_from(&mut request) {
                Ok((length, from)) if self.admission.admits(from.ip()) => {
                    let request = request.get(..length).unwrap_or_default();
                    lock(&self.clients).request(from, request, Instant::now(), &mut answers);
                    for answer in answers.drain(..) {
                        let _ = self.socket.send_to(&answer, from);
                    }
                }
                Ok(_) => {}
                Err(error) if is_nothing(&error) => {}
                Err(_) => std::thread::sleep(AFTER_ERROR),
            }
            self.forget(&mut looked);
        }
    }

    /// Removes clients that no longer exist.
    fn forget(&self, looked: &mut Instant) {
        let now = Instant::now();
        let may_be_gone = lock(&self.clients).forget(now, looked);
        // Without the lock: frames are sent meanwhile.
        let gone: Vec<SocketAddr> =
            may_be_gone.into_iter().filter(|client| super::switchboard::has_gone(*client)).collect();
        if !gone.is_empty() {
            lock(&self.clients).remove(&gone);
        }
    }
}

/// Returns whether the call only ended early. Windows reports here that an earlier datagram of ours was rejected by its receiver.
fn is_nothing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionReset, Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), ConnectionReset | Interrupted | TimedOut | WouldBlock)
}
