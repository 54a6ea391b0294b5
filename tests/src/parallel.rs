//! Doing many independent things on a few threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The results of `work` on every item, in order. A panic is caught and given as its message, so that one bad item does
/// not hide what is wrong with the others.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<Result<R, String>> {
    let threads = crate::places::setting("KRIPKE_TEST_THREADS", 2);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(items.iter().map(|_| None).collect::<Vec<_>>());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    let result = catch_unwind(AssertUnwindSafe(|| work(item))).map_err(|panic| message(&*panic));
                    results.lock().expect("no thread panics while it holds the lock")[at] = Some(result);
                }
            });
        }
    });
    let results = results.into_inner().expect("no thread panics while it holds the lock");
    results.into_iter().map(|result| result.expect("every item has been worked on")).collect()
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
    format!("panic: {}", text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_a_panic_stays_alone() {
        let items: Vec<u32> = (0..100).collect();
        let results = map(&items, |n| {
            assert_ne!(*n, 42, "not this one");
            n * 2
        });
        assert_eq!(results[7], Ok(14));
        assert!(results[42].as_ref().is_err_and(|e| e.contains("not this one")));
        assert_eq!(results.iter().filter(|r| r.is_ok()).count(), 99);
    }
}
