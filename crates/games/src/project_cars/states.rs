//! Numbers that mean the same in all games of the engine.
use crate::capture::Presence;
use crate::lap_frame::Pit;
use crate::sane::{finite, ms};
use crate::session_kind::SessionKind;
use crate::standings::CarResult;
use crate::text::char_text;

/// Session states.
pub(crate) const FORMATION_LAP: u8 = 4;
const RACE: u8 = 5;

/// Race states of a car.
pub(crate) const NOT_STARTED: u8 = 1;
pub(crate) const RACING: u8 = 2;

/// Returns whether a car in this race state takes part.
pub(crate) fn car_result(race_state: u8) -> CarResult {
    match race_state {
        3 => CarResult::Finished,
        4 => CarResult::Disqualified,
        5 => CarResult::Retired,
        6 => CarResult::DidNotFinish,
        // Also outside races, where there is no state.
        _ => CarResult::Active,
    }
}

/// Returns the presence that a game state means.
pub(crate) fn presence(game_state: u8) -> Presence {
    match game_state {
        // Playing, or in a menu while time goes on.
        2 | 4 => Presence::Live,
        // Paused, or restarting.
        3 | 5 => Presence::Paused,
        // A replay of the session, or one chosen in the menus.
        6 | 7 => Presence::Replay,
        _ => Presence::Off,
    }
}

/// Returns the session state, with the formation lap as part of the race.
pub(crate) fn session_of(session_state: u8) -> Option<u8> {
    match session_state {
        FORMATION_LAP => Some(RACE),
        1..=6 => Some(session_state),
        _ => None,
    }
}

pub(crate) fn kind(session_state: u8) -> SessionKind {
    match session_of(session_state) {
        Some(1) => SessionKind::Practice,
        Some(2) => SessionKind::Test,
        Some(3) => SessionKind::Qualifying,
        Some(RACE) => SessionKind::Race,
        Some(6) => SessionKind::TimeTrial,
        _ => SessionKind::Unknown,
    }
}

pub(crate) fn session_name(session_state: u8) -> Option<&'static str> {
    Some(match session_of(session_state)? {
        1 => "practice",
        2 => "test",
        3 => "qualify",
        RACE => "race",
        _ => "time-attack",
    })
}

/// Returns where a car with this pit mode is.
pub(crate) fn pit(mode: u8) -> Option<Pit> {
    match mode {
        0 => Some(Pit::Track),
        // Driving into the pits, out of them, and leaving the garage.
        1 | 3 | 5 => Some(Pit::Lane),
        2 | 4 => Some(Pit::Box),
        _ => None,
    }
}

/// Decodes the low half of the byte with gear and number of gears.
pub(crate) fn gear(gears: u8) -> Option<i8> {
    match gears & 0xF {
        15 => Some(-1),
        gear => i8::try_from(gear).ok(),
    }
}

/// Converts a pedal or another share of 255.
pub(crate) fn share(value: u8) -> f32 {
    f32::from(value) / 255.0
}

/// Converts steering, -127 to 127.
pub(crate) fn steering(value: u8) -> f32 {
    (f32::from(value.cast_signed()) / 127.0).clamp(-1.0, 1.0)
}

/// Converts seconds; negative times (-1, -123) mean that there is none.
pub(crate) fn time_ms(seconds: f32) -> Option<u32> {
    finite(seconds).and_then(|seconds| ms(f64::from(seconds) * 1000.0))
}

/// Converts a lap or sector time. None takes 0 s.
pub(crate) fn lap_ms(seconds: f32) -> Option<u32> {
    time_ms(seconds).filter(|ms| *ms > 0)
}

/// Converts kelvins; 0 means that there is no value.
pub(crate) fn celsius(kelvins: u16) -> Option<f32> {
    (kelvins > 0).then(|| f32::from(kelvins) - 273.15)
}

/// Returns whether a NUL-padded field may hold text: no control characters before the first NUL. What follows it may be left over from a longer
/// text.
pub(crate) fn is_text(field: &[u8]) -> bool {
    let end = field.iter().position(|byte| *byte == 0);
    end.is_some_and(|end| field.iter().take(end).all(|byte| *byte >= b' ' && *byte != 0x7F))
}

/// Returns whether consecutive fields of `bytes` bytes each may hold text.
pub(crate) fn are_texts(fields: Option<&[u8]>, bytes: usize) -> bool {
    fields.is_some_and(|fields| fields.chunks(bytes).all(is_text))
}

/// Returns the text in a field; `None` if it is empty.
pub(crate) fn text(field: Option<&[u8]>) -> Option<String> {
    Some(char_text(field?).trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_gears_have_their_sentinels() {
        assert_eq!((lap_ms(-1.0), lap_ms(-123.0), lap_ms(f32::NAN), lap_ms(0.0)), (None, None, None, None));
        assert_eq!((lap_ms(81.25), time_ms(0.0)), (Some(81_250), Some(0)));
        assert_eq!((gear(0x6F), gear(0x60), gear(0x64)), (Some(-1), Some(0), Some(4)));
        assert_eq!((steering(0x81), steering(0x80), steering(127), steering(0)), (-1.0, -1.0, 1.0, 0.0));
    }

    #[test]
    fn text_has_an_end_and_no_control_characters_before_it() {
        assert!(is_text(b"Spa\0\x01\x02") && is_text(b"\0") && is_text("Nürburg\0".as_bytes()));
        assert!(!is_text(b"Spa") && !is_text(b"S\x01\0") && !is_text(b""));
    }
}
