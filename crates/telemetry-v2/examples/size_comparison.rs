//! Prints how many bytes a frame takes in version 1 and in version 2: `cargo run -p telemetry-v2 --example size_comparison`.
#![allow(missing_docs, unreachable_pub, clippy::print_stdout)]

#[path = "../tests/it/scenario.rs"]
mod scenario;

use prost::Message as _;
use scenario::{WithBones, v1_frame, v2_frame, v2_header};
use telemetry_v2::Record;
use telemetry_v2::proto::telemetry::v2::envelope::Message;

/// The display rate of the headsets.
const FRAMES_PER_SECOND: u32 = 60;

fn v2_bytes(players: u16, bones: WithBones) -> usize {
    Record::from_message(Message::Frame(v2_frame(players, bones))).bytes().len()
}

fn percent_less(v1: usize, v2: usize) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    return 100.0 * (1.0 - v2 as f64 / v1 as f64);
}

fn per_second(bytes: usize) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    return bytes as f64 * f64::from(FRAMES_PER_SECOND) / 1024.0;
}

fn main() {
    println!("| Scenario | V1 (bytes) | V2 (bytes) | Reduction |");
    println!("|----------|-----------:|-----------:|----------:|");
    for players in [2, 10] {
        let (v1, v2) = (v1_frame(players, WithBones::No).encoded_len(), v2_bytes(players, WithBones::No));
        println!("| {players} players per frame | {v1} | {v2} | {:.1} % |", percent_less(v1, v2));
    }
    let (v1, v2) = (v1_frame(10, WithBones::No).encoded_len(), v2_bytes(10, WithBones::No));
    let rates = (per_second(v1), per_second(v2));
    println!("| 60 FPS, 10 players | {:.1} KiB/s | {:.1} KiB/s | {:.1} % |", rates.0, rates.1, percent_less(v1, v2));
    for players in [2, 10] {
        let (v1, v2) = (v1_frame(players, WithBones::TwentyTwo).encoded_len(), v2_bytes(players, WithBones::TwentyTwo));
        println!("| {players} players with 22 bones | {v1} | {v2} | {:.1} % |", percent_less(v1, v2));
    }
    println!();
    println!("Header: {} bytes, once.", Record::from_message(Message::Header(v2_header())).bytes().len());
    println!("V2 includes the envelope; the length prefix adds two bytes to each record.");
    println!("The scenario favours V2: identity rotations omit three of their four numbers.");
}
