//! Which lap a user's word is about, after the tape was cut into laps anew. Pure.
//!
//! What a user said belongs to a stretch of tape. It goes to the lap that covers most of that stretch, if the two share at least half of
//! the shorter one: a lap that merely touches it was not meant.

/// A stretch of tape. One that has no end yet reaches to the end of the tape.
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

    /// How much of it the other covers.
    pub(super) fn overlap(self, other: Self) -> u64 {
        self.end().min(other.end()).saturating_sub(self.start_ns.max(other.start_ns))
    }
}

/// The place in `candidates` of the one that `meant` is about now.
pub(super) fn attach(meant: Stretch, candidates: &[Stretch]) -> Option<usize> {
    let mut best: Option<(u64, usize)> = None;
    for (at, candidate) in candidates.iter().enumerate() {
        let overlap = meant.overlap(*candidate);
        let enough = overlap > 0 && overlap >= meant.length().min(candidate.length()).div_ceil(2);
        // The first of two that cover the same.
        if enough && best.is_none_or(|(most, _)| overlap > most) {
            best = Some((overlap, at));
        }
    }
    // Laps that were only inferred have no length: they are known by where they are.
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
        // Cut a little earlier or later.
        assert_eq!(attach(stretch(95, 204), &laps), Some(1));
        assert_eq!(attach(stretch(80, 190), &laps), Some(1));
        // One lap that became two, and two that became one.
        assert_eq!(attach(stretch(0, 200), &laps), Some(1));
        assert_eq!(attach(stretch(150, 200), &[stretch(0, 200)]), Some(0));
        // A lap that merely touches it.
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
