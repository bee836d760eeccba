//! Publishes the tracker's events to live clients. Called after the store has committed, so that a client that is notified of a
//! lap can request it.
//!
//! If a database server is unreachable, the lap waits in the outbox; it is then published as the tracker found it, and only to
//! clients with full access.

use std::sync::{Mutex, PoisonError};

use gametape::laps::{Event, Id, Lap, Session};
use gametape::store::{Audience, Combination, Remarks, StoredLap, StoredSession, Visibility};
use serde_json::{Value, json};

use super::answers::SessionAnswer;
use super::lap_answer::LapAnswer;
use super::live::Kind;
use super::state::AppState;

/// Publishes the events of one recording. Blocks, since it queries the store.
pub(crate) struct Announcer {
    state: AppState,
    now: Mutex<CurrentSession>,
}

/// The current session.
#[derive(Default)]
struct CurrentSession {
    session: Option<Session>,
    laps: u32,
    /// The driver of the running lap, if the game reports it.
    driver: Option<String>,
}

impl Announcer {
    pub(crate) fn new(state: AppState) -> Self {
        Self { state, now: Mutex::default() }
    }

    /// Publishes an event.
    pub(crate) fn publish(&self, event: &Event) {
        match event {
            Event::SessionOpened(session) => self.session(Kind::SessionOpened, session),
            Event::SessionChanged(session) => self.session(Kind::SessionChanged, session),
            Event::SessionClosed(session) => self.session(Kind::SessionClosed, session),
            Event::LapOpened(lap) => self.lap_opened(lap),
            Event::SectorClosed { lap, number, sector } => {
                let session = self.with_current(|now| now.session.as_ref().map(|session| session.id.to_string()));
                let data =
                    json!({ "lap": lap.to_string(), "session": session, "sector": number, "time_ms": sector.time_ms });
                self.unstored(Kind::SectorClosed, &data);
            }
            Event::StintOpened { session, stint } | Event::StintClosed { session, stint } => {
                self.unstored(Kind::Stint, &json!({ "session": session.to_string(), "stint": stint.n }));
            }
            Event::ConditionsChanged { session, at_ns, .. } => {
                self.unstored(Kind::ConditionsChanged, &json!({ "session": session.to_string(), "at_ns": at_ns }));
            }
            // The cars themselves are requested: who may see them depends on the client.
            Event::Standings { session, .. } => {
                self.unstored(Kind::Standings, &json!({ "session": session.to_string() }));
            }
            Event::LapProvisional(lap) => self.lap(Kind::LapProvisional, lap),
            Event::LapFinal(lap) => self.lap(Kind::LapFinal, lap),
            Event::LapAborted(lap) => self.lap(Kind::LapAborted, lap),
            Event::LapAmended(lap) => self.lap(Kind::LapAmended, lap),
            // Bests are part of sessions; track facts are not published.
            Event::BestChanged { session, .. } => self.changed(*session),
            Event::TrackLearned(_) => {}
        }
    }

    fn lap_opened(&self, lap: &Lap) {
        let data = json!({ "lap": lap.id.to_string(), "session": lap.session.to_string(), "number": lap.number });
        self.with_current(|now| {
            now.driver.clone_from(&lap.driver);
            now.laps += 1;
        });
        self.unstored(Kind::LapOpened, &data);
    }

    fn with_current<T>(&self, look: impl FnOnce(&mut CurrentSession) -> T) -> T {
        look(&mut self.now.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn unstored(&self, kind: Kind, data: &Value) {
        let public = self.is_public();
        self.state.hub.publish(kind, data, public.then_some(data));
    }

    /// Whether the public may see the current session. Queries the store each time: the driver may have been hidden since the
    /// session began.
    fn is_public(&self) -> bool {
        let (session, driver) = self.with_current(|now| (now.session.clone(), now.driver.clone()));
        let Some(session) = session else { return false };
        // Nothing is known about a co-driver before a lap is stored.
        let own = driver.is_none() || driver == session.driver;
        let seen = self.state.store.session(session.id, Audience::Owner);
        let public = matches!(seen, Ok(Some(stored)) if stored.session.visibility == Visibility::Public);
        self.state.car.set_public(public.then_some(&session));
        public && own
    }

    fn lap(&self, kind: Kind, lap: &Lap) {
        let stored = match self.state.store.lap(lap.id, Audience::Owner) {
            Ok(Some(stored)) => stored,
            // Laps of a playback, and those of a deleted session, are not published.
            Ok(None) => return,
            Err(_) => self.with_current(|now| as_found(now, lap)),
        };
        let public = stored.visibility == Visibility::Public;
        let data = json!(LapAnswer::from(stored));
        self.state.hub.publish(kind, &data, public.then_some(&data));
    }

    fn session(&self, kind: Kind, session: &Session) {
        let (data, public) = match self.state.store.session(session.id, Audience::Owner) {
            Ok(Some(stored)) => self.both(session.id, stored.session),
            Ok(None) => return,
            Err(_) => {
                let laps = self.with_current(|now| now.laps);
                (json!(SessionAnswer::from(session_as_found(session, laps))), None)
            }
        };
        self.with_current(|now| {
            if now.session.as_ref().is_none_or(|known| known.id != session.id) {
                (now.laps, now.driver) = (0, None);
            }
            now.session = Some(session.clone());
        });
        self.state.car.set_public(public.is_some().then_some(session));
        self.state.hub.publish(kind, &data, public.as_ref());
    }

    fn changed(&self, session: Id) {
        // A best that cannot be published now is published when the session ends.
        if let Ok(Some(stored)) = self.state.store.session(session, Audience::Owner) {
            let (data, public) = self.both(session, stored.session);
            self.state.hub.publish(Kind::SessionChanged, &data, public.as_ref());
        }
    }

    /// Returns a session as the owner sees it, and as the public does: without laps of hidden drivers.
    fn both(&self, id: Id, stored: StoredSession) -> (Value, Option<Value>) {
        let public = (stored.visibility == Visibility::Public)
            .then(|| self.state.store.session(id, Audience::Public).ok().flatten())
            .flatten()
            .map(|seen| json!(SessionAnswer::from(seen.session)));
        (json!(SessionAnswer::from(stored)), public)
    }
}

/// Builds a lap that cannot be read from the store now.
fn as_found(now: &CurrentSession, lap: &Lap) -> StoredLap {
    let session = now.session.as_ref();
    let text = |of: fn(&Session) -> &Option<String>| session.and_then(|session| of(session).clone());
    StoredLap {
        lap: lap.clone(),
        remarks: Remarks::default(),
        tape: session.map_or(gametape::format::TapeId([0; 16]), |session| session.tape),
        combination: Combination {
            game: session.map(|session| session.game.clone()).unwrap_or_default(),
            track: text(|session| &session.track),
            layout: text(|session| &session.layout),
            car: text(|session| &session.car),
            driver: lap.driver.clone(),
        },
        foreign: session.is_some_and(|session| session.foreign),
        gone: false,
        visibility: Visibility::Private,
    }
}

fn session_as_found(session: &Session, lap_count: u32) -> StoredSession {
    StoredSession {
        session: session.clone(),
        remarks: Remarks::default(),
        lap_count,
        best_ms: None,
        track_name: None,
        car_name: None,
        driver_name: None,
        visibility: Visibility::Private,
        continues: None,
    }
}
