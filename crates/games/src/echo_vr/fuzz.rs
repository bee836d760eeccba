//! Entry point for mutated input.

use super::{Answer, EventDetector, Fields, SessionFacts, State, session_id, text_value};

/// Reads bytes as an answer of the game.
pub fn fuzz_echo_answer(data: &[u8]) {
    let _ = SessionFacts::read(data);
    let _ = Answer::of(data, &mut (data.len() / 2));
    let (mut state, mut detector, mut events) = (State::default(), EventDetector::default(), Vec::new());
    for end in [data.len(), data.len() / 2, data.len()] {
        if state.read(data.get(..end).unwrap_or_default()) {
            detector.see(&mut state, &mut events);
        }
    }
    let mut hint = data.len() / 2;
    assert_eq!(session_id(data, &mut hint).is_some(), session_id(data, &mut hint).is_some(), "a hint changes nothing");
    for (_, value) in Fields::of(data) {
        let _ = text_value(value);
        let _ = Fields::of(value).count();
    }
}
