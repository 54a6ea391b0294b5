//! Trails in few launches: see `kernel/trace.cuh`.

use kripke_model::{Batch, State};
use kripke_search::AcceleratorFailure;

use crate::device::{Device, Kernel, Parameters, Purpose};
use crate::explorer::{Explorer, Level, MOST_LEVELS, Tier, lost};

/// Fewer levels are left to the search: it then chooses the predecessors that a search on the host chooses.
const LEAST_LEVELS: usize = 128;

/// The keys of the list before those of the trail, as in `kernel/trace.cuh`.
const CANDIDATES: u64 = 48;

/// Bytes before the list of levels: the given state.
const GIVEN: u64 = 64;

impl<D: Device> Explorer<D> {
    /// Traces back from a state at this depth, as far as one launch can.
    pub(crate) fn trace_back(&mut self, depth: u32, state: &State, out: &mut Batch) -> Result<(), AcceleratorFailure> {
        let levels = self.levels_to_trace(depth as usize);
        if levels.len() < LEAST_LEVELS {
            return Ok(());
        }
        let size = self.plan.ring_size;
        let words: Vec<u64> = levels.iter().flat_map(|level| [level.begin % size, level.places]).collect();
        self.write_given(std::iter::once(state))?;
        self.device.write(self.base.given + GIVEN, &words).map_err(lost)?;
        self.reset_counters(0, 0)?;
        let parameters = Parameters {
            given_count: 1,
            purpose: Purpose::Compare as u64,
            most_levels: levels.len() as u64,
            sizes: self.base.given + GIVEN,
            ..self.parameters(levels[0])
        };
        self.device.launch(Kernel::ExpandStates, Tier::of(levels[0].places).items, &parameters).map_err(lost)?;
        self.read_counters()?;
        self.read_list(CANDIDATES, self.counters.levels, out)
    }

    /// The levels before this depth that are still known, the last one first, as many as a launch takes: their number of blocks is the same.
    fn levels_to_trace(&self, depth: usize) -> Vec<Level> {
        let room = self.plan.listed.saturating_sub(CANDIDATES);
        let listed = (self.plan.listed * self.plan.key_bytes()).saturating_sub(GIVEN) / size_of::<[u64; 2]>() as u64;
        let before = self.levels.get(..depth).unwrap_or_default().iter().rev();
        let Some(tier) = before.clone().next().map(|level| Tier::of(level.places)) else { return Vec::new() };
        let fits = |level: &&Level| self.is_retained(**level) && (tier.least..=tier.most).contains(&level.places);
        before.take_while(fits).take(room.min(listed).min(MOST_LEVELS) as usize).copied().collect()
    }
}
