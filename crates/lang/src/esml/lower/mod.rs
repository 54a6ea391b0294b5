//! Syntax tree to model.
//!
//! Names, types and bodies are resolved in the order of the text, since a name is known from its declaration on. What
//! the model has no notion of is spelt out here: a tuple is one variable for each of its fields, a list a length and
//! its elements, and a command on a whole value one effect for each word of it.

mod access;
mod commands;
mod declarations;
mod expressions;
mod flow;
mod formula;
mod lists;
mod messages;
mod scope;
mod types;
mod values;

use kripke_model::ir::{Channel, Enum, Expr, LocId, Model, Place, Process, ProcessId, Scheduling, Start, Var, VarId};

use super::ast;
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::source::{FileId, Span};
use flow::Flow;
use scope::{Home, Scope, Symbol};
use types::{BOOLEAN, Kind, TypeId, TypeInfo};

pub(super) struct Lowering<'a> {
    file: FileId,
    text: &'a str,
    diagnostics: &'a mut Vec<Diagnostic>,
    errors: usize,
    types: Vec<TypeInfo>,
    enums: Vec<Enum>,
    channels: Vec<Channel>,
    global_vars: Vec<Var>,
    globals: Scope,
    finished: Vec<Finished>,
    /// For each process that is started, its definition.
    started: Vec<usize>,
    /// The remaining number of words ([`limits::MAX_ESML_WORK`]).
    left: usize,
    /// Names are those of processes: a formula or a condition is being read.
    remote: bool,

    // The process being lowered.
    in_process: bool,
    process_span: Span,
    locals: Scope,
    vars: Vec<Var>,
    scratch: Vec<VarId>,
    flow: Flow,
    /// The start of the condition of the communication being lowered.
    condition_at: Option<u32>,
}

/// A process that has been lowered.
struct Finished {
    process: Process,
    parameters: Vec<TypeId>,
    scope: Scope,
}

/// Lowers a model, conditions on its states, and expressions of any type. None if there are errors, which the diagnostics tell.
pub(super) fn lower(
    program: &ast::Model,
    text: &str,
    (conditions, values): (&[ast::Expr], &[ast::Expr]),
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Model, Vec<Expr>)> {
    let mut lowering = Lowering::new(program, text, diagnostics);
    lowering.declarations(&program.declarations);
    for process in &program.processes {
        lowering.process(process);
    }
    let start = program.activations.iter().filter_map(|a| lowering.activation(a)).collect();
    let properties = program.assertion.iter().filter_map(|f| lowering.assertion(f)).collect();
    let mut conditions: Vec<Expr> = conditions.iter().filter_map(|c| lowering.condition(c)).collect();
    conditions.extend(values.iter().filter_map(|expr| lowering.watched(expr)));
    if lowering.errors > 0 {
        return None;
    }
    let Lowering { enums, channels, global_vars: globals, finished, .. } = lowering;
    let model = Model {
        name: program.name.text.clone(),
        language: "ESML".to_string(),
        files: Vec::new(),
        enums,
        globals,
        channels,
        processes: finished.into_iter().map(|f| f.process).collect(),
        start,
        scheduling: Scheduling::Interleaved,
        trace: None,
        observer: None,
        goal: None,
        uses_last: false,
        uses_priorities: false,
        uses_timeout: false,
        properties,
    };
    Some((model, conditions))
}

impl<'a> Lowering<'a> {
    fn new(program: &ast::Model, text: &'a str, diagnostics: &'a mut Vec<Diagnostic>) -> Lowering<'a> {
        let boolean = TypeInfo { name: "BOOLEAN".into(), kind: Kind::Boolean, words: 1 };
        debug_assert_eq!(BOOLEAN.0, 0);
        Lowering {
            file: program.name.span.file,
            text,
            diagnostics,
            errors: 0,
            types: vec![boolean],
            enums: Vec::new(),
            channels: Vec::new(),
            global_vars: Vec::new(),
            globals: Scope::default(),
            finished: Vec::new(),
            started: Vec::new(),
            left: limits::MAX_ESML_WORK,
            remote: false,
            in_process: false,
            process_span: program.name.span,
            locals: Scope::default(),
            vars: Vec::new(),
            scratch: Vec::new(),
            flow: Flow::default(),
            condition_at: None,
        }
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.errors += 1;
        if self.errors <= limits::MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Accounts for what is copied element by element. None if the model becomes absurdly large by it.
    fn spend(&mut self, words: usize, span: Span) -> Option<()> {
        if self.left == 0 {
            return None;
        }
        self.left = self.left.saturating_sub(words);
        if self.left == 0 {
            let what = "this model is too large";
            let help = "every element of an array or a list that is copied or compared counts";
            self.error(Diagnostic::error(span, what, "here it exceeds all bounds").help(help));
            return None;
        }
        Some(())
    }

    fn process(&mut self, process: &ast::Process) {
        self.in_process = true;
        self.process_span = process.name.span;
        let parameters = self.parameters(&process.parameters);
        let params = self.vars.len();
        self.declarations(&process.declarations);
        let entry = self.flow.location();
        let end = self.flow.location();
        self.flow.locations[end.index()].end = true;
        self.commands(&process.commands, entry, end);
        self.in_process = false;
        let Flow { locations, edges } = std::mem::take(&mut self.flow);
        let lowered = Process {
            name: process.name.text.clone(),
            params,
            locals: std::mem::take(&mut self.vars),
            locations,
            edges,
            entry: LocId(0),
            provided: None,
            priority: 1,
            claims: Vec::new(),
            span: process.name.span,
        };
        self.scratch.clear();
        let scope = std::mem::take(&mut self.locals);
        self.finished.push(Finished { process: lowered, parameters, scope });
        self.declare(&process.name, Symbol::Process(self.finished.len() - 1));
    }

    fn activation(&mut self, activation: &ast::Activation) -> Option<Start> {
        let Symbol::Process(number) = self.resolve(&activation.process, "process")? else {
            self.misplaced(&activation.process, "a process");
            return None;
        };
        let parameters = self.finished[number].parameters.clone();
        self.started.push(number);
        if parameters.len() != activation.arguments.len() {
            let (wants, gets) = (parameters.len(), activation.arguments.len());
            let s = if wants == 1 { "" } else { "s" };
            let what = format!("`{}` has {wants} parameter{s}, here it gets {gets}", activation.process.text);
            let declared = self.finished[number].process.span;
            let diagnostic = Diagnostic::error(activation.span, what, "wrong number of arguments");
            self.error(diagnostic.label(declared, "declared here"));
            return None;
        }
        let arguments = activation.arguments.iter().zip(parameters).map(|(a, ty)| self.argument(a, ty));
        let args = arguments.collect::<Vec<_>>().into_iter().collect::<Option<Vec<_>>>()?;
        Some(Start { process: ProcessId(number as u32), args, priority: 1 })
    }

    fn argument(&mut self, argument: &ast::Expr, ty: TypeId) -> Option<Expr> {
        if matches!(self.info(ty).kind, Kind::Alphabet(_)) {
            return self.channel_argument(argument, ty);
        }
        let value = self.constant(argument, self.ty(ty))?;
        let (low, high) = self.range_of(ty);
        if i64::from(value) < low || i64::from(value) > high {
            let what = format!("this value is not in the range {low}..{high}");
            self.error(Diagnostic::error(argument.span, what, format!("this is {value}")));
            return None;
        }
        Some(Expr::Const(value))
    }

    fn channel_argument(&mut self, argument: &ast::Expr, ty: TypeId) -> Option<Expr> {
        if let ast::ExprKind::Access(access) = &argument.kind
            && access.steps.is_empty()
        {
            match self.resolve(&access.root, "channel")? {
                Symbol::Channel(channel) if channel.alphabet == ty => {
                    let Home::Global(var) = channel.home else { return None };
                    return Some(Expr::Load(Place::global(var)));
                }
                Symbol::Channel(channel) => {
                    let name = self.info(channel.alphabet).name.clone();
                    let what = format!("the parameter is a channel of `{}`", self.info(ty).name);
                    self.error(Diagnostic::error(argument.span, what, format!("this is one of `{name}`")));
                    return None;
                }
                _ => {
                    self.misplaced(&access.root, "a channel");
                    return None;
                }
            }
        }
        let what = format!("the parameter is a channel of `{}`", self.info(ty).name);
        self.error(Diagnostic::error(argument.span, what, "expected the name of a channel"));
        None
    }
}
