use super::*;

/// A block that contains every coding.
fn block(count: usize) -> (Vec<Column>, usize, Vec<u8>, Vec<u8>, usize) {
    let kinds = [(4, true), (4, true), (4, true), (8, true), (1, false), (2, false), (8, false), (4, false), (4, true)];
    let (columns, row_bytes) = layout(&kinds);
    let wave = |row: usize| (row as f32 * 0.013).sin() * 40.0 + 50.0;
    let mut noise = Noise(3);
    let values = [
        singles(count, wave),
        singles(count, |row| wave(row) * 3.6),
        singles(count, |row| wave(row) * 0.5 + 3.0),
        (0..count).map(|row| (row as f64 * 0.125).to_bits()).collect(),
        (0..count).map(|row| row as u64 / 100).collect(),
        vec![500; count],
        (0..count).map(|_| noise.next()).collect(),
        vec![0; count],
        singles(count, wave),
    ];
    let rows = rows_of(&columns, row_bytes, &values);
    let (payload, head_len) = round_trip(&columns, row_bytes, &steady(count), &rows);
    (columns, row_bytes, rows, payload, head_len)
}

/// Decodes a damaged payload: `None` if it is rejected, otherwise the rows.
fn decode(columns: &[Column], row_bytes: usize, count: usize, payload: &[u8], head_len: usize) -> Option<Vec<u8>> {
    let head = BlockHead::parse(payload.get(..head_len)?, columns, count, payload.len()).ok()?;
    let mut out = vec![0; count * row_bytes];
    BlockDecoder::new().decode_rows(&head, columns, row_bytes, payload, &mut out).ok()?;
    Some(out)
}

#[test]
fn a_cut_payload_is_refused_at_every_length() {
    let (columns, row_bytes, _, payload, head_len) = block(70);
    for cut in 0..payload.len() {
        assert_eq!(decode(&columns, row_bytes, 70, &payload[..cut], head_len.min(cut)), None, "cut at {cut}");
    }
}

#[test]
fn every_flipped_bit_in_a_body_is_found() {
    let (columns, row_bytes, rows, payload, head_len) = block(70);
    let head = BlockHead::parse(&payload[..head_len], &columns, 70, payload.len()).unwrap();
    let times = head.times_range();
    for at in head_len..payload.len() {
        let mut bad = payload.clone();
        bad[at] ^= 1 << (at % 8);
        let decoded = decode(&columns, row_bytes, 70, &bad, head_len);
        if times.contains(&at) {
            assert_eq!(decoded.as_ref(), Some(&rows), "rows do not depend on times");
            assert!(decode_times(&head, &bad[times.clone()], &mut Vec::new()).is_err());
        } else {
            assert_eq!(decoded, None, "flip at {at}");
        }
    }
}

#[test]
fn a_damaged_head_never_panics() {
    // The checksum of the head belongs to the enclosing record; this test is only about panics and memory.
    let (columns, row_bytes, _, payload, head_len) = block(70);
    for at in 0..head_len {
        for bit in 0..8 {
            let mut bad = payload.clone();
            bad[at] ^= 1 << bit;
            let _ = decode(&columns, row_bytes, 70, &bad, head_len);
        }
    }
}

#[test]
fn damaged_bodies_with_good_checksums_never_panic() {
    for count in [2, 70, 1024] {
        let (columns, _, _, payload, head_len) = block(count);
        let head = BlockHead::parse(&payload[..head_len], &columns, count, payload.len()).unwrap();
        let mut noise = Noise(11);
        for index in 0..columns.len() {
            let body = payload[head.body_range(index)].to_vec();
            for _ in 0..200 {
                let mut bad = body.clone();
                for _ in 0..1 + noise.next() % 3 {
                    let reach = if noise.next().is_multiple_of(2) { 24 } else { usize::MAX };
                    let at = noise.next() as usize % bad.len().clamp(1, reach);
                    if let Some(byte) = bad.get_mut(at) {
                        *byte ^= 1 << (noise.next() % 8);
                    }
                }
                bad.truncate(bad.len() - noise.next() as usize % (1 + bad.len() / 4));
                super::super::fuzz::fuzz_body(&bad, count);
            }
        }
    }
}

#[test]
fn unknown_codings_are_named() {
    let (columns, _) = layout(&[(4, true), (4, true)]);
    let mut packed = Vec::new();
    crate::pack::pack_table(&[0, 0, 0, 0, 0, 0, 0, 9], &mut packed);
    let parsed = BlockHead::parse(&packed, &columns, 1, packed.len());
    assert_eq!(parsed.err(), Some(ColumnError::UnknownCoding { column: 1, coding: 9 }));
}

#[test]
fn a_reference_must_come_first_and_have_none_itself() {
    let (columns, _) = layout(&[(4, true), (4, true), (4, true)]);
    let parse = |codings: [u8; 3], others: &[u16], bodies: usize| {
        let mut raw = vec![0; 6];
        raw.extend(codings);
        others.iter().for_each(|other| raw.extend(other.to_le_bytes()));
        raw.extend(vec![0; bodies * 6]);
        let mut packed = vec![0];
        packed.extend((raw.len() as u32).to_le_bytes());
        packed.extend(raw);
        BlockHead::parse(&packed, &columns, 9, packed.len())
    };
    assert!(parse([4, 5, 6], &[0, 0], 3).is_ok());
    assert!(parse([4, 5, 2], &[0, 1], 2).is_ok(), "a copy of a scaled column needs the same reference");
    assert!(parse([4, 5, 5], &[0, 1], 3).is_err(), "a reference with a reference");
    assert!(parse([5, 4, 4], &[1], 3).is_err(), "a later column");
    assert!(parse([4, 5, 4], &[1], 3).is_err(), "itself");
    assert!(parse([0, 5, 4], &[0], 2).is_err(), "a constant");
    assert!(parse([4, 2, 2], &[0, 1], 1).is_err(), "a copy of a copy");
    assert!(parse([4, 2, 5], &[0, 1], 2).is_err(), "a copy as reference");
}
