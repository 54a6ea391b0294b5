//! Tasks: the questions about a model, one at a time. Each is a model with an observer or a goal of its own.

mod observers;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kripke_model::Model;
use kripke_model::ir::{Expr, Goal, Observer, Process, Property, PropertyKind, UnaryOp};
use kripke_reduce::merge::{merge, merge_like};
use kripke_reduce::simplify::{Passes, Simplified, simplify};
use serde::{Deserialize, Serialize};

use crate::load::{self, Files, InputError};
use crate::plan::{QuestionFacts, Target};
use crate::question::ctl::Translated;
use crate::question::{self, Logic, Question};
use crate::request::{Questions, Reductions, Request};

/// One thing to check.
#[derive(Clone, Debug)]
pub struct Task {
    /// The name of the property.
    pub name: String,
    /// The kind of the property.
    pub kind: Kind,
    /// The model with the observer or goal of the property, as counterexamples show it.
    pub model: Arc<Model>,
    /// The simplified model, which the search explores. It takes the same steps.
    pub searched: Arc<Model>,
    /// The propositions of the property, over states of the simplified model.
    pub conditions: Vec<Expr>,
    /// What simplification has done.
    pub simplified: Simplified,
    /// What was asked.
    pub asked: Asked,
    /// The number of merged statements.
    pub merged: usize,
    /// Whether statements were to be merged.
    pub merging: bool,
    /// The formula or automaton of the property.
    pub question: Option<Question>,
    /// The CTL formula as the search evaluates it.
    pub ctl: Option<Translated>,
    /// Whether invalid end states are errors, too. They are not where a claim decides which runs count.
    pub end_states: bool,
}

/// What was asked, in a form that can be written down and asked again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// Assertions, end states and faults.
    Safety,
    /// A property that the model states.
    Property(String),
    /// A formula of linear temporal logic.
    Ltl(String),
    /// A formula of computation tree logic.
    Ctl(String),
    /// An automaton in a file.
    Hoa(PathBuf),
    /// A condition on states.
    Reach(String),
    /// A condition that holds in every state.
    Invariant(String),
    /// Acceptance cycles.
    Acceptance,
    /// Non-progress cycles.
    NonProgress,
}

/// The kind of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Assertions, end states, faults.
    Safety,
    /// Reachability of a condition.
    Reach,
    /// A condition that holds in every state.
    Invariant,
    /// Acceptance cycles.
    Acceptance,
    /// Non-progress cycles.
    Progress,
    /// A never claim.
    Never,
    /// A property process of DVE.
    Process,
    /// Linear temporal logic.
    Ltl,
    /// Computation tree logic.
    Ctl,
    /// An automaton made by another tool.
    Automaton,
}

impl Kind {
    /// Its name in results.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Safety => "safety",
            Kind::Reach => "reachability",
            Kind::Invariant => "invariant",
            Kind::Acceptance => "acceptance",
            Kind::Progress => "progress",
            Kind::Never => "never",
            Kind::Process => "process",
            Kind::Ltl => "ltl",
            Kind::Ctl => "ctl",
            Kind::Automaton => "automaton",
        }
    }

    /// Whether the question is about whole runs, not about states.
    fn is_temporal(self) -> bool {
        !matches!(self, Kind::Safety | Kind::Reach | Kind::Invariant)
    }

    fn of(kind: PropertyKind) -> Kind {
        match kind {
            PropertyKind::Ltl => Kind::Ltl,
            PropertyKind::Ctl => Kind::Ctl,
            PropertyKind::Never => Kind::Never,
            PropertyKind::Process => Kind::Process,
        }
    }
}

/// The model with hidden variables as part of its states. If states are identified that differ in them, a path of stored states
/// need not be a run, and a cycle of stored states need not be one of the model.
fn with_hidden_stored(mut model: Arc<Model>) -> Arc<Model> {
    if model.globals.iter().any(|global| global.hidden) {
        Arc::make_mut(&mut model).globals.iter_mut().for_each(|global| global.hidden = false);
    }
    model
}

impl Task {
    /// The kind and the name of the property, unless the question is safety.
    pub fn property(&self) -> Option<(&'static str, &str)> {
        (self.kind != Kind::Safety).then_some((self.kind.word(), &*self.name))
    }

    fn new(name: &str, kind: Kind, model: Arc<Model>, asked: Asked) -> Task {
        let model = if kind.is_temporal() { with_hidden_stored(model) } else { model };
        Task {
            name: name.to_string(),
            kind,
            searched: model.clone(),
            model,
            conditions: Vec::new(),
            simplified: Simplified::default(),
            asked,
            merged: 0,
            merging: false,
            question: None,
            ctl: None,
            end_states: matches!(kind, Kind::Safety | Kind::Progress),
        }
    }

    /// Simplifies the searched model as far as the user allows. Simplification preserves every property.
    fn simplify(&mut self, reductions: &Reductions) {
        let passes = Passes { dead_variables: reductions.dead_variables, slicing: reductions.slicing };
        let (mut model, mut conditions) = ((*self.model).clone(), self.conditions.clone());
        let simplified = simplify(&mut model, &mut conditions, passes);
        if !simplified.is_unchanged() {
            (self.searched, self.conditions, self.simplified) = (Arc::new(model), conditions, simplified);
        }
    }

    /// Merges statements. The searched model decides which, and the shown one follows.
    pub(crate) fn merge(&mut self) {
        let mut searched = (*self.searched).clone();
        (self.merging, self.merged) = (true, merge(&mut searched));
        if self.merged > 0 {
            let mut model = (*self.model).clone();
            merge_like(&mut model, &searched);
            (self.model, self.searched) = (Arc::new(model), Arc::new(searched));
        }
    }

    /// Whether the answer depends on the number of steps between two events.
    fn counts_steps(&self) -> bool {
        match self.kind {
            Kind::Safety | Kind::Reach | Kind::Invariant | Kind::Progress => false,
            Kind::Acceptance => self.model.observer.as_ref().is_none_or(|o| o.automaton.locations.len() > 1),
            Kind::Ltl => self.question.as_ref().is_none_or(Question::counts_steps),
            Kind::Never | Kind::Process | Kind::Automaton | Kind::Ctl => true,
        }
    }

    /// What the plan has to know.
    pub fn facts(&self) -> QuestionFacts {
        let target = match &self.ctl {
            Some(translated) => Target::Ctl(translated.formula.clone()),
            None if self.is_endless() => Target::Cycle(self.marks()),
            None => Target::State,
        };
        QuestionFacts {
            name: self.name.clone(),
            kind: self.kind,
            target,
            counts_steps: self.counts_steps(),
            end_states: self.end_states,
            weak: self.model.observer.as_ref().is_some_and(is_weak),
        }
    }

    /// The passes that changed the model: names for machines, words for people.
    pub fn reductions(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let Simplified { resets, sliced, folded } = self.simplified;
        let all = [
            (self.merged, "coarsening", "statements merged"),
            (resets, "dead-variables", "dead variables reset"),
            (sliced + folded, "slicing", "sliced"),
        ];
        all.into_iter().filter(|(made, ..)| *made > 0).map(|(_, name, words)| (name, words))
    }

    /// Whether a search for cycles is needed: where nothing is accepting, there is no accepting cycle.
    pub fn is_endless(&self) -> bool {
        let accepts = |process: &Process| process.locations.iter().any(|l| l.accept);
        let watched = |o: &Observer| {
            o.all_marks() != 0 || accepts(&o.automaton) || o.labels && self.model.processes.iter().any(accepts)
        };
        self.model.observer.as_ref().is_some_and(watched)
    }

    /// The acceptance sets of the observer, if there are several.
    fn marks(&self) -> u32 {
        self.model.observer.as_ref().map_or(0, Observer::all_marks)
    }

    /// Whether there is something to search for.
    pub fn is_ready(&self) -> bool {
        match self.kind {
            Kind::Safety | Kind::Reach | Kind::Invariant => true,
            Kind::Ctl => self.ctl.is_some() || self.model.goal.is_some(),
            Kind::Ltl | Kind::Automaton | Kind::Never | Kind::Process | Kind::Acceptance | Kind::Progress => {
                self.model.observer.is_some() || self.model.goal.is_some()
            }
        }
    }
}

/// An instance of the model-checking problem: a model, and the questions about it in terms of the model.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The model.
    pub model: Model,
    /// The conditions of [`Questions::reach`].
    conditions: Vec<Expr>,
    questions: Vec<Question>,
    /// The expressions to watch, which are no question.
    pub watched: Vec<Expr>,
    /// Warnings about the text of the model, rendered.
    pub warnings: String,
}

/// Reads a model, and the questions about it.
pub fn load(file: &Path, request: &Request, files: &dyn Files) -> Result<Problem, InputError> {
    load_watching(file, request, &[], files)
}

/// Reads a model, the questions about it, and expressions in its language.
pub fn load_watching(
    file: &Path,
    request: &Request,
    watch: &[String],
    files: &dyn Files,
) -> Result<Problem, InputError> {
    let asked = &request.questions;
    let mut questions = Vec::new();
    let loaded = load::load_with(file, &request.source, files, |model| {
        questions = question::questions(model, asked, files)?;
        let propositions = questions.iter().flat_map(Question::propositions);
        let texts = asked.conditions().into_iter().chain(propositions).chain(watch.iter().cloned()).collect();
        Ok((texts, watch.len()))
    })?;
    let load::Loaded { model, mut conditions, warnings, .. } = loaded;
    let mut rest = conditions.split_off(asked.conditions().len().min(conditions.len())).into_iter();
    for question in &mut questions {
        let wanted = question.logic.atoms().len();
        let conditions = rest.by_ref().take(wanted).collect();
        question.mean(&model, conditions)?;
    }
    let watched = rest.collect();
    Ok(Problem { model, conditions, questions, watched, warnings })
}

/// The tasks of a request, in order, simplified as far as the request allows.
pub fn tasks(file: &Path, problem: Problem, request: &Request) -> Result<Vec<Task>, InputError> {
    let mut tasks = plain_tasks(file, problem, request)?;
    if !request.reductions.raw {
        tasks.iter_mut().for_each(|task| task.simplify(&request.reductions));
    }
    Ok(tasks)
}

/// The model without any property, and the properties that it states.
struct Stated {
    plain: Arc<Model>,
    properties: Vec<Property>,
}

impl Stated {
    fn new(model: Model) -> Stated {
        let mut plain = model;
        let observer = plain.observer.take();
        let mut properties = plain.properties.clone();
        // A property process of DVE is part of the model.
        properties.extend(observer.map(|observer| Property {
            name: observer.automaton.name.clone(),
            kind: PropertyKind::Process,
            text: String::new(),
            formula: String::new(),
            span: observer.automaton.span,
            observer: Some(observer),
        }));
        Stated { plain: Arc::new(plain), properties }
    }

    /// The model with an observer or a goal.
    fn with(&self, change: impl FnOnce(&mut Model)) -> Arc<Model> {
        let mut model = (*self.plain).clone();
        change(&mut model);
        Arc::new(model)
    }

    fn safety(&self) -> Task {
        Task::new("safety", Kind::Safety, self.plain.clone(), Asked::Safety)
    }

    fn reach(&self, condition: Expr, text: &str) -> Task {
        let goal = Goal { condition, text: text.to_string(), span: None };
        Task::new(text, Kind::Reach, self.with(|m| m.goal = Some(goal)), Asked::Reach(text.to_string()))
    }

    /// A condition that holds in every state: a state in which it does not is an error.
    fn invariant(&self, condition: Expr, text: &str) -> Task {
        let negation = Expr::Unary(UnaryOp::Not, Box::new(condition));
        let goal = Goal { condition: negation, text: format!("!({text})"), span: None };
        Task::new(text, Kind::Invariant, self.with(|m| m.goal = Some(goal)), Asked::Invariant(text.to_string()))
    }

    fn acceptance(&self, claims: bool) -> Task {
        let claim = self.properties.iter().find_map(|p| p.observer.clone()).filter(|_| claims);
        let end_states = claim.is_none();
        let observer = claim.unwrap_or_else(|| observers::acceptance(&self.plain));
        let model = self.with(|m| m.observer = Some(observer));
        Task { end_states, ..Task::new("acceptance", Kind::Acceptance, model, Asked::Acceptance) }
    }

    fn non_progress(&self) -> Task {
        let model = self.with(|m| m.observer = Some(observers::non_progress(&self.plain)));
        Task::new("non-progress", Kind::Progress, model, Asked::NonProgress)
    }

    fn claim(&self, property: &Property) -> Task {
        let model = self.with(|m| m.observer = property.observer.clone());
        Task::new(&property.name, Kind::of(property.kind), model, Asked::Property(property.name.clone()))
    }

    /// Refuses names that the model does not state.
    fn check_name(&self, file: &Path, name: &str) -> Result<(), InputError> {
        if self.properties.iter().any(|p| p.name == name) {
            return Ok(());
        }
        let mut known: Vec<&str> = self.properties.iter().map(|p| &*p.name).collect();
        known.push("safety");
        let message = format!("the model has no property `{name}`; it has {}", known.join(", "));
        Err(InputError::whole(file, &message))
    }
}

fn plain_tasks(file: &Path, problem: Problem, request: &Request) -> Result<Vec<Task>, InputError> {
    let Problem { model, conditions, questions, .. } = problem;
    let (asked, claims) = (&request.questions, request.questions.claims());
    let stated = Stated::new(model);
    let mut out: Vec<Task> = Vec::new();
    let has_process = claims && stated.properties.iter().any(|p| p.kind == PropertyKind::Process);
    if asked.safety || !asked.is_particular() && !has_process {
        out.push(stated.safety());
    }
    let mut conditions = conditions.into_iter();
    out.extend(asked.reach.iter().zip(conditions.by_ref()).map(|(text, condition)| stated.reach(condition, text)));
    out.extend(asked.invariants.iter().zip(conditions).map(|(text, condition)| stated.invariant(condition, text)));
    if asked.acceptance {
        out.push(stated.acceptance(claims));
    }
    if asked.non_progress {
        out.push(stated.non_progress());
    }
    for name in &asked.properties {
        match &**name {
            "safety" => out.push(stated.safety()),
            name => stated.check_name(file, name)?,
        }
    }
    for question in questions.iter().filter(|q| q.asked.is_some()) {
        out.push(formula(&stated.plain, question, request)?);
    }
    for property in &stated.properties {
        let question = questions.iter().find(|q| q.asked.is_none() && q.name == property.name);
        let wanted = asked.properties.contains(&property.name) || claims && !asked.is_particular();
        match question {
            Some(question) => out.push(formula(&stated.plain, question, request)?),
            None if wanted => out.push(stated.claim(property)),
            None => {}
        }
    }
    Ok(out)
}

/// The task of safety for a model without properties, simplified as far as the request allows.
pub(crate) fn safety(plain: Model, request: &Request) -> Task {
    let mut task = Stated::new(plain).safety();
    if !request.reductions.raw {
        task.simplify(&request.reductions);
    }
    task
}

/// The task of a formula about a model without properties, simplified as far as the request allows.
pub(crate) fn simplified(plain: &Model, question: &Question, request: &Request) -> Result<Task, InputError> {
    let mut task = formula(plain, question, request)?;
    if !request.reductions.raw {
        task.simplify(&request.reductions);
    }
    Ok(task)
}

/// The task of a formula or an automaton.
fn formula(plain: &Model, question: &Question, request: &Request) -> Result<Task, InputError> {
    let kind = match question.logic {
        Logic::Linear(_) => Kind::Ltl,
        Logic::Branching(_) => Kind::Ctl,
        Logic::Automaton(_) => Kind::Automaton,
    };
    let fairness = request.questions.fairness;
    let asked = question.asked.clone().unwrap_or_else(|| Asked::Property(question.name.clone()));
    let observed = question.watch(plain, fairness, request.search.has_acceptance_sets())?;
    let ctl = if question.invariant(fairness).is_some() { None } else { question.branching(fairness)? };
    let conditions = question.conditions.clone();
    Ok(Task { question: Some(question.clone()), conditions, ctl, ..Task::new(&question.name, kind, observed, asked) })
}

impl Asked {
    /// The questions that ask for just this.
    pub fn questions(&self, ignore_claims: bool) -> Questions {
        let none = Questions { ignore_claims, ..Questions::default() };
        match self.clone() {
            Asked::Safety => Questions { safety: true, ignore_claims: true, ..none },
            Asked::Property(name) => Questions { properties: vec![name], ignore_claims: false, ..none },
            Asked::Ltl(text) => Questions { ltl: vec![text], ..none },
            Asked::Ctl(text) => Questions { ctl: vec![text], ..none },
            Asked::Hoa(path) => Questions { hoa: vec![path], ..none },
            Asked::Reach(text) => Questions { reach: vec![text], ..none },
            Asked::Invariant(text) => Questions { invariants: vec![text], ..none },
            Asked::Acceptance => Questions { acceptance: true, ..none },
            Asked::NonProgress => Questions { non_progress: true, ..none },
        }
    }
}

/// Whether all locations of a component of an automaton are accepting, or none is. Automata are small: reachability is computed by repetition.
fn is_weak(observer: &Observer) -> bool {
    let Process { locations, edges, .. } = &observer.automaton;
    let targets = |from: usize| {
        let of = locations[from].edges.iter().map(|id| &edges[id.index()]);
        of.map(|edge| edge.chain.unwrap_or(edge.target).index()).collect::<Vec<_>>()
    };
    let reached = |from: usize| {
        let (mut reached, mut open) = (vec![false; locations.len()], targets(from));
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut reached[next], true) {
                open.extend(targets(next));
            }
        }
        reached
    };
    let reaches: Vec<Vec<bool>> = (0..locations.len()).map(reached).collect();
    let differ = |a: usize, b: usize| locations[a].accept != locations[b].accept && reaches[a][b] && reaches[b][a];
    let mixed = (0..locations.len()).any(|a| (0..a).any(|b| differ(a, b)));
    !mixed && !observer.labels && observer.marks.is_empty()
}
