//! Parses times as people type them: `90`, `1:30.5`, `10m`, `250ms`. Exact to the nanosecond: no floating point is involved.

const SECOND_NS: u64 = 1_000_000_000;

/// Units; a name that ends with another name comes first.
const UNITS: [(&str, u64); 6] =
    [("ms", 1_000_000), ("us", 1_000), ("ns", 1), ("h", 3600 * SECOND_NS), ("m", 60 * SECOND_NS), ("s", SECOND_NS)];

/// Parses a time to nanoseconds. Plain numbers are seconds, colons separate hours, minutes and seconds, units can be combined (`1m30s`).
pub(crate) fn parse_ns(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is not a time; write 90, 1:30.5, 10m or 250ms");
    let trimmed = text.trim();
    let parsed = if trimmed.contains(':') { with_colons(trimmed) } else { with_units(trimmed) };
    parsed.ok_or_else(wrong)
}

/// `S`, `M:S` or `H:M:S`; all but the first below 60.
fn with_colons(text: &str) -> Option<u64> {
    let parts: Vec<&str> = text.split(':').collect();
    if parts.len() > 3 {
        return None;
    }
    let mut total = 0u64;
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        if !last && part.contains('.') {
            return None;
        }
        let value = decimal(part, SECOND_NS)?;
        if index > 0 && value >= 60 * SECOND_NS {
            return None;
        }
        total = total.checked_mul(60)?.checked_add(value)?;
    }
    Some(total)
}

fn with_units(text: &str) -> Option<u64> {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    if text.chars().all(is_number) {
        return decimal(text, SECOND_NS);
    }
    let mut rest = text;
    let mut total = 0u64;
    let mut last_unit = u64::MAX;
    while !rest.is_empty() {
        let (number, behind) = rest.split_at(rest.find(|c| !is_number(c))?);
        let (name, unit) = UNITS.iter().find(|(name, _)| behind.starts_with(name))?;
        // 1m30s, not 30s1m: the wrong order is more likely a typo.
        if *unit >= last_unit {
            return None;
        }
        last_unit = *unit;
        total = total.checked_add(decimal(number, *unit)?)?;
        rest = behind.get(name.len()..)?;
    }
    Some(total)
}

/// Parses a decimal number of units. Digits below a nanosecond are rejected unless they are 0.
fn decimal(text: &str, unit_ns: u64) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let whole_ns: u128 = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()?.into() };
    let scale = 10u128.checked_pow(u32::try_from(fraction.len()).ok().filter(|digits| *digits <= 18)?)?;
    let parts: u128 = if fraction.is_empty() { 0 } else { fraction.parse::<u64>().ok()?.into() };
    let fraction_ns = parts * u128::from(unit_ns);
    if !fraction_ns.is_multiple_of(scale) {
        return None;
    }
    u64::try_from(whole_ns * u128::from(unit_ns) + fraction_ns / scale).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        for (text, ns) in [
            ("90", 90 * SECOND_NS),
            ("0", 0),
            ("1:30.5", 90 * SECOND_NS + 500_000_000),
            ("1:02:03", 3723 * SECOND_NS),
            ("90:00", 5400 * SECOND_NS),
            ("10m", 600 * SECOND_NS),
            ("250ms", 250_000_000),
            ("1.5h", 5400 * SECOND_NS),
            ("1m30s", 90 * SECOND_NS),
            ("1h2m3s4ms", 3723 * SECOND_NS + 4_000_000),
            (".5", 500_000_000),
            ("0.000000001", 1),
            ("1.0000000010000", SECOND_NS + 1),
            ("7ns", 7),
            (" 5s ", 5 * SECOND_NS),
        ] {
            assert_eq!(parse_ns(text), Ok(ns), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_time_is_refused_with_examples() {
        for text in [
            "",
            "-1",
            "abc",
            "1:",
            ":1",
            "1:60",
            "1.5:30",
            "1:2:3:4",
            "10x",
            "m",
            ".",
            "1..2",
            "30s1m",
            "1e3",
            "0.0000000001",
            "99999999999999999999",
            "6000000h",
            "٣",
        ] {
            assert!(parse_ns(text).is_err_and(|error| error.contains("1:30.5")), "{text}");
        }
    }
}
