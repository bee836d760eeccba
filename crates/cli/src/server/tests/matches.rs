use gametape::format::TapeId;
use gametape::matches::{MatchEvent, MatchFacts, MatchPlayer, MatchTeam};
use gametape::store::{Store, StoredMatch};
use serde_json::json;

use super::super::Access;
use super::{Server, local};

fn played(id: u8, player: &str) -> StoredMatch {
    let player = MatchPlayer { name: Some(player.to_owned()), team: Some(1), ..MatchPlayer::default() };
    let mut facts = MatchFacts {
        game: "rocket-league".into(),
        started_utc_ns: Some(1_772_366_400_000_000_000 + i64::from(id) * 86_400_000_000_000),
        result: Some("1:0".into()),
        teams: vec![MatchTeam { number: 0, score: Some(1), ..MatchTeam::default() }],
        players: vec![player],
        ..MatchFacts::default()
    };
    facts.set_winner(0);
    let events = vec![MatchEvent { at_ns: 5, kind: "goal".into(), text: "1:0".into() }];
    StoredMatch { tape: TapeId([id; 16]), facts, events, events_left_out: 7 }
}

fn filled(access: Access) -> Server {
    let server = Server::new(access);
    for (id, player) in [(1, "Player 1"), (2, "Player 2"), (3, "Player 1")] {
        server.store.put_match(&played(id, player)).unwrap();
    }
    server
}

#[tokio::test]
async fn matches_are_listed_filtered_and_one_has_its_events() {
    let server = filled(local());
    let tapes = |answer: serde_json::Value| -> Vec<String> {
        let matches = answer["matches"].as_array().unwrap();
        matches.iter().map(|found| found["tape"].as_str().unwrap()[..2].to_owned()).collect()
    };
    let list = |query: &str| {
        let path = format!("/api/v1/matches{query}");
        let server = &server;
        async move { server.get(&path).await.json() }
    };
    let all = list("").await;
    assert_eq!((tapes(all.clone()), &all["next"]), (vec!["03".to_owned(), "02".into(), "01".into()], &json!(null)));
    let first = &all["matches"][0];
    assert_eq!((&first["map"], &first["events"], &first["result"]), (&json!(null), &json!(null), &json!("1:0")));
    assert_eq!(first["players"][0]["result"], "loss");
    assert_eq!(tapes(list("?player=PLAYER%201&game=rocket-league").await), ["03", "01"]);
    assert_eq!(tapes(list("?from=2026-03-03&until=2026-03-04").await), ["02"]);
    assert_eq!(tapes(list("?map=x").await), Vec::<String>::new());
    let page = list("?limit=2").await;
    let next = page["next"].as_str().unwrap();
    assert_eq!(tapes(list(&format!("?limit=2&cursor={next}")).await), ["01"]);
    let one = server.get(&format!("/api/v1/matches/{}", "02".repeat(16))).await.json();
    assert_eq!(one["events"], json!([{"at_ns": 5, "kind": "goal", "text": "1:0"}]));
    assert_eq!((&one["events_left_out"], &first["events_left_out"]), (&json!(7), &json!(null)));
    assert_eq!((&one["players"][0]["is_bot"], &one["winner_team"]), (&json!(null), &json!(0)));
    for wrong in ["?limit=0", "?from=yesterday", "?to=2026-03-03", "?player="] {
        assert_eq!(server.get(&format!("/api/v1/matches{wrong}")).await.status, 400, "{wrong}");
    }
    assert_eq!(server.get("/api/v1/matches?cursor=x").await.status, 404, "no such page");
    assert_eq!(server.get(&format!("/api/v1/matches/{}", "09".repeat(16))).await.status, 404);
    assert_eq!(server.get("/api/v1/matches/x").await.status, 400);
}

#[tokio::test]
async fn matches_are_for_the_owner_only() {
    let server = filled(Access { public: true, ..Access::default() });
    for path in ["/api/v1/matches".to_owned(), format!("/api/v1/matches/{}", "01".repeat(16))] {
        let answer = server.get(&path).await;
        assert_eq!(answer.status, 401, "{path}: {}", answer.text);
        assert!(!answer.text.contains("Player 1"), "{path}");
    }
}
