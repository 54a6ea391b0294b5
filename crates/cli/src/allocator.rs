//! The allocator of the program: where the system has no memory, the program reports a limit instead of aborting.
//!
//! This is the only file of the program with `unsafe`: the trait of global allocators requires it.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

use crate::exit;

/// The allocator of the system, which ends the program with its result so far before an allocation fails.
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
        exit::end_without_memory();
    }
    memory
}
