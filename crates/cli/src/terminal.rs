//! Output to a terminal: text from outside cannot control it.
//!
//! Names, notes, events and file names come from games, files and other users. Escape sequences in them could rename the
//! window, write to the clipboard (OSC 52) or hide text; bidirectional overrides could make a name look like another one.
//! [`safe`] is the one function that escapes such text. Human-readable text uses it for each piece; [`data`] applies it to
//! everything that goes to stdout while that is a terminal. In a pipe or a file, data stays exact.

use std::io::{self, IsTerminal as _, StdoutLock, Write};

/// Escapes everything that could control a terminal or be invisible in it: control characters (line ends too), bidirectional controls,
/// invisible characters.
pub(crate) fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push_safe(&mut out, c);
    }
    out
}

/// Returns JSON text with hidden characters as JSON escapes: the same document, and nothing in it can steer the terminal.
pub(crate) fn safe_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match is_hidden(c) {
            true => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
            false => out.push(c),
        }
    }
    out
}

fn push_safe(out: &mut String, c: char) {
    match is_hidden(c) {
        true => out.extend(c.escape_default()),
        false => out.push(c),
    }
}

/// Whether a character is shown as an escape. Joiners stay, since scripts and emoji need them.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns stdout for data: exact in a pipe or a file; on a terminal, control sequences are escaped.
pub(crate) fn data() -> Out {
    let out = io::stdout();
    let shown = out.is_terminal();
    Out(if shown { Kind::Shown(Shown::new(out.lock(), false)) } else { Kind::Exact(out.lock()) })
}

/// Fails if stdout is a terminal, on which `what` would be noise.
pub(crate) fn refuse_binary(what: &str) -> anyhow::Result<()> {
    match io::stdout().is_terminal() {
        true => {
            Err(crate::exit::usage(format!("{what} cannot be shown on a terminal; redirect it to a file or a program")))
        }
        false => Ok(()),
    }
}

/// Returns stdout for human-readable text. Colours are kept only if the terminal wants them; all other control sequences are escaped.
pub(crate) fn human() -> Out {
    Out(Kind::Coloured(Shown::new(anstream::AutoStream::auto(io::stdout().lock()), true)))
}

/// Writes a line of human-readable text to stderr, with this program's colours if the terminal wants them. All other control
/// sequences are escaped.
pub(crate) fn tell_coloured(line: &str) {
    let mut out = Shown::new(anstream::AutoStream::auto(io::stderr().lock()), true);
    // If stderr is closed, there is nowhere to report to.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Stdout.
pub(crate) struct Out(Kind);

enum Kind {
    Exact(StdoutLock<'static>),
    Shown(Shown<StdoutLock<'static>>),
    Coloured(Shown<anstream::AutoStream<StdoutLock<'static>>>),
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Exact(out) => out.write(bytes),
            Kind::Shown(out) => out.write(bytes),
            Kind::Coloured(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Exact(out) => out.flush(),
            Kind::Shown(out) => out.flush(),
            Kind::Coloured(out) => out.flush(),
        }
    }
}

/// Passes text on, escaping everything that could control a terminal. Line ends and tabs are kept; colours (SGR) are kept if
/// they are this program's own.
struct Shown<W: Write> {
    out: W,
    colours: bool,
    /// An incomplete sequence that the next bytes complete: a character, a line end, a colour.
    begun: Vec<u8>,
}

/// Colour sequences are shorter than this.
const LONGEST_COLOUR: usize = 32;

impl<W: Write> Shown<W> {
    fn new(out: W, colours: bool) -> Self {
        Self { out, colours, begun: Vec::new() }
    }

    /// Writes the complete part of the input; everything if `at_end`.
    fn pass(&mut self, at_end: bool) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.begun);
        let (mut rest, mut text) = (bytes.as_slice(), String::with_capacity(bytes.len()));
        while let Some((first, behind)) = rest.split_first() {
            let taken = match first {
                b'\n' | b'\t' => {
                    text.push(char::from(*first));
                    1
                }
                b'\r' if behind.is_empty() && !at_end => break,
                b'\r' if behind.first() == Some(&b'\n') => {
                    text.push_str("\r\n");
                    2
                }
                0x1b if self.colours => match colour(rest) {
                    Colour::Whole(colour) => {
                        text.push_str(colour);
                        colour.len()
                    }
                    Colour::Begun if !at_end => break,
                    _ => {
                        push_safe(&mut text, '\u{1b}');
                        1
                    }
                },
                _ => match first_char(rest) {
                    Ok(c) => {
                        push_safe(&mut text, c);
                        c.len_utf8()
                    }
                    Err(true) if !at_end => break,
                    // Not UTF-8: shown as its number.
                    Err(_) => {
                        text.push_str(&format!("\\x{first:02x}"));
                        1
                    }
                },
            };
            rest = rest.get(taken..).unwrap_or_default();
        }
        self.begun = rest.to_vec();
        self.out.write_all(text.as_bytes())
    }
}

enum Colour<'a> {
    Whole(&'a str),
    Begun,
    None,
}

/// Parses `ESC [ 1 ; 31 m` at the start of the bytes.
fn colour(bytes: &[u8]) -> Colour<'_> {
    match bytes.get(1) {
        None => return Colour::Begun,
        Some(b'[') => {}
        Some(_) => return Colour::None,
    }
    let numbers = bytes.iter().skip(2).take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    match bytes.get(2 + numbers) {
        Some(b'm') => {
            bytes.get(..3 + numbers).and_then(|colour| str::from_utf8(colour).ok()).map_or(Colour::None, Colour::Whole)
        }
        None if numbers < LONGEST_COLOUR => Colour::Begun,
        _ => Colour::None,
    }
}

/// Returns the first character, or whether more bytes could complete one.
fn first_char(bytes: &[u8]) -> Result<char, bool> {
    let four = bytes.get(..4).unwrap_or(bytes);
    let whole = match str::from_utf8(four) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() == 0 => return Err(error.error_len().is_none()),
        Err(error) => str::from_utf8(four.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default(),
    };
    whole.chars().next().ok_or(false)
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        self.pass(false)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> Drop for Shown<W> {
    fn drop(&mut self) {
        // Flushes a text that ends inside a character.
        let _ = self.pass(true);
    }
}

/// Escapes a text of several lines for the terminal, keeping this program's colours.
pub(crate) fn safe_lines(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut shown = Shown::new(&mut out, true);
    // Writing to memory cannot fail.
    let _ = shown.write_all(text.as_bytes());
    drop(shown);
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_steer_a_terminal_is_visible() {
        assert_eq!(safe("a\u{1b}[31m\nb é"), "a\\u{1b}[31m\\nb é");
        assert_eq!(safe("\u{1b}]52;c;QQ==\u{7}"), "\\u{1b}]52;c;QQ==\\u{7}");
        assert_eq!(safe("x\u{202e}gpj.exe\u{2066}\u{9b}2J"), "x\\u{202e}gpj.exe\\u{2066}\\u{9b}2J");
        assert_eq!(safe("é 鈴鹿 👩\u{200d}🚀"), "é 鈴鹿 👩\u{200d}🚀", "letters and joiners stay");
    }

    fn shown(text: &[u8], piece: usize, colours: bool) -> String {
        let mut out = Vec::new();
        let mut writer = Shown::new(&mut out, colours);
        text.chunks(piece).for_each(|piece| writer.write_all(piece).unwrap());
        drop(writer);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_terminal_gets_no_escape_however_the_text_is_cut() {
        let text = "a,b\r\n\u{1b}]52;c;QQ==\u{7}\t\u{202e}é鈴\r\u{1b}[1mbold\u{1b}[0m\u{1b}[2J\u{9b}m".as_bytes();
        let text = [text, b"\xff\xe9\x88"].concat();
        let plain =
            "a,b\r\n\\u{1b}]52;c;QQ==\\u{7}\t\\u{202e}é鈴\\r\\u{1b}[1mbold\\u{1b}[0m\\u{1b}[2J\\u{9b}m\\xff\\xe9\\x88";
        let coloured = plain.replace("\\u{1b}[1m", "\u{1b}[1m").replace("\\u{1b}[0m", "\u{1b}[0m");
        for piece in 1..text.len() {
            assert_eq!(shown(&text, piece, false), plain, "{piece}");
            assert_eq!(shown(&text, piece, true), coloured, "{piece}");
        }
    }
}
