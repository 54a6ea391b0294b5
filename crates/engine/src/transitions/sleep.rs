//! Sleep sets from the table of transitions: two steps are independent if neither changes a bit of the other's key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use kripke_model::Arrival;

use super::output::StepPair;

/// After so many successors it is judged whether sleep sets pay: so many of a hundred are left out.
const JUDGED: u64 = 1 << 16;
const WORTH: u64 = 39;

/// A step of a process, as the table has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Step<const N: usize> {
    /// The bits that decide whether there is this step: with those that tell the location and which processes there are.
    pub key: [u64; N],
    /// The bits that it changes. Where no others are overwritten or copied, these are all of them.
    pub difference: [u64; N],
    /// The position of the process among those of the state.
    pub place: u64,
}

impl<const N: usize> Step<N> {
    /// The transition to a state of which nothing is known.
    const UNKNOWN: Step<N> = Step { key: [u64::MAX; N], difference: [u64::MAX; N], place: 0 };

    /// Whether this step is in the sleep set of a state that was discovered by a step.
    #[inline(always)]
    pub fn sleeps_after(&self, by: &Step<N>) -> bool {
        let common = (0..N).fold(0, |bits, i| bits | self.key[i] & by.difference[i] | self.difference[i] & by.key[i]);
        (self.place < by.place) & (common == 0)
    }

    /// The words of a step, for a list of all threads.
    fn words(&self) -> impl Iterator<Item = u64> {
        self.key.into_iter().chain(self.difference).chain([self.place])
    }

    fn of_words(words: &[u64]) -> Step<N> {
        Step {
            key: std::array::from_fn(|i| words[i]),
            difference: std::array::from_fn(|i| words[N + i]),
            place: words[2 * N],
        }
    }
}

/// The numbers of steps, which all threads share: a thread may expand states that another one has discovered.
#[derive(Clone, Default, Debug)]
pub(crate) struct SharedSteps(Arc<Mutex<Numbered>>);

#[derive(Default, Debug)]
struct Numbered {
    /// The words of all steps.
    words: Vec<u64>,
    /// The number of the first of consecutive steps with these words.
    numbers: HashMap<Vec<u64>, u32>,
}

/// The steps that a thread knows, by their numbers.
#[derive(Debug)]
pub(super) struct Steps<const N: usize> {
    shared: SharedSteps,
    known: Vec<Step<N>>,
    /// The differences of all steps, and behind them as many as are read at once.
    differences: Vec<[u64; N]>,
    /// How many successors stay, before each of those that were judged last.
    awake: Vec<u32>,
}

/// The most differences that are read at once.
pub(super) const AT_ONCE: usize = 2;

impl<const N: usize> Steps<N> {
    pub fn new(shared: SharedSteps) -> Steps<N> {
        let (known, differences) = (vec![Step::UNKNOWN], vec![[0; N]; 1 + AT_ONCE]);
        Steps { shared, known, differences, awake: Vec::new() }
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Gives consecutive numbers to steps.
    pub fn number(&mut self, steps: &[Step<N>]) -> u32 {
        if steps.is_empty() {
            return 1;
        }
        let all: Vec<u64> = steps.iter().flat_map(Step::words).collect();
        let first = {
            let mut shared = self.shared.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Numbered { words, numbers } = &mut *shared;
            if words.is_empty() {
                words.extend(Step::<N>::UNKNOWN.words());
            }
            *numbers.entry(all).or_insert_with_key(|all| {
                let first = words.len() / (2 * N + 1);
                words.extend_from_slice(all);
                first as u32
            })
        };
        if first as usize >= self.known.len() {
            self.learn();
        }
        first
    }

    /// Learns the steps that other threads have numbered.
    #[cold]
    fn learn(&mut self) {
        let before = self.known.len();
        let shared = self.shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.known.extend(shared.words.chunks_exact(2 * N + 1).skip(before).map(Step::of_words));
        self.differences.truncate(before);
        self.differences.extend(self.known[before..].iter().map(|step| step.difference));
        self.differences.extend([[0; N]; AT_ONCE]);
    }

    /// Takes those successors out that are in the sleep sets of their predecessors. They are at the end of `bytes`, from `start` on. Puts
    /// the transitions to the others behind the first `before` arrivals, and corrects the `ends` of the successors of each state. Returns
    /// the number of successors that stay.
    #[inline(always)]
    pub fn leave_out(
        &mut self,
        pairs: &[StepPair],
        (bytes, start): (&mut Vec<u8>, usize),
        (arrivals, before): (&mut Vec<Arrival>, usize),
        ends: &mut [usize],
    ) -> usize {
        arrivals.resize(before, Arrival::UNKNOWN);
        arrivals.reserve(pairs.len());
        self.awake.clear();
        self.awake.reserve(pairs.len() + 1);
        assert!(bytes.len() - start >= pairs.len() * size_of::<[u64; N]>());
        let (to, counts) = (arrivals.spare_capacity_mut().as_mut_ptr(), self.awake.spare_capacity_mut().as_mut_ptr());
        let successors: *mut [u64; N] = bytes[start..].as_mut_ptr().cast();
        let mut count = 0;
        for (i, pair) in pairs.iter().enumerate() {
            let awake = !self.get(pair.step).sleeps_after(self.get(pair.by));
            // SAFETY: there are so many successors, and memory for as many transitions and counts. `count` is at most `i`.
            unsafe {
                (*counts.add(i)).write(count as u32);
                (*to.add(count)).write(Arrival(pair.step));
                let successor = successors.add(i).read_unaligned();
                successors.add(count).write_unaligned(successor);
            }
            count += usize::from(awake);
        }
        // SAFETY: so many were written.
        unsafe {
            (*counts.add(pairs.len())).write(count as u32);
            self.awake.set_len(pairs.len() + 1);
            arrivals.set_len(before + count);
        }
        bytes.truncate(start + count * size_of::<[u64; N]>());
        ends.iter_mut().for_each(|end| *end = before + self.awake[*end - before] as usize);
        count
    }

    /// Learns the steps by which these states were discovered.
    #[inline]
    pub fn know(&mut self, arrivals: &[Arrival]) {
        let are_known = |this: &Self| arrivals.iter().all(|arrival| (arrival.0 as usize) < this.known.len());
        if !are_known(self) {
            self.learn();
            assert!(are_known(self), "transitions are those of this model");
        }
    }

    /// The difference of the step with this number, or of one of the next ones, as many as are read at once.
    #[inline(always)]
    pub fn difference(&self, number: u32, ahead: usize) -> &[u64; N] {
        debug_assert!(number as usize <= self.known.len() && ahead < AT_ONCE);
        // SAFETY: as below; behind the last step there are so many.
        unsafe { self.differences.get_unchecked(number as usize + ahead) }
    }

    /// The step with this number, which is known.
    #[inline(always)]
    pub fn get(&self, number: u32) -> &Step<N> {
        debug_assert!((number as usize) < self.known.len());
        // SAFETY: `number` or `know` has made this number known, and steps are never removed.
        unsafe { self.known.get_unchecked(number as usize) }
    }
}

/// Whether sleep sets are used.
#[derive(Default, Debug)]
pub(super) struct Worth {
    is_given_up: bool,
    /// The numbers of successors since the last judgement, and of those left out.
    successors: u64,
    left_out: u64,
}

impl Worth {
    /// So many successors were made, and so many were left out.
    pub fn judge(&mut self, made: u64, left_out: u64) {
        self.successors += made + left_out;
        self.left_out += left_out;
        if self.successors >= JUDGED {
            self.is_given_up = self.left_out * 100 < self.successors * WORTH;
            (self.successors, self.left_out) = (0, 0);
        }
    }

    pub fn is_given_up(&self) -> bool {
        self.is_given_up
    }
}
