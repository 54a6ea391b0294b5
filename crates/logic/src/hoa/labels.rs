//! Boolean expressions of HOA: edge labels and the acceptance condition.

use super::lex::Kind;
use super::read::Reader;
use crate::automaton::Marks;
use crate::bdd::Bdd;
use crate::limits;
use crate::problem::Problem;

impl Reader<'_> {
    /// Parses a label: `0&!1 | @a`.
    pub(super) fn label(&mut self, depth: usize) -> Result<Bdd, Problem> {
        let mut any = self.conjunction(depth)?;
        while self.take('|') {
            let further = self.conjunction(depth)?;
            any = self.bdds.or(any, further);
        }
        self.bdds.check().map_err(|e| self.problem(e.message))?;
        Ok(any)
    }

    fn conjunction(&mut self, depth: usize) -> Result<Bdd, Problem> {
        let mut all = self.factor(depth)?;
        while self.take('&') {
            let further = self.factor(depth)?;
            all = self.bdds.and(all, further);
        }
        Ok(all)
    }

    fn factor(&mut self, depth: usize) -> Result<Bdd, Problem> {
        if depth > limits::MAX_NESTING {
            return Err(self.problem("this is nested too deeply"));
        }
        let Some(token) = self.peek().cloned() else { return Err(self.expected("a label")) };
        self.at += 1;
        match token.kind {
            Kind::Sign('!') => {
                let inner = self.factor(depth + 1)?;
                Ok(self.bdds.not(inner))
            }
            Kind::Sign('(') => {
                let inner = self.label(depth + 1)?;
                self.sign(')')?;
                Ok(inner)
            }
            Kind::Word(word) if word == "t" => Ok(Bdd::TRUE),
            Kind::Word(word) if word == "f" => Ok(Bdd::FALSE),
            Kind::Number(n) => match self.propositions.get(n) {
                Some(atom) => Ok(self.bdds.literal(atom.index(), true)),
                None => {
                    let what = format!("there is no proposition {n}: `AP:` lists {}", self.propositions.len());
                    Err(Problem::new(token.span, what))
                }
            },
            Kind::Alias(name) => match self.aliases.get(&name) {
                Some(label) => Ok(*label),
                None => Err(Problem::new(token.span, format!("the alias `@{name}` is not defined"))),
            },
            _ => {
                self.at -= 1;
                Err(self.expected("a label"))
            }
        }
    }

    /// Parses an acceptance condition, a conjunction of `Inf`s. Returns the sets it names.
    pub(super) fn acceptance(&mut self, sets: usize, depth: usize) -> Result<Marks, Problem> {
        let mut all = self.acceptance_part(sets, depth)?;
        while self.take('&') {
            all |= self.acceptance_part(sets, depth)?;
        }
        if self.peek().is_some_and(|t| t.kind == Kind::Sign('|')) {
            return Err(self.unsupported());
        }
        Ok(all)
    }

    fn acceptance_part(&mut self, sets: usize, depth: usize) -> Result<Marks, Problem> {
        if depth > limits::MAX_NESTING {
            return Err(self.problem("this is nested too deeply"));
        }
        if self.take('(') {
            let inner = self.acceptance(sets, depth + 1)?;
            self.sign(')')?;
            return Ok(inner);
        }
        match self.peek().map(|t| t.kind.clone()) {
            Some(Kind::Word(word)) if word == "t" => {
                self.at += 1;
                Ok(0)
            }
            Some(Kind::Word(word)) if word == "Inf" => {
                self.at += 1;
                self.sign('(')?;
                if self.peek().is_some_and(|t| t.kind == Kind::Sign('!')) {
                    return Err(self.unsupported());
                }
                let set = self.set(sets)?;
                self.sign(')')?;
                Ok(1 << set)
            }
            _ => Err(self.unsupported()),
        }
    }

    fn unsupported(&self) -> Problem {
        self.problem("only Büchi and generalised Büchi acceptance is supported")
            .here("expected `Inf(0)`, `Inf(0)&Inf(1)`, … or `t`")
    }
}
