//! Holds responses of a game that arrive before a car is driven, until a tape begins.
//!
//! A game responds to a request once, for example with the names of car and track, and sends updates only while a car is driven. A tape begins with
//! these updates; without the earlier responses it would lack the names.

/// More than the answers of any game.
const MOST_BYTES: usize = 1 << 20;

/// Answers and the indices of their streams, in the order in which they came. Equal ones are kept once.
#[derive(Debug, Default)]
pub(super) struct HeldAnswers {
    answers: Vec<(usize, Vec<u8>)>,
    bytes: usize,
}

impl HeldAnswers {
    /// Adds an answer. If there are too many, the oldest ones are dropped.
    pub(super) fn push(&mut self, stream: usize, bytes: &[u8]) {
        // The newest of equal ones counts: answers in between may contradict the first.
        if let Some(index) = self.answers.iter().position(|(of, answer)| *of == stream && answer == bytes) {
            self.remove(index);
        }
        self.bytes += cost(bytes);
        self.answers.push((stream, bytes.to_vec()));
        while self.bytes > MOST_BYTES && self.answers.len() > 1 {
            self.remove(0);
        }
    }

    fn remove(&mut self, index: usize) {
        let (_, answer) = self.answers.remove(index);
        self.bytes -= cost(&answer);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Takes all answers.
    pub(super) fn take(&mut self) -> Vec<(usize, Vec<u8>)> {
        self.bytes = 0;
        std::mem::take(&mut self.answers)
    }
}

/// Also an empty answer takes some memory.
fn cost(answer: &[u8]) -> usize {
    answer.len() + size_of::<(usize, Vec<u8>)>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_answers_are_kept_once_and_memory_is_limited() {
        let mut held = HeldAnswers::default();
        for answer in [&b"one"[..], b"two", b"one"] {
            held.push(3, answer);
        }
        held.push(4, b"one");
        assert_eq!(held.take(), [(3, b"two".to_vec()), (3, b"one".to_vec()), (4, b"one".to_vec())]);
        assert!(held.is_empty());
        for number in 0..2000_u32 {
            held.push(0, &[&number.to_le_bytes()[..], &[0; 1000]].concat());
        }
        assert!(held.bytes <= MOST_BYTES);
        let taken = held.take();
        assert!(
            taken.len() > 900 && taken.last().is_some_and(|(_, answer)| answer.starts_with(&1999_u32.to_le_bytes()))
        );
    }
}
