//! One line: a time, a tab, a response, usually another tab and response, a line ending.
//!
//! ```text
//! 2023/04/01 12:34:56.789 TAB {…} [TAB [spaces] [{…}]] CR LF
//! ```

use jiff::civil::DateTime;

/// Marks the position of the `/session` response in the rest of a line.
pub(crate) const SESSION_MARK: u8 = 1;
/// Marks the position of the `/player_bones` response in the rest of a line.
pub(crate) const PLAYER_BONES_MARK: u8 = 2;
/// Precedes a line that is stored whole.
pub(crate) const WHOLE_MARK: u8 = 0;

const TIME_BYTES: usize = 23;

/// The parts of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Line<'a> {
    /// Milliseconds since 1970. The file does not name the time zone; where it is known, it is UTC.
    pub(super) utc_ms: Option<i64>,
    pub(super) session: Option<&'a [u8]>,
    pub(super) player_bones: Option<&'a [u8]>,
}

impl<'a> Line<'a> {
    /// Extracts the responses from a line; the remainder goes to `rest`.
    pub(super) fn read(text: &'a [u8], rest: &mut Vec<u8>) -> Self {
        rest.clear();
        let line = Self::split(text, rest);
        if line.is_none() {
            rest.clear();
            rest.push(WHOLE_MARK);
            rest.extend_from_slice(text);
        }
        line.unwrap_or_default()
    }

    fn split(text: &'a [u8], rest: &mut Vec<u8>) -> Option<Self> {
        let (time, after) = text.split_at_checked(TIME_BYTES)?;
        let utc_ms = time_ms(time)?;
        let after = after.strip_prefix(b"\t")?;
        let content = after.strip_suffix(b"\n").unwrap_or(after);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let end = after.get(content.len()..)?;
        let tab = memchr::memchr(b'\t', content);
        let (session, bones) = match tab {
            Some(tab) => (content.get(..tab)?, content.get(tab + 1..)),
            None => (content, None),
        };
        if !session.starts_with(b"{") {
            return None;
        }
        rest.extend_from_slice(time);
        rest.extend_from_slice(&[b'\t', SESSION_MARK]);
        let mut player_bones = None;
        if let Some(bones) = bones {
            rest.push(b'\t');
            let spaces = bones.iter().take_while(|byte| **byte == b' ').count();
            let (spaces, answer) = bones.split_at_checked(spaces)?;
            rest.extend_from_slice(spaces);
            match answer.starts_with(b"{") {
                true => {
                    rest.push(PLAYER_BONES_MARK);
                    player_bones = Some(answer);
                }
                // Something else: keep it in the rest, unless it could be mistaken for a mark.
                false if answer.iter().all(|byte| *byte > PLAYER_BONES_MARK) => rest.extend_from_slice(answer),
                false => return None,
            }
        }
        rest.extend_from_slice(end);
        Some(Self { utc_ms: Some(utc_ms), session: Some(session), player_bones })
    }
}

/// Parses `2023/04/01 12:34:56.789` as milliseconds since 1970.
fn time_ms(text: &[u8]) -> Option<i64> {
    let [y0, y1, y2, y3, b'/', o0, o1, b'/', d0, d1, b' ', h0, h1, b':', m0, m1, b':', s0, s1, b'.', f0, f1, f2] =
        *text
    else {
        return None;
    };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0i32, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i32::from(digit - b'0')))
    };
    let small = |digits: &[u8]| number(digits).and_then(|value| i8::try_from(value).ok());
    let year = i16::try_from(number(&[y0, y1, y2, y3])?).ok()?;
    let millis = number(&[f0, f1, f2])?;
    let time = DateTime::new(
        year,
        small(&[o0, o1])?,
        small(&[d0, d1])?,
        small(&[h0, h1])?,
        small(&[m0, m1])?,
        small(&[s0, s1])?,
        millis * 1_000_000,
    );
    let zoned = time.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_millisecond())
}

/// Formats milliseconds since 1970 as in the files.
pub(crate) fn time_text(utc_ms: i64) -> String {
    let timestamp = jiff::Timestamp::from_millisecond(utc_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let time = timestamp.to_zoned(jiff::tz::TimeZone::UTC).datetime();
    format!(
        "{:04}/{:02}/{:02} {:02}:{:02}:{:02}.{:03}",
        time.year(),
        time.month(),
        time.day(),
        time.hour(),
        time.minute(),
        time.second(),
        time.millisecond()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Line<'_>, String) {
        let mut rest = Vec::new();
        let line = Line::read(text.as_bytes(), &mut rest);
        (line, String::from_utf8(rest).unwrap())
    }

    /// Rebuilds the line from its parts, as a writer does.
    fn again(line: &Line<'_>, rest: &str) -> String {
        if let Some(whole) = rest.strip_prefix('\0') {
            return whole.into();
        }
        let of = |part: Option<&[u8]>| String::from_utf8(part.unwrap_or_default().to_vec()).unwrap();
        rest.replace('\u{1}', &of(line.session)).replace('\u{2}', &of(line.player_bones))
    }

    #[test]
    fn all_shapes_of_the_bones_come_back() {
        for (bones, expected) in [
            ("", None),
            ("\t", None),
            ("\t ", None),
            ("\t{\"err_code\":0}", Some("{\"err_code\":0}")),
            ("\t {\"user_bones\":[],\"err_code\":0}", Some("{\"user_bones\":[],\"err_code\":0}")),
            ("\tnonsense", None),
        ] {
            for end in ["\r\n", "\n", ""] {
                let text = format!("2023/04/01 12:34:56.789\t{{\"a\":1}}{bones}{end}");
                let (line, rest) = read(&text);
                assert_eq!(line.utc_ms, Some(1_680_352_496_789));
                assert_eq!(line.session, Some(&b"{\"a\":1}"[..]));
                assert_eq!(line.player_bones, expected.map(str::as_bytes));
                assert!(!rest.starts_with('\0') && again(&line, &rest) == text);
            }
        }
        assert_eq!(time_text(1_680_352_496_789), "2023/04/01 12:34:56.789");
    }

    #[test]
    fn what_is_no_line_is_kept_whole() {
        for text in [
            "",
            "\r\n",
            "2023/04/01",
            "2023/13/01 12:34:56.789\t{}\n",
            "2023/04/01 12:34:56.789\tx\n",
            "2023/04/01 12:34:56.789 {}\n",
            "2023/04/01 12:34:56.789\t{}\t\u{1}\n",
        ] {
            let (line, rest) = read(text);
            assert_eq!((line, rest.as_str()), (Line::default(), format!("\0{text}").as_str()), "{text:?}");
        }
    }
}
