//! Detects the kind of a file from its first bytes. Neither version has a magic number, so the first record is examined.

use crate::decode::{Decoded, Decoder, Framing};
use crate::limits::Limits;
use crate::unpack::{Input, Unpacked, Unpacker, is_packed};
use crate::wire::{Fields, Value};

/// A kind of capture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKind {
    /// 1 (`.nevrcap`) or 2 (`.tape`).
    pub version: u8,
    /// Whether it is compressed with zstd.
    pub packed: bool,
}

/// The number of leading bytes of a file that [`file_kind`] needs. Fewer suffice if the file is shorter.
pub const DETECT_BYTES: usize = 128 << 10;

/// Returns the kind of the file that starts with these bytes, or `None` if it is not a capture.
pub fn file_kind(start: &[u8]) -> Option<FileKind> {
    let limits = Limits { record_bytes: 1 << 20, free_bytes: 4 << 20, ..Limits::default() };
    let packed = is_packed(start);
    let mut decoder = Decoder::new(Framing::V2, &limits);
    if packed {
        let mut unpacker = Unpacker::new(Input::new(start), &limits, None).ok()?;
        // The bytes end somewhere in the file; the part that can be decompressed is enough.
        loop {
            match unpacker.next() {
                Ok(Some(Unpacked::Content { bytes, .. })) => {
                    decoder.feed(&bytes);
                    if bytes.len() >= 1024 {
                        break;
                    }
                }
                // Only files of version 2 are compressed with dictionaries. Whether it really is one becomes clear with
                // the dictionary.
                Ok(Some(Unpacked::NeedsDictionary { offset: 0, .. })) => return Some(FileKind { version: 2, packed }),
                _ => break,
            }
        }
    } else {
        decoder.feed(start);
    }
    let Some(Decoded::Record { bytes, .. }) = decoder.next() else { return None };
    let version = if is_v1_header(&bytes) {
        1
    } else if is_v2_header(&bytes) {
        2
    } else {
        return None;
    };
    Some(FileKind { version, packed })
}

/// Whether the first record is an `Envelope` with a header.
fn is_v2_header(record: &[u8]) -> bool {
    let mut fields = Fields::new(record);
    let header = match fields.next() {
        Some(Ok(field)) if field.number == 1 => field.bytes(),
        _ => None,
    };
    // In version 2, no other known field occurs beside a header; in version 1, the time does.
    let alone = fields.all(|field| field.is_ok_and(|field| field.number > 3));
    let as_known = |header: &[u8]| {
        Fields::new(header).all(|field| {
            field.is_ok_and(|field| match (field.number, field.value) {
                (1 | 2 | 4 | 8 | 9, Value::Bytes(_)) | (3 | 5..=7, Value::Varint(_)) => true,
                (10..=99, Value::Bytes(_)) => true,
                (number, _) => number > 99,
            })
        })
    };
    // Later generations may change field types. A header that states the version is accepted anyway: no text looks like that.
    let states_version = |header: &[u8]| {
        Fields::new(header).all(|field| field.is_ok())
            && Fields::new(header).flatten().any(|field| field.number == 3 && field.varint() == Some(2))
    };
    header.is_some_and(|header| alone && (as_known(header) || states_version(header)))
}

/// Whether the first record is a `TelemetryHeader`: its first field is a string and not a header, followed by a time or metadata.
pub(crate) fn is_v1_header(record: &[u8]) -> bool {
    if is_v2_header(record) {
        return false;
    }
    let mut any = false;
    for field in Fields::new(record) {
        match field.map(|field| (field.number, field.value)) {
            Ok((1, Value::Bytes(id))) if std::str::from_utf8(id).is_ok() => any = true,
            Ok((2, Value::Bytes(time))) => {
                any = true;
                let is_time = Fields::new(time)
                    .all(|field| field.is_ok_and(|field| matches!(field.number, 1 | 2) && field.varint().is_some()));
                if !is_time {
                    return false;
                }
            }
            Ok((3, Value::Bytes(_))) => any = true,
            // Written by a later version.
            Ok((4.., _)) if any => {}
            _ => return false,
        }
    }
    any
}
