//! Interference: another process changes what a process has tested or read before the process goes on. In a run with an error it
//! is often the cause: statements that belong together are not atomic.

use kripke_model::Interpreter;
use kripke_model::interpret::Move;
use kripke_model::ir::{Edge, Effect, Expr, Guard, Model, Place, VarId, VarRef};
use kripke_model::trail::Replayed;
use kripke_report::names::Names;

/// Runs with more steps than this are not examined.
const LONG: usize = 10_000;

/// The advice at the end of each remark.
const ADVICE: &str = "if nothing may come between, both belong into one atomic sequence";

/// The last interference in a run, in words.
pub fn interference(replayed: &Replayed, names: &Names, interpreter: &mut Interpreter) -> Option<String> {
    let moves = replayed.moves();
    if moves.len() > LONG {
        return None;
    }
    let model = interpreter.model().clone();
    let mut run = Run { replayed, names, interpreter, model: &model };
    (0..moves.len()).rev().find_map(|at| run.lost_update(at).or_else(|| run.stale_test(at)))
}

struct Run<'a> {
    replayed: &'a Replayed,
    names: &'a Names,
    interpreter: &'a mut Interpreter,
    model: &'a Model,
}

impl<'a> Run<'a> {
    fn step(&self, at: usize) -> &Move {
        &self.replayed.moves()[at]
    }

    fn edge(&self, at: usize) -> Option<&'a Edge> {
        let step = self.step(at);
        self.model.processes.get(step.process.index())?.edges.get(step.edge.index())
    }

    fn value(&mut self, expr: &Expr, pid: u8, steps: usize) -> Option<i32> {
        let state = self.replayed.path().state(steps);
        self.interpreter.value(expr, Some(pid), &state)
    }

    fn name(&self, at: usize) -> String {
        let step = self.step(at);
        self.names.process(self.model, step.process, step.pid)
    }

    /// A condition that a process has tested is false when the process goes on.
    fn stale_test(&mut self, at: usize) -> Option<String> {
        let pid = self.step(at).pid;
        let tested = (0..at).rev().find(|before| self.step(*before).pid == pid).filter(|before| before + 1 < at)?;
        let Edge { guard: Guard::When(condition), label, sync: None, .. } = self.edge(tested)? else { return None };
        let held = |run: &mut Self, steps: usize| run.value(condition, pid, steps);
        if !reads_globals(condition) || held(self, tested + 1) == Some(0) || held(self, at) != Some(0) {
            return None;
        }
        let changed = (tested + 1..at).find(|step| held(self, step + 1) == Some(0))?;
        let (own, other) = (self.name(tested), self.name(changed));
        let (tested, changed, at) = (tested + 1, changed + 1, at + 1);
        Some(format!(
            "{own} tests `{label}` in step {tested}, and {other} makes it false in step {changed}, before {own} goes on in step {at}: {ADVICE}"
        ))
    }

    /// A process reads a variable and writes it later, and another one has written it in between.
    fn lost_update(&mut self, at: usize) -> Option<String> {
        let pid = self.step(at).pid;
        let (written, locals) = self.edge(at)?.effects.iter().find_map(global_from_locals)?;
        let reads = |edge: &Edge| edge.effects.iter().any(|effect| is_copy(effect, written, &locals));
        // Most variables are written by processes that never copy them: the steps need not be looked through.
        if !self.model.processes.get(self.step(at).process.index())?.edges.iter().any(reads) {
            return None;
        }
        let read =
            (0..at).rev().find(|before| self.step(*before).pid == pid && self.edge(*before).is_some_and(reads))?;
        let place = Expr::Load(Place { var: VarRef::Global(written), index: Vec::new() });
        let then = self.value(&place, pid, read + 1);
        let changed = (read + 1..at).find(|step| self.value(&place, pid, step + 1) != then)?;
        if self.step(changed).pid == pid || self.value(&place, pid, at) == then {
            return None;
        }
        let variable = self.model.globals[written.index()].name.clone();
        let (own, other) = (self.name(read), self.name(changed));
        let (read, changed, at) = (read + 1, changed + 1, at + 1);
        Some(format!(
            "{own} reads `{variable}` in step {read} and writes it in step {at}, and {other} changes it in step {changed}, in between: {ADVICE}"
        ))
    }
}

fn reads_globals(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |part| found |= matches!(part, Expr::Load(Place { var: VarRef::Global(_), .. })));
    found
}

/// A global scalar that is written, and the locals that its new value depends on.
fn global_from_locals(effect: &Effect) -> Option<(VarId, Vec<VarId>)> {
    let Effect::Assign(Place { var: VarRef::Global(written), index }, value) = effect else { return None };
    let mut locals = Vec::new();
    value.walk(&mut |part| {
        if let Expr::Load(Place { var: VarRef::Local(local), .. }) = part {
            locals.push(*local);
        }
    });
    (index.is_empty() && !locals.is_empty()).then_some((*written, locals))
}

/// Whether an effect stores a value that depends on a global in one of these locals.
fn is_copy(effect: &Effect, global: VarId, locals: &[VarId]) -> bool {
    let Effect::Assign(Place { var: VarRef::Local(local), .. }, value) = effect else { return false };
    let mut reads = false;
    value.walk(&mut |part| {
        reads |= matches!(part, Expr::Load(Place { var: VarRef::Global(read), index }) if *read == global && index.is_empty());
    });
    reads && locals.contains(local)
}
