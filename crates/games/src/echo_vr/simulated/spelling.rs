//! Numbers as the game prints them.

/// Formats an `f32` with 8 significant digits: trailing zeros are removed except for one decimal, and an exponent is
/// used below 10^−4.
pub fn float_text(value: f32) -> String {
    if value == 0.0 {
        return if value.is_sign_negative() { "-0.0".into() } else { "0.0".into() };
    }
    let text = format!("{value:.7e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let trimmed = digits.trim_end_matches('0');
    let with_point = |whole: &str, places: &str| {
        let places = if places.is_empty() { "0" } else { places };
        format!("{sign}{whole}.{places}")
    };
    match exponent {
        ..-4 => {
            let (first, rest) = trimmed.split_at(1);
            format!("{}e{exponent}", with_point(first, rest))
        }
        -4..0 => with_point("0", &format!("{}{trimmed}", "0".repeat(exponent.unsigned_abs() as usize - 1))),
        _ => {
            let whole = exponent as usize + 1;
            let padded = format!("{trimmed:0<whole$}");
            let (whole, places) = padded.split_at(whole);
            with_point(whole, places)
        }
    }
}

/// Rounds a value to thousandths and formats it as the game does.
pub fn grid_text(value: f64) -> String {
    let steps = (value * 1000.0).round() as i32;
    float_text(steps as f32 * 0.001f32)
}

#[cfg(test)]
#[allow(clippy::excessive_precision)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spelled_as_in_answers_of_the_game() {
        for (value, text) in [
            (0.0, "0.0"),
            (300.0, "300.0"),
            (64.609_161, "64.609161"),
            (12.294_746, "12.294746"),
            (9.633_907_8e-5, "9.6339078e-5"),
            (-0.5, "-0.5"),
            (1e-7, "1.0e-7"),
        ] {
            assert_eq!(float_text(value), text);
        }
        for (value, text) in
            [(26.869, "26.869001"), (-10.598, "-10.598001"), (0.006, "0.0060000001"), (10.416, "10.416"), (1.0, "1.0")]
        {
            assert_eq!(grid_text(value), text);
        }
    }
}
