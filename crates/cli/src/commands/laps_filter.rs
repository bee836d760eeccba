//! Which sessions and laps are shown.

use gametape::games::find_game;
use gametape::laps::Phase;

use super::laps_report::ReportSession;

/// Which sessions and laps.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Filters {
    /// Sessions of this game
    #[arg(long, value_name = "ID", value_parser = parse_game)]
    game: Option<String>,
    /// Sessions on this track
    #[arg(long, value_name = "NAME")]
    track: Option<String>,
    /// Sessions in this car
    #[arg(long, value_name = "NAME")]
    car: Option<String>,
    /// Laps of this driver
    #[arg(long, value_name = "NAME")]
    driver: Option<String>,
    /// Only laps that the game counts
    #[arg(long)]
    valid: bool,
    /// Only laps of this kind: flying, out, in, pit, grid_start, formation; may be given more than once
    #[arg(long, value_name = "KIND", value_parser = parse_phase)]
    phase: Vec<Phase>,
    /// Sessions with this many laps that were driven to their end; 1 hides empty ones
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    min_laps: u32,
    /// Sessions that began on this day or later
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = parse_day)]
    since: Option<String>,
    /// Sessions that began on this day or before
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = parse_day)]
    until: Option<String>,
}

impl Filters {
    /// What is left of a session; `None` if nothing is.
    pub(super) fn left_of(&self, mut session: ReportSession) -> Option<ReportSession> {
        let has = |wanted: &Option<String>, said: &Option<String>| match (wanted, said) {
            (None, _) => true,
            (Some(wanted), Some(said)) => said.to_lowercase().contains(&wanted.to_lowercase()),
            (Some(_), None) => false,
        };
        let day = session.started_utc.as_deref().and_then(|utc| utc.get(..10));
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
        let wanted = self.game.as_deref().is_none_or(|game| game == session.game)
            && has(&self.track, &session.track)
            && has(&self.car, &session.car)
            && in_time(&self.since, true)
            && in_time(&self.until, false)
            && session.laps.iter().filter(|lap| lap.state == "final").count() >= self.min_laps as usize;
        if !wanted {
            return None;
        }
        let by_lap = self.valid || !self.phase.is_empty() || self.driver.is_some();
        session.laps.retain(|lap| {
            let kind = self.phase.is_empty() || self.phase.iter().any(|phase| phase.as_str() == lap.phase);
            let counts = !self.valid || (lap.valid == Some(true) && lap.state == "final");
            kind && counts && has(&self.driver, &lap.driver)
        });
        (!by_lap || !session.laps.is_empty()).then_some(session)
    }

    /// Whether no session that began before this one, or on its day, can be wanted.
    pub(super) fn is_past(&self, session: &ReportSession) -> bool {
        let day = session.started_utc.as_deref().and_then(|utc| utc.get(..10));
        Option::zip(self.since.as_deref(), day).is_some_and(|(since, day)| day < since)
    }

    /// How many laps a session must have.
    pub(super) fn min_laps(&self) -> u32 {
        self.min_laps
    }

    /// The game that is wanted.
    pub(super) fn game(&self) -> Option<&str> {
        self.game.as_deref()
    }
}

fn parse_game(text: &str) -> Result<String, String> {
    find_game(text)
        .map(|game| game.id.to_owned())
        .ok_or_else(|| format!("{text:?} is no game; `gametape games` lists them"))
}

fn parse_phase(text: &str) -> Result<Phase, String> {
    let names = Phase::ALL.iter().map(|phase| phase.as_str()).collect::<Vec<_>>().join(", ");
    Phase::parse(&text.replace('-', "_")).ok_or_else(|| format!("{text:?} is no kind of lap; there are {names}"))
}

fn parse_day(text: &str) -> Result<String, String> {
    let parts: Vec<&str> = text.split('-').collect();
    let fits = |part: &str, digits: usize, most: u32| {
        part.len() == digits && part.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number))
    };
    match parts.as_slice() {
        [year, month, day] if fits(year, 4, 9999) && fits(month, 2, 12) && fits(day, 2, 31) => Ok(text.to_owned()),
        _ => Err(format!("{text:?} is no day; write it as 2026-01-31")),
    }
}
