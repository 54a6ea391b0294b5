//! Memory that the system does not provide: the program ends with a result instead of a panic.
//!
//! The system may provide less memory than a budget allows, for example under `ulimit -v` or in a container. Stores
//! turn that into a [limit](crate::Limit) where they can. Where they cannot, a function of the program is called, which ends
//! it with the result obtained so far.

use std::sync::OnceLock;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// The function that ends the program. It should not return.
static ENDING: OnceLock<fn()> = OnceLock::new();

/// Sets the function to call when memory or a thread is missing and that cannot be turned into a limit. Only the first call
/// has an effect.
pub fn when_out_of_memory(ending: fn()) {
    let _ = ENDING.set(ending);
}

/// Ends the program because memory for `what` is missing.
#[cold]
pub(crate) fn out_of_memory(what: &str, why: &std::io::Error) -> ! {
    if let Some(ending) = ENDING.get() {
        ending();
    }
    panic!("no memory for {what}: {why}")
}

/// Spawns a scoped thread; ends the program if the system cannot create it.
pub(crate) fn spawn<'s, 'e, T: Send + 's>(
    scope: &'s Scope<'s, 'e>,
    work: impl FnOnce() -> T + Send + 's,
) -> ScopedJoinHandle<'s, T> {
    Builder::new().spawn_scoped(scope, work).unwrap_or_else(|why| out_of_memory("a thread", &why))
}
