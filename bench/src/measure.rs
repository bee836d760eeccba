//! Measures size and speed of peers on one data set: one [`Row`] per peer, printed by `table`.
//!
//! Repetitions are interleaved: every peer once, then every peer again, so that a slowdown of the machine affects all
//! of them. The first round of each peer is the warm-up: its result is read back and compared, its times are discarded.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::data::{DataSet, hash_frames, hash_values};
use crate::peers::Peer;

/// One line of the result. Speeds are megabytes (10^6) of raw frames per second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Row {
    pub(crate) data: String,
    pub(crate) method: &'static str,
    pub(crate) raw_bytes: u64,
    /// Total size of the closed files.
    pub(crate) stored_bytes: u64,
    pub(crate) ratio: f64,
    pub(crate) encode_mb_s: f64,
    pub(crate) decode_mb_s: f64,
    pub(crate) one_channel_mb_s: f64,
}

/// Durations of a peer's repetitions.
#[derive(Default)]
struct Timings {
    stored_bytes: u64,
    encode: Vec<Duration>,
    decode: Vec<Duration>,
    one_channel: Vec<Duration>,
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed()))
}

/// Returns the total size of all files in a directory.
pub(crate) fn bytes_in(directory: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(directory)? {
        sum += entry?.metadata()?.len();
    }
    Ok(sum)
}

/// Runs one round of one peer: write, read, read one channel. Compares everything it reads.
fn round(peer: &dyn Peer, set: &DataSet, files: &Path, timings: &mut Timings) -> Result<()> {
    let directory = tempfile::tempdir_in(files)?;
    let ((), encode) = timed(|| peer.write(set, directory.path()))?;
    timings.stored_bytes = bytes_in(directory.path())?;
    let (frames, decode) = timed(|| peer.read(&set.shape, directory.path()))?;
    let unit = peer.time_unit_ns();
    ensure!(hash_frames(&frames, unit) == hash_frames(&set.frames, unit), "the frames read back differ");
    drop(frames);
    let (values, one_channel) = timed(|| peer.read_channel(&set.shape, directory.path()))?;
    ensure!(hash_values(&values) == hash_values(&set.channel_values()), "the channel read back differs");
    timings.encode.push(encode);
    timings.decode.push(decode);
    timings.one_channel.push(one_channel);
    Ok(())
}

/// Returns the median of all but the first, which is the warm-up.
fn median_seconds(durations: &[Duration]) -> f64 {
    let mut seconds: Vec<f64> = durations.iter().skip(1).map(Duration::as_secs_f64).collect();
    seconds.sort_by(f64::total_cmp);
    let middle = seconds.len() / 2;
    let at = |i: usize| seconds.get(i).copied().unwrap_or(f64::NAN);
    if seconds.len().is_multiple_of(2) { (at(middle.wrapping_sub(1)) + at(middle)) / 2.0 } else { at(middle) }
}

/// Measures all peers on a data set; temporary files go below `files`.
pub(crate) fn measure(set: &DataSet, peers: &[&dyn Peer], repetitions: usize, files: &Path) -> Result<Vec<Row>> {
    let mut timings: Vec<Timings> = peers.iter().map(|_| Timings::default()).collect();
    for _ in 0..=repetitions.max(1) {
        for (peer, timings) in peers.iter().zip(&mut timings) {
            round(*peer, set, files, timings).with_context(|| format!("{} on {}", peer.name(), set.name))?;
        }
    }
    let raw_bytes = set.raw_bytes();
    let speed = |durations: &[Duration]| raw_bytes as f64 / 1e6 / median_seconds(durations);
    let row = |(peer, timings): (&&dyn Peer, &Timings)| Row {
        data: set.name.clone(),
        method: peer.name(),
        raw_bytes,
        stored_bytes: timings.stored_bytes,
        ratio: raw_bytes as f64 / timings.stored_bytes as f64,
        encode_mb_s: speed(&timings.encode),
        decode_mb_s: speed(&timings.decode),
        one_channel_mb_s: speed(&timings.one_channel),
    };
    Ok(peers.iter().zip(&timings).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Frames, Shape, generated};

    #[test]
    fn the_median_leaves_the_warm_up_out() {
        let seconds = |list: &[u64]| median_seconds(&list.iter().map(|&s| Duration::from_secs(s)).collect::<Vec<_>>());
        assert_eq!(seconds(&[100, 3, 1, 2]), 2.0);
        assert_eq!(seconds(&[100, 3, 1]), 2.0);
        assert_eq!(seconds(&[100, 3]), 3.0);
    }

    /// Returns frames with one bit flipped.
    struct Liar;

    impl Peer for Liar {
        fn name(&self) -> &'static str {
            "liar"
        }
        fn time_unit_ns(&self) -> Option<u64> {
            None
        }
        fn write(&self, set: &DataSet, directory: &Path) -> Result<()> {
            crate::peers::ALL[0].write(set, directory)
        }
        fn read(&self, shape: &Shape, directory: &Path) -> Result<Frames> {
            let mut frames = crate::peers::ALL[0].read(shape, directory)?;
            frames[0].rows[0] ^= 1;
            Ok(frames)
        }
        fn read_channel(&self, shape: &Shape, directory: &Path) -> Result<Vec<f32>> {
            crate::peers::ALL[0].read_channel(shape, directory)
        }
    }

    #[test]
    fn frames_that_come_back_changed_give_no_row() {
        let set = generated::many_streams(1, 1).unwrap();
        let files = tempfile::tempdir().unwrap();
        assert!(measure(&set, &[&Liar], 1, files.path()).is_err());
        assert_eq!(measure(&set, &crate::peers::ALL[..1], 1, files.path()).unwrap().len(), 1);
    }
}
