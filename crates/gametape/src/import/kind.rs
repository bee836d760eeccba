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
use super::f1pcap::{F1PcapImporter, is_f1pcap};
use super::gamesdat::GamesDatImporter;
use super::ibt::IbtImporter;
use super::ksana::KsanaImporter;
use super::lap_files::{
    Garage61Importer, GpxImporter, MotecImporter, RaceChronoImporter, VboImporter, is_garage61, is_gpx, is_motec,
    is_racechrono, is_vbo,
};
use super::replays;

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
    /// A MoTeC log.
    Motec,
    /// A CSV file of RaceChrono.
    RaceChrono,
    /// A file of a Racelogic logger.
    Vbo,
    /// A CSV file of Garage 61.
    Garage61,
    /// A GPX track.
    Gpx,
    /// A capture of Pits n' Giggles.
    F1Pcap,
    /// A Rocket League replay.
    #[cfg(feature = "rocket-league")]
    Replay,
    /// An osu! replay.
    Osr,
    /// A StarCraft II replay.
    Sc2Replay,
    /// A recorded game of Age of Empires II.
    Aoe2Record,
    /// A Warcraft III replay.
    W3g,
    /// A Fortnite replay.
    FortniteReplay,
    /// A round of Rainbow Six Siege.
    R6Rec,
    /// A demo of Counter-Strike 2 or Dota 2.
    Source2Demo,
    /// A League of Legends replay.
    Rofl,
    /// A PUBG replay.
    PubgReplay,
    /// A Trackmania replay or ghost.
    Gbx,
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
        Self::Motec,
        Self::RaceChrono,
        Self::Vbo,
        Self::Garage61,
        Self::Gpx,
        Self::F1Pcap,
        #[cfg(feature = "rocket-league")]
        Self::Replay,
        #[cfg(feature = "echo")]
        Self::EchoReplay,
        #[cfg(feature = "echo")]
        Self::V2Tape,
        #[cfg(feature = "echo")]
        Self::Nevrcap,
        // Those without a magic number of their own come last.
        Self::Sc2Replay,
        Self::W3g,
        Self::FortniteReplay,
        Self::R6Rec,
        Self::Source2Demo,
        Self::Rofl,
        Self::Gbx,
        Self::PubgReplay,
        Self::Osr,
        Self::Aoe2Record,
    ];

    /// Returns a short, stable identifier, as stored in the tape's metadata.
    pub fn id(self) -> &'static str {
        match self {
            Self::Ibt => "ibt",
            Self::Ksr => "ksr",
            Self::Dat => "dat",
            Self::Motec => "ld",
            Self::RaceChrono => "racechrono",
            Self::Vbo => "vbo",
            Self::Garage61 => "garage61",
            Self::Gpx => "gpx",
            Self::F1Pcap => "f1pcap",
            #[cfg(feature = "rocket-league")]
            Self::Replay => "replay",
            Self::Osr => "osr",
            Self::Sc2Replay => "sc2-replay",
            Self::Aoe2Record => "aoe2-record",
            Self::W3g => "w3g",
            Self::FortniteReplay => "fortnite-replay",
            Self::R6Rec => "r6-rec",
            Self::Source2Demo => "source2-dem",
            Self::Rofl => "rofl",
            Self::PubgReplay => "pubg-replay",
            Self::Gbx => "gbx",
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
            Self::Motec => &MotecImporter,
            Self::RaceChrono => &RaceChronoImporter,
            Self::Vbo => &VboImporter,
            Self::Garage61 => &Garage61Importer,
            Self::Gpx => &GpxImporter,
            Self::F1Pcap => &F1PcapImporter,
            #[cfg(feature = "rocket-league")]
            Self::Replay => &replays::rocket_league::ROCKET_LEAGUE,
            Self::Osr => &replays::OSU,
            Self::Sc2Replay => &replays::SC2,
            Self::Aoe2Record => &replays::AOE2,
            Self::W3g => &replays::WARCRAFT3,
            Self::FortniteReplay => &replays::FORTNITE,
            Self::R6Rec => &replays::R6,
            Self::Source2Demo => &replays::SOURCE2,
            Self::Rofl => &replays::LOL,
            Self::PubgReplay => &replays::PUBG,
            Self::Gbx => &replays::GBX,
            #[cfg(feature = "echo")]
            Self::EchoReplay => &EchoReplayImporter,
            #[cfg(feature = "echo")]
            Self::V2Tape => &V2Importer,
            #[cfg(feature = "echo")]
            Self::Nevrcap => &NevrcapImporter,
        }
    }

    /// Returns the identifiers of all supported kinds.
    pub fn ids() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|kind| kind.id())
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
            Self::Motec => is_motec(start),
            Self::RaceChrono => is_racechrono(start),
            Self::Vbo => is_vbo(start),
            Self::Garage61 => is_garage61(start),
            Self::Gpx => is_gpx(start),
            Self::F1Pcap => is_f1pcap(start),
            #[cfg(feature = "rocket-league")]
            Self::Replay => start.windows(12).any(|window| window == b"TAGame.Repla"),
            Self::Osr => replays::is_osu(start),
            Self::Sc2Replay => start.starts_with(replays::SC2_MAGIC),
            Self::Aoe2Record => replays::is_aoe2(start),
            Self::W3g => start.starts_with(replays::WARCRAFT3_MAGIC),
            Self::FortniteReplay => replays::is_fortnite(start),
            Self::R6Rec => replays::is_r6(start),
            Self::Source2Demo => start.starts_with(replays::SOURCE2_MAGIC),
            Self::Rofl => start.starts_with(replays::LOL_MAGIC),
            Self::PubgReplay => replays::is_pubg(start),
            Self::Gbx => start.starts_with(replays::GBX_MAGIC),
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
            Self::Motec => "a MoTeC log (.ld)",
            Self::RaceChrono => "a RaceChrono session (.csv)",
            Self::Vbo => "a Racelogic log (.vbo)",
            Self::Garage61 => "a Garage 61 lap (.csv)",
            Self::Gpx => "a GPX track (.gpx)",
            Self::F1Pcap => "an F1 capture of Pits n' Giggles (.f1pcap)",
            #[cfg(feature = "rocket-league")]
            Self::Replay => "a Rocket League replay (.replay)",
            Self::Osr => "an osu! replay (.osr)",
            Self::Sc2Replay => "a StarCraft II replay (.sc2replay)",
            Self::Aoe2Record => "a recorded game of Age of Empires II (.aoe2record, .mgz, .mgx)",
            Self::W3g => "a Warcraft III replay (.w3g)",
            Self::FortniteReplay => "a Fortnite replay (.replay)",
            Self::R6Rec => "a round of Rainbow Six Siege (.rec)",
            Self::Source2Demo => "a demo of Counter-Strike 2 or Dota 2 (.dem)",
            Self::Rofl => "a League of Legends replay (.rofl)",
            Self::PubgReplay => "a PUBG replay (.replayinfo)",
            Self::Gbx => "a Trackmania replay or ghost (.gbx)",
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
    if replays::may_be_packed_r6(&start) {
        let mut first_block = Vec::new();
        let file = open_regular(path).map_err(read)?;
        file.take(replays::PACKED_R6_BYTES).read_to_end(&mut first_block).map_err(read)?;
        if replays::is_r6(&first_block) {
            return Ok(Kind::R6Rec);
        }
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
        assert_eq!(detect_bytes(b"This file is created using RaceChrono Pro v9").unwrap(), Kind::RaceChrono);
        assert_eq!(detect_bytes(b"File created on 31/07/2006 at 09:55:20\r\n").unwrap(), Kind::Vbo);
        assert_eq!(detect_bytes(b"Speed,LapDistPct,Lat,Lon\n1,0,1,1").unwrap(), Kind::Garage61);
        assert_eq!(detect_bytes(b"<?xml version=\"1.0\"?>\n<gpx version=\"1.1\">").unwrap(), Kind::Gpx);
        assert_eq!(detect_bytes(b"F1UDP\0\0\x80\0\0\0\0").unwrap(), Kind::F1Pcap);
        let mut log = [0; 100];
        for (at, value) in [(0, 0x40), (9, 0x2C), (66, 0x40), (67, 0x42), (68, 0x0F)] {
            log[at] = value;
        }
        assert_eq!(detect_bytes(&log).unwrap(), Kind::Motec);
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
