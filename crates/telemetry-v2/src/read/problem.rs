//! What a reader found wrong. None of it ends the reading; what is whole is given.

use crate::decode::LostCause;
use crate::fit::Misfits;

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Bytes of the stream that no record could be made of.
    #[error("{bytes} bytes at {offset} of the stream are lost: {cause}")]
    Lost {
        /// Where they begin, in the stream.
        offset: u64,
        /// How many.
        bytes: u64,
        /// What is wrong with the first of them.
        cause: LostCause,
    },
    /// A zstd frame, or bytes between frames, that cannot be unpacked.
    #[error("{bytes} bytes at {offset} of the file cannot be unpacked: {cause}")]
    Damaged {
        /// Where they begin, in the file.
        offset: u64,
        /// How many.
        bytes: u64,
        /// What the decoder says.
        cause: String,
    },
    /// The file ends inside a zstd frame.
    #[error("the file ends inside the zstd frame at {offset}")]
    Truncated {
        /// Where the frame begins.
        offset: u64,
    },
    /// The content is so much larger than the file that it is meant to fill the memory.
    #[error("{packed_bytes} bytes of the file became more than {raw_bytes}: this is a bomb, the rest is not read")]
    Bomb {
        /// Bytes unpacked.
        raw_bytes: u64,
        /// Bytes of the file they came from.
        packed_bytes: u64,
    },
    /// A zstd frame that was packed with a dictionary that was not given.
    #[error("{bytes} bytes at {offset} of the file are packed with the zstd dictionary {id}, which was not given")]
    NeedsDictionary {
        /// Where they begin, in the file.
        offset: u64,
        /// How many.
        bytes: u64,
        /// The id of the dictionary.
        id: u32,
    },
    /// The header does not state the SHA-256 of the dictionary, or is lost. Another dictionary of the same id would give wrong frames.
    #[error("the header does not say which zstd dictionary {id} is the right one: the frames may be wrong")]
    UncheckedDictionary {
        /// The id of the dictionary.
        id: u32,
    },
    /// Fields of a record that do not fit the schema. The rest of it is read.
    #[error("fields of the record at {offset} are not read: {misfits}")]
    Misfits {
        /// Where the record begins, in the stream.
        offset: u64,
        /// The fields.
        misfits: Misfits,
    },
    /// The header cannot be read at all: its bytes are given.
    #[error("the header cannot be read: {cause}")]
    BrokenHeader {
        /// Where it begins, in the stream.
        offset: u64,
        /// What is wrong with it.
        cause: String,
    },
    /// The footer cannot be read at all: its bytes are given.
    #[error("the footer cannot be read: {cause}")]
    BrokenFooter {
        /// Where it begins, in the stream.
        offset: u64,
        /// What is wrong with it.
        cause: String,
    },
    /// The first record is not a header.
    #[error("the first record is not a header")]
    NoHeader,
    /// Another header, as in files that were joined by hand.
    #[error("there is another header at {offset}")]
    SecondHeader {
        /// Where it begins, in the stream.
        offset: u64,
    },
    /// Frame numbers jump. Forward: frames are missing. Back: they are out of order.
    #[error("frame {expected} should come, frame {found} came")]
    FrameOrder {
        /// The number after the last one.
        expected: u32,
        /// The number that came.
        found: u32,
    },
    /// A frame whose inside is damaged: its bytes are given, its number is not known.
    #[error("the frame at {offset} cannot be read: {cause}")]
    BrokenFrame {
        /// Where it begins, in the stream.
        offset: u64,
        /// What is wrong with it.
        cause: String,
    },
    /// A record after the footer.
    #[error("there is a record at {offset}, after the footer")]
    AfterFooter {
        /// Where it begins, in the stream.
        offset: u64,
    },
    /// The footer is missing: the writer did not finish, or the file was cut.
    #[error("there is no footer")]
    NoFooter,
    /// The footer states another number of frames than there are.
    #[error("the footer states {stated} frames, {found} were read")]
    FrameCount {
        /// What it states.
        stated: u32,
        /// What was read.
        found: u32,
    },
    /// There are more problems than anybody reads.
    #[error("{count} more problems are not listed")]
    Unlisted {
        /// How many.
        count: u64,
    },
    /// The footer, or the table of blocks, does not fit the file; an index was made by reading all of it.
    #[error("the index of the file is not usable: {cause}")]
    Index {
        /// What does not fit.
        cause: String,
    },
}
