//! `kripke bench`: time, memory and counts of models × options, and of other programs.

mod catalogue;
mod charts;
mod child;
mod expected;
mod figures;
mod peers;
mod sets;
mod table;

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kripke_report::line_chart;
use kripke_report::survey::{self, Survey};

use crate::args::{Bench, Format};
use crate::exit::{Failure, Status};
use crate::{files, output, signals};
use catalogue::Entry;
use child::{Sample, Unmeasured};
use expected::ExpectedResult;
use figures::Figures;
use files::{Kind, Replace};
use peers::Verifier;
use sets::Set;
use table::Widths;

pub use peers::Peer;
pub use table::CSV_HEADER;

pub fn run(args: &Bench) -> Result<Status, Failure> {
    check_output(args)?;
    let interrupt = signals::interrupt();
    let mut entries = catalogue::entries(args)?;
    if args.characteristics || !args.select.is_empty() {
        let surveys = catalogue::surveys(args, entries, &interrupt)?;
        if args.characteristics {
            return characteristics(args, &surveys);
        }
        entries = surveys.into_iter().map(|(entry, _)| entry).collect();
    }
    let mut session = Session::new(args, &entries, interrupt)?;
    session.say(&session.widths.header());
    for entry in &entries {
        session.entry(entry);
        if session.interrupt.load(Ordering::Relaxed) {
            session.problem(Status::Inconclusive, "interrupted: what follows was not measured".to_string());
            break;
        }
    }
    session.finish()
}

/// Prints and writes the characteristics of state spaces. Counts that differ from the table of the catalogue are an error.
fn characteristics(args: &Bench, surveys: &[(Entry, Survey)]) -> Result<Status, Failure> {
    let named: Vec<(String, Survey)> = surveys.iter().map(|(entry, s)| (entry.name(), s.clone())).collect();
    let to_output = args.csv.as_deref().is_some_and(files::is_standard);
    match args.format {
        Format::Json => {
            let all: Vec<_> =
                named.iter().map(|(model, s)| serde_json::json!({ "model": model, "state_space": s })).collect();
            output::print_json(&format!("{:#}\n", serde_json::Value::from(all)));
        }
        Format::Text if !to_output => output::print(&survey::table::table(&named)),
        Format::Text => {}
    }
    write(args, args.csv.as_deref(), Kind::Table, &|| survey::table::csv(&named))?;
    write(args, args.plot.as_deref(), Kind::Plot, &|| line_chart::document(&survey::table::charts(&named)))?;
    let wrong = surveys.iter().filter(|(entry, survey)| catalogue::differs(entry, survey));
    let wrong: Vec<String> = wrong.map(|(entry, _)| entry.name()).collect();
    wrong.iter().for_each(|name| output::error(&format!("{name}: the counts are not those of the catalogue")));
    Ok(if wrong.is_empty() { Status::Fine } else { Status::Violated })
}

/// Checks in advance that the files can be written.
fn check_output(args: &Bench) -> Result<(), Failure> {
    for (path, kind) in [(&args.csv, Kind::Table), (&args.plot, Kind::Plot)] {
        let Some(path) = path else { continue };
        if files::is_standard(path) && args.format == Format::Json {
            return Err(Failure::BadInput("--csv - and --format json would both be standard output".to_string()));
        }
        files::may_write(path, Replace::new(kind, args.force)).map_err(|e| files::unwritten(path, &e))?;
    }
    Ok(())
}

/// Writes a file, if it is wanted.
fn write(args: &Bench, path: Option<&Path>, kind: Kind, text: &dyn Fn() -> String) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let text = text();
    let written = files::write(path, Replace::new(kind, args.force), |out| out.write_all(text.as_bytes()));
    written.map_err(|e| files::unwritten(path, &e))
}

/// The measurements so far.
struct Session<'a> {
    args: &'a Bench,
    sets: Vec<Set>,
    peers: Vec<&'a Peer>,
    /// Whether the options for all runs leave the questions of the entries as they are.
    as_catalogued: bool,
    interrupt: Arc<AtomicBool>,
    widths: Widths,
    all: Vec<Figures>,
    problems: Vec<String>,
    status: Status,
}

/// One of several things that are measured side by side on an entry.
enum Contender<'s> {
    Set(usize, &'s Set),
    Peer(&'s Peer, Option<Verifier>),
}

/// The runs of a contender, and the reason why there are no more.
#[derive(Default)]
struct Runs {
    samples: Vec<Sample>,
    ended: Option<Unmeasured>,
}

impl Contender<'_> {
    fn text(&self) -> &str {
        match self {
            Contender::Set(_, set) => &set.text,
            Contender::Peer(peer, _) => &peer.text,
        }
    }

    fn run(&self, entry: &Entry, interrupt: &AtomicBool) -> Option<Result<Sample, Unmeasured>> {
        match self {
            Contender::Set(_, set) => Some(child::check(entry, set, interrupt)),
            Contender::Peer(_, verifier) => verifier.as_ref().map(|verifier| verifier.run(interrupt)),
        }
    }

    fn figures(&self, entry: &Entry, samples: &[Sample]) -> Figures {
        let figures = Figures::new(entry, self.text().to_string(), samples);
        match self {
            Contender::Set(number, _) => Figures { set: Some(*number), ..figures },
            Contender::Peer(peer, verifier) => {
                let preparation = verifier.as_ref().map(|verifier| verifier.preparation.as_secs_f64());
                Figures { tool: peer.tool(), preparation, ..figures }
            }
        }
    }

    /// Whether the verdict is about the question of the entry.
    fn answers(&self) -> bool {
        match self {
            Contender::Set(_, set) => set.same_question,
            Contender::Peer(peer, _) => peer.answers(),
        }
    }

    /// Whether the counts are those that the table of a catalogue has.
    fn counts_all(&self) -> bool {
        match self {
            Contender::Set(_, set) => set.same_question && set.counts_all,
            Contender::Peer(peer, _) => peer.counts_all(),
        }
    }

    fn all_errors(&self) -> bool {
        matches!(self, Contender::Set(_, set) if set.all_errors)
    }
}

impl<'a> Session<'a> {
    fn new(args: &'a Bench, entries: &[Entry], interrupt: Arc<AtomicBool>) -> Result<Session<'a>, Failure> {
        let with = if args.with.is_empty() { &[String::new()][..] } else { &args.with };
        let sets = with.iter().map(|w| Set::read(w, &args.always)).collect::<Result<Vec<Set>, Failure>>()?;
        let mut peers = Vec::new();
        for peer in &args.peer {
            match &peer.missing()[..] {
                [] => peers.push(peer),
                missing => output::warn(&format!("{}: {} is not installed", peer.text, missing.join(", "))),
            }
        }
        let length = |text: &str| text.chars().count();
        let options = sets.iter().map(|s| &s.text).chain(peers.iter().map(|peer| &peer.text));
        let widths = Widths {
            model: entries.iter().map(|entry| length(&entry.name())).max().unwrap_or(0).max(5),
            options: options.map(|text| length(text)).max().unwrap_or(0).max(7),
            expected: args.expect.is_some() || entries.iter().any(|entry| entry.catalogued),
        };
        let as_catalogued = sets::parse(&args.always).is_ok_and(|check| sets::asks_nothing_else(&check));
        let (all, problems, status) = (vec![], vec![], Status::Fine);
        Ok(Session { args, sets, peers, as_catalogued, interrupt, widths, all, problems, status })
    }

    /// The measurements as text.
    fn say(&self, text: &str) {
        if self.args.format == Format::Text && !self.args.csv.as_deref().is_some_and(files::is_standard) {
            output::print(text);
        }
    }

    fn problem(&mut self, status: Status, text: String) {
        self.problems.push(text);
        self.status = self.status.worse(status);
    }

    /// Measures one entry with every set of options and every peer. Runs of different contenders alternate.
    fn entry(&mut self, entry: &Entry) {
        let sets = std::mem::take(&mut self.sets);
        let peers = self.peers.clone();
        let sets_of = sets.iter().enumerate().map(|(number, set)| Contender::Set(number, set));
        let mut contenders: Vec<Contender<'_>> = sets_of.collect();
        contenders.extend(peers.iter().map(|peer| Contender::Peer(peer, None)));
        let mut runs: Vec<Runs> = contenders.iter().map(|_| Runs::default()).collect();
        self.prepare(entry, &mut contenders, &mut runs);
        for round in 1..=self.args.repeat {
            for (contender, runs) in contenders.iter().zip(&mut runs).filter(|(_, runs)| runs.ended.is_none()) {
                self.progress(&format!("{} {}  {round}/{}", entry.name(), contender.text(), self.args.repeat));
                match contender.run(entry, &self.interrupt) {
                    Some(Ok(sample)) => runs.samples.push(sample),
                    Some(Err(why)) => runs.ended = Some(why),
                    None => {}
                }
                self.progress("");
            }
        }
        let first = self.all.len();
        let mut refused = None;
        for (contender, runs) in contenders.iter().zip(runs) {
            match runs.ended {
                None => self.measured(entry, contender, &runs.samples, &contenders, first),
                Some(why) => self.unmeasured(entry, contender, why, &mut refused),
            }
        }
        self.sets = sets;
    }

    /// Makes the verifiers of the peers.
    fn prepare(&self, entry: &Entry, contenders: &mut [Contender<'_>], runs: &mut [Runs]) {
        for (contender, runs) in contenders.iter_mut().zip(runs) {
            let Contender::Peer(peer, verifier) = contender else { continue };
            let words: Vec<String> = entry.words.iter().chain(&self.args.always).cloned().collect();
            let prepared = sets::parse(&words).map_err(Unmeasured::NotApplicable);
            match prepared.and_then(|check| peer.prepare(entry, &check, &self.interrupt)) {
                Ok(made) => *verifier = Some(made),
                Err(why) => runs.ended = Some(why),
            }
        }
    }

    fn measured(
        &mut self,
        entry: &Entry,
        contender: &Contender<'_>,
        samples: &[Sample],
        contenders: &[Contender<'_>],
        first: usize,
    ) {
        if samples.is_empty() {
            return;
        }
        let mut figures = contender.figures(entry, samples);
        figures.speed = self.all.get(first).map_or(1.0, |base| base.wall / figures.wall);
        self.judge(entry, contender, &mut figures);
        self.compare(contender, &figures, contenders, first);
        self.say(&self.widths.row(&figures));
        self.all.push(figures);
    }

    fn unmeasured(&mut self, entry: &Entry, contender: &Contender<'_>, why: Unmeasured, refused: &mut Option<String>) {
        let name = entry.name();
        let rejected = entry.expected.as_ref().is_some_and(|row| row.result == ExpectedResult::Rejected);
        match why {
            Unmeasured::Interrupted => {}
            Unmeasured::Refused(_) if rejected => self.say(&self.widths.nothing(&name, "rejected, as expected")),
            Unmeasured::Refused(why) => {
                // Other options may make another model; the same error is not printed twice.
                if refused.replace(why.clone()) != Some(why.clone()) {
                    output::remark(&why);
                }
                self.say(&self.widths.nothing(&name, "not readable"));
                self.problem(Status::BadInput, format!("{name}: not readable"));
            }
            Unmeasured::NotApplicable(why) => {
                self.say(&self.widths.nothing(&name, &format!("{}: {why}", contender.text())));
            }
            Unmeasured::Failed(failure) => {
                self.say(&self.widths.nothing(&name, "not measured"));
                let status = if matches!(failure, Failure::Bug(_)) { Status::Bug } else { Status::BadInput };
                self.problem(status, failure.to_string());
            }
        }
    }

    /// Shows progress on a terminal.
    fn progress(&self, line: &str) {
        if std::io::stderr().is_terminal() {
            output::progress(line);
        }
    }

    /// Compares result and counts with the expected ones.
    fn judge(&mut self, entry: &Entry, contender: &Contender<'_>, figures: &mut Figures) {
        let name = format!("{} {}", figures.name, figures.options).trim_end().to_string();
        if !figures.conclusive() {
            let reason = figures.reason.as_deref().unwrap_or("unknown reason");
            self.problem(Status::Inconclusive, format!("{name}: the search was not complete: {reason}"));
        }
        if let Some(other) = figures.unsteady {
            self.problem(Status::Violated, format!("{name}: {} in one run, {other} in another", figures.counts));
        }
        let Some(row) = &entry.expected else {
            if self.args.expect.is_some() && figures.set == Some(0) {
                output::warn(&format!("{}: no counts are expected", figures.model));
            }
            return;
        };
        let compared =
            figures.complete && row.counts() && (!entry.catalogued || contender.counts_all() && self.as_catalogued);
        let counts = compared.then(|| row.fits(figures.counts));
        let all = contender.all_errors() && figures.complete;
        let answered = figures.conclusive() && contender.answers() && self.as_catalogued;
        let result = row.result.judge(&figures.verdict, &figures.kinds, all).filter(|_| answered);
        let known = counts.is_some() || result.is_some();
        figures.expected = known.then(|| counts != Some(false) && result != Some(false));
        if counts == Some(false) {
            self.problem(Status::Violated, format!("{name}: {}, but {} are expected", figures.counts, row.words()));
        }
        if result == Some(false) {
            self.problem(Status::Violated, format!("{name}: {}, but expected is {}", figures.result(), row.result));
        }
    }

    /// Compares with the first contender that must have the same counts, and with the first that must have the same verdict.
    fn compare(&mut self, contender: &Contender<'_>, figures: &Figures, contenders: &[Contender<'_>], first: usize) {
        let name = format!("{} {}", figures.name, figures.options).trim_end().to_string();
        let Some(others) = self.all.get(first..).filter(|_| figures.conclusive()) else { return };
        let of = |other: &Figures| contenders.iter().find(|c| c.text() == other.options);
        let alike = |other: &Figures| match (of(other), contender) {
            (Some(Contender::Set(_, a)), Contender::Set(_, b)) => other.complete && figures.complete && a.alike(b),
            _ => false,
        };
        let counted = others.iter().find(|other| alike(other) && other.counts != figures.counts);
        let counted = counted.map(|o| format!("{name}: {}, but {} with `{}`", figures.counts, o.counts, o.options));
        let same = |other: &Figures| contender.answers() && of(other).is_some_and(Contender::answers);
        let other = others.iter().find(|o| o.conclusive() && same(o) && o.verdict != figures.verdict);
        let judged = other.map(|o| format!("{name}: {}, but {} with `{}`", figures.verdict, o.verdict, o.options));
        for problem in counted.into_iter().chain(judged) {
            self.problem(Status::Violated, problem);
        }
    }

    fn finish(self) -> Result<Status, Failure> {
        for problem in &self.problems {
            output::error(problem);
        }
        if self.args.format == Format::Json {
            output::print_json(&table::json(&self.all, &self.problems, self.args.repeat));
        }
        write(self.args, self.args.csv.as_deref(), Kind::Table, &|| table::csv(&self.all))?;
        let charts = || line_chart::document(&charts::charts(&self.all));
        write(self.args, self.args.plot.as_deref(), Kind::Plot, &charts)?;
        Ok(self.status)
    }
}
