//! The open set of a lossy breadth-first search, with parent links: open states and the states on the paths to them,
//! in full.
//!
//! Each state has a link to its parent and a reference count. A state is referenced by itself until it is expanded,
//! by its children, and by errors whose trail leads to it. When the count becomes zero, its memory is reused. Every
//! state in the set therefore has a complete path from the initial state, whatever the order of the search.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use kripke_model::State;

use super::arena::{Arena, ArenaWriter};
use super::lossy::{OpenSet, OpenSetHandle};
use super::memory_quota::Allowance;
use super::reserved_memory::FillPattern;
use super::{Full, StateId};

/// The parent of the initial state.
const NO_ORIGIN: u32 = u32::MAX;
const HEADER: usize = size_of::<Header>();
/// Memory for the entry of a slot in a free list.
const FREE_LIST_ENTRY: u64 = size_of::<u32>() as u64;

/// The header before each state. All bits zero are a valid header.
#[repr(C)]
struct Header {
    origin: AtomicU32,
    /// The reference count.
    references: AtomicU32,
    length: AtomicU32,
}

/// An open set with parent links.
#[derive(Debug)]
pub struct LinkedOpenSet(Arena);

impl OpenSet for LinkedOpenSet {
    type Handle<'a> = LinkedOpenSetHandle<'a>;

    const LINKED: bool = true;

    fn new(workers: usize) -> LinkedOpenSet {
        LinkedOpenSet(Arena::new(FillPattern::Sparse { workers }))
    }

    fn handle(&self) -> LinkedOpenSetHandle<'_> {
        LinkedOpenSetHandle { open_set: self, writer: ArenaWriter::new(&self.0), free: Vec::new() }
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

impl LinkedOpenSet {
    fn header(&self, number: u32) -> &Header {
        let place = self.0.place(number);
        assert!(!place.is_null(), "there is no state {number}");
        // SAFETY: numbers come from `LinkedOpenSetHandle::add`, so the block exists and has room for a header and a
        // state at this position. The position is aligned, because all lengths and the start of a block are multiples
        // of four. Headers consist of atomics.
        unsafe { &*place.cast::<Header>() }
    }

    /// A state that is referenced.
    #[inline]
    fn get(&self, number: u32) -> &State {
        let length = self.header(number).length.load(Ordering::Relaxed) as usize;
        // SAFETY: a state of this length was written after the header, before its number was published, and no worker
        // writes there while it is referenced.
        unsafe { std::slice::from_raw_parts(self.0.place(number).add(HEADER), length) }
    }

    fn origin(&self, number: u32) -> Option<u32> {
        Some(self.header(number).origin.load(Ordering::Relaxed)).filter(|&origin| origin != NO_ORIGIN)
    }

    /// Adds a reference to a state that has one.
    fn add_reference(&self, number: u32) {
        self.header(number).references.fetch_add(1, Ordering::Relaxed);
    }
}

/// The access of one worker, with its free lists.
#[derive(Debug)]
pub struct LinkedOpenSetHandle<'a> {
    open_set: &'a LinkedOpenSet,
    writer: ArenaWriter<'a>,
    /// Free slots by length. The list used last comes first.
    free: Vec<FreeSlots>,
}

/// Free slots of one length.
#[derive(Debug)]
struct FreeSlots {
    stride: usize,
    numbers: Vec<u32>,
}

impl OpenSetHandle for LinkedOpenSetHandle<'_> {
    #[inline]
    fn check(&mut self, length: usize, allowance: &mut Allowance<'_>) -> Result<(), Full> {
        let stride = stride(length);
        allowance.check(if self.free(stride).numbers.is_empty() { stride as u64 + FREE_LIST_ENTRY } else { 0 })
    }

    /// Adds a state with one reference, and a reference to its parent.
    #[inline]
    fn add(&mut self, state: &State, origin: Option<StateId>, allowance: &mut Allowance<'_>) -> Result<StateId, Full> {
        let stride = stride(state.len());
        let number = match self.free(stride).numbers.pop() {
            Some(number) => {
                allowance.spend(state.len() as u64, 0);
                number
            }
            None => {
                let number = self.writer.next(stride)?;
                self.writer.keep();
                allowance.spend(state.len() as u64, stride as u64 + FREE_LIST_ENTRY);
                number
            }
        };
        let header = self.open_set.header(number);
        header.origin.store(origin.map_or(NO_ORIGIN, StateId::number), Ordering::Relaxed);
        header.references.store(1, Ordering::Relaxed);
        header.length.store(state.len() as u32, Ordering::Relaxed);
        // SAFETY: the slot has room for a header and a state of this length, and its former content is not
        // referenced.
        unsafe { ptr::copy_nonoverlapping(state.as_ptr(), self.open_set.0.place(number).add(HEADER), state.len()) };
        if let Some(origin) = origin {
            self.open_set.add_reference(origin.number());
        }
        Ok(StateId::numbered(number))
    }

    #[inline]
    fn get(&self, id: StateId) -> &State {
        self.open_set.get(id.number())
    }

    /// Removes a reference. A state without references is freed, and then its parent loses a reference.
    #[inline]
    fn release(&mut self, id: StateId) {
        let mut number = id.number();
        loop {
            let header = self.open_set.header(number);
            // The last worker must see all that others did with the state.
            if header.references.fetch_sub(1, Ordering::AcqRel) > 1 {
                return;
            }
            let (origin, length) = (header.origin.load(Ordering::Relaxed), header.length.load(Ordering::Relaxed));
            self.free(stride(length as usize)).numbers.push(number);
            if origin == NO_ORIGIN {
                return;
            }
            number = origin;
        }
    }

    fn hold(&mut self, id: StateId) {
        self.open_set.add_reference(id.number());
    }

    fn origin(&self, id: StateId) -> Option<StateId> {
        self.open_set.origin(id.number()).map(StateId::numbered)
    }
}

impl LinkedOpenSetHandle<'_> {
    #[inline]
    fn free(&mut self, stride: usize) -> &mut FreeSlots {
        if self.free.first().is_none_or(|free| free.stride != stride) {
            let at = self.free.iter().position(|free| free.stride == stride).unwrap_or_else(|| {
                self.free.push(FreeSlots { stride, numbers: Vec::new() });
                self.free.len() - 1
            });
            self.free.swap(0, at);
        }
        &mut self.free[0]
    }
}

/// Bytes for a header and a state of this length.
fn stride(length: usize) -> usize {
    (HEADER + length).next_multiple_of(align_of::<Header>())
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::{Capacity, memory_quota::MemoryQuota};
    use super::*;

    #[test]
    fn paths_are_kept_and_nothing_else() {
        let (open_set, quota) = (LinkedOpenSet::new(1), MemoryQuota::new(Capacity::UNLIMITED, 1, 0));
        let (mut handle, mut allowance) = (open_set.handle(), quota.allowance());
        let mut add = |handle: &mut LinkedOpenSetHandle<'_>, n: u32, origin| {
            let state = &n.to_le_bytes()[..1 + n as usize % 4];
            handle.check(state.len(), &mut allowance).unwrap();
            handle.add(state, origin, &mut allowance).unwrap()
        };
        let root = add(&mut handle, 0, None);
        let mut tips = Vec::new();
        for first in 1..50 {
            let first = add(&mut handle, first, Some(root));
            let second = add(&mut handle, 200, Some(first));
            handle.release(first);
            tips.push((first, second));
        }
        handle.release(root);
        for &(first, second) in &tips {
            assert_eq!(
                (handle.origin(second), handle.origin(first), handle.origin(root)),
                (Some(first), Some(root), None)
            );
            assert_eq!((handle.get(second), handle.get(root)), (&[200][..], &[0][..]));
        }
        let (kept, before) = (tips.pop().unwrap(), quota.bytes());
        handle.hold(kept.1);
        handle.release(kept.1);
        tips.iter().for_each(|&(_, second)| handle.release(second));
        for n in 0..98 {
            let number = add(&mut handle, n, None);
            assert!(![root, kept.0, kept.1].contains(&number), "referenced slots are not reused");
        }
        assert_eq!((handle.origin(kept.1), handle.origin(kept.0)), (Some(kept.0), Some(root)));
        allowance.publish();
        assert!(quota.bytes() >= before);
    }

    #[test]
    fn free_slots_are_reused() {
        let (open_set, quota) = (LinkedOpenSet::new(1), MemoryQuota::new(Capacity::UNLIMITED, 1, 0));
        let (mut handle, mut allowance) = (open_set.handle(), quota.allowance());
        for n in 0..100_000u32 {
            let state = &[7; 30][..20 + n as usize % 3];
            handle.check(state.len(), &mut allowance).unwrap();
            let number = handle.add(state, None, &mut allowance).unwrap();
            handle.release(number);
        }
        allowance.publish();
        assert_eq!(quota.states(), 100_000);
        assert!(quota.bytes() < 200, "{} bytes", quota.bytes());
    }
}
