//! Limits of the number of requests in a time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::refusal::Refusal;

/// Requests of a client in a second, and at once.
const EACH_SECOND: f64 = 100.0;
const AT_ONCE: f64 = 300.0;
/// Failed logins of a client in a second, and at once.
const LOGINS_EACH_SECOND: f64 = 10.0 / 60.0;
const LOGINS_AT_ONCE: f64 = 10.0;
/// The most clients that are remembered.
const MOST_CLIENTS: usize = 10_000;

/// What a client has left.
struct Bucket {
    left: f64,
    at: Instant,
}

/// The clients and what they have left.
#[derive(Default)]
pub(crate) struct Rates {
    requests: Mutex<HashMap<String, Bucket>>,
    logins: Mutex<HashMap<String, Bucket>>,
}

impl Rates {
    /// Counts a request of a client.
    pub fn request(&self, client: &str) -> Result<(), Refusal> {
        take(&self.requests, client, (EACH_SECOND, AT_ONCE), 1.0)
    }

    /// Refuses a client that has failed to log in too often.
    pub fn login(&self, client: &str) -> Result<(), Refusal> {
        take(&self.logins, client, (LOGINS_EACH_SECOND, LOGINS_AT_ONCE), 0.0)
    }

    /// Counts a failed login.
    pub fn failed_login(&self, client: &str) {
        let _ = take(&self.logins, client, (LOGINS_EACH_SECOND, LOGINS_AT_ONCE), 1.0);
    }
}

fn take(
    buckets: &Mutex<HashMap<String, Bucket>>,
    client: &str,
    (rate, most): (f64, f64),
    cost: f64,
) -> Result<(), Refusal> {
    let mut buckets = buckets.lock().unwrap_or_else(PoisonError::into_inner);
    if buckets.len() >= MOST_CLIENTS {
        buckets.retain(|_, bucket| bucket.left + bucket.at.elapsed().as_secs_f64() * rate < most);
    }
    let new = || Bucket { left: most, at: Instant::now() };
    let bucket = buckets.entry(client.to_string()).or_insert_with(new);
    bucket.left = (bucket.left + bucket.at.elapsed().as_secs_f64() * rate).min(most);
    bucket.at = Instant::now();
    if bucket.left < cost.max(1.0) {
        return Err(Refusal::new(429, "too many requests: try again later"));
    }
    bucket.left -= cost;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_own_number_of_logins() {
        let rates = Rates::default();
        (0..10).for_each(|_| rates.failed_login("a"));
        assert!(rates.login("a").is_err());
        assert!(rates.login("b").is_ok());
    }
}
