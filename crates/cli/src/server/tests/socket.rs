//! Tests of the server with its socket.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use gametape::store::{Audience, Scope, SqlStore, Store};
use tokio::net::TcpListener;

use super::super::connection_slots::Capacity;
use super::super::live::Kind;
use super::super::serve;
use super::{Access, Server, drive};

type Ended = tokio::task::JoinHandle<std::io::Result<()>>;

/// A server on its own port.
async fn start() -> (Server, u16, Ended) {
    start_with(Capacity::within(None)).await
}

async fn start_with(capacity: Capacity) -> (Server, u16, Ended) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Server::new(Access { loopback: true, port, ..Access::default() });
    let serving = tokio::spawn(serve(listener, server.state.clone(), capacity));
    (server, port, serving)
}

/// Opens a WebSocket or an event stream; does not wait for the handshake.
fn open_live(port: u16, query: &str, socket_or_not: bool, more: &str) -> TcpStream {
    let upgrade = match socket_or_not {
        true => {
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        }
        false => "",
    };
    let mut socket = connect(port);
    let request = format!("GET /api/v1/live{query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{upgrade}{more}\r\n");
    socket.write_all(request.as_bytes()).unwrap();
    socket
}

/// Reads until this text arrives.
fn until(socket: &mut TcpStream, words: &str) -> String {
    let mut said = Vec::new();
    let mut piece = [0; 1024];
    while !String::from_utf8_lossy(&said).contains(words) {
        let count = socket.read(&mut piece).unwrap();
        assert!(count > 0, "{words:?} did not come: {}", String::from_utf8_lossy(&said));
        said.extend(&piece[..count]);
    }
    String::from_utf8_lossy(&said).into_owned()
}

fn connect(port: u16) -> TcpStream {
    let socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    socket
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_over_a_socket_are_answered_and_the_end_is_quick() {
    let (server, port, serving) = start().await;
    drive(server.store.as_ref(), 1, "Driver 1", &[100_000]);
    let said = tokio::task::spawn_blocking(move || {
        let mut socket = connect(port);
        let request = format!("GET /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
        socket.write_all(request.as_bytes()).unwrap();
        let mut said = String::new();
        socket.read_to_string(&mut said).unwrap();
        said
    });
    let said = said.await.unwrap();
    assert!(said.starts_with("HTTP/1.1 200 OK") && said.contains("\"best_ms\":100000"), "{said}");
    // An idle connection does not delay the shutdown.
    let _silent = connect(port);
    let start = Instant::now();
    server.state.oversight.shut_down();
    serving.await.unwrap().unwrap();
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_web_socket_hears_what_happens_with_its_number() {
    let (server, port, serving) = start().await;
    let since = server.state.hub.newest(Audience::Owner);
    server.state.hub.publish(Kind::LapEdited, &serde_json::json!({ "lap": "before" }), None);
    let said = tokio::task::spawn_blocking(move || {
        let handshake = |origin: &str| open_live(port, &format!("?since={since}"), true, origin);
        let refused = until(&mut handshake("Origin: http://evil.example\r\n"), "forbidden");
        assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
        let mut socket = handshake("");
        until(&mut socket, "\"lap\":\"before\"")
    });
    let said = said.await.unwrap();
    assert!(said.starts_with("HTTP/1.1 101"), "{said}");
    assert!(said.contains(&format!("\"seq\":{}", since + 1)), "{said}");
    server.state.oversight.shut_down();
    serving.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_are_told_that_the_server_shuts_down_and_are_not_waited_for() {
    let (server, port, serving) = start().await;
    let oversight = std::sync::Arc::clone(&server.state.oversight);
    let client = tokio::task::spawn_blocking(move || {
        let streams = [("", true), ("", false), ("?format=v2", true), ("?format=v2", false)];
        let mut open = streams.map(|(query, socket)| open_live(port, query, socket, ""));
        open.iter_mut().for_each(|socket| drop(until(socket, "\r\n\r\n")));
        oversight.shut_down();
        open.map(|mut socket| {
            let mut said = Vec::new();
            socket.read_to_end(&mut said).unwrap();
            String::from_utf8_lossy(&said).into_owned()
        })
    });
    let [socket, events, frames, _] = client.await.unwrap();
    for said in [socket, events, frames] {
        assert!(said.contains("the server is shutting down"), "{said:?}");
    }
    serving.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_is_newer_than_the_last_look_at_the_store_keeps_its_stream() {
    let (server, port, serving) = start().await;
    let (_, secret) = server.store.add_token("first", Scope::Read).unwrap();
    let store = std::sync::Arc::clone(&server.state.store);
    let hub = std::sync::Arc::clone(&server.state.hub);
    let oversight = std::sync::Arc::clone(&server.state.oversight);
    let client = tokio::task::spawn_blocking(move || {
        let open = |secret: &str| {
            let mut open = open_live(port, "", true, &format!("Authorization: Bearer {secret}\r\n"));
            until(&mut open, "\r\n\r\n");
            open
        };
        let first = open(&secret);
        // The store was asked for tokens while only the first was there.
        while !oversight.has_looked() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        drop(first);
        let (_, secret) = store.add_token("second", Scope::Read).unwrap();
        let mut second = open(&secret);
        hub.publish(Kind::LapEdited, &serde_json::json!({ "lap": "still here" }), None);
        let said = until(&mut second, "\"lap\":\"still here\"");
        assert!(!said.contains("revoked"), "{said}");
    });
    client.await.unwrap();
    server.state.oversight.shut_down();
    serving.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_another_program_revokes_ends_its_streams_and_no_others() {
    let (server, port, serving) = start().await;
    let (token, secret) = server.store.add_token("rig", Scope::Read).unwrap();
    let (_, other_secret) = server.store.add_token("other", Scope::Read).unwrap();
    let hub = std::sync::Arc::clone(&server.state.hub);
    let path = server._folder.path().join("laps.sqlite");
    let client = tokio::task::spawn_blocking(move || {
        let open = |secret: &str, query: &str, socket: bool| {
            let mut open = open_live(port, query, socket, &format!("Authorization: Bearer {secret}\r\n"));
            until(&mut open, "\r\n\r\n");
            open
        };
        let mut revoked =
            [("", true), ("", false), ("?format=v2", true)].map(|(query, socket)| open(&secret, query, socket));
        let mut other = open(&other_secret, "", true);
        SqlStore::sqlite(path).unwrap().revoke_token(token.id).unwrap();
        for socket in &mut revoked {
            until(socket, "the token was revoked");
            // Nothing follows.
            let _ = socket.read_to_end(&mut Vec::new());
        }
        hub.publish(Kind::LapEdited, &serde_json::json!({ "lap": "after" }), None);
        until(&mut other, "\"lap\":\"after\"");
    });
    client.await.unwrap();
    server.state.oversight.shut_down();
    serving.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_with_too_many_connections_is_refused_until_it_closes_one() {
    let (server, port, serving) = start_with(Capacity { total: 8, of_client: 2, of_machine: 3 }).await;
    let client = tokio::task::spawn_blocking(move || {
        let ask = || {
            let mut socket = connect(port);
            let request = format!("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
            // A rejected connection may be closed before everything was sent or read.
            let _ = socket.write_all(request.as_bytes());
            let mut said = String::new();
            let _ = socket.read_to_string(&mut said);
            said
        };
        let mut half: Vec<_> = (0..3).map(|_| connect(port)).collect();
        half.iter_mut().for_each(|socket| socket.write_all(b"GET /healthz HTTP/1.1\r\nHos").unwrap());
        let refused = ask();
        assert!(refused.is_empty() || refused.starts_with("HTTP/1.1 503"), "{refused}");
        half.pop();
        let until = Instant::now() + Duration::from_secs(30);
        while !ask().starts_with("HTTP/1.1 200") {
            assert!(Instant::now() < until, "a place that was given back cannot be taken");
        }
    });
    client.await.unwrap();
    server.state.oversight.shut_down();
    serving.await.unwrap().unwrap();
}
