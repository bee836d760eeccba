//! `serve` and `token`: the process, its address, its end, and access control.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use support::Bench;

struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn start(bench: &Bench, arguments: &[&str]) -> Self {
        let all: Vec<_> = ["serve"].iter().chain(arguments).copied().collect();
        let mut child = bench.command(&all).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().to_owned();
        Self { child, address }
    }

    fn get(&self, path: &str, more: &str) -> String {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{more}\r\n", self.address);
        socket.write_all(request.as_bytes()).unwrap();
        let mut said = String::new();
        socket.read_to_string(&mut said).unwrap();
        said
    }

    fn end(mut self, signal: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn serve_makes_a_store_answers_and_ends_by_signal() {
    let bench = Bench::new();
    let serving = Serving::start(&bench, &["--bind", "127.0.0.1:0"]);
    let said = serving.get("/api/v1/sessions", "");
    assert!(said.starts_with("HTTP/1.1 200") && said.ends_with(r#"{"sessions":[],"next":null}"#), "{said}");
    assert!(bench.path("laps.sqlite").exists());
    assert!(serving.get("/api/v1/sessions", "Host: evil.example\r\n").starts_with("HTTP/1.1 421"));
    assert_eq!(serving.end("-TERM"), Some(0));
    let serving = Serving::start(&bench, &["--bind", "127.0.0.1:0"]);
    assert_eq!(serving.end("-INT"), Some(130));
}

#[test]
fn a_wider_address_needs_tokens_or_public() {
    let bench = Bench::new();
    bench.expect(2, &["serve", "--bind", "0.0.0.0:0"]).is_one_error_with(&["gametape token add", "--public"]);
    let secret = bench.expect(0, &["token", "add", "rig", "--scope", "write"]).out.trim().to_owned();
    let list = bench.expect(0, &["token", "list", "--json"]);
    assert!(!list.out.contains(&secret));
    let tokens = list.json()["tokens"].clone();
    assert_eq!((&tokens[0]["name"], &tokens[0]["scope"]), (&"rig".into(), &"write".into()));
    let mut serving = Serving::start(&bench, &["--bind", "0.0.0.0:0"]);
    serving.address = serving.address.replace("0.0.0.0", "127.0.0.1");
    assert!(serving.get("/api/v1/sessions", "").starts_with("HTTP/1.1 401"));
    let bearer = format!("Authorization: Bearer {secret}\r\n");
    assert!(serving.get("/api/v1/sessions", &bearer).starts_with("HTTP/1.1 200"));
    bench.expect(0, &["token", "revoke", tokens[0]["id"].as_str().unwrap()]);
    assert!(serving.get("/api/v1/sessions", &bearer).starts_with("HTTP/1.1 401"), "a server that runs hears of it");
    bench.expect(4, &["token", "revoke", &"0".repeat(32)]);
    bench.expect(4, &["token", "revoke", "x"]).is_one_error_with(&["token list"]);
    assert!(bench.expect(0, &["token", "list"]).out.contains("revoked"));
    bench.expect(2, &["serve", "--bind", "0.0.0.0:0"]);
}

#[test]
fn origins_that_are_anybody_are_refused_and_a_token_can_be_required_on_this_machine() {
    let bench = Bench::new();
    for origin in ["null", "*", "", "https://laps.example/page"] {
        let ran = bench.expect(2, &["serve", "--cors", origin]);
        assert!(ran.err.contains("not an origin"), "{}", ran.err);
    }
    let arguments = ["--bind", "127.0.0.1:0", "--require-token"];
    bench.expect(2, &["serve", "--require-token"]).is_one_error_with(&["gametape token add"]);
    let secret = bench.expect(0, &["token", "add", "rig"]).out.trim().to_owned();
    let serving = Serving::start(&bench, &arguments);
    assert!(serving.get("/api/v1/sessions", "").starts_with("HTTP/1.1 401"));
    let bearer = format!("Authorization: Bearer {secret}\r\n");
    assert!(serving.get("/api/v1/sessions", &bearer).starts_with("HTTP/1.1 200"));
}
