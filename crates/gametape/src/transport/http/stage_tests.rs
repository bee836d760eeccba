use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use gametape_format::StreamId;
use gametape_games::echo_vr;

use super::*;
use crate::transport::Link;

const TAPE: TapeId = TapeId([7; 16]);

/// A client that keeps its connection alive.
struct Client(TcpStream, Vec<u8>);

impl Client {
    fn new(stage: &HttpStage) -> Self {
        let stream = TcpStream::connect(stage.address().unwrap()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Self(stream, Vec::new())
    }

    fn send(&mut self, request: &str) {
        self.0.write_all(request.as_bytes()).unwrap();
    }

    /// Reads head and body of the next response.
    fn answer(&mut self) -> (String, Vec<u8>) {
        loop {
            let head = self.1.windows(4).position(|end| end == b"\r\n\r\n").map(|at| at + 4);
            if let Some(head) = head {
                let text = String::from_utf8(self.1[..head].to_vec()).unwrap();
                let length = text.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
                let length: usize = length.parse().unwrap();
                if self.1.len() >= head + length {
                    let body = self.1[head..head + length].to_vec();
                    self.1.drain(..head + length);
                    return (text, body);
                }
            }
            let mut piece = [0; 4096];
            let count = self.0.read(&mut piece).unwrap();
            assert!(count > 0, "the server hung up after {:?}", String::from_utf8_lossy(&self.1));
            self.1.extend_from_slice(&piece[..count]);
        }
    }

    fn get(&mut self, path: &str) -> (String, Vec<u8>) {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
        self.answer()
    }

    fn hung_up(&mut self) -> bool {
        self.1.is_empty() && matches!(self.0.read(&mut [0; 1]), Ok(0))
    }
}

fn stage() -> HttpStage {
    let part = |stream: u16, name| Part { stream: StreamId(stream), name, rank: 0, moves: true, is_message: false };
    let parts = [part(0, echo_vr::SESSION), part(1, echo_vr::PLAYER_BONES)];
    HttpStage::open(&echo_vr::GAME, TAPE, &parts, Some(0)).unwrap()
}

fn show(stage: &mut HttpStage, name: &'static str, at_once: bool, frame: &[u8]) {
    let part = usize::from(name != echo_vr::SESSION);
    let entry = Entry { part, time_ns: 0, at_once, link: Link::default(), range: 0..0 };
    assert_eq!(stage.show(&entry, frame).unwrap(), Shown::Step);
}

#[test]
fn answers_are_the_frames_to_the_byte_over_one_connection_and_to_many_clients() {
    let mut stage = stage();
    assert!(stage.address().unwrap().ip().is_loopback());
    let mut clients: Vec<Client> = (0..5).map(|_| Client::new(&stage)).collect();
    for round in 0..20 {
        let session = format!("{{\"sessionid\":\"A\",\"odd\" : 1.{round}0e-5,\"name\":\"\u{e9}\"}}\r\n ");
        let bones = format!("{{\"user_bones\":[{}],\"err_code\":0}}", "0.25,".repeat(2000));
        show(&mut stage, echo_vr::SESSION, false, session.as_bytes());
        show(&mut stage, echo_vr::PLAYER_BONES, false, bones.as_bytes());
        for client in &mut clients {
            let (head, body) = client.get("/session");
            assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains(&format!("gametape-tape: {TAPE}\r\n")));
            assert_eq!(body, session.as_bytes());
            assert_eq!(client.get("/player_bones").1, bones.as_bytes());
        }
    }
    // Two pipelined requests get two responses.
    let ask = "GET /session HTTP/1.1\r\nHost: localhost:1\r\n\r\n";
    clients[0].send(&ask.repeat(2));
    assert_eq!(clients[0].answer(), clients[0].answer());
}

#[test]
fn without_a_match_there_is_404_and_the_game_s_own_refusals_keep_their_status() {
    let mut stage = stage();
    let mut client = Client::new(&stage);
    let expect = |answer: (String, Vec<u8>), status: &str, body: &str| {
        let (head, bytes) = answer;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{head}");
        assert!(String::from_utf8(bytes).unwrap().starts_with(body), "{head}");
    };
    expect(client.get("/session"), "404", "{\"err_code\":-6,");
    expect(client.get("/player_bones"), "404", "{\"err_code\":-6,");
    expect(client.get("/get_rules"), "404", "");
    for (frame, status) in [
        ("{\"err_code\":-2}", "500"),
        ("{\"err_code\":-6}", "404"),
        ("{\"err_code\":0}", "200"),
        ("<html>loading</html>", "200"),
        ("{\"sessionid\":\"A\"}", "200"),
    ] {
        show(&mut stage, echo_vr::SESSION, false, frame.as_bytes());
        expect(client.get("/session"), status, frame);
    }
    stage.leave().unwrap();
    expect(client.get("/session"), "404", "{\"err_code\":-6,");
    let address = stage.address().unwrap();
    Box::new(stage).remove().unwrap();
    assert!(client.hung_up() && TcpStream::connect(address).is_err());
}

#[test]
fn strangers_commands_and_nonsense_are_refused() {
    let mut stage = stage();
    show(&mut stage, echo_vr::SESSION, false, b"{\"sessionid\":\"A\"}");
    for (request, status) in [
        ("GET /session HTTP/1.1\r\nHost: echo.example\r\n\r\n", "403"),
        ("GET /session HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://echo.example\r\n\r\n", "403"),
        ("POST /session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n\r\nx", "404"),
        ("\u{1}\r\n\r\n", "400"),
        (&"GET /session HTTP/1.1\r\nx: y".repeat(1000), "400"),
        // A line without an end is rejected early.
        (&format!("GET /session HTTP/1.1\r\nx: {}", "y".repeat(10_000)), "400"),
    ] {
        let mut client = Client::new(&stage);
        client.send(request);
        let (head, body) = client.answer();
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")) && body.is_empty(), "{request:.60}: {head}");
    }
}

#[test]
fn clients_that_say_nothing_or_too_many_of_them_hold_nobody_up() {
    let mut stage = stage();
    show(&mut stage, echo_vr::SESSION, false, b"{\"sessionid\":\"A\"}");
    let mut half = Client::new(&stage);
    half.send("GET /session HT");
    let mut client = Client::new(&stage);
    assert_eq!(client.get("/session").1, b"{\"sessionid\":\"A\"}");
    assert!(half.hung_up(), "half a request is not waited for");
    let mut many: Vec<Client> = (0..80).map(|_| Client::new(&stage)).collect();
    // A rejected client may only notice that the connection was closed.
    let is_served = |client: &mut Client| {
        let _ = client.0.write_all(b"GET /session HTTP/1.1\r\n\r\n");
        let mut start = [0; 12];
        client.0.read_exact(&mut start).is_ok() && start == *b"HTTP/1.1 200"
    };
    let served = many.iter_mut().filter_map(|client| is_served(client).then_some(()));
    // One client is connected already; the slot of the one with half a request becomes free about now.
    assert!((62..=63).contains(&served.count()));
    drop(many);
    assert_eq!(client.get("/session").1, b"{\"sessionid\":\"A\"}", "who was there before is served");
}

#[test]
fn after_a_jump_nothing_of_before_is_left_and_until_then_nothing_goes_away() {
    let mut stage = stage();
    let mut client = Client::new(&stage);
    show(&mut stage, echo_vr::SESSION, true, b"{\"sessionid\":\"A\",\"at\":9}");
    show(&mut stage, echo_vr::PLAYER_BONES, true, b"{\"at\":9}");
    stage.jump();
    assert_eq!(client.get("/player_bones").1, b"{\"at\":9}");
    // There are no bones at the position of the jump.
    show(&mut stage, echo_vr::SESSION, true, b"{\"sessionid\":\"A\",\"at\":1}");
    assert_eq!(client.get("/session").1, b"{\"sessionid\":\"A\",\"at\":1}");
    show(&mut stage, echo_vr::SESSION, false, b"{\"sessionid\":\"A\",\"at\":2}");
    assert!(client.get("/player_bones").0.starts_with("HTTP/1.1 404"));
}

#[test]
fn a_port_that_is_taken_is_named() {
    let first = stage();
    let port = first.address().unwrap().port();
    let taken = HttpStage::open(&echo_vr::GAME, TAPE, &[], Some(port)).map(|_| ()).unwrap_err().to_string();
    assert!(taken.contains(&port.to_string()) && taken.contains("another port"), "{taken}");
}
