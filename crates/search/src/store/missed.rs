//! What a lossy search has probably missed.

/// An estimate, from what was seen and how the store works.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Missed {
    /// States expected to be missed: those taken for others, and those that only these lead to.
    pub states: f64,
    /// Nineteen times out of twenty, no more than these.
    pub at_most: f64,
    /// The part of all states that was seen, if so many were missed.
    pub coverage: f64,
}

/// Into so many pieces the search is cut to sum up what was missed.
const PIECES: u32 = 4096;
/// Enough for the fixed point: each brings it closer by a factor.
const ROUNDS: usize = 200;

impl Missed {
    /// Of a search that has seen so many states and transitions; `confusion` says how likely a new state is taken for an
    /// old one after so many.
    ///
    /// Between two states that are stored, a state is met and missed with probability `f / (1 - f)`, so the sum of that is
    /// what was met and missed. Others were not even met, because all transitions to them start where nobody was. How many
    /// these are depends on the model; here transitions lead anywhere, so that a state has one that leads to it, and some
    /// more as in a Poisson distribution. That is a fixed point, since what was not met is not expanded either.
    pub fn estimate(states: u64, transitions: u64, confusion: impl Fn(f64) -> f64) -> Missed {
        let seen = states as f64;
        let piece = seen / f64::from(PIECES);
        let met: f64 = (0..PIECES)
            .map(|n| confusion((f64::from(n) + 0.5) * piece).clamp(0.0, 1.0 - 1e-9))
            .map(|chance| chance / (1.0 - chance) * piece)
            .sum();
        if states == 0 || met <= 0.0 {
            return Missed { states: 0.0, at_most: 0.0, coverage: 1.0 };
        }
        let confused = met / (seen + met);
        let more = (transitions as f64 / seen - 1.0).max(0.0);
        let mut missed = confused;
        for _ in 0..ROUNDS {
            let unmet = missed * (-more * (1.0 - missed)).exp();
            missed = 1.0 - (1.0 - unmet) * (1.0 - confused);
        }
        // A tree loses everything behind what it misses: then nothing but what was met can be told.
        let all = (seen / (1.0 - missed).max(1e-9)).max(seen + met);
        let states = all - seen;
        // Those met are as in a Poisson distribution; the others come with them.
        let spread = states / met;
        let at_most = spread * (met + 1.645 * met.sqrt() + 1.0);
        Missed { states, at_most, coverage: seen / all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_missed_where_nothing_is_confused() {
        assert_eq!(Missed::estimate(1000, 5000, |_| 0.0), Missed { states: 0.0, at_most: 0.0, coverage: 1.0 });
        assert_eq!(Missed::estimate(0, 0, |_| 0.5).coverage, 1.0);
    }

    #[test]
    fn more_is_missed_where_few_ways_lead_to_a_state() {
        let missed = |transitions| Missed::estimate(1_000_000, transitions, |states| states / 1e9);
        let (many, few, tree) = (missed(20_000_000), missed(2_000_000), missed(1_000_000));
        assert!((490.0..510.0).contains(&many.states), "{many:?}");
        assert!(many.states < few.states && few.states < tree.states && tree.coverage < 1.0, "{few:?} {tree:?}");
        assert!(many.at_most > many.states + 30.0 && many.at_most < 560.0, "{many:?}");
    }

    #[test]
    fn a_full_store_tells_little() {
        let full = Missed::estimate(1_000_000, 3_000_000, |_| 0.999_999);
        assert!(full.coverage < 1e-4 && full.states.is_finite() && full.at_most.is_finite(), "{full:?}");
    }
}
