//! Several models in sum.

use kripke_report::style::{BAD, GOOD, UNSURE, paint};

use crate::exit::Status;

#[derive(Clone, Default)]
pub struct Tally {
    held: usize,
    violated: usize,
    inconclusive: usize,
    bad: usize,
    bugs: usize,
    /// Not looked at, because the user had enough.
    pub skipped: usize,
}

impl Tally {
    pub fn add(&mut self, status: Status) {
        *match status {
            Status::Fine => &mut self.held,
            Status::Violated => &mut self.violated,
            Status::Inconclusive => &mut self.inconclusive,
            Status::BadInput => &mut self.bad,
            Status::Bug => &mut self.bugs,
        } += 1;
    }

    /// `1 held · 1 violated · 1 inconclusive`
    pub fn text(&self) -> String {
        let parts = [
            (self.held, GOOD, "held"),
            (self.violated, BAD, "violated"),
            (self.inconclusive, UNSURE, "inconclusive"),
            (self.bad, BAD, "not readable"),
            (self.bugs, BAD, "not checked because of a bug in Kripke"),
            (self.skipped, UNSURE, "skipped"),
        ];
        let parts = parts.iter().filter(|(n, ..)| *n > 0);
        let parts: Vec<String> = parts.map(|(n, style, what)| paint(*style, &format!("{n} {what}"))).collect();
        format!("{}\n", parts.join(" · "))
    }

    pub fn status(&self) -> Status {
        let seen = [
            (self.violated, Status::Violated),
            (self.inconclusive + self.skipped, Status::Inconclusive),
            (self.bad, Status::BadInput),
            (self.bugs, Status::Bug),
        ];
        seen.iter().filter(|(n, _)| *n > 0).fold(Status::Fine, |all, (_, status)| all.worse(*status))
    }
}
