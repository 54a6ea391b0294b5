//! A seed for a simulation that names none.

use std::time::{SystemTime, UNIX_EPOCH};

use kripke_model::Random;

/// A random seed, short enough to be typed.
pub fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Random::new(now.as_nanos() as u64).below_u64(1_000_000)
}
