//! Exchanging processes in a packed state, and choosing one of all the states that this gives.
//!
//! What belongs to a process moves with it: its location and variables, its elements of global arrays, its channels.
//! Values that mean processes are renamed. What never changes stays where it is.
//!
//! The choice is by a hash of everything that belongs to a member, and of how members speak of each other, refined until
//! it tells no more of them apart (as graphs are brought into a canonical form; McKay, *Practical graph isomorphism*, 1981).
//! Wherever two members have the same hash, either may come first: if they are not alike, then a class of states has more
//! than one representative, which is a pity but not wrong.

use std::ops::Range;

use kripke_model::State;
use kripke_model::layout::{Layout, ProcessAt, Width};

/// A value that means a process, or nobody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub offset: usize,
    pub width: Width,
    pub code: usize,
}

/// A channel with such values in its messages.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    pub offset: usize,
    pub size: usize,
    /// The length of a message, and of its fields where each is and what it means, if it means a process.
    pub message: usize,
    pub fields: Vec<(usize, Width, Option<usize>)>,
}

/// What belongs to one process of a group, or to nobody.
#[derive(Clone, Default, Debug)]
pub(super) struct Belongings {
    pub ranges: Vec<Range<usize>>,
    pub cells: Vec<Cell>,
    pub queues: Vec<Queue>,
}

/// Which process a value means.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub group: usize,
    pub values: Vec<i32>,
}

/// A process that could create others: no group is complete before it is done.
#[derive(Clone, Debug)]
pub(super) struct Creator {
    pub at: ProcessAt,
    pub creating: Vec<bool>,
}

/// How groups of processes act on states.
#[derive(Debug)]
pub struct Action {
    pub(super) layout: Layout,
    /// The length of a state with all processes.
    pub(super) length: usize,
    pub(super) creators: Vec<Creator>,
    pub(super) codes: Vec<Code>,
    /// For each group what belongs to each member, in the same order.
    pub(super) groups: Vec<Vec<Belongings>>,
    pub(super) loose: Belongings,
}

/// For each group, which member comes to each position.
pub type Order = Vec<Vec<usize>>;

/// Room to work in.
#[derive(Clone, Default, Debug)]
pub struct Room {
    colours: Vec<Vec<u64>>,
    next: Vec<Vec<u64>>,
    /// Which member has a value that means another one, the how manieth, and whom.
    links: Vec<Link>,
    pub order: Order,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    from: (usize, usize),
    what: u64,
    to: (usize, usize),
}

#[inline]
fn mix(hash: u64, value: u64) -> u64 {
    let product = u128::from(hash ^ value.wrapping_add(0x9e37_79b9_7f4a_7c15)) * 0xd6e8_feb8_6659_fd93_u128;
    (product as u64) ^ (product >> 64) as u64 ^ hash.rotate_left(23)
}

fn mix_bytes(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        hash = mix(hash, u64::from_le_bytes(chunk.try_into().expect("eight bytes")));
    }
    chunks.remainder().iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)))
}

impl Queue {
    /// Its values that mean processes, with a number for each.
    fn cells(&self, state: &State, see: &mut impl FnMut(Cell)) {
        for slot in 0..usize::from(state[self.offset]) {
            let base = self.offset + 1 + slot * self.message;
            for (offset, width, code) in &self.fields {
                if let Some(code) = *code {
                    see(Cell { offset: base + offset, width: *width, code });
                }
            }
        }
    }

    /// A hash of all its other values.
    fn hash(&self, state: &State, mut hash: u64) -> u64 {
        let len = usize::from(state[self.offset]);
        hash = mix(hash, len as u64);
        for slot in 0..len {
            let base = self.offset + 1 + slot * self.message;
            for (offset, width, code) in &self.fields {
                if code.is_none() {
                    hash = mix(hash, width.load(state, base + offset) as u64);
                }
            }
        }
        hash
    }
}

impl Belongings {
    fn cells(&self, state: &State, see: &mut impl FnMut(Cell)) {
        self.cells.iter().for_each(|cell| see(*cell));
        self.queues.iter().for_each(|queue| queue.cells(state, see));
    }

    /// A hash of all but the values that mean processes.
    fn hash(&self, state: &State) -> u64 {
        let hash = self.ranges.iter().fold(0, |hash, range| mix_bytes(hash, &state[range.clone()]));
        self.queues.iter().fold(hash, |hash, queue| queue.hash(state, hash))
    }

    /// Copies what belongs to another member.
    fn copy(&self, other: &Belongings, state: &State, out: &mut [u8]) {
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

impl Action {
    /// Whether all processes are there, and will be.
    #[inline]
    pub fn applies(&self, state: &State) -> bool {
        state.len() == self.length
            && self.creators.iter().all(|c| !c.creating[self.layout.location(state, c.at).index()])
    }

    /// The member that a value means.
    fn member(&self, state: &State, cell: Cell) -> Option<(usize, usize)> {
        let value = cell.width.load(state, cell.offset);
        let code = &self.codes[cell.code];
        code.values.iter().position(|v| *v == value).map(|member| (code.group, member))
    }

    /// Replaces a state by the one that stands for all that are like it. What came where is left in the room.
    pub fn canonical(&self, state: &mut [u8], room: &mut Room, copy: &mut Vec<u8>) {
        if !self.applies(state) {
            room.order = self.identity();
            return;
        }
        self.choose(state, room);
        if room.order.iter().any(|order| !order.is_sorted()) {
            copy.clear();
            copy.extend_from_slice(state);
            self.permute(copy, &room.order, state);
        }
    }

    pub fn identity(&self) -> Order {
        self.groups.iter().map(|members| (0..members.len()).collect()).collect()
    }

    /// Writes into `out`, a copy of the state, what it becomes in another order.
    pub fn permute(&self, state: &State, order: &Order, out: &mut [u8]) {
        for (members, order) in self.groups.iter().zip(order) {
            for (to, from) in order.iter().enumerate().filter(|(to, from)| to != *from) {
                members[to].copy(&members[*from], state, out);
            }
        }
        let rename = |out: &mut [u8], owner: &Belongings| {
            let mut cells = Vec::new();
            owner.cells(out, &mut |cell| cells.push(cell));
            for cell in cells {
                if let Some((group, member)) = self.member(out, cell) {
                    let place = order[group].iter().position(|from| *from == member).unwrap_or(member);
                    cell.width.store(out, cell.offset, self.codes[cell.code].values[place]);
                }
            }
        };
        if self.codes.is_empty() {
            return;
        }
        self.groups.iter().flatten().chain([&self.loose]).for_each(|owner| rename(out, owner));
    }

    /// In which order the members come.
    fn choose(&self, state: &State, room: &mut Room) {
        room.colours.resize_with(self.groups.len(), Vec::new);
        for (members, colours) in self.groups.iter().zip(&mut room.colours) {
            colours.clear();
            colours.extend(members.iter().map(|member| member.hash(state)));
        }
        if !self.codes.is_empty() {
            self.link(state, room);
            if !room.links.is_empty() {
                self.tell_apart(room);
            }
        }
        room.order.resize_with(self.groups.len(), Vec::new);
        for (order, colours) in room.order.iter_mut().zip(&room.colours) {
            order.clear();
            order.extend(0..colours.len());
            order.sort_by_key(|member| colours[*member]);
        }
    }

    /// Adds to the hashes what nobody else has to be known for, and finds out who speaks of whom.
    fn link(&self, state: &State, room: &mut Room) {
        let Room { colours, links, .. } = room;
        links.clear();
        for (group, members) in self.groups.iter().enumerate() {
            for (member, owner) in members.iter().enumerate() {
                let (from, mut what) = ((group, member), 0);
                let mut hash = colours[group][member];
                owner.cells(state, &mut |cell| {
                    what += 1;
                    match self.member(state, cell) {
                        None => hash = mix(hash, 3 + cell.width.load(state, cell.offset) as u64),
                        Some(to) if to == from => hash = mix(hash, 1),
                        Some(to) => {
                            hash = mix(hash, 2);
                            links.push(Link { from, what, to });
                        }
                    }
                });
                colours[group][member] = hash;
            }
        }
        let mut what = 0;
        self.loose.cells(state, &mut |cell| {
            what += 1;
            if let Some((group, member)) = self.member(state, cell) {
                colours[group][member] = colours[group][member].wrapping_add(mix(what, 5));
            }
        });
    }

    /// Tells members apart by whom they speak of and who speaks of them. Where that does not suffice, one of those that are
    /// alike is taken first, which makes it unlike.
    fn tell_apart(&self, room: &mut Room) {
        let count: usize = self.groups.iter().map(Vec::len).sum();
        for _ in 0..count {
            let mut kinds = kinds(&room.colours);
            loop {
                refine(room);
                let now = self::kinds(&room.colours);
                if now <= kinds {
                    break;
                }
                kinds = now;
            }
            let alike = room.colours.iter().enumerate().find_map(|(group, colours)| {
                let twice = |c: &&u64| colours.iter().filter(|other| other == c).count() > 1;
                colours.iter().filter(twice).min().map(|colour| (group, *colour))
            });
            let Some((group, colour)) = alike else { return };
            let first = room.colours[group].iter_mut().find(|c| **c == colour);
            first.into_iter().for_each(|c| *c = mix(*c, 7));
        }
    }
}

/// How many members can be told apart.
fn kinds(colours: &[Vec<u64>]) -> usize {
    let distinct = |colours: &Vec<u64>| (0..colours.len()).filter(|n| !colours[..*n].contains(&colours[*n])).count();
    colours.iter().map(distinct).sum()
}

/// One round: everybody learns the colours of those they are linked with.
fn refine(room: &mut Room) {
    let Room { colours, next, links, .. } = room;
    next.clone_from(colours);
    for Link { from, what, to } in links.iter() {
        let (mine, its) = (colours[from.0][from.1], colours[to.0][to.1]);
        next[from.0][from.1] = next[from.0][from.1].wrapping_add(mix(mix(its, *what), 11));
        next[to.0][to.1] = next[to.0][to.1].wrapping_add(mix(mix(mine, *what), 13));
    }
    std::mem::swap(colours, next);
}
