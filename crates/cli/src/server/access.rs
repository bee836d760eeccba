//! Authorization: pure rules over address, token and headers.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;
use gametape::laps::Id;
use gametape::store::{Audience, Scope};

use super::clients::RateClass;
use super::error::ApiError;

/// The access policy of the server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Access {
    /// Whether it listens only on a loopback address.
    pub(crate) loopback: bool,
    /// Whether anyone may read public data without a token.
    pub(crate) public: bool,
    /// Whether every request needs a token, also from this machine.
    pub(crate) require_token: bool,
    /// The port it listens on.
    pub(crate) port: u16,
    /// Proxies whose forwarding headers are trusted.
    pub(crate) trusted_proxies: Vec<IpAddr>,
    /// Origins whose pages may read responses (CORS).
    pub(crate) cors_origins: Vec<String>,
}

/// The sender of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Caller {
    /// The address used for rate limits.
    pub(super) client: IpAddr,
    /// The scope of the token; `None` without one.
    pub(super) scope: Option<Scope>,
    /// The token.
    pub(super) token: Option<Id>,
    /// Whether the request comes directly from the client: no proxy is configured, and the request has no proxy headers.
    pub(super) direct: bool,
}

impl Caller {
    /// Returns the rate-limit class of the caller.
    pub(super) fn rate_class(&self) -> RateClass {
        match (self.scope, self.direct && self.client.is_loopback()) {
            (_, true) => RateClass::Here,
            (Some(_), false) => RateClass::Token,
            (None, false) => RateClass::Anyone,
        }
    }
}

/// Headers that proxies add.
const FORWARDED: [&str; 6] =
    ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

impl Access {
    /// Returns what a caller may read; an error if nothing.
    pub(super) fn audience(&self, caller: Caller) -> Result<Audience, ApiError> {
        match (caller.scope, self.public, self.loopback) {
            (Some(_), _, _) => Ok(Audience::Owner),
            (None, true, _) => Ok(Audience::Public),
            (None, false, true) if caller.direct && !self.require_token => Ok(Audience::Owner),
            (None, false, _) => Err(ApiError::token_needed()),
        }
    }

    /// Checks whether a caller may write. On this machine, a page of this server may, other pages may not: a browser sends the
    /// page's origin, and a page cannot forge it.
    pub(super) fn may_write(&self, caller: Caller, host: Option<&str>, origin: Option<&str>) -> Result<(), ApiError> {
        match caller.scope {
            Some(Scope::Write) => Ok(()),
            Some(Scope::Read) => {
                Err(ApiError::forbidden("this token has read scope only; an edit needs a token with write scope"))
            }
            None if self.loopback && caller.direct && !self.public && !self.require_token => {
                let own = origin.and_then(|origin| origin.strip_prefix("http://")).zip(host);
                match own {
                    Some((origin, host)) if origin.eq_ignore_ascii_case(host) => Ok(()),
                    _ => {
                        Err(ApiError::forbidden("an edit needs a token with write scope, or this server as its Origin"))
                    }
                }
            }
            None => Err(ApiError::token_needed()),
        }
    }

    /// Whether a `Host` header names this server. A page elsewhere can make its own name resolve to this machine (DNS rebinding);
    /// the header then has that name.
    pub(super) fn is_own_host(&self, host: Option<&str>) -> bool {
        if !self.loopback {
            return true;
        }
        let Some(host) = host else { return false };
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
            _ => (host, None),
        };
        let own_port = match port {
            None => self.port == 80,
            Some(port) => port.parse() == Ok(self.port),
        };
        let name = name.trim_start_matches('[').trim_end_matches(']');
        let own_name =
            name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        own_port && own_name
    }

    /// Whether a request comes directly from its client. Behind a proxy, every client appears to be on this machine.
    pub(super) fn is_direct(&self, headers: &HeaderMap) -> bool {
        self.trusted_proxies.is_empty() && !FORWARDED.iter().any(|name| headers.contains_key(*name))
    }

    /// Returns the client address used for rate limits. Forwarding headers are evaluated from right to left, and only as long
    /// as they come from trusted proxies.
    pub(super) fn client(&self, peer: IpAddr, forwarded_for: &[&[u8]]) -> IpAddr {
        let mut client = peer.to_canonical();
        let mut named = forwarded_for.iter().flat_map(|line| line.split(|byte| *byte == b',')).rev();
        while self.trusted_proxies.contains(&client) {
            match named.next().and_then(address) {
                Some(address) => client = address.to_canonical(),
                None => break,
            }
        }
        client
    }
}

/// Parses an address as proxies write it, with or without a port.
fn address(text: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(text).ok()?.trim();
    let plain = text.trim_start_matches('[').trim_end_matches(']');
    plain.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(scope: Option<Scope>) -> Caller {
        Caller { client: IpAddr::from([127, 0, 0, 1]), scope, token: None, direct: true }
    }

    #[test]
    fn the_audience_depends_on_binding_token_and_public() {
        let access = |loopback, public| Access { loopback, public, ..Access::default() };
        let see = |access: Access, scope| access.audience(caller(scope)).ok();
        assert_eq!(see(access(true, false), None), Some(Audience::Owner));
        assert_eq!(see(access(true, true), None), Some(Audience::Public));
        assert_eq!(see(access(false, true), None), Some(Audience::Public));
        assert_eq!(see(access(false, false), None), None);
        assert_eq!(see(access(false, false), Some(Scope::Read)), Some(Audience::Owner));
    }

    #[test]
    fn edits_need_a_token_or_a_page_of_this_server() {
        let local = Access { loopback: true, port: 7223, ..Access::default() };
        let host = Some("127.0.0.1:7223");
        assert!(local.may_write(caller(Some(Scope::Write)), None, None).is_ok());
        assert!(local.may_write(caller(Some(Scope::Read)), host, Some("http://127.0.0.1:7223")).is_err());
        assert!(local.may_write(caller(None), host, Some("http://127.0.0.1:7223")).is_ok());
        for origin in
            [None, Some("null"), Some("http://evil.example"), Some("http://127.0.0.1:80"), Some("127.0.0.1:7223")]
        {
            assert!(local.may_write(caller(None), host, origin).is_err(), "{origin:?}");
        }
        let locked = Access { require_token: true, ..local.clone() };
        assert!(locked.may_write(caller(None), host, Some("http://127.0.0.1:7223")).is_err());
        assert!(locked.audience(caller(None)).is_err());
        assert!(locked.may_write(caller(Some(Scope::Write)), None, None).is_ok());
        for wide in [Access { public: true, ..local.clone() }, Access { loopback: false, ..local }] {
            assert!(wide.may_write(caller(None), host, Some("http://127.0.0.1:7223")).is_err());
        }
    }

    #[test]
    fn hosts_that_are_not_this_machine_are_refused_on_loopback() {
        let local = Access { loopback: true, port: 7223, ..Access::default() };
        for host in ["127.0.0.1:7223", "localhost:7223", "LOCALHOST:7223", "[::1]:7223", "127.0.0.9:7223"] {
            assert!(local.is_own_host(Some(host)), "{host}");
        }
        for host in [
            "evil.example:7223",
            "localhost",
            "localhost:80",
            "localhost.evil.example:7223",
            "[::1]",
            "",
            ":7223",
            "10.0.0.1:7223",
        ] {
            assert!(!local.is_own_host(Some(host)), "{host}");
        }
        assert!(!local.is_own_host(None));
        assert!(Access { loopback: true, port: 80, ..Access::default() }.is_own_host(Some("[::1]")));
        assert!(Access::default().is_own_host(Some("laps.example")));
    }

    #[test]
    fn forged_headers_change_nothing_unless_a_trusted_proxy_sends_them() {
        let peer: IpAddr = "192.0.2.1".parse().unwrap();
        let forged: [&[u8]; 1] = [b"203.0.113.7, 198.51.100.9"];
        assert_eq!(Access::default().client(peer, &forged), peer);
        let trusted = Access { trusted_proxies: vec![peer], ..Access::default() };
        // Only the last entry was added by the proxy.
        assert_eq!(trusted.client(peer, &forged).to_string(), "198.51.100.9");
        assert_eq!(trusted.client(peer, &[b"garbage"]), peer);
        // Invalid entries sent by the client do not make the proxy's own entry unreadable.
        assert_eq!(trusted.client(peer, &[b"\xe9, 203.0.113.9"]).to_string(), "203.0.113.9");
        assert_eq!(trusted.client(peer, &[b"203.0.113.9:4711"]).to_string(), "203.0.113.9");
        assert_eq!(trusted.client(peer, &[b"[2001:db8::1]:4711"]).to_string(), "2001:db8::1");
        assert_eq!(trusted.client("::ffff:192.0.2.1".parse().unwrap(), &[b"203.0.113.7"]).to_string(), "203.0.113.7");
    }

    #[test]
    fn behind_a_proxy_nobody_is_this_machine() {
        let local = Access { loopback: true, port: 7223, ..Access::default() };
        let mut headers = HeaderMap::new();
        assert!(local.is_direct(&headers));
        let configured = Access { trusted_proxies: vec![IpAddr::from([127, 0, 0, 1])], ..local.clone() };
        assert!(!configured.is_direct(&headers));
        headers.insert("via", axum::http::HeaderValue::from_static("1.1 proxy"));
        assert!(!local.is_direct(&headers));
        let behind = Caller { direct: false, ..caller(None) };
        assert!(local.audience(behind).is_err());
        assert!(local.may_write(behind, Some("127.0.0.1:7223"), Some("http://127.0.0.1:7223")).is_err());
        assert_eq!((behind.rate_class(), caller(None).rate_class()), (RateClass::Anyone, RateClass::Here));
    }
}
