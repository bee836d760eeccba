//! Exports Echo VR tapes as `.tape` and `.nevrcap` files. A tape imported from one exports to byte-identical records; for all others,
//! frames are built from the responses.
//!
//! ```text
//! responses ─▶ Maker ─▶ frame ───────────┐
//! stored records: header, frames, footer ┴─▶ telemetry_v2::write
//! ```

use std::io::{self, Write};

use gametape_format::Event;
use gametape_format::read::{Problem, ReadError, Tape};
use gametape_games::echo_vr::EVENT_KINDS;
use telemetry_v2::generation::Generation;
use telemetry_v2::nevrcap;
use telemetry_v2::proto::telemetry::v1::TelemetryHeader;
use telemetry_v2::proto::telemetry::v2::envelope;
use telemetry_v2::write::{Layout, WriteError, WriteOptions, Writer};
use telemetry_v2::{Dictionary, Record, RecordKind};

use super::kept::KeptRecords;
use super::tape::head_of;
use crate::echo::{KEYFRAME_INTERVAL, Maker, with_arena};
use crate::export::answers::{Answers, Moment};
use crate::import::captures::{DICTIONARY, GENERATION, LAYOUT, NEVRCAP_RECORDS, V2_RECORDS, hex};

/// Why a tape cannot be written as a capture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureExportError {
    /// The tape is from another game.
    #[error("the tape has no Echo VR responses; `gametape cat --format v2` exports the frames of any game")]
    NotEchoVr,
    /// There are responses, but none of a match.
    #[error("none of the {answers} responses in the tape is from a match")]
    NoFrames {
        /// Responses that were read.
        answers: u64,
    },
    /// The tape cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The tape was imported from a capture that was compressed with another dictionary than the given one.
    #[error("the capture was compressed with the zstd dictionary with SHA-256 {stated}, the given one has {given}")]
    OtherDictionary {
        /// SHA-256 of the capture's dictionary.
        stated: String,
        /// SHA-256 of the given dictionary.
        given: String,
    },
    /// A record cannot be written.
    #[error(transparent)]
    Capture(#[from] WriteError),
    /// The file cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
}

/// The result of an export.
#[derive(Debug, Default)]
pub struct CaptureExported {
    /// Frames written.
    pub frames: u64,
    /// Whether the records are those of the capture that the tape was imported from.
    pub same_records: bool,
    /// Whether the original capture was compressed with a dictionary and this file is not, because none was given. Its header
    /// still names it.
    pub without_dictionary: bool,
    /// Responses, marks and lines that the file format cannot represent.
    pub left_out: u64,
    /// Values and events that the requested generation cannot represent.
    pub left_out_by_schema: u64,
    /// Parts of the tape that could not be read.
    pub damage: Vec<Problem>,
}

/// Options for a `.tape` file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CaptureOptions {
    /// Write the first generation, for readers that support no other.
    pub seed: bool,
}

/// Receives the progress in nanoseconds of tape time; can end the export by returning an error.
pub type Done<'a> = &'a mut dyn FnMut(u64) -> io::Result<()>;

/// Writes a tape as a Telemetry V2 capture (`.tape`).
///
/// # Errors
/// If the tape is from another game or cannot be read at all, or if the file cannot be written.
pub fn export_v2_tape(
    tape: &Tape,
    options: CaptureOptions,
    out: &mut dyn Write,
    done: Done<'_>,
) -> Result<CaptureExported, CaptureExportError> {
    export_v2_tape_with(tape, options, None, out, done)
}

/// [`export_v2_tape`] with a zstd dictionary. It is used only for a tape imported from a capture that was compressed with it.
///
/// # Errors
/// As [`export_v2_tape`], and if the capture was compressed with another dictionary.
pub fn export_v2_tape_with(
    tape: &Tape,
    options: CaptureOptions,
    dictionary: Option<&Dictionary>,
    out: &mut dyn Write,
    done: Done<'_>,
) -> Result<CaptureExported, CaptureExportError> {
    let answers = Answers::of(tape).ok_or(CaptureExportError::NotEchoVr)?;
    let metadata = tape.metadata();
    let generation = match metadata.get(GENERATION).map(String::as_str) {
        Some("seed") => Generation::Seed,
        Some("second") => Generation::Second,
        Some("fourth") => Generation::Fourth,
        Some("fifth") => Generation::Fifth,
        _ => Generation::Third,
    };
    let kept = KeptRecords::of(tape, V2_RECORDS)?.filter(|_| !options.seed || generation == Generation::Seed);
    let Some(kept) = kept else { return make_v2(tape, answers, options, out, done) };
    let layout = match metadata.get(LAYOUT).map(String::as_str) {
        Some("plain") => Layout::Plain,
        Some("stream") => Layout::Stream,
        _ => Layout::Blocks,
    };
    let options = WriteOptions { layout, generation, keyframe_state: false, ..interval() };
    let stated = metadata.get(DICTIONARY);
    let dictionary = dictionary.filter(|_| stated.is_some());
    if let (Some(stated), Some(dictionary)) = (stated, dictionary)
        && *stated != hex(dictionary.sha256())
    {
        return Err(CaptureExportError::OtherDictionary { stated: stated.clone(), given: hex(dictionary.sha256()) });
    }
    // Importer version 1 could not read headers with numbers in fields 101 and 102, and decided without a header which records to store.
    let without_header = metadata.get("importer").is_some_and(|importer| importer.ends_with(" v2-tape 1"));
    let exported = copy_v2(answers, kept, options, dictionary, without_header, out, done)?;
    Ok(CaptureExported { without_dictionary: stated.is_some() && dictionary.is_none(), ..exported })
}

fn interval() -> WriteOptions {
    WriteOptions { keyframe_interval: KEYFRAME_INTERVAL, ..WriteOptions::default() }
}

/// Returns the marks of people and programs, in order. Events that can be detected in the responses are omitted.
fn marks(events: &[Event]) -> impl Iterator<Item = &Event> {
    events.iter().filter(|event| !EVENT_KINDS.contains(&event.kind.as_str()))
}

fn make_v2(
    tape: &Tape,
    mut answers: Answers<'_>,
    options: CaptureOptions,
    out: &mut dyn Write,
    done: Done<'_>,
) -> Result<CaptureExported, CaptureExportError> {
    let generation = if options.seed { Generation::Seed } else { Generation::Third };
    let options = WriteOptions { generation, ..interval() };
    let mut exported = CaptureExported::default();
    // Responses before the first one of a match are carried by its frame.
    let (mut early, mut making, mut read) = (Vec::new(), None, 0u64);
    let events = tape.events();
    let mut marks = marks(&events).peekable();
    while let Some(moment) = answers.next()? {
        read += 1;
        if making.is_none() {
            let Some(arena) = Maker::arena_header(&moment.session, moment.player_bones.as_deref()) else {
                if early.len() < 1024 {
                    early.push(moment);
                } else {
                    exported.left_out += 1;
                }
                continue;
            };
            let header = with_arena(head_of(tape).header(), arena);
            let mut maker = Maker::new(&header);
            for Moment { time_ns, session, .. } in early.drain(..) {
                maker.frame(0, time_ns, &session, None);
            }
            making = Some((maker, Writer::new(&mut *out, header, options)?));
        }
        let Some((maker, writer)) = &mut making else { continue };
        while let Some(event) = marks.next_if(|event| event.at_ns <= moment.time_ns) {
            maker.mark(event.at_ns, &event.kind, &event.text);
        }
        let index = u32::try_from(exported.frames).unwrap_or(u32::MAX);
        let bones = moment.player_bones.as_deref();
        if let Some(frame) = maker.frame(index, moment.time_ns, &moment.session, bones) {
            writer.frame(frame)?;
            exported.frames += 1;
        }
        if read.is_multiple_of(256) {
            done(moment.time_ns)?;
        }
    }
    let Some((maker, writer)) = making else { return Err(CaptureExportError::NoFrames { answers: read }) };
    let (_, summary) = writer.finish()?;
    exported.left_out_by_schema = summary.left_out;
    exported.left_out += maker.left_out() + answers.other_lines + marks.count() as u64;
    exported.damage = answers.damage;
    Ok(exported)
}

fn copy_v2(
    mut answers: Answers<'_>,
    mut kept: KeptRecords<'_>,
    options: WriteOptions,
    dictionary: Option<&Dictionary>,
    without_header: bool,
    out: &mut dyn Write,
    done: Done<'_>,
) -> Result<CaptureExported, CaptureExportError> {
    let mut exported = CaptureExported { same_records: true, ..CaptureExported::default() };
    let broken = |error: telemetry_v2::wire::WireError| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
    let header = Record::from_bytes(std::mem::take(&mut kept.header)).map_err(broken)?;
    // The import built frames with the same header, or with none if it could not read it.
    let known = header.header(&options.limits).unwrap_or_default();
    let has_rates = known.nominal_frame_rate_hz.is_some() || known.idle_frame_rate_hz.is_some();
    let mut maker = if without_header && has_rates { Maker::default() } else { Maker::new(&known) };
    let mut writer = match dictionary {
        Some(dictionary) => Writer::copying_with_dictionary(&mut *out, &header, options, dictionary)?,
        None => Writer::copying(&mut *out, &header, options)?,
    };
    // Offsets in a file of blocks depend on the compression, so its footer is rebuilt.
    let own_footer = options.layout == Layout::Blocks;
    let (mut frames, mut number, mut footer) = (0u32, 0u64, false);
    let mut write = |writer: &mut Writer<&mut dyn Write>, record: &Record, frames: &mut u32| {
        *frames = frames.saturating_add(u32::from(record.kind() == RecordKind::Frame));
        let is_footer = record.kind() == RecordKind::Footer;
        footer |= is_footer;
        if is_footer && own_footer {
            let known = record.footer(&options.limits).unwrap_or_default();
            writer.keep_unknown_events(known.event_index);
            return Ok(());
        }
        writer.verbatim(record)
    };
    loop {
        let moment = answers.next()?;
        let at = if moment.is_some() { number } else { u64::MAX };
        while let Some(bytes) = kept.extra_before(at)? {
            write(&mut writer, &Record::from_bytes(bytes).map_err(broken)?, &mut frames)?;
        }
        let Some(moment) = moment else { break };
        let made = maker.frame(frames, moment.time_ns, &moment.session, moment.player_bones.as_deref());
        let made = made.map(|made| maker.in_generation(made, options.generation));
        let record = match (kept.instead_of(number)?, made) {
            (Some(bytes), _) => Some(Record::from_bytes(bytes).map_err(broken)?),
            (None, made) => made.map(|made| Record::from_message(envelope::Message::Frame(made))),
        };
        if let Some(record) = record {
            write(&mut writer, &record, &mut frames)?;
            exported.frames += 1;
        }
        number += 1;
        if number.is_multiple_of(256) {
            done(moment.time_ns)?;
        }
    }
    if footer && !own_footer {
        writer.finish_copy()?
    } else {
        writer.finish()?
    };
    exported.damage = answers.damage;
    exported.damage.append(&mut kept.damage);
    Ok(exported)
}

/// Writes a tape as a `.nevrcap` file.
///
/// # Errors
/// If the tape is from another game or cannot be read at all, or if the file cannot be written.
pub fn export_nevrcap(tape: &Tape, out: &mut dyn Write, done: Done<'_>) -> Result<CaptureExported, CaptureExportError> {
    let mut answers = Answers::of(tape).ok_or(CaptureExportError::NotEchoVr)?;
    let mut kept = KeptRecords::of(tape, NEVRCAP_RECORDS)?;
    let mut exported = CaptureExported { same_records: kept.is_some(), ..CaptureExported::default() };
    let head = head_of(tape).header();
    let header = TelemetryHeader { capture_id: head.capture_id, created_at: head.created_at, metadata: head.metadata };
    let plain = tape.metadata().get(LAYOUT).is_some_and(|layout| layout == "plain");
    let mut writer = match &mut kept {
        Some(kept) if plain => nevrcap::Writer::copying_plain(&mut *out, &kept.header)?,
        Some(kept) => nevrcap::Writer::copying(&mut *out, &kept.header, NEVRCAP_LEVEL)?,
        None => nevrcap::Writer::new(&mut *out, &header, NEVRCAP_LEVEL)?,
    };
    let start_ns = i128::from(tape.start_utc_ns().unwrap_or_default());
    let (mut maker, mut records, mut number) = (Maker::default(), 0u32, 0u64);
    loop {
        let moment = answers.next()?;
        let at = if moment.is_some() { number } else { u64::MAX };
        while let Some(bytes) = kept.as_mut().map(|kept| kept.extra_before(at)).transpose()?.flatten() {
            writer.raw(&bytes)?;
            records = records.saturating_add(1);
        }
        let Some(moment) = moment else { break };
        let bones = moment.player_bones.as_deref();
        let made = maker.first_version(records, start_ns + i128::from(moment.time_ns), &moment.session, bones);
        match (kept.as_mut().map(|kept| kept.instead_of(number)).transpose()?.flatten(), made) {
            (Some(bytes), _) => writer.raw(&bytes)?,
            (None, Some(made)) => writer.frame(&made)?,
            (None, None) => {
                number += 1;
                continue;
            }
        }
        records = records.saturating_add(1);
        exported.frames += 1;
        number += 1;
        if number.is_multiple_of(256) {
            done(moment.time_ns)?;
        }
    }
    if exported.frames == 0 {
        return Err(CaptureExportError::NoFrames { answers: number });
    }
    writer.finish()?;
    let marks = if exported.same_records { 0 } else { marks(&tape.events()).count() as u64 };
    exported.left_out = maker.left_out() + answers.other_lines + marks;
    exported.damage = answers.damage;
    exported.damage.extend(kept.into_iter().flat_map(|kept| kept.damage));
    Ok(exported)
}

/// The zstd level that other writers use.
const NEVRCAP_LEVEL: i32 = 1;
