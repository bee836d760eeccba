//! The threads that receive: one for each port.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use gametape_games::Game;

use super::admission::Admission;
use super::asking::{Asking, targets};
use super::forward::{Forward, comes_back};
use super::port_owner::port_owner;
use super::recognise::Recognition;
use super::settings::{Port, UdpSettings};
use super::socket::Receiver;
use super::switchboard::{self, Switchboard};
use super::user_settings::DescribedGames;

/// How long a call waits for a datagram: the time in which a stop is noticed. Each wake-up costs some 40 us on a virtual machine, on every port.
const PATIENCE: Duration = Duration::from_millis(500);
/// A socket that cannot be read is tried again after this time: the network may come back.
const AFTER_ERROR: Duration = Duration::from_millis(200);

/// All threads. They end when this is dropped.
#[derive(Debug)]
pub(super) struct Listeners {
    threads: Vec<(SocketAddr, JoinHandle<()>)>,
    /// The smallest buffer that the system gave to a port.
    pub(super) buffer_bytes: Option<usize>,
    stop: Arc<AtomicBool>,
    /// What the user should know: ports that could not be opened.
    pub(super) notices: Vec<String>,
}

impl Listeners {
    /// Opens the ports and starts to receive.
    pub(super) fn start(
        settings: &UdpSettings,
        game: Option<&'static Game>,
        board: &Arc<Switchboard>,
        described: &Arc<DescribedGames>,
    ) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let notices = described.notices().collect();
        let mut listeners = Self { threads: Vec::new(), buffer_bytes: None, stop, notices };
        let targets = targets(settings, game);
        let mut opened = Vec::new();
        for port in settings.ports(game, &targets) {
            match Receiver::bind(port.address, port.broadcast, PATIENCE) {
                Ok(receiver) => opened.push((port.address.port(), receiver)),
                Err(error) => listeners.notices.push(not_opened(&port, &error)),
            }
        }
        let numbers: Vec<u16> = opened.iter().map(|(number, _)| *number).collect();
        let bound: Vec<SocketAddr> = opened.iter().filter_map(|(_, receiver)| receiver.address().ok()).collect();
        let (back, forward): (Vec<SocketAddr>, Vec<SocketAddr>) =
            settings.forward.iter().copied().partition(|to| bound.iter().any(|bound| comes_back(*to, *bound)));
        listeners.notices.extend(back.iter().map(|to| {
            format!("datagrams are not forwarded to {to}: gametape listens there itself, so they would never stop; name another port")
        }));
        for (index, (_, receiver)) in opened.into_iter().enumerate() {
            let address = receiver.address()?;
            let given = receiver.buffer_bytes().ok();
            listeners.buffer_bytes = listeners.buffer_bytes.into_iter().chain(given).min();
            let asked_here = targets.iter().filter(|target| target.socket(&numbers) == Some(index));
            let listener = Listener {
                receiver,
                admission: Admission::new(&settings.admitted()),
                forward: Forward::new(&forward)?,
                port: switchboard::Port::new(
                    Arc::clone(board),
                    Recognition::new(game, Arc::clone(described)),
                    address.port(),
                ),
                asking: Asking::new(asked_here.cloned().collect()),
                stop: Arc::clone(&listeners.stop),
            };
            let thread = std::thread::Builder::new().name(format!("gametape-udp-{}", address.port()));
            listeners.threads.push((address, thread.spawn(move || listener.run())?));
        }
        Ok(listeners)
    }

    /// Returns the addresses that are listened on.
    pub(super) fn addresses(&self) -> impl Iterator<Item = SocketAddr> {
        self.threads.iter().map(|(address, _)| *address)
    }

    /// Returns the address of a thread that ended although nobody stopped it.
    pub(super) fn dead(&self) -> Option<SocketAddr> {
        self.threads.iter().find(|(_, thread)| thread.is_finished()).map(|(address, _)| *address)
    }
}

impl Drop for Listeners {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for (_, thread) in self.threads.drain(..) {
            // It was noticed before if it had died.
            let _ = thread.join();
        }
    }
}

fn not_opened(port: &Port, error: &io::Error) -> String {
    let number = port.address.port();
    let owner = match port_owner(number).filter(|_| error.kind() == io::ErrorKind::AddrInUse) {
        Some(owner) => format!(" ({owner} uses it)"),
        None => String::new(),
    };
    let next = match error.kind() {
        io::ErrorKind::AddrInUse => {
            "; let that program forward the datagrams to another port, and name it with --listen 127.0.0.1:PORT"
        }
        _ => "",
    };
    format!("cannot listen on UDP port {number}: {error}{owner}; games that send there are not recorded{next}")
}

struct Listener {
    receiver: Receiver,
    admission: Admission,
    forward: Option<Forward>,
    port: switchboard::Port,
    asking: Asking,
    stop: Arc<AtomicBool>,
}

impl Listener {
    fn run(mut self) {
        let Self { receiver, admission, forward, port, asking, stop } = &mut self;
        while !stop.load(Ordering::Relaxed) {
            asking.ask(|request, to| receiver.send(request, to));
            let received = receiver.receive(|datagram| {
                if !admission.admits(datagram.from.ip()) {
                    return;
                }
                // First of all: the other programs wait for it.
                if let Some(forward) = forward {
                    forward.send(datagram.bytes);
                }
                if let Some(known) = port.take(datagram.bytes, datagram.from, datagram.at) {
                    asking.received(&known, datagram.from, datagram.at);
                }
            });
            match received {
                Ok(0) => {}
                Ok(dropped) => port.dropped_by_system(dropped),
                Err(_) => std::thread::sleep(AFTER_ERROR),
            }
        }
        asking.end(|request, to| receiver.send(request, to));
    }
}
