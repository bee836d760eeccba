use gametape::store::{Audience, ListQuery, Store};
use serde_json::Value;

use super::{Answer, Server, local};
use crate::server::{Access, AppState};

const OWN: [(&str, &str); 1] = [("origin", "http://127.0.0.1:7223")];
const UPLOAD: &str = "0123456789abcdef0123456789abcdef";

/// A lap of Garage 61, one minute: text, which any body can carry.
fn lap_file() -> String {
    let row = |row: u32| format!("50.0,{:.6},50.0,8.0\n", (f64::from(row) + 0.5) / 3600.0);
    "Speed,LapDistPct,Lat,Lon\n".to_owned() + &(0..3600).map(row).collect::<String>()
}

const NAME: &str = "Garage%2061%20-%20Driver%201%20-%20Car%20A%20-%20Spa%20-%2001.00.000%20-%20ABC.csv";

fn server(access: Access) -> Server {
    let server = Server::new(access);
    server.state.take_tapes(server._folder.path().join("tapes"));
    server
}

async fn send(server: &Server, more: &str, body: &str) -> Answer {
    server.send("POST", &format!("/api/v1/import?upload={UPLOAD}&file={NAME}{more}"), &OWN, body).await
}

fn files_in(state: &AppState, folder: &std::path::Path) -> Vec<String> {
    assert!(state.incoming.get().is_some());
    let entries = std::fs::read_dir(folder).map(|entries| entries.flatten().collect::<Vec<_>>()).unwrap_or_default();
    entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[tokio::test]
async fn a_file_that_arrives_in_chunks_becomes_a_tape_with_laps_of_someone_else() {
    let server = server(local());
    let file = lap_file();
    let (first, rest) = file.split_at(20_000);
    let bytes = format!("&bytes={}", file.len());
    let answer = send(&server, &format!("{bytes}&offset=0"), first).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["offset"]), (200, &20_000.into()), "{}", answer.text);
    // A client that lost the response learns where to go on; a chunk for another place changes nothing.
    assert_eq!(send(&server, &bytes, "").await.json()["offset"], 20_000);
    let wrong = send(&server, &format!("{bytes}&offset=5"), rest).await;
    assert_eq!((wrong.status.as_u16(), wrong.code().as_str()), (409, "wrong_offset"));
    let done = send(&server, &format!("{bytes}&offset=20000"), rest).await.json();
    assert_eq!(
        (&done["complete"], &done["kind"], &done["already_there"]),
        (&true.into(), &"garage61".into(), &false.into())
    );
    assert_eq!((&done["frames"], &done["problems"]), (&3600.into(), &Value::Array(Vec::new())), "{done}");

    let laps = server.get("/api/v1/laps").await.json();
    let lap = laps["laps"].as_array().unwrap().iter().find(|lap| lap["state"] == "final").unwrap();
    assert_eq!(
        (&lap["time_ms"], &lap["foreign"], &lap["eligible"]),
        (&60_000.into(), &true.into(), &false.into()),
        "{lap}"
    );
    assert_eq!(server.get("/api/v1/bests").await.json()["bests"], Value::Array(Vec::new()));
    let tapes = server._folder.path().join("tapes");
    assert_eq!(files_in(&server.state, &tapes.join("received")).len(), 1);
    assert!(files_in(&server.state, &tapes.join("incoming")).is_empty());
    assert!(files_in(&server.state, &tapes.join("importing")).is_empty());

    // The same file again is not imported again; now the user says that it is their own.
    let again = send(&server, &format!("{bytes}&offset=0&mine=true"), &file).await.json();
    assert_eq!((&again["already_there"], &again["tape_id"]), (&true.into(), &done["tape_id"]), "{again}");
    assert_eq!(server.get("/api/v1/bests").await.json()["bests"][0]["time_ms"], 60_000);
    let session = server.store.sessions(&ListQuery::default(), Audience::Owner).unwrap().items.remove(0).session;
    let path = format!("/api/v1/sessions/{}", session.id);
    let headers = [OWN[0], ("content-type", "application/json")];
    let answer = server.send("PATCH", &path, &headers, r#"{"foreign":true}"#).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["foreign"]), (200, &true.into()), "{}", answer.text);
    assert_eq!(server.get("/api/v1/bests").await.json()["bests"], Value::Array(Vec::new()));
}

#[tokio::test]
async fn files_that_are_no_lap_files_and_declarations_that_cannot_be_are_refused() {
    let server = server(local());
    let answer = send(&server, "&bytes=5&offset=0", "hello").await;
    assert_eq!(answer.status, 400);
    assert!(answer.text.contains("unknown file format"), "{}", answer.text);
    let tapes = server._folder.path().join("tapes");
    assert!(files_in(&server.state, &tapes.join("importing")).is_empty());
    assert!(files_in(&server.state, &tapes.join("incoming")).is_empty(), "nothing is left of it");
    for (declared, status) in
        [("&bytes=0&offset=0", 400), ("&bytes=9999999999&offset=0", 413), ("&bytes=5&beside_bytes=5&offset=0", 400)]
    {
        let answer = send(&server, declared, "").await;
        assert_eq!(answer.status.as_u16(), status, "{declared}: {}", answer.text);
    }
}

#[tokio::test]
async fn importing_needs_write_scope_and_the_servers_own_page() {
    let server = server(local());
    let path = format!("/api/v1/import?upload={UPLOAD}&file=a.csv&bytes=5&offset=0");
    let foreign = server.send("POST", &path, &[("origin", "http://example.test")], "hello").await;
    assert_eq!(foreign.status, 403, "{}", foreign.text);
    let remote = self::server(Access { loopback: false, public: true, ..Access::default() });
    let refused = remote.send("POST", &path, &[], "hello").await;
    assert!(matches!(refused.status.as_u16(), 401 | 403), "{}", refused.text);
    assert!(files_in(&remote.state, &remote._folder.path().join("tapes/incoming")).is_empty());
}
