//! Whether a replay file is whole, by the structure of its format.
//!
//! Takes the bytes of a file and its name; returns a [`Verdict`]. A game that pauses while it writes leaves a file that does not change
//! for a while, and a game that crashed leaves one that never changes again. Neither can be told from a whole file by length and time.
//! Each format has a pure function in its own file. A function reads only what it needs, bounds every length by the length of the file,
//! and calls a file whole only if it ends where its structure ends. A structure that is not known is [`Verdict::Unknown`], never damage.

mod aoe2;
mod blizzard;
mod bytes;
mod iracing;
mod league;
mod motec;
mod osu;
mod pubg;
mod siege;
mod source2;
mod trackmania;
mod unreal;

#[cfg(test)]
pub(super) mod tests;

use std::path::Path;

pub(crate) use bytes::Bytes;

/// What the structure of a file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing is missing.
    Whole,
    /// There is no test for this format, or the file does not follow it.
    Unknown,
    /// More may follow, although nothing is missing: another round of a match.
    MayGrow,
    /// Something is missing: the game is still writing, or it has crashed.
    Missing(&'static str),
}

/// A format with a test.
struct Format {
    /// Whether a file is of this format, by its extension in lower case and its first bytes.
    is_it: fn(&str, &[u8]) -> bool,
    judge: fn(&Bytes<'_>) -> Verdict,
}

/// Number of bytes at the start of a file by which formats are told apart.
const START_BYTES: usize = 64;

const FORMATS: &[Format] = &[
    Format { is_it: |_, start| start.windows(12).any(|name| name == b"TAGame.Repla"), judge: unreal::rocket_league },
    Format { is_it: |_, start| start.starts_with(&unreal::FORTNITE_MAGIC), judge: unreal::fortnite },
    Format { is_it: |extension, _| extension == "replayinfo", judge: pubg::info },
    Format { is_it: |_, start| start.starts_with(b"PBDEMS2\0"), judge: source2::demo },
    Format { is_it: |_, start| start.starts_with(b"dissect"), judge: siege::round },
    Format { is_it: |extension, start| extension == "rec" && start.starts_with(&siege::ZSTD), judge: siege::round },
    Format { is_it: |_, start| start.starts_with(b"MPQ\x1b"), judge: blizzard::starcraft_2 },
    Format { is_it: |_, start| start.starts_with(blizzard::WARCRAFT_3_MAGIC), judge: blizzard::warcraft_3 },
    Format { is_it: |_, start| start.starts_with(b"RIOT"), judge: league::replay },
    Format { is_it: |extension, _| ["aoe2record", "mgz", "mgx"].contains(&extension), judge: aoe2::record },
    Format { is_it: |extension, _| extension == "osr", judge: osu::replay },
    Format { is_it: |_, start| start.starts_with(b"GBX"), judge: trackmania::gbx },
    Format { is_it: |extension, start| extension == "ld" && start.starts_with(&[0x40, 0, 0, 0]), judge: motec::log },
    Format { is_it: |extension, _| extension == "ibt", judge: iracing::telemetry },
];

/// Judges a file by its structure.
pub(crate) fn judge(path: &Path, bytes: &Bytes<'_>) -> Verdict {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let start = bytes.start(START_BYTES);
    FORMATS
        .iter()
        .find(|format| (format.is_it)(&extension, &start))
        .map_or(Verdict::Unknown, |format| (format.judge)(bytes))
}

/// Runs the tests of all formats on any bytes. For fuzz targets and mutation tests only.
#[doc(hidden)]
pub fn fuzz_replay_structure(data: &[u8]) {
    let bytes = Bytes::new(&data, data.len() as u64);
    for format in FORMATS {
        (format.judge)(&bytes);
    }
}
