//! Partition refinement by signatures (Blom and Orzan 2003): the signature of a state is the set of its actions, each with the
//! block that it leads to. States of a block with different signatures are separated until there are none.

use std::collections::{BTreeMap, HashMap};

use super::lts::Lts;

/// The actions of a state, each with the block that it leads to, sorted.
pub(super) type Signature = Vec<(u32, u32)>;

/// The blocks of strong bisimulation.
///
/// Only states with a successor whose block has a new number are looked at again. When a block is divided, its largest part
/// keeps the number, so that a state is looked at a logarithmic number of times for each of its transitions.
pub(super) fn strong(lts: &Lts) -> Vec<u32> {
    let out = lts.outgoing();
    let mut before = vec![Vec::new(); lts.states as usize];
    lts.edges.iter().for_each(|e| before[e.to as usize].push(e.from));
    let mut blocks = Blocks::new(numbered((0..lts.states).map(|state| lts.mark(state))));
    let mut dirty: Vec<u32> = (0..lts.states).collect();
    while !dirty.is_empty() {
        let mut touched: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        dirty.iter().for_each(|state| touched.entry(blocks.of[*state as usize]).or_default().push(*state));
        // All signatures are taken before any block is divided.
        let groups: Vec<(u32, BTreeMap<Signature, Vec<u32>>)> =
            touched.into_iter().map(|(b, states)| (b, grouped(&states, &out, &blocks.of))).collect();
        let mut moved = Vec::new();
        for (number, groups) in groups {
            blocks.divide(number, groups, &mut moved);
        }
        dirty = moved.iter().flat_map(|state: &u32| before[*state as usize].iter().copied()).collect();
        dirty.sort_unstable();
        dirty.dedup();
    }
    blocks.of
}

fn grouped(states: &[u32], out: &[Vec<(u32, u32)>], block: &[u32]) -> BTreeMap<Signature, Vec<u32>> {
    let mut groups: BTreeMap<Signature, Vec<u32>> = BTreeMap::new();
    for &state in states {
        groups.entry(signature(&out[state as usize], block)).or_default().push(state);
    }
    groups
}

pub(super) fn signature(steps: &[(u32, u32)], block: &[u32]) -> Signature {
    let mut signature: Signature = steps.iter().map(|(label, to)| (*label, block[*to as usize])).collect();
    signature.sort_unstable();
    signature.dedup();
    signature
}

/// A partition that is refined.
struct Blocks {
    /// The block of each state.
    of: Vec<u32>,
    /// The states of each block.
    members: Vec<Vec<u32>>,
    /// The place of each state among the members of its block.
    place: Vec<usize>,
}

impl Blocks {
    fn new(of: Vec<u32>) -> Blocks {
        let mut blocks = Blocks { members: Vec::new(), place: vec![0; of.len()], of };
        for state in 0..blocks.of.len() as u32 {
            let number = blocks.of[state as usize];
            blocks.members.resize(blocks.members.len().max(number as usize + 1), Vec::new());
            blocks.put(state, number);
        }
        blocks
    }

    fn put(&mut self, state: u32, number: u32) {
        let members = &mut self.members[number as usize];
        (self.of[state as usize], self.place[state as usize]) = (number, members.len());
        members.push(state);
    }

    fn take(&mut self, state: u32) {
        let (members, at) = (&mut self.members[self.of[state as usize] as usize], self.place[state as usize]);
        members.swap_remove(at);
        if let Some(other) = members.get(at) {
            self.place[*other as usize] = at;
        }
    }

    /// Divides a block into groups of states with new signatures and the rest. The largest part keeps the number of the block;
    /// the states of the others are appended to `moved`.
    fn divide(&mut self, number: u32, groups: BTreeMap<Signature, Vec<u32>>, moved: &mut Vec<u32>) {
        let mut parts: Vec<Vec<u32>> = groups.into_values().collect();
        parts.sort_by_key(Vec::len);
        let rest = self.members[number as usize].len() - parts.iter().map(Vec::len).sum::<usize>();
        if rest < parts.last().map_or(0, Vec::len) {
            let largest = parts.pop().unwrap_or_default();
            if rest > 0 {
                parts.iter().flatten().chain(&largest).for_each(|state| self.take(*state));
                let others = std::mem::take(&mut self.members[number as usize]);
                largest.iter().for_each(|state| self.put(*state, number));
                self.set_apart(others, moved);
                parts.into_iter().for_each(|part| self.set_apart(part, moved));
                return;
            }
        }
        for part in parts {
            part.iter().for_each(|state| self.take(*state));
            self.set_apart(part, moved);
        }
    }

    /// Makes a block of states that belong to none.
    fn set_apart(&mut self, states: Vec<u32>, moved: &mut Vec<u32>) {
        let number = self.members.len() as u32;
        self.members.push(Vec::new());
        states.iter().for_each(|state| self.put(*state, number));
        moved.extend(states);
    }
}

/// Small numbers for values, in the order of their first occurrence.
pub(super) fn numbered<T: std::hash::Hash + Eq>(values: impl Iterator<Item = T>) -> Vec<u32> {
    let mut known = HashMap::new();
    values
        .map(|value| {
            let next = known.len() as u32;
            *known.entry(value).or_insert(next)
        })
        .collect()
}

/// One round of refinement: the block of each state, and for each block the block that it is part of in the round before and
/// the signature of its states over the blocks of the round before.
#[derive(Debug)]
pub(super) struct Round {
    pub block: Vec<u32>,
    pub parent: Vec<u32>,
    pub signature: Vec<Signature>,
}

/// All rounds of refinement. `signatures` gives the signatures of all states for a partition.
pub(super) fn rounds(lts: &Lts, signatures: impl Fn(&[u32]) -> Vec<Signature>) -> Vec<Round> {
    let block = numbered((0..lts.states).map(|state| lts.mark(state)));
    let count = |block: &[u32]| block.iter().copied().max().map_or(0, |most| most as usize + 1);
    let mut blocks = count(&block);
    let mut rounds = vec![Round { block, parent: Vec::new(), signature: Vec::new() }];
    loop {
        let last = &rounds[rounds.len() - 1].block;
        let all = signatures(last);
        let block = numbered(last.iter().copied().zip(&all));
        let now = count(&block);
        if now == blocks {
            return rounds;
        }
        let (mut parent, mut signature) = (vec![0; now], vec![Signature::new(); now]);
        for ((b, old), one) in block.iter().zip(last).zip(all.iter()) {
            parent[*b as usize] = *old;
            if signature[*b as usize].is_empty() {
                signature[*b as usize].clone_from(one);
            }
        }
        blocks = now;
        rounds.push(Round { block, parent, signature });
    }
}
