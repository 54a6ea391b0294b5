//! Numbers that a search of one worker keeps with states: the notes of the store, if it has them, or else an array by the
//! numbers of the states.

use crate::store::{Handle, Seen, StateId, Store};

/// What a search keeps with a state. The default value is that of a state that was never set.
pub(in crate::explore) trait Note: Copy + Default + Into<u32> {
    fn from_note(note: u32) -> Self;
}

impl Note for u8 {
    fn from_note(note: u32) -> u8 {
        note as u8
    }
}

impl Note for u32 {
    fn from_note(note: u32) -> u32 {
        note
    }
}

/// A number for each state.
#[derive(Debug, Default)]
pub(in crate::explore) struct StateNotes<T>(Vec<T>);

impl<T: Note> StateNotes<T> {
    #[inline]
    pub fn get<S: Store>(&self, handle: &S::Handle<'_>, id: StateId) -> T {
        if S::NOTES { T::from_note(handle.note(id)) } else { self.of_number(id) }
    }

    /// The number of a state that was interned just now.
    #[inline]
    pub fn of_seen<S: Store>(&self, seen: Seen) -> T {
        if S::NOTES { T::from_note(seen.note) } else { self.of_number(seen.id) }
    }

    #[inline]
    pub fn set<S: Store>(&mut self, handle: &mut S::Handle<'_>, id: StateId, note: T) {
        if S::NOTES {
            return handle.set_note(id, note.into());
        }
        let at = id.number() as usize;
        if at >= self.0.len() {
            self.0.resize((at + 1).next_power_of_two(), T::default());
        }
        self.0[at] = note;
    }

    /// Sets the number of a state that has none. Returns the number before.
    #[inline]
    pub fn set_first<S: Store>(&mut self, handle: &mut S::Handle<'_>, id: StateId, note: T) -> T {
        if S::NOTES {
            return T::from_note(handle.set_first_note(id, note.into()));
        }
        let before = self.of_number(id);
        if before.into() == 0 {
            self.set::<S>(handle, id, note);
        }
        before
    }

    fn of_number(&self, id: StateId) -> T {
        self.0.get(id.number() as usize).copied().unwrap_or_default()
    }

    /// Memory besides the store, in bytes.
    pub fn bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<T>()) as u64
    }
}
