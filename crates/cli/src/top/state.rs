//! The UI state: what is displayed, and what to request next. No I/O: news and keys go in, requests come out.

use std::time::{Duration, Instant};

use super::deck::DeckView;
use super::facts::{Car, Comparison, SessionDetail, SessionRow, Standings, TapeRow};
use super::look::Look;
use super::source::{Answer, Ask, News, Status};

/// The maximum age of a list, and the delay before it is refreshed after a change.
const OLD: Duration = Duration::from_secs(10);
const SOON: Duration = Duration::from_millis(500);
/// How long a message is shown.
const MESSAGE: Duration = Duration::from_secs(6);

/// A screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Screen {
    Live,
    Sessions,
    Laps,
    Compare,
    Tapes,
}

impl Screen {
    pub(crate) const ALL: [Self; 5] = [Self::Live, Self::Sessions, Self::Laps, Self::Compare, Self::Tapes];

    /// Returns its long and its short name.
    pub(crate) fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Live => ("Live", "Live"),
            Self::Sessions => ("Sessions", "Sess"),
            Self::Laps => ("Laps", "Laps"),
            Self::Compare => ("Compare", "Comp"),
            Self::Tapes => ("Tapes", "Tape"),
        }
    }
}

/// A value that is requested from the source.
#[derive(Debug)]
pub(crate) struct Loaded<T> {
    pub(crate) value: Option<T>,
    pub(crate) error: Option<String>,
    asked: Option<Instant>,
    pending: bool,
    changed: bool,
}

impl<T> Default for Loaded<T> {
    fn default() -> Self {
        Self { value: None, error: None, asked: None, pending: false, changed: false }
    }
}

impl<T> Loaded<T> {
    fn take(&mut self, result: Result<T, String>) {
        self.pending = false;
        match result {
            Ok(value) => (self.value, self.error) = (Some(value), None),
            Err(error) => self.error = Some(error),
        }
    }

    /// Whether a request is due.
    fn is_due(&self, now: Instant) -> bool {
        let age = self.asked.map(|asked| now.saturating_duration_since(asked));
        match age {
            None => true,
            Some(_) if self.pending => false,
            Some(age) => age >= OLD || (self.changed && age >= SOON),
        }
    }

    fn ask(&mut self, now: Instant) {
        (self.asked, self.pending, self.changed) = (Some(now), true, false);
    }
}

/// A lap chosen for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) id: String,
    pub(crate) name: String,
}

/// The selection in a list.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Picked {
    pub(crate) at: usize,
}

impl Picked {
    pub(crate) fn by(&mut self, steps: isize, len: usize) {
        self.at = self.at.saturating_add_signed(steps).min(len.saturating_sub(1));
    }
}

/// The whole state.
pub(crate) struct State {
    pub(crate) look: Look,
    pub(crate) screen: Screen,
    pub(crate) help: bool,
    pub(crate) status: Status,
    pub(crate) car: Option<(Car, Instant)>,
    pub(crate) sessions: Loaded<Vec<SessionRow>>,
    pub(crate) session: Picked,
    pub(crate) filter: String,
    pub(crate) typing: bool,
    /// Id of the session whose laps are shown.
    pub(crate) open: Option<String>,
    pub(crate) laps: Loaded<SessionDetail>,
    pub(crate) lap: Picked,
    /// The session in progress.
    pub(crate) live: Loaded<SessionDetail>,
    /// Show all cars instead of the player's, on the live and the laps screen.
    pub(crate) all_cars: bool,
    /// The cars of the session with this id.
    pub(crate) cars: Loaded<Standings>,
    pub(crate) cars_of: Option<String>,
    /// The first car shown.
    pub(crate) first_car: usize,
    pub(crate) chosen: Vec<Chosen>,
    pub(crate) pair: Option<(String, String)>,
    pub(crate) compare: Loaded<Comparison>,
    /// Position in the lap, 0 to 1.
    pub(crate) cursor: f64,
    pub(crate) scroll: usize,
    pub(crate) tapes: Loaded<Vec<TapeRow>>,
    pub(crate) tape: Picked,
    pub(crate) deck: Option<DeckView>,
    message: Option<(String, Instant)>,
}

impl State {
    pub(crate) fn new(look: Look) -> Self {
        Self {
            look,
            screen: Screen::Live,
            help: false,
            status: Status::Connecting { name: "this machine".to_owned() },
            car: None,
            sessions: Loaded::default(),
            session: Picked::default(),
            filter: String::new(),
            typing: false,
            open: None,
            laps: Loaded::default(),
            lap: Picked::default(),
            live: Loaded::default(),
            all_cars: false,
            cars: Loaded::default(),
            cars_of: None,
            first_car: 0,
            chosen: Vec::new(),
            pair: None,
            compare: Loaded::default(),
            cursor: 0.0,
            scroll: 0,
            tapes: Loaded::default(),
            tape: Picked::default(),
            deck: None,
            message: None,
        }
    }

    /// Applies news. Returns whether to redraw.
    pub(crate) fn hear(&mut self, news: News) -> bool {
        let News { car, status, changed, cars_changed, answers } = news;
        let mut moved = car.is_some() || changed || cars_changed || !answers.is_empty();
        if let Some(status) = status.filter(|status| *status != self.status) {
            moved = true;
            if !matches!(
                (&self.status, &status),
                (Status::Connecting { .. } | Status::Lost { .. }, Status::Server { .. })
            ) {
                self.car = None;
            }
            self.status = status;
            // The new source may have different data.
            self.forget_questions();
        }
        if let Some(car) = car {
            self.car = Some(car);
        }
        if changed {
            self.note_change();
        }
        self.cars.changed |= changed || cars_changed;
        answers.into_iter().for_each(|answer| self.take(answer));
        moved
    }

    fn forget_questions(&mut self) {
        for (asked, pending) in [
            (&mut self.sessions.asked, &mut self.sessions.pending),
            (&mut self.laps.asked, &mut self.laps.pending),
            (&mut self.live.asked, &mut self.live.pending),
            (&mut self.cars.asked, &mut self.cars.pending),
            (&mut self.tapes.asked, &mut self.tapes.pending),
        ] {
            (*asked, *pending) = (None, false);
        }
        if self.compare.value.is_none() {
            (self.compare.asked, self.compare.pending) = (None, false);
        }
    }

    fn note_change(&mut self) {
        self.sessions.changed = true;
        self.laps.changed = true;
        self.live.changed = true;
        self.tapes.changed = true;
    }

    fn take(&mut self, answer: Answer) {
        match answer {
            Answer::Sessions(found) => {
                // New sessions are added at the top: the selected session stays selected.
                let picked = self.picked_session().map(|session| session.id.clone());
                self.sessions.take(found);
                let at = picked.and_then(|id| self.shown_sessions().iter().position(|session| session.id == id));
                self.session.at = at.unwrap_or(self.session.at);
                self.session.by(0, self.shown_sessions().len());
            }
            Answer::Session(id, found) => {
                if self.car_session() == Some(id.as_str()) {
                    self.live.take(found.clone());
                }
                if self.open.as_ref() == Some(&id) {
                    self.laps.take(found);
                    self.lap.by(0, self.lap_count());
                }
            }
            Answer::Standings(id, found) => {
                if self.cars_of.as_ref() == Some(&id) {
                    self.cars.take(found);
                }
            }
            Answer::Compare(pair, found) => {
                if self.pair.as_ref() == Some(&pair) {
                    self.compare.take(found.map(|found| *found));
                }
            }
            Answer::Tapes(found) => {
                self.tapes.take(found);
                self.tape.by(0, self.tapes.value.as_ref().map_or(0, Vec::len));
            }
        }
    }

    /// Returns the requests that are due.
    pub(crate) fn wants(&mut self, now: Instant) -> Vec<Ask> {
        let mut wants = Vec::new();
        if matches!(self.status, Status::Connecting { .. }) {
            return wants;
        }
        if let Some(id) = self.cars_wanted().map(str::to_owned) {
            if self.cars_of.as_ref() != Some(&id) {
                (self.cars, self.cars_of, self.first_car) = (Loaded::default(), Some(id.clone()), 0);
            }
            if self.cars.is_due(now) {
                self.cars.ask(now);
                wants.push(Ask::Standings(id));
            }
        }
        match self.screen {
            Screen::Live => {
                let of_value = self.live.value.as_ref().map(|live| live.session.id.clone());
                if let Some(id) = self.car_session().map(str::to_owned) {
                    if of_value.is_some_and(|known| known != id) {
                        self.live = Loaded::default();
                    }
                    if self.live.is_due(now) {
                        self.live.ask(now);
                        wants.push(Ask::Session(id));
                    }
                }
            }
            Screen::Sessions => self.want_sessions(now, &mut wants),
            Screen::Laps => match self.open.clone() {
                None => self.want_sessions(now, &mut wants),
                Some(id) if self.laps.is_due(now) => {
                    self.laps.ask(now);
                    wants.push(Ask::Session(id));
                }
                Some(_) => {}
            },
            Screen::Compare => {
                // Laps do not change, but a failed comparison may succeed later.
                let is_due = match self.compare.value {
                    Some(_) => false,
                    None => self.compare.is_due(now),
                };
                if let Some((one, other)) = self.pair.clone().filter(|_| is_due) {
                    self.compare.ask(now);
                    wants.push(Ask::Compare(one, other));
                }
            }
            Screen::Tapes => {
                if self.tapes.is_due(now) {
                    self.tapes.ask(now);
                    wants.push(Ask::Tapes);
                }
            }
        }
        wants
    }

    fn want_sessions(&mut self, now: Instant, wants: &mut Vec<Ask>) {
        if self.screen == Screen::Laps
            && let Some(newest) = self.sessions.value.as_ref().and_then(|sessions| sessions.first())
        {
            let id = newest.id.clone();
            self.open_session(&id);
            return;
        }
        if self.sessions.is_due(now) {
            self.sessions.ask(now);
            wants.push(Ask::Sessions);
        }
    }

    /// Opens the laps of a session.
    pub(crate) fn open_session(&mut self, id: &str) {
        if self.open.as_deref() != Some(id) {
            self.laps = Loaded::default();
            self.lap = Picked::default();
            self.open = Some(id.to_owned());
        }
    }

    /// Starts comparing two laps.
    pub(crate) fn compare(&mut self, one: String, other: String) {
        if one == other {
            self.say("A and B are the same lap; choose another with space");
            return;
        }
        let pair = Some((one, other));
        if self.pair != pair {
            (self.pair, self.compare, self.cursor, self.scroll) = (pair, Loaded::default(), 0.0, 0);
        } else if self.compare.error.is_some() {
            self.compare = Loaded::default();
        }
        self.screen = Screen::Compare;
    }

    /// Returns the sessions that match the filter.
    pub(crate) fn shown_sessions(&self) -> Vec<&SessionRow> {
        let all = self.sessions.value.iter().flatten();
        all.filter(|session| self.filter.is_empty() || session.has(&self.filter)).collect()
    }

    pub(crate) fn picked_session(&self) -> Option<&SessionRow> {
        self.shown_sessions().get(self.session.at).copied()
    }

    pub(crate) fn lap_count(&self) -> usize {
        self.laps.value.as_ref().map_or(0, |detail| detail.laps.len())
    }

    pub(crate) fn picked_tape(&self) -> Option<&TapeRow> {
        self.tapes.value.as_ref()?.get(self.tape.at)
    }

    /// Returns the session whose cars are shown.
    pub(crate) fn cars_wanted(&self) -> Option<&str> {
        match self.screen {
            _ if !self.all_cars => None,
            Screen::Live => self.car_session(),
            Screen::Laps => self.open.as_deref(),
            Screen::Sessions | Screen::Compare | Screen::Tapes => None,
        }
    }

    pub(crate) fn car_session(&self) -> Option<&str> {
        self.car.as_ref()?.0.session.as_deref()
    }

    /// Shows a message in the last line.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.message = Some((text.into(), Instant::now()));
    }

    /// Returns the current message.
    pub(crate) fn message(&self, now: Instant) -> Option<&str> {
        let fresh = |at: &Instant| now.saturating_duration_since(*at) < MESSAGE;
        self.message.as_ref().filter(|(_, at)| fresh(at)).map(|(text, _)| text.as_str())
    }
}
