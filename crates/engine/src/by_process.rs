//! Successors by process, for partial-order reduction.

use kripke_model::layout::ProcessAt;
use kripke_model::{Batch, Flags, Parts, Standing, State};

use crate::context::{Pending, status};
use crate::driver::{Driver, Outcome};
use crate::product::Observation;

impl Driver {
    /// Appends every successor of a state and records its process. `None` if the program can't.
    pub(crate) fn expand_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Option<Flags> {
        let observed = match self.functions().observe {
            Some(_) => Some(self.observation(state)?),
            None => None,
        };
        if let Some(observed) =
            observed.as_ref().filter(|s| s.targets.is_empty() && self.functions().model.observer.is_some())
        {
            (parts.first, parts.ends) = (out.len(), Vec::new());
            return Some(observed.flags);
        }
        loop {
            match self.attempt_parts(state, out, parts) {
                Outcome::Moved => break,
                Outcome::Full if self.can_grow() => self.grow(),
                // A deadlock is left to the interpreter.
                Outcome::Still | Outcome::Rare | Outcome::Full => return None,
            }
        }
        let Some(observed) = observed else { return Some(Flags::default()) };
        if let Some(copies) = self.join_parts(&observed, out, parts.first) {
            parts.ends.iter_mut().for_each(|(_, end)| *end = parts.first + (*end - parts.first) * copies);
        }
        Some(observed.flags)
    }

    fn attempt_parts(&mut self, state: &State, out: &mut Batch, parts: &mut Parts) -> Outcome {
        parts.first = out.len();
        parts.ends.clear();
        let Some(root) = self.load(state) else { return Outcome::Rare };
        self.stand(state, parts);
        let (bytes, ends) = out.parts();
        if !self.reserve(bytes, ends) {
            return Outcome::Rare;
        }
        let mut answer = self.all_by_process(root);
        if answer == status::DONE {
            if self.context.timeout == 1 {
                // The processes move by `timeout` only. As in the interpreter, their processes are not recorded.
                answer = self.run_inner();
            } else {
                self.read_marks(bytes, ends, parts);
                answer = self.run_marked(bytes, ends, parts);
            }
        }
        self.clear_inner();
        match answer {
            status::DONE => self.take(bytes, ends),
            status::FULL => Outcome::Full,
            _ => Outcome::Rare,
        }
    }

    /// Records the processes of the successors outside atomic sequences.
    fn read_marks(&self, bytes: &[u8], ends: &[u32], parts: &mut Parts) {
        for pid in (0..parts.standing.len()).rev() {
            let made = self.context.marks[pid].made as usize;
            let bytes_made = made.wrapping_sub(self.context.out_start as usize + bytes.len());
            // Ends are 32-bit numbers, and their division takes less time.
            let end = match (bytes_made as u32).checked_div(self.stored as u32) {
                Some(states) => ends.len() + states as usize,
                None => (made - ends.as_ptr() as usize) / size_of::<u32>(),
            };
            parts.ends.push((pid as u8, end));
        }
    }

    /// Makes successors of the points inside atomic sequences, and records their processes.
    fn run_marked(&mut self, bytes: &[u8], ends: &[u32], parts: &mut Parts) -> i32 {
        if self.context.pending == self.context.pending_start {
            return status::DONE;
        }
        let mut first = 0;
        for pid in (0..parts.standing.len()).rev() {
            let made = self.context.marks[pid].pending as usize - self.context.pending_start as usize;
            let end = made / size_of::<Pending>();
            if end > first {
                let answer = self.run_points(first, end);
                if answer != status::DONE {
                    return answer;
                }
                parts.ends.push((pid as u8, self.made(bytes, ends)));
            }
            first = end;
        }
        status::DONE
    }

    /// The number of states in the batch, including those not yet added to it.
    fn made(&self, bytes: &[u8], ends: &[u32]) -> usize {
        // SAFETY: both pointers are into the same reserved memory.
        let len = unsafe { self.context.out.offset_from(self.context.out_start) as usize };
        match (len - bytes.len()).checked_div(self.stored) {
            Some(states) => ends.len() + states,
            // SAFETY: likewise.
            None => unsafe { self.context.ends.offset_from(ends.as_ptr()) as usize },
        }
    }

    fn stand(&mut self, state: &State, parts: &mut Parts) {
        parts.standing.clear();
        let functions = self.functions();
        for (pid, &offset) in self.context.processes[..self.context.counts.processes as usize].iter().enumerate() {
            let ty = functions.types.get(pid).copied().unwrap_or_else(|| state[offset as usize]);
            let process = u32::from(ty);
            let location = functions.layout.location(state, ProcessAt { process, offset }).0;
            parts.standing.push(Standing { process, location });
        }
    }

    /// Combines the states from `first` on with the moves of the observer. Returns the number of moves.
    fn join_parts(&mut self, observed: &Observation, out: &mut Batch, first: usize) -> Option<usize> {
        let at = self.functions().layout.observer?;
        self.join(out, first, at, &observed.targets);
        Some(observed.targets.len())
    }
}
