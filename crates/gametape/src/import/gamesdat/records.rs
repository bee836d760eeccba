//! Splits decompressed bytes into records. Records are contiguous, and a block may end anywhere in one.
//!
//! ```text
//! 0  8  .NET ticks: 100 ns since 0001-01-01, UTC        8  4  bytes of the payload        12  n  payload
//! ```
//! All payloads of a file have the same length. A record with a different length is damaged; if the next one begins at the
//! expected offset, only that record is lost.

/// Bytes that precede the payload.
pub(super) const RECORD_HEAD_BYTES: usize = 12;

/// Longest payload that is read: slightly less than a tape can hold.
pub(super) const MAX_PAYLOAD_BYTES: usize = 8 << 20;

/// The next item.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next<'a> {
    /// A complete record.
    Record { bytes: &'a [u8] },
    /// A record with an invalid length, `found`.
    Damaged { bytes: &'a [u8], found: i32 },
    /// Record boundaries are lost from here on: the next record would have the length `found`.
    Lost { found: i32 },
    /// More bytes are needed.
    Wait,
}

/// Splits bytes into records as they arrive.
pub(super) struct Records {
    pending: Vec<u8>,
    /// Offset of the next record in `pending`.
    at: usize,
    payload_bytes: Option<usize>,
    /// Whether the input has ended.
    ended: bool,
}

impl Records {
    /// Creates a splitter for payloads of this length, or of the length of the first one if `None`.
    pub(super) fn new(payload_bytes: Option<usize>) -> Self {
        Self { pending: Vec::new(), at: 0, payload_bytes, ended: false }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.pending.drain(..self.at);
        self.at = 0;
        self.pending.extend_from_slice(bytes);
    }

    /// Marks the end of the input.
    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    pub(super) fn payload_bytes(&self) -> Option<usize> {
        self.payload_bytes
    }

    /// Returns the bytes that did not form a record.
    pub(super) fn rest(&mut self) -> &[u8] {
        let rest = self.pending.get(self.at..).unwrap_or_default();
        self.at = self.pending.len();
        rest
    }

    pub(super) fn next(&mut self) -> Next<'_> {
        let Some(found) = self.length_at(self.at) else { return Next::Wait };
        let said = usize::try_from(found).ok().filter(|bytes| (1..=MAX_PAYLOAD_BYTES).contains(bytes));
        let Some(expected) = self.payload_bytes.or(said) else { return Next::Lost { found } };
        let bytes = RECORD_HEAD_BYTES + expected;
        let end = self.at + bytes;
        if said == Some(expected) {
            self.payload_bytes = Some(expected);
            return match self.pending.get(self.at..end) {
                None => Next::Wait,
                Some(bytes) => {
                    self.at = end;
                    Next::Record { bytes }
                }
            };
        }
        match self.length_at(end) {
            Some(next) if usize::try_from(next) == Ok(expected) => {}
            None if self.ended && self.pending.len() == end => {}
            None if !self.ended => return Next::Wait,
            _ => return Next::Lost { found },
        }
        let start = std::mem::replace(&mut self.at, end);
        Next::Damaged { bytes: self.pending.get(start..end).unwrap_or_default(), found }
    }

    fn length_at(&self, record: usize) -> Option<i32> {
        let bytes = self.pending.get(record + 8..record + RECORD_HEAD_BYTES)?;
        bytes.try_into().ok().map(i32::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: u8, length: i32) -> Vec<u8> {
        [&[number; 8][..], &length.to_le_bytes(), &[number; 5]].concat()
    }

    fn all(records: &mut Records) -> Vec<(u8, i32)> {
        let mut found = Vec::new();
        loop {
            match records.next() {
                Next::Record { bytes } => found.push((bytes[0], 5)),
                Next::Damaged { bytes, found: length } => found.push((bytes[0], length)),
                Next::Lost { found: length } => {
                    found.push((255, length));
                    return found;
                }
                Next::Wait => return found,
            }
        }
    }

    #[test]
    fn records_come_whole_however_the_bytes_come() {
        let bytes: Vec<u8> = (1..=4).flat_map(|number| record(number, 5)).collect();
        for piece in 1..bytes.len() {
            let mut records = Records::new(None);
            let mut found = Vec::new();
            for part in bytes.chunks(piece) {
                records.push(part);
                found.extend(all(&mut records));
            }
            records.end();
            found.extend(all(&mut records));
            assert_eq!(found, [(1, 5), (2, 5), (3, 5), (4, 5)]);
            assert_eq!(records.rest(), b"");
        }
    }

    #[test]
    fn a_record_with_a_length_that_cannot_be_costs_itself() {
        for (lengths, expected) in [
            ([5, 9, 5], vec![(1, 5), (2, 9), (3, 5)]),
            ([5, 5, -1], vec![(1, 5), (2, 5), (3, -1)]),
            ([7, 5, 5], vec![(1, 7), (2, 5), (3, 5)]),
            ([5, 8, 9], vec![(1, 5), (255, 8)]),
        ] {
            let mut records = Records::new(Some(5));
            (1..).zip(lengths).for_each(|(number, length)| records.push(&record(number, length)));
            records.end();
            assert_eq!(all(&mut records), expected);
        }
    }

    #[test]
    fn a_first_length_that_cannot_be_is_not_believed() {
        for length in [0, -1, i32::MAX, i32::MIN] {
            let mut records = Records::new(None);
            records.push(&record(1, length));
            assert_eq!(records.next(), Next::Lost { found: length });
        }
    }
}
