//! Connection limits: in total, so that file descriptors are left for recording, and per client, so that one client cannot take
//! all connections.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::clients::of_network;

/// The largest number of connections, whatever the limit of open files.
const MOST: usize = 4096;
/// The largest number of connections per client.
const MOST_OF_CLIENT: usize = 256;
/// File descriptors reserved for tapes, journals, databases and shared memory.
const RESERVE: u64 = 256;
/// File descriptors per connection: its socket, and a tape that a request reads.
const FILES_OF_CONNECTION: u64 = 2;

/// Connection limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Capacity {
    /// For all clients together.
    pub(super) total: usize,
    /// Per client.
    pub(super) of_client: usize,
    /// For this machine: all its programs count as one client, and may use what others do not need.
    pub(super) of_machine: usize,
}

impl Capacity {
    /// Computes the limits for this number of open files; `None` is unlimited.
    pub(crate) fn within(open_files: Option<u64>) -> Self {
        let files = open_files.map_or(u64::MAX, |files| files.saturating_sub(RESERVE.min(files / 2)));
        let total = usize::try_from(files / FILES_OF_CONNECTION).unwrap_or(MOST).clamp(1, MOST);
        let share = |of: usize| (total * of / 4).max(1);
        Self { total, of_client: share(1).min(MOST_OF_CLIENT), of_machine: share(3) }
    }

    fn of(&self, client: IpAddr) -> usize {
        if client.is_loopback() { self.of_machine } else { self.of_client }
    }
}

/// Counts connections.
#[derive(Debug)]
pub(super) struct ConnectionSlots {
    capacity: Capacity,
    /// Trusted proxies: only the total limit applies to them.
    proxies: Vec<IpAddr>,
    taken: Mutex<Taken>,
    /// Notified when the last connection has ended.
    empty: Notify,
}

#[derive(Debug, Default)]
struct Taken {
    total: usize,
    of_client: HashMap<IpAddr, usize>,
}

/// A counted connection. Kept by whatever outlives the HTTP connection, such as a WebSocket.
#[derive(Debug, Clone)]
pub(super) struct ConnectionSlot(#[allow(dead_code, reason = "held for its Drop")] Arc<Kept>);

#[derive(Debug)]
struct Kept {
    slots: Arc<ConnectionSlots>,
    client: IpAddr,
}

impl ConnectionSlots {
    pub(super) fn new(capacity: Capacity, proxies: Vec<IpAddr>) -> Arc<Self> {
        Arc::new(Self { capacity, proxies, taken: Mutex::default(), empty: Notify::new() })
    }

    /// Counts a connection; `None` if a limit is reached.
    pub(super) fn take(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionSlot> {
        let client = match peer.to_canonical() {
            // This machine has many loopback addresses.
            peer if peer.is_loopback() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            peer => of_network(peer),
        };
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let of_client = taken.of_client.get(&client).copied().unwrap_or_default();
        let is_proxy = self.proxies.contains(&peer.to_canonical());
        if taken.total >= self.capacity.total || (!is_proxy && of_client >= self.capacity.of(client)) {
            return None;
        }
        taken.total += 1;
        taken.of_client.insert(client, of_client + 1);
        Some(ConnectionSlot(Arc::new(Kept { slots: Arc::clone(self), client })))
    }

    /// Waits until all connections have ended.
    pub(super) async fn all_free(&self) {
        loop {
            let empty = self.empty.notified();
            if self.taken.lock().unwrap_or_else(PoisonError::into_inner).total == 0 {
                return;
            }
            empty.await;
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let mut taken = self.slots.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.total = taken.total.saturating_sub(1);
        if let Some(of_client) = taken.of_client.get_mut(&self.client) {
            *of_client = of_client.saturating_sub(1);
            if *of_client == 0 {
                taken.of_client.remove(&self.client);
            }
        }
        if taken.total == 0 {
            self.slots.empty.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_recording() {
        for files in [0, 1, 64, 256, 1024, 4096, 1 << 20] {
            let Capacity { total, of_client, of_machine } = Capacity::within(Some(files));
            let used = total as u64 * FILES_OF_CONNECTION;
            assert!(files < 4 || used <= files - RESERVE.min(files / 2), "{files}: {total}");
            assert!((1..=total).contains(&of_client) && (1..=total).contains(&of_machine), "{files}");
        }
        assert_eq!(Capacity::within(Some(1024)), Capacity { total: 384, of_client: 96, of_machine: 288 });
        assert_eq!(Capacity::within(None), Capacity { total: MOST, of_client: 256, of_machine: 3072 });
    }

    #[test]
    fn one_client_cannot_take_all_places_and_gives_them_back() {
        let client: IpAddr = "192.0.2.1".parse().unwrap();
        let proxy: IpAddr = "192.0.2.9".parse().unwrap();
        let slots = ConnectionSlots::new(Capacity { total: 10, of_client: 3, of_machine: 5 }, vec![proxy]);
        let mut kept: Vec<_> = (0..3).map(|_| slots.take(client).unwrap()).collect();
        assert!(slots.take(client).is_none());
        let shared = kept[0].clone();
        kept.clear();
        let again: Vec<_> = (0..2).map(|_| slots.take(client).unwrap()).collect();
        assert!(slots.take(client).is_none(), "a slot held by a WebSocket stays taken");
        let network = ["2001:db8::1", "2001:db8::2", "2001:db8::3"].map(|address| slots.take(address.parse().unwrap()));
        assert!(network.iter().all(Option::is_some) && slots.take("2001:db8::4".parse().unwrap()).is_none());
        let through: Vec<_> = (0..4).map(|_| slots.take(proxy).unwrap()).collect();
        assert!(slots.take(proxy).is_none() && slots.take("192.0.2.2".parse().unwrap()).is_none(), "ten in total");
        drop(through);
        let here: Vec<_> = ["127.0.0.1", "127.0.0.2", "::1"].map(|address| slots.take(address.parse().unwrap())).into();
        assert_eq!(here.iter().flatten().count(), 3);
        assert_eq!(slots.taken.lock().unwrap().of_client.len(), 3, "this machine is one client");
        drop((shared, again, network, here));
        assert!(slots.taken.lock().unwrap().of_client.is_empty());
    }
}
