//! `GET /api/v1/matches`: matches that were read from replay files. Only for the owner: their players never agreed to be listed.

use std::collections::BTreeMap;

use axum::response::Response;
use gametape::matches::{MatchEvent, MatchFacts, MatchPlayer, MatchTeam};
use gametape::names::utc_text;
use gametape::store::{MatchQuery, NameFilter, StoredMatch};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::blocking::query_store;
use super::error::{ApiError, Problem};
use super::params::{Named, NoParams, Params, cursor, limit, moment, text};
use super::reading::Reader;
use super::tapes::tape_id_of;

type Answer = Result<Response, ApiError>;

/// Selects matches.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct MatchParams {
    /// Game id, such as `rocket-league`
    #[param(min_length = 1, max_length = 200)]
    game: Option<String>,
    /// Part of the name of one of the players, ignoring case
    #[param(min_length = 1, max_length = 200)]
    player: Option<String>,
    /// Part of the name of the map, ignoring case
    #[param(min_length = 1, max_length = 200)]
    map: Option<String>,
    /// Played at this time or later: 2026-03-01 or 2026-03-01T12:00:00Z
    #[param(format = DateTime)]
    from: Option<String>,
    /// Played before this time
    #[param(format = DateTime)]
    until: Option<String>,
    /// Page size, 1 to 500. Default: 20
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
    /// `next` of the previous page
    cursor: Option<String>,
}

impl MatchParams {
    fn query(self) -> Result<MatchQuery, ApiError> {
        Ok(MatchQuery {
            game: text("game", self.game)?,
            player: text("player", self.player)?.map(NameFilter::Contains),
            map: text("map", self.map)?.map(NameFilter::Contains),
            from_us: moment("from", self.from.as_ref())?,
            to_us: moment("until", self.until.as_ref())?,
            limit: limit(self.limit)?,
            after: cursor(self.cursor.as_ref())?,
        })
    }
}

/// A page of matches, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MatchPage {
    matches: Vec<MatchAnswer>,
    /// `cursor` of the next page; null on the last page.
    next: Option<String>,
}

/// A match. Values that its file does not contain are null.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MatchAnswer {
    /// Id of the tape that holds the match.
    tape: String,
    game: String,
    /// The game's own id of the match.
    match_id: Option<String>,
    started_utc: Option<String>,
    /// The time in a file that does not say whether it is the start or the end.
    dated_utc: Option<String>,
    /// The time in a file that does not name its time zone.
    dated_local: Option<String>,
    length_ns: Option<u64>,
    map: Option<String>,
    mode: Option<String>,
    version: Option<String>,
    /// Name of the player who recorded it.
    recorded_by: Option<String>,
    /// The result as people write it, such as `3:2`.
    result: Option<String>,
    winner_team: Option<i64>,
    teams: Vec<MatchTeamAnswer>,
    players: Vec<MatchPlayerAnswer>,
    /// Number of players that are not listed.
    players_left_out: u32,
    /// In the order of their times. Only in the answer about one match.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<MatchEventAnswer>>,
    /// Number of further events, which only the tape has. Only in the answer about one match.
    #[serde(skip_serializing_if = "Option::is_none")]
    events_left_out: Option<u32>,
}

/// A team of a match.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MatchTeamAnswer {
    number: i64,
    name: Option<String>,
    score: Option<i64>,
    /// `win`, `loss` or `draw`.
    result: Option<&'static str>,
}

/// A player of a match.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MatchPlayerAnswer {
    number: Option<i64>,
    name: Option<String>,
    team: Option<i64>,
    is_bot: Option<bool>,
    is_recorder: Option<bool>,
    /// The character, race, hero or civilization.
    played_as: Option<String>,
    /// `win`, `loss` or `draw`.
    result: Option<&'static str>,
    score: Option<i64>,
    /// Counts of the game, such as `goals` and `kills`.
    counters: BTreeMap<String, i64>,
    /// The stream of the tape with the player's positions.
    stream: Option<String>,
}

/// A moment of a match.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MatchEventAnswer {
    /// Its time since the start of the tape.
    at_ns: u64,
    /// Its kind, such as `goal`.
    kind: String,
    text: String,
}

impl From<MatchTeam> for MatchTeamAnswer {
    fn from(team: MatchTeam) -> Self {
        let MatchTeam { number, name, score, result } = team;
        Self { number, name, score, result: result.map(|result| result.as_str()) }
    }
}

impl From<MatchPlayer> for MatchPlayerAnswer {
    fn from(player: MatchPlayer) -> Self {
        Self {
            number: player.number,
            name: player.name,
            team: player.team,
            is_bot: player.is_bot,
            is_recorder: player.is_recorder,
            played_as: player.played_as,
            result: player.result.map(|result| result.as_str()),
            score: player.score,
            counters: player.counters,
            stream: player.stream,
        }
    }
}

impl From<StoredMatch> for MatchAnswer {
    fn from(stored: StoredMatch) -> Self {
        let StoredMatch { tape, facts, .. } = stored;
        let MatchFacts { game, match_id, length_ns, map, mode, version, recorded_by, result, .. } = facts;
        Self {
            tape: tape.to_string(),
            game,
            match_id,
            started_utc: facts.started_utc_ns.and_then(utc_text),
            dated_utc: facts.dated_utc_ns.and_then(utc_text),
            dated_local: facts.dated_local,
            length_ns,
            map,
            mode,
            version,
            recorded_by,
            result,
            winner_team: facts.winner_team,
            teams: facts.teams.into_iter().map(MatchTeamAnswer::from).collect(),
            players: facts.players.into_iter().map(MatchPlayerAnswer::from).collect(),
            players_left_out: facts.players_left_out,
            events: None,
            events_left_out: None,
        }
    }
}

impl From<MatchEvent> for MatchEventAnswer {
    fn from(event: MatchEvent) -> Self {
        let MatchEvent { at_ns, kind, text } = event;
        Self { at_ns, kind, text }
    }
}

/// Lists matches that were read from replay files, newest first.
#[utoipa::path(get, path = "/api/v1/matches", operation_id = "matches", tag = "matches", params(MatchParams),
    responses((status = 200, body = MatchPage), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn matches(Params(params): Params<MatchParams>, reader: Reader) -> Answer {
    reader.owner_only()?;
    let query = params.query()?;
    let page = query_store(reader.state(), move |store| store.matches(&query)).await?;
    let next = page.next.map(|cursor| cursor.to_string());
    reader.json(&MatchPage { matches: page.items.into_iter().map(MatchAnswer::from).collect(), next })
}

/// Returns one match with its events, such as goals.
#[utoipa::path(get, path = "/api/v1/matches/{tape}", operation_id = "match", tag = "matches",
    params(("tape" = String, Path, description = "Id of the tape that holds the match", pattern = "^[0-9a-f]{32}$")),
    responses((status = 200, body = MatchAnswer), (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn match_on(Named(tape): Named, _: Params<NoParams>, reader: Reader) -> Answer {
    reader.owner_only()?;
    let tape = tape_id_of(&tape)?;
    let found = query_store(reader.state(), move |store| store.match_on(tape)).await?;
    let mut found = found.ok_or_else(|| ApiError::not_found("match"))?;
    let (events, events_left_out) = (std::mem::take(&mut found.events), found.events_left_out);
    let answer = MatchAnswer::from(found);
    let events = Some(events.into_iter().map(MatchEventAnswer::from).collect());
    reader.json(&MatchAnswer { events, events_left_out: Some(events_left_out), ..answer })
}
