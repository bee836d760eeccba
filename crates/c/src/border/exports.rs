//! The functions of the header: general ones, opening, and documents. Each converts its arguments and hands over to safe code.
//!
//! Unsafe here: the names, which must be unique in a program. They all begin with `gametape_`.

use std::ffi::{c_char, c_void};

#[cfg(not(target_arch = "wasm32"))]
use gametape_format::ReadAt;
use gametape_format::read::Tape;

use super::pointers::{Allocated, Bytes, Out, Text, TextOut, Values, allocate};
use super::sources::{ProgressFn, Reporter};
use crate::status::{Failure, Status, guard, last_error};
use crate::{describe, handles, laps, report};

/// The number of the interface that this library has.
const INTERFACE: u32 = 1;

#[unsafe(no_mangle)]
extern "C" fn gametape_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[unsafe(no_mangle)]
extern "C" fn gametape_interface() -> u32 {
    INTERFACE
}

#[unsafe(no_mangle)]
extern "C" fn gametape_last_error() -> *const c_char {
    last_error()
}

#[unsafe(no_mangle)]
extern "C" fn gametape_alloc(bytes: usize) -> *mut c_void {
    allocate(bytes).cast()
}

#[unsafe(no_mangle)]
extern "C" fn gametape_free(memory: Allocated) {
    memory.free();
}

#[unsafe(no_mangle)]
extern "C" fn gametape_open(path: Text, tape: Out<u32>) -> Status {
    guard(|| {
        let path = path.required("path")?;
        let mut tape = tape.required("tape")?;
        if cfg!(target_arch = "wasm32") {
            let text = "there are no files in WebAssembly: use gametape_open_imported";
            return Err(Failure::new(Status::Unsupported, text));
        }
        let failed = |error| Failure::from(error).of(path);
        tape.put(0, handles::add_tape(Tape::open(path).map_err(failed)?));
        Ok(Status::Ok)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_open_bytes(bytes: Bytes, length: usize, tape: Out<u32>) -> Status {
    guard(|| {
        let bytes = bytes.get(length, "bytes")?;
        let mut tape = tape.required("tape")?;
        let mut copy = Vec::new();
        let room = copy.try_reserve_exact(bytes.len());
        room.map_err(|_| Failure::new(Status::Internal, format!("no memory for a tape of {length} bytes")))?;
        copy.extend_from_slice(bytes);
        tape.put(0, handles::add_tape(Tape::from_bytes(copy)?));
        Ok(Status::Ok)
    })
}

/// The largest number of journals that a tape can have beside it here. A recorder has two.
const MOST_JOURNALS: usize = 1024;

fn check_journals(count: usize) -> Result<(), Failure> {
    match count <= MOST_JOURNALS {
        true => Ok(()),
        false => Err(Failure::invalid(format!("journal_count is {count}; a tape has at most {MOST_JOURNALS}"))),
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[unsafe(no_mangle)]
extern "C" fn gametape_open_source(
    source: Values<super::sources::Source>,
    journals: Values<super::sources::Source>,
    journal_count: usize,
    tape: Out<u32>,
) -> Status {
    guard(|| {
        check_journals(journal_count)?;
        let source = source.one("source")?;
        let journals = journals.all(journal_count, "journals")?;
        let mut tape = tape.required("tape")?;
        if !journals.iter().chain([&source]).all(super::sources::Source::is_whole) {
            return Err(Failure::invalid("read_at or size of a source is null"));
        }
        let journals = journals.into_iter().map(|journal| Box::new(journal.take()) as Box<dyn ReadAt>).collect();
        tape.put(0, handles::add_tape(Tape::from_sources(Box::new(source.take()), journals)?));
        Ok(Status::Ok)
    })
}

#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
extern "C" fn gametape_open_imported(
    source: u32,
    journals: Values<u32>,
    journal_count: usize,
    tape: Out<u32>,
) -> Status {
    use super::sources::Imported;
    guard(|| {
        check_journals(journal_count)?;
        let journals = journals.all(journal_count, "journals")?;
        let mut tape = tape.required("tape")?;
        let journals = journals.into_iter().map(|journal| Box::new(Imported(journal)) as Box<_>).collect();
        tape.put(0, handles::add_tape(Tape::from_sources(Box::new(Imported(source)), journals)?));
        Ok(Status::Ok)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_close(handle: u32) -> Status {
    guard(|| handles::close(handle))
}

#[unsafe(no_mangle)]
extern "C" fn gametape_describe(tape: u32, json: Out<*mut c_char>, length: Out<usize>) -> Status {
    guard(|| {
        let json = TextOut::new(json, length)?;
        json.put(&describe::describe(&handles::tape(tape)?.tape)?)?;
        Ok(Status::Ok)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_events(tape: u32, json: Out<*mut c_char>, length: Out<usize>) -> Status {
    guard(|| {
        let json = TextOut::new(json, length)?;
        json.put(&describe::events(&handles::tape(tape)?.tape)?)?;
        Ok(Status::Ok)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_laps(
    tape: u32,
    progress: ProgressFn,
    user: *mut c_void,
    json: Out<*mut c_char>,
    length: Out<usize>,
) -> Status {
    guard(|| {
        let json = TextOut::new(json, length)?;
        let (document, status) = laps::document(&*handles::tape(tape)?, &Reporter::new(progress, user))?;
        json.put(&document)?;
        Ok(status)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_report(
    tape: u32,
    file: Text,
    channels: Text,
    progress: ProgressFn,
    user: *mut c_void,
    json: Out<*mut c_char>,
    length: Out<usize>,
) -> Status {
    guard(|| {
        let json = TextOut::new(json, length)?;
        let (file, channels) = (file.required("file")?, channels.optional("channels")?);
        let reporter = Reporter::new(progress, user);
        let (document, status) = report::document(&*handles::tape(tape)?, file, channels, &reporter)?;
        json.put(&document)?;
        Ok(status)
    })
}

#[unsafe(no_mangle)]
extern "C" fn gametape_lines(
    tape: u32,
    channels: Text,
    from_ns: u64,
    to_ns: u64,
    progress: ProgressFn,
    user: *mut c_void,
    json: Out<*mut c_char>,
    length: Out<usize>,
) -> Status {
    guard(|| {
        let json = TextOut::new(json, length)?;
        let channels = channels.optional("channels")?;
        let reporter = Reporter::new(progress, user);
        let tape = handles::tape(tape)?;
        let (document, status) = report::lines(&tape.tape, channels, from_ns..to_ns, &reporter)?;
        json.put(&document)?;
        Ok(status)
    })
}
