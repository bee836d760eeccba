//! What a tracker finds, told to all who listen. It is called when the store has it, so that who hears of a lap can ask for it.

use std::sync::{Mutex, PoisonError};

use gametape::laps::{Event, Id, Lap, Session};
use gametape::store::{Audience, StoreError, Visibility};
use serde_json::{Value, json};

use super::answers::{LapAnswer, SessionAnswer};
use super::live::Kind;
use super::state::AppState;

/// Tells of one recording. Blocks: it asks the store.
pub(crate) struct Announcer {
    state: AppState,
    now: Mutex<Now>,
}

/// What is known of the session that runs: whether all may hear of what is not stored.
#[derive(Default)]
struct Now {
    driver: Option<String>,
    session_is_public: bool,
    lap_is_public: bool,
}

impl Announcer {
    pub(crate) fn new(state: AppState) -> Self {
        Self { state, now: Mutex::default() }
    }

    /// Tells of an event.
    pub(crate) fn tell(&self, event: &Event) -> Result<(), StoreError> {
        match event {
            Event::SessionOpened(session) => self.session(Kind::SessionOpened, session),
            Event::SessionChanged(session) => self.session(Kind::SessionChanged, session),
            Event::SessionClosed(session) => self.session(Kind::SessionClosed, session),
            Event::LapOpened(lap) => {
                let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
                // Of a co-driver nothing is known before a lap is stored.
                now.lap_is_public = now.session_is_public && (lap.driver.is_none() || lap.driver == now.driver);
                let data =
                    json!({ "lap": lap.id.to_string(), "session": lap.session.to_string(), "number": lap.number });
                self.state.hub.tell(Kind::LapOpened, now.lap_is_public, &data);
                Ok(())
            }
            Event::SectorClosed { lap, number, sector } => {
                let data = json!({ "lap": lap.to_string(), "sector": number, "time_ms": sector.time_ms });
                self.unstored(Kind::SectorClosed, &data)
            }
            Event::StintOpened { session, stint } | Event::StintClosed { session, stint } => {
                let data = json!({ "session": session.to_string(), "stint": stint.n });
                self.unstored(Kind::Stint, &data)
            }
            Event::ConditionsChanged { session, at_ns, .. } => {
                self.unstored(Kind::ConditionsChanged, &json!({ "session": session.to_string(), "at_ns": at_ns }))
            }
            Event::LapProvisional(lap) => self.lap(Kind::LapProvisional, lap),
            Event::LapFinal(lap) => self.lap(Kind::LapFinal, lap),
            Event::LapAborted(lap) => self.lap(Kind::LapAborted, lap),
            Event::LapAmended(lap) => self.lap(Kind::LapAmended, lap),
            // Bests come with sessions; what was learned of a track is no news.
            Event::BestChanged { session, .. } => self.changed(*session),
            Event::TrackLearned(_) => Ok(()),
        }
    }

    fn unstored(&self, kind: Kind, data: &Value) -> Result<(), StoreError> {
        let public = self.now.lock().unwrap_or_else(PoisonError::into_inner).lap_is_public;
        self.state.hub.tell(kind, public, data);
        Ok(())
    }

    fn lap(&self, kind: Kind, lap: &Lap) -> Result<(), StoreError> {
        // Laps of a playback are not stored, and not told.
        if let Some(stored) = self.state.store.lap(lap.id, Audience::Owner)? {
            let public = stored.visibility == Visibility::Public;
            self.state.hub.tell(kind, public, &json!(LapAnswer::of(stored, None)));
        }
        Ok(())
    }

    fn session(&self, kind: Kind, session: &Session) -> Result<(), StoreError> {
        let Some(stored) = self.state.store.session(session.id, Audience::Owner)? else { return Ok(()) };
        let public = stored.session.visibility == Visibility::Public;
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) =
            Now { driver: session.driver.clone(), session_is_public: public, lap_is_public: public };
        self.state.car.set_public(public);
        self.state.hub.tell(kind, public, &json!(SessionAnswer::from(stored.session)));
        Ok(())
    }

    fn changed(&self, session: Id) -> Result<(), StoreError> {
        if let Some(stored) = self.state.store.session(session, Audience::Owner)? {
            let public = stored.session.visibility == Visibility::Public;
            self.state.hub.tell(Kind::SessionChanged, public, &json!(SessionAnswer::from(stored.session)));
        }
        Ok(())
    }
}
