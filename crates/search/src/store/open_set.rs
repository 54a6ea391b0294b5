//! States that wait to be expanded, and those on the way to them: all that a lossy store keeps in full.
//!
//! Each knows where it was found from, and how many there are that it is needed for: itself until it is expanded, those
//! found from it, and whoever wants to know the way to it. When it is needed no more, its place is used again. So every
//! state here has a way to the initial one, whatever the order of the search.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use kripke_model::State;

use super::arena::{Arena, Pen};
use super::lossy::{Keeper, Waiting};
use super::memory_quota::Account;
use super::reserved_memory::Filled;
use super::{Full, StateId};

/// Where a state was found from, if it was found from nowhere.
const NOWHERE: u32 = u32::MAX;
const HEAD: usize = size_of::<Head>();
/// What a place costs besides: it is listed when it is free.
const LISTING: u64 = size_of::<u32>() as u64;

/// Written before each state. All bits zero are valid.
#[repr(C)]
struct Head {
    origin: AtomicU32,
    /// For how many this is needed.
    needs: AtomicU32,
    length: AtomicU32,
}

#[derive(Debug)]
pub struct Yard(Arena);

impl Waiting for Yard {
    type Keeper<'a> = Guard<'a>;

    const LINKED: bool = true;

    fn new(workers: usize) -> Yard {
        Yard(Arena::new(Filled::WithGaps { workers }))
    }

    fn keeper(&self) -> Guard<'_> {
        Guard { yard: self, pen: Pen::new(&self.0), free: Vec::new() }
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

impl Yard {
    fn head(&self, number: u32) -> &Head {
        let place = self.0.place(number);
        assert!(!place.is_null(), "there is no state {number}");
        // SAFETY: numbers come from `Guard::add`, so the block is there and has room for a head and a state at this place,
        // which is aligned, since all lengths and the start of a block are multiples of four. Heads are made of atomics.
        unsafe { &*place.cast::<Head>() }
    }

    /// A state that is needed.
    #[inline]
    fn get(&self, number: u32) -> &State {
        let length = self.head(number).length.load(Ordering::Relaxed) as usize;
        // SAFETY: a state of this length was written after the head before its number was passed on, and as long as it
        // is needed nobody writes there.
        unsafe { std::slice::from_raw_parts(self.0.place(number).add(HEAD), length) }
    }

    fn origin(&self, number: u32) -> Option<u32> {
        Some(self.head(number).origin.load(Ordering::Relaxed)).filter(|&origin| origin != NOWHERE)
    }

    /// Needs a state once more; it must be needed already.
    fn need(&self, number: u32) {
        self.head(number).needs.fetch_add(1, Ordering::Relaxed);
    }
}

/// One worker's access: the places it may use again.
#[derive(Debug)]
pub struct Guard<'a> {
    yard: &'a Yard,
    pen: Pen<'a>,
    /// By length; the one used last is the first.
    free: Vec<Free>,
}

#[derive(Debug)]
struct Free {
    stride: usize,
    numbers: Vec<u32>,
}

impl Keeper for Guard<'_> {
    #[inline]
    fn check(&mut self, length: usize, account: &mut Account<'_>) -> Result<(), Full> {
        let stride = stride(length);
        account.check(if self.free(stride).numbers.is_empty() { stride as u64 + LISTING } else { 0 })
    }

    /// The origin is needed; the state is needed once.
    #[inline]
    fn add(&mut self, state: &State, origin: Option<StateId>, account: &mut Account<'_>) -> Result<StateId, Full> {
        let stride = stride(state.len());
        let number = match self.free(stride).numbers.pop() {
            Some(number) => {
                account.spend(state.len() as u64, 0);
                number
            }
            None => {
                let number = self.pen.next(stride)?;
                self.pen.keep();
                account.spend(state.len() as u64, stride as u64 + LISTING);
                number
            }
        };
        let head = self.yard.head(number);
        head.origin.store(origin.map_or(NOWHERE, StateId::number), Ordering::Relaxed);
        head.needs.store(1, Ordering::Relaxed);
        head.length.store(state.len() as u32, Ordering::Relaxed);
        // SAFETY: the place has room for a head and a state of this length, and nobody needs what may be there.
        unsafe { ptr::copy_nonoverlapping(state.as_ptr(), self.yard.0.place(number).add(HEAD), state.len()) };
        if let Some(origin) = origin {
            self.yard.need(origin.number());
        }
        Ok(StateId::numbered(number))
    }

    #[inline]
    fn get(&self, id: StateId) -> &State {
        self.yard.get(id.number())
    }

    /// Needs a state once less, and then perhaps not those before it.
    #[inline]
    fn release(&mut self, id: StateId) {
        let mut number = id.number();
        loop {
            let head = self.yard.head(number);
            // Whoever is last must see all that others did with the state.
            if head.needs.fetch_sub(1, Ordering::AcqRel) > 1 {
                return;
            }
            let (origin, length) = (head.origin.load(Ordering::Relaxed), head.length.load(Ordering::Relaxed));
            self.free(stride(length as usize)).numbers.push(number);
            if origin == NOWHERE {
                return;
            }
            number = origin;
        }
    }

    fn hold(&mut self, id: StateId) {
        self.yard.need(id.number());
    }

    fn origin(&self, id: StateId) -> Option<StateId> {
        self.yard.origin(id.number()).map(StateId::numbered)
    }
}

impl Guard<'_> {
    #[inline]
    fn free(&mut self, stride: usize) -> &mut Free {
        if self.free.first().is_none_or(|free| free.stride != stride) {
            let at = self.free.iter().position(|free| free.stride == stride).unwrap_or_else(|| {
                self.free.push(Free { stride, numbers: Vec::new() });
                self.free.len() - 1
            });
            self.free.swap(0, at);
        }
        &mut self.free[0]
    }
}

/// Bytes for a head and a state of this length.
fn stride(length: usize) -> usize {
    (HEAD + length).next_multiple_of(align_of::<Head>())
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::{Capacity, memory_quota::Ledger};
    use super::*;

    #[test]
    fn the_way_back_is_kept_and_no_more() {
        let (yard, ledger) = (Yard::new(1), Ledger::new(Capacity::UNLIMITED, 1, 0));
        let (mut guard, mut account) = (yard.keeper(), ledger.account());
        let mut add = |guard: &mut Guard<'_>, n: u32, origin| {
            let state = &n.to_le_bytes()[..1 + n as usize % 4];
            guard.check(state.len(), &mut account).unwrap();
            guard.add(state, origin, &mut account).unwrap()
        };
        let root = add(&mut guard, 0, None);
        let mut tips = Vec::new();
        for first in 1..50 {
            let first = add(&mut guard, first, Some(root));
            let second = add(&mut guard, 200, Some(first));
            guard.release(first);
            tips.push((first, second));
        }
        guard.release(root);
        for &(first, second) in &tips {
            assert_eq!(
                (guard.origin(second), guard.origin(first), guard.origin(root)),
                (Some(first), Some(root), None)
            );
            assert_eq!((guard.get(second), guard.get(root)), (&[200][..], &[0][..]));
        }
        let (kept, before) = (tips.pop().unwrap(), ledger.bytes());
        guard.hold(kept.1);
        guard.release(kept.1);
        tips.iter().for_each(|&(_, second)| guard.release(second));
        for n in 0..98 {
            let number = add(&mut guard, n, None);
            assert!(![root, kept.0, kept.1].contains(&number), "what is needed is not used again");
        }
        assert_eq!((guard.origin(kept.1), guard.origin(kept.0)), (Some(kept.0), Some(root)));
        account.publish();
        assert!(ledger.bytes() >= before);
    }

    #[test]
    fn places_are_used_again() {
        let (yard, ledger) = (Yard::new(1), Ledger::new(Capacity::UNLIMITED, 1, 0));
        let (mut guard, mut account) = (yard.keeper(), ledger.account());
        for n in 0..100_000u32 {
            let state = &[7; 30][..20 + n as usize % 3];
            guard.check(state.len(), &mut account).unwrap();
            let number = guard.add(state, None, &mut account).unwrap();
            guard.release(number);
        }
        account.publish();
        assert_eq!(ledger.states(), 100_000);
        assert!(ledger.bytes() < 200, "{} bytes", ledger.bytes());
    }
}
