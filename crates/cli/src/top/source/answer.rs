//! Questions as paths, answers as facts.

use serde_json::Value;

use super::super::facts::{CHANNELS, Comparison, SessionDetail, SessionRow, TapeRow, sessions, tapes};
use super::inbox::{Answer, Ask};
use super::link::Link;

/// Sessions and tapes that are listed at most: the newest.
pub(crate) const MOST_LISTED: usize = 2_000;
/// How many are asked for at once.
const PAGE: usize = 500;
/// Metres from place to place.
const STEP_M: u32 = 5;

/// Asks, and makes facts of what comes.
pub(super) async fn answer(link: &Link, ask: Ask) -> Answer {
    match ask {
        Ask::Sessions => Answer::Sessions(all::<SessionRow>(link, "sessions", sessions).await),
        Ask::Tapes => Answer::Tapes(all::<TapeRow>(link, "tapes", tapes).await),
        Ask::Session(id) => {
            let found = link.json(&format!("/api/v1/sessions/{id}")).await;
            let detail = found.and_then(|found| SessionDetail::of(&found).ok_or_else(not_understood));
            Answer::Session(id, detail)
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
    "the answer is not understood: is this a gametape server, and not an older one?".to_owned()
}

/// Page after page, up to the most.
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
