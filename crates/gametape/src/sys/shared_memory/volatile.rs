//! Copies memory that another process may be writing.
//!
//! Each load and store is volatile, so that the compiler does not omit, repeat or reorder any of them: concurrent writes by another
//! process are the normal case. Copies eight bytes at a time where the alignment allows it, from the first byte to the last.
//! Callers add the fences.

const WORD: usize = size_of::<u64>();

/// Returns the number of bytes before the first aligned word.
fn before_words(address: usize, length: usize) -> usize {
    (address.wrapping_neg() % WORD).min(length)
}

/// Copies shared bytes into private memory.
///
/// # Safety
/// `from` has as many readable bytes as `to`.
pub(super) unsafe fn copy_out(from: *const u8, to: &mut [u8]) {
    let head = before_words(from.addr(), to.len());
    let (first, rest) = to.split_at_mut(head);
    let (words, last) = rest.as_chunks_mut::<WORD>();
    let mut at = from;
    // SAFETY: `at` covers as many bytes as `to` has, which the caller guarantees; words are aligned.
    unsafe {
        for byte in first {
            *byte = at.read_volatile();
            at = at.add(1);
        }
        for word in words {
            *word = at.cast::<u64>().read_volatile().to_ne_bytes();
            at = at.add(WORD);
        }
        for byte in last {
            *byte = at.read_volatile();
            at = at.add(1);
        }
    }
}

/// Copies private bytes into shared memory.
///
/// # Safety
/// `to` has as many writable bytes as `from`.
pub(super) unsafe fn copy_in(from: &[u8], to: *mut u8) {
    let head = before_words(to.addr(), from.len());
    let (first, rest) = from.split_at(head);
    let (words, last) = rest.as_chunks::<WORD>();
    let mut at = to;
    // SAFETY: as in `copy_out`.
    unsafe {
        for byte in first {
            at.write_volatile(*byte);
            at = at.add(1);
        }
        for word in words {
            at.cast::<u64>().write_volatile(u64::from_ne_bytes(*word));
            at = at.add(WORD);
        }
        for byte in last {
            at.write_volatile(*byte);
            at = at.add(1);
        }
    }
}

/// Maximum number of comparisons of a word: another process may write it between the two loads.
const LOOKS: usize = 1000;

/// Returns whether two addresses show the same memory, or at least equal contents.
///
/// # Safety
/// Both have that many readable bytes and are aligned to a word; the length is a multiple of eight.
pub(super) unsafe fn equal(one: *const u8, other: *const u8, length: usize) -> bool {
    let (one, other) = (one.cast::<u64>(), other.cast::<u64>());
    // SAFETY: guaranteed by the caller.
    let same = |at: usize| unsafe { one.add(at).read_volatile() == other.add(at).read_volatile() };
    (0..length / WORD).all(|at| (0..LOOKS).any(|_| same(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_and_length_is_copied_exactly() {
        let shared: Vec<u8> = (0..64).collect();
        for start in 0..20 {
            for length in 0..40 {
                let mut out = vec![0xff; length];
                // SAFETY: 20 + 40 bytes are inside the 64.
                unsafe { copy_out(shared.as_ptr().add(start), &mut out) };
                assert_eq!(out, shared[start..start + length]);
                let mut back = vec![0xff; 64];
                // SAFETY: as above.
                unsafe { copy_in(&out, back.as_mut_ptr().add(start)) };
                assert_eq!(&back[start..start + length], out);
                assert!(back[..start].iter().chain(&back[start + length..]).all(|byte| *byte == 0xff));
            }
        }
    }

    #[test]
    fn one_other_bit_anywhere_is_a_difference() {
        let one = [7_u64; 32];
        for at in 0..32 {
            let mut other = one;
            other[at] ^= 1 << at;
            // SAFETY: both have 256 bytes.
            let equal = |a: &[u64; 32], b: &[u64; 32]| unsafe { equal(a.as_ptr().cast(), b.as_ptr().cast(), 256) };
            assert!(equal(&one, &one) && !equal(&one, &other));
        }
    }
}
