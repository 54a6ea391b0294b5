//! A model whose numbers are known: counters that count up to a limit, one at a time. Of `counters` counters up to `limit` there are
//! (limit + 1)^counters states, on counters * limit + 1 levels.

use kripke_gpu::ModelText;
use kripke_model::Batch;
use kripke_model::words::words_of;

#[derive(Clone, Copy, Debug)]
pub struct Counters {
    pub counters: usize,
    pub limit: u64,
    /// The number of bits of a state, and the distance of the counters.
    pub bits: u32,
    /// States whose sum of counters is a multiple of this number are left to the host.
    pub left: u64,
}

impl Counters {
    fn distance(self) -> u32 {
        self.bits / self.counters as u32
    }

    /// The position of a counter of six bits. The last one ends with the last bit. No counter is in two words.
    fn position(self, counter: usize) -> u32 {
        if counter + 1 == self.counters { self.bits - 6 } else { counter as u32 * self.distance() / 8 * 8 }
    }

    pub fn words(self) -> usize {
        self.bits.div_ceil(64) as usize
    }

    pub fn states(self) -> u64 {
        (self.limit + 1).pow(self.counters as u32)
    }

    pub fn transitions(self) -> u64 {
        self.counters as u64 * self.limit * (self.limit + 1).pow(self.counters as u32 - 1)
    }

    pub fn text(self) -> ModelText {
        let Counters { counters, limit, bits, left } = self;
        let words = self.words();
        let positions: Vec<String> = (0..counters).map(|counter| self.position(counter).to_string()).collect();
        let text = format!(
            "#define MODEL_WORDS {words}\n#define MODEL_BITS {bits}\n\
             struct State {{ u64 w[MODEL_WORDS]; }};\nenum {{ MODEL_DONE = 0, MODEL_LEFT = 1, MODEL_STUCK = 2 }};\n\
             template <class Em> HD int expand(const State& s, Em& em) {{\n\
             const int at[] = {{{}}};\n u64 sum = 0;\n\
             for (int i = 0; i < {counters}; i++) {{\n\
             u64 value = s.w[at[i] / 64] >> at[i] % 64 & 63; sum += value;\n\
             if (value < {limit}) {{ State next = s; next.w[at[i] / 64] += 1ull << at[i] % 64; em(next); }} }}\n\
             return sum == {limit}ull * {counters} ? MODEL_STUCK : sum % {left} == 0 ? MODEL_LEFT : MODEL_DONE;\n}}\n",
            positions.join(",")
        );
        ModelText { text, words, bits, cycles: false }
    }

    /// The host's own expansion.
    pub fn expand(self, state: &[u8], out: &mut Batch) {
        for counter in 0..self.counters {
            let at = self.position(counter);
            let mut words = words_of(state);
            let word = &mut words[at as usize / 64];
            if *word >> (at % 64) & 63 < self.limit {
                *word += 1 << (at % 64);
                let next: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take(state.len()).collect();
                out.push(&next);
            }
        }
    }

    /// The sum of the counters of a state, which is its depth.
    pub fn sum(self, state: &[u8]) -> u64 {
        let value = |at: u32| words_of(state)[at as usize / 64] >> (at % 64) & 63;
        (0..self.counters).map(|counter| value(self.position(counter))).sum()
    }

    pub fn initial(self) -> Vec<u8> {
        vec![0; 8 * self.words()]
    }
}
