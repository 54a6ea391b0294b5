//! The texts that are compiled: the model between a prelude and the kernels.

/// The successors of a model as C++ text.
///
/// The text defines `MODEL_WORDS` (1 to 4), `MODEL_BITS`, `struct State { u64 w[MODEL_WORDS]; }`, `MODEL_DONE`, `MODEL_LEFT`, `MODEL_STUCK`
/// and `template <class Em> HD int expand(const State& s, Em& em)`, which calls `em` with each successor; `em.emitted` is their number. `MODEL_LEFT` means that the host has
/// to expand the state, `MODEL_STUCK` that it is an invalid end state and nothing else. In a search for cycles the text also defines
/// `HD bool is_accepting(const State& s)`, which is false for states of which the host has to tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelText {
    /// The text.
    pub text: String,
    /// The number of 64-bit words of a state.
    pub words: usize,
    /// The number of bits of a state. All others are 0.
    pub bits: u32,
    /// Whether the search is one for accepting cycles.
    pub cycles: bool,
}

/// The most bits of a state: a key has one more.
pub const MOST_BITS: u32 = 255;

const DEVICE: &str = include_str!("kernel/device.cuh");
const TABLE: &str = include_str!("kernel/table.cuh");
const KERNELS: &str =
    concat!(include_str!("kernel/levels.cuh"), include_str!("kernel/trace.cuh"), include_str!("kernel/explore.cu"));
/// What a search for cycles has before and after the kernels of every search.
const CYCLES: [&str; 2] =
    [concat!("#define CYCLES\n", include_str!("kernel/places.cuh")), include_str!("kernel/cycles.cu")];
const EMULATION: [&str; 2] = [include_str!("kernel/emulation.h"), include_str!("kernel/emulation.cpp")];

impl ModelText {
    /// The number of words of a key: of a state and one more bit.
    pub fn key_words(&self) -> usize {
        match self.bits {
            0..64 => 1,
            64..128 => 2,
            _ => 4,
        }
    }

    /// Whether the table itself has the keys.
    pub fn keys_in_table(&self, swaps_128_bits: bool) -> bool {
        self.key_words() == 1 || self.key_words() == 2 && swaps_128_bits
    }

    /// The text for a device.
    pub fn for_device(&self, swaps_128_bits: bool) -> String {
        [swap(swaps_128_bits), DEVICE, &self.text, &self.kernels()].join("\n")
    }

    /// The text of a program that emulates a device.
    pub fn for_emulation(&self, swaps_128_bits: bool) -> String {
        let [before, after] = EMULATION;
        [swap(swaps_128_bits), before, &self.text, &self.kernels(), after].join("\n")
    }

    fn kernels(&self) -> String {
        let [before, after] = if self.cycles { CYCLES } else { [""; 2] };
        [TABLE, before, KERNELS, after].join("\n")
    }
}

fn swap(swaps_128_bits: bool) -> &'static str {
    if swaps_128_bits { "#define SWAPS_128_BITS" } else { "" }
}
