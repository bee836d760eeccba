//! The web UI as the server delivers it, and the OpenAPI description.

use axum::http::{StatusCode, header};

use super::{Server, local};
use crate::server::{openapi, web};

/// A script referenced by the page.
fn script(page: &str) -> Option<&str> {
    page.split('"').find(|part| part.starts_with("/assets/") && part.ends_with(".js"))
}

#[tokio::test]
async fn every_address_that_is_nothing_else_is_the_page() {
    let server = Server::new(local());
    for path in ["/", "/sessions", "/sessions/0123", "/compare?laps=a,b", "/overlay/delta", "/no-such-page"] {
        let page = server.get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        assert_eq!(page.headers[header::CONTENT_TYPE], "text/html; charset=utf-8", "{path}");
        assert_eq!(page.headers[header::CACHE_CONTROL], "no-cache", "{path}");
        assert!(page.text.contains("<title>gametape</title>"), "{path}");
    }
    for path in ["/api", "/api/v1/nothing", "/api/v2/sessions", "/assets/gone-12345678.js"] {
        let missing = server.get(path).await;
        assert_eq!((missing.status, missing.code().as_str()), (StatusCode::NOT_FOUND, "not_found"), "{path}");
    }
    assert_eq!(server.send("POST", "/sessions", &[], "").await.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn the_page_may_load_nothing_from_elsewhere_and_run_nothing_inline() {
    let page = Server::new(local()).get("/").await;
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(!page.text.contains("http:") && !page.text.contains("https:"), "{}", page.text);
    assert_eq!(page.headers["x-content-type-options"], "nosniff");
}

#[tokio::test]
async fn the_viewer_alone_may_run_webassembly_and_read_from_other_servers() {
    let server = Server::new(local());
    let moved = server.get("/viewer?tape=https://example.com/a.gtape").await;
    assert_eq!(moved.status, StatusCode::PERMANENT_REDIRECT);
    assert_eq!(moved.headers[header::LOCATION], "/viewer/?tape=https://example.com/a.gtape");
    let policy = |headers: &axum::http::HeaderMap| headers["content-security-policy"].to_str().unwrap().to_owned();
    let others = policy(&server.get("/sessions").await.headers);
    assert!(
        others.contains("connect-src 'self';") && !others.contains("wasm") && !others.contains("worker"),
        "{others}"
    );
    assert_eq!(server.get("/viewer/nothing.js").await.status, StatusCode::NOT_FOUND);
    let page = server.get("/viewer/").await;
    if !web::is_embedded() {
        assert_eq!(page.status, StatusCode::NOT_FOUND);
        assert!(page.text.contains("npm"), "{}", page.text);
        return;
    }
    assert!(page.text.contains("<title>gametape viewer</title>"), "{}", page.text);
    let own = policy(&page.headers);
    assert!(own.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'"), "{own}");
    assert!(own.contains("worker-src 'self'; connect-src 'self' http: https:;") && !own.contains("inline"), "{own}");
    // The page has a stricter policy of its own: it connects to nothing.
    assert!(page.text.contains("connect-src 'none'"), "{}", page.text);
    let script = page.text.split('"').find(|part| part.starts_with("./assets/") && part.ends_with(".js")).unwrap();
    let script = server.get(&script.replacen('.', "/viewer", 1)).await;
    assert_eq!((script.status, policy(&script.headers)), (StatusCode::OK, own));
    assert_eq!(script.headers[header::CACHE_CONTROL], "public, max-age=31536000, immutable");
}

#[tokio::test]
async fn scripts_come_packed_are_kept_for_ever_and_not_sent_twice() {
    let server = Server::new(local());
    if !web::is_embedded() {
        // Without npm there is only the plain page.
        assert!(server.get("/").await.text.contains("GAMETAPE_WEB_DIST"));
        return;
    }
    let page = server.get("/").await;
    let path = script(&page.text).unwrap();
    let plain = server.get(path).await;
    assert_eq!(plain.headers[header::CACHE_CONTROL], "public, max-age=31536000, immutable");
    assert_eq!(plain.headers[header::CONTENT_TYPE], "text/javascript; charset=utf-8");
    assert!(!plain.headers.contains_key(header::CONTENT_ENCODING));
    let refused = server.send("GET", path, &[("accept-encoding", "gzip;q=0")], "").await;
    assert!(!refused.headers.contains_key(header::CONTENT_ENCODING));
    let tag = plain.headers[header::ETAG].to_str().unwrap();
    let again = server.send("GET", path, &[("if-none-match", tag)], "").await;
    assert_eq!((again.status, again.text.as_str()), (StatusCode::NOT_MODIFIED, ""));
    let packed = server.send("HEAD", path, &[("accept-encoding", "br, gzip")], "").await;
    assert_eq!(packed.headers[header::CONTENT_ENCODING], "gzip");
    assert_ne!(packed.headers[header::ETAG], plain.headers[header::ETAG]);
}

#[test]
fn the_description_in_web_is_that_of_this_server() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/openapi.json");
    let now = serde_json::to_value(openapi::description()).unwrap();
    if std::env::var_os("GAMETAPE_RENEW_OPENAPI").is_some() {
        let text = serde_json::to_string_pretty(&now).unwrap() + "\n";
        let renewed = format!("{path}.new");
        std::io::Write::write_all(&mut std::fs::File::create_new(&renewed).unwrap(), text.as_bytes()).unwrap();
        std::fs::rename(renewed, path).unwrap();
    }
    let Ok(text) = std::fs::read_to_string(path) else {
        // A packaged crate has no web/.
        assert!(!web::is_embedded(), "web/openapi.json is gone");
        return;
    };
    let kept: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(
        kept == now,
        "web/openapi.json is not what this server says of itself. To renew it and the types made of it:\n  \
         GAMETAPE_RENEW_OPENAPI=1 cargo test -p gametape-cli the_description_in_web && (cd web && npm ci && npm run types)"
    );
}

#[test]
fn every_operation_has_a_unique_id() {
    let now = serde_json::to_value(openapi::description()).unwrap();
    let paths = now["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let mut names: Vec<_> = paths.map(|operation| operation["operationId"].as_str().unwrap()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "two operations with one name: give one of them an operation_id");
}
