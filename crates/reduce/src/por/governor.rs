//! Decides when partial-order reduction pays.
//!
//! The work that the reduction takes is compared with the work that it saves, over windows of states. While it does not
//! pay, states are expanded fully, for a number of states that doubles each time between two bounds. Full expansion is
//! always sound for safety: all enabled transitions are an ample set. For LTL the choice must depend on the state alone,
//! since all passes and threads have to see one graph, so there the reduction is always on.
//!
//! No clock is used, since the number of states would then vary from run to run. Work is the number of operations times a
//! constant for each kind, in nanoseconds on one machine; only the proportions matter.
//!
//! A successor that is left out need not be interned. It would have been new with about the probability that a successor
//! of the reduced graph is new: there is one new successor for each expanded state. Then it would have been expanded, and
//! its successors interned. Once states have been expanded fully, most states that an ample set leaves out are found on
//! other paths. So this part of the savings counts less after the first pause.

/// Attributing the successors of a state to processes and looking up its choice: in any case, and for each process.
const STATE: u64 = 60;
const PROCESS: u64 = 10;
/// Evaluating guards that depend on one byte, or one other guard.
const EVALUATION: u64 = 3;
/// Looking up a choice by the false guards.
const GUARDED: u64 = 20;
/// Looking up the dependences of a process, without guards and with guards.
const STATIC_STEP: u64 = 10;
const GUARDED_STEP: u64 = 22;
/// Putting a successor aside, and exploring it after all.
const POSTPONED: u64 = 10;
const EXPLORED: u64 = 20;
/// Expanding a state without its successors; interning a successor.
const EXPANSION: u64 = 60;
const SUCCESSOR: u64 = 55;
/// The work saved, in percent of the work taken, that is worth it.
const WORTH: u64 = 125;
/// Where at least one of so many successors is left out, the reduction always counts as worth it: the savings multiply along the paths,
/// which a window of states does not show.
const MULTIPLYING: u64 = 5;
/// After the first pause, the expansions that are saved are divided by this number, and those successors left out that count as worth it
/// whatever they cost. The latter not for guards: where they make sets smaller, that goes on.
pub(super) const FOUND_OTHERWISE: u64 = 2;

/// The operations of the choice in one state.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Effort {
    /// The processes of the state.
    pub processes: u64,
    /// The processes whose dependences were looked up, without guards and with guards.
    pub static_steps: u64,
    pub guarded_steps: u64,
    /// The evaluations of guards.
    pub evaluations: u64,
    pub used_guards: bool,
}

impl Effort {
    /// The work that guards have caused.
    pub fn of_guards(&self) -> u64 {
        let evaluated = u64::from(self.evaluations > 0);
        GUARDED * evaluated + EVALUATION * self.evaluations + GUARDED_STEP * self.guarded_steps
    }

    /// The work of the choice.
    pub fn of_choice(&self) -> u64 {
        STATE + PROCESS * self.processes + STATIC_STEP * self.static_steps + self.of_guards()
    }
}

/// Compares work with saved work.
#[derive(Debug)]
pub(super) struct Governor {
    /// The windows that are passed before the first judgement. The first choices cost more, since none is remembered.
    warm_up: u32,
    /// The states left in the window.
    window: u32,
    sums: Sums,
    /// The states still to be expanded fully.
    pause: u32,
    /// The length of the last pause.
    last_pause: u32,
    /// What divides the successors left out after the first pause.
    found_otherwise: u64,
}

/// The sums over the last states.
#[derive(Clone, Copy, Default, Debug)]
struct Sums {
    states: u64,
    work: u64,
    /// The successors in the ample sets, and the others.
    ample: u64,
    left_out: u64,
    /// Successors outside of the ample sets that were explored nevertheless.
    explored: u64,
}

impl Sums {
    /// The work of interning the successors that were left out, and of expanding them.
    fn saved(&self) -> (u64, u64) {
        let explored = self.explored.min(self.left_out);
        let (left_out, visited) = (self.left_out - explored, (self.ample + explored).max(1));
        let successors = self.ample + self.left_out;
        (left_out * SUCCESSOR, left_out * (self.states * EXPANSION + successors * SUCCESSOR) / visited)
    }

    /// Whether the savings are worth the work. `multiplying` divides the successors left out that count as worth it whatever they cost.
    fn is_worth(&self, has_paused: bool, multiplying: u64) -> bool {
        if MULTIPLYING * self.left_out.saturating_sub(self.explored) >= multiplying * (self.ample + self.left_out) {
            return true;
        }
        let work = self.work + POSTPONED * self.left_out + EXPLORED * self.explored;
        let (interning, expanding) = self.saved();
        let expanding = if has_paused { expanding / FOUND_OTHERWISE } else { expanding };
        100 * (interning + expanding) >= WORTH * work
    }

    /// Gives older states less weight.
    fn fade(&mut self) {
        let Sums { states, work, ample, left_out, explored } = self;
        [states, work, ample, left_out, explored].into_iter().for_each(|sum| *sum -= *sum / 4);
    }
}

impl Governor {
    /// The number of states in a window, after which the reduction is judged.
    const WINDOW: u32 = 1 << 8;
    /// The shortest and the longest pause, in states.
    const PAUSE_BOUNDS: (u32, u32) = (16 * Governor::WINDOW, 256 * Governor::WINDOW);

    /// Judges for the first time after this many windows. After the first pause, the successors left out are divided by a number.
    pub fn after(windows: u32, found_otherwise: u64) -> Governor {
        let (warm_up, window) = (windows.saturating_sub(1), Governor::WINDOW);
        Governor { warm_up, window, sums: Sums::default(), pause: 0, last_pause: 0, found_otherwise }
    }

    /// True if the reduction is to be attempted in this state.
    #[inline]
    pub fn attempt(&mut self) -> bool {
        if self.pause(1) > 0 {
            return false;
        }
        self.window -= 1;
        true
    }

    /// The number of states, of the next `most`, in which the reduction is not to be attempted. They are counted as expanded.
    #[inline]
    pub fn pause(&mut self, most: usize) -> usize {
        if self.pause == 0 && self.window == 0 {
            self.judge();
        }
        let states = most.min(self.pause as usize);
        self.pause -= states as u32;
        states
    }

    /// Begins with a new window, or with a pause if the reduction does not pay.
    fn judge(&mut self) {
        self.window = Governor::WINDOW;
        let has_paused = self.last_pause > 0;
        let multiplying = if has_paused { self.found_otherwise } else { 1 };
        if self.warm_up > 0 || self.sums.is_worth(has_paused, multiplying) {
            self.warm_up = self.warm_up.saturating_sub(1);
            return self.sums.fade();
        }
        let (least, most) = Governor::PAUSE_BOUNDS;
        self.sums = Sums::default();
        self.last_pause = (2 * self.last_pause).clamp(least, most);
        self.pause = self.last_pause;
    }

    /// Records a state: the work of the choice, and the numbers of successors in the ample set and outside of it.
    #[inline]
    pub fn record(&mut self, work: u64, ample: usize, left_out: usize) {
        self.sums.states += 1;
        self.sums.work += work;
        self.sums.ample += ample as u64;
        self.sums.left_out += left_out as u64;
    }

    /// Records that successors outside of the ample sets were explored nevertheless.
    pub fn note_explored(&mut self, postponed: usize) {
        self.sums.explored += postponed as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of attempts among so many states, if each attempt has this result.
    fn attempts(governor: &mut Governor, states: u32, (work, ample, left_out): (u64, usize, usize)) -> u32 {
        let mut attempts = 0;
        for _ in 0..states {
            if governor.attempt() {
                governor.record(work, ample, left_out);
                attempts += 1;
            }
        }
        attempts
    }

    #[test]
    fn a_reduction_that_pays_stays_on() {
        let mut governor = Governor::after(1, FOUND_OTHERWISE);
        assert_eq!(attempts(&mut governor, 100_000, (100, 1, 2)), 100_000);
    }

    #[test]
    fn a_reduction_that_leaves_out_a_fifth_stays_on_whatever_it_costs() {
        assert_eq!(attempts(&mut Governor::after(1, FOUND_OTHERWISE), 100_000, (10_000, 4, 1)), 100_000);
        assert!(attempts(&mut Governor::after(1, FOUND_OTHERWISE), 100_000, (10_000, 5, 1)) < 50_000);
    }

    #[test]
    fn a_reduction_that_has_paused_must_leave_out_twice_as_much() {
        let after_pause = |found_otherwise, result| {
            let mut governor = Governor::after(1, found_otherwise);
            attempts(&mut governor, 10_000, (10_000, 5, 0));
            attempts(&mut governor, 100_000, result)
        };
        assert!(after_pause(2, (10_000, 5, 4)) > 90_000);
        assert!(after_pause(2, (10_000, 7, 3)) < 10_000);
        assert!(after_pause(1, (10_000, 7, 3)) > 90_000);
    }

    #[test]
    fn states_of_a_pause_are_taken_together_or_one_by_one() {
        let (mut one_by_one, mut together) = (Governor::after(1, FOUND_OTHERWISE), Governor::after(1, FOUND_OTHERWISE));
        let (mut states, mut skipped) = (0, 0);
        while states < 300_000 {
            let pause = together.pause(1 + states % 40);
            for _ in 0..pause {
                assert!(!one_by_one.attempt(), "state {states}");
            }
            (states, skipped) = (states + pause, skipped + pause);
            if pause == 0 {
                assert!(one_by_one.attempt() && together.attempt(), "state {states}");
                [&mut one_by_one, &mut together].into_iter().for_each(|governor| governor.record(100, 3, 0));
                states += 1;
            }
        }
        assert!(skipped > 290_000, "{skipped}");
    }

    #[test]
    fn a_reduction_that_does_not_pay_is_tried_ever_less_often() {
        let mut governor = Governor::after(1, FOUND_OTHERWISE);
        let first = attempts(&mut governor, 100_000, (100, 3, 0));
        assert!((1..10 * Governor::WINDOW).contains(&first), "{first}");
        // It is still tried, and comes back where it pays.
        assert!(attempts(&mut governor, 1_000_000, (100, 3, 0)) < 1_000_000 / 100);
        assert!(attempts(&mut governor, 1_000_000, (100, 1, 2)) > 900_000);
    }

    #[test]
    fn successors_that_are_explored_after_all_save_nothing() {
        let mut governor = Governor::after(1, FOUND_OTHERWISE);
        let mut attempted = 0;
        for _ in 0..10_000 {
            if governor.attempt() {
                governor.record(100, 1, 2);
                governor.note_explored(2);
                attempted += 1;
            }
        }
        assert!(attempted < 5_000, "{attempted}");
    }
}
