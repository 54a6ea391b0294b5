//! Shared arrays with an entry per state. Pages of entries are allocated when one of their states is first used, and so
//! are groups of pages: state numbers are sparse, and a search of few states must not pay for the others.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Entries per page, and pages per group, as powers of two. Both are small under the shuttle scheduler.
const PAGE_BITS: u32 = if cfg!(shuttle) { 4 } else { 12 };
const GROUP_BITS: u32 = if cfg!(shuttle) { 0 } else { 10 };
const GROUPS: usize = if cfg!(shuttle) { 1 } else { 1 << (32 - PAGE_BITS - GROUP_BITS) };

type Page<T> = OnceLock<Box<[T]>>;
type Group<T> = OnceLock<Box<[Page<T>]>>;

pub(in crate::explore) struct Pages<T> {
    groups: Box<[Group<T>]>,
    bytes: AtomicU64,
}

impl<T: Default> Pages<T> {
    pub fn new() -> Pages<T> {
        Pages { groups: (0..GROUPS).map(|_| OnceLock::new()).collect(), bytes: AtomicU64::new(0) }
    }

    /// The entry of a state.
    pub fn get(&self, number: u32) -> &T {
        let group = self.groups[(number >> (PAGE_BITS + GROUP_BITS)) as usize].get_or_init(|| self.group());
        let page = group[(number >> PAGE_BITS) as usize & ((1 << GROUP_BITS) - 1)].get_or_init(|| self.page());
        &page[number as usize & ((1 << PAGE_BITS) - 1)]
    }

    #[cold]
    fn group(&self) -> Box<[Page<T>]> {
        self.bytes.fetch_add((size_of::<Page<T>>() << GROUP_BITS) as u64, Ordering::Relaxed);
        (0..1 << GROUP_BITS).map(|_| OnceLock::new()).collect()
    }

    #[cold]
    fn page(&self) -> Box<[T]> {
        self.bytes.fetch_add((size_of::<T>() << PAGE_BITS) as u64, Ordering::Relaxed);
        (0..1 << PAGE_BITS).map(|_| T::default()).collect()
    }

    /// All entries on allocated pages, with the numbers of their states.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let groups = self.groups.iter().enumerate().filter_map(|(i, group)| Some((i << GROUP_BITS, group.get()?)));
        let pages = groups.flat_map(|(first, pages)| (first..).zip(pages.iter()));
        let pages = pages.filter_map(|(i, page)| Some(((i as u32) << PAGE_BITS, page.get()?)));
        pages.flat_map(|(first, page)| (first..=u32::MAX).zip(page.iter()))
    }

    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU8;

    #[test]
    fn every_number_has_its_own_entry() {
        let pages = Pages::<AtomicU8>::new();
        let numbers = [0, 1, 4095, 4096, 1 << 22, (1 << 22) - 1, 0x1234_5678, u32::MAX - 1, u32::MAX];
        for number in numbers {
            assert_eq!(pages.get(number).fetch_add(1, Ordering::Relaxed), 0, "{number}");
        }
        let mut used: Vec<u32> =
            pages.iter().filter(|(_, entry)| entry.load(Ordering::Relaxed) == 1).map(|(number, _)| number).collect();
        used.sort_unstable();
        let mut expected = numbers.to_vec();
        expected.sort_unstable();
        assert_eq!(used, expected);
        assert!(pages.bytes() < 1 << 20, "{} bytes for a few states", pages.bytes());
    }
}
