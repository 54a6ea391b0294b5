//! Sending and receiving.

use kripke_model::ir::{Expr, Guard, Pattern, Place, Sync, VarRef};

use super::Lowering;
use super::access::reads;
use super::commands::guarded;
use super::flow::{NO_HEAD, Step, require};
use super::scope::{Channel, Home, Symbol};
use super::types::{Alphabet, Kind, Ty, TypeId};
use super::values::{Value, and, conjunction, may_fail, not};
use crate::diagnostic::Diagnostic;
use crate::esml::ast::{self, Communication, Mode, Name, Transfer};
use crate::source::Span;
use crate::spelling::nearest;

impl Lowering<'_> {
    /// The steps of a communication: the communication itself, and its faults.
    pub(super) fn communicate(
        &mut self,
        communication: &Communication,
        condition: Option<&ast::Expr>,
        span: Span,
    ) -> Vec<Step> {
        self.condition_at = condition.map(|c| c.span.start);
        let condition = match condition {
            Some(expr) => self.value_of(expr, Ty::Boolean).map(Some),
            None => Some(None),
        };
        let steps = self.channel(communication).and_then(|(number, alphabet)| {
            let (tag, data) = self.signal(&communication.signal, alphabet)?;
            let message = Message { number, tag, data, fields: self.alphabet_of(alphabet)?.fields.len() };
            match &communication.transfer {
                Transfer::Send(value) => self.send(&message, value.as_ref(), condition?, communication, span),
                Transfer::Receive(to) => self.receive(&message, to.as_ref(), condition?, communication, span),
            }
        });
        steps.unwrap_or_default()
    }

    fn alphabet_of(&self, id: TypeId) -> Option<&Alphabet> {
        match &self.info(id).kind {
            Kind::Alphabet(alphabet) => Some(alphabet),
            _ => None,
        }
    }

    /// The number of the channel, and its alphabet.
    fn channel(&mut self, communication: &Communication) -> Option<(Expr, TypeId)> {
        let name = &communication.channel;
        let Symbol::Channel(Channel { alphabet, mode, home }) = self.resolve(name, "channel")? else {
            self.misplaced(name, "a channel");
            return None;
        };
        let refused = match (&communication.transfer, mode) {
            (Transfer::Send(_), Mode::Receive) => Some(("`IN`", "received from")),
            (Transfer::Receive(_), Mode::Send) => Some(("`OUT`", "sent to")),
            _ => None,
        };
        if let Some((word, only)) = refused {
            let declared = self.lookup(&name.text).map(|(_, span)| *span);
            let what = format!("`{}` is an {word} channel: it can only be {only}", name.text);
            let mut diagnostic = Diagnostic::error(communication.span, what, "not allowed");
            if let Some(declared) = declared {
                diagnostic = diagnostic.label(declared, "declared here");
            }
            self.error(diagnostic);
            return None;
        }
        let place = match home {
            Home::Global(var) => Place::global(var),
            Home::Parameter(var) => Place::local(var),
            Home::Nowhere => {
                let what = format!("no other process can use the channel `{}`", name.text);
                self.error(Diagnostic::error(name.span, what, "this would wait for ever"));
                return None;
            }
        };
        Some((Expr::Load(place), alphabet))
    }

    /// The number of a signal, and the type of its data.
    fn signal(&mut self, name: &Name, alphabet: TypeId) -> Option<(i32, Option<TypeId>)> {
        let signals = self.alphabet_of(alphabet)?.signals.clone();
        if let Some(i) = signals.iter().position(|(n, _)| *n == name.text) {
            return Some((i as i32, signals[i].1));
        }
        let names: Vec<&str> = signals.iter().map(|(n, _)| n.as_str()).collect();
        let help = match nearest(&name.text, &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its messages are {}", names.join(", ")),
        };
        let what = format!("`{}` has no message `{}`", self.info(alphabet).name, name.text);
        self.error(Diagnostic::error(name.span, what, "no such message").help(help));
        None
    }

    /// The type of the data, if there should be some and there is.
    fn data(&mut self, message: &Message, given: bool, communication: &Communication) -> Option<Option<TypeId>> {
        let name = &communication.signal;
        match (message.data, given) {
            (Some(ty), false) => {
                let what = format!("`{}` carries data", name.text);
                let here = format!("expected `({})`", self.info(ty).name);
                self.error(Diagnostic::error(name.span, what, here));
                None
            }
            (None, true) => {
                let what = format!("`{}` carries no data", name.text);
                self.error(Diagnostic::error(communication.span, what, "there is nothing to give it"));
                None
            }
            (ty, _) => Some(ty),
        }
    }

    fn send(
        &mut self,
        message: &Message,
        value: Option<&ast::Expr>,
        condition: Option<Value>,
        communication: &Communication,
        span: Span,
    ) -> Option<Vec<Step>> {
        let ty = self.data(message, value.is_some(), communication)?;
        let value = match (value, ty) {
            (Some(value), Some(ty)) => Some(self.value_of(value, self.ty(ty))?),
            _ => None,
        };
        let (words, known) = value.map_or((Vec::new(), None), |v| (v.words, v.defined));
        self.spend(message.fields, span)?;
        let padding = message.fields - 1 - words.len();
        let args = [Expr::Const(message.tag)].into_iter().chain(words);
        let args = args.chain(std::iter::repeat_n(Expr::Const(0), padding)).collect();
        let mut steps: Vec<Step> = Vec::new();
        // The message is only made if the condition holds.
        let condition = condition.map(|c| Value { span, ..c });
        steps.extend(condition.as_ref().and_then(|c| self.headless(span, c.defined.as_ref())));
        let guard = condition.map_or(Guard::Always, guarded);
        if let Some(known) = known {
            let headless = not(known.clone());
            let fault = match &guard {
                Guard::When(condition) => and(condition.clone(), headless),
                _ => headless,
            };
            steps.push(self.fault(span, Guard::When(fault), NO_HEAD));
            let sendable = match guard {
                Guard::When(condition) => and(condition, known),
                _ => known,
            };
            steps.push(Step { guard: Guard::When(sendable), sync: Some(message.send(args)), ..self.step(span) });
        } else {
            steps.push(Step { guard, sync: Some(message.send(args)), ..self.step(span) });
        }
        Some(steps)
    }

    fn receive(
        &mut self,
        message: &Message,
        to: Option<&ast::Access>,
        condition: Option<Value>,
        communication: &Communication,
        span: Span,
    ) -> Option<Vec<Step>> {
        let ty = self.data(message, to.is_some(), communication)?;
        let (patterns, defined) = match (to, ty) {
            (Some(to), Some(ty)) => self.patterns(to, ty)?,
            _ => (Vec::new(), None),
        };
        self.spend(message.fields, span)?;
        let padding = message.fields - 1 - patterns.len();
        let args = [Pattern::Match(Expr::Const(message.tag))].into_iter().chain(patterns);
        let args: Vec<Pattern> = args.chain(std::iter::repeat_n(Pattern::Any, padding)).collect();
        let mut steps: Vec<Step> = self.headless(span, defined.as_ref()).into_iter().collect();
        let guard = defined.map_or(Guard::Always, Guard::When);
        let (known, holds) = match condition {
            Some(value) => (value.defined.clone(), Some(value.word())),
            None => (None, None),
        };
        if let Some(known) = &known {
            let sync = Some(message.receive(args.clone(), Some(not(known.clone()))));
            let effects = vec![require(Expr::Const(0), NO_HEAD)];
            steps.push(Step { guard: guard.clone(), sync, effects, ..self.step(span) });
        }
        // A condition that goes wrong does not keep the message away: the step then finds what is wrong with it.
        let risky = holds.iter().filter(|h| may_fail(h)).cloned();
        let effects = risky.map(|h| require(h, "the condition does not hold")).collect();
        let sync = Some(message.receive(args, conjunction(known, holds)));
        steps.push(Step { guard, sync, effects, ..self.step(span) });
        Some(steps)
    }

    /// The destinations of the words of a message. A value received "into" a parameter, which is read-only, must equal it.
    fn patterns(&mut self, to: &ast::Access, data: TypeId) -> Option<(Vec<Pattern>, Option<Expr>)> {
        let located = self.locate(to)?;
        if self.ty(located.ty) != self.ty(data) {
            let what = format!("the message carries `{}`", self.info(data).name);
            let here = format!("this is {}", self.called(self.ty(located.ty)));
            self.error(Diagnostic::error(to.span, what, here));
            return None;
        }
        let places = located.places();
        if located.parameter {
            let equal = places.into_iter().map(|p| Pattern::Match(Expr::Load(p))).collect();
            return Some((equal, located.defined));
        }
        let written: Vec<VarRef> = places.iter().map(|p| p.var).collect();
        if places.len() > 1 && located.index.iter().any(|e| reads(e, &written)) {
            let what = "this index reads what is being received";
            let help = "receive into a variable of its own and assign it afterwards";
            self.error(Diagnostic::error(to.span, what, "its value would change on the way").help(help));
            return None;
        }
        Some((places.into_iter().map(Pattern::Store).collect(), located.defined))
    }
}

/// A message that is sent or received.
struct Message {
    number: Expr,
    tag: i32,
    data: Option<TypeId>,
    /// The number of words of a message of the channel.
    fields: usize,
}

impl Message {
    fn send(&self, args: Vec<Expr>) -> Sync {
        Sync::Send { channel: self.number.clone(), args, sorted: false }
    }

    fn receive(&self, args: Vec<Pattern>, condition: Option<Expr>) -> Sync {
        Sync::Receive { channel: self.number.clone(), args, anywhere: false, keep: false, condition }
    }
}
