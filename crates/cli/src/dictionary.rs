//! `--dictionary FILE`: the zstd dictionary that Telemetry V2 captures were compressed with.

use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use gametape::format::open_regular;
use gametape::import::Dictionary;

/// Reads the dictionary, if one was named.
pub(crate) fn read(path: Option<&Path>) -> anyhow::Result<Option<Dictionary>> {
    let Some(path) = path else { return Ok(None) };
    let mut bytes = Vec::new();
    // Reads one byte more than the limit, so that a file that is too large is detected.
    open_regular(path)
        .and_then(|file| file.take(Dictionary::MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read the dictionary {}", path.display()))?;
    let dictionary = Dictionary::from_bytes(bytes);
    Ok(Some(dictionary.with_context(|| format!("cannot use {} as a dictionary", path.display()))?))
}
