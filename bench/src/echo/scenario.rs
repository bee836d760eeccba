//! The published size comparison of the format: exact numbers of bytes.

use prost::Message as _;
use telemetry_v2::Record;
use telemetry_v2::proto::telemetry::v2::envelope::Message;

use super::PART_SCENARIO as PART;
use crate::laps::figures::Figure;

#[allow(dead_code, missing_docs, unreachable_pub, reason = "written for the tests of its crate, which use all of it")]
#[path = "../../../crates/telemetry-v2/tests/it/scenario.rs"]
mod published;

use published::{WithBones, v1_frame, v2_frame};

/// Players, bytes of version 1, bytes of version 2 with its envelope.
const EXPECTED: [(u16, f64, f64); 2] = [(2, 1267.0, 332.0), (10, 5109.0, 1362.0)];

/// Encodes the scenarios.
pub(super) fn measure() -> Vec<Figure> {
    let figures = |(players, first, second): (u16, f64, f64)| {
        let frame = Record::from_message(Message::Frame(v2_frame(players, WithBones::No)));
        let of =
            |what: &str, bytes: usize| Figure::new(PART, format!("{players} players, {what}"), bytes as f64, "bytes");
        [
            of("version 1", v1_frame(players, WithBones::No).encoded_len()).exactly(first),
            of("version 2, envelope", frame.bytes().len()).exactly(second),
        ]
    };
    EXPECTED.into_iter().flat_map(figures).collect()
}
