//! The never-claim reader. It accepts generated and handwritten claims: labels, `if`, `do`, `goto`, `break`, `skip`
//! and conditions.
//!
//! Every condition is one transition. A claim that reaches its end accepts every continuation.

mod build;
mod scan;

use crate::atoms::{Atoms, Span};
use crate::automaton::Buchi;
use crate::bdd::{Bdd, Bdds};
use crate::formula::{Binary, Formula, Node, Unary};
use crate::limits;
use crate::parse;
use crate::problem::Problem;
use scan::Scanner;

/// Reads a never claim.
pub fn read(text: &str) -> Result<Buchi, Problem> {
    if text.len() > limits::MAX_BYTES {
        return Err(Problem::new(Span::default(), format!("this is longer than {} bytes", limits::MAX_BYTES)));
    }
    let mut bdds = Bdds::new();
    let mut reader =
        Reader { scanner: Scanner::new(text), bdds: &mut bdds, atoms: Atoms::default(), depth: 0, count: 0 };
    let sequence = reader.claim()?;
    let atoms = reader.atoms;
    build::build(&sequence, atoms, &mut bdds)
}

/// A statement with its labels.
pub(super) struct Statement {
    labels: Vec<(String, Span)>,
    action: Action,
    span: Span,
}

pub(super) enum Action {
    Condition(Bdd),
    Else,
    /// A condition and an assertion in the same transition.
    Checked(Bdd, Bdd),
    Goto(String),
    Break,
    If(Vec<Vec<Statement>>),
    Do(Vec<Vec<Statement>>),
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    bdds: &'a mut Bdds,
    atoms: Atoms,
    depth: usize,
    count: usize,
}

impl Reader<'_> {
    fn claim(&mut self) -> Result<Vec<Statement>, Problem> {
        if !self.scanner.take_word("never") {
            return Err(self.scanner.expected("`never`"));
        }
        self.scanner.any_word();
        if !self.scanner.take("{") {
            return Err(self.scanner.expected("`{`"));
        }
        let sequence = self.sequence()?;
        if !self.scanner.take("}") {
            return Err(self.scanner.expected("a statement or `}`"));
        }
        self.scanner.take(";");
        if !self.scanner.at_end() {
            return Err(self.scanner.expected("nothing more after the claim"));
        }
        Ok(sequence)
    }

    /// Parses statements up to a closing token.
    fn sequence(&mut self) -> Result<Vec<Statement>, Problem> {
        if self.depth >= limits::MAX_NESTING {
            return Err(Problem::new(self.scanner.here(), "this is nested too deeply"));
        }
        self.depth += 1;
        let mut out = Vec::new();
        loop {
            while self.scanner.take(";") || self.scanner.take("->") {}
            if self.scanner.closes() {
                break;
            }
            self.count += 1;
            if self.count > limits::MAX_STATES {
                let what = format!("more than {} statements are not supported", limits::MAX_STATES);
                return Err(Problem::new(self.scanner.here(), what));
            }
            out.push(self.statement()?);
        }
        self.depth -= 1;
        Ok(out)
    }

    fn statement(&mut self) -> Result<Statement, Problem> {
        let mut labels = Vec::new();
        while let Some(label) = self.scanner.label() {
            labels.push(label);
        }
        let span = self.scanner.here();
        let action = self.action(span)?;
        Ok(Statement { labels, action, span })
    }

    fn action(&mut self, start: Span) -> Result<Action, Problem> {
        let scanner = &mut self.scanner;
        if scanner.take_word("skip") {
            return Ok(Action::Condition(Bdd::TRUE));
        }
        if scanner.take_word("break") {
            return Ok(Action::Break);
        }
        if scanner.take_word("else") {
            return Ok(Action::Else);
        }
        if scanner.take_word("goto") {
            return match scanner.any_word() {
                Some((label, _)) => Ok(Action::Goto(label)),
                None => Err(scanner.expected("a label")),
            };
        }
        if scanner.take_word("if") {
            return Ok(Action::If(self.options(start, "fi")?));
        }
        if scanner.take_word("do") {
            return Ok(Action::Do(self.options(start, "od")?));
        }
        if scanner.take_word("atomic") || scanner.take_word("d_step") {
            return self.atomic();
        }
        if scanner.at_word("assert") {
            let help = "SPIN writes `atomic { p -> assert(!(p)) }`, which is";
            return Err(Problem::new(start, "an assertion of its own is not supported in a claim").help(help));
        }
        Ok(Action::Condition(self.condition()?))
    }

    fn options(&mut self, start: Span, end: &str) -> Result<Vec<Vec<Statement>>, Problem> {
        let mut options = Vec::new();
        while self.scanner.take("::") {
            options.push(self.sequence()?);
        }
        if !self.scanner.take_word(end) {
            return Err(self.scanner.expected(&format!("`::` or `{end}`")));
        }
        if options.is_empty() || options.iter().any(Vec::is_empty) {
            return Err(Problem::new(start, "there is an option without statements here"));
        }
        Ok(options)
    }

    /// Parses `{ condition -> assert(claim) }`, or a condition.
    fn atomic(&mut self) -> Result<Action, Problem> {
        if !self.scanner.take("{") {
            return Err(self.scanner.expected("`{`"));
        }
        let condition = self.condition()?;
        while self.scanner.take(";") || self.scanner.take("->") {}
        let mut action = Action::Condition(condition);
        if self.scanner.take_word("assert") {
            let claim = self.condition()?;
            action = Action::Checked(condition, claim);
            while self.scanner.take(";") {}
        }
        if self.scanner.take("}") { Ok(action) } else { Err(self.scanner.expected("`}`")) }
    }

    fn condition(&mut self) -> Result<Bdd, Problem> {
        let span = self.scanner.expression()?;
        let formula = parse::ltl_within(self.scanner.text(), span, &mut self.atoms)?;
        if !formula.is_propositional() {
            return Err(Problem::new(span, "a claim's conditions have no temporal operators"));
        }
        if self.atoms.len() > limits::MAX_ATOMS {
            let what = format!("more than {} different propositions are not supported", limits::MAX_ATOMS);
            return Err(Problem::new(span, what));
        }
        let diagram = self.diagram(&formula);
        self.bdds.check().map_err(|e| Problem::new(span, e.message))?;
        Ok(diagram)
    }

    fn diagram(&mut self, formula: &Formula) -> Bdd {
        let d = &mut *self.bdds;
        let mut parts: Vec<Bdd> = Vec::with_capacity(formula.nodes().len());
        for node in formula.nodes() {
            let part = match *node {
                Node::True => Bdd::TRUE,
                Node::False => Bdd::FALSE,
                Node::Atom(a) => d.literal(a.index(), true),
                Node::Unary(Unary::Not, a) => d.not(parts[a.index()]),
                // A propositional formula has no other unary operator.
                Node::Unary(_, a) => parts[a.index()],
                Node::Binary(op, a, b) => {
                    let (a, b) = (parts[a.index()], parts[b.index()]);
                    match op {
                        Binary::And => d.and(a, b),
                        Binary::Implies => {
                            let not_a = d.not(a);
                            d.or(not_a, b)
                        }
                        Binary::Equivalent => {
                            let (only_a, only_b) = (d.without(a, b), d.without(b, a));
                            let differ = d.or(only_a, only_b);
                            d.not(differ)
                        }
                        _ => d.or(a, b),
                    }
                }
            };
            parts.push(part);
        }
        parts[formula.root().index()]
    }
}
