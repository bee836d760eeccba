//! What the asking thread hands to the drawing one. Nobody waits: the newest counts, and what nobody fetches does not pile up.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::super::facts::{Car, Comparison, SessionDetail, SessionRow, TapeRow};

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ask {
    Sessions,
    /// Id of a session.
    Session(String),
    /// Ids of two laps; the first one is the reference.
    Compare(String, String),
    Tapes,
}

/// What came of it; an error is a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Sessions(Result<Vec<SessionRow>, String>),
    Session(String, Result<SessionDetail, String>),
    Compare((String, String), Result<Box<Comparison>, String>),
    Tapes(Result<Vec<TapeRow>, String>),
}

/// How it stands with who is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nobody was found yet.
    Connecting { name: String },
    /// A server that is listened to.
    Server { name: String },
    /// The store of this machine; `lost` says why a server is no longer asked.
    Store { name: String, lost: Option<String> },
    /// The server does not answer; it is tried again.
    Lost { name: String, reason: String },
}

/// What is new since it was fetched last.
#[derive(Debug, Default)]
pub(crate) struct News {
    pub(crate) car: Option<(Car, Instant)>,
    pub(crate) status: Option<Status>,
    /// Sessions or laps are others now.
    pub(crate) changed: bool,
    pub(crate) answers: Vec<Answer>,
}

/// Where news lies until it is fetched.
#[derive(Debug, Default)]
pub(crate) struct Inbox(Mutex<News>);

/// Answers that wait at most; there is one for each question, and few are asked.
const MOST_ANSWERS: usize = 32;

impl Inbox {
    /// Takes all that is new.
    pub(crate) fn take(&self) -> News {
        self.with(std::mem::take)
    }

    pub(super) fn car(&self, car: Car) {
        self.with(|news| news.car = Some((car, Instant::now())));
    }

    pub(super) fn status(&self, status: Status) {
        self.with(|news| {
            news.status = Some(status);
            // What was heard of another one says nothing of this one.
            news.car = None;
        });
    }

    pub(super) fn changed(&self) {
        self.with(|news| news.changed = true);
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
