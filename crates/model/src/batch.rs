//! Batches: the successors of states, as an engine writes them and a store reads them.

use crate::arrival::Arrival;
use crate::successors::{Finding, State};

/// Successor states laid end to end, and what was found wrong on the way.
#[derive(Clone, Default, Debug)]
pub struct Batch {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    findings: Vec<Finding>,
    /// The transitions to the first states. Nothing is known of those to the others.
    arrivals: Vec<Arrival>,
    /// The number of successors that sleep sets have left out.
    asleep: u64,
}

/// A batch with more states, or more bytes, is large.
const MANY_STATES: usize = 1 << 12;
const MANY_BYTES: usize = 1 << 20;

impl Batch {
    /// A batch without states and findings.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Removes all states and findings; allocations are kept.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.findings.clear();
        self.arrivals.clear();
        self.asleep = 0;
    }

    /// Keeps only the first states.
    pub fn truncate(&mut self, states: usize) {
        self.ends.truncate(states);
        self.bytes.truncate(self.ends.last().map_or(0, |end| *end as usize));
        self.arrivals.truncate(states);
    }

    /// Moves some states forward, in place of those that begin at `to`.
    pub(crate) fn shift(&mut self, range: std::ops::Range<usize>, to: usize) {
        let start = |ends: &[u32], i: usize| if i == 0 { 0 } else { ends[i - 1] as usize };
        if range.start == to {
            return;
        }
        let mut at = start(&self.ends, to);
        for (i, to) in range.zip(to..) {
            let (first, last) = (start(&self.ends, i), self.ends[i] as usize);
            self.bytes.copy_within(first..last, at);
            at += last - first;
            // Where the one before ends is known already, unless it was moved itself.
            self.ends[to] = at as u32;
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all states together.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the batch has so many states, or bytes, that it should be worked on before more are added.
    #[inline]
    pub fn is_large(&self) -> bool {
        self.ends.len() > MANY_STATES || self.bytes.len() > MANY_BYTES
    }

    /// Whether the batch has no states. It may have findings.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The state with this index.
    ///
    /// # Panics
    /// If there is no such state.
    #[inline]
    pub fn state(&self, i: usize) -> &State {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.bytes[start..self.ends[i] as usize]
    }

    /// All states, in the order they were appended.
    #[inline]
    pub fn states(&self) -> impl Iterator<Item = &State> {
        self.states_from(0)
    }

    /// All but the first `skip` states.
    #[inline]
    pub fn states_from(&self, skip: usize) -> impl Iterator<Item = &State> {
        let mut start = if skip == 0 { 0 } else { self.ends[skip - 1] as usize };
        self.ends[skip..].iter().map(move |&end| {
            let state = &self.bytes[start..end as usize];
            start = end as usize;
            state
        })
    }

    /// All states from this one on, if all states have this number of bytes.
    ///
    /// # Panics
    /// If some states have another length.
    #[inline]
    pub fn chunks_from<const N: usize>(&self, skip: usize) -> &[[u8; N]] {
        assert_eq!(self.bytes.len(), N * self.ends.len(), "states have {N} bytes");
        self.bytes[N * skip..].as_chunks().0
    }

    /// All findings, in the order they were appended.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Appends a state.
    ///
    /// # Panics
    /// If the states together have 4 GiB or more.
    pub fn push(&mut self, state: &State) {
        self.bytes.extend_from_slice(state);
        self.ends.push(u32::try_from(self.bytes.len()).expect("a batch holds less than 4 GiB"));
    }

    /// Appends states of this many bytes each that lie end to end.
    ///
    /// # Panics
    /// If the states together have 4 GiB or more.
    pub fn push_all(&mut self, states: &[u8], width: usize) {
        let first = self.bytes.len();
        self.bytes.extend_from_slice(states);
        let end = u32::try_from(self.bytes.len()).expect("a batch holds less than 4 GiB");
        self.ends.extend((first as u32..end).step_by(width.max(1)).map(|start| start + width as u32));
    }

    /// The number of bytes of every state, if it is the same for all.
    pub fn width(&self) -> Option<usize> {
        let width = *self.ends.first()?;
        let is_equal = self.ends.windows(2).fold(true, |equal, ends| equal & (ends[1] - ends[0] == width));
        (is_equal && width > 0).then_some(width as usize)
    }

    /// The states end to end, and where each ends, for an engine that writes successors in place.
    pub fn parts(&mut self) -> (&mut Vec<u8>, &mut Vec<u32>) {
        (&mut self.bytes, &mut self.ends)
    }

    /// The transition to the state with this index.
    #[inline]
    pub fn arrival(&self, i: usize) -> Arrival {
        self.arrivals.get(i).copied().unwrap_or_default()
    }

    /// Whether something is known of the transitions to states.
    pub fn has_arrivals(&self) -> bool {
        !self.arrivals.is_empty()
    }

    /// The number of successors that are left out, because they are in the sleep sets of their predecessors.
    pub fn asleep(&self) -> u64 {
        self.asleep
    }

    /// So many successors are left out.
    pub fn leave_out(&mut self, successors: u64) {
        self.asleep += successors;
    }

    /// The same as [`Batch::parts`], and the transitions to the first states.
    pub fn parts_with_arrivals(&mut self) -> (&mut Vec<u8>, &mut Vec<u32>, &mut Vec<Arrival>) {
        (&mut self.bytes, &mut self.ends, &mut self.arrivals)
    }

    /// Appends a finding.
    pub fn find(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}
