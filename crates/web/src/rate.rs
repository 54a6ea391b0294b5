//! Limits of the number of requests in a time, and of what a client holds at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

    /// Counts a login before its password is checked: logins at the same time are counted, too.
    pub fn login(&self, client: &str) -> Result<(), Refusal> {
        take(&self.logins, client, (LOGINS_EACH_SECOND, LOGINS_AT_ONCE), 1.0)
    }

    /// Gives back a login that has not failed.
    pub fn give_back_login(&self, client: &str) {
        let mut buckets = self.logins.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.get_mut(client) {
            bucket.left = (bucket.left + 1.0).min(LOGINS_AT_ONCE);
        }
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
    if bucket.left < cost {
        return Err(Refusal::new(429, "too many requests: try again later"));
    }
    bucket.left -= cost;
    Ok(())
}

/// What clients hold at a time, such as connections: each one at most so many.
#[derive(Debug)]
pub(crate) struct Places {
    most: usize,
    taken: Mutex<HashMap<String, usize>>,
}

/// A place of a client. It is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    client: String,
}

impl Places {
    pub fn new(most: usize) -> Arc<Places> {
        Arc::new(Places { most, taken: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a client, if it has one left.
    pub fn take(self: &Arc<Places>, client: &str) -> Option<Place> {
        let mut taken = self.lock();
        let count = taken.get(client).copied().unwrap_or(0);
        if count >= self.most {
            return None;
        }
        taken.insert(client.to_string(), count + 1);
        Some(Place { places: Arc::clone(self), client: client.to_string() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        match taken.get_mut(&self.client) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.remove(&self.client)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_own_number_of_logins() {
        let rates = Rates::default();
        assert!((0..10).all(|_| rates.login("a").is_ok()));
        assert!(rates.login("a").is_err());
        assert!(rates.login("b").is_ok());
        rates.give_back_login("a");
        assert!(rates.login("a").is_ok() && rates.login("a").is_err());
    }

    #[test]
    fn places_are_free_again() {
        let places = Places::new(2);
        let (one, two) = (places.take("a"), places.take("a"));
        assert!(one.is_some() && two.is_some() && places.take("a").is_none() && places.take("b").is_some());
        drop(one);
        assert!(places.take("a").is_some());
        drop(two);
        assert!(places.lock().is_empty());
    }
}
