//! The functions of the header for channels and frames. Each converts its arguments and hands over to safe code.
//!
//! Unsafe here: the names, as in `exports`.

use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use super::borrowed::Cursor;
use super::pointers::{Out, Text};
use crate::channels::{self, Selection, Shape, Values};
use crate::handles;
use crate::status::{Failure, Status, guard};

/// `gametape_frame`.
#[repr(C)]
struct FrameOut {
    time_ns: u64,
    seq: u64,
    data: *const u8,
    length: usize,
    stream: u32,
}

#[unsafe(no_mangle)]
extern "C" fn gametape_channel_shape(
    tape: u32,
    stream: Text,
    channel: Text,
    element: u32,
    from_ns: u64,
    to_ns: u64,
    shape: Out<Shape>,
) -> Status {
    guard(|| {
        let (stream, channel) = (stream.optional("stream")?, channel.required("channel")?);
        let mut shape = shape.required("shape")?;
        let tape = handles::tape(tape)?;
        let selection = Selection::find(&tape.tape, stream, channel, element)?;
        shape.put(0, selection.shape(from_ns..to_ns)?);
        Ok(Status::Ok)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_channel(
    tape: u32,
    stream: Text,
    channel: Text,
    element: u32,
    from_ns: u64,
    to_ns: u64,
    values: Out<f64>,
    times_ns: Out<u64>,
    capacity: usize,
    rows: Out<usize>,
) -> Status {
    guard(|| {
        let (stream, channel) = (stream.optional("stream")?, channel.required("channel")?);
        let rows = rows.required("rows")?;
        let tape = handles::tape(tape)?;
        let selection = Selection::find(&tape.tape, stream, channel, element)?;
        let values = Values::Doubles(values.room(capacity.saturating_mul(selection.elements())));
        channels::read(&selection, from_ns..to_ns, values, times_ns.room(capacity), capacity, rows)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_channel_raw(
    tape: u32,
    stream: Text,
    channel: Text,
    element: u32,
    from_ns: u64,
    to_ns: u64,
    values: Out<c_void>,
    times_ns: Out<u64>,
    capacity: usize,
    rows: Out<usize>,
) -> Status {
    guard(|| {
        let (stream, channel) = (stream.optional("stream")?, channel.required("channel")?);
        let rows = rows.required("rows")?;
        let tape = handles::tape(tape)?;
        let selection = Selection::find(&tape.tape, stream, channel, element)?;
        let values = Values::Raw(values.bytes(capacity.saturating_mul(selection.row_bytes())));
        channels::read(&selection, from_ns..to_ns, values, times_ns.room(capacity), capacity, rows)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_overview(
    tape: u32,
    stream: Text,
    channel: Text,
    element: u32,
    from_ns: u64,
    to_ns: u64,
    starts_ns: Out<u64>,
    least: Out<f64>,
    largest: Out<f64>,
    count: usize,
) -> Status {
    guard(|| {
        let (stream, channel) = (stream.optional("stream")?, channel.required("channel")?);
        let tape = handles::tape(tape)?;
        let selection = Selection::find(&tape.tape, stream, channel, element)?;
        let (mut starts, mut least, mut largest) = (starts_ns.room(count), least.room(count), largest.room(count));
        for (number, bucket) in selection.overview(from_ns..to_ns, count)?.into_iter().enumerate() {
            starts.put(number, bucket.from_ns);
            least.put(number, bucket.min.unwrap_or(f64::NAN));
            largest.put(number, bucket.max.unwrap_or(f64::NAN));
        }
        Ok(Status::Ok)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_cursor_open(tape: u32, stream: Text, cursor: Out<u32>) -> Status {
    guard(|| {
        let stream = stream.optional("stream")?;
        let mut cursor = cursor.required("cursor")?;
        let opened = Cursor::new(Arc::clone(&handles::tape(tape)?.tape), stream)?;
        cursor.put(0, handles::add(handles::Object::Cursor(Arc::new(Mutex::new(opened)))));
        Ok(Status::Ok)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_cursor_seek(cursor: u32, time_ns: u64) -> Status {
    guard(|| {
        handles::locked(&*handles::cursor(cursor)?).seek(time_ns)?;
        Ok(Status::Ok)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_cursor_next(cursor: u32, frame: Out<FrameOut>) -> Status {
    guard(|| {
        let mut frame = frame.required("frame")?;
        let cursor = handles::cursor(cursor)?;
        let Some(found) = handles::locked(&cursor).next()? else { return Ok(Status::End) };
        let (data, length, stream) = (found.data, found.length, u32::from(found.stream));
        frame.put(0, FrameOut { time_ns: found.time_ns, seq: found.seq, data, length, stream });
        Ok(Status::Ok)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_frame_at(
    tape: u32,
    stream: Text,
    time_ns: u64,
    buffer: Out<c_void>,
    capacity: usize,
    length: Out<usize>,
    time_of_frame: Out<u64>,
) -> Status {
    guard(|| {
        let stream = stream.required("stream")?;
        let (mut buffer, mut length) = (buffer.bytes(capacity), length.required("length")?);
        if !buffer.is_wanted() && capacity > 0 {
            return Err(Failure::invalid("buffer is null, but capacity is not 0"));
        }
        let tape = handles::tape(tape)?;
        let Some((at_ns, frame)) = tape.tape.frame_at(tape.tape.stream_named(stream)?, time_ns)? else {
            return Ok(Status::End);
        };
        length.put(0, frame.len());
        time_of_frame.room(1).put(0, at_ns);
        if frame.len() > capacity {
            return Err(Failure::short("bytes", frame.len(), capacity));
        }
        buffer.put_all(0, &frame);
        Ok(Status::Ok)
    })
}
