use gametape::store::{DriverEdit, Scope, Store, Visibility};

use super::{Access, Limits, Server, drive, local};

fn wide(public: bool) -> Access {
    Access { public, port: 7223, ..Access::default() }
}

#[tokio::test]
async fn pages_elsewhere_cannot_reach_a_server_on_loopback() {
    let server = Server::new(local());
    for host in ["evil.example", "evil.example:7223", "127.0.0.1", "127.0.0.1:80"] {
        let answer = server.send("GET", "/api/v1/sessions", &[("host", host)], "").await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (421, "wrong_host"), "{host}");
    }
    let two = [("host", "127.0.0.1:7223"), ("host", "evil.example")];
    assert_eq!(server.send("GET", "/api/v1/sessions", &two, "").await.status, 421);
    assert_eq!(server.send("GET", "/api/v1/sessions", &[("host", "localhost:7223")], "").await.status, 200);
}

#[tokio::test]
async fn every_answer_has_security_headers_and_no_foreign_origin() {
    let server = Server::new(local());
    for path in ["/api/v1/sessions", "/nothing", "/api/v1/laps?x=1", "/metrics"] {
        let answer = server.send("GET", path, &[("origin", "http://evil.example")], "").await;
        assert_eq!(answer.headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(answer.headers["x-frame-options"], "DENY", "{path}");
        assert!(answer.headers["content-security-policy"].to_str().unwrap().contains("default-src 'none'"), "{path}");
        assert!(!answer.headers.contains_key("access-control-allow-origin"), "{path}");
    }
    let known = Server::new(Access { cors_origins: vec!["https://laps.example".to_owned()], ..local() });
    let answer = known.send("GET", "/healthz", &[("origin", "https://laps.example")], "").await;
    assert_eq!(answer.headers["access-control-allow-origin"], "https://laps.example");
    let answer = known.send("GET", "/healthz", &[("origin", "https://evil.example")], "").await;
    assert!(!answer.headers.contains_key("access-control-allow-origin"));
}

#[tokio::test]
async fn a_wider_address_needs_a_token() {
    let server = Server::new(wide(false));
    let (_, secret) = server.store.add_token("rig", Scope::Read).unwrap();
    let (revoked, revoked_secret) = server.store.add_token("old", Scope::Write).unwrap();
    server.store.revoke_token(revoked.id).unwrap();
    for path in ["/api/v1/sessions", "/api/v1/tapes", "/metrics", "/api/v1/live"] {
        assert_eq!(server.get(path).await.status, 401, "{path}");
    }
    for wrong in
        ["", "Bearer", "Bearer x", "Basic abc", &format!("Bearer {revoked_secret}"), &format!("Bearer {secret}0")]
    {
        let answer = server.send("GET", "/api/v1/sessions", &[("authorization", wrong)], "").await;
        assert_eq!(answer.status, 401, "{wrong}");
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
    }
    let bearer = format!("Bearer {secret}");
    assert_eq!(server.send("GET", "/api/v1/sessions", &[("authorization", &bearer)], "").await.status, 200);
    assert_eq!(server.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn the_public_sees_what_is_public_and_nothing_else() {
    let server = Server::new(wide(true));
    drive(server.store.as_ref(), 1, "Driver 1", &[100_000]);
    let (hidden, laps) = drive(server.store.as_ref(), 2, "Driver 2", &[90_000]);
    let private = DriverEdit { name: None, visibility: Some(Visibility::Private) };
    server.store.edit_driver("Driver 2", &private).unwrap();
    let (_, secret) = server.store.add_token("me", Scope::Read).unwrap();
    let bearer = format!("Bearer {secret}");
    for list in
        ["sessions?laps=true", "laps", "bests", "tracks", "cars", "drivers", "progress", "laps?driver=Driver%202"]
    {
        let path = format!("/api/v1/{list}");
        let public = server.get(&path).await;
        assert_eq!(public.status, 200, "{path}");
        for trace in ["Driver 2", "90000", &hidden.to_string(), &laps[0].to_string()] {
            assert!(!public.text.contains(trace), "{path}: {trace}");
        }
        let owner = server.send("GET", &path, &[("authorization", &bearer)], "").await;
        assert_ne!(owner.text, public.text, "{path}");
    }
    for path in [format!("/api/v1/sessions/{hidden}"), format!("/api/v1/laps/{}", laps[0])] {
        assert_eq!(server.get(&path).await.status, 404, "{path}");
        assert_eq!(server.send("GET", &path, &[("authorization", &bearer)], "").await.status, 200, "{path}");
    }
    for path in ["/api/v1/tapes", "/metrics", "/api/v1/sessions?deleted=true", "/api/v1/laps?deleted=true"] {
        assert_eq!(server.get(path).await.status, 401, "{path}");
    }
}

#[tokio::test]
async fn h8_the_hundred_and_first_request_is_refused_whatever_its_headers_say() {
    let server = Server::new(wide(true));
    for request in 0..100 {
        let forged = format!("10.0.0.{request}");
        let answer = server.send("GET", "/api/v1/sessions", &[("x-forwarded-for", &forged)], "").await;
        assert_eq!(answer.status, 200, "{request}");
    }
    let answer = server.send("GET", "/api/v1/sessions", &[("x-forwarded-for", "10.9.9.9")], "").await;
    assert_eq!((answer.status.as_u16(), answer.code().as_str()), (429, "too_many_requests"));
    let wait: u64 = answer.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    // Behind a trusted proxy, each client has its own limit.
    let proxy = Access { trusted_proxies: vec!["192.0.2.7".parse().unwrap()], ..wide(true) };
    let server = Server::with(proxy, Limits { anyone: 1, ..Limits::default() });
    let ask = async |client: &str| server.send("GET", "/healthz", &[("x-forwarded-for", client)], "").await.status;
    let asked = [ask("10.0.0.1").await, ask("10.0.0.2").await, ask("10.0.0.1").await];
    assert_eq!(asked.map(|status| status.as_u16()), [200, 200, 429]);
}

#[tokio::test]
async fn no_path_of_this_machine_leaks() {
    let server = Server::new(local());
    let tape = gametape::store::CataloguedTape {
        id: gametape::format::TapeId([7; 16]),
        place: "rig-of-somebody".to_owned(),
        path: "/home/somebody/tapes/race.gtape".to_owned(),
        bytes: 5,
        modified_us: 0,
        checksum: None,
        complete: true,
        game: None,
        track: None,
        car: None,
        created_us: None,
        duration_ns: None,
        frames: 1,
        replay_of: None,
        seen_us: 0,
        missing_us: None,
    };
    server.store.put_tape(&tape).unwrap();
    let answer = server.get("/api/v1/tapes").await;
    assert_eq!(answer.json()["tapes"][0]["file"], "race.gtape");
    assert!(!answer.text.contains("somebody"), "{}", answer.text);
    // A failing store reports the reason only to the log.
    std::fs::remove_dir_all(server._folder.path()).unwrap();
    for path in ["/api/v1/sessions", "/readyz"] {
        let answer = server.get(path).await;
        assert!(!answer.text.contains("/tmp") && !answer.text.contains("sqlite"), "{}", answer.text);
    }
}
