use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;
use tower::ServiceExt;

use gametape::store::Audience;

use super::super::live::Kind;
use super::{Access, Server, local};

/// Opens the event stream.
async fn listen(server: &Server, query: &str, headers: &[(&str, &str)]) -> axum::body::BodyDataStream {
    let mut request = Request::builder().uri(format!("/api/v1/live{query}")).header("host", "127.0.0.1:7223");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let peer: SocketAddr = server.peer.parse().unwrap();
    let request = request.extension(ConnectInfo(peer)).body(Body::empty()).unwrap();
    let response = server.app.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    response.into_body().into_data_stream()
}

/// Returns the next chunk; the timeout only guards against a hang.
async fn next(stream: &mut axum::body::BodyDataStream) -> String {
    let next = std::future::poll_fn(|context| futures_core::Stream::poll_next(Pin::new(&mut *stream), context));
    let piece = tokio::time::timeout(Duration::from_secs(10), next).await.unwrap().unwrap().unwrap();
    String::from_utf8(piece.to_vec()).unwrap()
}

fn publish(server: &Server, number: u32, public: bool) {
    let data = serde_json::json!({ "lap": number });
    server.state.hub.publish(Kind::LapEdited, &data, public.then_some(&data));
}

#[tokio::test]
async fn h10_a_client_that_comes_back_misses_nothing() {
    let server = Server::new(local());
    let start = server.state.hub.newest(Audience::Owner);
    let mut first = listen(&server, "", &[]).await;
    publish(&server, 1, true);
    let heard = next(&mut first).await;
    assert!(heard.starts_with(&format!("id: {}\nevent: lap_edited\ndata: {{", start + 1)), "{heard}");
    drop(first);
    publish(&server, 2, true);
    publish(&server, 3, true);
    let last = (start + 1).to_string();
    for (query, headers) in
        [(format!("?since={last}"), vec![]), (String::new(), vec![("last-event-id", last.as_str())])]
    {
        let mut again = listen(&server, &query, &headers).await;
        let heard = next(&mut again).await;
        assert!(heard.contains("\"lap\":2") && heard.contains("\"lap\":3") && !heard.contains("\"lap\":1}"), "{heard}");
    }
    let mut old = listen(&server, "?since=5", &[]).await;
    assert!(next(&mut old).await.contains("event: reset"));
}

#[tokio::test]
async fn the_public_hears_only_what_is_public() {
    let server = Server::new(Access { public: true, port: 7223, ..Access::default() });
    let mut stream = listen(&server, "", &[]).await;
    publish(&server, 1, false);
    publish(&server, 2, true);
    let heard = next(&mut stream).await;
    assert!(heard.contains("\"lap\":2") && !heard.contains("\"lap\":1"), "{heard}");
}

#[tokio::test]
async fn a_handshake_that_is_none_is_refused() {
    let server = Server::new(local());
    let answer = server.send("GET", "/api/v1/live", &[("upgrade", "websocket"), ("connection", "upgrade")], "").await;
    assert_eq!(answer.status, 400);
    assert_eq!(server.get("/api/v1/live?since=x").await.status, 400);
}

#[tokio::test]
async fn laps_are_told_when_they_are_stored_and_private_ones_to_the_owner_alone() {
    use gametape::laps::Event;
    use gametape::store::{DriverEdit, Store, Visibility};

    let server = Server::new(Access { public: true, port: 7223, ..Access::default() });
    let announcer = super::super::Announcer::new(server.state.clone());
    let private = DriverEdit { name: None, visibility: Some(Visibility::Unlisted) };
    server.store.edit_driver("Driver 2", &private).unwrap();
    let [start, public_start] = [Audience::Owner, Audience::Public].map(|audience| server.state.hub.newest(audience));
    for (number, driver) in [(1, "Driver 1"), (2, "Driver 2")] {
        let session = super::session(number, driver);
        let lap = super::lap(&session, 1, 100_000 + u32::from(number));
        announcer.publish(&Event::LapFinal(lap.clone()));
        assert_eq!(
            server.state.hub.newest(Audience::Owner),
            start + u64::from(number - 1) * 3,
            "what is not stored is not told"
        );
        super::drive(server.store.as_ref(), number, driver, &[100_000 + u32::from(number)]);
        announcer.publish(&Event::SessionOpened(session));
        announcer.publish(&Event::LapOpened(lap.clone()));
        announcer.publish(&Event::LapFinal(lap));
    }
    let starts = |audience| if audience == Audience::Owner { start } else { public_start };
    let heard = |audience| {
        let (events, _) = server.state.hub.after(starts(audience), audience, 100);
        events.iter().map(|event| event.text.to_string()).collect::<String>()
    };
    let owner = heard(gametape::store::Audience::Owner);
    assert!(owner.contains("\"time_ms\":100001") && owner.contains("\"time_ms\":100002"), "{owner}");
    let public = heard(gametape::store::Audience::Public);
    assert!(public.contains("\"time_ms\":100001") && public.contains("lap_opened"), "{public}");
    let hidden = super::session(2, "Driver 2");
    for trace in ["Driver 2", "100002", &hidden.id.to_string(), &super::lap(&hidden, 1, 100_000).id.to_string()] {
        assert!(!public.contains(trace), "{trace}: {public}");
    }
}

#[tokio::test]
async fn h9_a_driver_who_is_hidden_while_driving_and_a_co_driver_are_heard_by_the_owner_alone() {
    use gametape::laps::{Event, Lap, Sector, SectorSource};
    use gametape::store::{DriverEdit, Store, Visibility};

    let server = Server::new(Access { public: true, port: 7223, ..Access::default() });
    let announcer = super::super::Announcer::new(server.state.clone());
    let session = super::session(1, "Driver 1");
    super::drive(server.store.as_ref(), 1, "Driver 1", &[100_000]);
    let lap = super::lap(&session, 2, 100_000);
    let sector = Event::SectorClosed {
        lap: lap.id,
        number: 1,
        sector: Sector { time_ms: Some(31_234), source: SectorSource::Official },
    };
    announcer.publish(&Event::SessionOpened(session.clone()));
    let told = |event: &Event| {
        let before = [Audience::Owner, Audience::Public].map(|audience| (server.state.hub.newest(audience), audience));
        announcer.publish(event);
        before.map(|(before, audience)| server.state.hub.after(before, audience, 10).0.len()).into()
    };
    let opened = Event::LapOpened(lap.clone());
    assert_eq!((told(&opened), told(&sector)), ((1, 1), (1, 1)), "all may hear of the first driver");
    let other = Event::LapOpened(Lap { driver: Some("Driver 2".into()), ..lap });
    assert_eq!((told(&other), told(&sector)), ((1, 0), (1, 0)), "a co-driver may be hidden");
    assert_eq!((told(&opened), told(&sector)), ((1, 1), (1, 1)));
    server.store.edit_driver("Driver 1", &DriverEdit { name: None, visibility: Some(Visibility::Private) }).unwrap();
    assert_eq!((told(&sector), told(&opened)), ((1, 0), (1, 0)), "hidden in the middle of a lap");
}

#[tokio::test]
async fn the_numbers_of_the_public_do_not_count_what_is_hidden() {
    let server = Server::new(Access { public: true, port: 7223, ..Access::default() });
    let start = server.state.hub.newest(Audience::Public);
    let mut stream = listen(&server, "", &[]).await;
    for number in 0..5 {
        publish(&server, number, false);
    }
    publish(&server, 5, true);
    assert!(next(&mut stream).await.starts_with(&format!("id: {}\n", start + 1)));
}

#[tokio::test]
async fn a_driver_whom_another_program_hides_is_not_replayed() {
    use gametape::store::{DriverEdit, SqlStore, Store, Visibility};

    let server = Server::new(Access { public: true, port: 7223, ..Access::default() });
    let start = server.state.hub.newest(Audience::Public);
    let mut first = listen(&server, "", &[]).await;
    let data = serde_json::json!({ "driver": "Driver 1" });
    server.state.hub.publish(Kind::LapFinal, &data, Some(&data));
    assert!(next(&mut first).await.contains("Driver 1"));
    let again = format!("?since={start}");
    assert!(next(&mut listen(&server, &again, &[]).await).await.contains("Driver 1"), "while the driver is public");
    let hidden = DriverEdit { name: None, visibility: Some(Visibility::Private) };
    let other = SqlStore::sqlite(server._folder.path().join("laps.sqlite")).unwrap();
    other.edit_driver("Driver 1", &hidden).unwrap();
    let heard = next(&mut listen(&server, &again, &[]).await).await;
    assert!(heard.contains("event: reset") && !heard.contains("Driver 1"), "{heard}");
}
