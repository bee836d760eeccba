//! Fills every message at random from its descriptor: decoding and re-encoding it with the crate gives the same message.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use prost::Message;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value};
use telemetry_v2::proto;

type RoundTrip = fn(&[u8]) -> Result<Vec<u8>, prost::DecodeError>;

fn round_trip<M: Message + Default>(bytes: &[u8]) -> Result<Vec<u8>, prost::DecodeError> {
    let message = M::decode(bytes)?;
    assert_eq!(message.encoded_len(), message.encode_to_vec().len());
    Ok(message.encode_to_vec())
}

/// Every message of the schemas and its Rust type.
const MESSAGES: [(&str, RoundTrip); 96] = [
    ("engine.v1.BodyPart", round_trip::<proto::engine::v1::BodyPart>),
    ("engine.v1.Disc", round_trip::<proto::engine::v1::Disc>),
    ("engine.v1.HandPart", round_trip::<proto::engine::v1::HandPart>),
    ("engine.v1.LastScore", round_trip::<proto::engine::v1::LastScore>),
    ("engine.v1.LastThrowInfo", round_trip::<proto::engine::v1::LastThrowInfo>),
    ("engine.v1.PauseState", round_trip::<proto::engine::v1::PauseState>),
    ("engine.v1.PlayerBonesResponse", round_trip::<proto::engine::v1::PlayerBonesResponse>),
    ("engine.v1.PlayerRoot", round_trip::<proto::engine::v1::PlayerRoot>),
    ("engine.v1.PlayerStats", round_trip::<proto::engine::v1::PlayerStats>),
    ("engine.v1.SessionResponse", round_trip::<proto::engine::v1::SessionResponse>),
    ("engine.v1.Team", round_trip::<proto::engine::v1::Team>),
    ("engine.v1.TeamMember", round_trip::<proto::engine::v1::TeamMember>),
    ("engine.v1.TeamStats", round_trip::<proto::engine::v1::TeamStats>),
    ("engine.v1.UserBones", round_trip::<proto::engine::v1::UserBones>),
    ("spatial.v1.Pose", round_trip::<proto::spatial::v1::Pose>),
    ("spatial.v1.Quat", round_trip::<proto::spatial::v1::Quat>),
    ("spatial.v1.Vec3", round_trip::<proto::spatial::v1::Vec3>),
    ("telemetry.v1.DiscCaught", round_trip::<proto::telemetry::v1::DiscCaught>),
    ("telemetry.v1.DiscPossessionChanged", round_trip::<proto::telemetry::v1::DiscPossessionChanged>),
    ("telemetry.v1.DiscThrown", round_trip::<proto::telemetry::v1::DiscThrown>),
    ("telemetry.v1.EmotePlayed", round_trip::<proto::telemetry::v1::EmotePlayed>),
    ("telemetry.v1.Envelope", round_trip::<proto::telemetry::v1::Envelope>),
    ("telemetry.v1.GenericEvent", round_trip::<proto::telemetry::v1::GenericEvent>),
    ("telemetry.v1.GoalScored", round_trip::<proto::telemetry::v1::GoalScored>),
    ("telemetry.v1.LobbySessionEvent", round_trip::<proto::telemetry::v1::LobbySessionEvent>),
    ("telemetry.v1.LobbySessionStateFrame", round_trip::<proto::telemetry::v1::LobbySessionStateFrame>),
    ("telemetry.v1.MatchEnded", round_trip::<proto::telemetry::v1::MatchEnded>),
    ("telemetry.v1.PlayerAssist", round_trip::<proto::telemetry::v1::PlayerAssist>),
    ("telemetry.v1.PlayerBlock", round_trip::<proto::telemetry::v1::PlayerBlock>),
    ("telemetry.v1.PlayerGoal", round_trip::<proto::telemetry::v1::PlayerGoal>),
    ("telemetry.v1.PlayerInterception", round_trip::<proto::telemetry::v1::PlayerInterception>),
    ("telemetry.v1.PlayerJoined", round_trip::<proto::telemetry::v1::PlayerJoined>),
    ("telemetry.v1.PlayerLeft", round_trip::<proto::telemetry::v1::PlayerLeft>),
    ("telemetry.v1.PlayerPass", round_trip::<proto::telemetry::v1::PlayerPass>),
    ("telemetry.v1.PlayerSave", round_trip::<proto::telemetry::v1::PlayerSave>),
    ("telemetry.v1.PlayerShotTaken", round_trip::<proto::telemetry::v1::PlayerShotTaken>),
    ("telemetry.v1.PlayerSteal", round_trip::<proto::telemetry::v1::PlayerSteal>),
    ("telemetry.v1.PlayerStun", round_trip::<proto::telemetry::v1::PlayerStun>),
    ("telemetry.v1.PlayerSwitchedTeam", round_trip::<proto::telemetry::v1::PlayerSwitchedTeam>),
    ("telemetry.v1.RoundEnded", round_trip::<proto::telemetry::v1::RoundEnded>),
    ("telemetry.v1.RoundPaused", round_trip::<proto::telemetry::v1::RoundPaused>),
    ("telemetry.v1.RoundStarted", round_trip::<proto::telemetry::v1::RoundStarted>),
    ("telemetry.v1.RoundUnpaused", round_trip::<proto::telemetry::v1::RoundUnpaused>),
    ("telemetry.v1.ScoreboardUpdated", round_trip::<proto::telemetry::v1::ScoreboardUpdated>),
    ("telemetry.v1.TelemetryHeader", round_trip::<proto::telemetry::v1::TelemetryHeader>),
    ("telemetry.v2.CaptureFooter", round_trip::<proto::telemetry::v2::CaptureFooter>),
    ("telemetry.v2.CaptureHeader", round_trip::<proto::telemetry::v2::CaptureHeader>),
    ("telemetry.v2.DiscCaught", round_trip::<proto::telemetry::v2::DiscCaught>),
    ("telemetry.v2.DiscPossessionChanged", round_trip::<proto::telemetry::v2::DiscPossessionChanged>),
    ("telemetry.v2.DiscState", round_trip::<proto::telemetry::v2::DiscState>),
    ("telemetry.v2.DiscThrown", round_trip::<proto::telemetry::v2::DiscThrown>),
    ("telemetry.v2.EchoArenaFrame", round_trip::<proto::telemetry::v2::EchoArenaFrame>),
    ("telemetry.v2.EchoArenaHeader", round_trip::<proto::telemetry::v2::EchoArenaHeader>),
    ("telemetry.v2.EchoArenaState", round_trip::<proto::telemetry::v2::EchoArenaState>),
    ("telemetry.v2.EchoEvent", round_trip::<proto::telemetry::v2::EchoEvent>),
    ("telemetry.v2.EmotePlayed", round_trip::<proto::telemetry::v2::EmotePlayed>),
    ("telemetry.v2.Envelope", round_trip::<proto::telemetry::v2::Envelope>),
    ("telemetry.v2.EventIndexEntry", round_trip::<telemetry_v2::EventIndexEntry>),
    ("telemetry.v2.Frame", round_trip::<proto::telemetry::v2::Frame>),
    ("telemetry.v2.GenericEvent", round_trip::<proto::telemetry::v2::GenericEvent>),
    ("telemetry.v2.GoalScored", round_trip::<proto::telemetry::v2::GoalScored>),
    ("telemetry.v2.GrabChanged", round_trip::<proto::telemetry::v2::GrabChanged>),
    ("telemetry.v2.KeyframeEntry", round_trip::<proto::telemetry::v2::KeyframeEntry>),
    ("telemetry.v2.LoadoutChanged", round_trip::<proto::telemetry::v2::LoadoutChanged>),
    ("telemetry.v2.Mark", round_trip::<proto::telemetry::v2::Mark>),
    ("telemetry.v2.MatchEnded", round_trip::<proto::telemetry::v2::MatchEnded>),
    ("telemetry.v2.PauseDetail", round_trip::<proto::telemetry::v2::PauseDetail>),
    ("telemetry.v2.PayloadState", round_trip::<proto::telemetry::v2::PayloadState>),
    ("telemetry.v2.PlayerAssist", round_trip::<proto::telemetry::v2::PlayerAssist>),
    ("telemetry.v2.PlayerBlock", round_trip::<proto::telemetry::v2::PlayerBlock>),
    ("telemetry.v2.PlayerBones", round_trip::<proto::telemetry::v2::PlayerBones>),
    ("telemetry.v2.PlayerFullState", round_trip::<proto::telemetry::v2::PlayerFullState>),
    ("telemetry.v2.PlayerGoal", round_trip::<proto::telemetry::v2::PlayerGoal>),
    ("telemetry.v2.PlayerInfo", round_trip::<proto::telemetry::v2::PlayerInfo>),
    ("telemetry.v2.PlayerInfoUpdated", round_trip::<proto::telemetry::v2::PlayerInfoUpdated>),
    ("telemetry.v2.PlayerInterception", round_trip::<proto::telemetry::v2::PlayerInterception>),
    ("telemetry.v2.PlayerJoined", round_trip::<proto::telemetry::v2::PlayerJoined>),
    ("telemetry.v2.PlayerLeft", round_trip::<proto::telemetry::v2::PlayerLeft>),
    ("telemetry.v2.PlayerPass", round_trip::<proto::telemetry::v2::PlayerPass>),
    ("telemetry.v2.PlayerSave", round_trip::<proto::telemetry::v2::PlayerSave>),
    ("telemetry.v2.PlayerShotTaken", round_trip::<proto::telemetry::v2::PlayerShotTaken>),
    ("telemetry.v2.PlayerState", round_trip::<proto::telemetry::v2::PlayerState>),
    ("telemetry.v2.PlayerStatsUpdated", round_trip::<proto::telemetry::v2::PlayerStatsUpdated>),
    ("telemetry.v2.PlayerSteal", round_trip::<proto::telemetry::v2::PlayerSteal>),
    ("telemetry.v2.PlayerStun", round_trip::<proto::telemetry::v2::PlayerStun>),
    ("telemetry.v2.PlayerSwitchedTeam", round_trip::<proto::telemetry::v2::PlayerSwitchedTeam>),
    ("telemetry.v2.RawFrame", round_trip::<proto::telemetry::v2::RawFrame>),
    ("telemetry.v2.RawHeader", round_trip::<proto::telemetry::v2::RawHeader>),
    ("telemetry.v2.RawStream", round_trip::<proto::telemetry::v2::RawStream>),
    ("telemetry.v2.RoundEnded", round_trip::<proto::telemetry::v2::RoundEnded>),
    ("telemetry.v2.RoundPaused", round_trip::<proto::telemetry::v2::RoundPaused>),
    ("telemetry.v2.RoundStarted", round_trip::<proto::telemetry::v2::RoundStarted>),
    ("telemetry.v2.RoundUnpaused", round_trip::<proto::telemetry::v2::RoundUnpaused>),
    ("telemetry.v2.ScoreboardUpdated", round_trip::<telemetry_v2::ScoreboardUpdated>),
    ("telemetry.v2.SkeletonLayout", round_trip::<proto::telemetry::v2::SkeletonLayout>),
    ("telemetry.v2.ThrowDetails", round_trip::<proto::telemetry::v2::ThrowDetails>),
];

/// Numbers to fill a message with.
struct Chance(Vec<u64>, usize);

impl Chance {
    fn next(&mut self) -> u64 {
        self.1 += 1;
        let drawn = self.0.get(self.1 % self.0.len()).copied().unwrap_or(0);
        drawn.rotate_left((self.1 / self.0.len()) as u32 % 64) ^ (self.1 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

fn single(field: &FieldDescriptor, chance: &mut Chance, depth: usize) -> Value {
    let drawn = chance.next();
    match field.kind() {
        Kind::Double => Value::F64(f64::from(drawn as u32) / 7.0 - 1000.0),
        Kind::Float => Value::F32(drawn as u16 as f32 / 7.0 - 1000.0),
        Kind::Int32 => Value::I32(drawn as i32 >> (drawn >> 59)),
        Kind::Int64 => Value::I64(drawn as i64 >> (drawn >> 58)),
        Kind::Uint32 => Value::U32(drawn as u32 >> (drawn >> 59)),
        Kind::Uint64 => Value::U64(drawn >> (drawn >> 58)),
        Kind::Bool => Value::Bool(drawn & 1 == 1),
        // Includes values of later versions.
        Kind::Enum(_) => Value::EnumNumber((drawn % 70) as i32 - 1),
        Kind::String => Value::String("a\u{e9}\u{20ac} ".repeat((drawn % 5) as usize)),
        Kind::Bytes => Value::Bytes(drawn.to_le_bytes()[..(drawn % 9) as usize].to_vec().into()),
        Kind::Message(message) => Value::Message(filled(&message, chance, depth + 1)),
        other => panic!("{other:?} is not in the schemas"),
    }
}

fn filled(descriptor: &MessageDescriptor, chance: &mut Chance, depth: usize) -> DynamicMessage {
    let mut message = DynamicMessage::new(descriptor.clone());
    for field in descriptor.fields() {
        if chance.below(10) < 3 || depth > 6 {
            continue;
        }
        if field.is_map() {
            // No empty strings: those may be written or omitted.
            let entries =
                (0..chance.below(3)).map(|n| (MapKey::String(format!("k{n}")), Value::String("v".to_owned())));
            message.set_field(&field, Value::Map(entries.collect()));
        } else if field.is_list() {
            let values = (0..chance.below(4)).map(|_| single(&field, chance, depth)).collect();
            message.set_field(&field, Value::List(values));
        } else {
            message.set_field(&field, single(&field, chance, depth));
        }
    }
    message
}

#[test]
fn every_message_of_the_schemas_is_in_the_table() {
    let pool = telemetry_v2_codegen::descriptors();
    let described: BTreeSet<_> = pool
        .all_messages()
        .filter(|message| !message.is_map_entry() && !message.full_name().starts_with("google."))
        .map(|message| message.full_name().to_owned())
        .collect();
    assert_eq!(described, MESSAGES.iter().map(|(name, _)| (*name).to_owned()).collect());
}

#[test]
fn every_message_comes_back() {
    let pool = telemetry_v2_codegen::descriptors();
    for (name, round_trip) in MESSAGES {
        let descriptor = pool.get_message_by_name(name).unwrap();
        let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
        let result = runner.run(&proptest::collection::vec(any::<u64>(), 8..64), |drawn| {
            let made = filled(&descriptor, &mut Chance(drawn, 0), 0).encode_to_vec();
            // Once through the wire: an empty list that was set is then absent.
            let message = DynamicMessage::decode(descriptor.clone(), made.as_slice()).unwrap();
            let bytes = round_trip(&made).map_err(|error| TestCaseError::fail(format!("{name}: {error}")))?;
            let back = DynamicMessage::decode(descriptor.clone(), bytes.as_slice()).unwrap();
            prop_assert!(back == message, "{} became {}", message, back);
            prop_assert_eq!(bytes.len(), made.len());
            Ok(())
        });
        result.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
