//! Structs and channel tables agree: each channel is written by its table, read by the struct, and printed by the
//! struct's `Debug`, whose field names must match those of the table.
#![allow(clippy::unwrap_used)]
use std::fmt::Debug;

use gametape_games::{Channel, Frame, Kind, Layout, Utf16, ac, acc, ace, acr};
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes};

/// Distinct values for each element of a channel: as bytes, and as `Debug` prints them.
fn values(channel: &Channel, number: &mut u32) -> Vec<(Vec<u8>, String)> {
    if channel.kind == Kind::Char16 {
        *number += 1;
        let text = format!("t{number}");
        let mut bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        bytes.resize(channel.bytes() as usize, 0);
        return vec![(bytes, text)];
    }
    if channel.kind == Kind::Char {
        *number += 1;
        let text = format!("t{number}");
        let mut bytes = text.clone().into_bytes();
        bytes.resize(channel.bytes() as usize, 0);
        return vec![(bytes, text)];
    }
    let mut value = || {
        *number += 1;
        match channel.kind {
            Kind::I32 | Kind::U32 => (number.to_le_bytes().to_vec(), number.to_string()),
            Kind::I16 | Kind::U16 => (number.to_le_bytes()[..2].to_vec(), number.to_string()),
            Kind::U64 => (u64::from(*number).to_le_bytes().to_vec(), number.to_string()),
            // Small, and never 0.
            Kind::I8 | Kind::U8 | Kind::Bool => {
                let value = (*number % 127 + 1) as u8;
                (vec![value], value.to_string())
            }
            Kind::F32 => {
                let value = f64::from(*number) as f32 + 0.5;
                (value.to_le_bytes().to_vec(), value.to_string())
            }
            kind => unreachable!("{kind:?}"),
        }
    };
    (0..channel.count).map(|_| value()).collect()
}

const STRUCTS: [&str; 13] = [
    "Physics",
    "Graphics",
    "GraphicsHead",
    "Static",
    "Tyre",
    "CarDamage",
    "PitInfo",
    "Instruments",
    "Electronics",
    "SessionState",
    "TimingState",
    "Assists",
    "U64",
];

/// Normalizes spelling: `carID` equals `car_id`, `P2PStatus` equals `p2p_status`.
fn plain(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

#[track_caller]
fn assert_same<F: Frame + Debug + IntoBytes>(layout: &Layout) {
    let mut bytes = vec![0; size_of::<F>()];
    let (mut number, mut expected, mut structure) = (0, Vec::new(), "");
    for channel in layout.channels() {
        let (of, name) = channel.name.split_once('.').unwrap_or(("", &channel.name));
        if of != structure && !of.is_empty() {
            expected.push(plain(of));
        }
        structure = of;
        expected.push(plain(name));
        let mut at = channel.offset as usize;
        for (value, printed) in values(channel, &mut number) {
            bytes[at..at + value.len()].copy_from_slice(&value);
            at += value.len();
            expected.push(printed);
        }
    }
    let page = F::read_from_bytes(&bytes).unwrap();
    assert_eq!(page.as_bytes(), bytes);

    let printed = format!("{page:?}");
    let words = printed.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).filter(|word| !word.is_empty());
    let mut actual = Vec::new();
    let mut padding = size_of::<F>() as u64 - layout.channels().iter().map(Channel::bytes).sum::<u64>();
    for word in words {
        // Skip the zeros of a padding field; no value is 0. Names of structs and of the nested head are not fields.
        if word.strip_prefix("pad_").is_some_and(|offset| offset.parse::<u32>().is_ok()) {
            continue;
        } else if word == "0" {
            padding -= 1;
        } else if word != "head" && !STRUCTS.contains(&word) {
            actual.push(if word.contains('.') { word.to_owned() } else { plain(word) });
        }
    }
    assert_eq!(padding, 0);
    assert_eq!(actual, expected);
    let stream = F::stream();
    assert_eq!(stream.stream.layout_of(size_of::<F>() as u32), Some(stream.stream.layouts()[0]));
    assert_eq!(layout, stream.stream.layouts()[0]);
}

#[test]
fn every_field_of_a_struct_is_where_the_table_says() {
    assert_same::<acc::Physics>(&acc::PHYSICS_800);
    assert_same::<acc::Graphics>(&acc::GRAPHICS_1588);
    assert_same::<acc::Static>(&acc::STATIC_820);
    assert_same::<ac::Physics>(&ac::PHYSICS_580);
    assert_same::<ac::Graphics>(&ac::GRAPHICS_296);
    assert_same::<ac::Static>(&ac::STATIC_684);
    assert_same::<ace::Physics>(&ace::PHYSICS_800);
    assert_same::<ace::Graphics>(&ace::GRAPHICS_4900);
    assert_same::<ace::Static>(&ace::STATIC_208);
    assert_same::<acr::Physics>(&acr::PHYSICS_800);
    assert_same::<acr::Graphics>(&acr::GRAPHICS_1588);
    assert_same::<acr::Static>(&acr::STATIC_820);
}

#[test]
fn fields_that_both_games_have_read_like_own_ones() {
    let mut physics = acc::Physics::new_zeroed();
    physics.speed_kmh = 251.5;
    physics.tyre_core_temperature = [80.0, 81.0, 82.0, 83.0];
    physics.water_temp = 95.0;
    assert_eq!(physics.as_bytes()[28..32], 251.5_f32.to_le_bytes());
    assert_eq!(physics.as_bytes()[160..164], 82.0_f32.to_le_bytes());
    assert_eq!(physics.as_bytes()[712..716], 95.0_f32.to_le_bytes());

    let mut page = acc::Static::new_zeroed();
    page.track = Utf16::new("Spa");
    assert_eq!(page.track.to_string(), "Spa");
    let (same, _rest) = ac::Static::read_from_prefix(page.as_bytes()).unwrap();
    assert_eq!(same.track.to_string(), "Spa");
}

#[test]
fn typed_streams_name_game_and_stream() {
    let names = |stream: &dyn Debug| format!("{stream:?}");
    assert_eq!(names(&acc::physics()), "assetto-corsa-competizione physics");
    assert_eq!(names(&acc::graphics()), "assetto-corsa-competizione graphics");
    assert_eq!(names(&acc::static_page()), "assetto-corsa-competizione static");
    assert_eq!(names(&ac::physics()), "assetto-corsa physics");
    assert_eq!(names(&ac::graphics()), "assetto-corsa graphics");
    assert_eq!(names(&ac::static_page()), "assetto-corsa static");
    assert_eq!(names(&ace::physics()), "assetto-corsa-evo physics");
    assert_eq!(names(&ace::graphics()), "assetto-corsa-evo graphics");
    assert_eq!(names(&ace::static_page()), "assetto-corsa-evo static");
    assert_eq!(names(&acr::physics()), "assetto-corsa-rally physics");
    assert_eq!(names(&acr::graphics()), "assetto-corsa-rally graphics");
    assert_eq!(names(&acr::static_page()), "assetto-corsa-rally static");
    fn sends<T: Send + Sync + Copy + Immutable>() {}
    sends::<acc::Physics>();
}
