//! Problems found by a reader. None of them ends the reading; everything intact is returned.

use crate::decode::LostCause;
use crate::fit::Misfits;

/// A problem with a capture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Bytes of the stream that could not be decoded as records.
    #[error("{bytes} bytes at {offset} of the stream are lost: {cause}")]
    Lost {
        /// Offset in the stream.
        offset: u64,
        /// Number of bytes.
        bytes: u64,
        /// What is wrong with the first of them.
        cause: LostCause,
    },
    /// A zstd frame, or bytes between frames, that cannot be decompressed.
    #[error("{bytes} bytes at {offset} of the file cannot be decompressed: {cause}")]
    Damaged {
        /// Offset in the file.
        offset: u64,
        /// Number of bytes.
        bytes: u64,
        /// The error reported by the decoder.
        cause: String,
    },
    /// The file ends inside a zstd frame.
    #[error("the file ends inside the zstd frame at {offset}")]
    Truncated {
        /// Offset of the frame.
        offset: u64,
    },
    /// The content is so much larger than the file that it looks like a decompression bomb.
    #[error(
        "{packed_bytes} bytes of the file expand to more than {raw_bytes}: this is a decompression bomb, the rest is not read"
    )]
    Bomb {
        /// Number of decompressed bytes.
        raw_bytes: u64,
        /// Number of bytes of the file they came from.
        packed_bytes: u64,
    },
    /// A zstd frame compressed with a dictionary that was not given.
    #[error("{bytes} bytes at {offset} of the file are compressed with the zstd dictionary {id}, which was not given")]
    NeedsDictionary {
        /// Offset in the file.
        offset: u64,
        /// Number of bytes.
        bytes: u64,
        /// The id of the dictionary.
        id: u32,
    },
    /// The header does not state the SHA-256 of the dictionary, or is lost. Another dictionary with the same id would
    /// give wrong frames.
    #[error("the header does not state the SHA-256 of the zstd dictionary {id}: the frames may be wrong")]
    UncheckedDictionary {
        /// The id of the dictionary.
        id: u32,
    },
    /// Fields of a record that do not match the schema. The rest of it is read.
    #[error("fields of the record at {offset} cannot be read: {misfits}")]
    Misfits {
        /// Offset of the record in the stream.
        offset: u64,
        /// The fields.
        misfits: Misfits,
    },
    /// The header cannot be decoded at all: its bytes are returned.
    #[error("the header cannot be read: {cause}")]
    BrokenHeader {
        /// Its offset in the stream.
        offset: u64,
        /// What is wrong with it.
        cause: String,
    },
    /// The footer cannot be decoded at all: its bytes are returned.
    #[error("the footer cannot be read: {cause}")]
    BrokenFooter {
        /// Its offset in the stream.
        offset: u64,
        /// What is wrong with it.
        cause: String,
    },
    /// The first record is not a header.
    #[error("the first record is not a header")]
    NoHeader,
    /// Another header, as in files joined by hand.
    #[error("there is another header at {offset}")]
    SecondHeader {
        /// Its offset in the stream.
        offset: u64,
    },
    /// Frame numbers jump. Forward: frames are missing. Backward: they are out of order.
    #[error("expected frame {expected}, found frame {found}")]
    FrameOrder {
        /// The number after the last one.
        expected: u32,
        /// The number found.
        found: u32,
    },
    /// A frame with damaged contents: its bytes are returned, its number is unknown.
    #[error("the frame at {offset} cannot be read: {cause}")]
    BrokenFrame {
        /// Its offset in the stream.
        offset: u64,
        /// What is wrong with it.
        cause: String,
    },
    /// A record after the footer.
    #[error("there is a record at {offset}, after the footer")]
    AfterFooter {
        /// Its offset in the stream.
        offset: u64,
    },
    /// The footer is missing: the writer did not finish, or the file was truncated.
    #[error("there is no footer")]
    NoFooter,
    /// The footer states a different number of frames than were read.
    #[error("the footer states {stated} frames, but {found} were read")]
    FrameCount {
        /// The number in the footer.
        stated: u32,
        /// The number read.
        found: u32,
    },
    /// More problems than are listed.
    #[error("{count} more problems are not listed")]
    Unlisted {
        /// Number of further problems.
        count: u64,
    },
    /// The footer or the table of blocks does not match the file; an index was built by reading all of it.
    #[error("the index of the file is not usable: {cause}")]
    Index {
        /// What does not match.
        cause: String,
    },
}
