//! How often each client may ask: so many requests in a minute, counted from its first one.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);
/// Clients that are counted apart. More of them share one count: memory does not grow with who asks.
const MOST: usize = 20_000;

/// Requests in a minute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Of a client without a token.
    pub(crate) anyone: u32,
    /// Of a client with a token.
    pub(crate) token: u32,
    /// Of this machine.
    pub(crate) loopback: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { anyone: 100, token: 6_000, loopback: 120_000 }
    }
}

/// Counts requests.
pub(super) struct Clients {
    limits: Limits,
    counts: Mutex<HashMap<(IpAddr, bool), Window>>,
}

struct Window {
    since: Instant,
    count: u32,
}

impl Clients {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, counts: Mutex::default() }
    }

    /// Counts a request; gives the seconds to wait if it is one too many.
    pub(super) fn count(&self, client: IpAddr, has_token: bool, now: Instant) -> Result<(), u64> {
        let limit = match (has_token, client.is_loopback()) {
            (true, _) => self.limits.token.max(if client.is_loopback() { self.limits.loopback } else { 0 }),
            (false, true) => self.limits.loopback,
            (false, false) => self.limits.anyone,
        };
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = (of_network(client), has_token);
        if !counts.contains_key(&key) && counts.len() >= MOST {
            counts.retain(|_, window| now.duration_since(window.since) < MINUTE);
            if counts.len() >= MOST {
                key = (IpAddr::V6(Ipv6Addr::UNSPECIFIED), has_token);
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

/// Who has an IPv6 address has 2^64 of them: they are one client.
fn of_network(client: IpAddr) -> IpAddr {
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
            assert_eq!(clients.count(client, false, start + Duration::from_millis(request * 10)), Ok(()));
        }
        assert_eq!(clients.count(client, false, start + Duration::from_secs(20)), Err(41));
        assert_eq!(clients.count(client, true, start), Ok(()), "a token has a limit of its own");
        assert_eq!(clients.count("192.0.2.2".parse().unwrap(), false, start), Ok(()), "so has another client");
        assert_eq!(clients.count(client, false, start + MINUTE), Ok(()));
    }

    #[test]
    fn addresses_of_one_network_are_one_client_and_memory_is_bounded() {
        let clients = Clients::new(Limits { anyone: 1, ..Limits::default() });
        let now = Instant::now();
        assert!(clients.count("2001:db8::1".parse().unwrap(), false, now).is_ok());
        assert!(clients.count("2001:db8::2".parse().unwrap(), false, now).is_err());
        assert!(clients.count("2001:db8:0:1::1".parse().unwrap(), false, now).is_ok());
        for client in 0..30_000u32 {
            let _ = clients.count(IpAddr::V4(client.into()), false, now);
        }
        assert!(clients.counts.lock().unwrap().len() <= MOST + 1);
        assert!(clients.count(IpAddr::V4(40_000u32.into()), false, now + MINUTE).is_ok());
    }
}
