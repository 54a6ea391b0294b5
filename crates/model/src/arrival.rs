//! Sleep sets: transitions that need not be executed from a state, because other paths lead to their targets (Godefroid,
//! *Partial-Order Methods for the Verification of Concurrent Systems*, 1996, chapter 5).
//!
//! A search with ample sets leaves out states. A search with sleep sets finds every state, at the same depth, and only looks
//! fewer successors up. Where two processes `x < y` can move from a state `s` and their moves are independent, both orders
//! lead to the same state. The search takes `y` after `x`, and leaves the move of `x` out of the state `p` that it discovers by
//! moving `y` from `s`: it is in the sleep set of `p`.
//!
//! Why nothing is lost: let `q` be the target of a move of `x` that is left out in `p`. The same move leads from `s` to a state
//! `r`, and from there the move of `y` leads to `q`. By induction on the level of a state and then on the order of processes, from
//! the last one back, each successor of an expanded state of level `n` is found in level `n + 1` or before: `s` is in the level
//! before `p`, so `r` is in the level of `p` or before, and `y` comes after `x`. Whether moves of `s` are left out makes no difference,
//! since `r` is found all the same. So the sleep set of a state follows from the state and the one transition by which it was
//! discovered. Other transitions to it play no part, and no state is expanded again. Independence is symmetric and local, so the
//! engine can decide it in `p`.

/// The transition by which a search has discovered a state, as the engine numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Arrival(pub u32);

impl Arrival {
    /// Nothing is known of the transition: no move is left out.
    pub const UNKNOWN: Arrival = Arrival(0);
}
