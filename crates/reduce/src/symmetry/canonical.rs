//! Canonicalisation: the choice of a representative of each orbit of states.
//!
//! The members of each group are sorted by a colour, a hash of their data and of the scalarset values that link members.
//! Colours are refined along the links until no more members are distinguished, as in algorithms for canonical labelling
//! of graphs (McKay, *Practical graph isomorphism*, 1981). Members of equal colour are sorted arbitrarily. If they differ,
//! an orbit has more than one representative: the search then visits more states than necessary, but its result is
//! correct.

use super::permutation::{MemberData, Permutation, Permutations, Queue};
use kripke_model::State;

/// Buffers for [`Permutations::canonicalise`], reused from state to state.
#[derive(Clone, Default, Debug)]
pub struct Scratch {
    colours: Vec<Vec<u64>>,
    next: Vec<Vec<u64>>,
    links: Vec<Link>,
    copy: Vec<u8>,
    /// The permutation that was applied to the last state.
    pub permutation: Permutation,
}

/// A scalarset value of one member that denotes another: the `index`-th one of member `from`. Members are given by group
/// and position.
#[derive(Clone, Copy, Debug)]
struct Link {
    from: (usize, usize),
    index: u64,
    to: (usize, usize),
}

#[inline]
fn mix(hash: u64, value: u64) -> u64 {
    let product = u128::from(hash ^ value.wrapping_add(0x9e37_79b9_7f4a_7c15)) * 0xd6e8_feb8_6659_fd93_u128;
    (product as u64) ^ (product >> 64) as u64 ^ hash.rotate_left(23)
}

fn mix_bytes(mut hash: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)))
}

impl Queue {
    /// A hash of the values that belong to no scalarset.
    fn hash(&self, state: &State, mut hash: u64) -> u64 {
        let len = usize::from(state[self.offset]);
        hash = mix(hash, len as u64);
        for slot in 0..len {
            let base = self.offset + 1 + slot * self.message;
            for (offset, width, scalarset) in &self.fields {
                if scalarset.is_none() {
                    hash = mix(hash, width.load(state, base + offset) as u64);
                }
            }
        }
        hash
    }
}

impl MemberData {
    /// A hash of the values that belong to no scalarset.
    fn hash(&self, state: &State) -> u64 {
        let hash = self.ranges.iter().fold(0, |hash, range| mix_bytes(hash, &state[range.clone()]));
        self.queues.iter().fold(hash, |hash, queue| queue.hash(state, hash))
    }
}

impl Permutations {
    /// Replaces a state by the representative of its orbit. The permutation is left in `scratch`.
    pub fn canonicalise(&self, state: &mut [u8], scratch: &mut Scratch) {
        if !self.applies(state) {
            scratch.permutation = self.identity();
            return;
        }
        self.sort_members(state, scratch);
        if scratch.permutation.iter().any(|order| !order.is_sorted()) {
            scratch.copy.clear();
            scratch.copy.extend_from_slice(state);
            self.permute(&scratch.copy, &scratch.permutation, state);
        }
    }

    /// Sorts the members of each group by colour.
    fn sort_members(&self, state: &State, scratch: &mut Scratch) {
        scratch.colours.resize_with(self.groups.len(), Vec::new);
        for (members, colours) in self.groups.iter().zip(&mut scratch.colours) {
            colours.clear();
            colours.extend(members.iter().map(|member| member.hash(state)));
        }
        if !self.scalarsets.is_empty() {
            self.add_links(state, scratch);
            if !scratch.links.is_empty() {
                self.distinguish(scratch);
            }
        }
        scratch.permutation.resize_with(self.groups.len(), Vec::new);
        for (order, colours) in scratch.permutation.iter_mut().zip(&scratch.colours) {
            order.clear();
            order.extend(0..colours.len());
            order.sort_by_key(|member| colours[*member]);
        }
    }

    /// Collects the links between members, and adds to the colours all scalarset values that are invariant under
    /// permutation: those that denote no member or the member itself, and the positions of those in shared data.
    fn add_links(&self, state: &State, scratch: &mut Scratch) {
        let Scratch { colours, links, .. } = scratch;
        links.clear();
        for (group, members) in self.groups.iter().enumerate() {
            for (member, data) in members.iter().enumerate() {
                let (from, mut index) = ((group, member), 0);
                let mut hash = colours[group][member];
                data.cells(state, &mut |cell| {
                    index += 1;
                    match self.member(state, cell) {
                        None => hash = mix(hash, 3 + cell.width.load(state, cell.offset) as u64),
                        Some(to) if to == from => hash = mix(hash, 1),
                        Some(to) => {
                            hash = mix(hash, 2);
                            links.push(Link { from, index, to });
                        }
                    }
                });
                colours[group][member] = hash;
            }
        }
        let mut index = 0;
        self.shared.cells(state, &mut |cell| {
            index += 1;
            if let Some((group, member)) = self.member(state, cell) {
                colours[group][member] = colours[group][member].wrapping_add(mix(index, 5));
            }
        });
    }

    /// Refines the colours until they distinguish all members. If refinement alone does not suffice, one member of equal
    /// colour is individualised.
    fn distinguish(&self, scratch: &mut Scratch) {
        let count: usize = self.groups.iter().map(Vec::len).sum();
        for _ in 0..count {
            let mut before = distinct(&scratch.colours);
            loop {
                refine(scratch);
                let now = distinct(&scratch.colours);
                if now <= before {
                    break;
                }
                before = now;
            }
            let equal = scratch.colours.iter().enumerate().find_map(|(group, colours)| {
                let twice = |c: &&u64| colours.iter().filter(|other| other == c).count() > 1;
                colours.iter().filter(twice).min().map(|colour| (group, *colour))
            });
            let Some((group, colour)) = equal else { return };
            let first = scratch.colours[group].iter_mut().find(|c| **c == colour);
            first.into_iter().for_each(|c| *c = mix(*c, 7));
        }
    }
}

/// The number of distinct colours, summed over all groups.
fn distinct(colours: &[Vec<u64>]) -> usize {
    let distinct = |colours: &Vec<u64>| (0..colours.len()).filter(|n| !colours[..*n].contains(&colours[*n])).count();
    colours.iter().map(distinct).sum()
}

/// One round of refinement: the colour of each member is combined with those of the members that it is linked to.
fn refine(scratch: &mut Scratch) {
    let Scratch { colours, next, links, .. } = scratch;
    next.clone_from(colours);
    for Link { from, index, to } in links.iter() {
        let (mine, its) = (colours[from.0][from.1], colours[to.0][to.1]);
        next[from.0][from.1] = next[from.0][from.1].wrapping_add(mix(mix(its, *index), 11));
        next[to.0][to.1] = next[to.0][to.1].wrapping_add(mix(mix(mine, *index), 13));
    }
    std::mem::swap(colours, next);
}
