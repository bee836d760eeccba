//! Detects the kind of a file by its content.

use std::io::Read;
use std::path::Path;

use gametape_format::open_regular;
use gametape_format::read::{ReadError, Tape};
#[cfg(feature = "echo")]
use telemetry_v2::detect::{DETECT_BYTES, file_kind};

use super::Importer;
#[cfg(feature = "echo")]
use super::captures::{NevrcapImporter, V2Importer};
#[cfg(feature = "echo")]
use super::echoreplay::EchoReplayImporter;
use super::error::ImportError;
use super::gamesdat::GamesDatImporter;
use super::ibt::IbtImporter;
use super::ksana::KsanaImporter;
#[cfg(feature = "rocket-league")]
use super::replay::ReplayImporter;

/// Bytes at the start of a file that detection looks at.
const START_BYTES: u64 = 512;

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Telemetry written by iRacing.
    Ibt,
    /// A ksana recording.
    Ksr,
    /// A GamesDat session.
    Dat,
    /// A Rocket League replay.
    #[cfg(feature = "rocket-league")]
    Replay,
    /// An Echo VR replay.
    #[cfg(feature = "echo")]
    EchoReplay,
    /// A Telemetry V2 capture.
    #[cfg(feature = "echo")]
    V2Tape,
    /// An Echo VR capture in the format that preceded Telemetry V2.
    #[cfg(feature = "echo")]
    Nevrcap,
}

impl Kind {
    const ALL: &[Self] = &[
        Self::Ibt,
        Self::Ksr,
        Self::Dat,
        #[cfg(feature = "rocket-league")]
        Self::Replay,
        #[cfg(feature = "echo")]
        Self::EchoReplay,
        #[cfg(feature = "echo")]
        Self::V2Tape,
        #[cfg(feature = "echo")]
        Self::Nevrcap,
    ];

    /// Returns a short, stable identifier, as stored in the tape's metadata.
    pub fn id(self) -> &'static str {
        match self {
            Self::Ibt => "ibt",
            Self::Ksr => "ksr",
            Self::Dat => "dat",
            #[cfg(feature = "rocket-league")]
            Self::Replay => "replay",
            #[cfg(feature = "echo")]
            Self::EchoReplay => "echoreplay",
            #[cfg(feature = "echo")]
            Self::V2Tape => "v2-tape",
            #[cfg(feature = "echo")]
            Self::Nevrcap => "nevrcap",
        }
    }

    /// Returns the importer for this kind.
    pub fn importer(self) -> &'static dyn Importer {
        match self {
            Self::Ibt => &IbtImporter,
            Self::Ksr => &KsanaImporter,
            Self::Dat => &GamesDatImporter,
            #[cfg(feature = "rocket-league")]
            Self::Replay => &ReplayImporter,
            #[cfg(feature = "echo")]
            Self::EchoReplay => &EchoReplayImporter,
            #[cfg(feature = "echo")]
            Self::V2Tape => &V2Importer,
            #[cfg(feature = "echo")]
            Self::Nevrcap => &NevrcapImporter,
        }
    }

    /// Lists the supported kinds for humans.
    pub fn readable() -> String {
        Self::ALL.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    fn fits(self, start: &[u8]) -> bool {
        match self {
            Self::Ibt => is_ibt(start),
            Self::Ksr => start.starts_with(b"RECROCKS"),
            // Old files have no header: the importer decides by the first record whether an LZ4 file is a GamesDat file.
            Self::Dat => start.starts_with(b"GDT\0") || start.starts_with(b"\x04\x22\x4d\x18"),
            #[cfg(feature = "rocket-league")]
            Self::Replay => start.windows(12).any(|window| window == b"TAGame.Repla"),
            #[cfg(feature = "echo")]
            Self::EchoReplay => start.starts_with(b"PK\x03\x04") || is_replay_line(start),
            // These two have no magic number; `capture_kind` looks at their first record.
            #[cfg(feature = "echo")]
            Self::V2Tape | Self::Nevrcap => false,
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ibt => "iRacing telemetry (.ibt)",
            Self::Ksr => "a ksana recording (.ksr, .bin)",
            Self::Dat => "a GamesDat session (.dat)",
            #[cfg(feature = "rocket-league")]
            Self::Replay => "a Rocket League replay (.replay)",
            #[cfg(feature = "echo")]
            Self::EchoReplay => "an Echo VR replay (.echoreplay)",
            #[cfg(feature = "echo")]
            Self::V2Tape => "a Telemetry V2 capture (.tape)",
            #[cfg(feature = "echo")]
            Self::Nevrcap => "an Echo VR capture of the first version (.nevrcap)",
        })
    }
}

/// Returns the kind of a file. The error for an unknown kind says what the file looks like.
pub fn detect(path: &Path) -> Result<Kind, ImportError> {
    let read = |source| ImportError::Read { path: path.into(), source };
    let mut start = Vec::new();
    open_regular(path).and_then(|file| file.take(START_BYTES).read_to_end(&mut start)).map_err(read)?;
    if let Some(kind) = Kind::ALL.iter().copied().find(|kind| kind.fits(&start)) {
        return Ok(kind);
    }
    #[cfg(feature = "echo")]
    if let Some(kind) = capture_kind(path).map_err(read)? {
        return Ok(kind);
    }
    match Tape::from_bytes(start) {
        Ok(_) | Err(ReadError::UnknownVersion { .. }) => Err(ImportError::IsTape),
        Err(ReadError::NotATape { looks_like }) => Err(ImportError::UnknownKind { looks_like: looks_like.into() }),
        Err(error) => Err(ImportError::UnknownKind { looks_like: error.to_string() }),
    }
}

/// Detects captures by their first record, which may be compressed. A compressed file without one may be a damaged capture; the
/// importer reports that.
#[cfg(feature = "echo")]
fn capture_kind(path: &Path) -> std::io::Result<Option<Kind>> {
    let mut start = Vec::new();
    open_regular(path)?.take(DETECT_BYTES as u64).read_to_end(&mut start)?;
    Ok(file_kind(&start).map(|found| if found.version == 1 { Kind::Nevrcap } else { Kind::V2Tape }))
}

/// Checks for a known version, a possible tick rate, and no more row buffers than a header holds. The parser checks the rest,
/// so that a damaged file gets a precise error.
fn is_ibt(start: &[u8]) -> bool {
    let number = |at: usize| start.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(i32::from_le_bytes);
    matches!(number(0), Some(1 | 2))
        && matches!(number(8), Some(1..=1000) | None)
        && matches!(number(32), Some(1..=4) | None)
}

/// Checks for `2023/04/01 12:34:56.789`, a tab and a JSON object: an uncompressed `.echoreplay` file.
#[cfg(feature = "echo")]
fn is_replay_line(start: &[u8]) -> bool {
    const SHAPE: &[u8] = b"0000/00/00 00:00:00.000\t{";
    let fits = |(byte, shape): (&u8, &u8)| if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
    start.len() >= SHAPE.len() && start.iter().zip(SHAPE).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect_bytes(bytes: &[u8]) -> Result<Kind, ImportError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file.as_file(), bytes).unwrap();
        detect(file.path())
    }

    #[test]
    fn kinds_are_known_by_their_content() {
        assert_eq!(detect_bytes(b"RECROCKS\x02\0\0\0").unwrap(), Kind::Ksr);
        assert_eq!(detect_bytes(b"GDT\0\x01\0").unwrap(), Kind::Dat);
        assert_eq!(detect_bytes(b"\x04\x22\x4d\x18\x40\x40\xc0").unwrap(), Kind::Dat);
        assert_eq!(detect_bytes(b"\xca\x03\0\0....TAGame.Replay_Soccar_TA").unwrap(), Kind::Replay);
        assert_eq!(detect_bytes(b"PK\x03\x04").unwrap(), Kind::EchoReplay);
        assert_eq!(detect_bytes(b"2023/04/01 12:34:56.789\t{\"a\":1}").unwrap(), Kind::EchoReplay);
        assert_eq!(detect_bytes(b"\x05\x0a\x03\x0a\x01A").unwrap(), Kind::V2Tape);
        assert_eq!(detect_bytes(b"\x09\x0a\x01A\x12\x04\x08\x01\x10\x02").unwrap(), Kind::Nevrcap);
        let mut ibt = [0; 36];
        for (at, value) in [(0, 2), (8, 60), (32, 1)] {
            ibt[at] = value;
        }
        assert_eq!(detect_bytes(&ibt).unwrap(), Kind::Ibt);
    }

    #[test]
    fn what_is_not_known_says_what_it_looks_like() {
        let looks_like = |bytes: &[u8]| detect_bytes(bytes).unwrap_err().to_string();
        assert!(looks_like(b"").contains("looks like an empty file;"));
        assert!(looks_like(b"{\"a\": 1}").contains("looks like JSON text;"));
        assert!(looks_like(b"MZ\x90").contains("looks like a Windows program;"));
    }
}
