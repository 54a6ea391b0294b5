//! Running a request: load, plan, search, judge. One model at a time.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kripke_model::layout::StartError;
use kripke_model::{Interpreter, Model};
use kripke_reduce::por::Independence;
use kripke_report::evidence::Tree;
use kripke_report::json;
use kripke_report::verdict::{Unconfirmed, Verdict};
use kripke_search::{Budget, End, Limit, Options, Order, Outcome, Progress, StoreKind, explore};

use crate::accelerated::{Machines, Used};
use crate::answer::{Answer, Results};
use crate::distributed::{Searched, Work};
use crate::error::Error;
use crate::files::Files;
use crate::layers::{Layers, Parts};
use crate::load::{self, InputError};
use crate::monitor::{Monitor, Phase};
use crate::plan::{Facts, Plan, QuestionPlan, Refusal};
use crate::request::{Limits, Reductions, Request};
use crate::task::{self, Kind, Problem, Task};
use crate::{judge, memory, scope, shortest, symmetric};

/// A search for a shorter counterexample may store so many states.
pub(crate) const SHORTEN: u64 = 500_000;
/// After a search of more states none is attempted: without reductions it would hardly end within its bound.
pub(crate) const MOST_SHORTENED: u64 = SHORTEN / 2;

/// The outcome of the search that answers a question, and the machines that had a part in it.
struct First {
    outcome: Outcome,
    ranks: Vec<json::Rank>,
    gpu: Option<Used>,
}

/// Bounds of a search within those of the request.
#[derive(Clone, Copy)]
pub(crate) struct Most {
    states: u64,
    depth: u32,
}

/// What all searches for one model share.
#[derive(Clone, Copy)]
pub(crate) struct Session<'a> {
    pub request: &'a Request,
    pub file: &'a Path,
    pub limits: Limits,
    pub deadline: Option<Instant>,
    pub monitor: &'a dyn Monitor,
    /// The machines besides the processor.
    pub machines: Machines<'a>,
}

/// The limits of a request with the defaults filled in.
pub fn limits(request: &Request) -> Limits {
    Limits { memory: request.limits.memory.or_else(memory::default_limit), ..request.limits }
}

/// Checks one model: answers every question of the request.
pub fn check(file: &Path, request: &Request, files: &dyn Files, monitor: &dyn Monitor) -> Result<Results, Error> {
    check_with(Machines::default(), file, request, files, monitor)
}

/// Checks one model, with these machines for a request that asks for them.
pub fn check_with(
    machines: Machines<'_>,
    file: &Path,
    request: &Request,
    files: &dyn Files,
    monitor: &dyn Monitor,
) -> Result<Results, Error> {
    let is_distributed = request.search.ranks.is_some() || request.search.distributed.is_some();
    if is_distributed && machines.distributed.is_none() {
        let reason = "this program has no search over several ranks".to_string();
        return Err(Refusal { option: "--ranks", reason }.into());
    }
    let start = Instant::now();
    let limits = limits(request);
    let deadline = limits.timeout.and_then(|timeout| start.checked_add(timeout));
    monitor.phase(Phase::Reading);
    let problem = task::load(file, request, files)?;
    monitor.warnings(&problem.warnings);
    monitor.phase(Phase::Preparing);
    let model = Arc::new(problem.model.clone());
    let tasks = task::tasks(file, problem.clone(), request)?;
    let mut for_symmetry = tasks_for_symmetry(file, problem, request)?.into_iter();
    let plan = Plan::resolve(request, &facts(&tasks, &limits))?;
    plan.notes.iter().for_each(|note| monitor.warn(&note.to_string()));
    scope::missing_labels(&model, &tasks).iter().for_each(|warning| monitor.warn(warning));
    let not_checked = scope::not_checked(&model, &tasks, &plan);
    monitor.questions(tasks.len());
    let load = start.elapsed();
    let session = Session { request, file, limits, deadline, monitor, machines };
    let mut answers: Vec<Answer> = Vec::new();
    for (task, plan) in tasks.into_iter().zip(&plan.questions) {
        monitor.phase(Phase::Preparing);
        let unmerged = task.clone();
        let answer = session.answer(task, for_symmetry.next(), plan)?;
        monitor.answered(&answer);
        let mut answer = session.shortest(answer, unmerged.clone(), plan)?;
        session.cover(&mut answer, &unmerged, plan)?;
        if request.vacuity {
            answer.vacuity = session.vacuity(&answer, &model)?;
        }
        monitor.phase(Phase::Writing);
        monitor.finished(&answer);
        answers.push(answer);
    }
    let cuts = session.cuts(&model, &answers)?;
    let compile: f64 = answers.iter().map(|a| a.compile.as_secs_f64()).sum();
    let search = answers.iter().map(|a| a.elapsed.as_secs_f64()).sum::<f64>() - compile;
    let seconds = json::Seconds { load: load.as_secs_f64(), compile, search, cpu: None };
    Ok(Results { model, answers, not_checked, notes: plan.notes, seconds, limits, cuts })
}

/// What the model and the machine have.
pub(crate) fn facts(tasks: &[Task], limits: &Limits) -> Facts {
    Facts {
        questions: tasks.iter().map(Task::facts).collect(),
        hidden: tasks.iter().flat_map(|task| &task.searched.globals).any(|global| global.hidden),
        memory_taken: memory::now(),
        memory: limits.memory,
    }
}

/// The tasks without dead-variable analysis, for symmetry reduction: a dead value that is replaced by a number hides that it
/// names a process.
fn tasks_for_symmetry(file: &Path, problem: Problem, request: &Request) -> Result<Vec<Task>, InputError> {
    let reductions = request.reductions;
    if !reductions.symmetry || reductions.raw || !reductions.dead_variables {
        return Ok(Vec::new());
    }
    let reductions = Reductions { dead_variables: false, ..reductions };
    task::tasks(file, problem, &Request { reductions, ..request.clone() })
}

impl Session<'_> {
    /// Answers one question. The task without dead-variable analysis is used if it has more symmetries.
    pub(crate) fn answer(
        &self,
        mut task: Task,
        mut for_symmetry: Option<Task>,
        plan: &QuestionPlan,
    ) -> Result<Answer, Error> {
        let (start, request) = (Instant::now(), self.request);
        if plan.merging.is_ok() {
            task.merge();
            for_symmetry.iter_mut().for_each(Task::merge);
        }
        let refused = |e: StartError| Error::Input(InputError::whole(self.file, &e.to_string()));
        let (task, symmetry) = symmetric::choose(task, for_symmetry, plan.symmetry).map_err(refused)?;
        let mut interpreter = self.interpreter(&task.model).map_err(refused)?;
        let symmetries = symmetry.as_ref().and_then(|s| s.as_ref().ok());
        let searched = symmetries.map_or(&task.searched, |symmetry| &symmetry.model);
        let wanted = if symmetries.is_some() { plan.partial_order_with_symmetry } else { plan.partial_order };
        let (independence, no_partial_order) = match wanted {
            Some(allowed) => match allowed.and_then(|preserve| Independence::of(searched, preserve)) {
                Ok(independence) => (Some(independence), None),
                Err(why) => (None, Some(why)),
            },
            None => (None, None),
        };
        let reduces = independence.is_some();
        let permutations = symmetries.map(|s| s.permutations.clone());
        let (word_bits, distributed) = (plan.word_bits, plan.ranks.is_some());
        let parts = Parts { independence: independence.map(Arc::new), permutations, word_bits, distributed };
        let (system, not_compiled) = Layers::new(searched, request, parts.clone()).map_err(refused)?;
        not_compiled.iter().for_each(|why| self.monitor.warn(why));
        let mut system = system.asking(&task.conditions);
        let prepared = start.elapsed();
        let search = Options { reduces, ..plan.search.clone().fit(system.hidden_prefix()) };
        let First { mut outcome, mut ranks, mut gpu } = match task.is_ready() {
            true => self.first_search(&system, &search, plan)?,
            false => First { outcome: Outcome::nothing(), ranks: Vec::new(), gpu: None },
        };
        if search.store == StoreKind::Words && !system.is_in_words() {
            self.monitor.warn("--store words: a state is longer than two words, so states are stored in full");
        }
        if system.has_escaped() {
            self.monitor.warn("a state does not fit into the words: the search is repeated with packed states");
            let parts = Parts { word_bits: None, ..parts };
            system = Layers::new(searched, request, parts).map_err(refused)?.0.asking(&task.conditions);
            First { outcome, ranks, gpu } = self.first_search(&system, &search, plan)?;
        }
        self.monitor.phase(Phase::Confirming);
        // One process would have to search the states of all ranks.
        let is_alone = plan.ranks.is_none() || !search.reduces;
        // A run with merged statements is compared in steps, by a search that merges none: see `shortest.rs`.
        let may_be_merged = reduces && system.has_left_out() && symmetries.is_none() && task.merged > 0;
        let shortens = is_alone && is_nearest(&search, &outcome);
        let shortens = shortens && !(may_be_merged && shortest::has_merged(&outcome, &mut interpreter));
        let mut shortest = shortens && self.shorten(&system, &search, &mut outcome);
        let audited = self.audited(&system)?;
        // A GPU does not record the edges that it executes.
        let mut left_out = system.has_left_out() || gpu.as_ref().is_some_and(|used| used.device.is_ok());
        let (engine, in_words) = (system.engine(), system.is_in_words());
        let opening = gpu.as_ref().map_or(Duration::ZERO, |used| used.opening);
        let compile = prepared + system.compiling() + opening;
        let mut values = system.values();
        let (mut explored, mut covered) = system.finish();
        if let Some(distributed) = self.machines.distributed.filter(|_| !ranks.is_empty())
            && let Err(lost) = distributed.share_coverage(&mut covered, &mut left_out)
        {
            outcome = Outcome { end: End::Stopped(lost), ..Outcome::nothing() };
        }
        if let Some(symmetry) = symmetries {
            let mut original = self.interpreter(&task.searched).map_err(refused)?;
            shortest &=
                symmetric::lift(symmetry, &mut outcome, &mut explored, &mut original).map_err(|e| self.bug(&e))?;
            symmetry.cover(&task.searched, &mut covered);
            // They are those of the model with symmetries.
            (explored, values) = (original, None);
        }
        let (verdict, tree) =
            self.judge(&task, &outcome, [&mut interpreter, &mut explored]).map_err(|e| self.bug(&e))?;
        Ok(Answer {
            task,
            interpreter,
            searched: explored,
            values,
            outcome,
            verdict,
            search,
            plan: plan.clone(),
            ranks,
            gpu,
            in_words,
            engine,
            not_compiled,
            covered,
            left_out,
            elapsed: start.elapsed(),
            compile,
            tree,
            no_partial_order,
            symmetry,
            shortest,
            audited,
            vacuity: None,
        })
    }

    pub(crate) fn interpreter(&self, model: &Arc<Model>) -> Result<Interpreter, StartError> {
        load::interpreter(model.clone(), self.request.reductions.raw)
    }

    /// The verdict, after the evidence has been replayed and judged.
    pub(crate) fn judge(
        &self,
        task: &Task,
        outcome: &Outcome,
        [interpreter, searched]: [&mut Interpreter; 2],
    ) -> Result<(Verdict, Option<Tree>), Unconfirmed> {
        let fairness = self.request.questions.fairness;
        let unchecked = if task.is_ready() { Vec::new() } else { vec![format!("{} {}", task.kind.word(), task.name)] };
        let verdict = Verdict::judge_reduced(outcome, interpreter, Some(searched), &unchecked)?;
        judge::confirm(task, &verdict, fairness, interpreter)?;
        let tree = outcome.evidence.as_ref().map(|e| Tree::confirm(e, interpreter, searched)).transpose()?;
        judge::confirm_tree(task, &verdict, tree.as_ref(), fairness, [interpreter, searched])?;
        Ok((verdict, tree))
    }

    /// The number of audited states, if there is an audit. A failed audit overrides every answer.
    fn audited(&self, system: &Layers) -> Result<Option<u64>, Error> {
        let Some(record) = system.record() else { return Ok(self.request.reductions.audit.map(|_| 0)) };
        match record.failure() {
            Some(what) => Err(Error::Bug(format!("{}: an audit failed: {what}", self.file.display()))),
            None => Ok(Some(record.audited())),
        }
    }

    pub(crate) fn bug(&self, e: &Unconfirmed) -> Error {
        Error::Bug(format!("{}: {e}", self.file.display()))
    }

    /// Replaces the nearest counterexample of a search with ample sets by one that is as short as any interleaving allows, unless
    /// that takes too many states. Returns whether the trails are shortest ones.
    fn shorten(&self, system: &Layers, search: &Options, outcome: &mut Outcome) -> bool {
        let unreduced = !search.reduces || !system.has_left_out();
        let Some(violation) = outcome.violations.first().filter(|_| !search.all_errors) else {
            return unreduced || outcome.violations.is_empty();
        };
        if unreduced {
            return true;
        }
        // With several workers the ample sets depend on timing, and so does the choice among the nearest errors.
        let same = search.workers() == 1;
        let Some(depth) = violation.trail.choices.len().checked_sub(usize::from(same)) else { return true };
        if outcome.statistics.states > MOST_SHORTENED {
            return false;
        }
        let most = Most { states: SHORTEN, depth: u32::try_from(depth).unwrap_or(u32::MAX) };
        let all = Options { reduces: false, probe: false, ..search.clone() };
        let again = self.search(system, &all, Some(most));
        if system.has_escaped() {
            return false;
        }
        match again.end {
            End::Violation => outcome.violations = again.violations,
            // No error is nearer.
            End::Exhausted(_) | End::Stopped(Limit::Depth(_)) if same => {}
            _ => return false,
        }
        true
    }

    /// The search that answers a question: on a GPU or over several ranks if the plan says so.
    fn first_search(&self, system: &Layers, options: &Options, plan: &QuestionPlan) -> Result<First, Error> {
        let (Some(ranks), Some(distributed)) = (plan.ranks, self.machines.distributed) else {
            let (accelerated, gpu) = self.accelerated_search(system, options, plan)?;
            let outcome = accelerated.unwrap_or_else(|| self.search(system, options, None));
            return Ok(First { outcome, ranks: Vec::new(), gpu });
        };
        let (budget, progress) = (self.budget(system, None), Arc::new(Progress::new()));
        let mut searched = None;
        self.monitor.search(&progress, self.limits.memory, &mut || {
            let successors = || system.worker();
            let interpreter = system.interpreter();
            let progress = &*progress;
            let work = Work { ranks, successors: &successors, interpreter, options, budget: &budget, progress };
            searched = Some(distributed.search(&work));
        });
        match searched {
            Some(Ok(Searched { outcome, ranks })) => Ok(First { outcome, ranks, gpu: None }),
            Some(Err(what)) => Err(Error::Bug(format!("{}: {what}", self.file.display()))),
            None => Ok(First { outcome: Outcome::nothing(), ranks: Vec::new(), gpu: None }),
        }
    }

    /// Searches, within narrower bounds if there are any.
    fn search(&self, system: &Layers, options: &Options, most: Option<Most>) -> Outcome {
        let budget = self.budget(system, most);
        let progress = Arc::new(Progress::new());
        let mut outcome = None;
        self.monitor.search(&progress, self.limits.memory, &mut || {
            outcome = Some(explore(&|| system.worker(), options, &budget, &progress));
        });
        outcome.unwrap_or_else(Outcome::nothing)
    }

    pub(crate) fn budget(&self, system: &Layers, most: Option<Most>) -> Budget {
        Budget {
            max_depth: most.map(|most| most.depth).into_iter().chain(self.limits.max_depth).min(),
            max_states: most.map(|most| most.states).into_iter().chain(self.limits.max_states).min(),
            memory: self.limits.memory,
            taken: memory::now(),
            deadline: self.deadline,
            interrupt: self.monitor.interrupt(),
            full: self.monitor.memory_full(),
            enough: system
                .record()
                .map(|record| record.wrong.clone())
                .into_iter()
                .chain(system.escape_flag())
                .collect(),
        }
    }
}

/// Whether an error that a search has found is one of those that are the fewest transitions away.
fn is_nearest(search: &Options, outcome: &Outcome) -> bool {
    let probed = outcome.statistics.probe.is_some_and(|probe| probe.is_used);
    search.order == Order::BreadthFirst && search.cycles.is_none() && search.ctl.is_none() && !probed
}

impl Results {
    /// Whether safety was checked by itself.
    pub(crate) fn has_safety(&self) -> bool {
        self.answers.iter().any(|a| a.task.kind == Kind::Safety)
    }
}
