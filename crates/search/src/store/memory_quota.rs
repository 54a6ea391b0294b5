//! The memory quota of a store. Workers draw states and bytes from it in portions, so that they seldom contend for
//! it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::{Capacity, Full};

/// Size of a portion while the quota is far from exhausted.
const STATES: u64 = 1 << 20;
const BYTES: u64 = 1 << 16;
/// A number of states or bytes that is never reached.
const NO_LIMIT: u64 = u64::MAX / 4;

/// States and bytes that are left, and the counts of all workers.
#[derive(Debug)]
pub(super) struct MemoryQuota {
    states: AtomicU64,
    bytes: AtomicU64,
    tallies: Box<[Tally]>,
    /// Number of allowances handed out.
    opened: AtomicUsize,
}

/// Counts of one worker. Only this worker writes them.
#[derive(Default, Debug)]
#[repr(align(128))]
struct Tally {
    states: AtomicU64,
    bytes: AtomicU64,
    longest: AtomicU64,
}

/// The allowance of one worker.
#[derive(Debug)]
pub(crate) struct Allowance<'a> {
    quota: &'a MemoryQuota,
    worker: usize,
    /// Granted and not yet used.
    states_left: u64,
    bytes_left: u64,
    states: u64,
    bytes: u64,
    longest: u64,
}

impl MemoryQuota {
    /// A quota of which `bytes` are in use from the start.
    pub fn new(capacity: Capacity, workers: usize, bytes: u64) -> MemoryQuota {
        MemoryQuota {
            states: AtomicU64::new(capacity.states.min(NO_LIMIT)),
            bytes: AtomicU64::new(capacity.bytes.min(NO_LIMIT).saturating_sub(bytes)),
            tallies: (0..workers).map(|_| Tally::default()).collect(),
            opened: AtomicUsize::new(0),
        }
    }

    /// Creates the allowance of one worker. It is called once per worker.
    pub fn allowance(&self) -> Allowance<'_> {
        let worker = self.opened.fetch_add(1, Ordering::Relaxed);
        assert!(worker < self.tallies.len(), "allowances for {} workers", self.tallies.len());
        Allowance { quota: self, worker, states_left: 0, bytes_left: 0, states: 0, bytes: 0, longest: 0 }
    }

    /// Reserves bytes for tables, if the quota permits.
    pub fn reserve(&self, bytes: u64) -> bool {
        take(&self.bytes, bytes, bytes).is_some()
    }

    /// Returns bytes to the quota.
    pub fn release(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The number of states that all workers have added.
    pub fn states(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.states.load(Ordering::Relaxed)).sum()
    }

    /// Bytes that all workers have used, without tables.
    pub fn bytes(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.bytes.load(Ordering::Relaxed)).sum()
    }

    /// Length of the longest state, in bytes.
    pub fn longest(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.longest.load(Ordering::Relaxed)).max().unwrap_or(0)
    }
}

impl Allowance<'_> {
    /// Checks that one more state of so many bytes is permitted.
    #[inline]
    pub fn check(&mut self, bytes: u64) -> Result<(), Full> {
        if self.states_left > 0 && self.bytes_left >= bytes { Ok(()) } else { self.draw(bytes) }
    }

    /// Uses what was checked.
    #[inline]
    pub fn spend(&mut self, length: u64, bytes: u64) {
        self.states_left -= 1;
        self.states += 1;
        self.longest = self.longest.max(length);
        self.bytes_left -= bytes;
        self.bytes += bytes;
    }

    /// How many of `count` states without bytes of their own are permitted, at least one.
    #[inline]
    pub fn check_some(&mut self, count: usize) -> Result<usize, Full> {
        self.check(0)?;
        Ok(usize::try_from(self.states_left).unwrap_or(usize::MAX).min(count))
    }

    /// Uses so many states of what was checked.
    #[inline]
    pub fn spend_some(&mut self, states: usize, length: u64) {
        if states > 0 {
            self.states_left -= states as u64;
            self.states += states as u64;
            self.longest = self.longest.max(length);
        }
    }

    /// Uses bytes for other data, if the quota permits.
    #[inline]
    pub fn take_bytes(&mut self, bytes: u64) -> Result<(), Full> {
        if self.bytes_left < bytes {
            self.draw_bytes(bytes)?;
        }
        self.bytes_left -= bytes;
        self.bytes += bytes;
        Ok(())
    }

    /// Uses bytes for other data, whether or not the quota permits.
    pub fn overspend(&mut self, bytes: u64) {
        self.bytes += bytes;
        if take(&self.quota.bytes, bytes, bytes).is_none() {
            self.quota.bytes.store(0, Ordering::Relaxed);
        }
    }

    #[cold]
    fn draw(&mut self, bytes: u64) -> Result<(), Full> {
        if self.states_left == 0 {
            // A limit on states is exact: portions of one leave no unused states with other workers.
            let limited = self.quota.states.load(Ordering::Relaxed) < NO_LIMIT / 2;
            let wanted = if limited { 1 } else { STATES };
            self.states_left = take(&self.quota.states, 1, wanted).ok_or(Full::States)?;
        }
        if self.bytes_left < bytes { self.draw_bytes(bytes) } else { Ok(()) }
    }

    #[cold]
    fn draw_bytes(&mut self, bytes: u64) -> Result<(), Full> {
        let plenty = self.quota.bytes.load(Ordering::Relaxed) > 16 * BYTES * self.quota.tallies.len() as u64;
        let wanted = if plenty { BYTES.max(bytes) } else { bytes };
        self.bytes_left += take(&self.quota.bytes, bytes, wanted).ok_or(Full::Memory)?;
        Ok(())
    }

    /// Publishes the counts of this worker.
    #[inline]
    pub fn publish(&self) {
        let tally = &self.quota.tallies[self.worker];
        tally.states.store(self.states, Ordering::Relaxed);
        tally.bytes.store(self.bytes, Ordering::Relaxed);
        tally.longest.store(self.longest, Ordering::Relaxed);
    }
}

/// Takes `wanted`, or at least `needed`, from what is left.
fn take(left: &AtomicU64, needed: u64, wanted: u64) -> Option<u64> {
    let some = |left: u64| (left >= needed).then(|| left.min(wanted));
    let before = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| some(left).map(|taken| left - taken));
    before.ok().and_then(some)
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn the_quota_is_not_exceeded() {
        let quota = MemoryQuota::new(Capacity { states: 100_000, bytes: 1_000_000 }, 3, 1000);
        let mut allowances = [(); 3].map(|()| quota.allowance());
        for n in 0.. {
            let allowance = &mut allowances[n % 3];
            if allowance.check(20).is_err() {
                break;
            }
            allowance.spend(10, 20);
        }
        allowances.iter().for_each(Allowance::publish);
        assert_eq!((quota.states(), quota.bytes(), quota.longest()), (999_000 / 20, 999_000 / 20 * 20, 10));
        assert!(!quota.reserve(20));
        quota.release(20);
        assert!(quota.reserve(20));
    }
}
