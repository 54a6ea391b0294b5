//! A check that was ended from outside, in whatever phase it was: what there is to say.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kripke::answer::Answer;
use kripke::memory;
use kripke_report::case::{Case, CaseResult, Suite};
use kripke_report::json::{self, Known};
use kripke_report::number::counted;
use kripke_report::style::{UNSURE, paint};
use kripke_report::verdict::Reason;

use super::Session;
use super::cases::case;
use super::reports::Reports;
use super::run_log::RunLog;
use super::screen::checked;
use super::tally::Tally;
use crate::args::Format;
use crate::exit::Status;
use crate::output;
use crate::trails::Written;
use crate::watchdog::{Phase, Stop};

/// What was found out before.
#[derive(Clone, Default)]
pub struct Answered(Arc<Mutex<KnownAnswers>>);

#[derive(Default)]
struct KnownAnswers {
    /// How many there will be.
    expected: usize,
    answers: Vec<Recorded>,
    /// Whether answers are recorded as cases, too.
    cases: bool,
}

/// An answer before the end of the check.
struct Recorded {
    known: Known,
    /// Its line on the screen.
    line: String,
    /// The answer as a case, for report files.
    case: Option<Case>,
}

impl Answered {
    /// With cases, for report files.
    pub fn new(cases: bool) -> Answered {
        Answered(Arc::new(Mutex::new(KnownAnswers { cases, ..KnownAnswers::default() })))
    }

    /// The cases of the answers so far.
    pub fn suite(&self, file: &Path) -> Suite {
        let cases = self.lock().answers.iter().filter_map(|answer| answer.case.clone()).collect();
        Suite { model: file.display().to_string(), cases }
    }

    fn lock(&self) -> MutexGuard<'_, KnownAnswers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn expect(&self, count: usize) {
        self.lock().expected = count;
    }

    /// Whether there is only one question.
    pub fn is_alone(&self) -> bool {
        self.lock().expected == 1
    }

    /// Before its trail is written.
    pub fn add(&self, answer: &Answer) {
        let known = Known {
            name: answer.task.name.clone(),
            kind: answer.task.kind.word(),
            verdict: answer.verdict.word(),
            trail: None,
        };
        let line = checked(answer).line(None);
        let mut recorded = self.lock();
        let case = recorded.cases.then(|| case(answer, None));
        recorded.answers.push(Recorded { known, line, case });
    }

    /// The trail of the last one was written.
    pub fn written(&self, answer: &Answer, written: &Written) {
        let mut recorded = self.lock();
        let cases = recorded.cases;
        if let Some(last) = recorded.answers.last_mut() {
            last.known.trail = written.name();
            last.line = checked(answer).line(last.known.trail.as_deref());
            last.case = cases.then(|| case(answer, written.name()));
        }
    }
}

/// The position of a model in a check of several.
pub struct Position {
    pub width: usize,
    /// What was said of those before.
    pub tally: Tally,
    /// How many are left after this one.
    pub left: usize,
}

/// Says why a check was ended, and with which status.
pub struct StopReport {
    name: String,
    format: Format,
    limits: json::Limits,
    answered: Answered,
    position: Option<Position>,
    reports: Arc<Reports>,
    log: Arc<RunLog>,
}

impl StopReport {
    pub fn new(
        session: &Session<'_>,
        limits: json::Limits,
        file: &Path,
        answered: &Answered,
        position: Option<Position>,
    ) -> StopReport {
        StopReport {
            name: file.display().to_string(),
            format: session.args.showing.format,
            limits,
            answered: answered.clone(),
            position,
            reports: session.reports.clone(),
            log: session.log.clone(),
        }
    }

    pub fn print(&self, stop: &Stop) -> Status {
        let recorded = self.answered.lock();
        let answered = &recorded.answers;
        let violated = answered.iter().any(|answer| answer.known.verdict == "violated");
        let status = if violated { Status::Violated } else { Status::Inconclusive };
        let reason = Reason::Limit(stop.limit.clone());
        let what = if stop.refused { "the system has no more memory".to_string() } else { reason.to_string() };
        let message = format!("{what} while {}", stop.phase.words());
        self.write_reports(&recorded, &message);
        match self.format {
            Format::Json => {
                let known = answered.iter().map(|answer| answer.known.clone()).collect();
                output::print(&self.object(stop, known, &message));
            }
            Format::Text => {
                let seen = stop.progress.as_ref().filter(|_| stop.phase == Phase::Searching);
                let seen =
                    seen.map(|p| format!("; {} seen", counted(p.snapshot().states, "state"))).unwrap_or_default();
                let mark = if violated { "? STOPPED" } else { "? INCONCLUSIVE" };
                let line = format!("{}: {message}{seen}", paint(UNSURE, mark));
                let advice =
                    reason.advice().filter(|_| !stop.refused).map(|advice| format!("  {advice}\n")).unwrap_or_default();
                let lines: String = answered.iter().map(|answer| answer.line.as_str()).collect();
                output::print(&match &self.position {
                    Some(position) => format!("{:<width$}   {line}\n", self.name, width = position.width),
                    None => format!("{lines}{line}\n{advice}"),
                });
            }
        }
        self.position.as_ref().map_or(status, |position| self.sum(position, status))
    }

    /// Writes the report files with what is known.
    fn write_reports(&self, recorded: &KnownAnswers, message: &str) {
        let mut cases: Vec<Case> = recorded.answers.iter().filter_map(|answer| answer.case.clone()).collect();
        let open = CaseResult::Inconclusive(message.to_string());
        cases.extend(Suite::whole(&self.name, open).cases);
        self.reports.add(Suite { model: self.name.clone(), cases });
        self.reports.write();
        self.log.end(Some(message.to_string()));
        self.log.write();
    }

    /// The others are not looked at any more.
    fn sum(&self, position: &Position, status: Status) -> Status {
        let mut tally = position.tally.clone();
        tally.add(status);
        tally.skipped += position.left;
        if self.format == Format::Text {
            output::print(&tally.text());
        }
        tally.status()
    }

    fn object(&self, stop: &Stop, properties: Vec<Known>, message: &str) -> String {
        let seen = stop.progress.as_ref().map(|p| p.snapshot()).unwrap_or_default();
        let violated = properties.iter().any(|known| known.verdict == "violated");
        let stopped = json::Stopped {
            kripke: env!("CARGO_PKG_VERSION"),
            schema: json::SCHEMA,
            model: self.name.clone(),
            verdict: if violated { "violated" } else { "inconclusive" },
            complete: false,
            reason: Reason::Limit(stop.limit.clone()).word(),
            message: message.to_string(),
            properties,
            states: seen.states,
            transitions: seen.transitions,
            depth: seen.depth,
            errors: json::Errors::default(),
            findings: [],
            seconds: json::Seconds { cpu: crate::processor::seconds(), ..json::Seconds::default() },
            memory: json::Memory { peak_rss: memory::peak(), ..json::Memory::default() },
            limits: self.limits,
        };
        stopped.text(self.position.is_none())
    }
}
