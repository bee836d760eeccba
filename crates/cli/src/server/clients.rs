//! Rate limits: a number of requests per client in a minute, counted from its first request.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);
/// The number of clients counted separately. All others share one counter, so that memory is bounded.
const MOST: usize = 20_000;

/// Requests per minute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// For a client without a token.
    pub(crate) anyone: u32,
    /// For a client with a token.
    pub(crate) token: u32,
    /// For this machine.
    pub(crate) loopback: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { anyone: 100, token: 6_000, loopback: 120_000 }
    }
}

/// The number of live streams per client without a token.
const STREAMS_ANYONE: u32 = 16;
/// The number of live streams per client with a token.
const STREAMS_TOKEN: u32 = 256;

/// The rate-limit class of a request: each has its own counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum RateClass {
    /// From this machine, without a proxy.
    Here,
    /// Without a token.
    Anyone,
    /// With a valid token.
    Token,
    /// With an invalid token: guessing is counted separately, so that it does not affect other clients.
    WrongToken,
}

/// Counts requests and open streams.
pub(super) struct Clients {
    limits: Limits,
    counts: Mutex<HashMap<(IpAddr, RateClass), Window>>,
    streams: Mutex<HashMap<IpAddr, u32>>,
}

/// An open live stream.
pub(super) struct OpenStream {
    clients: Arc<Clients>,
    client: IpAddr,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut streams = self.clients.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = streams.get_mut(&self.client) {
            *open -= 1;
            if *open == 0 {
                streams.remove(&self.client);
            }
        }
    }
}

struct Window {
    since: Instant,
    count: u32,
}

impl Clients {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, counts: Mutex::default(), streams: Mutex::default() }
    }

    fn limit(&self, class: RateClass) -> u32 {
        match class {
            RateClass::Here => self.limits.loopback,
            RateClass::Token => self.limits.token,
            RateClass::Anyone | RateClass::WrongToken => self.limits.anyone,
        }
    }

    /// Opens a live stream; `None` if the client has too many. This machine is limited only by its connections.
    pub(super) fn open_stream(self: &Arc<Self>, client: IpAddr, class: RateClass) -> Option<OpenStream> {
        let most = match class {
            RateClass::Here => u32::MAX,
            RateClass::Token => STREAMS_TOKEN,
            RateClass::Anyone | RateClass::WrongToken => STREAMS_ANYONE,
        };
        let client = of_network(client);
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let open = streams.entry(client).or_default();
        if *open >= most {
            return None;
        }
        *open += 1;
        Some(OpenStream { clients: Arc::clone(self), client })
    }

    /// Returns the seconds to wait if the next request of this class would exceed the limit. Counts nothing.
    pub(super) fn used_up(&self, client: IpAddr, class: RateClass, now: Instant) -> Option<u64> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let window = counts.get(&(of_network(client), class))?;
        let elapsed = now.duration_since(window.since);
        (elapsed < MINUTE && window.count >= self.limit(class)).then(|| (MINUTE - elapsed).as_secs() + 1)
    }

    /// Counts a request; returns the seconds to wait if it exceeds the limit.
    pub(super) fn count(&self, client: IpAddr, class: RateClass, now: Instant) -> Result<(), u64> {
        let limit = self.limit(class);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = (of_network(client), class);
        if !counts.contains_key(&key) && counts.len() >= MOST {
            counts.retain(|_, window| now.duration_since(window.since) < MINUTE);
            if counts.len() >= MOST {
                key = (IpAddr::V6(Ipv6Addr::UNSPECIFIED), class);
            }
        }
        let window = counts.entry(key).or_insert(Window { since: now, count: 0 });
        let elapsed = now.duration_since(window.since);
        if elapsed >= MINUTE {
            *window = Window { since: now, count: 0 };
        } else if window.count >= limit {
            return Err((MINUTE - elapsed).as_secs() + 1);
        }
        window.count += 1;
        Ok(())
    }
}

/// Maps an IPv6 address to its /64 network: a host has 2^64 addresses, which count as one client.
pub(super) fn of_network(client: IpAddr) -> IpAddr {
    match client {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hundred_and_first_request_of_a_minute_waits() {
        let clients = Clients::new(Limits::default());
        let client: IpAddr = "192.0.2.1".parse().unwrap();
        let start = Instant::now();
        for request in 0..100 {
            assert_eq!(clients.count(client, RateClass::Anyone, start + Duration::from_millis(request * 10)), Ok(()));
        }
        assert_eq!(clients.count(client, RateClass::Anyone, start + Duration::from_secs(20)), Err(41));
        assert_eq!(clients.count(client, RateClass::Token, start), Ok(()), "a token has its own limit");
        assert_eq!(
            clients.count("192.0.2.2".parse().unwrap(), RateClass::Anyone, start),
            Ok(()),
            "so has another client"
        );
        assert_eq!(clients.count(client, RateClass::Anyone, start + MINUTE), Ok(()));
    }

    #[test]
    fn addresses_of_one_network_are_one_client_and_memory_is_bounded() {
        let clients = Clients::new(Limits { anyone: 1, ..Limits::default() });
        let now = Instant::now();
        assert!(clients.count("2001:db8::1".parse().unwrap(), RateClass::Anyone, now).is_ok());
        assert!(clients.count("2001:db8::2".parse().unwrap(), RateClass::Anyone, now).is_err());
        assert!(clients.count("2001:db8:0:1::1".parse().unwrap(), RateClass::Anyone, now).is_ok());
        for client in 0..30_000u32 {
            let _ = clients.count(IpAddr::V4(client.into()), RateClass::Anyone, now);
        }
        assert!(clients.counts.lock().unwrap().len() <= MOST + 1);
        assert!(clients.count(IpAddr::V4(40_000u32.into()), RateClass::Anyone, now + MINUTE).is_ok());
    }

    #[test]
    fn guessed_tokens_and_open_streams_are_counted_apart() {
        let clients = Arc::new(Clients::new(Limits { anyone: 2, ..Limits::default() }));
        let (client, now): (IpAddr, _) = ("192.0.2.1".parse().unwrap(), Instant::now());
        for _ in 0..2 {
            assert_eq!(clients.used_up(client, RateClass::WrongToken, now), None);
            clients.count(client, RateClass::WrongToken, now).unwrap();
        }
        assert_eq!(clients.used_up(client, RateClass::WrongToken, now), Some(61));
        assert_eq!(
            clients.count(client, RateClass::Token, now),
            Ok(()),
            "a client with a token is admitted next to one that guesses"
        );
        let mut open: Vec<_> =
            (0..STREAMS_ANYONE).map(|_| clients.open_stream(client, RateClass::Anyone).unwrap()).collect();
        assert!(clients.open_stream(client, RateClass::Anyone).is_none());
        assert!(clients.open_stream(client, RateClass::Here).is_some());
        open.pop();
        assert!(clients.open_stream(client, RateClass::Anyone).is_some());
        drop(open);
        assert!(clients.streams.lock().unwrap().is_empty());
    }
}
