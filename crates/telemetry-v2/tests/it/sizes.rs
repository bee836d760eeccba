//! The published sizes, to the byte.

use prost::Message as _;
use telemetry_v2::Record;
use telemetry_v2::proto::telemetry::v2::envelope::Message;

use super::scenario::{WithBones, v1_frame, v2_frame, v2_header};

#[test]
fn frames_of_the_published_comparison_have_the_published_sizes() {
    for (players, bones, v1, v2) in [
        (2, WithBones::No, 1267, 332),
        (10, WithBones::No, 5109, 1362),
        (2, WithBones::TwentyTwo, 2522, 1584),
        (10, WithBones::TwentyTwo, 11_380, 7630),
    ] {
        assert_eq!(v1_frame(players, bones).encoded_len(), v1, "{players} players, version 1");
        let envelope = Record::from_message(Message::Frame(v2_frame(players, bones)));
        assert_eq!(envelope.bytes().len(), v2, "{players} players, version 2");
    }
    assert_eq!(Record::from_message(Message::Header(v2_header())).bytes().len(), 141);
}

#[test]
fn an_envelope_is_three_bytes_more_than_its_frame() {
    assert_eq!(v2_frame(2, WithBones::No).encoded_len(), 329);
    assert_eq!(v2_frame(10, WithBones::No).encoded_len(), 1359);
}
