//! Extends minutes of ACC physics to hours, one page at a time.
//!
//! The minutes are repeated while the packet id keeps increasing, so no page equals an earlier one, and any page can be
//! generated from its number.

use anyhow::{Result, ensure};

use crate::data::acc_pages::{HZ, PACKET_ID_OFFSET, PACKET_ID_STEP, PAGE_BYTES};
use crate::data::bytes::{f32_at, i32_at};

/// Nanoseconds between pages.
pub(crate) const PAGE_NS: u64 = 1_000_000_000 / HZ;

/// The pages of a recording of any length.
#[derive(Debug, Clone)]
pub(crate) struct LongPages {
    base: Vec<u8>,
    first_packet_id: i32,
    count: u64,
    next: u64,
    page: [u8; PAGE_BYTES],
}

impl LongPages {
    /// Repeats `base` up to a length of `seconds`.
    pub(crate) fn new(base: Vec<u8>, seconds: u64) -> Result<Self> {
        ensure!(!base.is_empty() && base.len().is_multiple_of(PAGE_BYTES), "no whole pages to repeat");
        let first_packet_id = i32_at(&base, PACKET_ID_OFFSET);
        Ok(Self { base, first_packet_id, count: seconds * HZ, next: 0, page: [0; PAGE_BYTES] })
    }

    /// Returns the number of pages.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Returns a page by its number, from 0.
    pub(crate) fn page(&self, number: u64) -> [u8; PAGE_BYTES] {
        let mut page = [0; PAGE_BYTES];
        let base_pages = (self.base.len() / PAGE_BYTES) as u64;
        let at = (number % base_pages) as usize * PAGE_BYTES;
        if let Some(base) = self.base.get(at..at + PAGE_BYTES) {
            page.copy_from_slice(base);
        }
        let packet_id = self.first_packet_id.wrapping_add((number as i32).wrapping_mul(PACKET_ID_STEP));
        if let Some(place) = page.get_mut(PACKET_ID_OFFSET..PACKET_ID_OFFSET + 4) {
            place.copy_from_slice(&packet_id.to_le_bytes());
        }
        page
    }

    /// Returns the next page and its time.
    pub(crate) fn next_page(&mut self) -> Option<(u64, &[u8])> {
        let number = self.next;
        if number >= self.count {
            return None;
        }
        self.next += 1;
        self.page = self.page(number);
        Some((number * PAGE_NS, &self.page))
    }

    /// Returns a float of the pages with these numbers.
    pub(crate) fn channel(&self, offset: usize, numbers: std::ops::Range<u64>) -> Vec<f32> {
        numbers.map(|number| f32_at(&self.page(number), offset)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{acc_pages, generated};

    #[test]
    fn pages_repeat_but_the_counter_goes_on() {
        let base = acc_pages::build(&generated::made_up_log(1, 1)).unwrap();
        let mut pages = LongPages::new(base.clone(), 3).unwrap();
        let mut seen = 0;
        while let Some((time_ns, page)) = pages.next_page().map(|(time_ns, page)| (time_ns, page.to_vec())) {
            assert_eq!(time_ns, seen * PAGE_NS);
            assert_eq!(i32_at(&page, PACKET_ID_OFFSET), 1000 + 3 * seen as i32);
            assert_eq!(page[4..], base[(seen as usize % 100) * PAGE_BYTES..][4..PAGE_BYTES]);
            assert_eq!(page, pages.page(seen));
            seen += 1;
        }
        assert_eq!(seen, 300);
    }

    #[test]
    fn nothing_to_repeat_is_an_error() {
        assert!(LongPages::new(Vec::new(), 1).is_err());
        assert!(LongPages::new(vec![0; 801], 1).is_err());
    }
}
