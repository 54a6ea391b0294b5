//! A cache of states that were sent lately, so that the same state is not sent again soon. It compares states in full: a state that
//! was taken for another one would be lost.

use kripke_model::State;

/// The number of states of one word that are remembered, of other short states, and of others.
const WORDS: usize = 1 << 13;
const SHORT: usize = 1 << 12;
const LONG: usize = 1 << 8;

/// States that were sent lately.
#[derive(Clone, Debug)]
pub(crate) struct SentCache {
    /// States of eight bytes as numbers. The greatest number is that of no state.
    words: Vec<u64>,
    /// Short states as numbers, each with its length, which is zero in a slot that is not used.
    short: Vec<(u128, u8)>,
    long: Vec<Vec<u8>>,
}

impl Default for SentCache {
    fn default() -> SentCache {
        SentCache::new()
    }
}

impl SentCache {
    pub fn new() -> SentCache {
        SentCache { words: Vec::new(), short: Vec::new(), long: vec![Vec::new(); LONG] }
    }

    fn is_new_word(&mut self, word: u64, hash: u64) -> bool {
        if self.words.is_empty() {
            self.words = vec![u64::MAX; WORDS];
        }
        std::mem::replace(&mut self.words[hash as usize % WORDS], word) != word || word == u64::MAX
    }

    /// Whether a state with this hash was not sent lately. It counts as sent from now on.
    #[inline]
    pub fn is_new(&mut self, state: &State, hash: u64) -> bool {
        if let Ok(word) = <[u8; 8]>::try_from(state) {
            return self.is_new_word(u64::from_le_bytes(word), hash);
        }
        if let 1..=16 = state.len() {
            if self.short.is_empty() {
                self.short = vec![(0, 0); SHORT];
            }
            let mut bytes = [0; 16];
            bytes[..state.len()].copy_from_slice(state);
            let number = (u128::from_le_bytes(bytes), state.len() as u8);
            return std::mem::replace(&mut self.short[hash as usize % SHORT], number) != number;
        }
        let slot = &mut self.long[hash as usize % LONG];
        // An empty slot equals the empty state.
        if slot[..] == *state && !state.is_empty() {
            return false;
        }
        slot.clear();
        slot.extend_from_slice(state);
        true
    }
}

/// Whether the cache of states that were sent is of use. The more ranks there are, the fewer states does one of them send twice.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Usefulness {
    /// States that were looked up, and those that were found.
    looked_up: u32,
    found: u32,
    /// The cache is not used for so many states.
    pause: u32,
}

impl Usefulness {
    /// After so many states it is decided whether the cache is of use.
    const TRIAL: u32 = 1 << 12;
    const PAUSE: u32 = 1 << 18;

    /// Whether none of so many states is to be looked up.
    pub fn is_paused_for(&mut self, states: usize) -> bool {
        let is_paused = self.pause as usize >= states;
        self.pause -= if is_paused { states as u32 } else { 0 };
        is_paused
    }

    /// Whether a state is to be looked up.
    #[inline]
    pub fn is_given(&mut self) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        true
    }

    #[inline]
    pub fn note(&mut self, found: bool, one_in: u32) {
        self.looked_up += 1;
        self.found += u32::from(found);
        if self.looked_up == Usefulness::TRIAL {
            let pause = if self.found < Usefulness::TRIAL / one_in { Usefulness::PAUSE } else { 0 };
            *self = Usefulness { pause, ..Usefulness::default() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_with_equal_hashes_replace_each_other() {
        let mut cache = SentCache::new();
        assert!(cache.is_new(b"a", 1) && !cache.is_new(b"a", 1));
        assert!(cache.is_new(b"b", 1) && cache.is_new(b"a", 1));
        assert!(cache.is_new(b"", 2) && cache.is_new(b"", 2));
        assert!(cache.is_new(b"ab", 3) && cache.is_new(b"ab\0", 3) && !cache.is_new(b"ab\0", 3));
        let (word, all) = ([7; 8], [255; 8]);
        assert!(cache.is_new(&word, 5) && !cache.is_new(&word, 5) && cache.is_new(&all, 5) && cache.is_new(&all, 5));
        let (long, other) = ([7; 40], [8; 40]);
        assert!(cache.is_new(&long, 4) && !cache.is_new(&long, 4) && cache.is_new(&other, 4) && cache.is_new(&long, 4));
    }
}
