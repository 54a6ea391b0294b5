//! Synchronisation primitives of the crate. With `--cfg shuttle` they are those of the shuttle scheduler, which tests
//! interleavings.

#[cfg(shuttle)]
pub(crate) use shuttle::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    sync::{Condvar, Mutex, MutexGuard},
    thread::yield_now,
};
#[cfg(not(shuttle))]
pub(crate) use std::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    sync::{Condvar, Mutex, MutexGuard},
    thread::yield_now,
};

/// Spins before a waiting thread sleeps: about ten microseconds, which is what waking up costs.
const SPINS: usize = if cfg!(shuttle) { 1 } else { 1 << 9 };

/// A monitor: a value under a lock, with a condition that threads wait for.
#[derive(Debug)]
pub(crate) struct Monitor<T> {
    content: Mutex<Content<T>>,
    /// Incremented with each update, so that waiting threads can spin without the lock.
    version: AtomicU64,
    condition: Condvar,
}

#[derive(Debug)]
struct Content<T> {
    value: T,
    sleepers: usize,
}

impl<T> Monitor<T> {
    pub fn new(value: T) -> Monitor<T> {
        let content = Mutex::new(Content { value, sleepers: 0 });
        Monitor { content, version: AtomicU64::new(0), condition: Condvar::new() }
    }

    pub fn update<R>(&self, update: impl FnOnce(&mut T) -> R) -> R {
        let mut content = self.lock();
        let result = update(&mut content.value);
        self.notify(&content);
        result
    }

    /// Waits until `ready` returns a result. `ready` may change the value only when it returns one.
    pub fn wait<R>(&self, mut ready: impl FnMut(&mut T) -> Option<R>) -> R {
        let mut content = self.lock();
        loop {
            if let Some(result) = ready(&mut content.value) {
                self.notify(&content);
                return result;
            }
            let version = self.version.load(Ordering::Relaxed);
            drop(content);
            self.spin(version);
            content = self.lock();
            if self.version.load(Ordering::Relaxed) == version {
                content.sleepers += 1;
                content = self.condition.wait(content).unwrap_or_else(|poisoned| poisoned.into_inner());
                content.sleepers -= 1;
            }
        }
    }

    fn spin(&self, version: u64) {
        for _ in 0..SPINS {
            if self.version.load(Ordering::Relaxed) != version {
                return;
            }
            spin_loop();
        }
    }

    fn notify(&self, content: &MutexGuard<'_, Content<T>>) {
        self.version.fetch_add(1, Ordering::Relaxed);
        if content.sleepers > 0 {
            self.condition.notify_all();
        }
    }

    /// Poisoning is ignored: a panicking thread does not hold the lock or has not changed the value.
    fn lock(&self) -> MutexGuard<'_, Content<T>> {
        self.content.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
