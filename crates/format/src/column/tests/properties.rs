use super::*;
use proptest::prelude::*;

fn widths() -> impl Strategy<Value = (u8, bool)> {
    (prop_oneof![Just(1u8), Just(2), Just(4), Just(8)], any::<bool>())
}

/// Values of one column: noise, steps, walks, grids and values from a small set.
fn values(count: usize, kind: u8, seed: u64) -> Vec<u64> {
    let mut noise = Noise(seed | 1);
    let mut last = 0u64;
    (0..count)
        .map(|row| {
            let random = noise.next();
            last = match kind % 7 {
                0 => random,
                1 if random.is_multiple_of(20) => random >> 40,
                1 => last,
                2 => last.wrapping_add(random % 9).wrapping_sub(4),
                3 => u64::from((((random % 4000) as f32 - 2000.0) / 64.0).to_bits()),
                4 => ((row as f64 * 0.01).sin() * seed as f64).to_bits(),
                5 => u64::from(((row as f32 * 0.02).sin() * (seed % 999) as f32).to_bits()),
                _ => [seed, 0, u64::MAX, 1 << 31][random as usize % 4],
            };
            last
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_block_comes_back(
        kinds in prop::collection::vec((widths(), any::<u8>(), any::<u64>()), 1..8),
        count in prop_oneof![1usize..40, 1usize..=1024],
        gaps in any::<u64>(),
    ) {
        let (columns, row_bytes) = layout(&kinds.iter().map(|kind| kind.0).collect::<Vec<_>>());
        let all: Vec<_> = kinds.iter().map(|&(_, kind, seed)| values(count, kind, seed)).collect();
        let mut noise = Noise(gaps | 1);
        let mut time = 0;
        let times: Vec<u64> = (0..count).map(|row| {
            time += if row == 0 { 0 } else { noise.next() % (1 << (gaps % 40)) };
            time
        }).collect();
        round_trip(&columns, row_bytes, &times, &rows_of(&columns, row_bytes, &all));
    }

    #[test]
    fn any_integers_come_back(values in prop::collection::vec(any::<u64>(), 0..300), shift in 0u32..64) {
        let values: Vec<u64> = values.iter().map(|value| value >> shift).collect();
        let mut bytes = Vec::new();
        encode_integers(&values, &mut bytes);
        let mut decoded = Vec::new();
        decode_integers(&bytes, values.len(), &mut decoded).unwrap();
        prop_assert_eq!(decoded, values);
    }

    #[test]
    fn arbitrary_bytes_never_panic(data in prop::collection::vec(any::<u8>(), 0..600)) {
        fuzz_block(&data);
        fuzz_integers(&data);
    }
}
