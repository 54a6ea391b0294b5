//! What is to be checked of a model, one thing at a time: each is a model with an observer or a goal of its own.

use std::path::Path;
use std::sync::Arc;

use kripke_model::ir::{
    Edge, EdgeId, Expr, Goal, Guard, LocId, Location, Observer, Process, Property, PropertyKind, Span, Then,
};
use kripke_model::trail::Replayed;
use kripke_model::{Interpreter, Model};
use kripke_reduce::merge::{merge, merge_like};
use kripke_reduce::por::{Independence, Preserve};
use kripke_reduce::simplify::{Passes, Simplified, simplify};
use kripke_reduce::symmetry::Symmetry;
use kripke_search::Fairness;

use crate::args::{Asking, Reading};
use crate::formulas::branching::Translated;
use crate::formulas::fairness::{is_accepting, is_fair, is_without_progress};
use crate::formulas::{self, Logic, Question};
use crate::load::{self, Trouble};

/// One thing to check.
#[derive(Debug)]
pub struct Task {
    pub name: String,
    pub kind: Kind,
    pub model: Arc<Model>,
    /// What is left of the model for the search, which takes the same steps.
    pub searched: Arc<Model>,
    /// Conditions on the states of that.
    pub conditions: Vec<Expr>,
    pub reduced: Simplified,
    /// The arguments that ask for just this, for trail files.
    pub arguments: Vec<String>,
    /// How many local steps were glued to others.
    pub glued: usize,
    /// The formula it is about.
    pub question: Option<Question>,
    /// It is about branching.
    pub branching: Option<Translated>,
    /// Invalid end states are errors, too. Not where a claim decides which runs count.
    pub end_states: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Assertions, end states, faults.
    Safety,
    Reach,
    Acceptance,
    Progress,
    Never,
    Process,
    Ltl,
    Ctl,
    /// Made by another tool.
    Automaton,
}

impl Kind {
    /// The word for it in results.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Safety => "safety",
            Kind::Reach => "reachability",
            Kind::Acceptance => "acceptance",
            Kind::Progress => "progress",
            Kind::Never => "never",
            Kind::Process => "process",
            Kind::Ltl => "ltl",
            Kind::Ctl => "ctl",
            Kind::Automaton => "automaton",
        }
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

impl Task {
    fn new(name: &str, kind: Kind, model: Arc<Model>, arguments: &[&str]) -> Task {
        let arguments = arguments.iter().map(ToString::to_string).collect();
        Task {
            name: name.to_string(),
            kind,
            searched: model.clone(),
            model,
            conditions: Vec::new(),
            reduced: Simplified::default(),
            arguments,
            glued: 0,
            question: None,
            branching: None,
            end_states: matches!(kind, Kind::Safety | Kind::Progress),
        }
    }

    /// Leaves out of the model what makes no difference to any question.
    fn reduce(&mut self, reading: &Reading) {
        let passes = Passes { dead_variables: !reading.no_dead_variables, slicing: !reading.no_slicing };
        let (mut model, mut conditions) = ((*self.model).clone(), self.conditions.clone());
        let reduced = simplify(&mut model, &mut conditions, passes);
        if !reduced.is_unchanged() {
            (self.searched, self.conditions, self.reduced) = (Arc::new(model), conditions, reduced);
        }
    }

    /// Whether the answer depends on how many steps there are between one thing and another.
    fn counts_steps(&self, fairness: Fairness) -> bool {
        let counts = match self.kind {
            Kind::Safety | Kind::Reach | Kind::Progress => false,
            Kind::Acceptance => self.model.observer.as_ref().is_none_or(|o| o.automaton.locations.len() > 1),
            Kind::Ltl => self.question.as_ref().is_none_or(Question::counts_steps),
            Kind::Never | Kind::Process | Kind::Automaton | Kind::Ctl => true,
        };
        counts || fairness != Fairness::None
    }

    /// Glues local steps, if that changes nothing that is asked for, and says so for trail files if it does.
    fn coarsen(&mut self, fairness: Fairness) {
        if self.counts_steps(fairness) {
            self.arguments.push("--no-coarsening".to_string());
            return;
        }
        let mut searched = (*self.searched).clone();
        self.glued = merge(&mut searched);
        if self.glued > 0 {
            let mut model = (*self.model).clone();
            merge_like(&mut model, &searched);
            (self.model, self.searched) = (Arc::new(model), Arc::new(searched));
        }
    }

    /// Who gets into whose way in what is left of the model, for a search that leaves moves out. The reason why it can't,
    /// otherwise.
    pub fn independence(&self, left: &Arc<Model>, fairness: Fairness) -> Result<Independence, &'static str> {
        if fairness != Fairness::None {
            return Err("fairness counts every move");
        }
        if self.counts_steps(fairness) {
            return Err("the property counts steps");
        }
        Independence::of(left, if self.is_endless() { Preserve::StutterLtl } else { Preserve::Safety })
    }

    /// Which processes can take each other's places, for a search that exchanges them. The reasons why none can, otherwise.
    pub fn symmetry(&self, searched: &Interpreter, fairness: Fairness) -> Result<Symmetry, Vec<String>> {
        if self.branching.is_some() {
            return Err(vec!["the formula is about branching".to_string()]);
        }
        if fairness != Fairness::None {
            return Err(vec!["fairness asks who moves".to_string()]);
        }
        let symmetry = Symmetry::of(searched)?;
        if symmetry.ends && self.counts_steps(fairness) {
            return Err(vec!["the property counts steps, and processes end".to_string()]);
        }
        Ok(symmetry)
    }

    /// What made the model smaller, in results for machines and for people.
    pub fn reductions(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let Simplified { resets, sliced, folded } = self.reduced;
        let all = [
            (self.glued, "coarsening", "local steps glued"),
            (resets, "dead-variables", "dead values reset"),
            (sliced + folded, "slicing", "sliced"),
        ];
        all.into_iter().filter(|(made, ..)| *made > 0).map(|(_, name, words)| (name, words))
    }

    /// Whether a cycle is one that this task looks for, by the labels of the states on it.
    pub fn is_broken_by_cycle(&self, cycle: &Replayed, fairness: Fairness, interpreter: &mut Interpreter) -> bool {
        is_fair(cycle, fairness, interpreter)
            && match self.kind {
                Kind::Acceptance => is_accepting(cycle, interpreter),
                Kind::Progress => is_without_progress(cycle, interpreter),
                _ => true,
            }
    }

    /// Whether cycles have to be looked for: where nothing is accepting, there are none.
    pub fn is_endless(&self) -> bool {
        let accepts = |process: &Process| process.locations.iter().any(|l| l.accept);
        let watched = |o: &Observer| {
            o.all_marks() != 0 || accepts(&o.automaton) || o.labels && self.model.processes.iter().any(accepts)
        };
        self.model.observer.as_ref().is_some_and(watched)
    }

    /// The acceptance sets of what watches, if there are several.
    pub fn marks(&self) -> u32 {
        self.model.observer.as_ref().map_or(0, Observer::all_marks)
    }

    /// Whether this version can check it.
    pub fn is_ready(&self) -> bool {
        match self.kind {
            Kind::Safety | Kind::Reach => true,
            Kind::Ctl => self.branching.is_some() || self.model.goal.is_some(),
            Kind::Ltl | Kind::Automaton | Kind::Never | Kind::Process | Kind::Acceptance | Kind::Progress => {
                self.model.observer.is_some() || self.model.goal.is_some()
            }
        }
    }
}

/// A model with what is asked about it.
#[derive(Clone, Debug)]
pub struct Asked {
    pub model: Model,
    /// Those of [`Asking::reach`], read.
    pub conditions: Vec<Expr>,
    pub questions: Vec<Question>,
    /// Rendered, for standard error.
    pub warnings: String,
}

/// Reads a model, and what is asked about it in its language.
pub fn load(file: &Path, reading: &Reading, asking: &Asking, claims: bool) -> Result<Asked, Trouble> {
    let loaded = load::load(file, reading, &asking.reach)?;
    let mut questions = formulas::questions(&loaded.model, asking, claims)?;
    let mut texts = asking.reach.clone();
    texts.extend(questions.iter().flat_map(Question::propositions));
    let load::Loaded { model, mut conditions, warnings } = match texts.len() == asking.reach.len() {
        true => loaded,
        false => load::load(file, reading, &texts)?,
    };
    let mut rest = conditions.split_off(asking.reach.len().min(conditions.len())).into_iter();
    for question in &mut questions {
        let wanted = question.logic.atoms().len();
        let conditions: Vec<Expr> = rest.by_ref().take(wanted).collect();
        if conditions.len() < wanted {
            return Err(Trouble::whole(file, "conditions can't be read in this language"));
        }
        question.mean(&model, conditions)?;
    }
    Ok(Asked { model, conditions, questions, warnings })
}

/// What to check, in order, of a model that is reduced as far as the reading allows.
pub fn tasks(
    file: &Path,
    asked: Asked,
    reading: &Reading,
    asking: &Asking,
    claims: bool,
) -> Result<Vec<Task>, Trouble> {
    let mut tasks = plain_tasks(file, asked, asking, claims)?;
    if !reading.raw {
        tasks.iter_mut().for_each(|task| task.reduce(reading));
    }
    if !reading.raw && !reading.no_coarsening {
        tasks.iter_mut().for_each(|task| task.coarsen(asking.fairness()));
    }
    Ok(tasks)
}

fn plain_tasks(file: &Path, asked: Asked, asking: &Asking, claims: bool) -> Result<Vec<Task>, Trouble> {
    let Asked { model, conditions, questions, .. } = asked;
    let mut plain = model;
    let observer = plain.observer.take();
    let mut properties = plain.properties.clone();
    // A property that is part of the model as a process.
    properties.extend(observer.clone().map(|observer| Property {
        name: observer.automaton.name.clone(),
        kind: PropertyKind::Process,
        text: String::new(),
        formula: String::new(),
        span: observer.automaton.span,
        observer: Some(observer),
    }));
    let plain = Arc::new(plain);
    let with = |change: &dyn Fn(&mut Model)| {
        let mut model = (*plain).clone();
        change(&mut model);
        Arc::new(model)
    };
    let mut out: Vec<Task> = Vec::new();
    let stated = claims && properties.iter().any(|p| p.kind == PropertyKind::Process);
    if asking.safety || !asking.is_particular() && !stated {
        let arguments: &[&str] = if stated { &["--safety"] } else { &[] };
        out.push(Task::new("safety", Kind::Safety, plain.clone(), arguments));
    }
    for (condition, text) in conditions.into_iter().zip(&asking.reach) {
        let goal = Goal { condition, text: text.clone(), span: None };
        let model = with(&|m| m.goal = Some(goal.clone()));
        out.push(Task::new(text, Kind::Reach, model, &["--reach", text]));
    }
    let claim = properties.iter().find_map(|p| p.observer.clone()).filter(|_| claims);
    if asking.acceptance {
        let end_states = claim.is_none();
        let observer = claim.unwrap_or_else(|| labels(plain_span(&plain)));
        let model = with(&|m| m.observer = Some(observer.clone()));
        out.push(Task { end_states, ..Task::new("acceptance", Kind::Acceptance, model, &["--acceptance"]) });
    }
    if asking.non_progress {
        let observer = no_progress(plain_span(&plain));
        let model = with(&|m| m.observer = Some(observer.clone()));
        out.push(Task::new("non-progress", Kind::Progress, model, &["--non-progress"]));
    }
    for name in &asking.property {
        if name == "safety" {
            out.push(Task::new("safety", Kind::Safety, plain.clone(), &["--safety"]));
        } else if !properties.iter().any(|p| p.name == *name) {
            let mut known: Vec<&str> = properties.iter().map(|p| &*p.name).collect();
            known.push("safety");
            let message = format!("the model has no property `{name}`; it has {}", known.join(", "));
            return Err(Trouble::whole(file, &message));
        }
    }
    for question in &questions {
        if let Some([option, text]) = &question.asked {
            out.push(formula(&plain, question, asking, &[option, text])?);
        }
    }
    for property in &properties {
        if let Some(question) = questions.iter().find(|q| q.asked.is_none() && q.name == property.name) {
            out.push(formula(&plain, question, asking, &["--property", &property.name])?);
            continue;
        }
        let asked = asking.property.contains(&property.name);
        if asked || claims && !asking.is_particular() {
            let model = with(&|m| m.observer = property.observer.clone());
            let kind = Kind::of(property.kind);
            out.push(Task::new(&property.name, kind, model, &["--property", &property.name]));
        }
    }
    Ok(out)
}

fn formula(plain: &Model, question: &Question, asking: &Asking, arguments: &[&str]) -> Result<Task, Trouble> {
    let kind = match question.logic {
        Logic::Linear(_) => Kind::Ltl,
        Logic::Branching(_) => Kind::Ctl,
        Logic::Automaton(_) => Kind::Automaton,
    };
    let fairness = asking.fairness();
    let by_components = asking.by_components();
    let mut task = Task::new(&question.name, kind, question.watch(plain, fairness, by_components)?, arguments);
    if task.model.observer.as_ref().is_some_and(|o| o.all_marks() != 0) {
        // It is watched for by another automaton.
        task.arguments.extend(["--cycles", "scc"].map(String::from));
    }
    if fairness == Fairness::Impartial {
        // It is watched for in another way.
        task.arguments.extend(["--fair", "impartial"].map(String::from));
    }
    let branching = if question.invariant(fairness).is_some() { None } else { question.branching(fairness)? };
    let conditions = question.conditions.clone();
    Ok(Task { question: Some(question.clone()), conditions, branching, ..task })
}

fn plain_span(model: &Model) -> Span {
    let nowhere = Span { file: kripke_model::ir::FileId(0), start: 0, end: 0 };
    model.processes.first().map_or(nowhere, |p| p.span)
}

/// Watches nothing but the labels of the model.
fn labels(span: Span) -> Observer {
    let locations = vec![location(&[0], false)];
    let automaton = automaton(locations, vec![edge(Guard::Always, 0, span)], span);
    Observer { automaton, stutters: true, labels: true, marks: Vec::new() }
}

/// Guesses when the last progress was made, and waits for it to be wrong.
fn no_progress(span: Span) -> Observer {
    let locations = vec![location(&[0, 1], false), location(&[2], true)];
    let none = || Guard::When(Expr::NonProgress);
    let edges = vec![edge(Guard::Always, 0, span), edge(none(), 1, span), edge(none(), 1, span)];
    Observer { automaton: automaton(locations, edges, span), stutters: false, labels: false, marks: Vec::new() }
}

fn location(edges: &[u32], accept: bool) -> Location {
    Location { edges: edges.iter().map(|e| EdgeId(*e)).collect(), accept, ..Location::default() }
}

fn edge(guard: Guard, target: u32, span: Span) -> Edge {
    Edge {
        level: 0,
        guard,
        sync: None,
        effects: Vec::new(),
        chain: None,
        target: LocId(target),
        then: Then::Yield,
        span,
        label: String::new(),
    }
}

fn automaton(locations: Vec<Location>, edges: Vec<Edge>, span: Span) -> Process {
    Process {
        name: "property".to_string(),
        params: 0,
        locals: Vec::new(),
        locations,
        edges,
        entry: LocId(0),
        provided: None,
        priority: 1,
        claims: Vec::new(),
        span,
    }
}
