//! Successors on their way into a batch.

use kripke_model::words::MAX_WORDS;
use kripke_model::{Parts, Standing, State};

use super::results::{Change, MOST_MOVES};
use super::sites::Site;

/// The next place in the memory for successors.
pub(super) struct Out<const N: usize> {
    begin: *mut [u64; N],
    at: *mut [u64; N],
    /// From here on there is no room for the moves of another process.
    limit: *mut [u64; N],
}

impl<const N: usize> Out<N> {
    /// Memory behind these bytes, for so many successors, at least twice the most moves of a result.
    pub fn new(bytes: &mut Vec<u8>, room: usize) -> Out<N> {
        bytes.reserve(room * size_of::<[u64; N]>());
        let begin: *mut [u64; N] = bytes.spare_capacity_mut().as_mut_ptr().cast();
        Out { begin, at: begin, limit: begin.wrapping_add(room - MOST_MOVES - 2) }
    }

    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.at > self.limit
    }

    /// Writes two successors. There must be memory for them.
    #[inline(always)]
    pub fn write(&mut self, state: &[u64; N], differences: &[[u64; N]; 2]) {
        let [one, other] = differences.map(|difference| successor(state, &difference));
        // SAFETY: memory for all successors of a state, and more, was reserved.
        unsafe {
            self.at.write_unaligned(one);
            self.at.wrapping_add(1).write_unaligned(other);
        }
    }

    pub fn append(&mut self, state: &[u64; N], difference: &[u64; N]) {
        // SAFETY: as above.
        unsafe { self.at.write_unaligned(successor(state, difference)) };
        self.advance(1);
    }

    /// Writes a successor that a move makes by overwriting and copying bits.
    #[inline(always)]
    pub fn change(&mut self, state: &[u64; N], change: &Change<N>) {
        let mut kept: [u64; N] = std::array::from_fn(|i| state[i] & !change.overwritten[i]);
        for copied in &change.copies {
            let from = state[usize::from(copied.from)].rotate_left(u32::from(copied.rotation));
            kept[usize::from(copied.to)] ^= from & copied.bits;
        }
        self.append(&kept, &change.difference);
    }

    #[inline(always)]
    pub fn advance(&mut self, successors: usize) {
        self.at = self.at.wrapping_add(successors);
    }

    /// The number of successors.
    #[inline(always)]
    pub fn count(&self) -> usize {
        (self.at.addr() - self.begin.addr()) / size_of::<[u64; N]>()
    }

    /// The number of bytes up to here.
    pub fn len(&self, bytes: &[u8]) -> usize {
        self.at.addr() - bytes.as_ptr().addr()
    }
}

/// The successor with this difference, as it is stored.
#[inline(always)]
fn successor<const N: usize>(state: &[u64; N], difference: &[u64; N]) -> [u64; N] {
    std::array::from_fn(|i| (state[i] ^ difference[i]).to_le())
}

/// The words of a state.
#[inline(always)]
pub(super) fn words<const N: usize>(state: &State) -> [u64; N] {
    let (words, _) = state.as_chunks::<8>();
    assert!(words.len() == N, "a state has {N} words");
    std::array::from_fn(|i| u64::from_le_bytes(words[i]))
}

/// The words of a state, and zeros.
pub(super) fn padded<const N: usize>(state: &[u64; N]) -> [u64; MAX_WORDS] {
    let mut words = [0; MAX_WORDS];
    words[..N].copy_from_slice(state);
    words
}

pub(super) fn is_watched<W: Watch>(_: &W) -> bool {
    W::WATCHES
}

/// What is told about the processes of a state while it is expanded.
pub(super) trait Watch {
    const WATCHES: bool;

    /// A process stands at the location of a row.
    fn stands(&mut self, site: &Site, row: usize);

    /// So many successors are there after the moves of a process.
    fn moves(&mut self, site: &Site, successors: impl FnOnce() -> usize);
}

/// Nothing.
impl Watch for () {
    const WATCHES: bool = false;

    #[inline(always)]
    fn stands(&mut self, _: &Site, _: usize) {}

    #[inline(always)]
    fn moves(&mut self, _: &Site, _: impl FnOnce() -> usize) {}
}

impl Watch for Parts {
    const WATCHES: bool = true;

    #[inline(always)]
    fn stands(&mut self, site: &Site, row: usize) {
        let unknown = Standing { process: 0, location: 0 };
        self.standing.resize(self.standing.len().max(site.pid + 1), unknown);
        self.standing[site.pid] = Standing { process: site.process, location: site.location(row) };
    }

    #[inline(always)]
    fn moves(&mut self, site: &Site, successors: impl FnOnce() -> usize) {
        self.ends.push((site.pid as u8, self.first + successors()));
    }
}
