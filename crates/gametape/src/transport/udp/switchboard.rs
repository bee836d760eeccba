//! Connects each sender with the source that records it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gametape_games::Game;

use super::datagrams::Arrived;
use super::inbox::{Inbox, Sender};
use super::recognise::{Recognised, Recognition};

/// A sender that is silent this long gives its place to another one that has none.
const SILENT: Duration = Duration::from_secs(5);

/// The inboxes of all sources.
#[derive(Debug)]
pub(super) struct Switchboard {
    inboxes: Vec<Arc<Inbox>>,
    /// Assigning places is rare; receiving is not, and looks at the inboxes only.
    assigning: Mutex<u64>,
    unknown: AtomicU64,
    no_place: AtomicU64,
}

/// One port's part of the switchboard: what it recognises, and whom it knows.
#[derive(Debug)]
pub(super) struct Port {
    board: Arc<Switchboard>,
    recognition: Recognition,
    port: u16,
    /// The sender of the last datagram.
    last: Option<Last>,
    /// Places of senders whose datagrams are not all known.
    by_address: HashMap<SocketAddr, Place>,
}

/// The index of an inbox, and the number of the sender that it serves.
type Place = (usize, u64);

/// A sender in a game, and its place.
#[derive(Debug, Clone, Copy)]
struct Last {
    address: SocketAddr,
    game: &'static str,
    place: Place,
}

impl Switchboard {
    pub(super) fn new(inboxes: Vec<Arc<Inbox>>) -> Self {
        Self { inboxes, assigning: Mutex::new(0), unknown: AtomicU64::new(0), no_place: AtomicU64::new(0) }
    }

    /// Returns how many datagrams no game knew and no recording kept, and how many found all places taken.
    pub(super) fn not_recorded(&self) -> (u64, u64) {
        (self.unknown.load(Ordering::Relaxed), self.no_place.load(Ordering::Relaxed))
    }

    /// Returns the inbox of a sender in a game, and its number. Assigns one if the sender has none.
    fn place(&self, address: SocketAddr, game: &'static Game, port: u16, now: Instant) -> Option<Place> {
        let mut number = self.assigning.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |sender: &Sender| sender.address == address && sender.game.id == game.id;
        let is_silent = |last: Instant| now.checked_duration_since(last).is_some_and(|silent| silent >= SILENT);
        // A game that was restarted sends from another port of the same machine: its recording goes on where it was.
        let is_again = |(sender, last): (Sender, Instant)| {
            let is_here = sender.address.ip() == address.ip() && sender.game.id == game.id;
            is_here && (is_silent(last) || has_gone(sender.address))
        };
        let (mut again, mut free, mut quiet) = (None, None, None);
        for (index, inbox) in self.inboxes.iter().enumerate().filter(|(_, inbox)| !inbox.is_closed()) {
            match inbox.sender() {
                Some((sender, _)) if is_same(&sender) => return Some((index, sender.number)),
                Some(sender) if is_again(sender) => again = again.or(Some(index)),
                Some((_, last)) if is_silent(last) => quiet = quiet.or(Some(index)),
                Some(_) => {}
                None => free = free.or(Some(index)),
            }
        }
        let index = again.or(free).or(quiet)?;
        *number += 1;
        let sender = Sender { address, game, port, number: *number };
        self.inboxes.get(index)?.assign(sender, now).then_some((index, *number))
    }
}

impl Port {
    pub(super) fn new(board: Arc<Switchboard>, recognition: Recognition, port: u16) -> Self {
        Self { board, recognition, port, last: None, by_address: HashMap::new() }
    }

    /// Hands a datagram over to the source that records its sender. Returns what it is, unless no game knows it.
    pub(super) fn take<'a>(&'a mut self, datagram: &'a [u8], from: SocketAddr, at: Instant) -> Option<Recognised<'a>> {
        let put = |(index, number): (usize, u64), stream, bytes| {
            let inbox = self.board.inboxes.get(index);
            inbox.is_some_and(|inbox| inbox.put(number, Arrived { at, stream, bytes }))
        };
        let Some(known) = self.recognition.recognise(datagram) else {
            // Beside a recording it is kept; it never starts one.
            if !self.by_address.get(&from).is_some_and(|place| put(*place, None, datagram)) {
                self.board.unknown.fetch_add(1, Ordering::Relaxed);
            }
            return None;
        };
        let is_last = |last: &Last| last.address == from && last.game == known.game.id;
        let stream = Some(known.stream);
        // The place may have been given to another sender since.
        if self.last.filter(is_last).is_some_and(|last| put(last.place, stream, known.recorded)) {
            return Some(known);
        }
        let place = self.board.place(from, known.game, self.port, Instant::now());
        let Some(place) = place.filter(|place| put(*place, stream, known.recorded)) else {
            self.board.no_place.fetch_add(1, Ordering::Relaxed);
            return Some(known);
        };
        self.last = Some(Last { address: from, game: known.game.id, place });
        self.by_address.retain(|_, (other, _)| *other != place.0);
        self.by_address.insert(from, place);
        Some(known)
    }

    /// Counts datagrams that the system dropped on this port. It does not say whose they were: all that are received here.
    pub(super) fn dropped_by_system(&self, count: u64) {
        for inbox in &self.board.inboxes {
            if inbox.sender().is_some_and(|(sender, _)| sender.port == self.port) {
                inbox.dropped_by_system(count);
            }
        }
    }
}

/// Returns whether no program on this machine sends from this address any more. Of other machines it is not known.
pub(super) fn has_gone(address: SocketAddr) -> bool {
    let is_free = |host| match std::net::UdpSocket::bind((host, address.port())) {
        Ok(_) => Some(true),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => Some(false),
        // Not an address of this machine.
        Err(_) => None,
    };
    // A socket that is bound to no address in particular does not always keep others from its port on one address, and vice versa.
    let anywhere = std::net::IpAddr::from(std::net::Ipv4Addr::UNSPECIFIED);
    is_free(address.ip()) == Some(true) && is_free(anywhere) == Some(true)
}
