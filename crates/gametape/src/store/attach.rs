//! Matches user edits to laps after a tape has been split into laps again. Pure functions.
//!
//! An edit belongs to a time range of the tape. It is attached to the lap that covers most of that range, provided that the overlap is at
//! least half of the shorter of the two. A lap that only touches the range does not match.

/// A time range of a tape. A range without an end extends to the end of the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) start_ns: u64,
    pub(super) end_ns: Option<u64>,
}

impl Stretch {
    fn end(self) -> u64 {
        self.end_ns.unwrap_or(u64::MAX).max(self.start_ns)
    }

    fn length(self) -> u64 {
        self.end() - self.start_ns
    }

    /// Returns the length of the overlap with `other`, in nanoseconds.
    pub(super) fn overlap(self, other: Self) -> u64 {
        self.end().min(other.end()).saturating_sub(self.start_ns.max(other.start_ns))
    }
}

/// Returns the index of the candidate that an edit of the range `meant` now applies to.
pub(super) fn attach(meant: Stretch, candidates: &[Stretch]) -> Option<usize> {
    let mut best: Option<(u64, usize)> = None;
    for (at, candidate) in candidates.iter().enumerate() {
        let overlap = meant.overlap(*candidate);
        let enough = overlap > 0 && overlap >= meant.length().min(candidate.length()).div_ceil(2);
        // On a tie, the first candidate wins.
        if enough && best.is_none_or(|(most, _)| overlap > most) {
            best = Some((overlap, at));
        }
    }
    // Inferred laps have zero length, so they match only by an identical range.
    best.map(|(_, at)| at).or_else(|| candidates.iter().position(|candidate| *candidate == meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(start_ns: u64, end_ns: u64) -> Stretch {
        Stretch { start_ns, end_ns: Some(end_ns) }
    }

    #[test]
    fn the_lap_that_covers_most_is_the_one_that_was_meant() {
        let laps = [stretch(0, 90), stretch(90, 200), stretch(200, 300)];
        assert_eq!(attach(stretch(100, 200), &laps), Some(1));
        // Boundaries shifted slightly earlier or later.
        assert_eq!(attach(stretch(95, 204), &laps), Some(1));
        assert_eq!(attach(stretch(80, 190), &laps), Some(1));
        // One lap split into two, and two laps merged into one.
        assert_eq!(attach(stretch(0, 200), &laps), Some(1));
        assert_eq!(attach(stretch(150, 200), &[stretch(0, 200)]), Some(0));
        // A lap that only touches the range.
        assert_eq!(attach(stretch(280, 500), &[stretch(0, 300)]), None);
        assert_eq!(attach(stretch(300, 400), &laps), None);
    }

    #[test]
    fn laps_without_a_length_and_without_an_end_are_found_too() {
        assert_eq!(attach(stretch(50, 50), &[stretch(0, 50), stretch(50, 50), stretch(50, 90)]), Some(1));
        let open = Stretch { start_ns: 200, end_ns: None };
        assert_eq!(attach(open, &[stretch(0, 200), stretch(200, 290)]), Some(1));
        assert_eq!(attach(stretch(200, 290), &[stretch(0, 200), open]), Some(1));
    }
}
