//! Parses HTTP requests. No I/O.

use std::net::{IpAddr, SocketAddr};

/// Maximum size of a request and maximum number of headers.
pub(super) const MOST_BYTES: usize = 8 << 10;
const MOST_HEADERS: usize = 48;

/// The result of parsing the bytes received so far.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read<'a> {
    /// The request is incomplete.
    Partial,
    /// A complete request: its length, what it requests, and whether to keep the connection alive.
    Whole { bytes: usize, wants: Wants<'a>, keeps: bool },
    /// Not HTTP.
    Nonsense,
}

/// What a request asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wants<'a> {
    /// A GET request for this path.
    Get(&'a str),
    /// Another method. The game accepts commands, a tape does not.
    Other,
    /// The request comes from a page of another site, or is addressed to another host.
    Foreign,
}

/// Parses the request at the start of `bytes`.
pub(super) fn read(bytes: &[u8]) -> Read<'_> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Read::Partial,
        Err(_) => return Read::Nonsense,
    };
    let values = |name: &'static str| {
        let named = request.headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
        named.map(|header| std::str::from_utf8(header.value).unwrap_or("\u{0}").trim())
    };
    let says = |word: &str| {
        values("connection").flat_map(|value| value.split(',')).any(|part| part.trim().eq_ignore_ascii_case(word))
    };
    // Bodies are not read, so such a connection is closed after the response.
    let has_body = values("content-length").any(|length| length != "0") || values("transfer-encoding").next().is_some();
    let keeps = !has_body && if request.version == Some(0) { says("keep-alive") } else { !says("close") };
    let from_here = |origin: &str| origin.split_once("://").is_some_and(|(_, host)| is_this_machine(host));
    let foreign = !values("host").all(is_this_machine) || !values("origin").all(from_here);
    let target = request.path.unwrap_or_default();
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let wants = match request.method {
        _ if foreign => Wants::Foreign,
        Some("GET") => Wants::Get(path),
        _ => Wants::Other,
    };
    Read::Whole { bytes: length, wants, keeps }
}

/// Returns whether a host, with or without a port, is this machine. Host names that resolve to the loopback address do not count
/// (DNS rebinding).
fn is_this_machine(host: &str) -> bool {
    let ip = host.parse::<SocketAddr>().map(|address| address.ip()).or_else(|_| {
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        bare.parse::<IpAddr>()
    });
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    ip.map_or_else(|_| name.eq_ignore_ascii_case("localhost"), |ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> (Wants<'_>, bool) {
        match read(text.as_bytes()) {
            Read::Whole { bytes, wants, keeps } => {
                assert_eq!(bytes, text.find("\r\n\r\n").unwrap() + 4);
                (wants, keeps)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn paths_and_the_wish_to_go_on_are_read() {
        let get = |path| (Wants::Get(path), true);
        assert_eq!(whole("GET /session HTTP/1.1\r\nHost: 127.0.0.1:6721\r\n\r\nGET /x"), get("/session"));
        assert_eq!(whole("GET /player_bones?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"), get("/player_bones"));
        assert_eq!(whole("GET / HTTP/1.1\r\nHost: [::1]:6721\r\nOrigin: http://localhost:8080\r\n\r\n"), get("/"));
        assert_eq!(whole("GET /session HTTP/1.1\r\nConnection: Close\r\n\r\n"), (Wants::Get("/session"), false));
        assert_eq!(whole("GET /session HTTP/1.0\r\n\r\n"), (Wants::Get("/session"), false));
        assert_eq!(whole("GET /session HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), get("/session"));
        assert_eq!(whole("POST /set_rules HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"), (Wants::Other, false));
    }

    #[test]
    fn other_machines_and_pages_of_other_sites_are_foreign() {
        for header in [
            "Host: echo.example:6721",
            "Host: 192.168.1.2",
            "Host: localhost.example",
            "Host: 127.0.0.1\r\nHost: echo.example",
            "Host: 127.0.0.1\r\nOrigin: https://echo.example",
            "Host: 127.0.0.1\r\nOrigin: null",
        ] {
            let text = format!("GET /session HTTP/1.1\r\n{header}\r\n\r\n");
            assert_eq!(whole(&text).0, Wants::Foreign, "{header}");
        }
    }

    #[test]
    fn half_a_request_is_waited_for_and_nonsense_is_not() {
        assert_eq!(read(b"GET /session HTTP/1.1\r\nHost: lo"), Read::Partial);
        assert_eq!(read(b""), Read::Partial);
        for text in ["\u{1}\u{2}\r\n\r\n", "GET /session HTTP/9\r\n\r\n", "GET\r\n\r\n"] {
            assert_eq!(read(text.as_bytes()), Read::Nonsense, "{text:?}");
        }
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(100));
        assert_eq!(read(many.as_bytes()), Read::Nonsense);
    }
}
