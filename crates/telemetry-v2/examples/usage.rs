//! The Go, C++ and C# examples of the format's own description, in Rust: creating envelopes, bones without copies,
//! writing and reading a file.
#![allow(clippy::print_stdout)]

use prost::Message as _;
use telemetry_v2::Timestamp;
use telemetry_v2::proto::spatial::v1::{Pose, Vec3};
use telemetry_v2::proto::telemetry::v2::{
    CaptureHeader, DiscState, EchoArenaFrame, EchoArenaHeader, Envelope, EventType, Frame, GameStatus, GoalScored,
    capture_header, echo_event, envelope, frame,
};
use telemetry_v2::read::Tape;
use telemetry_v2::skeleton::{Bones, Skeleton, player_bones};
use telemetry_v2::write::{WriteOptions, Writer};

/// The Go example: a header and a frame.
fn header_and_frame() -> (CaptureHeader, Frame) {
    let header = CaptureHeader {
        capture_id: "0193d5f0-8a6e-7c1c-9d5b-2f4f6c0a1b2c".to_owned(),
        created_at: Some(Timestamp::from(std::time::SystemTime::now())),
        format_version: 2,
        game_header: Some(capture_header::GameHeader::EchoArena(EchoArenaHeader {
            session_id: "session-1".to_owned(),
            ..Default::default()
        })),
        ..Default::default()
    };
    let frame = Frame {
        frame_index: 42,
        timestamp_offset_ms: 700,
        payload: Some(frame::Payload::EchoArena(EchoArenaFrame {
            disc: Some(DiscState {
                pose: Some(Pose { position: Some(Vec3 { x: 1.0, y: 2.0, z: 3.0 }), ..Default::default() }),
                ..Default::default()
            }),
            ..Default::default()
        })),
        ..Default::default()
    };
    (header, frame)
}

/// The C++ example: bones from memory, and read from a record without a copy.
fn bones() -> Result<(), Box<dyn std::error::Error>> {
    let positions = [[0.0f32, 1.0, 2.0]; 22];
    let orientations = [[0.0f32, 0.0, 0.0, 1.0]; 22];
    let bones = player_bones(0, &positions, &orientations);
    println!("bones: {} and {} bytes", bones.transforms.len(), bones.orientations.len());
    let view = Bones::new(&bones, None)?;
    println!("bone 21 is at {:?}", view.translation(21));
    Ok(())
}

/// The C# example: one envelope.
fn envelope() -> Envelope {
    let arena = EchoArenaFrame { game_status: GameStatus::Playing.into(), game_clock: 120.5, ..Default::default() };
    let frame = Frame {
        frame_index: 100,
        timestamp_offset_ms: 1667,
        payload: Some(frame::Payload::EchoArena(arena)),
        ..Default::default()
    };
    Envelope { message: Some(envelope::Message::Frame(frame)) }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (header, frame) = header_and_frame();
    let header_envelope = Envelope { message: Some(envelope::Message::Header(header.clone())) };
    println!("header: {} bytes, frame: {} bytes", header_envelope.encoded_len(), frame.encoded_len());
    println!("envelope: {} bytes", envelope().encode_to_vec().len());
    bones()?;

    // A file: header, frames in order, a goal in one of them, and the footer's indexes.
    let mut writer = Writer::new(Vec::new(), header, WriteOptions::default())?;
    for frame_index in 0..500 {
        let mut arena = EchoArenaFrame { game_status: GameStatus::Playing.into(), ..Default::default() };
        if frame_index == 321 {
            let goal = GoalScored { point_amount: 3, scorer_slot: 2, ..Default::default() };
            arena.events.push(echo_event::Event::GoalScored(goal).into());
        }
        let payload = Some(frame::Payload::EchoArena(arena));
        writer.frame(Frame { frame_index, timestamp_offset_ms: frame_index * 16, payload, ..Default::default() })?;
    }
    let (file, summary) = writer.finish()?;
    println!("file: {} bytes for {} frames", file.len(), summary.frames);

    let mut tape = Tape::open(std::io::Cursor::new(file))?;
    println!("skeleton of the header: {:?}", Skeleton::of_header(tape.header()));
    for frame_index in tape.frames_with(EventType::GoalScored).to_vec() {
        if let Some(found) = tape.frame_at(frame_index)? {
            println!(
                "goal in frame {frame_index}, {} frames read for it: {:?}",
                found.frames_read, found.state.last_goal
            );
        }
    }
    Ok(())
}
