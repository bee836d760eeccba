//! Filters for sessions and laps.

use gametape::games::find_game;
use gametape::laps::Phase;
use gametape::store::{Audience, Filter, NameFilter, Store, StoreError};

use super::laps_report::ReportSession;

/// The filter options.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Filters {
    /// Only sessions of this game
    #[arg(long, value_name = "ID", value_parser = parse_game)]
    game: Option<String>,
    /// Only sessions on this track
    #[arg(long, value_name = "NAME")]
    track: Option<String>,
    /// Only sessions in this car
    #[arg(long, value_name = "NAME")]
    car: Option<String>,
    /// Only laps of this driver
    #[arg(long, value_name = "NAME")]
    driver: Option<String>,
    /// Only laps that the game counts as valid
    #[arg(long)]
    valid: bool,
    /// Only laps of this kind: flying, out, in, pit, grid_start, formation; can be repeated
    #[arg(long, value_name = "KIND", value_parser = parse_phase)]
    phase: Vec<Phase>,
    /// Only sessions with at least this many completed laps; 1 hides empty ones
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_laps: u32,
    /// Only sessions that started on this day or later
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = parse_day)]
    since: Option<String>,
    /// Only sessions that started on this day or earlier
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = parse_day)]
    until: Option<String>,
}

/// The names that the patterns of a [`Filters`] match.
pub(super) struct Names {
    track: Option<NameFilter>,
    car: Option<NameFilter>,
    driver: Option<NameFilter>,
}

impl Filters {
    /// Resolves the patterns among these sessions.
    pub(super) fn names_in(&self, sessions: &[ReportSession]) -> Names {
        let typed = |text: &Option<String>, all: Vec<&Option<String>>| {
            text.as_ref().map(|text| NameFilter::typed(text, all.into_iter().flatten().map(String::as_str)))
        };
        let laps = sessions.iter().flat_map(|session| &session.document.laps);
        Names {
            track: typed(&self.track, sessions.iter().map(|session| &session.document.track).collect()),
            car: typed(&self.car, sessions.iter().map(|session| &session.document.car).collect()),
            driver: typed(&self.driver, laps.map(|lap| &lap.driver).collect()),
        }
    }

    /// Returns the filter for sessions of a store, and the names that the patterns match there.
    pub(super) fn in_store(&self, store: &dyn Store) -> Result<(Filter, Names), StoreError> {
        let typed = |text: &Option<String>| text.clone().map(NameFilter::Contains);
        let filter = Filter {
            game: self.game.clone(),
            track: typed(&self.track),
            car: typed(&self.car),
            driver: typed(&self.driver),
            min_laps: self.min_laps,
            ..Filter::default()
        };
        let filter = filter.resolved(store, Audience::Owner)?;
        let names = Names { track: filter.track.clone(), car: filter.car.clone(), driver: filter.driver.clone() };
        Ok((filter, names))
    }

    /// Applies the filters to a session; `None` if nothing is left.
    pub(super) fn left_of(&self, mut session: ReportSession, names: &Names) -> Option<ReportSession> {
        let has = |wanted: &Option<NameFilter>, name: &Option<String>| {
            wanted.as_ref().is_none_or(|wanted| name.as_ref().is_some_and(|name| wanted.matches(name)))
        };
        let day = session.document.started_utc.as_deref().and_then(|utc| utc.get(..10));
        let in_time = |limit: &Option<String>, late: bool| match (limit.as_deref(), day) {
            (None, _) => true,
            (Some(limit), Some(day)) => {
                if late {
                    day >= limit
                } else {
                    day <= limit
                }
            }
            (Some(_), None) => false,
        };
        let wanted = self.game.as_deref().is_none_or(|game| game == session.document.game)
            && has(&names.track, &session.document.track)
            && has(&names.car, &session.document.car)
            && in_time(&self.since, true)
            && in_time(&self.until, false)
            && session.document.laps.iter().filter(|lap| lap.state == "final").count() >= self.min_laps as usize;
        if !wanted {
            return None;
        }
        let by_lap = self.valid || !self.phase.is_empty() || self.driver.is_some();
        session.document.laps.retain(|lap| {
            let kind = self.phase.is_empty() || self.phase.iter().any(|phase| phase.as_str() == lap.phase);
            let counts = !self.valid || (lap.valid == Some(true) && lap.state == "final");
            kind && counts && has(&names.driver, &lap.driver)
        });
        (!by_lap || !session.document.laps.is_empty()).then_some(session)
    }

    /// Whether all sessions that started before this one, or on the same day, are excluded by `--since`.
    pub(super) fn is_past(&self, session: &ReportSession) -> bool {
        let day = session.document.started_utc.as_deref().and_then(|utc| utc.get(..10));
        Option::zip(self.since.as_deref(), day).is_some_and(|(since, day)| day < since)
    }
}

fn parse_game(text: &str) -> Result<String, String> {
    find_game(text)
        .map(|game| game.id.to_owned())
        .ok_or_else(|| format!("{text:?} is not a known game; `gametape games` lists them"))
}

fn parse_phase(text: &str) -> Result<Phase, String> {
    let names = Phase::ALL.iter().map(|phase| phase.as_str()).collect::<Vec<_>>().join(", ");
    Phase::parse(&text.replace('-', "_")).ok_or_else(|| format!("{text:?} is not a kind of lap; use one of {names}"))
}

fn parse_day(text: &str) -> Result<String, String> {
    let parts: Vec<&str> = text.split('-').collect();
    let fits = |part: &str, digits: usize, most: u32| {
        part.len() == digits && part.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number))
    };
    match parts.as_slice() {
        [year, month, day] if fits(year, 4, 9999) && fits(month, 2, 12) && fits(day, 2, 31) => Ok(text.to_owned()),
        _ => Err(format!("{text:?} is not a date; write it as 2026-01-31")),
    }
}
