//! The latest state of each recorded car, for clients that follow one of them. A process may run several recorders; a client follows one
//! of them and is notified of the others.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use axum::extract::ws::Utf8Bytes;
use gametape::format::TapeId;
use gametape::laps::{Id, Session};
use gametape::store::Audience;
use serde::Serialize;
use serde_json::json;
use tokio::sync::watch;

/// The number of sessions remembered as public: one per rig.
const REMEMBERED: usize = 16;

/// Holds the latest states of cars.
pub(crate) struct CarFeed {
    cars: Mutex<Cars>,
    /// Incremented with every state.
    turn: watch::Sender<u64>,
    /// Sessions, with their drivers, that the public may see. Other sessions, and those not known yet, are hidden.
    public: Mutex<Vec<(Id, Option<String>)>>,
}

#[derive(Default)]
struct Cars {
    turn: u64,
    /// In the order in which their recordings began.
    live: Vec<LiveCar>,
    /// The last failure beside the recordings, and its turn.
    error: Option<(u64, String)>,
}

/// A recorded car.
struct LiveCar {
    /// Each recorder publishes its car from its own thread.
    recorder: ThreadId,
    about: About,
    /// The whole message.
    text: Utf8Bytes,
    public: bool,
    /// The turn of this state.
    turn: u64,
}

/// What identifies a car.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct About {
    pub(super) tape: String,
    pub(super) session: Option<String>,
    pub(super) game: String,
    pub(super) track: Option<String>,
    pub(super) car: Option<String>,
    pub(super) driver: Option<String>,
}

impl Default for CarFeed {
    fn default() -> Self {
        Self { cars: Mutex::default(), turn: watch::Sender::new(0), public: Mutex::default() }
    }
}

/// The message when nobody drives. `error`: what failed beside the recording.
fn waiting(error: Option<&str>) -> Utf8Bytes {
    let mut data = json!({ "rig": "local", "state": "waiting" });
    if let Some(error) = error {
        data["error"] = error.into();
    }
    json!({ "kind": "car", "data": data }).to_string().into()
}

impl CarFeed {
    /// Marks this session as public; `None` clears all. Sessions that are not marked are visible only to the owner.
    pub(super) fn set_public(&self, session: Option<&Session>) {
        let mut public = self.public.lock().unwrap_or_else(PoisonError::into_inner);
        match session {
            None => {
                public.clear();
                self.change(|cars| cars.live.iter_mut().for_each(|car| car.public = false));
            }
            Some(session) => {
                public.retain(|(id, _)| *id != session.id);
                public.push((session.id, session.driver.clone()));
                if public.len() > REMEMBERED {
                    public.remove(0);
                }
            }
        }
    }

    /// Whether the public may see the session with this driver. Nothing is known about a co-driver before a lap is stored.
    pub(super) fn is_public(&self, session: Option<&Session>, driver: Option<&String>) -> bool {
        let public = self.public.lock().unwrap_or_else(PoisonError::into_inner);
        let of_its_driver = |session: &Session| {
            driver.is_none_or(|driver| session.driver.as_ref() == Some(driver))
                && public.iter().any(|(id, driver)| *id == session.id && *driver == session.driver)
        };
        session.is_some_and(of_its_driver)
    }

    fn cars(&self) -> MutexGuard<'_, Cars> {
        self.cars.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Cars)) {
        let mut cars = self.cars();
        cars.turn += 1;
        change(&mut cars);
        let turn = cars.turn;
        drop(cars);
        self.turn.send_replace(turn);
    }

    /// Reports that a part beside the recording failed: from now on the owner's live status shows it.
    pub(super) fn fail(&self, part: &'static str) {
        self.change(|cars| cars.error = Some((cars.turn, format!("{part} failed"))));
    }

    /// Returns what failed beside the recording, as text.
    pub(super) fn error(&self) -> Option<String> {
        self.cars().error.as_ref().map(|(_, error)| error.clone())
    }

    /// Publishes the latest state of the car of the recorder whose thread calls this.
    pub(super) fn show(&self, about: About, text: String, public: bool) {
        self.put(thread::current().id(), about, text, public);
    }

    /// Removes the car of the recorder whose thread calls this.
    pub(super) fn gone(&self) {
        let recorder = thread::current().id();
        self.change(|cars| cars.live.retain(|car| car.recorder != recorder));
    }

    fn put(&self, recorder: ThreadId, about: About, text: String, public: bool) {
        self.change(|cars| {
            let turn = cars.turn;
            let next = LiveCar { recorder, about, text: text.into(), public, turn };
            match cars.live.iter_mut().find(|car| car.recorder == recorder && car.about.tape == next.about.tape) {
                Some(car) => *car = next,
                None => {
                    cars.live.retain(|car| car.recorder != recorder);
                    cars.live.push(next);
                }
            }
        });
    }

    /// Follows the car of this recording while it runs; otherwise that of the recording that began last.
    pub(super) fn watch(&self, audience: Audience, tape: Option<TapeId>) -> CarWatcher {
        let mut turn = self.turn.subscribe();
        turn.mark_changed();
        CarWatcher { turn, audience, wanted: tape.map(|tape| tape.to_string()), shown: None }
    }
}

/// A client that follows a car.
pub(super) struct CarWatcher {
    turn: watch::Receiver<u64>,
    audience: Audience,
    wanted: Option<String>,
    /// What was sent last: the turn of the car, and the other cars.
    shown: Option<(u64, Vec<About>)>,
}

impl CarWatcher {
    /// Waits for the next state; skips states that were replaced meanwhile.
    pub(super) async fn next(&mut self, feed: &CarFeed) -> Utf8Bytes {
        loop {
            if self.turn.changed().await.is_err() {
                // No more states will come.
                return std::future::pending().await;
            }
            self.turn.mark_unchanged();
            if let Some(text) = self.look(&feed.cars()) {
                return text;
            }
        }
    }

    /// Returns the message to send; `None` if only cars that are not followed have changed.
    fn look(&mut self, cars: &Cars) -> Option<Utf8Bytes> {
        let seen = || cars.live.iter().filter(|car| self.audience == Audience::Owner || car.public);
        let wanted = seen().find(|car| Some(&car.about.tape) == self.wanted.as_ref());
        let Some(car) = wanted.or_else(|| seen().last()) else {
            // Hidden data must not leak, not even that it changes.
            let error = cars.error.as_ref().filter(|_| self.audience == Audience::Owner);
            let now = Some((error.map_or(0, |(turn, _)| *turn), Vec::new()));
            let is_new = self.shown != now;
            self.shown = now;
            return is_new.then(|| waiting(error.map(|(_, error)| error.as_str())));
        };
        let others: Vec<_> =
            seen().filter(|other| other.about.tape != car.about.tape).map(|car| car.about.clone()).collect();
        let text = match others.is_empty() {
            true => car.text.clone(),
            false => with_others(&car.text, &others),
        };
        let now = Some((car.turn, others));
        if now == self.shown {
            return None;
        }
        self.shown = now;
        Some(text)
    }
}

/// Adds the other cars to the data of a message.
fn with_others(text: &Utf8Bytes, others: &[About]) -> Utf8Bytes {
    match text.as_str().strip_suffix("}}") {
        Some(open) => format!("{open},\"others\":{}}}}}", json!(others)).into(),
        None => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_failure_beside_the_recording_is_part_of_the_live_status_of_the_owner() {
        let feed = CarFeed::default();
        let (mut owner, mut anybody) = (feed.watch(Audience::Owner, None), feed.watch(Audience::Public, None));
        assert!(!owner.next(&feed).await.contains("error") && !anybody.next(&feed).await.contains("error"));
        feed.fail("tracking laps");
        assert!(owner.next(&feed).await.contains(r#""error":"tracking laps failed""#));
        assert_eq!(feed.error().as_deref(), Some("tracking laps failed"));
        feed.put(thread::current().id(), about("1"), state("1", 1), true);
        assert!(owner.next(&feed).await.contains("speed") && anybody.next(&feed).await.contains("speed"));
        feed.gone();
        assert!(owner.next(&feed).await.contains("tracking laps failed"), "until the program ends");
        assert!(!anybody.next(&feed).await.contains("failed"));
    }

    fn about(tape: &str) -> About {
        About { tape: tape.to_owned(), session: None, game: "game".to_owned(), track: None, car: None, driver: None }
    }

    fn state(tape: &str, speed: u32) -> String {
        format!(r#"{{"kind":"car","data":{{"tape":"{tape}","speed":{speed}}}}}"#)
    }

    /// Two recorders, as threads that have published a state.
    fn recorders() -> [ThreadId; 2] {
        [(); 2].map(|()| thread::spawn(|| thread::current().id()).join().unwrap())
    }

    #[tokio::test]
    async fn a_session_that_is_not_known_to_be_public_is_seen_by_the_owner_alone() {
        let feed = CarFeed::default();
        let (mut owner, mut anybody) = (feed.watch(Audience::Owner, None), feed.watch(Audience::Public, None));
        assert!(owner.next(&feed).await.contains("waiting") && anybody.next(&feed).await.contains("waiting"));
        let session = super::super::tests::session(1, "Driver 1");
        let other = Session { driver: Some("Driver 2".into()), ..session.clone() };
        let (first, second) = ("Driver 1".to_owned(), "Driver 2".to_owned());
        for (known, shown, driver, seen) in [
            (None, &session, None, false),
            (Some(&session), &session, None, true),
            (Some(&session), &session, Some(&first), true),
            (Some(&session), &session, Some(&second), false),
            (Some(&session), &other, None, false),
            (None, &session, None, false),
        ] {
            feed.set_public(known);
            let is_public = feed.is_public(Some(shown), driver);
            assert_eq!(is_public, seen);
            feed.show(about("a"), state("a", 1), is_public);
            assert_eq!(owner.next(&feed).await.as_str(), state("a", 1));
            assert_eq!(anybody.look(&feed.cars()).is_some_and(|text| text.contains("speed")), seen);
        }
        feed.show(about("a"), state("a", 2), true);
        assert!(anybody.next(&feed).await.contains("speed"));
        feed.set_public(None);
        assert!(anybody.next(&feed).await.contains("waiting"), "hidden at once, also while no frames come");
    }

    #[tokio::test]
    async fn a_client_follows_one_of_several_cars_and_is_told_of_the_others() {
        let feed = CarFeed::default();
        let [one, two] = recorders();
        let (tape_one, tape_two) = (TapeId([1; 16]), TapeId([2; 16]));
        let (name_one, name_two) = (tape_one.to_string(), tape_two.to_string());
        feed.put(one, about(&name_one), state(&name_one, 1), true);
        let (mut newest, mut first) = (feed.watch(Audience::Owner, None), feed.watch(Audience::Owner, Some(tape_one)));
        let alone = newest.next(&feed).await;
        assert!(alone.contains(&name_one) && !alone.contains("others"), "{alone}");
        first.next(&feed).await;
        feed.put(two, about(&name_two), state(&name_two, 2), false);
        for (watcher, own, other) in [(&mut newest, &name_two, &name_one), (&mut first, &name_one, &name_two)] {
            let text = watcher.next(&feed).await;
            let data = serde_json::from_str::<serde_json::Value>(&text).unwrap()["data"].take();
            assert_eq!((&data["tape"], &data["others"][0]["tape"]), (&json!(own), &json!(other)));
        }
        // States of the other car cause no message.
        feed.put(two, about(&name_two), state(&name_two, 3), false);
        assert_eq!(first.look(&feed.cars()), None);
        assert!(newest.next(&feed).await.contains("\"speed\":3"));
        // The public is not notified of a hidden car.
        let public = feed.watch(Audience::Public, Some(tape_two)).next(&feed).await;
        assert!(public.contains(&name_one) && !public.contains(&name_two), "{public}");
        // When one ends, the other is shown and not \"waiting\".
        feed.change(|cars| cars.live.retain(|car| car.recorder != one));
        assert!(first.next(&feed).await.contains("\"speed\":3"));
    }
}
