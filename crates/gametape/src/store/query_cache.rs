//! A cache of query results, invalidated by every change. Lists over hundreds of thousands of laps take a while and are requested again
//! and again.
//!
//! The database has a counter that increases with every change by any program. A result is cached with the value of the counter before
//! the query, and discarded when the counter differs. So a cached result always equals a fresh one.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::connection::Connection;
use super::error::StoreError;
use super::value::needed;

/// Maximum number of cached results. Each is one page.
const MOST: usize = 64;

type Kept = Arc<dyn Any + Send + Sync>;

/// Returns the change counter.
pub(super) fn counter(db: &mut dyn Connection) -> Result<i64, StoreError> {
    let counter = db.first("SELECT n FROM changes", &[], |mut row| row.number("a counter"))?;
    needed(counter.flatten(), "a counter")
}

/// The cache.
#[derive(Default)]
pub(super) struct QueryCache {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    counter: i64,
    answers: HashMap<String, Kept>,
}

impl QueryCache {
    /// Returns the cached result of a query, or runs the query and caches its result.
    pub(super) fn get<T: Clone + Send + Sync + 'static>(
        &self,
        question: String,
        db: &mut dyn Connection,
        ask: impl FnOnce(&mut dyn Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let counter = counter(db)?;
        if let Some(answer) = self.kept(counter, &question).and_then(|kept| kept.downcast::<T>().ok()) {
            return Ok(T::clone(&answer));
        }
        let answer = ask(db)?;
        self.keep(counter, question, Arc::new(answer.clone()));
        Ok(answer)
    }

    fn kept(&self, counter: i64, question: &str) -> Option<Kept> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.counter != counter {
            // A different counter means a different state of the database. It may also be lower, after a backup was restored.
            *state = State { counter, answers: HashMap::new() };
        }
        state.answers.get(question).cloned()
    }

    fn keep(&self, counter: i64, question: String, answer: Kept) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.counter == counter {
            if state.answers.len() >= MOST {
                state.answers.clear();
            }
            state.answers.insert(question, answer);
        }
    }
}
