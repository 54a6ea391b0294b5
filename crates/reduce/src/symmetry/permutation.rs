//! Permutation of processes in a packed state.
//!
//! What belongs to a process moves with it: its location and locals, its elements of global arrays, its channels. Values
//! of scalarsets are renamed. Variables that never change stay where they are.

use std::ops::Range;

use kripke_model::State;
use kripke_model::layout::{Layout, ProcessAt, Width};

/// A value of a scalarset in a packed state: it denotes a process, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub offset: usize,
    pub width: Width,
    pub scalarset: usize,
}

/// A channel with scalarset values in its messages.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    pub offset: usize,
    pub size: usize,
    /// The length of a message.
    pub message: usize,
    /// The offset and width of each field, and its scalarset if it has one.
    pub fields: Vec<(usize, Width, Option<usize>)>,
}

/// The parts of a state that belong to one member of a group, or to none.
#[derive(Clone, Default, Debug)]
pub(super) struct MemberData {
    pub ranges: Vec<Range<usize>>,
    pub cells: Vec<Cell>,
    pub queues: Vec<Queue>,
}

/// The values of a scalarset: `values[i]` denotes member `i` of the group.
#[derive(Clone, Debug)]
pub(super) struct ScalarsetValues {
    pub group: usize,
    pub values: Vec<i32>,
}

/// A process that can create others. No state is permuted before it has created them.
#[derive(Clone, Debug)]
pub(super) struct Creator {
    pub at: ProcessAt,
    pub creating: Vec<bool>,
}

/// The permutations of the processes of each group, as functions on packed states.
#[derive(Debug)]
pub struct Permutations {
    pub(super) layout: Layout,
    /// The length of a state with all processes.
    pub(super) length: usize,
    pub(super) creators: Vec<Creator>,
    pub(super) scalarsets: Vec<ScalarsetValues>,
    /// For each group the data of each member, in the same order.
    pub(super) groups: Vec<Vec<MemberData>>,
    /// The data that belongs to no member.
    pub(super) shared: MemberData,
}

/// A permutation of each group: the member that comes to each position.
pub type Permutation = Vec<Vec<usize>>;

impl Queue {
    /// Calls `see` for the scalarset values of the messages.
    fn cells(&self, state: &State, see: &mut impl FnMut(Cell)) {
        for slot in 0..usize::from(state[self.offset]) {
            let base = self.offset + 1 + slot * self.message;
            for (offset, width, scalarset) in &self.fields {
                if let Some(scalarset) = *scalarset {
                    see(Cell { offset: base + offset, width: *width, scalarset });
                }
            }
        }
    }
}

impl MemberData {
    /// Calls `see` for all scalarset values.
    pub fn cells(&self, state: &State, see: &mut impl FnMut(Cell)) {
        self.cells.iter().for_each(|cell| see(*cell));
        self.queues.iter().for_each(|queue| queue.cells(state, see));
    }

    /// Copies the data of another member to the place of this one.
    fn copy(&self, other: &MemberData, state: &State, out: &mut [u8]) {
        for (to, from) in self.ranges.iter().zip(&other.ranges) {
            out[to.clone()].copy_from_slice(&state[from.clone()]);
        }
        for (to, from) in self.cells.iter().zip(&other.cells) {
            let width = to.width.bytes();
            out[to.offset..to.offset + width].copy_from_slice(&state[from.offset..from.offset + width]);
        }
        for (to, from) in self.queues.iter().zip(&other.queues) {
            out[to.offset..to.offset + to.size].copy_from_slice(&state[from.offset..from.offset + from.size]);
        }
    }
}

impl Permutations {
    /// True if the startup phase is over and no process has ended.
    #[inline]
    pub fn applies(&self, state: &State) -> bool {
        state.len() == self.length
            && self.creators.iter().all(|c| !c.creating[self.layout.location(state, c.at).index()])
    }

    /// The group and member that a scalarset value denotes.
    pub(super) fn member(&self, state: &State, cell: Cell) -> Option<(usize, usize)> {
        let value = cell.width.load(state, cell.offset);
        let scalarset = &self.scalarsets[cell.scalarset];
        scalarset.values.iter().position(|v| *v == value).map(|member| (scalarset.group, member))
    }

    /// The permutation that changes nothing.
    pub fn identity(&self) -> Permutation {
        self.groups.iter().map(|members| (0..members.len()).collect()).collect()
    }

    /// Writes the permuted state into `out`, which must be a copy of the state.
    pub fn permute(&self, state: &State, permutation: &Permutation, out: &mut [u8]) {
        for (members, order) in self.groups.iter().zip(permutation) {
            for (to, from) in order.iter().enumerate().filter(|(to, from)| to != *from) {
                members[to].copy(&members[*from], state, out);
            }
        }
        if self.scalarsets.is_empty() {
            return;
        }
        self.groups.iter().flatten().chain([&self.shared]).for_each(|data| self.rename(data, permutation, out));
    }

    /// Renames the scalarset values of a member.
    fn rename(&self, data: &MemberData, permutation: &Permutation, out: &mut [u8]) {
        let mut cells = Vec::new();
        data.cells(out, &mut |cell| cells.push(cell));
        for cell in cells {
            if let Some((group, member)) = self.member(out, cell) {
                let position = permutation[group].iter().position(|from| *from == member).unwrap_or(member);
                cell.width.store(out, cell.offset, self.scalarsets[cell.scalarset].values[position]);
            }
        }
    }
}
