use gametape::games::{CarLap, CarResult, CarStanding};
use gametape::laps::{CarChange, Event, Session};
use gametape::store::{Audience, DriverEdit, Store, Visibility, Write};
use serde_json::json;

use super::super::{Access, Announcer};
use super::{Server, local, origin, session};

fn car(number: u32, position: u16) -> CarStanding {
    let lap = CarLap {
        number: 1,
        time_ms: Some(90_000 + number),
        sectors_ms: vec![Some(30_000), None],
        valid: Some(true),
        valid_sectors: Vec::new(),
    };
    CarStanding {
        car: number,
        is_player: number == 1,
        name: Some(format!("Driver {number}")),
        class: Some("GT3".to_owned()),
        position: Some(position),
        result: CarResult::Active,
        gap_to_leader_ms: (position > 1).then_some(1_250),
        laps: vec![lap],
        ..CarStanding::default()
    }
}

/// A race of F1 25 with three cars, driven by driver 1.
fn race(server: &Server) -> Session {
    let session = Session { game: "f1-25".to_owned(), ..session(1, "Driver 1") };
    let cars = [car(1, 2), car(2, 1), car(3, 3)].map(CarChange::whole).to_vec();
    let writes = [Write::Session(session.clone()), Write::Cars(session.id, cars)];
    server.store.write(&origin(&session), &writes).unwrap();
    session
}

fn hide(server: &Server, driver: &str) {
    let edit = DriverEdit { name: None, visibility: Some(Visibility::Private) };
    server.store.edit_driver(driver, &edit).unwrap();
}

#[tokio::test]
async fn all_cars_of_a_session_come_in_the_order_of_their_positions() {
    let server = Server::new(local());
    let session = race(&server);
    let path = format!("/api/v1/sessions/{}/standings", session.id);
    let answer = server.get(&path).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let answer = answer.json();
    assert_eq!((&answer["session"], &answer["all_cars"]), (&json!(session.id.to_string()), &json!(true)));
    let cars = answer["cars"].as_array().unwrap();
    let shown: Vec<_> = cars.iter().map(|car| (car["position"].as_u64(), car["driver"].as_str())).collect();
    assert_eq!(shown, [(Some(1), Some("Driver 2")), (Some(2), Some("Driver 1")), (Some(3), Some("Driver 3"))]);
    // Unknown is null, never 0; the leader has no gap.
    assert_eq!((&cars[0]["gap_to_leader_ms"], &cars[1]["gap_to_leader_ms"]), (&json!(null), &json!(1_250)));
    assert_eq!((&cars[0]["pit_stops"], &cars[0]["tyre"], &cars[0]["laps"]), (&json!(null), &json!(null), &json!(null)));
    let with_laps = server.get(&format!("{path}?laps=true")).await.json();
    let lap =
        json!({ "number": 1, "time_ms": 90_002, "sectors_ms": [30_000, null], "valid": true, "valid_sectors": [] });
    assert_eq!(with_laps["cars"][0]["laps"], json!([lap]));
    // The player's laps stay alone in all other responses.
    assert_eq!(server.get("/api/v1/laps").await.json()["laps"], json!([]));
    for (wrong, status) in [("?lap=true", 400), ("?laps=maybe", 400)] {
        assert_eq!(server.get(&format!("{path}{wrong}")).await.status, status);
    }
    assert_eq!(server.get(&format!("/api/v1/sessions/{}/standings", "0".repeat(32))).await.status, 404);
}

#[tokio::test]
async fn a_game_that_reports_one_car_says_so() {
    let server = Server::new(local());
    let session = Session { game: "gran-turismo-7".to_owned(), ..session(1, "Driver 1") };
    server.store.write(&origin(&session), &[Write::Session(session.clone())]).unwrap();
    let answer = server.get(&format!("/api/v1/sessions/{}/standings", session.id)).await.json();
    assert_eq!((&answer["all_cars"], &answer["cars"]), (&json!(false), &json!([])));
}

#[tokio::test]
async fn the_public_sees_no_hidden_driver_and_nothing_of_a_hidden_player() {
    let server = Server::new(Access { public: true, ..local() });
    let session = race(&server);
    let path = format!("/api/v1/sessions/{}/standings?laps=true", session.id);
    assert!(server.get(&path).await.text.contains("Driver 3"));
    hide(&server, "Driver 3");
    let text = server.get(&path).await.text;
    assert!(text.contains("Driver 2") && !text.contains("Driver 3") && !text.contains("90003"), "{text}");
    hide(&server, "Driver 1");
    assert_eq!(server.get(&path).await.status, 404);
}

#[tokio::test]
async fn live_clients_are_notified_of_changes_without_the_cars() {
    let server = Server::new(local());
    let session = race(&server);
    let announcer = Announcer::new(server.state.clone());
    let before = server.state.hub.newest(Audience::Public);
    announcer.publish(&Event::SessionOpened(session.clone()));
    announcer.publish(&Event::Standings { session: session.id, cars: vec![CarChange::whole(car(2, 1))] });
    let (events, _) = server.state.hub.after(before, Audience::Public, 10);
    let last = events.last().unwrap();
    assert!(
        last.text.contains(r#""kind":"standings""#) && last.text.contains(&session.id.to_string()),
        "{}",
        last.text
    );
    assert!(!last.text.contains("Driver"), "{}", last.text);
    // A private player: the public is not notified.
    hide(&server, "Driver 1");
    let before = server.state.hub.newest(Audience::Public);
    announcer.publish(&Event::Standings { session: session.id, cars: Vec::new() });
    assert_eq!(server.state.hub.newest(Audience::Public), before);
}
