use super::*;

/// Tests one column at every length, with and without neighbours that shift it to an odd offset.
fn column(width: u8, float: bool, mut value: impl FnMut(usize) -> u64) {
    for count in LENGTHS {
        let (columns, row_bytes) = layout(&[(1, false), (width, float), (2, false)]);
        let values = [vec![7; count], (0..count).map(&mut value).collect(), (0..count as u64).collect()];
        round_trip(&columns, row_bytes, &steady(count), &rows_of(&columns, row_bytes, &values));
    }
}

#[test]
fn random_bits_of_every_type() {
    for (width, float) in [(1, false), (2, false), (4, false), (8, false), (4, true), (8, true), (1, true), (2, true)] {
        let mut noise = Noise(1 + u64::from(width));
        column(width, float, |_| noise.next());
        column(width, float, |_| noise.next() >> (noise.next() & 63));
        column(width, float, |row| if row % 50 == 0 { noise.next() } else { 0 });
    }
}

#[test]
fn floats_that_are_not_numbers_or_not_normal() {
    let singles = [0x7f80_0001u64, 0xffbf_ffff, 0x7fc0_0000, 0x7f80_0000, 0xff80_0000, 0x8000_0000, 0, 1, 0x807f_ffff];
    let doubles =
        [0x7ff0_0000_0000_0001u64, 0xfff7_ffff_ffff_ffff, 0x7ff0 << 48, 0xfff0 << 48, 1 << 63, 0, 1, 0x3ff << 52];
    let mut noise = Noise(5);
    column(4, true, |_| singles[noise.next() as usize % singles.len()]);
    column(8, true, |_| doubles[noise.next() as usize % doubles.len()]);
    // One irregular value among values on a grid.
    for odd in singles {
        column(4, true, |row| if row == 200 { odd } else { u64::from((row as f32 * 0.25).to_bits()) });
    }
    for odd in doubles {
        column(8, true, |row| if row == 200 { odd } else { (row as f64 * 0.25).to_bits() });
    }
}

#[test]
fn signed_and_narrow_integers_wrap() {
    column(1, false, |row| u64::from((row as i8).wrapping_mul(3) as u8));
    column(2, false, |row| u64::from((30_000 + row as i32 * 40) as u16));
    column(4, false, |row| u64::from((row as i32 - 500).wrapping_mul(9_000_000) as u32));
    column(8, false, |row| (row as i64 - 500).wrapping_mul(i64::MAX / 300) as u64);
    column(1, false, |row| u64::from(row % 7 < 3));
}

#[test]
fn grids_up_to_extreme_exponents() {
    for exponent in (-149..=127).step_by(3) {
        let step = 2f64.powi(exponent);
        column(4, true, |row| u64::from(((((row * row % 900) as f64 - 300.0) * step) as f32).to_bits()));
        column(8, true, |row| (((row * row % 900) as f64 - 300.0) * step).to_bits());
    }
    for exponent in [-1074, -1022, -500, -130, -121, -120, 119, 120, 121, 500, 1010] {
        column(8, true, |row| ((1 + row % 9) as f64 * 2f64.powi(exponent)).to_bits());
    }
}

#[test]
fn whole_numbers_at_the_edge_of_a_grid() {
    column(4, true, |row| u64::from(([1.0f32, 2f32.powi(29), 2f32.powi(30), -2f32.powi(30), 3.0][row % 5]).to_bits()));
    column(4, true, |row| u64::from(([1.0f32, 2f32.powi(31), -2f32.powi(31), 3.0][row % 4]).to_bits()));
    column(8, true, |row| [1.0, 2f64.powi(52), 2f64.powi(53) - 1.0, -2f64.powi(53), 5.0][row % 5].to_bits());
}

#[test]
fn scaled_columns_take_almost_nothing() {
    let count = 1024;
    let base = |row: usize| (row as f32 * 0.013).sin() * 40.0 + 55.0 + (row as f32 * 0.37).cos();
    let (columns, row_bytes) = layout(&[(4, true), (4, true), (4, true), (8, true), (4, true)]);
    let values = [
        singles(count, base),
        singles(count, |row| base(row) * 3.6),
        singles(count, |row| base(row) * -0.25 + 7.0),
        (0..count).map(|row| (f64::from(base(row)) * 1.5).to_bits()).collect(),
        singles(count, base),
    ];
    let (payload, head_len) = round_trip(&columns, row_bytes, &steady(count), &rows_of(&columns, row_bytes, &values));
    let head = BlockHead::parse(&payload[..head_len], &columns, count, payload.len()).unwrap();
    assert_eq!((1..4).map(|column| head.reference(column)).collect::<Vec<_>>(), [Some(0); 3]);
    assert!(head.body_range(1).len() < 60, "{}", head.body_range(1).len());
    assert_eq!(head.body_range(4), head.body_range(0), "the last column is a copy of the first");
}

#[test]
fn a_speed_is_predicted_from_a_position() {
    let count = 1024;
    let position = |row: usize| (row as f32 * 0.05).sin() * 40.0 + (row as f32 * 0.61).cos();
    let speed = |row: usize| if row == 0 { 0.0 } else { (position(row) - position(row - 1)) * 60.0 };
    let (columns, row_bytes) = layout(&[(4, true), (4, true)]);
    let values = [singles(count, position), singles(count, speed)];
    let (payload, head_len) = round_trip(&columns, row_bytes, &steady(count), &rows_of(&columns, row_bytes, &values));
    let head = BlockHead::parse(&payload[..head_len], &columns, count, payload.len()).unwrap();
    assert_eq!(head.reference(1), Some(0));
    assert!(head.body_range(1).len() < head.body_range(0).len() / 2, "{}", head.body_range(1).len());
}

#[test]
fn scaled_columns_survive_values_that_cannot_be_scaled() {
    for odd in [f32::NAN, f32::INFINITY, -0.0, 1e-40, 3e38, 1e-37, f32::from_bits(0x7f80_0001)] {
        for count in [24, 64, 257, 1024] {
            let base = |row: usize| (row as f32 * 0.013).sin() * 40.0;
            let odd_at = |row: usize, value: f32, step: usize| if row % step == step - 1 { odd } else { value };
            let (columns, row_bytes) = layout(&[(4, true), (4, true), (4, true)]);
            let values = [
                singles(count, |row| odd_at(row, base(row), 33)),
                singles(count, |row| base(row) * 3.6),
                singles(count, |row| odd_at(row, base(row) * 0.5, 57)),
            ];
            round_trip(&columns, row_bytes, &steady(count), &rows_of(&columns, row_bytes, &values));
        }
    }
}

#[test]
fn zero_columns_cost_almost_nothing() {
    let (columns, row_bytes) = layout(&[(4, true); 2200]);
    let rows = vec![0; row_bytes * 100];
    let (payload, _) = round_trip(&columns, row_bytes, &steady(100), &rows);
    assert!(payload.len() < 64, "{}", payload.len());
}

#[test]
fn more_columns_than_two_bytes_can_number() {
    let count = 5;
    let (columns, row_bytes) = layout(&[(4, true); 81_205]);
    let mut rows = vec![0; row_bytes * count];
    for (index, row) in rows.chunks_exact_mut(row_bytes).enumerate() {
        for at in [0, 4 * 70_000, 4 * 70_001, 4 * 81_204] {
            row[at] = index as u8;
        }
        row[4 * 75_000] = 9;
    }
    let (payload, _) = round_trip(&columns, row_bytes, &steady(count), &rows);
    assert!(payload.len() < 200, "{}", payload.len());
}

#[test]
fn integers_of_any_count_come_back() {
    let mut noise = Noise(9);
    for count in [0, 1, 2, 11, 12, 100, 1024, 5000] {
        let jitter: Vec<u64> = (0..count as u64).map(|i| i * 16_666_667 + noise.next() % 1000).collect();
        let random: Vec<u64> = (0..count).map(|_| noise.next()).collect();
        for values in [jitter, random, vec![u64::MAX; count], vec![0; count]] {
            let mut bytes = Vec::new();
            encode_integers(&values, &mut bytes);
            let mut decoded = vec![1, 2];
            decode_integers(&bytes, count, &mut decoded).unwrap();
            assert_eq!(decoded[2..], values);
        }
    }
}

#[test]
fn an_encoder_used_again_gives_the_same_bytes() {
    let (columns, row_bytes) = layout(&[(4, true), (8, false), (1, false), (4, true)]);
    let mut noise = Noise(77);
    let block = |count: usize, noise: &mut Noise| -> Vec<u8> {
        (0..count * row_bytes).map(|_| noise.next() as u8 & 3).collect()
    };
    let (large, small) = (block(1024, &mut noise), block(40, &mut noise));
    let mut encoder = BlockEncoder::new();
    let mut again = Vec::new();
    encoder.encode(&columns, row_bytes, &steady(1024), &large, &mut Vec::new()).unwrap();
    encoder.encode(&columns, row_bytes, &steady(40), &small, &mut again).unwrap();
    assert_eq!(again, round_trip(&columns, row_bytes, &steady(40), &small).0);
}

#[test]
fn shapes_and_columns_that_are_not_allowed_are_refused() {
    let (columns, row_bytes) = layout(&[(4, true), (4, true)]);
    let mut encoder = BlockEncoder::new();
    let mut encode = |columns: &[Column], times: &[u64], rows: usize| {
        encoder.encode(columns, row_bytes, times, &vec![0; rows], &mut Vec::new())
    };
    assert!(matches!(encode(&columns, &[], 0), Err(ColumnError::BadShape { .. })));
    assert!(matches!(encode(&columns, &steady(1025), 8 * 1025), Err(ColumnError::BadShape { .. })));
    assert!(matches!(encode(&columns, &[0], 7), Err(ColumnError::WrongLength { .. })));
    assert!(matches!(encode(&columns, &[1], 8), Err(ColumnError::Damaged { .. })));
    assert!(matches!(encode(&columns, &[0, 2, 1], 24), Err(ColumnError::Damaged { .. })));
    assert!(matches!(encode(&columns[..1], &[0], 8), Err(ColumnError::BadColumns { column: 1, .. })));
    let gap = [columns[0], Column { offset: 5, width: 4, float: false }];
    assert!(matches!(encode(&gap, &[0], 8), Err(ColumnError::BadColumns { column: 1, .. })));
}

#[test]
fn copies_and_references_reach_over_waves_of_columns() {
    let count = 1024;
    let mut noise = Noise(5);
    let walk = singles(count, |i| 40.0 + (i as f32 * 0.013).sin() * 17.0);
    let mut values: Vec<Vec<u64>> = vec![walk.clone()];
    for column in 1..1300 {
        values.push(
            (0..count).map(|_| if column % 100 == 7 { column as u64 } else { noise.next() & 0xFFFF_FFFF }).collect(),
        );
    }
    values.push(walk.clone());
    values.push(walk.iter().map(|bits| u64::from((f32::from_bits(*bits as u32) * 3.6).to_bits())).collect());
    values.push(vec![77; count]);
    let kinds: Vec<(u8, bool)> = values.iter().map(|_| (4, true)).collect();
    let (columns, row_bytes) = layout(&kinds);
    let rows = rows_of(&columns, row_bytes, &values);
    round_trip(&columns, row_bytes, &steady(count), &rows);
}
