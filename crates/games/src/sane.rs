//! Validates numbers as games write them; sentinel values become `None`.

/// Returns the number unless it is NaN or infinite.
pub(crate) fn finite(value: f32) -> Option<f32> {
    value.is_finite().then_some(value)
}

/// Clamps to 0 to 1: rounding in the game may exceed the range slightly.
pub(crate) fn share(value: f32) -> Option<f32> {
    finite(value).map(|value| value.clamp(0.0, 1.0))
}

/// Treats exactly 0 as missing. For temperatures, which are never exactly 0 unless the game leaves them out.
pub(crate) fn not_zero(value: f32) -> Option<f32> {
    finite(value).filter(|value| *value != 0.0)
}

/// Converts a count or an index.
pub(crate) fn count<T: TryFrom<i32>>(value: i32) -> Option<T> {
    T::try_from(value).ok()
}

/// Converts milliseconds; negative values and [`i32::MAX`] mean "no time".
pub(crate) fn running_ms(value: i32) -> Option<u32> {
    u32::try_from(value).ok().filter(|_| value != i32::MAX)
}

/// Converts a lap time. No lap takes 0 ms.
pub(crate) fn lap_ms(value: i32) -> Option<u32> {
    running_ms(value).filter(|ms| *ms > 0)
}

/// Rounds to whole milliseconds; negative values mean "no time".
pub(crate) fn ms(value: f64) -> Option<u32> {
    (0.0..f64::from(u32::MAX)).contains(&value).then(|| value.round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_say_nothing_are_none() {
        assert_eq!((finite(f32::NAN), finite(f32::INFINITY), finite(-2.5)), (None, None, Some(-2.5)));
        assert_eq!((share(1.0004), share(-0.0001), share(f32::NAN)), (Some(1.0), Some(0.0), None));
        assert_eq!((not_zero(0.0), not_zero(-0.0), not_zero(-3.0)), (None, None, Some(-3.0)));
        assert_eq!((count::<u8>(-1), count::<u8>(256), count::<u8>(255)), (None, None, Some(255)));
        assert_eq!((running_ms(i32::MAX), running_ms(-1), running_ms(0)), (None, None, Some(0)));
        assert_eq!((lap_ms(0), lap_ms(95_123)), (None, Some(95_123)));
        assert_eq!((ms(-1.0), ms(f64::NAN), ms(1e300), ms(1499.6)), (None, None, None, Some(1500)));
    }
}
