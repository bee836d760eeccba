//! Passes data from the source thread to the drawing thread. Neither side waits: only the latest state is kept, so nothing accumulates.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::super::facts::{Car, Comparison, SessionDetail, SessionRow, Standings, TapeRow};

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ask {
    Sessions,
    /// Id of a session.
    Session(String),
    /// Id of a session whose cars are requested.
    Standings(String),
    /// Ids of two laps; the first one is the reference.
    Compare(String, String),
    Tapes,
}

/// The response to a request; errors are sentences for the user.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Sessions(Result<Vec<SessionRow>, String>),
    Session(String, Result<SessionDetail, String>),
    Standings(String, Result<Standings, String>),
    Compare((String, String), Result<Box<Comparison>, String>),
    Tapes(Result<Vec<TapeRow>, String>),
}

/// The state of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Status {
    /// No server or store was found yet.
    Connecting { name: String },
    /// Connected to the live stream of a server.
    Server { name: String },
    /// The store of this machine; `lost` says why the server is no longer used.
    Store { name: String, lost: Option<String> },
    /// The server does not respond; it is retried.
    Lost { name: String, reason: String },
}

/// Everything new since the last fetch.
#[derive(Debug, Default)]
pub(crate) struct News {
    pub(crate) car: Option<(Car, Instant)>,
    pub(crate) status: Option<Status>,
    /// Sessions or laps have changed.
    pub(crate) changed: bool,
    /// Other cars have changed.
    pub(crate) cars_changed: bool,
    pub(crate) answers: Vec<Answer>,
}

/// Holds news until they are fetched.
#[derive(Debug, Default)]
pub(crate) struct Inbox(Mutex<News>);

/// The largest number of pending responses. There is one per request, and few requests are made.
const MOST_ANSWERS: usize = 32;

impl Inbox {
    /// Takes everything that is new.
    pub(crate) fn take(&self) -> News {
        self.with(std::mem::take)
    }

    pub(super) fn car(&self, car: Car) {
        self.with(|news| news.car = Some((car, Instant::now())));
    }

    pub(super) fn status(&self, status: Status) {
        self.with(|news| {
            news.status = Some(status);
            // The car belongs to the previous connection.
            news.car = None;
        });
    }

    pub(super) fn changed(&self) {
        self.with(|news| news.changed = true);
    }

    pub(super) fn cars_changed(&self) {
        self.with(|news| news.cars_changed = true);
    }

    pub(super) fn answer(&self, answer: Answer) {
        self.with(|news| {
            if news.answers.len() >= MOST_ANSWERS {
                news.answers.remove(0);
            }
            news.answers.push(answer);
        });
    }

    fn with<T>(&self, change: impl FnOnce(&mut News) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
