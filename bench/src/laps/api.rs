//! The server with many sessions: fills a store, serves it with `gametape serve`, and sends requests at a steady rate.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::database::{Database, POSTGRES};
use super::figures::{Figure, quantile};
use super::http::Connection;
use super::load::{Load, send};
use super::server::Server;
use super::{Amounts, ask, fill, say};

const PER_SECOND: u64 = 500;
const CONNECTIONS: usize = 32;
const P99_MS: f64 = 20.0;
const NEWEST: &str = "/api/v1/sessions";
/// Other requests of a page, each measured alone.
const OTHERS: [&str; 5] = [
    "/api/v1/sessions?laps=true",
    "/api/v1/bests",
    "/api/v1/drivers",
    "/api/v1/progress",
    "/api/v1/laps?sort=fastest&track=Spa&valid=true",
];

/// Fills the store, serves it and sends requests; with each available database.
pub(super) fn measure(program: &Path, postgres: Option<&str>, amounts: &Amounts) -> Result<Vec<Figure>> {
    let mut figures = of_database(program, |folder| Ok(Database::sqlite(folder)), amounts).context("with SQLite")?;
    match postgres.filter(|url| !url.is_empty()) {
        Some(url) => {
            figures.extend(of_database(program, |_| Database::postgres(url), amounts).context("with PostgreSQL")?)
        }
        None => say(&format!("PostgreSQL is left out: set --postgres or {POSTGRES}")),
    }
    Ok(figures)
}

fn of_database(
    program: &Path,
    database: impl FnOnce(&Path) -> Result<Database>,
    amounts: &Amounts,
) -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let database = database(folder.path())?;
    let laps = u64::from(amounts.sessions) * u64::from(fill::LAPS);
    say(&format!("filling {} with {} sessions and {laps} laps", database.name(), amounts.sessions));
    let start = Instant::now();
    fill::fill(&database.open()?, amounts.sessions, database.writers())?;
    let fill_s = start.elapsed().as_secs_f64();
    database.settle()?;
    let part = format!("api, {}", database.name());
    let mut figures = vec![
        Figure::count(&part, "sessions", amounts.sessions),
        Figure::count(&part, "laps", laps),
        Figure::new(&part, "written in", fill_s, "s").digits(1),
    ];
    let server = Server::serve(program, folder.path(), &database.url())?;
    figures.extend(under_load(&part, &server, amounts)?);
    say("sending other requests, each alone");
    for path in OTHERS {
        let alone = ask::alone(server.address(), path)?;
        let what = format!("GET {path}, {:.0} kB, alone, median", alone.bytes as f64 / 1e3);
        figures.push(Figure::new(&part, what, quantile(&alone.ms, 0.5), "ms").digits(2));
        figures.push(Figure::new(&part, "  the most", quantile(&alone.ms, 1.0), "ms").digits(2));
    }
    server.end()?;
    Ok(figures)
}

/// Requests the newest 20 sessions repeatedly.
fn under_load(part: &str, server: &Server, amounts: &Amounts) -> Result<Vec<Figure>> {
    let mut connection = Connection::open(server.address())?;
    let answer = connection.get(NEWEST)?;
    ensure!(answer.status == 200, "{NEWEST}: {}", answer.status);
    check_newest(answer.body, amounts.sessions)?;
    let expected = answer.body.to_vec();
    let load = Load { per_second: PER_SECOND, seconds: amounts.load_seconds, connections: CONNECTIONS };
    say(&format!("requesting the newest 20 sessions {PER_SECOND} times per second, for {} s", load.seconds));
    // The first requests fill caches, which a long-running server already has.
    send(server.address(), NEWEST, &expected, Load { seconds: 1, ..load })?;
    let processor_s = server.processor_s()?;
    let found = send(server.address(), NEWEST, &expected, load)?;
    let processor = (server.processor_s()? - processor_s) * 100.0 / found.seconds;
    let ms = |what: &str, list: &[f64], share: f64| Figure::new(part, what, quantile(list, share), "ms").digits(2);
    let total = &found.total_ms;
    Ok(vec![
        Figure::new(part, "newest 20 sessions: requests", total.len() as f64 / found.seconds, "/s").digits(1),
        ms("  latency from when it was due, p50", total, 0.5),
        ms("  latency from when it was due, p99", total, 0.99).at_most(P99_MS),
        ms("  latency from when it was due, the most", total, 1.0),
        ms("  of it until it was sent, p99", &found.sent_late_ms, 0.99),
        Figure::count(part, "  errors", found.errors).exactly(0.0),
        Figure::count(part, "  given up: too far behind", found.given_up).exactly(0.0),
        Figure::new(part, "  processor of the server", processor, "% of one core").digits(1),
    ])
}

/// Checks that the response holds the 20 newest sessions, newest first.
fn check_newest(body: &[u8], sessions: u32) -> Result<()> {
    let answer: Value = serde_json::from_slice(body)?;
    let found: Vec<&str> =
        answer["sessions"].as_array().into_iter().flatten().filter_map(|session| session["id"].as_str()).collect();
    let expected: Vec<String> =
        (0..sessions).rev().take(20).map(|number| fill::session(number).id.to_string()).collect();
    ensure!(found == expected, "{NEWEST} does not return the newest 20 sessions: {found:?}");
    Ok(())
}
