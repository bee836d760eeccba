//! The same matches in each format: bytes per second, and whether simulated matches resemble the one public capture
//! whose sizes are known.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use gametape::export::v2::{CaptureOptions, export_nevrcap, export_v2_tape};
use gametape::import::{compare_with_source, import};
use gametape_format::read::Tape;
use telemetry_v2::RecordKind;
use telemetry_v2::read::{Item, Reader};
use telemetry_v2::write::{WriteOptions, Writer};

use super::matches::{HZ, bytes, settings, write_replay};
use super::{PART_CALIBRATION, PART_SIZES as PART};
use crate::laps::figures::Figure;

/// Bytes per frame of the public capture: text, zip, raw V2, V2 in its file.
const PUBLIC: [(&str, f64); 4] =
    [("text", 8560.0), (".echoreplay", 2050.0), ("V2 envelopes", 1820.0), ("V2 .tape at zstd 1", 1610.0)];
/// Maximum relative deviation of simulated matches.
const WITHIN: f64 = 0.25;

/// Bytes per frame in each format.
struct Sizes {
    text: f64,
    echoreplay: f64,
    nevrcap: f64,
    /// Before compression.
    envelopes: f64,
    v2_tape: f64,
    /// The same envelopes compressed like the writer of the public capture does.
    v2_tape_fastest: f64,
    gtape: f64,
}

/// Measures the sizes.
pub(super) fn measure(folder: &Path, frames: usize) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (players, bones) in [(2, true), (10, true), (2, false), (10, false)] {
        let sizes = Sizes::of(folder, players, bones, frames)?;
        if (players, bones) == (2, true) {
            figures.extend(sizes.calibration());
        }
        let what = format!("{players} players {} bones", if bones { "with" } else { "without" });
        figures.extend(sizes.figures(&what, bones));
    }
    Ok(figures)
}

impl Sizes {
    fn of(folder: &Path, players: usize, bones: bool, frames: usize) -> Result<Self> {
        let replay = write_replay(folder, "sizes", settings(players, bones, frames, 1))?;
        let path = |ending: &str| folder.join(format!("sizes.{ending}"));
        let (gtape, v2_tape, nevrcap) = (path("gtape"), path("tape"), path("nevrcap"));
        import(&replay.path, &gtape, &mut |_| {})?;
        let tape = Tape::open(&gtape)?;
        let compared = compare_with_source(&tape, &replay.path, &mut |_| {})?;
        ensure!(compared.different == 0, "the tape does not reproduce the lines");
        let mut out = BufWriter::new(File::create_new(&v2_tape)?);
        export_v2_tape(&tape, CaptureOptions::default(), &mut out, &mut |_| Ok(()))?;
        out.flush()?;
        let mut out = BufWriter::new(File::create_new(&nevrcap)?);
        export_nevrcap(&tape, &mut out, &mut |_| Ok(()))?;
        out.flush()?;
        let mut counted = Counted(0);
        zstd::stream::copy_decode(BufReader::new(File::open(&v2_tape)?), &mut counted)?;
        let a_frame = |bytes: u64| bytes as f64 / replay.frames as f64;
        let sizes = Self {
            text: a_frame(replay.text_bytes),
            echoreplay: a_frame(bytes(&replay.path)?),
            nevrcap: a_frame(bytes(&nevrcap)?),
            envelopes: a_frame(counted.0),
            v2_tape: a_frame(bytes(&v2_tape)?),
            v2_tape_fastest: a_frame(packed_fastest(&v2_tape)?),
            gtape: a_frame(bytes(&gtape)?),
        };
        for path in [replay.path, gtape, v2_tape, nevrcap] {
            std::fs::remove_file(path)?;
        }
        Ok(sizes)
    }

    /// Compares with the public capture.
    fn calibration(&self) -> Vec<Figure> {
        let found = [self.text, self.echoreplay, self.envelopes, self.v2_tape_fastest];
        let near = |((what, public), found): ((&str, f64), f64)| {
            let figure = Figure::new(PART_CALIBRATION, format!("2 players with bones, {what}"), found, "bytes/frame");
            figure.between((public * (1.0 - WITHIN)).round(), (public * (1.0 + WITHIN)).round())
        };
        let ratio = |what: &str, part: f64, whole: f64| Figure::new(PART_CALIBRATION, what, part / whole, "").digits(3);
        let mut figures: Vec<Figure> = PUBLIC.into_iter().zip(found).map(near).collect();
        figures
            .push(ratio("  V2 .tape at zstd 1 / envelopes", self.v2_tape_fastest, self.envelopes).between(0.85, 0.92));
        figures.push(ratio("  .echoreplay / text", self.echoreplay, self.text).between(0.22, 0.26));
        figures
    }

    fn figures(&self, what: &str, bones: bool) -> Vec<Figure> {
        let rate = |format: &str, bytes: f64| {
            Figure::new(PART, format!("{what}, {format}"), bytes * HZ / 1e3, "kB/s").digits(1)
        };
        let ratio =
            |of: &str, whole: f64| Figure::new(PART, format!("  .gtape / {of}"), self.gtape / whole, "").digits(3);
        let (most_of_tape, most_of_replay) = if bones { (0.6, 0.5) } else { (1.0 / 3.0, 1.0 / 3.0) };
        let rounded = |most: f64| (most * 1e3).round() / 1e3;
        vec![
            rate(".echoreplay", self.echoreplay),
            rate(".nevrcap", self.nevrcap),
            rate("V2 .tape", self.v2_tape),
            rate(".gtape", self.gtape),
            ratio("V2 .tape", self.v2_tape).at_most(rounded(most_of_tape)),
            ratio(".echoreplay", self.echoreplay).at_most(rounded(most_of_replay)),
        ]
    }
}

/// Returns the length of a V2 `.tape` whose records are compressed with zstd level 1, as by the writer of the public
/// capture; ours uses level 3.
fn packed_fastest(path: &Path) -> Result<u64> {
    let options = WriteOptions { level: 1, keyframe_state: false, ..WriteOptions::default() };
    let mut reader = Reader::new(BufReader::new(File::open(path)?))?;
    let mut counted = Counted(0);
    let mut writer = None;
    while let Some(item) = reader.next()? {
        let Item::Record(placed) = item else { anyhow::bail!("our own file has a problem: {item:?}") };
        match (placed.record.kind(), &mut writer) {
            (RecordKind::Header, None) => writer = Some(Writer::copying(&mut counted, &placed.record, options)?),
            (RecordKind::Frame, Some(writer)) => writer.record(&placed.record)?,
            _ => {}
        }
    }
    writer.context("no header")?.finish()?;
    Ok(counted.0)
}

/// Counts the bytes written.
struct Counted(u64);

impl std::io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
