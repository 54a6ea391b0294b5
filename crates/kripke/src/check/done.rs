//! Checking one model, and what there is to say about it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use kripke_model::layout::StartError;
use kripke_model::trail::Replayed;
use kripke_model::{Interpreter, Model};
use kripke_reduce::por::{Independence, NO_REDUCTION};
use kripke_reduce::symmetry::Symmetry;
use kripke_report::evidence::Tree;
use kripke_report::json;
use kripke_report::run::Run;
use kripke_report::screen::{Checked, trace};
use kripke_report::table::Look;
use kripke_report::verdict::{Unconfirmed, Verdict};
use kripke_report::{coverage, number};
use kripke_search::{
    Bias, Budget, Cycles, End, Fairness, Limit, Options, Order, Outcome, Progress, StoreKind, explore,
};

use super::stopped::{Answered, Position, StopReport};
use super::{exchange, scope};
use crate::args::{self, Check, Reading};
use crate::engine::{Engine, state_bits};
use crate::exit::{Failure, Status};
use crate::formulas::Logic;
use crate::formulas::branching::Wording;
use crate::load::{self, Trouble};
use crate::tasks::{self, Asked, Kind, Task};
use crate::trails::{Target, Written};
use crate::watchdog::{self, Phase, Watched, Watching};
use crate::{memory, output, processor, progress};

/// Why a model was not checked.
pub enum Stopped {
    Trouble(Trouble),
    Failure(Failure),
}

/// A model that was checked.
pub struct Done {
    pub model: Arc<Model>,
    /// One for each thing that was asked, in order.
    pub answers: Vec<Answer>,
    /// What of the model none of them is about, in words.
    pub not_checked: Vec<String>,
    pub seconds: json::Seconds,
    pub limits: json::Limits,
    /// Until there is a text to be printed.
    pub watching: Watching,
}

/// What a search says about one thing that was asked.
pub struct Answer {
    pub task: Task,
    /// Of the model as it is shown, and of what is left of it for the search.
    pub interpreter: Interpreter,
    pub searched: Interpreter,
    pub outcome: Outcome,
    pub verdict: Verdict,
    pub options: Options,
    pub engine: &'static str,
    pub covered: Vec<Vec<bool>>,
    pub elapsed: Duration,
    pub compile: Duration,
    /// Why a formula about branching is true or false.
    pub tree: Option<Tree>,
    pub trail: Written,
    /// Why independent steps were taken in every order though that was not wanted.
    pub unordered: Option<&'static str>,
    /// Who can take whose place, or why nobody can, if that was to be found out.
    pub symmetry: Option<Result<Symmetry, Vec<String>>>,
    /// Whether there is no shorter trail.
    pub shortest: bool,
    /// How many states were audited, if any were to be.
    pub audited: Option<u64>,
}

/// As many states may always be looked at to make a trail shorter.
pub(super) const SHORTEN: u64 = 500_000;

/// How far a search may go.
#[derive(Clone, Copy)]
struct Most {
    states: u64,
    depth: u32,
}

/// What all searches of a model share.
pub(super) struct Session<'a> {
    pub args: &'a Check,
    pub file: &'a Path,
    pub limits: json::Limits,
    pub deadline: Option<Instant>,
    pub interrupt: &'a Arc<AtomicBool>,
    /// Safety is checked by itself.
    pub safety: bool,
    /// No interleaving is left out, whatever the arguments say.
    pub interleaved: bool,
}

impl Done {
    pub fn check(
        args: &Check,
        file: &Path,
        interrupt: &Arc<AtomicBool>,
        position: Option<Position>,
    ) -> Result<Done, Stopped> {
        let (start, busy) = (Instant::now(), processor::seconds());
        let (limits, answered) = (super::limits(args), Answered::default());
        let deadline = args.limits.timeout.and_then(|t| start.checked_add(t));
        let report = StopReport::new(args, file, &answered, position);
        let watching = watchdog::watch(Watched {
            deadline,
            memory: limits.memory,
            interrupt: interrupt.clone(),
            report: Box::new(move |stop| report.print(stop)),
        });
        let claims = !args.looking.no_claim;
        let asked = tasks::load(file, &args.reading, &args.asking, claims).map_err(Stopped::Trouble)?;
        if !args.showing.quiet {
            output::remark(&asked.warnings);
        }
        watchdog::phase(Phase::Preparing);
        let model = Arc::new(asked.model.clone());
        let tasks = tasks::tasks(file, asked.clone(), &args.reading, &args.asking, claims).map_err(Stopped::Trouble)?;
        let plainer = plainer(args, file, asked.clone(), claims).map_err(Stopped::Trouble)?;
        let lasting = tasks.iter().find(|task| task.is_endless() || task.branching.is_some());
        if let Some(task) = lasting.filter(|_| args.searching.storing.is_for_safety()) {
            return Err(Stopped::Failure(Failure::BadInput(format!(
                "a store that may miss or forget states can't be used for {} {}: only for assertions, end states, faults, --reach and \
                 properties that are broken by what has happened; leave it out with --no-claim, or use another --store",
                task.kind.word(),
                task.name
            ))));
        }
        let load = start.elapsed();
        let session = Session {
            args,
            file,
            limits,
            deadline,
            interrupt,
            safety: tasks.iter().any(|task| task.kind == Kind::Safety),
            interleaved: false,
        };
        if !args.showing.quiet {
            scope::missing_labels(&model, &tasks).iter().for_each(|warning| output::warn(warning));
        }
        let options: Vec<Options> = tasks.iter().map(|task| session.options(task)).collect();
        let not_checked = scope::not_checked(&model, &tasks, &options);
        let mut answers: Vec<Answer> = Vec::new();
        let alone = tasks.len() == 1;
        let mut plainer = plainer.into_iter();
        for task in tasks {
            watchdog::phase(Phase::Preparing);
            let answer = session.answer(task, plainer.next())?;
            answered.add(&answer);
            let mut answer = session.shortest(answer, &asked)?;
            let first = !answers.iter().any(|a| matches!(a.verdict, Verdict::Violated(_)));
            watchdog::phase(Phase::Writing);
            answer.write_trail(args, file, first, alone);
            answered.written(&answer);
            answers.push(answer);
        }
        let compile: f64 = answers.iter().map(|a| a.compile.as_secs_f64()).sum();
        let seconds = json::Seconds {
            load: load.as_secs_f64(),
            compile,
            search: answers.iter().map(|a| a.elapsed.as_secs_f64()).sum::<f64>() - compile,
            cpu: processor::seconds().zip(busy).map(|(now, before)| now - before),
        };
        Ok(Done { model, answers, not_checked, seconds, limits, watching })
    }

    /// The answer that decides: the first that is bad, or at least not good.
    pub fn decisive(&self) -> &Answer {
        let violated = self.answers.iter().find(|a| matches!(a.verdict, Verdict::Violated(_)));
        let unsure = self.answers.iter().find(|a| matches!(a.verdict, Verdict::Inconclusive(_)));
        violated.or(unsure).unwrap_or(&self.answers[0])
    }

    pub fn status(&self) -> Status {
        match self.decisive().verdict {
            Verdict::Holds(_) => Status::Fine,
            Verdict::Violated(_) => Status::Violated,
            Verdict::Inconclusive(_) => Status::Inconclusive,
        }
    }

    /// One line for all.
    pub fn brief(&self) -> String {
        let decisive = self.decisive();
        self.checked(decisive).brief(decisive.trail.name().as_deref())
    }

    pub fn screen(&self, args: &Check, file: &Path) -> String {
        let mut out = String::new();
        if self.answers.len() > 1 {
            self.answers.iter().for_each(|a| out.push_str(&self.checked(a).line(a.trail.name().as_deref())));
            out.push('\n');
        }
        let decisive = self.decisive();
        if self.answers.len() == 1 || !matches!(decisive.verdict, Verdict::Holds(_)) {
            out.push_str(&decisive.screen(&self.checked(decisive), args, file));
        }
        out.push_str(&self.never_executed(args));
        if args.showing.verbose {
            out.push_str(&self.particulars());
        }
        out
    }

    /// An answer to be shown, with all that no search of the model was about.
    fn checked<'a>(&'a self, answer: &'a Answer) -> Checked<'a> {
        Checked { not_checked: self.not_checked_by(answer), ..answer.checked() }
    }

    /// What the answer says nothing about, nor does any other.
    pub fn not_checked_by(&self, answer: &Answer) -> Vec<String> {
        let safety = self.answers.iter().any(|a| a.task.kind == Kind::Safety);
        let early = !safety && matches!(answer.outcome.end, End::Decided(_));
        let mut all = self.not_checked.clone();
        if early {
            all.push("errors in states that the answer does not need".to_string());
        }
        all
    }

    /// What every complete search of the model alone would have executed: in short, or in full when asked for.
    fn never_executed(&self, args: &Check) -> String {
        let safety = self.answers.iter().find(|a| a.task.kind == Kind::Safety);
        let Some(answer) = safety.or(self.answers.first()) else { return String::new() };
        let complete = matches!(answer.outcome.end, End::Exhausted(_));
        let telling = complete && safety.is_some();
        if !telling && !args.showing.unreached {
            return String::new();
        }
        let missed = coverage::unreached(&self.model, &answer.covered);
        let so_far = if complete { "" } else { " so far" };
        match coverage::summary(&self.model, &missed) {
            None if args.showing.unreached => format!("  every statement was executed{so_far}\n"),
            None => String::new(),
            Some(_) if args.showing.unreached => {
                format!("  never executed{so_far}:\n{}", coverage::details(&self.model, &missed))
            }
            Some(places) => format!("  never executed: {places}\n"),
        }
    }

    /// Where time and memory went.
    fn particulars(&self) -> String {
        let ms = |s: f64| number::duration(Duration::from_secs_f64(s));
        let json::Seconds { load, compile, search, .. } = self.seconds;
        let Answer { outcome: Outcome { statistics, .. }, searched, .. } = self.decisive();
        let json::StateBits { packed, compact } = state_bits(searched);
        let limit = self.limits.memory.map_or("none".to_string(), number::bytes);
        format!(
            "  load {} · prepare {} · search {}\n  longest state {} B · {packed} bits packed, {compact} compact\n  \
             store {} · queue {} · memory limit {limit}\n{}",
            ms(load),
            ms(compile),
            ms(search),
            statistics.state_bytes,
            number::bytes(statistics.store_bytes),
            number::bytes(statistics.search_bytes),
            exchange::words(self.decisive().symmetry.as_ref()),
        )
    }
}

/// The tasks with less done to their models, if that may be of use: to replace a value that is not needed any more by a
/// number hides that it means a process.
fn plainer(args: &Check, file: &Path, asked: Asked, claims: bool) -> Result<Vec<Task>, Trouble> {
    if !args.searching.symmetry || args.reading.raw || args.reading.no_dead_variables {
        return Ok(Vec::new());
    }
    let reading = Reading { no_dead_variables: true, ..args.reading.clone() };
    tasks::tasks(file, asked, &reading, &args.asking, claims)
}

impl Session<'_> {
    /// The same task may be given in a plainer form, to be used if more processes are interchangeable there.
    pub fn answer(&self, task: Task, plainer: Option<Task>) -> Result<Answer, Stopped> {
        let (start, args) = (Instant::now(), self.args);
        let refused = |e: StartError| Stopped::Trouble(Trouble::whole(self.file, &e.to_string()));
        let (task, symmetry) = exchange::choose(task, plainer, args).map_err(refused)?;
        let mut interpreter = load::interpreter(task.model.clone(), &args.reading).map_err(refused)?;
        let exchanging = symmetry.as_ref().and_then(|s| s.as_ref().ok());
        let left = exchanging.map_or(&task.searched, |symmetry| &symmetry.model);
        let independence = self.independence(&task, left, exchanging.is_some());
        let (reduces, unordered) =
            (matches!(independence, Some(Ok(_))), independence.as_ref().and_then(|i| i.as_ref().err().copied()));
        let (engine, fallback) =
            Engine::new(left, args, independence.and_then(Result::ok), exchanging.map(|s| s.permutations.clone()))
                .map_err(refused)?;
        if let Some(why) = fallback.filter(|_| !args.showing.quiet) {
            output::warn(&why);
        }
        let engine = engine.asking(&task.conditions);
        let compile = start.elapsed();
        let options = Options { reduces, ..self.options(&task).fit(engine.uncompared()) };
        let mut outcome = if task.is_ready() { self.search(&engine, &options, None) } else { Outcome::nothing() };
        watchdog::phase(Phase::Confirming);
        let mut shortest = self.shorten(&engine, &options, &mut outcome);
        let audited = self.audited(&engine)?;
        let name = engine.name();
        let (mut searched, mut covered) = engine.finish();
        if let Some(symmetry) = exchanging {
            let mut original = load::interpreter(task.searched.clone(), &args.reading).map_err(refused)?;
            shortest &=
                exchange::lift(symmetry, &mut outcome, &mut searched, &mut original).map_err(|e| self.bug(&e))?;
            symmetry.cover(&task.searched, &mut covered);
            searched = original;
        }
        let unchecked = if task.is_ready() { Vec::new() } else { vec![format!("{} {}", task.kind.word(), task.name)] };
        let verdict = Verdict::judge_reduced(&outcome, &mut interpreter, Some(&mut searched), &unchecked)
            .map_err(|e| self.bug(&e))?;
        self.confirm(&task, &verdict, &mut interpreter)?;
        let tree = outcome.evidence.as_ref().map(|e| Tree::confirm(e, &mut interpreter, &mut searched)).transpose();
        let tree = tree.map_err(|e| self.bug(&e))?;
        self.confirm_tree(&task, &verdict, tree.as_ref(), [&mut interpreter, &mut searched])?;
        let (elapsed, trail) = (start.elapsed(), Written::default());
        Ok(Answer {
            task,
            interpreter,
            searched,
            outcome,
            verdict,
            options,
            engine: name,
            covered,
            elapsed,
            compile,
            tree,
            trail,
            unordered,
            symmetry,
            shortest,
            audited,
        })
    }

    /// How many states were audited. Whatever else the search says, a failed audit is what counts.
    fn audited(&self, engine: &Engine) -> Result<Option<u64>, Stopped> {
        let Some(record) = engine.record() else { return Ok(self.args.searching.audit.map(|_| 0)) };
        match record.failure() {
            Some(what) => {
                let what = format!("{}: an audit failed: {what}", self.file.display());
                Err(Stopped::Failure(Failure::Bug(what)))
            }
            None => Ok(Some(record.audited())),
        }
    }

    pub(super) fn bug(&self, e: &Unconfirmed) -> Stopped {
        Stopped::Failure(Failure::Bug(format!("{}: {e}", self.file.display())))
    }

    /// The nearest error by steps in one order may be nearer by others. Looks for it among all of them, unless there are
    /// too many. Whether the trails are shortest ones.
    fn shorten(&self, engine: &Engine, options: &Options, outcome: &mut Outcome) -> bool {
        let nearest = options.order == Order::BreadthFirst && options.cycles.is_none() && options.branching.is_none();
        let Some(violation) = outcome.violations.first().filter(|_| nearest && !options.all_errors) else {
            return nearest;
        };
        if !options.reduces || !engine.has_left_out() {
            return true;
        }
        // Of several workers it depends on timing what is left out, and so which of the nearest errors is found.
        let same = options.workers() == 1;
        let Some(depth) = violation.trail.choices.len().checked_sub(usize::from(same)) else { return true };
        let most =
            Most { states: outcome.statistics.states.max(SHORTEN), depth: u32::try_from(depth).unwrap_or(u32::MAX) };
        let all = Options { reduces: false, ..options.clone() };
        let again = self.search(engine, &all, Some(most));
        match again.end {
            End::Violation => outcome.violations = again.violations,
            // There is none nearer.
            End::Exhausted(_) | End::Stopped(Limit::Depth(_)) if same => {}
            _ => return false,
        }
        true
    }

    /// Searches, perhaps within narrower limits than all searches have.
    fn search(&self, engine: &Engine, options: &Options, most: Option<Most>) -> Outcome {
        let budget = Budget {
            max_depth: most.map(|most| most.depth).into_iter().chain(self.limits.max_depth).min(),
            max_states: most.map(|most| most.states).into_iter().chain(self.limits.max_states).min(),
            memory: self.limits.memory,
            taken: memory::now(),
            deadline: self.deadline,
            interrupt: Some(self.interrupt.clone()),
            full: Some(watchdog::full()),
            enough: engine.record().map(|record| record.wrong.clone()),
        };
        let seen = Arc::new(Progress::new());
        watchdog::search(&seen);
        let search = || explore(&|| engine.worker(), options, &budget, &seen);
        progress::watch(&seen, self.limits.memory, !self.args.showing.quiet, search)
    }

    /// Who gets into whose way, or why that can't be used, if it is wanted.
    fn independence(
        &self,
        task: &Task,
        left: &Arc<Model>,
        exchanging: bool,
    ) -> Option<Result<Independence, &'static str>> {
        let Check { reading, searching, asking, .. } = self.args;
        let wanted = !reading.raw && !searching.no_partial_order && !self.interleaved;
        wanted.then(|| match self.options(task).store {
            StoreKind::Cache(_) => Err("a cache forgets what is new"),
            // A cycle of representatives need not pass the places at which all moves are looked at.
            _ if exchanging && task.is_endless() => Err("runs that never end are looked for with symmetry"),
            _ => task.independence(left, asking.fairness()),
        })
    }

    fn options(&self, task: &Task) -> Options {
        let args = self.args;
        let own = task.kind == Kind::Safety;
        let storing = &args.searching.storing;
        let threads =
            Options { threads: args.searching.threads.map(usize::from), ..Options::default() }.workers() as u64;
        let parts = if storing.swarm.is_some() { threads } else { 1 };
        let left = args.limits.mem.map(|memory| memory.saturating_sub(memory::now()));
        let store = storing.kind(args.searching.search, left, self.limits.memory, parts);
        Options {
            order: match args.searching.search {
                _ if storing.swarm.is_some() => Order::DepthFirst,
                Some(args::Order::Bfs) => Order::BreadthFirst,
                Some(args::Order::Dfs) => Order::DepthFirst,
                None if matches!(store, StoreKind::Bitstate(_) | StoreKind::Cache(_)) => Order::DepthFirst,
                None => Order::BreadthFirst,
            },
            all_errors: args.looking.all_errors(),
            assertions: (own || !self.safety && task.kind != Kind::Reach) && !args.looking.no_assertions,
            end_states: task.end_states && (own || !self.safety) && !args.looking.no_end_states,
            store,
            change_at: args.searching.storing.change_at,
            lossy: args.searching.storing.lossy,
            threads: args.searching.threads.map(usize::from),
            bias: Bias::Forward,
            seed: storing.hash_seed,
            swarm: storing.searches(args.limits.timeout.is_some(), threads),
            cycles: task.is_endless().then(|| Cycles { marks: task.marks(), ..args.asking.how() }),
            branching: task.branching.as_ref().map(|t| t.branching.clone()),
            reduces: false,
        }
    }
}

impl Answer {
    /// What made the search smaller, in results for machines and for people.
    pub fn reductions(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let order = self.options.reduces.then_some(("partial-order", "independent steps ordered"));
        let exchanging = matches!(self.symmetry, Some(Ok(_)));
        let exchanged = exchanging.then_some(("symmetry", "interchangeable processes exchanged"));
        self.task.reductions().chain(order).chain(exchanged)
    }

    pub fn checked(&self) -> Checked<'_> {
        Checked {
            model: &self.task.model,
            property: (self.task.kind != Kind::Safety).then(|| (self.task.kind.word(), &*self.task.name)),
            verdict: &self.verdict,
            statistics: &self.outcome.statistics,
            order: self.options.order,
            elapsed: self.elapsed,
            memory: memory::peak(),
            assertions: self.options.assertions,
            end_states: self.options.end_states,
            fairness: self.fairness(),
            reductions: self.reductions().map(|(_, words)| words).collect(),
            unordered: self.unordered.filter(|why| *why != NO_REDUCTION),
            asymmetric: self.symmetry.as_ref().and_then(|s| s.as_ref().err()).map(|reasons| reasons.join("; ")),
            shortest: self.shortest,
            audited: self.audited,
            not_checked: Vec::new(),
        }
    }

    /// What the answer rests on.
    pub fn fairness(&self) -> Fairness {
        let cycles = self.options.cycles.map(|c| c.fairness);
        cycles.or(self.options.branching.as_ref().map(|b| b.fairness())).unwrap_or_default()
    }

    /// The formula about branching, to speak of its parts.
    pub fn wording(&self) -> Option<Wording<'_>> {
        match (&self.task.question.as_ref()?.logic, &self.task.branching) {
            (Logic::Branching(ctl), Some(translated)) => Some(Wording { ctl, translated }),
            _ => None,
        }
    }

    /// The runs beside the first, and what no run shows.
    fn other_runs(&self, look: Look) -> String {
        match (&self.tree, self.wording()) {
            (Some(tree), Some(wording)) => tree.others(&self.interpreter, look, &wording),
            _ => String::new(),
        }
    }

    /// A run that shows why a formula is true, if there is one.
    fn witness(&self) -> Option<&Replayed> {
        let tree = self.tree.as_ref().filter(|_| matches!(self.verdict, Verdict::Holds(_)))?;
        tree.runs().first()
    }

    /// `first`: no other counterexample was written before. `alone`: nothing else was asked.
    fn write_trail(&mut self, args: &Check, file: &Path, first: bool, alone: bool) {
        if args.showing.no_trail {
            return;
        }
        let target = Target { model: file, args, task: &self.task };
        self.trail = match (&self.verdict, &self.tree, self.witness()) {
            (Verdict::Violated(violated), ..) => target.counterexample(&self.interpreter, &violated.first, first),
            (_, Some(tree), Some(witness)) => {
                target.witness(&self.interpreter, &tree.evidence().runs[0].trail, witness, alone)
            }
            _ => Written::default(),
        };
    }

    fn screen(&self, checked: &Checked<'_>, args: &Check, file: &Path) -> String {
        let look = Look { width: output::width(), full: args.showing.full };
        match &self.verdict {
            Verdict::Violated(violated) => {
                let run = Run::replayed(&self.interpreter, violated.first.replayed());
                let mut out = checked.alarm(violated, &run, &run.names(), look);
                out.push_str(&self.other_runs(look));
                out.push_str(&self.trail.hint(file));
                out
            }
            _ => match self.witness() {
                Some(witness) => {
                    let run = Run::replayed(&self.interpreter, witness);
                    let mut out = checked.calm();
                    out.push_str("\n  this shows it:\n\n");
                    out.push_str(&trace(&run, &run.names(), look));
                    out.push_str(&self.other_runs(look));
                    out.push_str(&self.trail.hint(file));
                    out
                }
                None => checked.calm(),
            },
        }
    }
}
