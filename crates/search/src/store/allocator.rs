//! Allocation failure: the program reports a limit instead of a panic.
//!
//! The system may provide less memory than a budget allows, for example under `ulimit -v` or in a container. Stores
//! turn that into a [limit](crate::Limit) where they can. Every other failed allocation calls a function of the
//! program, which ends it with the result obtained so far.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// The function called when an allocation fails. It should not return.
static ENDING: OnceLock<fn()> = OnceLock::new();

/// Sets the function to call when an allocation fails that cannot be turned into a limit. Only the first call has an
/// effect.
pub fn when_out_of_memory(ending: fn()) {
    let _ = ENDING.set(ending);
}

/// Ends the program because memory for `what` is missing.
#[cold]
pub(crate) fn out_of_memory(what: &str, why: &std::io::Error) -> ! {
    end();
    panic!("no memory for {what}: {why}")
}

#[cold]
fn end() {
    if let Some(ending) = ENDING.get() {
        ending();
    }
}

/// Spawns a scoped thread; ends the program if the system cannot create it.
pub(crate) fn spawn<'s, 'e, T: Send + 's>(
    scope: &'s Scope<'s, 'e>,
    work: impl FnOnce() -> T + Send + 's,
) -> ScopedJoinHandle<'s, T> {
    Builder::new().spawn_scoped(scope, work).unwrap_or_else(|why| out_of_memory("a thread", &why))
}

/// The allocator of the system, which calls the function set by [`when_out_of_memory`] before it fails.
#[derive(Debug)]
pub struct Allocator;

// SAFETY: every method forwards to the allocator of the system.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        checked(unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        checked(unsafe { System.realloc(memory, layout, size) })
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[inline]
fn checked(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        end();
    }
    memory
}
