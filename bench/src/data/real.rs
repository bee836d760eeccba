//! Loads the real data sets from the directory in `GAMETAPE_REAL_DATA`, and reports the missing ones.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{DataSet, acc_pages, dirt, ibt, motec};

/// Environment variable with the directory of real recordings.
pub(crate) const REAL_DATA: &str = "GAMETAPE_REAL_DATA";

const IBT: &str = "ibt/sebring_amg_gt4.ibt";
const DIRT: &str = "dirt-rally2/noorinbee_202.5s_264B.bin";
const ACC: [&str; 2] = [
    "acc-motec/Kyalami-porsche_991ii_gt3_r-1-2021.12.15-21.37.58.ld",
    "acc-motec/Imola-porsche_991ii_gt3_r-2-2021.12.02-21.13.58.ld",
];

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn load_one(path: &Path, parse: fn(&str, Vec<u8>) -> Result<DataSet>) -> Result<DataSet> {
    let data = std::fs::read(path).with_context(|| path.display().to_string())?;
    parse(&file_name(path), data).with_context(|| path.display().to_string())
}

/// Parses a file's name and bytes into a data set.
type Parse = fn(&str, Vec<u8>) -> Result<DataSet>;

/// Loads all real data sets of a directory; calls `complain` for each one that is skipped.
pub(crate) fn load(directory: Option<PathBuf>, mut complain: impl FnMut(String)) -> Vec<DataSet> {
    let acc: Parse = |name, data| acc_pages::data_set(name, &motec::parse(&data)?);
    let known: [(&str, Parse); 4] =
        [(IBT, |name, data| ibt::parse(name, &data)), (DIRT, dirt::parse), (ACC[0], acc), (ACC[1], acc)];
    let mut sets = Vec::new();
    for (path, parse) in known {
        match &directory {
            None => complain(format!("LEFT OUT {path}: {REAL_DATA} is not set")),
            Some(directory) => match load_one(&directory.join(path), parse) {
                Ok(set) => sets.push(set),
                Err(error) => complain(format!("LEFT OUT {path}: {error:#}")),
            },
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Returns the real data sets, or prints that the test was skipped.
    fn real_or_skipped(test: &str) -> Option<Vec<DataSet>> {
        if let Some(directory) = std::env::var_os(REAL_DATA) {
            let sets = load(Some(directory.into()), |word| panic!("{word}"));
            return Some(sets);
        }
        eprintln!("SKIPPED {test}: {REAL_DATA} is not set");
        if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
            let mut log = std::fs::OpenOptions::new().create(true).append(true).open(log).unwrap();
            writeln!(log, "{test}").unwrap();
        }
        None
    }

    #[test]
    fn real_data_has_the_known_shapes() {
        let Some(sets) = real_or_skipped("real_data_has_the_known_shapes") else { return };
        let shapes: Vec<(usize, usize)> =
            sets.iter().map(|set| (set.frames[0].times_ns.len(), set.shape.streams[0].row_bytes)).collect();
        assert_eq!(shapes, [(2683, 1099), (12151, 264), (28206, 800), (24506, 800)]);
        for set in sets {
            let speed = set.channel_values();
            let changes = speed.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(changes > speed.len() / 2, "{}: the channel hardly moves", set.name);
        }
    }

    #[test]
    fn every_peer_gives_the_real_frames_back() {
        let Some(sets) = real_or_skipped("every_peer_gives_the_real_frames_back") else { return };
        for set in sets {
            crate::peers::assert_all_round_trip(&set);
        }
    }

    #[test]
    fn without_a_directory_every_set_is_named() {
        let mut words = Vec::new();
        assert!(load(None, |word| words.push(word)).is_empty());
        assert_eq!(words.len(), 4);
        assert!(words.iter().all(|word| word.starts_with("LEFT OUT ") && word.contains(REAL_DATA)));
    }
}
