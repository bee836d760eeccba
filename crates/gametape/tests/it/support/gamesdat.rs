//! Writes GamesDat files, by the description of their bytes and without any code of the importer.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

/// 2026-02-19 12:00:00 UTC.
pub const START_TICKS: i64 = 639_070_992_000_000_000;

/// What the LZ4 frame begins with when GamesDat writes it.
pub const LZ4_HEADER: [u8; 7] = [0x04, 0x22, 0x4D, 0x18, 0x40, 0x40, 0xC0];

/// The header of a file.
pub fn header(game: &str, short_type: &str, payload_bytes: i32) -> Vec<u8> {
    let name =
        format!("GamesDat.Core.Telemetry.Sources.X.{short_type}, GamesDat.Core, Version=1.0.0.0, Culture=neutral");
    let mut bytes = b"GDT\0\x01\0".to_vec();
    bytes.push(game.len() as u8);
    bytes.extend(game.as_bytes());
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend(name.as_bytes());
    bytes.extend((1u32 << 24 | 2 << 16 | 3).to_le_bytes());
    bytes.extend(payload_bytes.to_le_bytes());
    bytes.extend([0; 16]);
    bytes
}

pub fn record(ticks: i64, payload: &[u8]) -> Vec<u8> {
    [&ticks.to_le_bytes()[..], &(payload.len() as i32).to_le_bytes(), payload].concat()
}

/// A payload that is not like its neighbours.
pub fn payload(number: u8, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at / 3) as u8 ^ number).collect()
}

/// An F1 payload around a datagram.
pub fn f1_payload(datagram: &[u8]) -> Vec<u8> {
    let mut bytes = datagram[..2].to_vec();
    bytes.push(datagram[6]);
    bytes.extend(datagram);
    bytes.resize(2052, 0);
    bytes.extend((datagram.len() as i32).to_le_bytes());
    bytes
}

/// A datagram of a format with this packet id.
pub fn datagram(format: u16, packet_id: u8, bytes: usize, fill: u8) -> Vec<u8> {
    let mut datagram = vec![fill; bytes];
    datagram[..2].copy_from_slice(&format.to_le_bytes());
    datagram[if format < 2023 { 5 } else { 6 }] = packet_id;
    datagram
}

/// LZ4 blocks of at most `block_bytes` raw bytes; matches reach back over the ends of blocks, as GamesDat's do.
pub fn lz4_blocks(raw: &[u8], block_bytes: usize) -> Vec<Vec<u8>> {
    let ends = (1..=raw.len().div_ceil(block_bytes)).map(|number| (number * block_bytes).min(raw.len()));
    let mut start = 0;
    ends.map(|end| {
        let packed = lz4_block(raw, start, end);
        let raw_block = &raw[start..end];
        start = end;
        match packed.len() < raw_block.len() {
            true => [&(packed.len() as u32).to_le_bytes()[..], &packed].concat(),
            false => [&(raw_block.len() as u32 | 1 << 31).to_le_bytes()[..], raw_block].concat(),
        }
    })
    .collect()
}

/// One block: literals and matches, found by looking at every distance up to 4000.
fn lz4_block(raw: &[u8], start: usize, end: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut at, mut literals) = (start, start);
    // The last five bytes of a block are literals, and no match starts in its last twelve.
    while at + 12 < end {
        let longest = |distance: usize| (at..end - 5).take_while(|place| raw[*place] == raw[*place - distance]).count();
        let best = (1..=at.min(4000)).map(|distance| (longest(distance), distance)).max().unwrap_or((0, 0));
        if best.0 < 4 {
            at += 1;
            continue;
        }
        sequence(&mut out, &raw[literals..at], Some(best));
        at += best.0;
        literals = at;
    }
    sequence(&mut out, &raw[literals..end], None);
    out
}

fn sequence(out: &mut Vec<u8>, literals: &[u8], found: Option<(usize, usize)>) {
    let extra = found.map_or(0, |(length, _)| length - 4);
    out.push((literals.len().min(15) << 4 | extra.min(15)) as u8);
    long(out, literals.len());
    out.extend(literals);
    if let Some((_, distance)) = found {
        out.extend((distance as u16).to_le_bytes());
        long(out, extra);
    }
}

fn long(out: &mut Vec<u8>, length: usize) {
    if let Some(mut left) = length.checked_sub(15) {
        while left >= 255 {
            out.push(255);
            left -= 255;
        }
        out.push(left as u8);
    }
}

/// A whole file.
pub fn file(header: &[u8], records: &[Vec<u8>], block_bytes: usize) -> Vec<u8> {
    let blocks = lz4_blocks(&records.concat(), block_bytes).concat();
    [header, &LZ4_HEADER, &blocks, &[0; 4]].concat()
}
