//! Runs the mapping on bytes in memory: for fuzz targets and mutation only.

use telemetry_v2::proto::telemetry::v2::{CaptureHeader, frame};

use super::{Keys, Known, Maker, read_player_bones, read_session, with_arena, write_player_bones, write_session};

/// Answers to all other forms and back; what is read of the text that was written must be the same. The first line is an answer to `/session`, the second one to `/player_bones`,
/// and so on.
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
