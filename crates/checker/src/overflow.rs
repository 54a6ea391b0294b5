//! Values that do not fit into their variable. They are cut to the bits of its type, which is seldom meant.
//!
//! With [`Source::overflow_is_error`](crate::request::Source), storing such a value is a fault: each variable gets the range of its
//! type. Otherwise a bounded search of the model with these ranges finds the first place where a value is cut. The value-set
//! analysis decides whether that search is needed at all. Constants that do not fit are found in the text.

use std::sync::Arc;

use kripke_model::interpret::Point;
use kripke_model::ir::{BinaryOp, Effect, Expr, Init, Model, Place, Shows, Span, Sync, Type, Var, VarRef};
use kripke_model::{Fault, Finding, FindingKind, Interpreter};
use kripke_reduce::value_sets::ValueSets;
use kripke_report::run::flat;
use kripke_report::source::Lines;
use kripke_report::verdict::Verdict;
use kripke_search::ErrorKind;

use crate::answer::Answer;
use crate::coverage::{Hushed, bound, explaining, explaining_plan};
use crate::error::Error;
use crate::load;
use crate::plan::QuestionPlan;
use crate::request::{Errors, Request, Search};
use crate::run::{Session, facts};
use crate::task;

/// A value that is cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The description.
    pub message: String,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// The values of a type of fewer than 32 bits that holds numbers.
fn range(ty: Type) -> Option<(i32, i32)> {
    let numbers = matches!(ty.shows, Shows::Number | Shows::Bool | Shows::Symbol(_));
    let bits = u32::from(ty.bits);
    (numbers && bits < 32)
        .then(|| if ty.signed { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) })
}

/// Gives every variable without a range the range of its type. Storing another value is then a fault.
pub fn check_stores(model: &mut Model) {
    let locals = model.processes.iter_mut().flat_map(|process| &mut process.locals);
    for var in model.globals.iter_mut().chain(locals).filter(|var| var.range.is_none() && var.name != "_") {
        var.range = range(var.ty);
    }
}

/// Makes sending a value that the field of its message can't hold a fault, where the channel is known.
pub fn check_messages(model: &mut Model) {
    let Model { globals, channels, processes, .. } = model;
    for process in processes {
        let locals = &process.locals;
        for edge in &mut process.edges {
            let Some(Sync::Send { channel: Expr::Load(place), args, .. }) = &edge.sync else { continue };
            let var = match place.var {
                VarRef::Global(id) => &globals[id.index()],
                VarRef::Local(id) => &locals[id.index()],
            };
            let Init::Channels(channel) = var.init else { continue };
            let fields = channels[channel.index()].fields.iter().zip(args).enumerate();
            let required = fields.filter_map(|(i, (ty, value))| required(&var.name, i + 1, *ty, value));
            let required: Vec<Effect> = required.collect();
            edge.effects.splice(0..0, required);
        }
    }
}

/// The requirement that a field of a message can hold a value.
fn required(channel: &str, field: usize, ty: Type, value: &Expr) -> Option<Effect> {
    let (low, high) = range(ty)?;
    if matches!(value, Expr::Const(c) if (low..=high).contains(c)) {
        return None;
    }
    let compared = |op, with| Expr::Binary(op, Box::new(value.clone()), Box::new(Expr::Const(with)));
    let (above, below) = (compared(BinaryOp::Ge, low), compared(BinaryOp::Le, high));
    let condition = Expr::Binary(BinaryOp::And, Box::new(above), Box::new(below));
    Some(Effect::Require {
        condition,
        message: format!("value out of range (field {field} of {channel} holds {low} to {high})"),
    })
}

/// The constants of a model that are cut where they are stored. Where overflow is an error, the constants that no step stores
/// are left: initial values and arguments of processes.
pub fn constants(model: &Model, overflow_is_error: bool) -> Vec<Cut> {
    let lines = Lines::new(model);
    let mut found: Vec<(Span, String)> = Vec::new();
    let vars = model.globals.iter().chain(model.processes.iter().flat_map(|process| &process.locals));
    let of_type = |var: &Var| overflow_is_error && var.range == range(var.ty);
    for var in vars.filter(|var| var.range.is_none() || of_type(var)) {
        let values = match &var.init {
            Init::All(value) => std::slice::from_ref(value),
            Init::List(values) => values,
            Init::Zero | Init::Channels(_) | Init::Param => continue,
        };
        found.extend(values.iter().filter_map(|value| Some((var.span, cut(&var.name, var.ty, value)?))));
    }
    for edge in model.processes.iter().flat_map(|process| &process.edges) {
        let sent = edge.sync.iter().flat_map(|sync| match sync {
            Sync::Send { channel, args, .. } if !overflow_is_error => message_cuts(model, channel, args),
            _ => Vec::new(),
        });
        let passed = edge.effects.iter().flat_map(|effect| match effect {
            Effect::Run { process, args, .. } => argument_cuts(&model.processes[process.index()].locals, args),
            _ => Vec::new(),
        });
        found.extend(sent.chain(passed).map(|text| (edge.span, format!("{}: {text}", flat(&edge.label)))));
    }
    found.sort();
    found.dedup();
    let located = found.into_iter().map(|(span, message)| {
        let line = lines.of(span);
        Cut { message, file: lines.file(line.file).to_string(), line: line.first }
    });
    located.collect()
}

/// Whether the variable of a finding has a range of its own, so that its values are not cut.
fn has_range(model: &Model, finding: &Finding) -> bool {
    let FindingKind::Fault(Fault::ValueOutOfRange { var: name, .. }) = &finding.kind else { return false };
    let locals = model.processes.iter().flat_map(|process| &process.locals);
    model.globals.iter().chain(locals).any(|var| var.name == *name && var.range.is_some())
}

/// The description of a constant that a type does not have.
fn cut(name: &str, ty: Type, value: &Expr) -> Option<String> {
    let (Expr::Const(value), (low, high)) = (value, range(ty)?) else { return None };
    let outside = !(low..=high).contains(value);
    outside.then(|| format!("the value {value} is cut to {}: {name} holds {low} to {high}", ty.wrap(*value)))
}

/// The constants that a send cuts, if the channel is known.
fn message_cuts(model: &Model, channel: &Expr, args: &[Expr]) -> Vec<String> {
    let Expr::Load(Place { var: VarRef::Global(var), .. }) = channel else { return Vec::new() };
    let var = &model.globals[var.index()];
    let Init::Channels(channel) = var.init else { return Vec::new() };
    let fields = model.channels[channel.index()].fields.iter().zip(args).enumerate();
    fields.filter_map(|(i, (ty, value))| cut(&format!("field {} of {}", i + 1, var.name), *ty, value)).collect()
}

/// The constants that an instantiation cuts.
fn argument_cuts(params: &[Var], args: &[Expr]) -> Vec<String> {
    params.iter().zip(args).filter_map(|(param, value)| cut(&param.name, param.ty, value)).collect()
}

impl Session<'_> {
    /// The values that are cut, each told to the monitor.
    pub(crate) fn cuts(&self, model: &Model, answers: &[Answer]) -> Result<Vec<Cut>, Error> {
        if !self.request.overflow_warnings {
            return Ok(Vec::new());
        }
        let overflow_is_error = self.request.source.overflow_is_error;
        let mut cuts = constants(model, overflow_is_error);
        let states = answers.first().map_or(0, |answer| answer.outcome.statistics.states);
        // A raw search is asked for its counts.
        if !self.request.reductions.raw && !overflow_is_error {
            cuts.extend(self.first_cut(model, states)?);
        }
        cuts.iter().for_each(|cut| self.monitor.warn(&cut.to_string()));
        Ok(cuts)
    }

    /// The first place where a stored value is cut. None if there is none, or if a search with a bound by `states` did not find it.
    pub(crate) fn first_cut(&self, model: &Model, states: u64) -> Result<Option<Cut>, Error> {
        let Some(interpreter) = checking(model, self.request.reductions.raw) else { return Ok(None) };
        // Every check of a model whose values might be cut pays for this search, mostly in vain.
        let most = bound(states / 2);
        let errors = Errors { assertions: false, end_states: false, ..Errors::default() };
        let search = Search { engine: self.request.search.engine, ..Search::default() };
        let request = Request { errors, search, coverage: false, vacuity: false, ..explaining(self.request) };
        let limits = self.explaining_limits(most);
        let task = task::safety(Model::clone(interpreter.model()), &request);
        let facts = facts(std::slice::from_ref(&task), &limits);
        let plan = explaining_plan(QuestionPlan::new(&request, &facts, &facts.questions[0]), most);
        let monitor = Hushed(self.monitor);
        let session = Session { request: &request, limits, monitor: &monitor, ..*self };
        let answer = session.answer(task, None, &plan)?;
        let Verdict::Violated(violated) = &answer.verdict else { return Ok(None) };
        let ErrorKind::Finding(finding) = violated.first.error() else { return Ok(None) };
        Ok(if has_range(model, finding) { None } else { stored(&answer.task.model, finding) })
    }
}

/// The interpreter of a model in which storing a value that is cut is a fault. None if no step can store one.
fn checking(model: &Model, raw: bool) -> Option<Interpreter> {
    let mut checked = Model { observer: None, goal: None, properties: Vec::new(), ..model.clone() };
    check_stores(&mut checked);
    if checked.globals == model.globals && checked.processes == model.processes {
        return None;
    }
    let interpreter = load::interpreter(Arc::new(checked), raw).ok()?;
    ValueSets::new(&interpreter).may_leave_range().then_some(interpreter)
}

/// The cut that a step of a checked model stores.
fn stored(checked: &Model, finding: &Finding) -> Option<Cut> {
    let FindingKind::Fault(Fault::ValueOutOfRange { var, value, range: (low, high) }) = &finding.kind else {
        return None;
    };
    let lines = Lines::new(checked);
    let edge = checked.process(finding.process).edges.get(finding.edge.index());
    let statement = edge.map(|edge| format!("{}: ", flat(&edge.label))).unwrap_or_default();
    let line = lines.of(finding.span);
    Some(Cut {
        message: format!("{statement}the value {value} is cut: {var} holds {low} to {high}"),
        file: lines.file(line.file).to_string(),
        line: line.first,
    })
}

/// Looks for the first value that the steps of one run cut.
#[derive(Debug)]
pub struct Watch {
    model: Arc<Model>,
    /// None once a cut was found, and if there can be none.
    checking: Option<Interpreter>,
}

impl Watch {
    /// The watch over runs of a model.
    pub fn new(model: Arc<Model>, raw: bool) -> Watch {
        let checking = checking(&model, raw);
        Watch { model, checking }
    }

    /// The value that a step cuts, if it is the first one. The step has this number among the moves at the point.
    pub fn step(&mut self, at: &Point, number: usize) -> Option<Cut> {
        let checking = self.checking.as_mut()?;
        let moves = checking.moves(at);
        let findings = moves.get(number).into_iter().flat_map(|chosen| &chosen.findings);
        let mut cuts = findings.filter(|finding| !has_range(&self.model, finding));
        let cut = cuts.find_map(|finding| stored(checking.model(), finding))?;
        self.checking = None;
        Some(cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_the_types() {
        assert_eq!(range(Type::number(8, false)), Some((0, 255)));
        assert_eq!(range(Type::number(16, true)), Some((-32768, 32767)));
        assert_eq!(range(Type::number(1, false)), Some((0, 1)));
        assert_eq!(range(Type::number(32, true)), None);
        assert_eq!(
            cut("n", Type::number(8, false), &Expr::Const(300)).unwrap(),
            "the value 300 is cut to 44: n holds 0 to 255"
        );
        assert_eq!(cut("n", Type::number(8, false), &Expr::Const(255)), None);
    }
}
