//! Entry point for the fuzz targets and mutation tests.

use super::{Answer, EventDetector, Fields, SessionFacts, State, session_id, text_value};

/// Parses bytes as a response of the game.
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
    assert_eq!(
        session_id(data, &mut hint).is_some(),
        session_id(data, &mut hint).is_some(),
        "the hint must not change the result"
    );
    for (_, value) in Fields::of(data) {
        let _ = text_value(value);
        let _ = Fields::of(value).count();
    }
}
