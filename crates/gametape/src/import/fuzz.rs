//! Runs importers on bytes in memory, for fuzz targets and mutation tests only.
//!
//! An importer may reject a source, but everything it emits must be valid for a tape.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use gametape_format::limits::{BLOCK_RAW_BYTES, STREAMS};
use gametape_format::{StreamId, StreamSpec};

#[cfg(feature = "echo")]
use super::captures::{NevrcapImporter, V2Importer};
#[cfg(feature = "echo")]
use super::echoreplay::EchoReplayImporter;
use super::f1pcap::F1PcapImporter;
use super::gamesdat::GamesDatImporter;
use super::ksana::KsanaImporter;
use super::lap_files::{Garage61Importer, GpxImporter, MotecImporter, RaceChronoImporter, VboImporter, markers_of_ldx};
use super::replays;
#[cfg(feature = "echo")]
use super::{Dictionary, ImportOptions};
use super::{ImportError, Importer, Out, Source};

/// An [`Out`] that accepts everything and asserts the rules that a tape enforces.
#[derive(Default)]
struct Checked {
    begun: bool,
    streams: Vec<(StreamSpec, u64)>,
    last_event_ns: u64,
    last_clock_ns: u64,
    problems: usize,
}

impl Out for Checked {
    fn begin(&mut self, _: Option<i64>) -> Result<(), ImportError> {
        self.begun = true;
        Ok(())
    }

    fn add_stream(&mut self, spec: StreamSpec) -> Result<StreamId, ImportError> {
        assert!(self.begun, "stream {} before the tape began", spec.name);
        if let Err(error) = spec.check() {
            let (stream, reason) = (spec.name, error.to_string());
            return Err(gametape_format::write::BuildError::Refused { stream, reason }.into());
        }
        assert!(self.streams.iter().all(|(other, _)| other.name != spec.name), "two streams {}", spec.name);
        let id = StreamId(self.streams.len() as u16);
        self.streams.push((spec, 0));
        assert!(self.streams.len() <= STREAMS, "too many streams");
        Ok(id)
    }

    fn append(&mut self, stream: StreamId, time_ns: u64, frame: &[u8], _: u64) -> Result<(), ImportError> {
        let stream = self.streams.get_mut(usize::from(stream.0));
        assert!(stream.as_ref().is_some_and(|(_, last)| *last <= time_ns), "{time_ns} ns goes back");
        assert!(frame.len() <= BLOCK_RAW_BYTES, "a frame of {} bytes", frame.len());
        stream.into_iter().for_each(|(_, last)| *last = time_ns);
        Ok(())
    }

    fn event(&mut self, time_ns: u64, kind: &str, _: &str) -> Result<(), ImportError> {
        assert!(self.last_event_ns <= time_ns, "an event goes back to {time_ns} ns");
        self.last_event_ns = time_ns;
        self.problems += usize::from(kind == super::problems::IMPORT_PROBLEM);
        Ok(())
    }

    fn metadata(&mut self, key: &str, _: &str) -> Result<(), ImportError> {
        assert!(!key.is_empty(), "metadata without a key");
        Ok(())
    }

    fn clock(&mut self, time_ns: u64, _: i64) -> Result<(), ImportError> {
        assert!(self.last_clock_ns <= time_ns, "the clock goes back to {time_ns} ns");
        self.last_clock_ns = time_ns;
        Ok(())
    }
}

fn check(importer: &dyn Importer, data: &[u8]) {
    check_source(importer, &Source::of_bytes("fuzz", data.to_vec()));
}

fn check_source(importer: &dyn Importer, source: &Source) {
    let mut out = Checked::default();
    match importer.read(source, &mut out, &mut |_| {}) {
        Err(error) => assert!(!error.to_string().is_empty()),
        // A capture may itself contain events of that kind.
        Ok(found) => assert!(found.problems.len() <= out.problems, "every problem is on the tape"),
    }
}

/// Imports a ksana or shm-debugger file.
pub fn fuzz_ksana(data: &[u8]) {
    check(&KsanaImporter, data);
}

/// Imports a ksana file built from uncompressed frames. They are compressed here, because mutations do not survive zlib's checksum.
/// Input: the file header, then for each frame its length (u16) and its bytes.
pub fn fuzz_ksana_resealed(data: &[u8]) {
    let (head, mut rest) = data.split_at(data.len().min(72));
    let mut file = head.to_vec();
    file.resize(72, 0);
    let v0 = matches!(file.get(12..16), Some(b"irac" | b"accz"));
    while let Some((length, bytes)) = rest.split_first_chunk::<2>() {
        let (raw, next) = bytes.split_at(bytes.len().min(usize::from(u16::from_le_bytes(*length))));
        rest = next;
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        let packed = zlib.write_all(raw).and_then(|()| zlib.finish()).unwrap_or_default();
        if !v0 {
            file.extend(12u32.to_le_bytes());
        }
        file.extend((packed.len() as u32).to_le_bytes());
        file.extend((raw.len() as u32).to_le_bytes());
        file.extend(packed);
    }
    check(&KsanaImporter, &file);
}

/// Imports a GamesDat file.
pub fn fuzz_gamesdat(data: &[u8]) {
    check(&GamesDatImporter, data);
}

/// Imports a GamesDat file built from uncompressed records, because few mutations survive LZ4. Input: a header up to the LZ4
/// magic, then stored blocks, each preceded by its length (u16).
pub fn fuzz_gamesdat_resealed(data: &[u8]) {
    let magic = [0x04, 0x22, 0x4D, 0x18];
    let start = data.windows(4).position(|window| window == magic).unwrap_or_default();
    let (head, rest) = data.split_at(start);
    let mut file = [head, &magic, &[0x40, 0x40, 0xC0]].concat();
    let mut rest = rest.get(4..).unwrap_or_default();
    while let Some((length, bytes)) = rest.split_first_chunk::<2>() {
        let (block, next) = bytes.split_at(bytes.len().min(usize::from(u16::from_le_bytes(*length))));
        rest = next;
        if !block.is_empty() {
            file.extend((block.len() as u32 | 1 << 31).to_le_bytes());
            file.extend(block);
        }
    }
    file.extend([0; 4]);
    check(&GamesDatImporter, &file);
}

/// Imports a MoTeC log.
pub fn fuzz_motec(data: &[u8]) {
    check(&MotecImporter, data);
}

/// Reads the markers of a MoTeC `.ldx` file.
pub fn fuzz_ldx(data: &[u8]) {
    assert!(markers_of_ldx(data).is_sorted(), "markers are in order");
}

/// Imports a CSV file of RaceChrono.
pub fn fuzz_racechrono(data: &[u8]) {
    check(&RaceChronoImporter, data);
}

/// Imports a `.vbo` file.
pub fn fuzz_vbo(data: &[u8]) {
    check(&VboImporter, data);
}

/// Imports a CSV file of Garage 61.
pub fn fuzz_garage61(data: &[u8]) {
    check(&Garage61Importer, data);
}

/// Imports a GPX file.
pub fn fuzz_gpx(data: &[u8]) {
    check(&GpxImporter, data);
}

/// Imports an `.f1pcap` capture.
pub fn fuzz_f1pcap(data: &[u8]) {
    check(&F1PcapImporter, data);
}

/// Imports an `.f1pcap` capture built from uncompressed datagrams, because mutations do not survive zlib's checksum. Input: for each packet
/// its length (u16) and its bytes.
pub fn fuzz_f1pcap_resealed(data: &[u8]) {
    let mut file = b"F1UDP\0\x01\x80\0\0\0\0".to_vec();
    let mut rest = data;
    while let Some((length, bytes)) = rest.split_first_chunk::<2>() {
        let (raw, next) = bytes.split_at(bytes.len().min(usize::from(u16::from_le_bytes(*length))));
        rest = next;
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        let packed = zlib.write_all(raw).and_then(|()| zlib.finish()).unwrap_or_default();
        file.extend([&1.7e9f32.to_le_bytes()[..], &(packed.len() as u32).to_le_bytes(), &packed].concat());
    }
    check(&F1PcapImporter, &file);
}

#[cfg(feature = "rocket-league")]
/// Imports a Rocket League replay.
pub fn fuzz_replay(data: &[u8]) {
    check(&replays::rocket_league::ROCKET_LEAGUE, data);
}

#[cfg(feature = "echo")]
/// Imports an `.echoreplay` file.
pub fn fuzz_echoreplay(data: &[u8]) {
    check(&EchoReplayImporter, data);
}

#[cfg(feature = "echo")]
/// Imports a Telemetry V2 capture (`.tape`).
pub fn fuzz_import_v2_tape(data: &[u8]) {
    check(&V2Importer, data);
}

#[cfg(feature = "echo")]
/// Imports a `.tape` file with a dictionary. Input: the length of the dictionary (u32), the dictionary, the file.
pub fn fuzz_import_v2_dictionary(data: &[u8]) {
    let Some((length, rest)) = data.split_first_chunk() else { return };
    let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX).min(rest.len());
    let (dictionary, file) = rest.split_at(length);
    let dictionary = match Dictionary::from_bytes(dictionary.to_vec()) {
        Ok(dictionary) => Some(dictionary),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    };
    check_source(
        &V2Importer,
        &Source::of_bytes("fuzz", file.to_vec())
            .with_options(&ImportOptions { dictionary, ..ImportOptions::default() }),
    );
}

#[cfg(feature = "echo")]
/// Imports a `.nevrcap` file.
pub fn fuzz_import_nevrcap(data: &[u8]) {
    check(&NevrcapImporter, data);
}

/// Imports an osu! replay.
pub fn fuzz_osu(data: &[u8]) {
    check(&replays::OSU, data);
}

/// Imports a StarCraft II replay.
pub fn fuzz_sc2(data: &[u8]) {
    check(&replays::SC2, data);
}

/// Imports a recorded game of Age of Empires II.
pub fn fuzz_aoe2(data: &[u8]) {
    check(&replays::AOE2, data);
}

/// Imports a Warcraft III replay.
pub fn fuzz_warcraft3(data: &[u8]) {
    check(&replays::WARCRAFT3, data);
}

/// Imports a Fortnite replay.
pub fn fuzz_fortnite(data: &[u8]) {
    check(&replays::FORTNITE, data);
}

/// Imports a round of Rainbow Six Siege.
pub fn fuzz_r6(data: &[u8]) {
    check(&replays::R6, data);
}

/// Imports a demo of Counter-Strike 2 or Dota 2.
pub fn fuzz_source2(data: &[u8]) {
    check(&replays::SOURCE2, data);
}

/// Imports a League of Legends replay.
pub fn fuzz_lol(data: &[u8]) {
    check(&replays::LOL, data);
}

/// Imports `PUBG.replayinfo`.
pub fn fuzz_pubg(data: &[u8]) {
    check(&replays::PUBG, data);
}

/// Imports a Trackmania replay or ghost.
pub fn fuzz_gbx(data: &[u8]) {
    check(&replays::GBX, data);
}

/// Reads the parts of replays that stand behind a checksum, an encryption or a compression: values of StarCraft II, decompressed frames of
/// osu!, decoded data of Warcraft III, bzip2 and snappy.
pub fn fuzz_replay_parts(data: &[u8]) {
    replays::fuzz_parts(data);
}

/// Parses the facts of a match, as a tape may hold them, and writes them again.
pub fn fuzz_match_facts(data: &[u8]) {
    use crate::matches::{MAX_JSON_BYTES, MatchFacts};
    let Some(facts) = std::str::from_utf8(data).ok().and_then(MatchFacts::parse) else { return };
    let text = facts.to_text();
    assert!(text.len() <= MAX_JSON_BYTES);
    assert_eq!(MatchFacts::parse(&text).map(|again| again.to_text()), Some(text));
}
