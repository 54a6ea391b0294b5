//! How tables grow under the hands of several workers: all stop, grow them together, and go on.
//!
//! Workers hold a [`Seat`] while they use a table. When one finds a table too full it calls a meeting; everybody with a
//! seat attends it as soon as they can, at the latest after the states they are just interning. The last to come makes
//! the plan, all carry it out, and nobody leaves before it is done. What this costs a worker that need not attend is
//! one look at a flag now and then.

use crate::sync::{AtomicBool, Board, Ordering};

#[derive(Debug)]
pub(super) struct Meeting {
    called: AtomicBool,
    roll: Board<Roll>,
}

#[derive(Default, Debug)]
struct Roll {
    /// Who has a seat.
    working: usize,
    /// Who of them has come to the meeting.
    waiting: usize,
    /// Who has done their part.
    finished: usize,
    /// All have come, and no other may take a seat now.
    sitting: bool,
    /// How many meetings there were.
    held: u64,
    /// Whether the plan of the last one was refused.
    refused: bool,
}

/// The right to use the tables. Nothing grows as long as somebody has a seat and does not attend a meeting.
#[derive(Debug)]
pub(crate) struct Seat<'a> {
    meeting: &'a Meeting,
}

/// The right to change the tables: all who have a seat are in the meeting.
#[derive(Debug)]
pub(crate) struct Sitting<'a> {
    _meeting: &'a Meeting,
}

impl Meeting {
    pub fn new() -> Meeting {
        Meeting { called: AtomicBool::new(false), roll: Board::new(Roll::default()) }
    }

    pub fn enter(&self) -> Seat<'_> {
        self.roll.wait(|roll| (!roll.sitting).then(|| roll.working += 1));
        Seat { meeting: self }
    }
}

impl Seat<'_> {
    pub fn call(&self) {
        self.meeting.called.store(true, Ordering::Relaxed);
    }

    #[inline]
    pub fn is_called(&self) -> bool {
        self.meeting.called.load(Ordering::Relaxed)
    }

    /// Waits for all others. One of them makes the plan, then each does the work. Whether a plan could be made, now or,
    /// if the meeting is already over, then.
    pub fn attend(&mut self, plan: impl FnOnce(&Sitting<'_>) -> bool, work: impl FnOnce(&Sitting<'_>)) -> bool {
        let Meeting { called, roll } = self.meeting;
        let sitting = Sitting { _meeting: self.meeting };
        let came = roll.change(|roll| {
            let called = called.load(Ordering::Relaxed);
            roll.waiting += usize::from(called);
            called
        });
        if !came {
            return !roll.change(|roll| roll.refused);
        }
        let mut plan = Some(plan);
        roll.wait(|roll| {
            if !roll.sitting && roll.waiting == roll.working {
                roll.refused = !plan.take().expect("a plan is made once")(&sitting);
                roll.sitting = true;
            }
            roll.sitting.then_some(())
        });
        work(&sitting);
        let held = roll.change(|roll| {
            let held = roll.held;
            roll.finished += 1;
            if roll.finished == roll.waiting {
                called.store(false, Ordering::Relaxed);
                *roll = Roll { working: roll.working, held: held + 1, refused: roll.refused, ..Roll::default() };
            }
            held
        });
        roll.wait(|roll| (roll.held != held).then_some(!roll.refused))
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.meeting.roll.change(|roll| roll.working -= 1);
    }
}
