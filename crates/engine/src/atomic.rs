//! Atomic sequences: the points recorded by compiled code become successors, in depth-first order like in the
//! interpreter.

use kripke_model::layout::ProcessAt;

use crate::context::{Pending, SLACK, status};
use crate::driver::Driver;
use crate::runtime;

/// The number of points inside the atomic sequences of one state, and of branches of a sequence, above which the
/// state is left to the interpreter.
const MAX_POINTS: usize = 200_000;
const MAX_DEPTH: usize = 10_000;

impl Driver {
    /// Makes successors of the points inside atomic sequences that compiled code has recorded.
    #[inline(never)]
    pub(crate) fn run_inner(&mut self) -> i32 {
        self.run_points(0, self.points_made())
    }

    /// Makes successors of a range of points.
    pub(crate) fn run_points(&mut self, first: usize, end: usize) -> i32 {
        if self.context.branches == 0 { self.append(first, end) } else { self.run_branches(first, end) }
    }

    /// Expands points with several enabled edges. The points that result from one are expanded before the next one.
    fn run_branches(&mut self, first: usize, end: usize) -> i32 {
        self.context.timeout = 0;
        self.buffers.points.clear();
        self.buffers.points.push((first, end));
        while let Some((next, end)) = self.buffers.points.last_mut() {
            let (first, end) = (*next, *end);
            // SAFETY: compiled code wrote as many entries as were made.
            let points = unsafe { std::slice::from_raw_parts(self.context.pending_start, end) };
            let ended = points[first..].iter().take_while(|p| p.branches == 0).count();
            let point = points.get(first + ended).copied();
            *next = first + ended + 1;
            let mut answer = self.append(first, first + ended);
            match point.filter(|_| answer == status::DONE) {
                Some(point) => answer = self.run_branch(point),
                None => drop(self.buffers.points.pop()),
            }
            if answer != status::DONE {
                return answer;
            }
        }
        status::DONE
    }

    pub(crate) fn points_made(&self) -> usize {
        // SAFETY: both are into the same buffer.
        unsafe { self.context.pending.offset_from(self.context.pending_start) as usize }
    }

    /// Makes the moves from a point with several enabled edges.
    fn run_branch(&mut self, point: Pending) -> i32 {
        let (len, before) = (point.len as usize, self.points_made());
        if before > MAX_POINTS || self.buffers.points.len() > MAX_DEPTH {
            return status::RARE;
        }
        if len + SLACK > self.buffers.current.len() {
            return status::FULL;
        }
        let current = self.buffers.current.as_mut_ptr();
        let from = self.context.inner_start.wrapping_add(point.at as usize);
        // SAFETY: there is room, and these two buffers are different ones.
        unsafe { copy(from, current, len) };
        // SAFETY: so many bytes were just written.
        if !unsafe { self.survey(current, len) } {
            return status::RARE;
        }
        if !self.load_words(current, point.control as usize) {
            return status::RARE;
        }
        let (out, ends) = (self.context.out, self.context.ends);
        let answer = self.moves(current, point.control as usize);
        if answer != status::DONE {
            return answer;
        }
        let after = self.points_made();
        if after != before {
            self.buffers.points.push((before, after));
        } else if (out, ends) == (self.context.out, self.context.ends) {
            // The sequence is blocked: the point itself is a successor.
            return self.append_bytes(from, &[point]);
        }
        status::DONE
    }

    /// Converts the point to expand to words, if successors are stored in words. Returns false if code needs them and the point does not
    /// fit: it has locations and values that no stored state has.
    fn load_words(&mut self, point: *const u8, control: usize) -> bool {
        let functions = self.functions();
        let Some(words) = &functions.words else { return true };
        // SAFETY: it is a state of the fixed set of processes, which all have this length.
        let state = unsafe { std::slice::from_raw_parts(point, self.size) };
        match words.encode(state, functions.word_shape) {
            Some(packed) => self.context.words = packed,
            None => {
                let (process, offset) = (u32::from(functions.types[control]), self.context.processes[control]);
                return functions.only_goes_on(state, ProcessAt { process, offset });
            }
        }
        true
    }

    /// Makes successors of points at which sequences have ended.
    fn append(&mut self, first: usize, end: usize) -> i32 {
        // SAFETY: compiled code wrote as many entries as were made.
        let points = unsafe { std::slice::from_raw_parts(self.context.pending_start.add(first), end - first) };
        match points.first() {
            Some(point) => self.append_bytes(self.context.inner_start.wrapping_add(point.at as usize), points),
            None => status::DONE,
        }
    }

    /// Appends consecutive states in words.
    fn append_words(&mut self, from: *const u8, count: usize) -> i32 {
        for i in 0..count {
            let context = &raw mut *self.context;
            if self.context.out > self.context.out_limit {
                return status::FULL;
            }
            // SAFETY: the states follow each other, and there is room for one more successor.
            let failed = unsafe { runtime::pack(context, from.add(i * self.size), self.context.out) };
            if failed != 0 {
                return status::RARE;
            }
            self.context.out = self.context.out.wrapping_add(self.stored);
        }
        status::DONE
    }

    /// Appends consecutive states.
    fn append_bytes(&mut self, from: *const u8, points: &[Pending]) -> i32 {
        if self.functions().words.is_some() {
            return self.append_words(from, points.len());
        }
        let total: usize = points.iter().map(|p| p.len as usize).sum();
        let context = &mut *self.context;
        if context.out.wrapping_add(total) > context.out_limit {
            return status::FULL;
        }
        // SAFETY: there is room for as many bytes and some more, and these two buffers are different ones.
        unsafe { copy(from, context.out, total) };
        for point in points {
            context.out = context.out.wrapping_add(point.len as usize);
            if self.size == 0 {
                // SAFETY: there is room for as many entries as states, see `reserve`.
                unsafe { *context.ends = context.out.offset_from(context.out_start) as u32 };
                context.ends = context.ends.wrapping_add(1);
            }
        }
        status::DONE
    }
}

/// Copies states by whole vectors.
///
/// # Safety
/// The two must be in different buffers, with [`SLACK`] bytes after them.
#[inline]
unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    const UNIT: usize = 32;
    for at in (0..len).step_by(UNIT) {
        // SAFETY: less than a unit goes beyond the end.
        unsafe { std::ptr::copy_nonoverlapping(from.add(at), to.add(at), UNIT) };
    }
}
