//! A zip archive that is written from its beginning to its end, for responses of several files. Members are stored, not packed: each has
//! its length and its checksum after it. Archives without zip64 end at 4 GiB.

use std::io::{self, Write as _};

use flate2::Crc;

use super::piped::Pipe;

/// Media type of archives.
pub(super) const MEDIA_TYPE: &str = "application/zip";

/// Stored, lengths after the data, UTF-8 names, 1980-01-01.
const KIND: [u8; 10] = [20, 0, 8, 8, 0, 0, 0, 0, 0x21, 0];

/// An archive that goes to a client.
pub(super) struct Zip<'a> {
    pipe: &'a mut Pipe,
    written: u64,
    member: Option<Member>,
    /// The entries of the members so far.
    central: Vec<u8>,
    members: u16,
}

struct Member {
    name: Vec<u8>,
    start: u32,
    crc: Crc,
    bytes: u64,
}

impl<'a> Zip<'a> {
    pub(super) fn new(pipe: &'a mut Pipe) -> Self {
        Self { pipe, written: 0, member: None, central: Vec::new(), members: 0 }
    }

    /// Begins a member; the one before it is complete.
    pub(super) fn begin(&mut self, name: &str) -> io::Result<()> {
        self.end_member()?;
        let name: Vec<u8> = name.bytes().take(usize::from(u16::MAX)).collect();
        let start = small(self.written)?;
        let local = [&b"PK\x03\x04"[..], &KIND, &[0; 12], &(name.len() as u16).to_le_bytes(), &[0, 0], &name].concat();
        self.put(&local)?;
        self.member = Some(Member { name, start, crc: Crc::new(), bytes: 0 });
        Ok(())
    }

    /// Appends to the member.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(member) = &mut self.member {
            member.crc.update(bytes);
            member.bytes += bytes.len() as u64;
        }
        self.put(bytes)
    }

    /// Fails if the client has disconnected.
    pub(super) fn is_wanted(&self) -> io::Result<()> {
        self.pipe.is_wanted()
    }

    /// Completes the archive.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.end_member()?;
        let (at, central) = (small(self.written)?, std::mem::take(&mut self.central));
        let members = self.members.to_le_bytes();
        self.put(&central)?;
        let length = small(central.len() as u64)?.to_le_bytes();
        self.put(&[&b"PK\x05\x06\0\0\0\0"[..], &members, &members, &length, &at.to_le_bytes(), &[0, 0]].concat())
    }

    fn end_member(&mut self) -> io::Result<()> {
        let Some(Member { name, start, crc, bytes }) = self.member.take() else { return Ok(()) };
        let bytes = small(bytes)?.to_le_bytes();
        let sums = [&crc.sum().to_le_bytes()[..], &bytes, &bytes].concat();
        self.put(&[b"PK\x07\x08", sums.as_slice()].concat())?;
        let name_bytes = (name.len() as u16).to_le_bytes();
        let entry = [&b"PK\x01\x02\x14\0"[..], &KIND, &sums, &name_bytes, &[0; 12], &start.to_le_bytes(), &name];
        self.central.extend_from_slice(&entry.concat());
        self.members = self.members.saturating_add(1);
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        self.pipe.write_all(bytes)
    }
}

fn small(value: u64) -> io::Result<u32> {
    u32::try_from(value).map_err(|_| io::Error::other("the archive is longer than 4 GiB"))
}
