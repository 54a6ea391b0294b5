//! A bounded cache of choices.
//!
//! The choice of an ample set by the dependence relation depends on the control point and on the number of enabled
//! transitions of each process, and on nothing else. With guards it depends on these and on the guards that are false.
//! Many states agree in both, so each thread remembers its choices. A remembered choice is the one that would be computed
//! again: what the cache contains has no influence on the ample sets.
//!
//! Both tables are direct-mapped: an entry replaces the one in its slot, so their size is bounded.

use super::guards::GuardSet;

/// The number of slots of each table at first and at last, powers of two. Small models need no large tables.
const SLOT_BOUNDS: (usize, usize) = (1 << 9, 1 << 13);
/// The bits of a key for one process, of which these are the number of enabled transitions.
const PROCESS_BITS: usize = 16;
const COUNT_BITS: usize = 3;
/// The processes in one word of a key.
const PER_WORD: usize = u64::BITS as usize / PROCESS_BITS;
/// This number of enabled transitions stands for a process that is not alive, and more have no key.
const ABSENT: usize = (1 << COUNT_BITS) - 1;
/// The most control points that fit into a key. For models with more, the dependence relation is not computed.
pub(super) const MAX_POINTS: usize = 1 << (PROCESS_BITS - COUNT_BITS);

/// Choices are known often if they were known for so many of the last 32 states.
const OFTEN: u32 = 16;

/// A chosen set of processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chosen {
    /// The number of enabled transitions of the set.
    pub size: usize,
    pub processes: u64,
    /// See [`AmpleSet::needs_proviso`](super::ample::AmpleSet::needs_proviso).
    pub needs_proviso: bool,
}

/// The part of a choice that depends on the control points and the numbers of enabled transitions alone.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct StaticChoice {
    /// The set that is closed whichever guards are true, if there is one.
    pub chosen: Option<Chosen>,
    pub guards: UseOfGuards,
    /// The number of this entry of the cache. 0 if it is not in the cache.
    id: u32,
}

/// What guards can do for the choice in states with certain control points and numbers of enabled transitions.
#[derive(Clone, Copy, Default, Debug)]
pub(super) enum UseOfGuards {
    /// It was not computed.
    #[default]
    Unknown,
    /// They lead to no smaller set, whichever are false.
    None,
    /// They lead to this set. No guard depends on more than control points.
    Same(Chosen),
    /// The set depends on those of these guards that are false, and on the guards of a rendezvous that no process offers.
    Evaluate { guards: GuardSet, without_partner: GuardSet },
}

impl StaticChoice {
    /// A choice that is not in the cache.
    pub fn new(chosen: Option<Chosen>, guards: UseOfGuards) -> StaticChoice {
        StaticChoice { chosen, guards, id: 0 }
    }
}

/// The choice in states with the control points and enabled transitions of one [`StaticChoice`] and these false guards.
#[derive(Clone, Copy, Default, Debug)]
struct GuardedChoice {
    id: u32,
    disabled: GuardSet,
    chosen: Option<Chosen>,
}

/// The remembered choices of one thread.
#[derive(Default, Debug)]
pub(super) struct Memo {
    /// Nothing is remembered.
    pub is_off: bool,
    key: Key,
    /// The words of a key.
    width: usize,
    keys: Vec<u64>,
    choices: Vec<StaticChoice>,
    guarded: Vec<GuardedChoice>,
    /// The number of the last entry.
    last_id: u32,
    /// The entries that may still be replaced or added before the tables grow.
    room: usize,
    /// A bit for each of the last states: whether its choice was known.
    last: u32,
}

/// The control points and numbers of enabled transitions of a state's processes.
#[derive(Default, Debug)]
struct Key {
    words: Vec<u64>,
    hash: u64,
    /// Some process has too many transitions for a key.
    too_large: bool,
}

impl Memo {
    /// Begins with a state. It has processes at these control points with these numbers of enabled transitions. A state
    /// never has more than `most` processes.
    #[inline]
    pub fn read(&mut self, points: &[usize], counts: &[usize], most: usize) {
        if self.width == 0 {
            self.width = most.div_ceil(PER_WORD).max(1);
        }
        let key = &mut self.key;
        key.words.clear();
        let (mut too_large, mut mixed) = (self.is_off || points.len() > self.width * PER_WORD, 0);
        for (points, counts) in points.chunks(PER_WORD).zip(counts.chunks(PER_WORD)) {
            // Processes that are not alive.
            let mut word = u64::MAX;
            for (&point, &count) in points.iter().zip(counts).rev() {
                too_large |= count >= ABSENT;
                word = word << PROCESS_BITS | (point << COUNT_BITS | count) as u64;
            }
            mixed = mix(mixed, word);
            key.words.push(word);
        }
        key.words.resize(self.width, u64::MAX);
        (key.hash, key.too_large) = (mixed, too_large);
    }

    /// The remembered choice for the state.
    #[inline]
    pub fn get(&self) -> Option<StaticChoice> {
        let slot = self.slot(self.key.hash);
        let known = self.choices.get(slot).filter(|known| known.id != 0 && !self.key.too_large)?;
        (self.keys[slot * self.width..][..self.width] == self.key.words[..]).then_some(*known)
    }

    /// Notes whether the choice for the state was known.
    #[inline]
    pub fn note(&mut self, known: bool) {
        self.last = self.last << 1 | u32::from(known);
    }

    /// Whether the choice was known for a good part of the last states.
    pub fn often_knows(&self) -> bool {
        self.last.count_ones() >= OFTEN
    }

    /// Remembers the choice for the state. Returns it with its number.
    pub fn put(&mut self, choice: StaticChoice) -> StaticChoice {
        if self.key.too_large {
            return choice;
        }
        self.make_room();
        self.last_id += 1;
        let entry = StaticChoice { id: self.last_id, ..choice };
        let slot = self.slot(self.key.hash);
        self.choices[slot] = entry;
        self.keys[slot * self.width..][..self.width].copy_from_slice(&self.key.words);
        entry
    }

    /// Remembers the use of guards for the state, whose choice is in the cache unless it has no key.
    pub fn put_guards(&mut self, of: &mut StaticChoice, guards: UseOfGuards) {
        of.guards = guards;
        if of.id != 0 {
            let slot = self.slot(self.key.hash);
            self.choices[slot].guards = guards;
        }
    }

    /// The remembered choice if these guards are false.
    #[inline]
    pub fn get_guarded(&self, of: &StaticChoice, disabled: GuardSet) -> Option<Option<Chosen>> {
        let known = self.guarded.get(self.slot(hash_guarded(of, disabled))).filter(|_| of.id != 0)?;
        (known.id == of.id && known.disabled == disabled).then_some(known.chosen)
    }

    /// Remembers the choice if these guards are false.
    pub fn put_guarded(&mut self, of: &StaticChoice, disabled: GuardSet, chosen: Option<Chosen>) {
        if of.id != 0 {
            let slot = self.slot(hash_guarded(of, disabled));
            self.guarded[slot] = GuardedChoice { id: of.id, disabled, chosen };
            self.room = self.room.saturating_sub(1);
        }
    }

    #[inline]
    fn slot(&self, hash: u64) -> usize {
        hash as usize & self.choices.len().wrapping_sub(1)
    }

    /// Makes the tables larger, and empty, if more entries than they have slots were put into them. Numbers are never used
    /// again, so no entry is mistaken for one from before.
    fn make_room(&mut self) {
        let (least, most) = SLOT_BOUNDS;
        let slots = self.choices.len();
        self.room = self.room.saturating_sub(1);
        if slots == 0 || self.room == 0 && slots < most || self.last_id == u32::MAX {
            let slots = (4 * slots).clamp(least, most);
            self.last_id = if self.last_id == u32::MAX { 0 } else { self.last_id };
            self.room = slots;
            self.keys = vec![0; slots * self.width];
            self.choices = vec![StaticChoice::default(); slots];
            self.guarded = vec![GuardedChoice::default(); slots];
        }
    }
}

#[inline]
fn hash_guarded(of: &StaticChoice, disabled: GuardSet) -> u64 {
    mix(mix(u64::from(of.id), disabled as u64), (disabled >> 64) as u64)
}

/// One step of a hash function of two multiplications.
#[inline]
pub(super) fn mix(hash: u64, word: u64) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let product = u128::from(hash ^ word ^ ODD) * u128::from(ODD);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(size: usize) -> StaticChoice {
        StaticChoice::new(Some(Chosen { size, processes: 1, needs_proviso: false }), UseOfGuards::Unknown)
    }

    #[test]
    fn keys_tell_points_counts_and_numbers_of_processes_apart() {
        let mut memo = Memo::default();
        let last = MAX_POINTS - 1;
        let states: [(&[usize], &[usize]); 7] = [
            (&[1, 2], &[1, 1]),
            (&[1, 2], &[1, 2]),
            (&[2, 1], &[1, 1]),
            (&[1, 2, 0], &[1, 1, 0]),
            (&[1, 2, last], &[1, 1, ABSENT - 1]),
            (&[1, 2, 0, 0, 0], &[1, 1, 0, 0, 0]),
            (&[1, 2, 0, 0, last], &[1, 1, 0, 0, ABSENT - 1]),
        ];
        for (n, (points, counts)) in states.iter().enumerate() {
            memo.read(points, counts, 6);
            assert!(memo.get().is_none(), "state {n} is mistaken for another one");
            assert_eq!(memo.put(chosen(n)).id, n as u32 + 1);
            assert_eq!(memo.get().and_then(|c| c.chosen).map(|c| c.size), Some(n));
        }
    }

    #[test]
    fn too_many_transitions_have_no_key() {
        let mut memo = Memo::default();
        memo.read(&[1, 2], &[1, ABSENT], 2);
        let choice = memo.put(chosen(3));
        assert!(memo.get().is_none() && choice.id == 0);
        memo.put_guarded(&choice, 1, None);
        assert!(memo.get_guarded(&choice, 1).is_none());
    }

    #[test]
    fn guarded_choices_belong_to_one_static_choice() {
        let mut memo = Memo::default();
        memo.read(&[1], &[1], 1);
        let first = memo.put(chosen(1));
        // The highest guard is one like the others.
        let disabled = [0, 1, 1 << 127, GuardSet::MAX];
        disabled.iter().for_each(|set| memo.put_guarded(&first, *set, chosen(2).chosen));
        assert!(disabled.iter().all(|set| memo.get_guarded(&first, *set) == Some(chosen(2).chosen)));
        memo.read(&[2], &[1], 1);
        let second = memo.put(chosen(1));
        assert!(disabled.iter().all(|set| memo.get_guarded(&second, *set).is_none()));
    }
}
