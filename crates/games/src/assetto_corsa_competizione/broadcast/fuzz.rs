//! For the mutation tests only: runs arbitrary bytes through both sides of the protocol.
use super::client::BroadcastClient;
use super::messages::Message;
use super::requests::Request;
use super::server::BroadcastServer;
use super::{BroadcastStandings, STREAMS, state};
use crate::capture::SeenFrame;
use crate::layout::NO_CHANNELS;
use crate::requests::{RequestClient as _, RequestServer as _, RequestSettings, Subscriber};
use crate::standings::ReadStandings as _;

/// Takes bytes as a message, as a request and as a frame of every stream. Panics if an invariant does not hold.
pub fn fuzz_broadcast(data: &[u8]) {
    let message = Message::parse(data);
    if let Some(Message::EntryListCar(car)) = message {
        assert_eq!(car.drivers().count(), usize::from(car.driver_count()), "a car has all of its drivers");
    }
    if let Some(Message::TrackData(track)) = message {
        let _ = (track.camera_sets().count(), track.hud_pages().count());
    }
    assert!(message.is_none() || state::stream_of(data).is_some(), "a message has a stream");
    let settings = RequestSettings { password: Some(String::from_utf8_lossy(data).into_owned()), interval_ms: None };
    let mut client = BroadcastClient::new(&settings);
    let (mut server, mut standings) = (BroadcastServer::default(), BroadcastStandings::default());
    let (mut subscriber, mut sent, mut answers) = (Subscriber::new(1), Vec::new(), Vec::new());
    for (second, stream) in (1_u64..).zip(&STREAMS) {
        let now_ns = second * 1_000_000_000;
        client.requests(now_ns, &mut sent);
        client.received(now_ns, stream.name, data);
        server.note(stream.name, data);
        standings.frame(SeenFrame { stream: stream.name, layout: &NO_CHANNELS, bytes: data });
    }
    client.end(&mut sent);
    for request in sent.iter().map(Vec::as_slice).chain([data]) {
        let is_request = server.request(0, &mut subscriber, request, &mut answers);
        assert_eq!(is_request, Request::parse(request).is_some(), "{request:?}");
    }
    assert!(sent.iter().all(|request| Request::parse(request).is_some_and(|one| one != Request::Command)), "{sent:?}");
    let is_whole = |answer: &Vec<u8>| state::stream_of(answer).is_some() || answer == data;
    assert!(answers.iter().all(is_whole), "{answers:?}");
    let _ = standings.cars();
}
