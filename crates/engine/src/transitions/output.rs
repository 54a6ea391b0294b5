//! Successors on their way into a batch.

use kripke_model::words::MAX_WORDS;
use kripke_model::{Arrival, Parts, Standing, State};

use super::results::{Change, MOST_MOVES};
use super::sites::Site;
use super::sleep::{AT_ONCE, Steps};

/// Takes successors.
pub(super) trait Output<const N: usize> {
    /// Takes the successors by so many steps from a number on.
    fn append(&mut self, state: &[u64; N], steps: (u32, usize), known: &Steps<N>);

    /// Takes the successor by a step that overwrites or copies bits.
    fn change(&mut self, state: &[u64; N], change: &(Change<N>, u32));

    /// Whether there is only room for the moves of all processes by the first of their rows.
    fn is_full(&self) -> bool;

    /// The number of successors.
    fn count(&self) -> usize;
}

/// The next place in the memory for successors.
pub(super) struct Out<const N: usize> {
    begin: *mut [u64; N],
    at: *mut [u64; N],
    /// From here on there is only room for so many moves as the states of this shape can have by the first rows of processes.
    limit: *mut [u64; N],
}

impl<const N: usize> Out<N> {
    /// Memory behind these bytes, for the successors of a state with so many processes.
    pub fn new(bytes: &mut Vec<u8>, processes: usize) -> Out<N> {
        let most = Self::most(processes);
        bytes.reserve(2 * most * size_of::<[u64; N]>());
        let begin: *mut [u64; N] = bytes.spare_capacity_mut().as_mut_ptr().cast();
        Out { begin, at: begin, limit: begin.wrapping_add(most) }
    }

    /// No less than the successors by the first rows of so many processes, and one more result.
    fn most(processes: usize) -> usize {
        (processes + 2) * MOST_MOVES
    }

    /// Writes a successor. There must be memory for it.
    #[inline(always)]
    fn write(&mut self, ahead: usize, successor: [u64; N]) {
        // SAFETY: memory for all successors of a state, and more, was reserved.
        unsafe { self.at.wrapping_add(ahead).write_unaligned(successor.map(u64::to_le)) };
    }

    #[inline(always)]
    fn advance(&mut self, successors: usize) {
        self.at = self.at.wrapping_add(successors);
    }

    /// The number of bytes up to here.
    pub fn len(&self, bytes: &[u8]) -> usize {
        self.at.addr() - bytes.as_ptr().addr()
    }
}

impl<const N: usize> Output<N> for Out<N> {
    #[inline(always)]
    fn append(&mut self, state: &[u64; N], (mut number, mut count): (u32, usize), known: &Steps<N>) {
        loop {
            // What is written behind the last one is overwritten.
            let ahead = std::array::from_fn::<_, AT_ONCE, _>(|i| successor(state, known.difference(number, i)));
            (0..AT_ONCE).for_each(|i| self.write(i, ahead[i]));
            if count <= AT_ONCE {
                return self.advance(count);
            }
            self.advance(AT_ONCE);
            (number, count) = (number + AT_ONCE as u32, count - AT_ONCE);
        }
    }

    #[inline(always)]
    fn change(&mut self, state: &[u64; N], (change, _): &(Change<N>, u32)) {
        let mut kept: [u64; N] = std::array::from_fn(|i| state[i] & !change.overwritten[i]);
        for copied in &change.copies {
            let from = state[usize::from(copied.from)].rotate_left(u32::from(copied.rotation));
            kept[usize::from(copied.to)] ^= from & copied.bits;
        }
        self.write(0, successor(&kept, &change.difference));
        self.advance(1);
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.at > self.limit
    }

    #[inline(always)]
    fn count(&self) -> usize {
        (self.at.addr() - self.begin.addr()) / size_of::<[u64; N]>()
    }
}

/// Successors, each with the step that leads there and the one by which its predecessor was discovered.
pub(super) struct OutOfSteps<const N: usize> {
    pub out: Out<N>,
    at: *mut StepPair,
    by: u32,
}

/// The number of a step, and of the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepPair {
    pub step: u32,
    pub by: u32,
}

impl<const N: usize> OutOfSteps<N> {
    /// Memory behind these bytes and these steps, for the successors of a state with so many processes.
    #[inline(always)]
    pub fn new(bytes: &mut Vec<u8>, pairs: &mut Vec<StepPair>, processes: usize, by: Arrival) -> OutOfSteps<N> {
        pairs.reserve(2 * Out::<N>::most(processes));
        let at = pairs.spare_capacity_mut().as_mut_ptr().cast();
        OutOfSteps { out: Out::new(bytes, processes), at, by: by.0 }
    }

    #[inline(always)]
    fn write(&mut self, ahead: usize, step: u32) {
        // SAFETY: memory for the steps to all successors of a state, and more, was reserved.
        unsafe { self.at.wrapping_add(ahead).write(StepPair { step, by: self.by }) };
    }
}

impl<const N: usize> Output<N> for OutOfSteps<N> {
    #[inline(always)]
    fn append(&mut self, state: &[u64; N], (number, count): (u32, usize), known: &Steps<N>) {
        self.out.append(state, (number, count), known);
        let mut ahead = 0;
        loop {
            (ahead..ahead + AT_ONCE).for_each(|i| self.write(i, number + i as u32));
            ahead += AT_ONCE;
            if count <= ahead {
                break;
            }
        }
        self.at = self.at.wrapping_add(count);
    }

    #[inline(always)]
    fn change(&mut self, state: &[u64; N], change: &(Change<N>, u32)) {
        self.write(0, change.1);
        self.out.change(state, change);
        self.at = self.at.wrapping_add(1);
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.out.is_full()
    }

    #[inline(always)]
    fn count(&self) -> usize {
        self.out.count()
    }
}

/// The successor with this difference.
#[inline(always)]
fn successor<const N: usize>(state: &[u64; N], difference: &[u64; N]) -> [u64; N] {
    std::array::from_fn(|i| state[i] ^ difference[i])
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
