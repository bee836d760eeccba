//! Entry points for mutated input: whatever the bytes are, nothing panics, hangs or takes much memory.

use crate::footer::Footer;
use crate::index::IndexPage;
use crate::read::Tape;
use crate::record::{HEADER_BYTES, RecordHeader};
use crate::stream::StreamSpec;

/// Opens bytes as a tape and reads all of it.
pub fn fuzz_tape(data: &[u8]) {
    read_all(Tape::from_bytes(data.to_vec()));
}

/// Takes bytes as the journal of a small tape that was not closed.
pub fn fuzz_journal(data: &[u8]) {
    let header = data.get(24..40).and_then(|id| id.try_into().ok()).map(|id| crate::record::FileHeader {
        version: crate::VERSION,
        tape_id: crate::TapeId(id),
        start_utc_ns: None,
    });
    if let Some(header) = header {
        let tape = Box::new(header.to_bytes().to_vec());
        read_all(Tape::from_sources(tape, vec![Box::new(data.to_vec())]));
    }
}

fn read_all(tape: Result<Tape, crate::read::ReadError>) {
    let Ok(tape) = tape else { return };
    let _ = (tape.events(), tape.metadata(), tape.clock_readings());
    let _ = tape.verify(&mut |_| {});
    for stream in tape.streams() {
        if let Some(channel) = stream.spec().channels.first() {
            let _ = tape.overview(stream, &channel.name, 0, 0..u64::MAX, 100);
            if let Ok(mut channels) = tape.channels(stream, &[channel.name.as_str()]) {
                while let Ok(Some(_)) = channels.next_block() {}
            }
        }
        let mut frames = tape.frames(stream);
        let _ = frames.seek_time(u64::MAX / 2);
        let _ = frames.seek_seq(5);
        let _ = frames.seek_last_before(1_000_000_000);
        let _ = frames.next().is_ok();
    }
}

/// Reads bytes as a stream descriptor.
pub fn fuzz_descriptor(data: &[u8]) {
    if let Ok(spec) = StreamSpec::parse(data) {
        let columns = spec.to_columns();
        let covered: u64 = columns.iter().map(|column| u64::from(column.width)).sum();
        assert_eq!(covered, u64::from(spec.frame_bytes), "columns cover the frame");
        assert_eq!(StreamSpec::parse(&spec.to_bytes()).as_ref(), Ok(&spec), "a descriptor comes back");
    }
}

/// Reads bytes as an unpacked footer.
pub fn fuzz_footer(data: &[u8]) {
    let _ = Footer::parse(data);
}

/// Reads bytes as a record header and the head of an index page.
pub fn fuzz_index(data: &[u8]) {
    if let Some((header, head)) = data.split_at_checked(HEADER_BYTES)
        && let Ok(header) = RecordHeader::parse(header, 1 << 30)
    {
        let _ = IndexPage::parse(&header, head, None);
    }
}
