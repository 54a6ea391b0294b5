//! Following atomic sequences: depth first, in the interpreter's order.

use kripke_model::Step;

use crate::compiled::{Compiled, Outcome};
use crate::context::{Pending, SLACK, status};

/// More points than this inside the atomic sequences of one state, or a sequence that branches more often than this, are
/// left to the interpreter.
const MAX_POINTS: u32 = 200_000;
const MAX_DEPTH: usize = 10_000;

impl Compiled {
    /// Expands the points inside atomic sequences that compiled code left aside. The points that come from one are
    /// expanded before the next one.
    pub(crate) fn run_inner(&mut self) -> Outcome {
        self.context.timeout = 0;
        let mut total = 0;
        self.rooms.points.clear();
        let first = self.points_made();
        self.rooms.points.push((0, first));
        while let Some((next, end)) = self.rooms.points.last_mut() {
            if next == end {
                self.rooms.points.pop();
                continue;
            }
            let index = *next;
            *next += 1;
            total += 1;
            if total > MAX_POINTS || self.rooms.points.len() > MAX_DEPTH {
                return Outcome::Rare;
            }
            // SAFETY: compiled code wrote as many entries as were made.
            let point = unsafe { *self.context.pending_start.add(index) };
            let before = self.points_made();
            match self.run_point(point) {
                status::DONE => {}
                status::FULL => return Outcome::Full,
                _ => return Outcome::Rare,
            }
            let after = self.points_made();
            if after != before {
                self.rooms.points.push((before, after));
            }
        }
        Outcome::Moved
    }

    fn points_made(&self) -> usize {
        // SAFETY: both are into the same buffer.
        unsafe { self.context.pending.offset_from(self.context.pending_start) as usize }
    }

    /// Expands a point inside an atomic sequence: runs on in the room for the next successor, as long as there is one
    /// way to go.
    fn run_point(&mut self, point: Pending) -> i32 {
        let len = point.len as usize;
        let world = self.context.out;
        if !self.has_room(len) {
            return status::FULL;
        }
        let from = self.context.inner_start.wrapping_add(point.at as usize);
        // SAFETY: there is room for as many bytes and some more, and these two buffers are different ones.
        unsafe { copy(from, world, len) };
        // SAFETY: so many bytes were just written.
        if !unsafe { self.survey(world, len) } {
            return status::RARE;
        }
        let pid = usize::from(point.control);
        if pid >= self.context.counts.processes as usize {
            return self.store(len, point.step);
        }
        match self.call(world, pid, |f| &f.follow) {
            status::DONE => self.store(self.context.counts.len as usize, point.step),
            status::BRANCH => self.run_branch(point),
            other => other,
        }
    }

    /// Makes the moves from a point where an atomic sequence branches, which is in the room for the next successor.
    fn run_branch(&mut self, point: Pending) -> i32 {
        let len = self.context.counts.len as usize;
        if len + SLACK > self.rooms.current.len() {
            return status::FULL;
        }
        let current = self.rooms.current.as_mut_ptr();
        // SAFETY: there is room, and these two buffers are different ones.
        unsafe { copy(self.context.out, current, len) };
        // SAFETY: so many bytes were just written.
        if !unsafe { self.survey(current, len) } {
            return status::RARE;
        }
        let (mut step, mut entry) = (self.context.steps, self.context.pending);
        match self.call(current, usize::from(point.control), |f| &f.moves) {
            status::DONE => {}
            other => return other,
        }
        if step == self.context.steps && entry == self.context.pending {
            // Blocked: the point itself is a state, and still is in the room for the next successor.
            return self.store(len, point.step);
        }
        // The first step of the sequence led to all of these.
        while step != self.context.steps {
            // SAFETY: compiled code wrote every step between the two pointers.
            unsafe {
                *step = point.step;
                step = step.add(1);
            }
        }
        while entry != self.context.pending {
            // SAFETY: likewise.
            unsafe {
                (*entry).step = point.step;
                entry = entry.add(1);
            }
        }
        status::DONE
    }

    fn has_room(&self, len: usize) -> bool {
        let more = if self.code.facts.fixed() { 0 } else { len };
        self.context.out.wrapping_add(more) <= self.context.out_limit
    }

    /// The state in the room for the next successor is one.
    fn store(&mut self, len: usize, step: Step) -> i32 {
        if !self.has_room(len) {
            return status::FULL;
        }
        let context = &mut *self.context;
        context.out = context.out.wrapping_add(len);
        // SAFETY: there is room for as many entries as states, see `reserve`.
        unsafe {
            *context.ends = context.out.offset_from(context.out_start) as u32;
            *context.steps = step;
        }
        context.ends = context.ends.wrapping_add(1);
        context.steps = context.steps.wrapping_add(1);
        status::DONE
    }
}

/// Copies a state by whole vectors.
///
/// # Safety
/// The two must be in different buffers, and have [`SLACK`] bytes behind them.
#[inline]
unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    const UNIT: usize = 32;
    for at in (0..len).step_by(UNIT) {
        // SAFETY: less than a unit goes beyond the end.
        unsafe { std::ptr::copy_nonoverlapping(from.add(at), to.add(at), UNIT) };
    }
}
