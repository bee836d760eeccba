//! Writes ksana and shm-debugger files, by the description of their bytes and without any code of the importer.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// shm-debugger, ksana up to 0.3, ksana from 0.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    V0,
    V1,
    V2,
}

pub const ALL: [Version; 3] = [Version::V0, Version::V1, Version::V2];

/// The 72 bytes at the front.
pub fn head(version: Version, fps: i32, id: &[u8; 4]) -> Vec<u8> {
    let mut bytes = b"RECROCKS".to_vec();
    match version {
        Version::V0 => bytes.extend(fps.to_le_bytes()),
        Version::V1 => bytes.extend([1i32, fps].map(i32::to_le_bytes).concat()),
        Version::V2 => bytes.extend([2i32, fps].map(i32::to_le_bytes).concat()),
    }
    bytes.extend(id);
    if version == Version::V2 {
        bytes.extend(2i32.to_le_bytes());
    }
    bytes.resize(72, 0);
    bytes
}

pub fn zlib(raw: &[u8]) -> Vec<u8> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(raw).unwrap();
    zlib.finish().unwrap()
}

/// A frame with these lengths in its header.
pub fn frame_of(version: Version, packed: &[u8], packed_bytes: u32, raw_bytes: u32) -> Vec<u8> {
    let mut bytes = if version == Version::V0 { Vec::new() } else { 12u32.to_le_bytes().to_vec() };
    bytes.extend(packed_bytes.to_le_bytes());
    bytes.extend(raw_bytes.to_le_bytes());
    bytes.extend(packed);
    bytes
}

pub fn frame(version: Version, raw: &[u8]) -> Vec<u8> {
    let packed = zlib(raw);
    frame_of(version, &packed, packed.len() as u32, raw.len() as u32)
}

/// Type, offset, count, name, unit.
pub type Variable<'a> = (i32, i32, i32, &'a str, &'a str);

/// What an iRacing frame holds.
#[derive(Debug, Clone)]
pub struct IRacing<'a> {
    pub ticks: [i32; 3],
    pub variables: Option<&'a [Variable<'a>]>,
    pub variable_count: i32,
    pub buffers: i32,
    pub text: &'a [u8],
    pub row: &'a [u8],
}

pub const SPEED: &[Variable<'static>] = &[(4, 0, 1, "Speed", "m/s"), (2, 4, 1, "Lap", "")];
pub const SWAPPED: &[Variable<'static>] = &[(2, 0, 1, "Lap", ""), (4, 4, 1, "Speed", "m/s")];

impl<'a> IRacing<'a> {
    pub fn new(tick: i32, row: &'a [u8]) -> Self {
        Self {
            ticks: [tick - 2, tick - 1, tick],
            variables: Some(SPEED),
            variable_count: 2,
            buffers: 3,
            text: b"",
            row,
        }
    }

    pub fn header(&self) -> Vec<u8> {
        let numbers =
            [2, 1, 60, 1, 524_288, 112, self.variable_count, 524_400, self.buffers, self.row.len() as i32, 0, 0];
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        for (number, tick) in self.ticks.iter().enumerate() {
            bytes.extend([*tick, 600_000 + 1024 * number as i32, 0, 0].map(i32::to_le_bytes).concat());
        }
        bytes.resize(112, 0);
        bytes
    }

    pub fn variable_headers(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (kind, offset, count, name, unit) in self.variables.unwrap_or_default() {
            let end = bytes.len() + 144;
            bytes.extend([*kind, *offset, *count, 0].map(i32::to_le_bytes).concat());
            for (text, room) in [(*name, 32), ("what it is", 64), (*unit, 32)] {
                let end = bytes.len() + room;
                bytes.extend(text.as_bytes());
                bytes.resize(end, 0);
            }
            assert_eq!(bytes.len(), end);
        }
        bytes
    }

    /// In V0 and V1 variables are always there.
    pub fn payload(&self, version: Version) -> Vec<u8> {
        let mut bytes = Vec::new();
        if version == Version::V2 {
            bytes.push(if self.variables.is_some() { 1 } else { 2 });
            bytes.resize(16, 0);
        }
        bytes.extend(self.header());
        bytes.extend(self.variable_headers());
        for part in [self.text, self.row] {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
        bytes
    }
}

/// Pages that are not like their neighbours. `acc` fills what only Assetto Corsa Competizione has.
pub fn pages(version: Version, number: u8, with_static: bool, acc: bool) -> Vec<u8> {
    let (graphics, physics, static_page) = if version == Version::V0 { (1700, 1000, 1000) } else { (2048, 1024, 2048) };
    let mut bytes = vec![];
    if version == Version::V2 {
        bytes.push(if with_static { 1 } else { 2 });
        bytes.resize(16, 0);
    }
    let page = |bytes: usize, used: usize| (0..bytes).map(move |at| if at < used { at as u8 ^ number } else { 0 });
    bytes.extend(page(graphics, 252));
    bytes.extend(page(physics, if acc { 800 } else { 580 }));
    if with_static {
        bytes.extend(page(static_page, 684));
    }
    bytes
}
