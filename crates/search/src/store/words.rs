//! The word store: states of one or two words in a compact hash set.
//!
//! A state of at most 127 bits is its own id. The [table](super::word_table) stores only the bits that the place of
//! a slot does not tell, and no other data: no arena, and one memory access for each state that is looked up. The open
//! states are the words in the queue.
#![allow(unsafe_code)]

use kripke_model::{Batch, State};

#[cfg(all(target_arch = "x86_64", not(shuttle)))]
use super::hardware::Lanes512;
use super::hardware::{Lanes, LineLanes};
use super::located::{Home, LocatedNumbers, Places, Window};
use super::memory_quota::{Allowance, MemoryQuota};
use super::queue::{IdNumber, Pieces};
use super::resize_barrier::{ResizeBarrier, SharedAccess};
use super::table::Refusal;
use super::table_segments::UnreportedCounts;
use super::word_format::NO_SLOT;
use super::word_hash::Word;
use super::word_table::{Added, Look, WordTable};
use super::{Capacity, Full, Handle, Omission, Seen, StateId, Store};
use crate::sync::AtomicU64;

/// States interned between two tests whether the table has to grow.
const WINDOW: usize = 64;

/// The most bits of a state in a word store.
pub const MAX_WORD_BITS: u32 = 127;

/// A state as a number: `u64` for states of one word, `u128` for states of two.
#[expect(private_bounds, reason = "tables are internal")]
pub trait StateWord: Word + IdNumber {
    /// The most bits of a state.
    const MAX_BITS: u32;
    /// The number zero.
    const ZERO: Self;

    /// The states of a batch from this one on.
    fn words_from(batch: &Batch, first: usize) -> impl Iterator<Item = Self>;

    /// Appends the bytes of the state.
    fn write(self, into: &mut Vec<u8>);
}

impl StateWord for u64 {
    const MAX_BITS: u32 = 64;
    const ZERO: u64 = 0;

    #[inline(always)]
    fn words_from(batch: &Batch, first: usize) -> impl Iterator<Item = u64> {
        batch.chunks_from(first).iter().map(|bytes| u64::from_le_bytes(*bytes))
    }

    fn write(self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.to_le_bytes());
    }
}

impl StateWord for u128 {
    const MAX_BITS: u32 = MAX_WORD_BITS;
    const ZERO: u128 = 0;

    #[inline(always)]
    fn words_from(batch: &Batch, first: usize) -> impl Iterator<Item = u128> {
        batch.chunks_from(first).iter().map(|bytes| u128::from_le_bytes(*bytes))
    }

    fn write(self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.to_le_bytes());
    }
}

/// Keeps states of one or two words, as one number each, and notes of so many bits: none, 8 or 32. It is exact and grows on
/// demand.
#[derive(Debug)]
pub struct WordStore<W, const NOTE: u32 = 0> {
    barrier: ResizeBarrier,
    table: WordTable<W, NOTE>,
    quota: MemoryQuota,
}

impl<W: StateWord> WordStore<W> {
    /// A store of states with so many bits for this number of workers.
    ///
    /// # Panics
    /// If these are more bits than the numbers have.
    pub fn new(bits: u32, capacity: Capacity, workers: usize) -> WordStore<W> {
        WordStore::with_notes(bits, capacity, workers)
    }
}

impl<W: StateWord, const NOTE: u32> WordStore<W, NOTE> {
    /// A store of states with so many bits, and a note for each, for this number of workers.
    ///
    /// # Panics
    /// If these are more bits than the numbers have.
    pub fn with_notes(bits: u32, capacity: Capacity, workers: usize) -> WordStore<W, NOTE> {
        assert!(bits <= W::MAX_BITS, "states fit into words");
        let table = WordTable::new(bits, workers);
        let quota = MemoryQuota::new(capacity, workers, table.bytes());
        WordStore { barrier: ResizeBarrier::new(), table, quota }
    }

    #[cold]
    fn grow(&self, access: &mut SharedAccess<'_>) -> Result<(), Full> {
        let WordStore { table, quota, .. } = self;
        let planned = access.resize(
            |exclusive| table.plan(exclusive, |bytes| quota.reserve(bytes)),
            |exclusive| table.grow(exclusive, |bytes| quota.release(bytes)),
        );
        if planned { Ok(()) } else { Err(Full::Memory) }
    }
}

impl<W: StateWord, const NOTE: u32> Store for WordStore<W, NOTE> {
    type Handle<'a> = WordHandle<'a, W, NOTE>;
    type Queue = Pieces<W>;

    const NOTES: bool = NOTE > 0;
    const IDS_ARE_STATES: bool = true;

    fn handle(&self) -> WordHandle<'_, W, NOTE> {
        WordHandle {
            store: self,
            access: None,
            allowance: self.quota.allowance(),
            unreported: self.table.unreported(),
            instructions: Instructions::fastest(),
            located: LocatedNumbers::default(),
            places: Places::default(),
            moved: false,
            seen: Vec::new(),
            interned: 0,
            before: 0,
            elsewhere: AtomicU64::new(0),
        }
    }

    fn len(&self) -> u64 {
        self.quota.states()
    }

    fn longest(&self) -> u64 {
        self.quota.longest()
    }

    fn bytes(&self) -> u64 {
        self.table.bytes() + self.quota.bytes()
    }

    fn omission(&self) -> Omission {
        Omission::Exact
    }
}

/// The access of one worker to a word store.
#[derive(Debug)]
pub struct WordHandle<'a, W: StateWord, const NOTE: u32 = 0> {
    store: &'a WordStore<W, NOTE>,
    access: Option<SharedAccess<'a>>,
    allowance: Allowance<'a>,
    unreported: UnreportedCounts,
    instructions: Instructions,
    /// The states of the batch that is interned next.
    located: LocatedNumbers<W>,
    /// Where states belong, as long as the table does not grow.
    places: Places,
    /// The table may have grown since some of them were located.
    moved: bool,
    /// The results of the batch that was interned last, in a store with notes.
    seen: Vec<Seen>,
    /// The number of states interned so far, and before the batch that is interned now.
    interned: u64,
    before: u64,
    /// A word that is written where nothing is to be added to the table.
    elsewhere: AtomicU64,
}

/// The instructions that compare the slots of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Instructions {
    Common,
    #[cfg(all(target_arch = "x86_64", not(shuttle)))]
    Avx512,
}

impl Instructions {
    /// The fastest ones of this processor.
    fn fastest() -> Instructions {
        #[cfg(all(target_arch = "x86_64", not(shuttle)))]
        if Lanes512::are_supported() {
            return Instructions::Avx512;
        }
        Instructions::Common
    }
}

fn is_only_new<W, R: Report<W>>(_: &R) -> bool {
    R::ONLY_NEW
}

/// What a search wants to know of the states of a batch.
trait Report<W> {
    /// Only new states, in any search with one worker.
    const ONLY_NEW: bool;

    /// Tells the result for the state with this index in the batch.
    fn tell(&mut self, index: usize, seen: Seen);
}

/// All states, or only new ones.
struct Told<F, const ONLY_NEW: bool>(F);

impl<W, F: FnMut(usize, Seen), const ONLY_NEW: bool> Report<W> for Told<F, ONLY_NEW> {
    const ONLY_NEW: bool = ONLY_NEW;

    #[inline(always)]
    fn tell(&mut self, index: usize, seen: Seen) {
        if !ONLY_NEW || seen.new {
            (self.0)(index, seen);
        }
    }
}

impl<'a, W: StateWord, const NOTE: u32> WordHandle<'a, W, NOTE> {
    /// Grows the table, together with the other workers.
    #[cold]
    fn grow(&mut self, access: &mut SharedAccess<'a>) -> Result<(), Full> {
        self.moved = true;
        let grown = self.store.grow(access);
        self.store.table.set_places(&mut self.places, access);
        grown
    }

    fn intern_window(
        &mut self,
        access: &mut SharedAccess<'a>,
        window: Window<'_, W>,
        each: &mut impl Report<W>,
    ) -> Result<(), Full> {
        if access.resize_is_requested() {
            self.grow(access)?;
        }
        match self.instructions {
            Instructions::Common => self.add_window::<Lanes>(access, window, each),
            // SAFETY: the processor has these instructions, or the value would be another.
            #[cfg(all(target_arch = "x86_64", not(shuttle)))]
            Instructions::Avx512 => unsafe { self.add_window_avx512(access, window, each) },
        }
    }

    /// # Safety
    /// The processor must have the instructions.
    #[cfg(all(target_arch = "x86_64", not(shuttle)))]
    #[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn add_window_avx512(
        &mut self,
        access: &mut SharedAccess<'a>,
        window: Window<'_, W>,
        each: &mut impl Report<W>,
    ) -> Result<(), Full> {
        self.add_window::<Lanes512>(access, window, each)
    }

    /// Looks up most states in the line where they belong. The code is chosen by the format of the slots of the first state:
    /// most segments have the same.
    #[inline(always)]
    fn add_window<L: LineLanes>(
        &mut self,
        access: &mut SharedAccess<'a>,
        window: Window<'_, W>,
        each: &mut impl Report<W>,
    ) -> Result<(), Full> {
        if self.moved {
            return self.add_moved(access, window, each);
        }
        match self.store.table.format_at(window.get(0).home, access) {
            0 => self.add_window_as::<L, 0>(access, window, each),
            1 => self.add_window_as::<L, 1>(access, window, each),
            2 => self.add_window_as::<L, 2>(access, window, each),
            3 => self.add_window_as::<L, 3>(access, window, each),
            4 => self.add_window_as::<L, 4>(access, window, each),
            5 => self.add_window_as::<L, 5>(access, window, each),
            6 => self.add_window_as::<L, 6>(access, window, each),
            _ => self.add_window_as::<L, 7>(access, window, each),
        }
    }

    #[inline(always)]
    fn add_window_as<L: LineLanes, const FORMAT: usize>(
        &mut self,
        access: &mut SharedAccess<'a>,
        window: Window<'_, W>,
        each: &mut impl Report<W>,
    ) -> Result<(), Full> {
        let mut at = 0;
        if is_only_new(each) && NOTE == 0 {
            at = match self.store.table.is_private() {
                true => self.add_window_alone::<L, FORMAT>(access, window, each)?,
                false => self.add_window_among_others::<L, FORMAT>(access, window, each)?,
            };
        }
        while at < window.len() {
            if self.moved {
                return self.add_moved(access, window.from(at), each);
            }
            let located = &window.get(at);
            let table = &self.store.table;
            let added = match table.look::<L, FORMAT>(located, access) {
                Look::Known(known) => known,
                Look::Vacant(slot) => {
                    self.allowance.check(0)?;
                    if table.fill::<FORMAT>((located, slot), access, &mut self.unreported) {
                        self.allowance.spend(size_of::<W>() as u64, 0);
                        Added::NEW
                    } else {
                        self.add(access, (located.number, located.home))?
                    }
                }
                Look::Elsewhere => self.add(access, (located.number, located.home))?,
            };
            at += 1;
            self.tell(added.seen(located.number.id()), each);
        }
        Ok(())
    }

    /// The same for one worker who wants to know new states only. Returns the number of states up to one that may not be
    /// permitted, or whose place has to be computed again.
    #[inline(always)]
    fn add_window_alone<L: LineLanes, const FORMAT: usize>(
        &mut self,
        access: &mut SharedAccess<'a>,
        window: Window<'_, W>,
        each: &mut impl Report<W>,
    ) -> Result<usize, Full> {
        let (mut places, mut at) = ([0u8; WINDOW], 0);
        while at < window.len()
            && !self.moved
            && let Ok(permitted) = self.allowance.check_some(WINDOW)
        {
            let (mut count, first) = (0, at);
            for located in window.from(first).iter().take(permitted) {
                let Some(is_new) = self.store.table.look_or_fill::<L, FORMAT>(&located, access, &self.elsewhere) else {
                    break;
                };
                places[count % WINDOW] = (at - first) as u8;
                count += usize::from(is_new);
                at += 1;
            }
            self.allowance.spend_some(count, size_of::<W>() as u64);
            let index = (self.interned - self.before) as usize;
            for place in places[..count].iter().map(|place| usize::from(*place)) {
                let located = window.get(first + place);
                self.store.table.count(&located, access, &mut self.unreported);
                each.tell(index + place, Added::NEW.seen(located.number.id()));
            }
            self.interned += (at - first) as u64;
            // One that takes more than one comparison.
            if at - first < permitted && at < window.len() {
                let located = window.get(at);
                let added = self.add(access, (located.number, located.home))?;
                at += 1;
                self.tell(added.seen(located.number.id()), each);
            }
        }
        Ok(at)
    }

    /// The same for one of several workers: whether a state is known can't be predicted, so a first look decides without a branch which
    /// states may be new. Only these are added. Returns the number of states done.
    #[inline(always)]
    fn add_window_among_others<L: LineLanes, const FORMAT: usize>(
        &mut self,
        access: &mut SharedAccess<'a>,
        window: Window<'_, W>,
        each: &mut impl Report<W>,
    ) -> Result<usize, Full> {
        if self.allowance.check_some(WINDOW).unwrap_or(0) < window.len() {
            return Ok(0);
        }
        let (mut places, mut slots, mut count) = ([0u8; WINDOW], [0u8; WINDOW], 0);
        for (place, located) in window.iter().enumerate().take(WINDOW) {
            let (may_be_new, slot) = self.store.table.glance::<L, FORMAT>(&located, access);
            (places[count % WINDOW], slots[count % WINDOW]) = (place as u8, slot);
            count += usize::from(may_be_new);
        }
        let first = self.interned;
        for (&place, &slot) in places[..count].iter().zip(&slots) {
            self.interned = first + u64::from(place);
            let located = &window.get(usize::from(place));
            let vacant = (located, u32::from(slot));
            let added = if self.moved {
                self.add_again(access, located.number)?
            } else if slot != NO_SLOT && self.store.table.fill::<FORMAT>(vacant, access, &mut self.unreported) {
                self.allowance.spend(size_of::<W>() as u64, 0);
                Added::NEW
            } else {
                self.add(access, (located.number, located.home))?
            };
            if added.is_new() {
                each.tell((self.interned - self.before) as usize, added.seen(located.number.id()));
            }
        }
        self.interned = first + window.len() as u64;
        Ok(window.len())
    }

    /// Adds states whose places have to be computed again, because the table has grown.
    #[inline(never)]
    fn add_moved(
        &mut self,
        access: &mut SharedAccess<'a>,
        window: Window<'_, W>,
        each: &mut impl Report<W>,
    ) -> Result<(), Full> {
        for &number in window.numbers() {
            let added = self.add_again(access, number)?;
            self.tell(added.seen(number.id()), each);
        }
        Ok(())
    }

    /// Adds a state whose place has to be computed again.
    fn add_again(&mut self, access: &mut SharedAccess<'a>, number: W) -> Result<Added, Full> {
        let home = self.store.table.home(self.store.table.hash(number), access);
        self.add(access, (number, home))
    }

    /// Tells the result for the next state of the batch.
    #[inline(always)]
    fn tell(&mut self, seen: Seen, each: &mut impl Report<W>) {
        each.tell((self.interned - self.before) as usize, seen);
        self.interned += 1;
    }

    /// Adds a state, given with its place. It is new, or not in the line where it belongs.
    #[inline(never)]
    fn add(&mut self, access: &mut SharedAccess<'a>, place: (W, Home)) -> Result<Added, Full> {
        match self.instructions {
            Instructions::Common => self.add_by::<Lanes>(access, place),
            // SAFETY: the processor has these instructions, or the value would be another.
            #[cfg(all(target_arch = "x86_64", not(shuttle)))]
            Instructions::Avx512 => unsafe { self.add_by_avx512(access, place) },
        }
    }

    /// # Safety
    /// The processor must have the instructions.
    #[cfg(all(target_arch = "x86_64", not(shuttle)))]
    #[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn add_by_avx512(&mut self, access: &mut SharedAccess<'a>, place: (W, Home)) -> Result<Added, Full> {
        self.add_by::<Lanes512>(access, place)
    }

    #[inline(always)]
    fn add_by<L: LineLanes>(
        &mut self,
        access: &mut SharedAccess<'a>,
        (number, mut home): (W, Home),
    ) -> Result<Added, Full> {
        let table = &self.store.table;
        let hash = table.hash(number);
        let added = loop {
            match table.add::<L>(hash, home, access, &mut self.unreported, || self.allowance.check(0)) {
                Ok(added) => break added,
                Err(Refusal::Full(full)) => return Err(full),
                Err(Refusal::SegmentFull) => {
                    access.request_resize();
                    self.grow(access)?;
                    home = table.home(hash, access);
                }
            }
        };
        if added.is_new() {
            self.allowance.spend(size_of::<W>() as u64, 0);
        }
        Ok(added)
    }

    #[inline(always)]
    fn intern_all(&mut self, batch: &Batch, mut each: impl Report<W>) -> Result<(), Full> {
        self.prefetch(batch);
        let mut access = self.access.take().expect("a handle enters before it interns");
        let mut located = std::mem::take(&mut self.located);
        let mut done = Ok(());
        self.before = self.interned;
        for window in located.windows(WINDOW) {
            done = done.and_then(|()| self.intern_window(&mut access, window, &mut each));
        }
        located.clear();
        (self.located, self.moved) = (located, false);
        self.access = Some(access);
        self.allowance.publish();
        done
    }

    /// Interns a batch and collects the results. Searches with notes intern in many places, and the code for all formats of
    /// slots is large: it exists once.
    #[inline(never)]
    fn intern_and_collect(&mut self, batch: &Batch) -> Result<(), Full> {
        let mut seen = std::mem::take(&mut self.seen);
        seen.clear();
        let done = self.intern_all(batch, Told::<_, false>(|_, one| seen.push(one)));
        self.seen = seen;
        done
    }

    fn access(&self) -> &SharedAccess<'a> {
        self.access.as_ref().expect("a handle enters before it is used")
    }
}

impl<W: StateWord, const NOTE: u32> Handle for WordHandle<'_, W, NOTE> {
    fn enter(&mut self) {
        if self.access.is_none() {
            let access = self.access.insert(self.store.barrier.enter());
            self.store.table.set_places(&mut self.places, access);
            self.moved = true;
        }
    }

    fn leave(&mut self) {
        self.access = None;
    }

    fn open_all<'s>(&'s mut self, ids: &[StateId], room: &'s mut Vec<u8>) -> Vec<&'s State> {
        room.clear();
        ids.iter().for_each(|id| W::of(*id).write(room));
        room.chunks_exact(size_of::<W>()).collect()
    }

    #[inline]
    fn prefetch(&mut self, batch: &Batch) {
        self.moved &= !self.located.is_empty();
        self.located.locate(W::words_from(batch, self.located.len()), &self.places);
    }

    fn intern(&mut self, batch: &Batch, _: &[usize], mut each: impl FnMut(Seen)) -> Result<(), Full> {
        if NOTE == 0 {
            return self.intern_all(batch, Told::<_, false>(|_, seen| each(seen)));
        }
        let done = self.intern_and_collect(batch);
        self.seen.iter().for_each(|seen| each(*seen));
        done
    }

    fn intern_new(&mut self, batch: &Batch, _: &[usize], mut each: impl FnMut(usize, Seen)) -> (u64, Result<(), Full>) {
        if NOTE == 0 {
            let done = self.intern_all(batch, Told::<_, true>(each));
            return (self.interned - self.before, done);
        }
        let done = self.intern_and_collect(batch);
        self.seen.iter().enumerate().filter(|(_, seen)| seen.new).for_each(|(i, seen)| each(i, *seen));
        (self.seen.len() as u64, done)
    }

    fn fetch(&mut self, id: StateId, into: &mut Vec<u8>) {
        into.clear();
        W::of(id).write(into);
    }

    fn is_visited(&self, id: StateId) -> bool {
        self.store.table.is_visited(self.store.table.hash(W::of(id)), self.access())
    }

    fn visit(&mut self, id: StateId) -> bool {
        self.store.table.visit(self.store.table.hash(W::of(id)), self.access())
    }

    #[inline]
    fn was_visited(&self, seen: Seen) -> bool {
        seen.visited
    }
    #[inline]
    fn prefetch_note(&self, id: StateId) {
        self.places.prefetch_number(W::of(id));
    }

    fn note(&self, id: StateId) -> u32 {
        self.store.table.note(self.store.table.hash(W::of(id)), self.access())
    }

    fn set_note(&mut self, id: StateId, note: u32) {
        self.store.table.set_note(self.store.table.hash(W::of(id)), note, self.access());
    }

    fn add_to_note(&self, id: StateId, bits: u32) -> u32 {
        self.store.table.add_to_note(self.store.table.hash(W::of(id)), bits, self.access())
    }

    fn set_first_note(&self, id: StateId, note: u32) -> u32 {
        self.store.table.set_first_note(self.store.table.hash(W::of(id)), note, self.access())
    }
}
