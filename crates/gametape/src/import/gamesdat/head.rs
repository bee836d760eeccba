//! The header of a GamesDat file. Files from before 2026-01-26 have none and begin with the LZ4 frame.
//!
//! ```text
//! 0      4  "GDT", 0               9+G+0  N  type name, UTF-8
//! 4      2  version, 1             9+G+N  4  data version: major << 24 | minor << 16 | patch
//! 6      1  G                     13+G+N  4  bytes of a payload
//! 7      G  game id, UTF-8        17+G+N 16  reserved
//! 7+G    2  N                     33+G+N     LZ4 frame
//! ```

use super::GamesDatError;
use crate::import::{ImportError, Source};

/// Magic number of a file with a header.
const MAGIC: [u8; 4] = *b"GDT\0";

/// Longest possible header: both lengths at their maximum.
const MAX_BYTES: u64 = 33 + 0xFF + 0xFFFF;

/// The header of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Head {
    /// The header's bytes; empty if there is none.
    pub(super) bytes: Vec<u8>,
    pub(super) game: Option<String>,
    /// The assembly-qualified .NET type name of a payload.
    pub(super) type_name: Option<String>,
    pub(super) data_version: Option<u32>,
    pub(super) payload_bytes: Option<i32>,
}

impl Head {
    pub(super) fn read(source: &Source) -> Result<Self, ImportError> {
        let bytes = source.read(&(0..source.bytes.min(MAX_BYTES)))?;
        if !bytes.starts_with(&MAGIC) {
            return Ok(Self::default());
        }
        Ok(Self::parse(&bytes)?)
    }

    /// Parses the first bytes of a file that begins with [`MAGIC`].
    fn parse(bytes: &[u8]) -> Result<Self, GamesDatError> {
        let mut at = MAGIC.len();
        let mut take = |part: &'static str, length: usize| {
            let cut = GamesDatError::HeaderCut { part, offset: at as u64, file_bytes: bytes.len() as u64 };
            let taken = bytes.get(at..at + length).ok_or(cut)?;
            at += length;
            Ok::<_, GamesDatError>(taken)
        };
        let version = u16::from_le_bytes(take("version", 2)?.try_into().unwrap_or_default());
        if version > 1 {
            return Err(GamesDatError::Version { found: version });
        }
        let length = take("length of the game id", 1)?.first().copied().unwrap_or_default();
        let game = String::from_utf8_lossy(take("game id", length.into())?).into_owned();
        let length = u16::from_le_bytes(take("length of the type name", 2)?.try_into().unwrap_or_default());
        let type_name = String::from_utf8_lossy(take("type name", length.into())?).into_owned();
        let data_version = u32::from_le_bytes(take("data version", 4)?.try_into().unwrap_or_default());
        let payload_bytes = i32::from_le_bytes(take("payload length", 4)?.try_into().unwrap_or_default());
        take("reserved bytes", 16)?;
        Ok(Self {
            bytes: bytes.get(..at).unwrap_or_default().to_vec(),
            game: Some(game),
            type_name: Some(type_name),
            data_version: Some(data_version),
            payload_bytes: Some(payload_bytes),
        })
    }

    /// Returns the unqualified type name: `ACCPhysics` of `GamesDat.Core.…​.ACCPhysics, GamesDat.Core, …`. The parts around it changed
    /// over time.
    pub(super) fn short_type(&self) -> Option<&str> {
        let full = self.type_name.as_deref()?.split(',').next()?.trim();
        full.rsplit(['.', '+']).next().filter(|name| !name.is_empty())
    }

    /// Formats the data version as `1.2.3`.
    pub(super) fn data_version_text(&self) -> Option<String> {
        let [patch_low, patch_high, minor, major] = self.data_version?.to_le_bytes();
        Some(format!("{major}.{minor}.{}", u16::from_le_bytes([patch_low, patch_high])))
    }
}
