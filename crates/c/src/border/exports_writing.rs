//! The functions of the header for writing and importing. Each converts its arguments and hands over to safe code.
//!
//! Unsafe here: the names, as in `exports`.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::pointers::{Bytes, Out, Text, TextOut};
use super::sources::{ProgressFn, Reporter};
use crate::handles::{self, Object};
use crate::status::{Failure, Status, guard};
use crate::{importing, writing};

#[unsafe(no_mangle)]
extern "C" fn gametape_create(path: Text, options: Text, writer: Out<u32>) -> Status {
    guard(|| {
        let (path, options) = (path.required("path")?, options.optional("options")?);
        let mut writer = writer.required("writer")?;
        writer.put(0, handles::add(Object::Writer(Arc::new(writing::create(path, options)?))));
        Ok(Status::Ok)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_add_stream(writer: u32, description: Text, stream: Out<u32>) -> Status {
    guard(|| {
        let description = description.required("description")?;
        let mut stream = stream.required("stream")?;
        stream.put(0, handles::writer(writer)?.add_stream(description)?);
        Ok(Status::Ok)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_append(writer: u32, stream: u32, time_ns: u64, frame: Bytes, length: usize) -> Status {
    done(|| handles::writer(writer)?.append(stream, time_ns, frame.get(length, "frame")?))
}

#[unsafe(no_mangle)]
extern "C" fn gametape_mark(writer: u32, time_ns: u64, text: Text) -> Status {
    done(|| handles::writer(writer)?.event(time_ns, "mark", text.required("text")?))
}

#[unsafe(no_mangle)]
extern "C" fn gametape_event(writer: u32, time_ns: u64, kind: Text, text: Text) -> Status {
    done(|| handles::writer(writer)?.event(time_ns, kind.required("kind")?, text.required("text")?))
}

#[unsafe(no_mangle)]
extern "C" fn gametape_metadata(writer: u32, time_ns: u64, key: Text, value: Text) -> Status {
    done(|| handles::writer(writer)?.metadata(time_ns, key.required("key")?, value.required("value")?))
}

#[unsafe(no_mangle)]
extern "C" fn gametape_clock(writer: u32, time_ns: u64, utc_ns: i64) -> Status {
    done(|| handles::writer(writer)?.clock(time_ns, utc_ns))
}

#[unsafe(no_mangle)]
extern "C" fn gametape_finish(writer: u32, json: Out<*mut c_char>, length: Out<usize>) -> Status {
    guard(|| {
        let json = TextOut::optional(json, length);
        let finished = handles::writer(writer)?.finish();
        // Also after a failure: nothing can be done with it any more.
        handles::close(writer)?;
        json.put(&finished?)?;
        Ok(Status::Ok)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_abandon(writer: u32) -> Status {
    done(|| {
        let abandoned = handles::writer(writer)?.abandon();
        handles::close(writer)?;
        abandoned
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_import(
    source: Text,
    tape: Text,
    options: Text,
    progress: ProgressFn,
    user: *mut c_void,
    json: Out<*mut c_char>,
    length: Out<usize>,
) -> Status {
    guard(|| {
        let json = TextOut::optional(json, length);
        let (source, tape, options) =
            (source.required("source")?, tape.required("tape")?, options.optional("options")?);
        json.put(&importing::import(source, tape, options, &Reporter::new(progress, user))?)?;
        Ok(Status::Ok)
    })
}

fn done(call: impl FnOnce() -> Result<(), Failure>) -> Status {
    guard(|| call().map(|()| Status::Ok))
}
