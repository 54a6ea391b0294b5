//! Commands become steps: one for each assignment, list command, TRACE, SKIP and communication, one for each guard
//! that is chosen, and one for leaving a DO. What joins them is no step.

use kripke_model::ir::{Effect, Expr, Guard, LocId, Piece, Place, Print, Type, VarRef};

use super::Lowering;
use super::access::{Located, Owner, reads};
use super::flow::{NO_HEAD, Step, require};
use super::types::Ty;
use super::values::{Value, and, conjunction};
use crate::diagnostic::{Diagnostic, warn};
use crate::esml::ast::{self, Branch, Command, CommandKind, PollBranch, TraceArgument};
use crate::source::Span;

impl Lowering<'_> {
    /// Commands in sequence, from one location to another.
    pub(super) fn commands(&mut self, commands: &[Command], from: LocId, to: LocId) {
        let mut here = from;
        for (i, command) in commands.iter().enumerate() {
            let next = if i + 1 == commands.len() { to } else { self.flow.location() };
            self.command(command, here, next);
            here = next;
        }
    }

    fn command(&mut self, command: &Command, from: LocId, to: LocId) {
        let span = command.span;
        let step = match &command.kind {
            CommandKind::If(branches) => return self.if_command(branches, span, from, to),
            CommandKind::Do(branches) => return self.do_command(branches, span, from, to),
            CommandKind::Poll(branches) => return self.poll(branches, from, to),
            CommandKind::Communicate(communication) => {
                for step in self.communicate(communication, None, span) {
                    self.flow.step(from, to, step);
                }
                return;
            }
            CommandKind::Skip => Some(Vec::new()),
            CommandKind::Assign(target, value) => self.assign(target, value, span),
            CommandKind::Trace(arguments) => self.trace(arguments),
            CommandKind::Empty(list) => self.empty(list, span),
            CommandKind::Remove(list) => self.remove(list, span),
            CommandKind::Append(list, value) => self.append(list, value, span),
            CommandKind::Prepend(list, value) => self.prepend(list, value, span),
        };
        if let Some(effects) = step {
            let step = Step { effects, ..self.step(span) };
            self.flow.step(from, to, step);
        }
    }

    /// The steps of all guards, and of what follows each. `to` is where the commands end. Is one guard always true?
    fn guards(&mut self, branches: &[Branch], from: LocId, to: LocId) -> bool {
        let mut always = false;
        for branch in branches {
            let span = branch.guard.span;
            let inside = self.flow.location();
            if let Some(value) = self.value_of(&branch.guard, Ty::Boolean) {
                if let Some(fault) = self.headless(span, value.defined.as_ref()) {
                    self.flow.step(from, to, fault);
                }
                let step = Step { guard: guarded(value), ..self.step(span) };
                always |= matches!(step.guard, Guard::Always);
                self.flow.step(from, inside, step);
            }
            self.commands(&branch.commands, inside, to);
        }
        always
    }

    fn if_command(&mut self, branches: &[Branch], span: Span, from: LocId, to: LocId) {
        if self.guards(branches, from, to) {
            return;
        }
        let opener = Span { end: span.start + 2, ..span };
        let fault = self.fault(opener, Guard::Else, "no guard of this IF is true");
        self.flow.step(from, to, fault);
    }

    fn do_command(&mut self, branches: &[Branch], span: Span, from: LocId, to: LocId) {
        if self.guards(branches, from, from) {
            return;
        }
        let opener = Span { end: span.start + 2, ..span };
        let leave = Step { guard: Guard::Else, label: "DO ends".into(), ..self.step(opener) };
        self.flow.step(from, to, leave);
    }

    fn poll(&mut self, branches: &[PollBranch], from: LocId, to: LocId) {
        for branch in branches {
            let inside = self.flow.location();
            for step in self.communicate(&branch.communication, branch.condition.as_ref(), branch.span) {
                self.flow.step(from, inside, step);
            }
            self.commands(&branch.commands, inside, to);
        }
    }

    /// The part of a variable that a command changes.
    pub(super) fn target(&mut self, access: &ast::Access) -> Option<Located> {
        let located = self.locate(access)?;
        if located.parameter {
            let what = format!("`{}` is a parameter and cannot be changed", access.root.text);
            self.error(Diagnostic::error(access.span, what, "read-only"));
            return None;
        }
        Some(located)
    }

    fn assign(&mut self, target: &ast::Access, value: &ast::Expr, span: Span) -> Option<Vec<Effect>> {
        let place = self.target(target);
        let place = place?;
        let value = self.value_of(value, self.ty(place.ty))?;
        self.warn_of_range(&place, &value);
        self.spend(value.words.len(), span)?;
        let defined = conjunction(place.defined.clone(), value.defined.clone());
        let stores = place.places().into_iter().zip(value.words).collect();
        Some(self.stores(defined, stores))
    }

    /// Warns of a value that never fits.
    pub(super) fn warn_of_range(&mut self, place: &Located, value: &Value) {
        let (low, high) = self.range_of(place.ty);
        if value.ty == Ty::Integer && (value.range.0 > high || value.range.1 < low) {
            let what = format!("this value is never in the range {low}..{high}");
            warn(self.diagnostics, Diagnostic::warning(value.span, what, "always a fault"));
        }
    }

    /// The effects of storing these words one after the other as if at once: an index that reads what an earlier one
    /// changes is computed before. (Values are words of other variables, or make no use of what is changed.)
    pub(super) fn stores(&mut self, defined: Option<Expr>, stores: Vec<(Place, Expr)>) -> Vec<Effect> {
        let mut written: Vec<VarRef> = Vec::new();
        let mut kept = Kept::default();
        let mut assigns = Vec::new();
        for (mut place, mut value) in stores {
            place.index.iter_mut().for_each(|e| self.keep(e, &written, &mut kept));
            if let Expr::Load(from) = &mut value {
                from.index.iter_mut().for_each(|e| self.keep(e, &written, &mut kept));
            }
            if !written.contains(&place.var) {
                written.push(place.var);
            }
            assigns.push(Effect::Assign(place, value));
        }
        let required = defined.map(|d| require(d, NO_HEAD)).into_iter();
        required.chain(kept.before).chain(assigns).chain(kept.after).collect()
    }

    /// Computes `index` before anything is changed, if it reads one of these variables.
    fn keep(&mut self, index: &mut Expr, written: &[VarRef], kept: &mut Kept) {
        if !reads(index, written) {
            return;
        }
        let text = format!("{index:?}");
        let place = match kept.known.iter().find(|(t, _)| *t == text) {
            Some((_, place)) => place.clone(),
            None => {
                let nth = kept.known.len();
                let place = self.scratch(nth);
                kept.before.push(Effect::Assign(place.clone(), index.clone()));
                kept.after.push(Effect::Assign(place.clone(), Expr::Const(0)));
                kept.known.push((text, place.clone()));
                place
            }
        };
        *index = Expr::Load(place);
    }

    /// A variable that is 0 in every state: only in the middle of a step it is not.
    fn scratch(&mut self, nth: usize) -> Place {
        while self.scratch.len() <= nth {
            let name = format!("index{}", self.scratch.len());
            let var = self.variable(name, Type::number(32, true), (i32::MIN, i32::MAX), &[]);
            self.scratch.push(var);
        }
        Place::local(self.scratch[nth])
    }

    fn trace(&mut self, arguments: &[TraceArgument]) -> Option<Vec<Effect>> {
        let mut pieces = Vec::new();
        let mut defined = None;
        for argument in arguments {
            match argument {
                TraceArgument::Text(text) => pieces.push(Piece::Text(text.clone())),
                TraceArgument::Value(expr) => {
                    let value = self.value(expr)?;
                    self.spend(value.words.len(), expr.span)?;
                    defined = conjunction(defined, value.defined);
                    for (i, word) in value.words.into_iter().enumerate() {
                        pieces.extend((i > 0).then(|| Piece::Text(" ".into())));
                        pieces.push(Piece::Value('d', word));
                    }
                }
            }
        }
        pieces.push(Piece::Text("\n".into()));
        let require = defined.map(|d| require(d, NO_HEAD));
        Some(require.into_iter().chain(Print { pieces }.effects()).collect())
    }

    /// A value to store in an element of a list.
    pub(super) fn element_value(&mut self, list: &Located, value: &ast::Expr) -> Option<Value> {
        let super::types::Kind::List { of, .. } = self.info(list.ty).kind else { return None };
        let value = self.value_of(value, self.ty(of))?;
        Some(value)
    }

    /// The variable a list command works on.
    pub(super) fn list_target(&mut self, access: &ast::Access) -> Option<Located> {
        let located = self.target(access)?;
        debug_assert!(located.owner == Owner::Own);
        if located.length().is_none() {
            let what = format!("`{}` is not a list", self.label(access.span));
            self.error(Diagnostic::error(access.span, what, "expected a list"));
            return None;
        }
        Some(located)
    }
}

/// Indices computed before a step changes anything.
#[derive(Default)]
struct Kept {
    before: Vec<Effect>,
    after: Vec<Effect>,
    known: Vec<(String, Place)>,
}

/// Executable if the value is true, and certainly defined.
pub(super) fn guarded(value: Value) -> Guard {
    let defined = value.defined.clone();
    match (defined, value.word()) {
        (None, Expr::Const(n)) if n != 0 => Guard::Always,
        (None, condition) => Guard::When(condition),
        (Some(defined), condition) => Guard::When(and(defined, condition)),
    }
}
