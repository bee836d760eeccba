use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use gametape::format::{StreamSpec, TapeId};
use gametape::live::LiveTape;
use gametape::live::frames::{FrameSink, LiveFrame};
use telemetry_v2::proto::telemetry::v2::{capture_header, frame};
use telemetry_v2::read::{Capture, Reader};
use tower::ServiceExt;

use super::super::PublishFrames;
use super::{Access, Server, local};

/// A recorder of two streams.
struct Recorder {
    sink: PublishFrames,
    tape: LiveTape,
}

impl Recorder {
    fn begin(server: &Server, id: u8) -> Self {
        let game = "some-game".to_owned();
        let tape = LiveTape { id: TapeId([id; 16]), path: PathBuf::from("some.gtape"), game, replay_of: None };
        let sink = PublishFrames(server.state.clone());
        sink.begins(&tape, &[StreamSpec::rows("static"), StreamSpec::rows("physics")], 1_000_000_000);
        Self { sink, tape }
    }

    fn frame(&self, stream: usize, time_ns: u64, sequence: u64) {
        let bytes = [stream as u8, sequence as u8];
        self.sink.frame(&self.tape, &LiveFrame { stream, time_ns, sequence, bytes: &bytes });
    }

    fn end(&self) {
        self.sink.ended(&self.tape);
    }
}

async fn listen(server: &Server) -> axum::body::BodyDataStream {
    let request = Request::builder().uri("/api/v1/live?format=v2").header("host", "127.0.0.1:7223");
    let peer: std::net::SocketAddr = server.peer.parse().unwrap();
    let request = request.extension(ConnectInfo(peer)).body(Body::empty()).unwrap();
    let response = server.app.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/x-protobuf");
    response.into_body().into_data_stream()
}

/// Returns the next chunk, `None` at the end; the timeout only guards against a hang.
async fn next(stream: &mut axum::body::BodyDataStream) -> Option<Vec<u8>> {
    let next = std::future::poll_fn(|context| futures_core::Stream::poll_next(Pin::new(&mut *stream), context));
    let piece = tokio::time::timeout(Duration::from_secs(20), next).await.unwrap();
    piece.map(|piece| piece.unwrap().to_vec())
}

async fn rest(mut stream: axum::body::BodyDataStream, mut bytes: Vec<u8>) -> Capture {
    while let Some(piece) = next(&mut stream).await {
        bytes.extend(piece);
    }
    Reader::new(bytes.as_slice()).unwrap().read_all().unwrap()
}

/// Returns stream and number of each frame, and the names of marks.
fn told(capture: &Capture) -> Vec<(String, u64)> {
    let payload = |payload: &frame::Payload| match payload {
        frame::Payload::Raw(raw) => {
            assert_eq!(*raw.data, [u8::from(raw.stream == "physics"), raw.sequence as u8]);
            (raw.stream.clone(), raw.sequence)
        }
        frame::Payload::Mark(mark) => (mark.kind.clone(), mark.text.split(' ').next().unwrap().parse().unwrap()),
        other => panic!("{other:?}"),
    };
    capture.frames.iter().map(|frame| payload(frame.payload.as_ref().unwrap())).collect()
}

#[tokio::test]
async fn a_late_client_gets_a_complete_capture_starting_with_the_latest_frame_of_each_stream() {
    let server = Server::new(local());
    let recorder = Recorder::begin(&server, 7);
    recorder.frame(0, 0, 0);
    (0..5).for_each(|number| recorder.frame(1, number * 1_000_000, number));
    let mut stream = listen(&server).await;
    let first = next(&mut stream).await.unwrap();
    (5..8).for_each(|number| recorder.frame(1, number * 1_000_000, number));
    // Frames of another recorder running at the same time.
    Recorder::begin(&server, 8).frame(1, 0, 99);
    recorder.end();
    let capture = rest(stream, first).await;
    assert_eq!(capture.problems.len(), 0, "{:?}", capture.problems);
    let header = capture.header.as_ref().unwrap();
    assert_eq!(header.capture_id, TapeId([7; 16]).to_string());
    assert_eq!(header.created_at.unwrap().unix_nanos(), 1_000_000_000);
    let Some(capture_header::GameHeader::Raw(raw)) = &header.game_header else { panic!("{header:?}") };
    assert_eq!((raw.game.as_str(), raw.streams.len()), ("some-game", 2));
    let physics = |number| ("physics".to_owned(), number);
    assert_eq!(told(&capture), [("static".to_owned(), 0), physics(4), physics(5), physics(6), physics(7)]);
    assert_eq!(capture.footer.unwrap().frame_count, 5);
}

#[tokio::test]
async fn marks_of_users_stand_between_the_frames() {
    let server = Server::new(local());
    let recorder = Recorder::begin(&server, 4);
    recorder.frame(1, 0, 0);
    let mut stream = listen(&server).await;
    let first = next(&mut stream).await.unwrap();
    recorder.frame(1, 1_000_000, 1);
    recorder.sink.mark(&recorder.tape, 1_500_000, "77 is here");
    recorder.frame(1, 2_000_000, 2);
    recorder.end();
    let capture = rest(stream, first).await;
    let physics = |number| ("physics".to_owned(), number);
    assert_eq!(told(&capture), [physics(0), physics(1), ("mark".to_owned(), 77), physics(2)]);
    let Some(frame::Payload::Mark(mark)) = &capture.frames[2].payload else { panic!() };
    assert_eq!((mark.text.as_str(), mark.time_ns), ("77 is here", 1_500_000));
}

#[tokio::test]
async fn a_client_waits_until_something_is_recorded() {
    let server = Server::new(local());
    let mut stream = listen(&server).await;
    let waiting = tokio::time::timeout(Duration::from_millis(50), next(&mut stream)).await;
    assert!(waiting.is_err(), "nothing may be said before there is a header");
    let recorder = Recorder::begin(&server, 1);
    recorder.frame(1, 0, 0);
    recorder.end();
    // It ended before the client read again: the next recording is followed.
    let recorder = Recorder::begin(&server, 2);
    let first = next(&mut stream).await.unwrap();
    recorder.frame(1, 5, 0);
    recorder.end();
    let capture = rest(stream, first).await;
    assert_eq!(capture.header.as_ref().unwrap().capture_id, TapeId([2; 16]).to_string());
    assert_eq!((told(&capture).len(), capture.problems.len()), (1, 0));
}

#[tokio::test]
async fn frames_that_a_slow_client_misses_are_counted() {
    let server = Server::new(local());
    let recorder = Recorder::begin(&server, 3);
    let mut stream = listen(&server).await;
    let first = next(&mut stream).await.unwrap();
    let given = 5_000;
    (0..given).for_each(|number| recorder.frame(1, number, number % 200));
    recorder.sink.lost(&recorder.tape, 3, given);
    recorder.end();
    let capture = rest(stream, first).await;
    let told = told(&capture);
    let frames = told.iter().filter(|(stream, _)| stream == "physics").count() as u64;
    let lost: u64 = told.iter().filter(|(kind, _)| kind == "lost").map(|(_, number)| number).sum();
    assert!(frames > 0 && frames < given, "{frames}");
    assert_eq!(frames + lost, given + 3);
    assert!(capture.footer.is_some() && capture.problems.is_empty());
}

#[tokio::test]
async fn frames_are_the_owners_and_json_has_its_own_parameters() {
    let public = Server::new(Access { public: true, port: 7223, ..Access::default() });
    assert_eq!(public.get("/api/v1/live?format=v2").await.status, 401);
    let server = Server::new(local());
    for query in ["format=v2&since=5", "format=v2&car=20", "format=v3"] {
        assert_eq!(server.get(&format!("/api/v1/live?{query}")).await.status, 400, "{query}");
    }
}
