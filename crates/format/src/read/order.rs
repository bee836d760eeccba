//! Which blocks and journal rows of a stream can stand together: times rise with sequence numbers, and no more numbers are missing than the files
//! have room for. A row that contradicts the others (forged, or written by a defect) is left out, and the others are kept.

use std::collections::BTreeMap;

use super::catalog::{Located, Place};

/// Frames that a byte of a tape may stand for: blocks of frames that hardly change are very small.
const FRAMES_PER_BYTE: u64 = 16;

/// Takes blocks out whose sequence numbers lie further from the others than files of so many bytes can explain by damage; `blocks` are sorted by
/// sequence number, and `before` frames stand before them. Gives what was taken out: the side of the leap that has fewer frames.
pub(super) fn leave_out_leaps(blocks: &mut Vec<Located>, before: u64, file_bytes: u64) -> Vec<Located> {
    let most = file_bytes.saturating_mul(FRAMES_PER_BYTE);
    let frames = |blocks: &[Located]| blocks.iter().map(|block| u64::from(block.rows)).sum::<u64>();
    let (mut left_out, mut start, mut remaining) = (Vec::new(), 0, frames(blocks));
    // Each block is looked at once, however many leaps there are.
    while let Some(rest) = blocks.get(start..) {
        let leaps = |pair: &[Located]| match pair {
            [one, other] => other.first_seq.saturating_sub(one.end_seq()) > most,
            _ => false,
        };
        let Some(leap) = rest.windows(2).position(leaps) else { break };
        let (front, behind) = rest.split_at(leap + 1);
        let in_front = frames(front);
        remaining -= in_front;
        if before.saturating_add(in_front) < remaining {
            left_out.extend_from_slice(front);
            start += front.len();
        } else {
            left_out.extend_from_slice(behind);
            blocks.truncate(start + leap + 1);
            break;
        }
    }
    blocks.drain(..start);
    left_out
}

/// Takes blocks out whose times contradict those of the others; `blocks` are sorted by sequence number. Of all ways to do that, the one that
/// keeps most frames. Gives what was taken out.
pub(super) fn leave_out_of_order(blocks: &mut Vec<Located>) -> Vec<Located> {
    let fits = |(one, other): (&Located, &Located)| last_at_least(one) <= first_at_most(other);
    if blocks.iter().zip(blocks.iter().skip(1)).all(fits) {
        return Vec::new();
    }
    // Of chains that end before a time: the one with most frames, as frames and number of its last block. Both rise with the time.
    let mut best: BTreeMap<u64, (u64, usize)> = BTreeMap::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(blocks.len());
    for (number, block) in blocks.iter().enumerate() {
        let (frames, chain) = match best.range(..=first_at_most(block)).next_back() {
            Some((_, (frames, last))) => (*frames, Some(*last)),
            None => (0, None),
        };
        before.push(chain);
        let frames = frames.saturating_add(u64::from(block.rows));
        let end = last_at_least(block);
        if best.range(..=end).next_back().is_some_and(|(_, (known, _))| *known >= frames) {
            continue;
        }
        let worse = |(at, (known, _)): (&u64, &(u64, usize))| (*known <= frames).then_some(*at);
        while let Some(at) = best.range(end..).next().and_then(worse) {
            best.remove(&at);
        }
        best.insert(end, (frames, number));
    }
    let mut kept = vec![false; blocks.len()];
    let mut next = best.last_key_value().map(|(_, (_, number))| *number);
    while let Some(number) = next {
        if let Some(kept) = kept.get_mut(number) {
            *kept = true;
        }
        next = before.get(number).copied().flatten();
    }
    let mut left_out = Vec::new();
    let mut kept = kept.into_iter();
    blocks.retain(|block| {
        let stays = kept.next().unwrap_or(true);
        if !stays {
            left_out.push(*block);
        }
        stays
    });
    left_out
}

/// Whether all rows of its run are meant: else its times are those of the whole run, of which it is a part.
fn is_whole(block: &Located) -> bool {
    match block.place {
        Place::Tape { .. } => true,
        Place::Journal { run, .. } => run.rows == block.rows,
    }
}

/// The last frame is not before this.
fn last_at_least(block: &Located) -> u64 {
    if is_whole(block) { block.last_ns } else { block.first_ns }
}

/// The first frame is not behind this.
fn first_at_most(block: &Located) -> u64 {
    if is_whole(block) { block.first_ns } else { block.last_ns }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(first_seq: u64, rows: u32, first_ns: u64, last_ns: u64) -> Located {
        let place = Place::Tape { offset: 0, record_bytes: 0 };
        Located { first_seq, rows, first_ns, last_ns, raw_bytes: 0, place }
    }

    #[test]
    fn numbers_that_leap_further_than_the_files_allow_are_left_out() {
        let kept = |blocks: &[Located], before| {
            let mut blocks = blocks.to_vec();
            let left_out = leave_out_leaps(&mut blocks, before, 1000);
            let seqs = |blocks: &[Located]| blocks.iter().map(|block| block.first_seq).collect::<Vec<_>>();
            (seqs(&blocks), seqs(&left_out))
        };
        // 16,000 frames may be missing.
        assert_eq!(kept(&[block(0, 5, 0, 9), block(16_005, 1, 9, 9)], 0), (vec![0, 16_005], vec![]));
        assert_eq!(kept(&[block(0, 5, 0, 9), block(16_006, 1, 9, 9)], 0), (vec![0], vec![16_006]));
        let both = [block(7, 1, 0, 0), block(100_000, 50, 1, 2), block(1 << 40, 2, 3, 3)];
        assert_eq!(kept(&both, 0), (vec![100_000], vec![7, 1 << 40]));
        assert_eq!(kept(&both, 100), (vec![7], vec![100_000, 1 << 40]));
    }

    #[test]
    fn blocks_that_all_leap_are_sorted_out_in_one_pass() {
        // Quadratic work would be 10^11 steps: the test would not end.
        let mut blocks: Vec<_> = (0..400_000).map(|number| block(number << 40, 1, number, number)).collect();
        let left_out = leave_out_leaps(&mut blocks, 0, 1000);
        assert_eq!((blocks.len(), left_out.len()), (1, 399_999));
    }

    #[test]
    fn of_blocks_whose_times_contradict_each_other_most_frames_are_kept() {
        let kept = |blocks: &[Located]| {
            let mut blocks = blocks.to_vec();
            let left_out = leave_out_of_order(&mut blocks);
            let seqs = |blocks: &[Located]| blocks.iter().map(|block| block.first_seq).collect::<Vec<_>>();
            (seqs(&blocks), seqs(&left_out))
        };
        assert_eq!(kept(&[block(0, 5, 0, 9), block(5, 5, 9, 20)]), (vec![0, 5], vec![]));
        let behind = [block(0, 5, 0, 9), block(5, 5, 10, 20), block(1000, 1, 12, 12)];
        assert_eq!(kept(&behind), (vec![0, 5], vec![1000]));
        let late = [block(0, 5, 0, 9), block(5, 1, u64::MAX, u64::MAX), block(6, 5, 12, 20), block(11, 2, 20, 21)];
        assert_eq!(kept(&late), (vec![0, 6, 11], vec![5]));
        let early = [block(0, 1, 500, 500), block(1, 50, 10, 20), block(51, 50, 20, 30)];
        assert_eq!(kept(&early), (vec![1, 51], vec![0]));
    }
}
