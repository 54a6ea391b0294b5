//! The program's monitor of a check: watchdog, progress line, warnings, trail files.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use kripke::answer::Answer;
use kripke::monitor::{Monitor, Phase};
use kripke::request::Request;
use kripke_report::verdict::Verdict;
use kripke_search::Progress;

use super::run_log::RunLog;
use super::stopped::Answered;
use crate::args::{Check, ProgressStyle};
use crate::trails::{Target, Written};
use crate::{output, progress, watchdog};

/// Listens to the check of one model.
pub struct Watcher<'a> {
    pub args: &'a Check,
    pub request: &'a Request,
    pub file: &'a Path,
    pub interrupt: &'a Arc<AtomicBool>,
    pub answered: Answered,
    pub log: &'a RunLog,
    /// The files written for each answer, and whether one of them is a counterexample.
    pub trails: Mutex<(Vec<Written>, bool)>,
}

impl Watcher<'_> {
    /// The files written for each answer.
    pub fn into_trails(self) -> Vec<Written> {
        self.trails.into_inner().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Writes counterexamples or a witness. A file that the user named is for the first counterexample, or for a witness if it is
    /// the only question.
    fn write(&self, answer: &Answer, first: bool) -> Written {
        let Watcher { args, request, file, .. } = self;
        if args.showing.no_trail {
            return Written::default();
        }
        let target = Target { model: file, request, showing: &args.showing, task: &answer.task };
        let alone = self.answered.is_alone();
        match (&answer.verdict, &answer.tree, answer.witness()) {
            (Verdict::Violated(violated), ..) => target.counterexamples(&answer.interpreter, violated, first),
            (_, Some(tree), Some(witness)) => {
                target.witness(&answer.interpreter, &tree.evidence().runs[0].trail, witness, alone)
            }
            _ => Written::default(),
        }
    }
}

impl Monitor for Watcher<'_> {
    fn phase(&self, phase: Phase) {
        watchdog::phase(phase);
    }

    fn warnings(&self, text: &str) {
        if !self.args.showing.quiet {
            output::remark(text);
        }
    }

    fn warn(&self, message: &str) {
        if !self.args.showing.quiet {
            output::warn(message);
        }
    }

    fn search(&self, progress: &Arc<Progress>, memory: Option<u64>, search: &mut dyn FnMut()) {
        watchdog::search(progress);
        let style = if self.args.showing.quiet { ProgressStyle::None } else { self.args.reports.progress };
        self.log.during(progress, || progress::watch(progress, memory, style, search));
    }

    fn questions(&self, count: usize) {
        self.answered.expect(count);
    }

    fn answered(&self, answer: &Answer) {
        self.answered.add(answer);
    }

    fn finished(&self, answer: &Answer) {
        let mut trails = self.trails.lock().unwrap_or_else(PoisonError::into_inner);
        let written = self.write(answer, !trails.1);
        self.answered.written(answer, &written);
        self.log.answer(answer);
        if self.args.reports.progress == ProgressStyle::Json && !self.args.showing.quiet {
            output::remark(&self.log.line(answer));
        }
        trails.0.push(written);
        trails.1 |= matches!(answer.verdict, Verdict::Violated(_));
    }

    fn interrupt(&self) -> Option<Arc<AtomicBool>> {
        Some(self.interrupt.clone())
    }

    fn memory_full(&self) -> Option<Arc<AtomicBool>> {
        Some(watchdog::full())
    }
}
