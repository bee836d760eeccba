//! Generates Rust code from `.proto` files: protox parses them, prost-build writes the code. Needs no system `protoc`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use prost_reflect::{Cardinality, DescriptorPool, FieldDescriptor, Kind, MessageDescriptor};

/// The `.proto` files, by the names under which they import each other.
pub const FILES: [&str; 6] = [
    "engine/v1/http.proto",
    "spatial/v1/types.proto",
    "telemetry/v1/telemetry.proto",
    "telemetry/v2/capture.proto",
    "telemetry/v2/echo_arena.proto",
    "telemetry/v2/gametape.proto",
];

/// Messages whose Rust type is written by hand, with the reason.
const BY_HAND: [(&str, &str); 6] = [
    // A single well-known type does not justify a dependency.
    (".google.protobuf.Timestamp", "crate::Timestamp"),
    // prost would write −0.0 as 0.
    (".spatial.v1.Quat", "crate::Quat"),
    (".spatial.v1.Vec3", "crate::Vec3"),
    // Field 5 is a float in the first generation and a string later: prost would reject one of them.
    (".telemetry.v2.ScoreboardUpdated", "crate::ScoreboardUpdated"),
    // Field 1 is a string in the first generation and an enum later.
    (".telemetry.v2.EventIndexEntry", "crate::EventIndexEntry"),
    // Fields 101 and 102 are strings in the fourth generation and numbers later.
    (".telemetry.v2.CaptureHeader", "crate::CaptureHeader"),
];

/// Fields that are strings in one generation and numbers in another. Their messages are written by hand and read both.
const TEXT_OR_NUMBER: [(&str, u32, &str); 4] = [
    ("telemetry.v2.CaptureHeader", 101, "Shape::TextOrVarint"),
    ("telemetry.v2.CaptureHeader", 102, "Shape::TextOrVarint"),
    ("telemetry.v2.EventIndexEntry", 1, "Shape::TextOrVarint"),
    ("telemetry.v2.ScoreboardUpdated", 5, "Shape::TextOrFixed32"),
];

/// The records of files: the table of fields covers what they contain.
const RECORDS: [&str; 3] =
    ["telemetry.v1.LobbySessionStateFrame", "telemetry.v1.TelemetryHeader", "telemetry.v2.Envelope"];

fn crate_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The directory of the generated code in the crate.
pub fn generated_dir() -> PathBuf {
    crate_dir().join("src").join("generated")
}

/// The compiled `.proto` files.
pub fn descriptors() -> DescriptorPool {
    let set = protox::compile(FILES, [crate_dir().join("proto")]).unwrap_or_else(|error| panic!("{error:?}"));
    DescriptorPool::from_file_descriptor_set(set).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the name and text of each generated file.
pub fn generate() -> BTreeMap<String, String> {
    let set = protox::compile(FILES, [crate_dir().join("proto")]).unwrap_or_else(|error| panic!("{error:?}"));
    let out = std::env::temp_dir().join(format!("telemetry-v2-codegen-{}", std::process::id()));
    std::fs::create_dir_all(&out).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
    let mut config = prost_build::Config::new();
    // Bones share the memory of their record; maps are always written in the same order.
    config.bytes(["."]).btree_map(["."]).out_dir(&out);
    for (message, path) in BY_HAND {
        config.extern_path(message, path);
    }
    config.compile_fds(set).unwrap_or_else(|error| panic!("{error}"));
    let files = ["engine.v1.rs", "spatial.v1.rs", "telemetry.v1.rs", "telemetry.v2.rs"];
    let texts = files.map(|name| {
        let text = std::fs::read_to_string(out.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name.to_owned(), text)
    });
    let _ = std::fs::remove_dir_all(&out);
    let mut texts = BTreeMap::from(texts);
    texts.insert("sources.txt".to_owned(), sources());
    texts.insert("schema.rs".to_owned(), schema());
    texts
}

/// Returns the fields of all messages that occur in records, with their wire representation: for `fit.rs`.
fn schema() -> String {
    let pool = descriptors();
    let mut messages: BTreeMap<String, MessageDescriptor> = BTreeMap::new();
    let mut waiting: Vec<_> = RECORDS.iter().filter_map(|name| pool.get_message_by_name(name)).collect();
    assert_eq!(waiting.len(), RECORDS.len());
    while let Some(message) = waiting.pop() {
        if messages.insert(message.full_name().to_owned(), message.clone()).is_none() {
            waiting.extend(message.fields().filter_map(|field| field.kind().as_message().cloned()));
        }
    }
    let places: BTreeMap<&str, usize> = messages.keys().map(String::as_str).zip(0..).collect();
    let mut text = String::from("// Made by codegen from the .proto files.\n");
    for (name, place) in RECORDS.iter().filter_map(|name| Some((name, places.get(name)?))) {
        let constant: String = name.chars().map(|c| if c == '.' { '_' } else { c.to_ascii_uppercase() }).collect();
        text += &format!("pub(crate) const {constant}: usize = {place};\n");
    }
    text += "pub(crate) const MESSAGES: &[Message] = &[\n";
    for (name, message) in &messages {
        text += &format!("    Message {{\n        name: {name:?},\n        fields: &[\n");
        let mut fields: Vec<_> = message.fields().collect();
        fields.sort_by_key(FieldDescriptor::number);
        for field in fields {
            text += &format!("            ({}, {:?}, {}),\n", field.number(), field.name(), shape(name, &field, &places));
        }
        text += "        ],\n    },\n";
    }
    text + "];\n"
}

/// The wire representation of a field, as an expression of type `fit::Shape`.
fn shape(message: &str, field: &FieldDescriptor, places: &BTreeMap<&str, usize>) -> String {
    let both = TEXT_OR_NUMBER.iter().find(|(of, number, _)| (*of, *number) == (message, field.number()));
    if let Some((.., shape)) = both {
        return (*shape).to_owned();
    }
    let one = match field.kind() {
        Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => "Shape::Fixed64",
        Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => "Shape::Fixed32",
        Kind::String => "Shape::Text",
        Kind::Bytes => "Shape::Bytes",
        Kind::Message(inner) => return format!("Shape::Message({})", places[inner.full_name()]),
        _ => "Shape::Varint",
    };
    let numbers = !matches!(field.kind(), Kind::String | Kind::Bytes);
    if field.cardinality() == Cardinality::Repeated && numbers { format!("{one}s") } else { one.to_owned() }
}

/// A hash of each `.proto` file, so that a test of the crate detects stale code without regenerating it.
fn sources() -> String {
    let hash = |name: &&str| {
        let bytes = std::fs::read(crate_dir().join("proto").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        // FNV-1a.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        format!("{name} {:016x}\n", bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step))
    };
    FILES.iter().map(hash).collect()
}
