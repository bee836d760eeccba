//! The address of Echo VR's HTTP API: a host and a range of ports. Defaults to this machine.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs as _};
use std::ops::RangeInclusive;
use std::str::FromStr;

use gametape_games::echo_vr::PORTS;

/// Maximum number of ports in a range.
const MOST_PORTS: u16 = 100;

/// A host and the ports on which the game may listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EchoVrAddress {
    host: String,
    ports: RangeInclusive<u16>,
}

/// Why a string is not a valid address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EchoVrAddressError {
    /// The string is malformed.
    #[error("{text:?} is not an Echo VR address; use for example 6721, 6721-6730, 192.168.1.20 or 192.168.1.20:6721")]
    NoAddress {
        /// The text.
        text: String,
    },
    /// The port range is empty, descending or too long.
    #[error("{text:?} is not a valid port range: use at most {MOST_PORTS} ports, lowest first")]
    Ports {
        /// The text.
        text: String,
    },
}

impl Default for EchoVrAddress {
    fn default() -> Self {
        Self { host: Ipv4Addr::LOCALHOST.to_string(), ports: PORTS.0..=PORTS.1 }
    }
}

impl From<SocketAddr> for EchoVrAddress {
    fn from(address: SocketAddr) -> Self {
        Self { host: address.ip().to_string(), ports: address.port()..=address.port() }
    }
}

impl FromStr for EchoVrAddress {
    type Err = EchoVrAddressError;

    /// Parses `PORT`, `PORT-PORT`, `HOST`, `HOST:PORT` or `HOST:PORT-PORT`, each with an optional `http://` as copied from a
    /// browser.
    fn from_str(whole: &str) -> Result<Self, EchoVrAddressError> {
        let usual = Self::default();
        let wrong = || EchoVrAddressError::NoAddress { text: whole.into() };
        let text = whole.strip_prefix("http://").map_or(whole, |rest| rest.strip_suffix('/').unwrap_or(rest));
        let (host, ports) = match text.rsplit_once(':') {
            // An IPv6 address without a port has colons, too.
            _ if text.parse::<IpAddr>().is_ok() => (text, None),
            Some((host, ports)) => (host, Some(ports_of(ports).ok_or_else(wrong)?)),
            None => match ports_of(text) {
                Some(ports) => (usual.host.as_str(), Some(ports)),
                None => (text, None),
            },
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let sound = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
        if host.is_empty() || !host.bytes().all(sound) {
            return Err(wrong());
        }
        let ports = ports.unwrap_or(usual.ports);
        if ports.is_empty() || *ports.start() == 0 || ports.end() - ports.start() >= MOST_PORTS {
            return Err(EchoVrAddressError::Ports { text: text.into() });
        }
        Ok(Self { host: host.into(), ports })
    }
}

fn ports_of(text: &str) -> Option<RangeInclusive<u16>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(first.parse().ok()?..=last.parse().ok()?)
}

impl fmt::Display for EchoVrAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.ports.start(), self.ports.end());
        match self.host.contains(':') {
            true => write!(f, "[{}]:{first}", self.host)?,
            false => write!(f, "{}:{first}", self.host)?,
        }
        if first == last { Ok(()) } else { write!(f, "-{last}") }
    }
}

impl EchoVrAddress {
    /// Returns whether the host is this machine.
    pub(super) fn is_this_machine(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// Returns every socket address to try, in order of ports. Empty if the host cannot be resolved.
    pub(super) fn places(&self) -> Vec<SocketAddr> {
        let ip = match self.host.parse::<IpAddr>() {
            Ok(ip) => Some(ip),
            Err(_) => {
                (self.host.as_str(), 0).to_socket_addrs().ok().and_then(|mut found| found.next()).map(|at| at.ip())
            }
        };
        ip.into_iter().flat_map(|ip| self.ports.clone().map(move |port| SocketAddr::new(ip, port))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_said_again() {
        for (text, said) in [
            ("6721", "127.0.0.1:6721"),
            ("6721-6723", "127.0.0.1:6721-6723"),
            ("quest.local", "quest.local:6721-6730"),
            ("192.168.1.20", "192.168.1.20:6721-6730"),
            ("192.168.1.20:80", "192.168.1.20:80"),
            ("::1", "[::1]:6721-6730"),
            ("[::1]:7-9", "[::1]:7-9"),
            ("http://127.0.0.1:6721", "127.0.0.1:6721"),
            ("http://quest.local/", "quest.local:6721-6730"),
        ] {
            assert_eq!(text.parse::<EchoVrAddress>().unwrap().to_string(), said, "{text}");
        }
        for wrong in [
            "",
            "a b",
            "host:",
            "host:x",
            "host:70000",
            ":1",
            "https://host",
            "http://",
            "http://host/session",
            "u@host",
        ] {
            assert!(matches!(wrong.parse::<EchoVrAddress>(), Err(EchoVrAddressError::NoAddress { .. })), "{wrong}");
        }
        for wrong in ["0", "7-6", "1-1000"] {
            assert!(matches!(wrong.parse::<EchoVrAddress>(), Err(EchoVrAddressError::Ports { .. })), "{wrong}");
        }
        assert_eq!(EchoVrAddress::default().to_string(), "127.0.0.1:6721-6730");
        assert_eq!(EchoVrAddress::default().places().len(), 10);
    }
}
