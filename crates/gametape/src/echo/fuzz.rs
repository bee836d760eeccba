//! Runs the conversions on bytes in memory, for fuzz targets and mutation tests only.

use telemetry_v2::proto::telemetry::v2::{CaptureHeader, frame};

use super::{Keys, Known, Maker, read_player_bones, read_session, with_arena, write_player_bones, write_session};

/// Converts responses to all other forms and back. Reading written text must return the same value. The first line is a `/session`
/// response, the second a `/player_bones` response, and so on.
pub fn fuzz_echo_mapping(data: &[u8]) {
    let mut lines = data.split(|byte| *byte == b'\n');
    let first = lines.clone().next().unwrap_or_default();
    let header = Maker::arena_header(first, None).map(|arena| with_arena(CaptureHeader::default(), arena));
    let header = header.unwrap_or_default();
    let (mut maker, mut old, mut known) = (Maker::new(&header), Maker::default(), Known::new(&header));
    let mut index = 0;
    while let Some(session) = lines.next() {
        let bones = lines.next();
        if let Some(read) = read_session(session) {
            let text = write_session(&read, Keys::ALL);
            assert_eq!(read_session(text.as_bytes()), Some(read), "{text}");
        }
        if let Some(read) = bones.and_then(read_player_bones) {
            let text = write_player_bones(&read);
            assert_eq!(read_player_bones(text.as_bytes()), Some(read), "{text}");
        }
        old.first_version(index, i128::from(index), session, bones);
        if let Some(frame) = maker.frame(index, u64::from(index), session, bones) {
            index += 1;
            known.follow(&frame);
            if let Some(frame::Payload::EchoArena(arena)) = &frame.payload {
                let keys = Keys { of_third_generation: true, short_numbers: true };
                write_session(&known.session(arena), keys);
                known.player_bones(arena).as_ref().map(write_player_bones);
            }
        }
    }
}
