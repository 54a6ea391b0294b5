//! Processes and their transitions.

use kripke_model::ir::BinaryOp;

use super::{Failed, Parse, Parser, join};
use crate::diagnostic::Diagnostic;
use crate::dve::ast::{Assignment, ExprKind, Name, Process, Sync, Transition};
use crate::dve::token::TokenKind;
use crate::source::Span;

impl Parser<'_> {
    /// `process P { … }`. A process with an error is added as far as it was recognised.
    pub(super) fn process(&mut self, into: &mut Vec<Process>) -> Parse<()> {
        let keyword = self.bump().span;
        let name = self.name("the name of a process")?;
        let open = match self.eat("{") {
            Some(open) => open.span,
            None => return Err(self.unexpected("`{`")),
        };
        let mut process = Process {
            span: join(keyword, name.span),
            name,
            variables: Vec::new(),
            states: Vec::new(),
            init: None,
            accept: Vec::new(),
            commit: Vec::new(),
            asserts: Vec::new(),
            transitions: Vec::new(),
        };
        let read = self.clauses(&mut process, open);
        process.span = join(keyword, self.tokens[self.at.saturating_sub(1)].span);
        into.push(process);
        read
    }

    fn clauses(&mut self, process: &mut Process, open: Span) -> Parse<()> {
        while self.eat("}").is_none() {
            let began = self.at;
            if self.clause(process, open).is_err() {
                self.skip_clause(began)?;
            }
        }
        Ok(())
    }

    fn clause(&mut self, process: &mut Process, open: Span) -> Parse<()> {
        let token = self.peek().clone();
        match &*token.text {
            _ if token.kind != TokenKind::Keyword => {
                if token.kind == TokenKind::Eof {
                    self.close("}", "the process", open)?;
                }
                Err(self.unexpected("a declaration, `state`, `init`, `accept`, `commit`, `assert`, `trans` or `}`"))
            }
            "const" | "byte" | "int" => self.variables(&mut process.variables),
            "state" => {
                self.bump();
                process.states.extend(self.list(|p| p.name("the name of a state"))?);
                self.end_of("the list of states")
            }
            "init" => {
                self.bump();
                let init = self.name("the initial state")?;
                if let Some(first) = &process.init {
                    let wrong = Diagnostic::error(init.span, "a process has one initial state", "another one");
                    let wrong = wrong.label(first.span, "the first one");
                    self.report(wrong);
                }
                process.init = Some(init);
                self.end_of("the initial state")
            }
            "accept" => {
                self.bump();
                process.accept.extend(self.list(|p| p.name("an accepting state"))?);
                self.end_of("the list of accepting states")
            }
            "commit" => {
                self.bump();
                process.commit.extend(self.list(|p| p.name("a committed state"))?);
                self.end_of("the list of committed states")
            }
            "assert" => {
                self.bump();
                process.asserts.extend(self.list(|p| {
                    let state = p.name("the state in which the assertion must hold")?;
                    p.expect(":")?;
                    Ok((state, p.expr()?))
                })?);
                self.end_of("the list of assertions")
            }
            "trans" => {
                self.bump();
                self.transitions(process)
            }
            _ => Err(self.unexpected("a declaration, `state`, `init`, `accept`, `commit`, `assert`, `trans` or `}`")),
        }
    }

    /// `a -> b { … }, -> c { … };`
    fn transitions(&mut self, process: &mut Process) -> Parse<()> {
        if self.eat(";").is_some() {
            return Ok(());
        }
        loop {
            let before = process.transitions.last().map(|t| t.from.clone());
            match self.transition(before) {
                Ok(transition) => process.transitions.push(transition),
                Err(Failed) => self.skip_transition()?,
            }
            if self.eat(",").is_some() {
                continue;
            }
            if self.eat(";").is_some() {
                return Ok(());
            }
            let next = self.peek();
            if next.is("->") || (next.kind == TokenKind::Ident && self.peek_second().is("->")) {
                self.missing(",", "a transition");
                continue;
            }
            return Err(self.missing(";", "the last transition"));
        }
    }

    fn transition(&mut self, before: Option<Name>) -> Parse<Transition> {
        let first = self.peek().span;
        let from = match (self.peek().is("->"), before) {
            (true, Some(before)) => before,
            (true, None) => return Err(self.unexpected("the state that the first transition leaves")),
            (false, _) => self.name("the state a transition leaves")?,
        };
        self.expect("->")?;
        let to = self.name("the state a transition leads to")?;
        let open = self.expect("{")?.span;
        let span = join(first, to.span);
        let mut transition = Transition { from, to, guard: None, sync: None, effects: Vec::new(), span };
        self.parts(&mut transition)?;
        let close = self.close("}", "the transition", open)?;
        transition.span = join(first, close);
        Ok(transition)
    }

    /// `guard …; sync …; effect …;`
    fn parts(&mut self, transition: &mut Transition) -> Parse<()> {
        loop {
            let token = self.peek().clone();
            let again = match &*token.text {
                "guard" if token.is("guard") => transition.guard.is_some(),
                "sync" if token.is("sync") => transition.sync.is_some(),
                "effect" if token.is("effect") => !transition.effects.is_empty(),
                _ => return Ok(()),
            };
            if again {
                let wrong = format!("this transition has a `{}` already", token.text);
                let help = match &*token.text {
                    "guard" => "join the conditions with `and`",
                    "sync" => "a transition uses one channel at most",
                    _ => "write one list: `effect x = 1, y = 2;`",
                };
                return Err(self.report(Diagnostic::error(token.span, wrong, "again here").help(help)));
            }
            self.bump();
            match &*token.text {
                "guard" => transition.guard = Some(self.expr()?),
                "sync" => transition.sync = Some(self.sync()?),
                _ => transition.effects = self.list(Self::assignment)?,
            }
            self.end_of(&format!("`{}`", token.text))?;
        }
    }

    /// `c!`, `c?x`, `c!{1, y}`
    fn sync(&mut self) -> Parse<Sync> {
        let channel = self.name("the name of a channel")?;
        let sends = self.eat("!");
        let direction = match sends.clone().or_else(|| self.eat("?")) {
            Some(token) => token.span,
            None => return Err(self.unexpected("`!` to send or `?` to receive")),
        };
        let mut end = direction;
        let values = if self.peek().is(";") {
            Vec::new()
        } else if let Some(open) = self.eat("{") {
            let values = self.list(Self::expr)?;
            end = self.close("}", "the values", open.span)?;
            values
        } else {
            let value = self.expr()?;
            end = value.span;
            vec![value]
        };
        let span = join(channel.span, end);
        Ok(Sync { channel, sends: sends.is_some(), values, span })
    }

    fn assignment(&mut self) -> Parse<Assignment> {
        let target = self.expr()?;
        if matches!(target.kind, ExprKind::Binary(BinaryOp::Eq, ..)) && !self.peek().is("=") {
            let wrong = "`==` compares; an effect assigns with `=`";
            return Err(self.report(Diagnostic::error(target.span, wrong, "this is no assignment")));
        }
        self.expect("=")?;
        let value = self.expr()?;
        Ok(Assignment { target, value })
    }

    /// After an error: to where the next clause of the process may begin.
    fn skip_clause(&mut self, began: usize) -> Parse<()> {
        if self.at == began {
            self.bump();
        }
        let clauses = ["byte", "int", "const", "state", "init", "accept", "commit", "assert", "trans"];
        let mut inside = 0usize;
        loop {
            let token = self.peek();
            if token.kind == TokenKind::Eof || token.is("process") || token.is("system") {
                return Err(Failed);
            }
            if inside == 0 && (token.is("}") || clauses.iter().any(|c| token.is(c))) {
                return Ok(());
            }
            inside = if token.is("{") { inside + 1 } else { inside.saturating_sub(usize::from(token.is("}"))) };
            self.bump();
        }
    }

    /// After an error: to the end of the transition.
    fn skip_transition(&mut self) -> Parse<()> {
        while self.peek().kind != TokenKind::Eof && !self.peek().is("process") && !self.peek().is("system") {
            if self.eat("}").is_some() {
                return Ok(());
            }
            self.bump();
        }
        Err(Failed)
    }
}
