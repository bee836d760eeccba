//! Turns requests into API paths, and responses into facts.

use serde_json::Value;

use super::super::facts::{CHANNELS, Comparison, SessionDetail, SessionRow, Standings, TapeRow, sessions, tapes};
use super::inbox::{Answer, Ask};
use super::link::Link;

/// The largest number of sessions and tapes listed; the newest are kept.
pub(crate) const MOST_LISTED: usize = 2_000;
/// Page size.
const PAGE: usize = 500;
/// Grid distance of comparisons in metres.
const STEP_M: u32 = 5;

/// Sends a request and parses the response.
pub(super) async fn answer(link: &Link, ask: Ask) -> Answer {
    match ask {
        Ask::Sessions => Answer::Sessions(all::<SessionRow>(link, "sessions", sessions).await),
        Ask::Tapes => Answer::Tapes(all::<TapeRow>(link, "tapes", tapes).await),
        Ask::Session(id) => {
            let found = link.json(&format!("/api/v1/sessions/{id}")).await;
            let detail = found.and_then(|found| SessionDetail::of(&found).ok_or_else(not_understood));
            Answer::Session(id, detail)
        }
        Ask::Standings(id) => {
            let found = link.json(&format!("/api/v1/sessions/{id}/standings")).await;
            let cars = found.and_then(|found| Standings::of(&found).ok_or_else(not_understood));
            Answer::Standings(id, cars)
        }
        Ask::Compare(one, other) => {
            let channels = CHANNELS.join(",");
            let path = format!("/api/v1/compare?laps={one},{other}&channels={channels}&step_m={STEP_M}");
            let found = link.json(&path).await;
            let compared = found.and_then(|found| Comparison::of(&found).map(Box::new).ok_or_else(not_understood));
            Answer::Compare((one, other), compared)
        }
    }
}

fn not_understood() -> String {
    "cannot parse the response; check that this is a gametape server of the same version".to_owned()
}

/// Fetches pages until the limit is reached.
async fn all<T>(link: &Link, what: &str, read: fn(&Value) -> (Vec<T>, Option<String>)) -> Result<Vec<T>, String> {
    let mut found = Vec::new();
    let mut cursor = None;
    while found.len() < MOST_LISTED {
        let after = cursor.map_or_else(String::new, |cursor: String| format!("&cursor={cursor}"));
        let page = link.json(&format!("/api/v1/{what}?limit={PAGE}{after}")).await?;
        if !page.is_null() && !page[what].is_array() {
            return Err(not_understood());
        }
        let (rows, next) = read(&page);
        found.extend(rows);
        match next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    found.truncate(MOST_LISTED);
    Ok(found)
}
