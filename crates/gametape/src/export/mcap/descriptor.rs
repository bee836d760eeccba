//! Schemas as MCAP wants them: a serialized `FileDescriptorSet`, with all that a message refers to.
//!
//! Messages of tapes are proto2: every field says whether it is there.

use super::wire::Wire;

/// Types of fields, with their numbers in `FieldDescriptorProto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Double = 1,
    Float = 2,
    Uint64 = 4,
    Int64 = 3,
    Int32 = 5,
    Bool = 8,
    Text = 9,
    Message = 11,
    Uint32 = 13,
    Sint32 = 17,
    Sint64 = 18,
}

/// A field of a message.
#[derive(Debug, Clone)]
pub(super) struct FieldSchema<'a> {
    pub(super) name: &'a str,
    pub(super) number: u32,
    pub(super) kind: Type,
    pub(super) is_repeated: bool,
    /// Full name of a message.
    pub(super) message: Option<&'a str>,
}

impl<'a> FieldSchema<'a> {
    pub(super) fn one(name: &'a str, number: u32, kind: Type) -> Self {
        Self { name, number, kind, is_repeated: false, message: None }
    }

    fn of(name: &'a str, number: u32, message: &'a str) -> Self {
        Self { message: Some(message), ..Self::one(name, number, Type::Message) }
    }

    fn wire(&self) -> Wire {
        let mut field = Wire::default();
        field.bytes(1, self.name.as_bytes());
        field.uint(3, self.number.into());
        field.uint(4, if self.is_repeated { 3 } else { 1 });
        field.uint(5, self.kind as u64);
        if let Some(message) = self.message {
            field.bytes(6, format!(".{message}").as_bytes());
        }
        if self.is_repeated && !matches!(self.kind, Type::Text | Type::Message) {
            let mut options = Wire::default();
            options.uint(2, 1);
            field.message(8, &options);
        }
        field
    }
}

/// Returns a `FileDescriptorProto` with one message.
fn file(
    name: &str,
    package: &str,
    imports: &[&str],
    message: &str,
    fields: &[FieldSchema<'_>],
    is_proto3: bool,
) -> Wire {
    let mut schema = Wire::default();
    schema.bytes(1, message.as_bytes());
    for field in fields {
        schema.message(2, &field.wire());
    }
    let mut file = Wire::default();
    file.bytes(1, name.as_bytes());
    file.bytes(2, package.as_bytes());
    for import in imports {
        file.bytes(3, import.as_bytes());
    }
    file.message(4, &schema);
    if is_proto3 {
        file.bytes(12, b"proto3");
    }
    file
}

fn set(files: &[Wire]) -> Vec<u8> {
    let mut set = Wire::default();
    for file in files {
        set.message(1, file);
    }
    set.0
}

/// The package of messages of tapes.
const PACKAGE: &str = "gametape";

/// Returns the full name and the schema of a message of a tape.
pub(super) fn of_tape(message: &str, fields: &[FieldSchema<'_>]) -> (String, Vec<u8>) {
    let schema = set(&[file(&format!("{PACKAGE}/{message}.proto"), PACKAGE, &[], message, fields, false)]);
    (format!("{PACKAGE}.{message}"), schema)
}

const TIMESTAMP: &str = "google/protobuf/timestamp.proto";

fn timestamp() -> Wire {
    let fields = [FieldSchema::one("seconds", 1, Type::Int64), FieldSchema::one("nanos", 2, Type::Int32)];
    file(TIMESTAMP, "google.protobuf", &[], "Timestamp", &fields, true)
}

/// Name of the schema of geographic positions.
pub(super) const LOCATION: &str = "foxglove.LocationFix";

/// Returns the schema of [`LOCATION`], with the fields that are used.
pub(super) fn location() -> Vec<u8> {
    let fields = [
        FieldSchema::of("timestamp", 6, "google.protobuf.Timestamp"),
        FieldSchema::one("frame_id", 7, Type::Text),
        FieldSchema::one("latitude", 1, Type::Double),
        FieldSchema::one("longitude", 2, Type::Double),
        FieldSchema::one("altitude", 3, Type::Double),
    ];
    set(&[timestamp(), file("foxglove/LocationFix.proto", "foxglove", &[TIMESTAMP], "LocationFix", &fields, true)])
}

/// Name of the schema of positions in metres.
pub(super) const POSE: &str = "foxglove.PoseInFrame";

/// Returns the schema of [`POSE`].
pub(super) fn pose() -> Vec<u8> {
    let doubles = |names: &[&'static str]| -> Vec<FieldSchema<'static>> {
        names.iter().zip(1..).map(|(name, number)| FieldSchema::one(name, number, Type::Double)).collect()
    };
    let pose =
        [FieldSchema::of("position", 1, "foxglove.Vector3"), FieldSchema::of("orientation", 2, "foxglove.Quaternion")];
    let in_frame = [
        FieldSchema::of("timestamp", 1, "google.protobuf.Timestamp"),
        FieldSchema::one("frame_id", 2, Type::Text),
        FieldSchema::of("pose", 3, "foxglove.Pose"),
    ];
    let (vector, quaternion) = ("foxglove/Vector3.proto", "foxglove/Quaternion.proto");
    set(&[
        timestamp(),
        file(vector, "foxglove", &[], "Vector3", &doubles(&["x", "y", "z"]), true),
        file(quaternion, "foxglove", &[], "Quaternion", &doubles(&["x", "y", "z", "w"]), true),
        file("foxglove/Pose.proto", "foxglove", &[vector, quaternion], "Pose", &pose, true),
        file(
            "foxglove/PoseInFrame.proto",
            "foxglove",
            &["foxglove/Pose.proto", TIMESTAMP],
            "PoseInFrame",
            &in_frame,
            true,
        ),
    ])
}
