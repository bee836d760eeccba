//! How a recorder knows that it records a player and not a game.
//!
//! A player of gametape keeps a small section beside those of the game, with the id of its tape and the number of its process. A
//! section that a killed player left behind does not count.
//!
//! ```text
//! 0 "GTPLAYER"   8 process id (u32)   12 tape id, 16 bytes   28 zero        64 bytes
//! ```

use std::io;

use gametape_format::TapeId;

use crate::sys::{Prefix, SectionReader, SectionWriter};

const SECTION: &str = "gametape_player";
const MAGIC: &[u8; 8] = b"GTPLAYER";
const BYTES: usize = 64;

/// A player's sign that it plays; goes away with [`PlaybackSign::remove`].
#[derive(Debug)]
pub struct PlaybackSign(SectionWriter);

impl PlaybackSign {
    /// Puts up the sign.
    pub fn put_up(prefix: &Prefix, tape: TapeId) -> io::Result<Self> {
        let section = SectionWriter::create(&prefix.section(SECTION), BYTES as u64)?;
        let mut bytes = [0; BYTES];
        let parts = MAGIC.iter().copied().chain(std::process::id().to_le_bytes()).chain(tape.0);
        bytes.iter_mut().zip(parts).for_each(|(to, from)| *to = from);
        section.write(0, &bytes)?;
        Ok(Self(section))
    }

    /// Takes the sign down.
    pub fn remove(self) -> io::Result<()> {
        self.0.write(0, &[0; BYTES])?;
        self.0.remove()
    }
}

/// Id of the tape that a living player plays under these names.
pub fn tape_being_played(prefix: &Prefix) -> Option<String> {
    let section = SectionReader::open(&prefix.section(SECTION)).ok()??;
    let mut bytes = [0; BYTES];
    section.copy(0, &mut bytes).ok()?;
    let (magic, rest) = bytes.split_first_chunk::<8>()?;
    let (process, rest) = rest.split_first_chunk::<4>()?;
    let (id, _) = rest.split_first_chunk::<16>()?;
    let plays = magic == MAGIC && crate::sys::process_runs(u32::from_le_bytes(*process));
    plays.then(|| TapeId(*id).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_seen_while_its_player_lives() {
        let prefix = Prefix::new(&format!("gametape-test-{}-sign-", std::process::id())).unwrap();
        assert_eq!(tape_being_played(&prefix), None);
        let sign = PlaybackSign::put_up(&prefix, TapeId([7; 16])).unwrap();
        assert_eq!(tape_being_played(&prefix), Some(TapeId([7; 16]).to_string()));
        sign.0.write(8, &u32::MAX.to_le_bytes()).unwrap();
        assert_eq!(tape_being_played(&prefix), None, "no process has that number");
        sign.remove().unwrap();
        assert_eq!(tape_being_played(&prefix), None);
    }
}
