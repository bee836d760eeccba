//! The storage methods, behind one trait.
//!
//! A peer whose files hold a single kind of frame (LZ4, zlib, zstd, Parquet) writes one file per stream.

pub(crate) mod gametape;
mod lz4;
#[cfg(feature = "peers")]
mod mcap;
#[cfg(feature = "peers")]
mod parquet;
mod record;
mod zlib;
mod zstd;

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::data::{DataSet, Frames, Shape, hash_frames};
use crate::measure::bytes_in;

/// A storage method. Single-threaded; files are written, not synced.
pub(crate) trait Peer {
    /// Returns the name used in tables and JSON.
    fn name(&self) -> &'static str;

    /// Returns the resolution that stored times are rounded down to; `None` if times are not stored.
    fn time_unit_ns(&self) -> Option<u64>;

    /// Stores all frames of a data set in an empty directory. The files are closed and complete when it returns.
    fn write(&self, set: &DataSet, directory: &Path) -> Result<()>;

    /// Reads everything back into memory: concatenated rows and times, stream by stream.
    fn read(&self, shape: &Shape, directory: &Path) -> Result<Frames>;

    /// Reads one `f32` of every frame of the stream of [`Shape::channel`], in the fastest way that the format supports.
    fn read_channel(&self, shape: &Shape, directory: &Path) -> Result<Vec<f32>>;
}

/// All peers, in table order.
pub(crate) const ALL: &[&dyn Peer] = &[
    &lz4::GamesDatLz4,
    &zlib::KsanaZlib,
    &zstd::Zstd3Stream,
    #[cfg(feature = "peers")]
    &mcap::ZSTD,
    #[cfg(feature = "peers")]
    &mcap::LZ4,
    #[cfg(feature = "peers")]
    &parquet::Parquet,
    &gametape::Gametape,
];

/// Fails if MCAP and Parquet were left out.
pub(crate) fn ensure_all() -> Result<()> {
    anyhow::ensure!(cfg!(feature = "peers"), "built without MCAP and Parquet; run it with `--features peers`");
    Ok(())
}

/// Stores a data set, reads it back, and returns the size of the files. They are below `files` and are removed.
pub(crate) fn stored_bytes(peer: &dyn Peer, set: &DataSet, files: &Path) -> Result<u64> {
    let directory = tempfile::tempdir_in(files)?;
    peer.write(set, directory.path())?;
    let unit = peer.time_unit_ns();
    let back = peer.read(&set.shape, directory.path())?;
    ensure!(hash_frames(&back, unit) == hash_frames(&set.frames, unit), "{} reads back different frames", peer.name());
    bytes_in(directory.path())
}

/// Creates a file; fails if it exists.
fn create(path: &Path) -> Result<File> {
    File::create_new(path).with_context(|| path.display().to_string())
}

fn open(path: &Path) -> Result<File> {
    File::open(path).with_context(|| path.display().to_string())
}

/// Returns the path of a stream, for peers with one file per stream.
fn stream_path(directory: &Path, stream: usize) -> PathBuf {
    directory.join(format!("stream-{stream}"))
}

/// Writes, reads and compares one data set with every peer.
#[cfg(test)]
pub(crate) fn assert_all_round_trip(set: &DataSet) {
    use crate::data::{hash_frames, hash_values};
    for peer in ALL {
        let directory = tempfile::tempdir().unwrap();
        peer.write(set, directory.path()).unwrap();
        let unit = peer.time_unit_ns();
        let back = peer.read(&set.shape, directory.path()).unwrap();
        assert_eq!(hash_frames(&back, unit), hash_frames(&set.frames, unit), "{} {}", peer.name(), set.name);
        let values = peer.read_channel(&set.shape, directory.path()).unwrap();
        assert_eq!(hash_values(&values), hash_values(&set.channel_values()), "{} {}", peer.name(), set.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, StreamShape, generated};

    #[test]
    fn many_streams_come_back_from_every_peer() {
        assert_all_round_trip(&generated::many_streams(3, 7).unwrap());
    }

    #[test]
    fn random_bits_in_odd_columns_come_back_from_every_peer() {
        let fields = vec![
            Field::new("byte", 0, 1, false, 1),
            Field::new("float", 1, 4, true, 1),
            Field::new("short", 5, 2, false, 1),
            Field::new("double", 7, 8, true, 1),
            Field::new("long", 16, 8, false, 1),
        ];
        let stream = StreamShape { name: "odd".into(), row_bytes: 27, fields };
        let mut noise = crate::data::noise::Noise::new(3);
        let rows = (0..27 * 3000).map(|_| noise.next_u64() as u8).collect();
        assert_all_round_trip(&DataSet::of_one_stream("odd", stream, 1, rows, 60));
    }
}
