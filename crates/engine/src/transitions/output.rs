//! Successors on their way into a batch.

use kripke_model::words::MAX_WORDS;
use kripke_model::{Arrival, Parts, Standing, State};

use super::results::{Change, MOST_MOVES, Moves};
use super::sites::Site;
use super::sleep::Steps;

/// Takes successors.
pub(super) trait Output<const N: usize> {
    /// Takes the successors by at most two moves.
    fn plain(&mut self, state: &[u64; N], moves: &Moves<N>, steps: &Steps<N>);

    /// Takes the successor by a step.
    fn append(&mut self, state: &[u64; N], number: u32, steps: &Steps<N>);

    /// Takes the successor by a step that overwrites or copies bits.
    fn change(&mut self, state: &[u64; N], change: &(Change<N>, u32));

    /// Whether there is no room for the moves of another process.
    fn is_full(&self) -> bool;

    /// The number of successors.
    fn count(&self) -> usize;
}

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

    /// Writes a successor. There must be memory for it.
    #[inline(always)]
    fn write(&mut self, ahead: usize, state: &[u64; N], difference: &[u64; N]) {
        // SAFETY: memory for all successors of a state, and more, was reserved.
        unsafe { self.at.wrapping_add(ahead).write_unaligned(successor(state, difference)) };
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
    fn plain(&mut self, state: &[u64; N], moves: &Moves<N>, _: &Steps<N>) {
        // What is written behind the last move is overwritten.
        self.write(0, state, &moves.first[0]);
        self.write(1, state, &moves.first[1]);
        self.advance(moves.count());
    }

    #[inline(always)]
    fn append(&mut self, state: &[u64; N], number: u32, steps: &Steps<N>) {
        self.write(0, state, &steps.get(number).difference);
        self.advance(1);
    }

    #[inline(always)]
    fn change(&mut self, state: &[u64; N], (change, _): &(Change<N>, u32)) {
        let mut kept: [u64; N] = std::array::from_fn(|i| state[i] & !change.overwritten[i]);
        for copied in &change.copies {
            let from = state[usize::from(copied.from)].rotate_left(u32::from(copied.rotation));
            kept[usize::from(copied.to)] ^= from & copied.bits;
        }
        self.write(0, &kept, &change.difference);
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
    /// Memory behind these bytes and these steps.
    #[inline(always)]
    pub fn new(bytes: &mut Vec<u8>, pairs: &mut Vec<StepPair>, room: usize, by: Arrival) -> OutOfSteps<N> {
        pairs.reserve(room);
        let at = pairs.spare_capacity_mut().as_mut_ptr().cast();
        OutOfSteps { out: Out::new(bytes, room), at, by: by.0 }
    }

    #[inline(always)]
    fn write(&mut self, ahead: usize, step: u32) {
        // SAFETY: memory for the steps to all successors of a state, and more, was reserved.
        unsafe { self.at.wrapping_add(ahead).write(StepPair { step, by: self.by }) };
    }
}

impl<const N: usize> Output<N> for OutOfSteps<N> {
    #[inline(always)]
    fn plain(&mut self, state: &[u64; N], moves: &Moves<N>, steps: &Steps<N>) {
        self.write(0, moves.number);
        self.write(1, moves.number + 1);
        self.out.plain(state, moves, steps);
        self.at = self.at.wrapping_add(moves.count());
    }

    #[inline(always)]
    fn append(&mut self, state: &[u64; N], number: u32, steps: &Steps<N>) {
        self.write(0, number);
        self.out.append(state, number, steps);
        self.at = self.at.wrapping_add(1);
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
