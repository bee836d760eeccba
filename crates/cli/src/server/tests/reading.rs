use serde_json::{Value, json};

use super::{Server, drive, local};

#[tokio::test]
async fn a_name_that_is_no_text_is_an_error_like_any_other() {
    let server = Server::new(local());
    for path in ["/api/v1/laps/%FF", "/api/v1/sessions/%C3%28", "/api/v1/tapes/%FF"] {
        let answer = server.get(path).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (400, "bad_request"), "{path}");
    }
}

#[tokio::test]
async fn sessions_come_twenty_at_a_time_newest_first_with_a_cursor() {
    let server = Server::new(local());
    for number in 1..=25 {
        drive(server.store.as_ref(), number, "Driver 1", &[100_000, 99_000]);
    }
    let first = server.get("/api/v1/sessions").await.json();
    assert_eq!(first["sessions"].as_array().unwrap().len(), 20);
    assert_eq!(first["sessions"][0]["tape_id"], "19".repeat(16));
    let session = &first["sessions"][0];
    assert_eq!((&session["best_ms"], &session["theoretical_best_ms"]), (&json!(99_000), &json!(99_000)));
    assert_eq!((&session["type"], &session["lap_count"]), (&json!("practice"), &json!(2)));
    assert_eq!(session["started_utc"], "2026-03-01T12:00:25Z");
    assert_eq!((&session["layout"], session.get("laps")), (&Value::Null, None));
    let next = first["next"].as_str().unwrap();
    let second = server.get(&format!("/api/v1/sessions?cursor={next}&laps=true")).await.json();
    assert_eq!((second["sessions"].as_array().unwrap().len(), &second["next"]), (5, &Value::Null));
    let laps = second["sessions"][0]["laps"].as_array().unwrap();
    assert_eq!((&laps[0]["delta_to_best_ms"], &laps[1]["delta_to_best_ms"]), (&json!(1_000), &json!(0)));
    assert_eq!(laps[0]["sectors_ms"], json!([40_000, 60_000]));
}

#[tokio::test]
async fn unknown_parameters_are_refused_with_the_known_ones() {
    let server = Server::new(local());
    for (path, words) in [
        ("/api/v1/sessions?trakc=Spa", "`track`"),
        ("/api/v1/laps?valid=maybe", "true, false, unknown"),
        ("/api/v1/laps?phase=fast", "flying"),
        ("/api/v1/laps?sort=best", "fastest"),
        ("/api/v1/laps?limit=0", "1 and 500"),
        ("/api/v1/laps?limit=501", "1 and 500"),
        ("/api/v1/laps?limit=x", "invalid digit"),
        ("/api/v1/laps?track=", "empty"),
        ("/api/v1/laps?track=a&track=b", "duplicate"),
        ("/api/v1/sessions?from=yesterday", "2026-03-01"),
        ("/api/v1/progress?utc_offset_min=1000", "-840"),
        ("/api/v1/sessions/abc", "32"),
        ("/healthz?x=1", "unknown"),
    ] {
        let answer = server.get(path).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (400, "bad_request"), "{path}");
        assert!(answer.text.contains(words), "{path}: {}", answer.text);
    }
    for path in ["/api/v1/sessions?cursor=x.y", "/api/v1/laps?cursor=sessions.i5.b00"] {
        let answer = server.get(path).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (404, "unknown_cursor"), "{path}");
    }
    for path in ["/api/v1/nothing", "/api/v2/sessions", &format!("/api/v1/laps/{}", "0".repeat(32))] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
    assert_eq!(server.send("POST", "/api/v1/sessions", &[], "").await.status, 405);
    assert_eq!(server.get(&format!("/api/v1/laps?track={}", "x".repeat(9000))).await.status, 414);
}

#[tokio::test]
async fn laps_bests_and_lists_are_those_of_the_store() {
    let server = Server::new(local());
    let (session, laps) = drive(server.store.as_ref(), 1, "Driver 1", &[100_000, 98_000]);
    drive(server.store.as_ref(), 2, "Driver 2", &[99_000]);
    let found = server.get("/api/v1/laps?sort=fastest&driver=Driver%201").await.json();
    assert_eq!(found["laps"][0]["id"], laps[1].to_string());
    assert_eq!(found["laps"].as_array().unwrap().len(), 2);
    let lap = server.get(&format!("/api/v1/laps/{}", laps[0])).await.json();
    assert_eq!((&lap["time_ms"], &lap["session"]), (&json!(100_000), &json!(session.to_string())));
    let bests = server.get("/api/v1/bests?track=Spa").await.json();
    let times: Vec<_> = bests["bests"].as_array().unwrap().iter().map(|best| best["time_ms"].clone()).collect();
    assert_eq!(times, [98_000, 99_000]);
    assert_eq!(server.get("/api/v1/tracks").await.json()["tracks"][0]["lap_count"], 3);
    assert_eq!(server.get("/api/v1/cars").await.json()["cars"][0]["id"], "car_a");
    assert_eq!(server.get("/api/v1/drivers").await.json()["drivers"].as_array().unwrap().len(), 2);
    let day = &server.get("/api/v1/progress").await.json()["days"][0];
    assert_eq!(
        (&day["day"], &day["best_ms"], &day["median_ms"]),
        (&json!("2026-03-01"), &json!(98_000), &json!(99_000))
    );
    assert_eq!(server.get("/api/v1/tapes").await.json(), json!({ "tapes": [], "next": null }));
    assert_eq!(server.get("/readyz").await.status, 200);
    let metrics = server.get("/metrics").await.text;
    let line = "gametape_http_requests_total{route=\"/api/v1/laps/{id}\",method=\"GET\",status=\"200\"} 1";
    assert!(metrics.contains(line), "{metrics}");
}

#[tokio::test]
async fn a_typed_name_means_the_same_as_on_the_command_line() {
    let server = Server::new(local());
    drive(server.store.as_ref(), 1, "Driver 1", &[100_000]);
    drive(server.store.as_ref(), 2, "Driver 11", &[99_000, 98_000]);
    for (list, typed, found) in [
        // The one name that equals it, otherwise all names that contain it, ignoring case.
        ("laps", "driver=Driver%201", 1),
        ("laps", "driver=driver%201", 3),
        ("laps", "car=AR_A", 3),
        ("sessions", "track=sp", 2),
        ("sessions", "track=monza", 0),
        ("bests", "driver=river", 2),
        ("tracks", "track=PA", 1),
    ] {
        let page = server.get(&format!("/api/v1/{list}?{typed}")).await.json();
        assert_eq!(page[list].as_array().map(Vec::len), Some(found), "{list}?{typed}: {page}");
    }
}

#[tokio::test]
async fn etag_gives_304_until_the_response_changes() {
    let server = Server::new(local());
    drive(server.store.as_ref(), 1, "Driver 1", &[100_000]);
    let first = server.get("/api/v1/sessions").await;
    let tag = first.headers["etag"].to_str().unwrap();
    for known in [tag, &format!("W/{tag}, \"x\""), "*"] {
        let again = server.send("GET", "/api/v1/sessions", &[("if-none-match", known)], "").await;
        assert_eq!((again.status.as_u16(), again.text.as_str()), (304, ""), "{known}");
        assert_eq!(again.headers["etag"], tag);
    }
    drive(server.store.as_ref(), 1, "Driver 1", &[99_000]);
    let changed = server.send("GET", "/api/v1/sessions", &[("if-none-match", tag)], "").await;
    assert_eq!(changed.status, 200);
    assert_eq!(changed.json()["sessions"][0]["best_ms"], 99_000);
}

#[tokio::test]
async fn the_description_names_every_route_and_its_references_lead_somewhere() {
    let server = Server::new(local());
    let api = server.get("/openapi.json").await.json();
    let paths = api["paths"].as_object().unwrap();
    for path in [
        "sessions",
        "sessions/{id}",
        "laps",
        "laps/{id}",
        "bests",
        "tracks",
        "cars",
        "drivers",
        "drivers/{driver}",
        "progress",
        "tapes",
        "live",
    ] {
        assert!(paths.contains_key(&format!("/api/v1/{path}")), "{path}");
    }
    let text = api.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(api.pointer(pointer).is_some(), "{pointer}");
    }
    assert!(api["paths"]["/api/v1/laps"]["get"]["parameters"].as_array().unwrap().len() >= 15);
}
