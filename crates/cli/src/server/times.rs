//! Times in parameters and responses.

use gametape::names::utc_text;

/// Formats a time; `None` if it is not known or out of range.
pub(super) fn text(us: Option<i64>) -> Option<String> {
    us.and_then(|us| us.checked_mul(1000)).and_then(utc_text)
}

/// Parses a time (`2026-03-01T12:00:00Z`) or a day (`2026-03-01`, its start in UTC) to microseconds since 1970.
pub(super) fn parse(text: &str) -> Option<i64> {
    let whole = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() };
    let moment: jiff::Timestamp = whole.parse().ok()?;
    Some(moment.as_microsecond())
}

/// Formats a day as a date.
pub(super) fn day(day: i64) -> Option<String> {
    let text = text(day.checked_mul(86_400_000_000))?;
    text.split('T').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_days_are_read_and_written() {
        assert_eq!(parse("1970-01-02"), Some(86_400_000_000));
        assert_eq!(parse("1970-01-02T00:00:00.5Z"), Some(86_400_500_000));
        assert_eq!(parse("1970-01-02T01:00:00+01:00"), Some(86_400_000_000));
        for wrong in ["", "yesterday", "1970-13-01", "1970-01-02 x", "99999999999", "１９７０-01-02"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(text(Some(86_400_500_000)).as_deref(), Some("1970-01-02T00:00:00.5Z"));
        assert_eq!(text(Some(i64::MAX)), None);
        assert_eq!(day(1).as_deref(), Some("1970-01-02"));
        assert_eq!(day(i64::MIN), None);
    }
}
