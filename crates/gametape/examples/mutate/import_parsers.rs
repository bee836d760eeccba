//! The importers, with small valid files of other programs. Takes nothing, gives parsers and their seeds.
#![allow(clippy::unwrap_used, reason = "a program for developers; its inputs are its own")]

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use gametape::import::{fuzz_ksana, fuzz_ksana_resealed};

use super::Parser;

/// Readers of files of other programs.
pub(super) fn parsers() -> Vec<Parser> {
    vec![
        Parser { name: "ksana", run: fuzz_ksana, seeds: ksana_files },
        Parser { name: "ksana-resealed", run: fuzz_ksana_resealed, seeds: ksana_unpacked },
    ]
}

/// The header of a ksana file (version 1 or 2) or of a shm-debugger file (version 0).
fn ksana_head(version: i32, id: &[u8; 4]) -> Vec<u8> {
    let mut bytes = b"RECROCKS".to_vec();
    if version > 0 {
        bytes.extend(version.to_le_bytes());
    }
    bytes.extend(5i32.to_le_bytes());
    bytes.extend(id);
    bytes.extend(if version == 2 { 2i32 } else { 0 }.to_le_bytes());
    bytes.resize(72, 0);
    bytes
}

/// One iRacing frame: a header, two variables unless left out, a text, a row.
fn iracing_payload(version: i32, with_variables: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    if version == 2 {
        bytes.push(if with_variables { 1 } else { 2 });
        bytes.resize(16, 0);
    }
    let header_end = bytes.len() + 112;
    for number in [2i32, 1, 60, 1, 524_288, 112, 2, 524_400, 3, 8, 0, 0, 98, 600_000, 0, 0, 99, 601_024] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.resize(header_end, 0);
    for (offset, name) in [(0i32, "Speed"), (4, "RPM")].into_iter().filter(|_| with_variables) {
        let end = bytes.len() + 144;
        bytes.extend([4, offset, 1, 0].map(i32::to_le_bytes).concat());
        bytes.extend(name.as_bytes());
        bytes.resize(end, 0);
    }
    for part in [b"---\nWeekendInfo:\n".as_slice(), &[7; 8]] {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    bytes
}

fn page_payload(version: i32, with_static: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    if version == 2 {
        bytes.push(if with_static { 1 } else { 2 });
        bytes.resize(16, 0);
    }
    let pages = match (version, with_static) {
        (0, _) => 3700,
        (_, true) => 5120,
        (_, false) => 3072,
    };
    bytes.extend((0..pages).map(|at| if at % 2048 < 600 { at as u8 } else { 0 }));
    bytes
}

/// Header and unpacked frames of each kind of file.
fn ksana_contents() -> Vec<(i32, Vec<u8>, Vec<Vec<u8>>)> {
    let iracing = |version| vec![iracing_payload(version, true), iracing_payload(version, version < 2)];
    let pages = |version| vec![page_payload(version, true), page_payload(version, version == 0)];
    vec![
        (0, ksana_head(0, b"irac"), iracing(0)),
        (1, ksana_head(1, b"irac"), iracing(1)),
        (2, ksana_head(2, b"irac"), iracing(2)),
        (0, ksana_head(0, b"accz"), pages(0)),
        (1, ksana_head(1, b"acsa"), pages(1)),
        (2, ksana_head(2, b"acsa"), pages(2)),
    ]
}

fn ksana_files() -> Vec<Vec<u8>> {
    let pack = |raw: &[u8]| {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(raw).unwrap();
        zlib.finish().unwrap()
    };
    let file = |(version, mut file, frames): (i32, Vec<u8>, Vec<Vec<u8>>)| {
        for raw in frames {
            let packed = pack(&raw);
            file.extend((if version > 0 { vec![12u32] } else { vec![] }).into_iter().flat_map(u32::to_le_bytes));
            file.extend([packed.len() as u32, raw.len() as u32].map(u32::to_le_bytes).concat());
            file.extend(packed);
        }
        file
    };
    ksana_contents().into_iter().map(file).collect()
}

fn ksana_unpacked() -> Vec<Vec<u8>> {
    let file = |(_, mut file, frames): (i32, Vec<u8>, Vec<Vec<u8>>)| {
        for raw in frames {
            file.extend((raw.len() as u16).to_le_bytes());
            file.extend(raw);
        }
        file
    };
    ksana_contents().into_iter().map(file).collect()
}
