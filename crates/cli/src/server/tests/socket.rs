//! The server with its socket.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::sync::watch;

use super::super::live::Kind;
use super::super::serve;
use super::{Access, Server, drive};

/// A server on a port of its own, and what ends it.
async fn start() -> (Server, u16, watch::Sender<bool>, tokio::task::JoinHandle<std::io::Result<()>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Server::new(Access { loopback: true, port, ..Access::default() });
    let (end, ended) = watch::channel(false);
    let serving = tokio::spawn(serve(listener, server.app.clone(), ended));
    (server, port, end, serving)
}

fn connect(port: u16) -> TcpStream {
    let socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    socket
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_over_a_socket_are_answered_and_the_end_is_quick() {
    let (server, port, end, serving) = start().await;
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
    // One that says nothing does not hold up the end.
    let _silent = connect(port);
    let start = Instant::now();
    end.send(true).unwrap();
    serving.await.unwrap().unwrap();
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_web_socket_hears_what_happens_with_its_number() {
    let (server, port, end, serving) = start().await;
    let since = server.state.hub.newest();
    server.state.hub.tell(Kind::LapEdited, &serde_json::json!({ "lap": "before" }), None);
    let said = tokio::task::spawn_blocking(move || {
        let handshake = |origin: &str| {
            let mut socket = connect(port);
            let request = format!(
                "GET /api/v1/live?since={since} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{origin}\r\n"
            );
            socket.write_all(request.as_bytes()).unwrap();
            socket
        };
        let until = |socket: &mut TcpStream, words: &str| {
            let mut said = Vec::new();
            let mut piece = [0; 1024];
            while !String::from_utf8_lossy(&said).contains(words) {
                let count = socket.read(&mut piece).unwrap();
                assert!(count > 0, "{}", String::from_utf8_lossy(&said));
                said.extend(&piece[..count]);
            }
            String::from_utf8_lossy(&said).into_owned()
        };
        let refused = until(&mut handshake("Origin: http://evil.example\r\n"), "forbidden");
        assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
        let mut socket = handshake("");
        until(&mut socket, "\"lap\":\"before\"")
    });
    let said = said.await.unwrap();
    assert!(said.starts_with("HTTP/1.1 101"), "{said}");
    assert!(said.contains(&format!("\"seq\":{}", since + 1)), "{said}");
    end.send(true).unwrap();
    serving.await.unwrap().unwrap();
}
