use gametape::store::{Scope, Store};
use serde_json::json;

use super::{Access, Server, drive, local};

const JSON: (&str, &str) = ("content-type", "application/json");
const OWN: (&str, &str) = ("origin", "http://127.0.0.1:7223");

#[tokio::test]
async fn laps_are_excluded_named_deleted_and_brought_back() {
    let server = Server::new(local());
    let (session, laps) = drive(server.store.as_ref(), 1, "Driver 1", &[100_000, 98_000]);
    let path = format!("/api/v1/laps/{}", laps[1]);
    let best = async || server.get("/api/v1/bests").await.json()["bests"][0]["time_ms"].clone();
    let body = r#"{"excluded":true,"note":"cut","tags":["b","a"]}"#;
    let answer = server.send("PATCH", &path, &[JSON, OWN], body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let lap = answer.json();
    assert_eq!((&lap["excluded"], &lap["eligible"], &lap["note"]), (&json!(true), &json!(false), &json!("cut")));
    assert_eq!((&lap["tags"], &lap["reasons"]), (&json!(["a", "b"]), &json!(["user_excluded"])));
    assert_eq!(best().await, 100_000);
    let lap = server.send("PATCH", &path, &[JSON, OWN], r#"{"excluded":false,"note":null}"#).await.json();
    assert_eq!((&lap["note"], &lap["tags"]), (&json!(null), &json!(["a", "b"])));
    assert_eq!(best().await, 98_000);
    assert_eq!(server.send("DELETE", &path, &[OWN], "").await.status, 200);
    assert_eq!(server.get("/api/v1/laps").await.json()["laps"].as_array().unwrap().len(), 1);
    assert_eq!(server.get("/api/v1/laps?deleted=true").await.json()["laps"][0]["id"], laps[1].to_string());
    assert_eq!(server.get(&path).await.status, 404);
    assert_eq!(server.get(&format!("{path}?deleted=true")).await.status, 200);
    server.send("PATCH", &path, &[JSON, OWN], r#"{"deleted":false}"#).await;
    assert_eq!(server.get(&path).await.status, 200);
    assert_eq!(best().await, 98_000);
    let path = format!("/api/v1/sessions/{session}");
    assert_eq!(server.send("PATCH", &path, &[JSON, OWN], r#"{"name":"League"}"#).await.json()["name"], "League");
    assert_eq!(server.send("DELETE", &path, &[OWN], "").await.status, 200);
    assert_eq!(server.get("/api/v1/laps").await.json()["laps"], json!([]));
    assert_eq!(server.get(&format!("/api/v1/laps/{}", laps[0])).await.status, 404, "its laps go with it");
    assert_eq!(server.get(&path).await.status, 404);
}

#[tokio::test]
async fn drivers_tracks_and_cars_are_named() {
    let server = Server::new(local());
    drive(server.store.as_ref(), 1, "Driver 1", &[100_000]);
    let name = r#"{"game":"assetto-corsa-competizione","id":"Spa","name":"Spa-Francorchamps"}"#;
    assert_eq!(server.send("PATCH", "/api/v1/tracks", &[JSON, OWN], name).await.status, 204);
    assert_eq!(server.get("/api/v1/sessions").await.json()["sessions"][0]["track_name"], "Spa-Francorchamps");
    let body = r#"{"name":"One","privacy":"private"}"#;
    assert_eq!(server.send("PATCH", "/api/v1/drivers/Driver%201", &[JSON, OWN], body).await.status, 204);
    let driver = &server.get("/api/v1/drivers").await.json()["drivers"][0];
    assert_eq!((&driver["name"], &driver["privacy"]), (&json!("One"), &json!("private")));
    let body = r#"{"privacy":"secret"}"#;
    assert_eq!(server.send("PATCH", "/api/v1/drivers/Driver%201", &[JSON, OWN], body).await.status, 400);
}

#[tokio::test]
async fn edits_need_a_write_token_or_a_page_of_this_server() {
    let server = Server::new(local());
    let (_, laps) = drive(server.store.as_ref(), 1, "Driver 1", &[100_000]);
    let path = format!("/api/v1/laps/{}", laps[0]);
    let (_, read) = server.store.add_token("r", Scope::Read).unwrap();
    let (_, write) = server.store.add_token("w", Scope::Write).unwrap();
    let (read, write) = (format!("Bearer {read}"), format!("Bearer {write}"));
    let edit =
        async |headers: &[(&str, &str)]| server.send("PATCH", &path, headers, r#"{"excluded":true}"#).await.status;
    assert_eq!(edit(&[JSON]).await, 403);
    assert_eq!(edit(&[JSON, ("origin", "http://evil.example")]).await, 403);
    assert_eq!(edit(&[JSON, OWN, ("authorization", &read)]).await, 403);
    assert_eq!(server.send("DELETE", &path, &[], "").await.status, 403);
    assert!(!server.get(&path).await.text.contains("\"excluded\":true"), "nothing was done");
    assert_eq!(edit(&[JSON, ("authorization", &write)]).await, 200);
    // On a non-loopback address the Origin header authorizes nothing.
    let public = Server::new(Access { public: true, port: 7223, ..Access::default() });
    let (_, laps) = drive(public.store.as_ref(), 1, "Driver 1", &[100_000]);
    let path = format!("/api/v1/laps/{}", laps[0]);
    for method in ["PATCH", "DELETE"] {
        assert_eq!(public.send(method, &path, &[JSON, OWN], "{}").await.status, 401, "{method}");
    }
}

#[tokio::test]
async fn bodies_that_are_no_edits_are_refused() {
    let server = Server::new(local());
    let (_, laps) = drive(server.store.as_ref(), 1, "Driver 1", &[100_000]);
    let path = format!("/api/v1/laps/{}", laps[0]);
    let long = format!(r#"{{"note":"{}"}}"#, "x".repeat(10_001));
    let huge = format!(r#"{{"note":"{}"}}"#, "x".repeat(70_000));
    for (body, status) in [
        ("", 400),
        ("[]", 400),
        ("[null, null, null, null, null]", 400),
        (r#"{"exclude":true}"#, 400),
        (r#"{"excluded":"yes"}"#, 400),
        (long.as_str(), 400),
        (huge.as_str(), 413),
        ("{}", 200),
    ] {
        let answer = server.send("PATCH", &path, &[JSON, OWN], body).await;
        assert_eq!(answer.status, status, "{}", body.chars().take(30).collect::<String>());
    }
    assert!(server.send("PATCH", &path, &[JSON, OWN], r#"{"exclude":true}"#).await.text.contains("`excluded`"));
    assert_eq!(server.send("PATCH", &path, &[OWN, ("content-type", "text/plain")], "{}").await.status, 415);
    let nobody = format!("/api/v1/laps/{}", "0".repeat(32));
    assert_eq!(server.send("PATCH", &nobody, &[JSON, OWN], "{}").await.status, 404);
}
