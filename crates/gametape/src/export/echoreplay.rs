//! Exports Echo VR tapes as `.echoreplay` files. A tape imported from one exports to byte-identical lines.
//!
//! ```text
//! session ─┐
//! bones ───┼─▶ lines ─▶ a zip archive of one member, or plain text if the source was plain
//! lines ───┘
//! ```

use std::cell::RefCell;
use std::io::{self, Seek, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use gametape_format::read::{Problem, ReadError, Tape};
use gametape_games::echo_vr;

use super::answers::{Answers, next_frame as next};
use super::exporter::{Content, Export, ExportError, ExportSink, Exported, Exporter, SinkFile, progress};
use crate::import::echoreplay::{LINES, MEMBER, PLAYER_BONES_MARK, SESSION_MARK, WHOLE_MARK, time_text};

/// Why a tape cannot be written as `.echoreplay`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EchoReplayExportError {
    /// The tape is from another game.
    #[error("the tape has no Echo VR responses; `--to echoreplay` needs the stream {:?}", echo_vr::SESSION)]
    NotEchoVr,
    /// The text is longer than a zip archive without zip64 can hold.
    #[error(
        "the text has {bytes} bytes, a zip archive holds at most {}; cut the tape with `gametape cut` and export the parts",
        u32::MAX
    )]
    TooLong {
        /// Length of the text in bytes.
        bytes: u64,
    },
    /// The tape cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
}

/// Exports `.echoreplay` files.
#[derive(Debug, Clone, Copy)]
pub struct EchoReplayExporter;

impl Exporter for EchoReplayExporter {
    fn name(&self) -> &'static str {
        "echoreplay"
    }

    fn media_type(&self) -> &'static str {
        "application/zip"
    }

    fn content(&self) -> Content {
        Content::Recording
    }

    fn export(&self, what: &Export<'_>, sink: &mut dyn ExportSink) -> Result<Exported, ExportError> {
        let sink = RefCell::new(sink);
        let mut out = SinkFile::begin(&sink, None)?;
        let done = export_echoreplay(what.tape, what.file, &mut out, &mut progress(what.tape, &sink))?;
        Ok(Exported { frames: Some(done.lines), damage: done.damage, ..Exported::default() })
    }
}

impl From<EchoReplayExportError> for ExportError {
    fn from(error: EchoReplayExportError) -> Self {
        match error {
            EchoReplayExportError::NotEchoVr => Self::Nothing(error.to_string()),
            EchoReplayExportError::Read(error) => Self::Read(error),
            EchoReplayExportError::Write(error) => Self::Write(error),
            error @ EchoReplayExportError::TooLong { .. } => Self::Format(Box::new(error)),
        }
    }
}

/// The result of an export.
#[derive(Debug, Default)]
pub struct EchoReplayExported {
    /// Lines written.
    pub lines: u64,
    /// Parts of the tape that could not be read.
    pub damage: Vec<Problem>,
}

/// Writes a tape. `name` is the name of the archive member if the tape does not contain one. `done` receives the progress in nanoseconds of
/// tape time, and can stop the export by returning an error.
///
/// # Errors
/// If the tape is from another game or cannot be read at all, or if the file cannot be written.
pub fn export_echoreplay(
    tape: &Tape,
    name: &str,
    out: &mut (impl Write + Seek),
    done: &mut dyn FnMut(u64) -> io::Result<()>,
) -> Result<EchoReplayExported, EchoReplayExportError> {
    let session = tape.stream_named(echo_vr::SESSION).map_err(|_| EchoReplayExportError::NotEchoVr)?;
    if session.spec().game != echo_vr::ID {
        return Err(EchoReplayExportError::NotEchoVr);
    }
    let metadata = tape.metadata();
    let member = metadata.get(MEMBER);
    let plain = member.is_none() && metadata.get("source_kind").is_some_and(|kind| kind == "echoreplay");
    if plain {
        return write_lines(tape, out, done);
    }
    let member = member.map_or(name, String::as_str);
    let mut zip = Zip::begin(out, member)?;
    let exported = write_lines(tape, &mut zip, done)?;
    zip.finish()?;
    Ok(exported)
}

fn write_lines(
    tape: &Tape,
    out: &mut dyn Write,
    done: &mut dyn FnMut(u64) -> io::Result<()>,
) -> Result<EchoReplayExported, EchoReplayExportError> {
    let frames = |name: &str| tape.stream_named(name).ok().map(|stream| tape.frames(stream));
    let Some(mut session) = frames(echo_vr::SESSION) else { return Err(EchoReplayExportError::NotEchoVr) };
    let mut bones = frames(echo_vr::PLAYER_BONES);
    let mut exported = EchoReplayExported::default();
    let damage = &mut exported.damage;
    let mut line = Vec::new();
    let Some(mut lines) = frames(LINES) else {
        return write_new_lines(tape, out, done);
    };
    while let Some((time_ns, rest)) = next(&mut lines, damage)? {
        line.clear();
        match rest.split_first() {
            Some((&WHOLE_MARK, whole)) => line.extend_from_slice(whole),
            _ => {
                for byte in &rest {
                    let answer = match *byte {
                        SESSION_MARK => next(&mut session, damage)?,
                        PLAYER_BONES_MARK => bones.as_mut().map(|bones| next(bones, damage)).transpose()?.flatten(),
                        byte => {
                            line.push(byte);
                            continue;
                        }
                    };
                    line.extend_from_slice(&answer.map(|(_, answer)| answer).unwrap_or_default());
                }
            }
        }
        out.write_all(&line)?;
        exported.lines += 1;
        if exported.lines.is_multiple_of(256) {
            done(time_ns)?;
        }
    }
    Ok(exported)
}

/// Writes lines for responses that were not imported from lines, each with its bones.
fn write_new_lines(
    tape: &Tape,
    out: &mut dyn Write,
    done: &mut dyn FnMut(u64) -> io::Result<()>,
) -> Result<EchoReplayExported, EchoReplayExportError> {
    let start_ns = tape.start_utc_ns().unwrap_or_default();
    let mut answers = Answers::of(tape).ok_or(EchoReplayExportError::NotEchoVr)?;
    let mut exported = EchoReplayExported::default();
    while let Some(moment) = answers.next()? {
        let utc_ms = start_ns.saturating_add_unsigned(moment.time_ns).div_euclid(1_000_000);
        write!(out, "{}\t", time_text(utc_ms))?;
        out.write_all(&moment.session)?;
        if let Some(bones) = &moment.player_bones {
            out.write_all(b"\t ")?;
            out.write_all(bones)?;
        }
        out.write_all(b"\r\n")?;
        exported.lines += 1;
        if exported.lines.is_multiple_of(256) {
            done(moment.time_ns)?;
        }
    }
    exported.damage = answers.damage;
    Ok(exported)
}

/// Writes an archive of one member.
struct Zip<'a, W: Write + Seek> {
    deflate: DeflateEncoder<&'a mut W>,
    name: Vec<u8>,
    start: u64,
    crc: Crc,
    bytes: u64,
}

const LOCAL_BYTES: u64 = 30;

impl<'a, W: Write + Seek> Zip<'a, W> {
    fn begin(out: &'a mut W, name: &str) -> io::Result<Self> {
        let name: Vec<u8> = name.bytes().take(usize::from(u16::MAX)).collect();
        let start = out.stream_position()?;
        // Placeholder: lengths and checksum are filled in by `finish`.
        out.write_all(&Self::local(&name, 0, 0, 0))?;
        let deflate = DeflateEncoder::new(out, Compression::default());
        Ok(Self { deflate, name, start, crc: Crc::new(), bytes: 0 })
    }

    /// Returns the fields that both headers have in common.
    fn common(name: &[u8], crc: u32, packed: u32, unpacked: u32) -> Vec<u8> {
        // Version 2.0, UTF-8 names, deflate, 1980-01-01: the lines contain the times.
        let mut bytes = vec![20, 0, 0, 8, 8, 0, 0, 0, 0x21, 0];
        for value in [crc, packed, unpacked] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        bytes.extend_from_slice(&(name.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&[0, 0]);
        bytes
    }

    fn local(name: &[u8], crc: u32, packed: u32, unpacked: u32) -> Vec<u8> {
        [&b"PK\x03\x04"[..], &Self::common(name, crc, packed, unpacked), name].concat()
    }

    fn finish(self) -> Result<(), EchoReplayExportError> {
        let Self { deflate, name, start, crc, bytes } = self;
        let out = deflate.finish()?;
        let end = out.stream_position()?;
        let packed = end - start - LOCAL_BYTES - name.len() as u64;
        let small = |value: u64| u32::try_from(value).map_err(|_| EchoReplayExportError::TooLong { bytes });
        let (packed, unpacked, start_of_file, end_of_data) =
            (small(packed)?, small(bytes)?, small(start)?, small(end)?);
        out.seek(io::SeekFrom::Start(start))?;
        out.write_all(&Self::local(&name, crc.sum(), packed, unpacked))?;
        out.seek(io::SeekFrom::Start(end))?;
        let mut central = b"PK\x01\x02\x14\x00".to_vec();
        central.extend_from_slice(&Self::common(&name, crc.sum(), packed, unpacked));
        central.extend_from_slice(&[0; 10]);
        central.extend_from_slice(&start_of_file.to_le_bytes());
        central.extend_from_slice(&name);
        out.write_all(&central)?;
        out.write_all(b"PK\x05\x06\0\0\0\0\x01\0\x01\0")?;
        out.write_all(&(central.len() as u32).to_le_bytes())?;
        out.write_all(&end_of_data.to_le_bytes())?;
        out.write_all(&[0, 0])?;
        Ok(())
    }
}

impl<W: Write + Seek> Write for Zip<'_, W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.deflate.write_all(data)?;
        self.crc.update(data);
        self.bytes += data.len() as u64;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
