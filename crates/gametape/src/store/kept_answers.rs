//! Answers that are kept until something changes. Lists of hundreds of thousands of laps take a while, and are asked for again and again.
//!
//! The database has a counter that rises with every change, by whichever program. An answer is kept with the counter as it was before the question: if it
//! has risen, the answer is thrown away. So an answer out of here is the same as one from the tables.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::connection::Connection;
use super::error::StoreError;
use super::value::needed;

/// Answers at most. Each is a page.
const MOST: usize = 64;

type Kept = Arc<dyn Any + Send + Sync>;

/// The counter of changes.
pub(super) fn counter(db: &mut dyn Connection) -> Result<i64, StoreError> {
    let counter = db.first("SELECT n FROM changes", &[], |mut row| row.number("a counter"))?;
    needed(counter.flatten(), "a counter")
}

/// Answers to questions, as long as they hold.
#[derive(Default)]
pub(super) struct KeptAnswers {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    counter: i64,
    answers: HashMap<String, Kept>,
}

impl KeptAnswers {
    /// The answer to a question, kept or made.
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
            // Another counter is another state of the database, older ones of a copy that was put back included.
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
