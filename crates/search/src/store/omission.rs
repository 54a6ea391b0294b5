//! Omission probability: an estimate of the states that a lossy store has taken for visited ones (after Holzmann, *An
//! analysis of bitstate hashing*, 1998, and Wolper and Leroy, 1993).

/// An estimate from the number of stored states and the parameters of the store. It covers states that the search has
/// reached as successors. States that are reachable only through omitted states were not reached, and their number is
/// unknown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OmissionEstimate {
    /// Expected number of successors that were taken for other states.
    pub states: f64,
    /// Upper bound on that number, at a confidence of 95 %.
    pub at_most: f64,
    /// Fraction of the reached states that was stored, if the expected number was omitted.
    pub coverage: f64,
}

/// Number of steps of the numerical integration over the search.
const PIECES: u32 = 4096;
/// Standard deviations of the upper bound. Two correspond to a confidence of 97.5 %; since the variance is estimated
/// as well, 95 % is claimed.
const DEVIATIONS: f64 = 2.0;
/// Below this expectation the probability of any omission is less than 2.5 %, and the bound is zero.
const RARE: f64 = 0.025;

impl OmissionEstimate {
    /// The estimate for a search that has stored `states`, of which the first `known` were inserted without
    /// omissions. `confusion` is called for successive pieces of the search, with the number of states stored in the
    /// piece, and returns the probability `f` that a new state is taken for a stored one. The number of states
    /// omitted until the next one is stored then has the mean `f / (1 - f)`, and the sum of these means is the
    /// estimate. The events are independent, so the sum has about a Poisson distribution, with a slightly larger
    /// variance where `f` is large.
    pub fn estimate(known: u64, states: u64, mut confusion: impl FnMut(f64) -> f64) -> OmissionEstimate {
        let seen = states as f64;
        let (mut missed, mut variance) = (0.0, 0.0);
        for (part, doubtful) in [(known.min(states), false), (states.saturating_sub(known), true)] {
            let piece = part as f64 / f64::from(PIECES);
            for _ in 0..if part == 0 { 0 } else { PIECES } {
                let chance = confusion(piece).clamp(0.0, 1.0 - 1e-9);
                if doubtful {
                    missed += piece * chance / (1.0 - chance);
                    variance += piece * chance / (1.0 - chance).powi(2);
                }
            }
        }
        // The continuity correction of one matters for small expectations.
        let at_most = if missed < RARE { 0.0 } else { missed + DEVIATIONS * variance.sqrt() + 1.0 };
        let coverage = if missed == 0.0 { 1.0 } else { seen / (seen + missed) };
        OmissionEstimate { states: missed, at_most, coverage }
    }

    /// Adds the omissions of a previous store, where `stored` states are stored now. The sum of the two bounds is
    /// conservative.
    #[must_use]
    pub fn after(self, before: OmissionEstimate, stored: u64) -> OmissionEstimate {
        let (states, stored) = (self.states + before.states, stored as f64);
        let coverage = if states == 0.0 { 1.0 } else { stored / (stored + states) };
        OmissionEstimate { states, at_most: self.at_most + before.at_most, coverage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_collisions_nothing_is_omitted() {
        assert_eq!(
            OmissionEstimate::estimate(0, 1000, |_| 0.0),
            OmissionEstimate { states: 0.0, at_most: 0.0, coverage: 1.0 }
        );
        assert_eq!(OmissionEstimate::estimate(0, 0, |_| 0.5).coverage, 1.0);
    }

    #[test]
    fn expectations_add_up() {
        let mut states = 0.0;
        let missed = OmissionEstimate::estimate(0, 1_000_000, |piece| {
            states += piece;
            states / 1e9
        });
        assert!((500.0..501.0).contains(&missed.states), "{missed:?}");
        assert!((544.0..548.0).contains(&missed.at_most) && (0.999..0.9996).contains(&missed.coverage), "{missed:?}");
    }

    #[test]
    fn exactly_stored_states_are_not_omitted() {
        let estimate = |known| {
            let mut states = 0.0;
            OmissionEstimate::estimate(known, 1_000_000, |piece| {
                states += piece;
                states / 1e9
            })
        };
        let half = estimate(500_000);
        assert!((374.0..376.0).contains(&half.states), "{half:?}");
        assert_eq!(estimate(1_000_000).states, 0.0);
        let both = half.after(estimate(0), 1_000_000);
        assert!((874.0..877.0).contains(&both.states) && both.coverage < half.coverage, "{both:?}");
    }

    #[test]
    fn a_full_store_has_little_coverage() {
        let full = OmissionEstimate::estimate(0, 1_000_000, |_| 1.0);
        assert!(full.coverage < 1e-8 && full.states.is_finite() && full.at_most.is_finite(), "{full:?}");
    }
}
