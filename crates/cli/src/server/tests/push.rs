use gametape::laps::{Id, TRACKER_ID, TRACKER_VERSION, TrackedSession};
use gametape::store::{SessionUpload, Store, TrackerVersion, Visibility};

use super::{Server, lap, local, session};

fn upload(version: u32) -> SessionUpload {
    let session = session(1, "Driver 1");
    let laps = vec![lap(&session, 1, 100_000)];
    SessionUpload {
        tracker: TrackerVersion { id: TRACKER_ID.to_owned(), version },
        tracked: TrackedSession { session, stints: Vec::new(), laps, cars: Vec::new() },
        facts: None,
        hidden: Vec::new(),
        excluded: Vec::new(),
    }
}

async fn push(server: &Server, upload: &SessionUpload) -> super::Answer {
    let headers = [("origin", "http://127.0.0.1:7223")];
    server.send("PUT", "/api/v1/push/sessions", &headers, &upload.pack().unwrap()).await
}

#[tokio::test]
async fn a_tracker_that_this_program_cannot_know_is_refused_and_blocks_nobody() {
    let server = Server::new(local());
    let other = SessionUpload { tracker: TrackerVersion { id: "other".to_owned(), version: 1 }, ..upload(1) };
    for unknown in [upload(u32::MAX), upload(TRACKER_VERSION + 1), other] {
        let answer = push(&server, &unknown).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (409, "unknown_tracker"), "{}", answer.text);
    }
    let answer = push(&server, &upload(TRACKER_VERSION)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!((&answer.json()["changed"], &answer.json()["kept_newer"]), (&2.into(), &false.into()));
}

#[tokio::test]
async fn only_drivers_of_a_session_are_hidden_with_it_and_not_thousands() {
    let server = Server::new(local());
    let hide = |driver: String| (driver, Visibility::Private);
    let stranger = SessionUpload { hidden: vec![hide("Driver 2".to_owned())], ..upload(1) };
    let mut crowd = upload(1);
    let template = crowd.tracked.laps[0].clone();
    for number in 0..3000u32 {
        let driver = format!("Driver {number}");
        let start_ns = u64::from(number) * 1_000_000;
        let id = Id::of_lap(crowd.tracked.session.tape, start_ns, 0);
        crowd.tracked.laps.push(gametape::laps::Lap { id, start_ns, driver: Some(driver.clone()), ..template.clone() });
        crowd.hidden.push(hide(driver));
    }
    for wrong in [stranger, crowd] {
        let answer = push(&server, &wrong).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert!(answer.text.contains("hidden drivers"), "{}", answer.text);
    }
    assert_eq!(server.store.visibility_of("Driver 2").unwrap(), Visibility::Public);
    let own = SessionUpload { hidden: vec![hide("Driver 1".to_owned())], ..upload(1) };
    assert_eq!(push(&server, &own).await.status, 200);
    assert_eq!(server.store.visibility_of("Driver 1").unwrap(), Visibility::Private);
}
