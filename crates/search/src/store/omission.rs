//! What a lossy search has probably missed.

/// An estimate, from what was seen and how the store works. It is about states that the search has met, at the end of a
/// transition. A state that only missed ones lead to was not even met, and nobody can tell how many these are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OmissionEstimate {
    /// States that were met, but expected to be taken for others.
    pub states: f64,
    /// In nineteen cases out of twenty there are no more than these.
    pub at_most: f64,
    /// The part of the states met that was seen, if so many were missed.
    pub coverage: f64,
}

/// Into so many pieces the search is cut to sum up what was missed.
const PIECES: u32 = 4096;
/// So many standard deviations above what is expected there is more in one case out of forty: the variance is an estimate,
/// too, so one out of twenty is promised.
const DEVIATIONS: f64 = 2.0;
/// If no more are expected, there is one in one case out of forty.
const RARE: f64 = 0.025;

impl OmissionEstimate {
    /// Of a search that has stored so many states, of which the first so many were known for sure. `confusion` is asked in
    /// turn, for pieces of the search in which so many were stored, how likely a new state is taken for an old one there. With
    /// that probability `f`, the number of states missed until the next one is stored is
    /// `f / (1 - f)` on average, and the sum of all these is what was missed. Each happens by itself, so the sum varies
    /// about as in a Poisson distribution, or a bit more where `f` is large.
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
        // What is rare comes in ones, which the normal distribution does not know.
        let at_most = if missed < RARE { 0.0 } else { missed + DEVIATIONS * variance.sqrt() + 1.0 };
        let coverage = if missed == 0.0 { 1.0 } else { seen / (seen + missed) };
        OmissionEstimate { states: missed, at_most, coverage }
    }

    /// With what was missed before, by another store, where so many states are stored now. The bounds add up to one that is
    /// rather too large.
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
    fn nothing_is_missed_where_nothing_is_confused() {
        assert_eq!(
            OmissionEstimate::estimate(0, 1000, |_| 0.0),
            OmissionEstimate { states: 0.0, at_most: 0.0, coverage: 1.0 }
        );
        assert_eq!(OmissionEstimate::estimate(0, 0, |_| 0.5).coverage, 1.0);
    }

    #[test]
    fn what_is_expected_adds_up() {
        let mut states = 0.0;
        let missed = OmissionEstimate::estimate(0, 1_000_000, |piece| {
            states += piece;
            states / 1e9
        });
        assert!((500.0..501.0).contains(&missed.states), "{missed:?}");
        assert!((544.0..548.0).contains(&missed.at_most) && (0.999..0.9996).contains(&missed.coverage), "{missed:?}");
    }

    #[test]
    fn what_was_known_is_not_missed() {
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
    fn a_full_store_tells_little() {
        let full = OmissionEstimate::estimate(0, 1_000_000, |_| 1.0);
        assert!(full.coverage < 1e-8 && full.states.is_finite() && full.at_most.is_finite(), "{full:?}");
    }
}
