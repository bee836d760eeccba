//! Datagrams in a queue: their bytes one after the other, and what is known of each.

use std::time::Instant;

/// A datagram that was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrived<'a> {
    /// When it arrived, as the system says.
    pub(super) at: Instant,
    /// Index of its stream among the streams of its game; `None` if it is not a datagram of the game.
    pub(super) stream: Option<usize>,
    /// What is recorded.
    pub(super) bytes: &'a [u8],
}

/// Datagrams in the order in which they arrived.
#[derive(Debug, Default)]
pub(super) struct Datagrams {
    items: Vec<(Instant, Option<usize>, usize)>,
    bytes: Vec<u8>,
}

impl Datagrams {
    pub(super) fn push(&mut self, datagram: Arrived<'_>) {
        self.bytes.extend_from_slice(datagram.bytes);
        self.items.push((datagram.at, datagram.stream, self.bytes.len()));
    }

    pub(super) fn get(&self, index: usize) -> Option<Arrived<'_>> {
        let (at, stream, end) = *self.items.get(index)?;
        let start = index.checked_sub(1).and_then(|before| self.items.get(before)).map_or(0, |(_, _, end)| *end);
        Some(Arrived { at, stream, bytes: self.bytes.get(start..end)? })
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns what the queue costs: also an empty datagram takes some memory.
    pub(super) fn cost_bytes(&self) -> usize {
        self.bytes.len() + self.items.len() * size_of::<(Instant, Option<usize>, usize)>()
    }

    /// Removes all datagrams. Keeps some of the memory.
    pub(super) fn clear(&mut self) {
        const KEPT_BYTES: usize = 1 << 20;
        self.items.clear();
        self.bytes.clear();
        self.bytes.shrink_to(KEPT_BYTES);
        self.items.shrink_to(KEPT_BYTES / size_of::<(Instant, Option<usize>, usize)>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_come_back_as_they_were_put_in() {
        let at = Instant::now();
        let mut queue = Datagrams::default();
        for round in 0..2 {
            let given = [(Some(3), &b"abc"[..]), (None, b""), (Some(0), b"d")];
            given.iter().for_each(|(stream, bytes)| queue.push(Arrived { at, stream: *stream, bytes }));
            let back: Vec<_> = (0..4).map(|index| queue.get(index).map(|one| (one.stream, one.bytes))).collect();
            assert_eq!(back, [Some(given[0]), Some(given[1]), Some(given[2]), None], "{round}");
            assert!(queue.len() == 3 && queue.cost_bytes() > 4);
            queue.clear();
            assert!(queue.get(0).is_none() && queue.cost_bytes() == 0);
        }
    }
}
