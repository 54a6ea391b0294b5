//! Where there is no memory: what a program says then, instead of a panic.
//!
//! The system may give less than a budget allows: under `ulimit -v`, in a container, on a machine that others use. Stores take
//! that for a [limit](crate::Limit) where they can. Anything else that asks for memory can't go on, so the program is told and
//! ends with the answer that is left.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// What to do when there is no memory. It should not return.
static ENDING: OnceLock<fn()> = OnceLock::new();

/// Calls this when there is no memory for something that can't do without. Only the first counts.
pub fn when_out_of_memory(ending: fn()) {
    let _ = ENDING.set(ending);
}

/// There is no memory.
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

/// A thread of a scope.
pub(crate) fn spawn<'s, 'e, T: Send + 's>(
    scope: &'s Scope<'s, 'e>,
    work: impl FnOnce() -> T + Send + 's,
) -> ScopedJoinHandle<'s, T> {
    Builder::new().spawn_scoped(scope, work).unwrap_or_else(|why| out_of_memory("a thread", &why))
}

/// The allocator of the system, for programs that have something to say [when it has nothing](when_out_of_memory).
#[derive(Debug)]
pub struct Allocator;

// SAFETY: all of it is the system's.
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
