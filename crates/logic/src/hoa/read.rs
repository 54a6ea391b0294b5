//! The HOA reader.

use std::collections::HashMap;

use super::lex::{Kind, Token, tokens};
use crate::atoms::{AtomId, Atoms, Span};
use crate::automaton::{Generalised, MarkedEdge, Marks, StateId};
use crate::bdd::{Bdd, Bdds};
use crate::limits;
use crate::problem::Problem;

/// Reads the first automaton of a text. It must have labels and a Büchi or generalised Büchi condition.
pub fn read(text: &str) -> Result<Generalised, Problem> {
    let mut bdds = Bdds::new();
    let mut reader = Reader {
        tokens: tokens(text)?,
        at: 0,
        end: text.trim_end().len(),
        bdds: &mut bdds,
        atoms: Atoms::default(),
        propositions: Vec::new(),
        aliases: HashMap::new(),
        sets: None,
        wanted: 0,
        states: None,
        start: Vec::new(),
        edges: Vec::new(),
        defined: Vec::new(),
    };
    reader.header()?;
    reader.body()?;
    reader.automaton()
}

pub(super) struct Reader<'a> {
    tokens: Vec<Token>,
    pub(super) at: usize,
    end: usize,
    pub(super) bdds: &'a mut Bdds,
    atoms: Atoms,
    /// The atom of each HOA proposition.
    pub(super) propositions: Vec<AtomId>,
    pub(super) aliases: HashMap<String, Bdd>,
    /// The number of acceptance sets, and the sets that the condition names.
    sets: Option<usize>,
    wanted: Marks,
    states: Option<usize>,
    start: Vec<(usize, Span)>,
    /// The edges of each state: label, marks, target, place in the text.
    edges: Vec<Vec<(Bdd, Marks, usize, Span)>>,
    defined: Vec<bool>,
}

impl Reader<'_> {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn here(&self) -> Span {
        self.peek().map_or(Span::new(self.end, self.end), |t| t.span)
    }

    pub(super) fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::new(self.here(), message)
    }

    pub(super) fn expected(&self, what: &str) -> Problem {
        match self.peek() {
            Some(token) => self.problem(format!("expected {what}, found {}", token.name())),
            None => self.problem(format!("expected {what}, but the text ends")),
        }
    }

    pub(super) fn take(&mut self, sign: char) -> bool {
        let found = self.peek().is_some_and(|t| t.kind == Kind::Sign(sign));
        self.at += usize::from(found);
        found
    }

    pub(super) fn sign(&mut self, sign: char) -> Result<(), Problem> {
        if self.take(sign) { Ok(()) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    fn number(&mut self, what: &str) -> Result<usize, Problem> {
        let Some(&Token { kind: Kind::Number(n), .. }) = self.peek() else { return Err(self.expected(what)) };
        self.at += 1;
        Ok(n)
    }

    pub(super) fn set(&mut self, sets: usize) -> Result<usize, Problem> {
        let problem = self.problem(format!("there are only {sets} acceptance sets"));
        let set = self.number("the number of an acceptance set")?;
        if set < sets { Ok(set) } else { Err(problem) }
    }

    fn header(&mut self) -> Result<(), Problem> {
        match self.peek().map(|t| t.kind.clone()) {
            Some(Kind::Header(name)) if name == "HOA" => self.at += 1,
            _ => return Err(self.expected("`HOA: v1`")),
        }
        match self.peek().map(|t| t.kind.clone()) {
            Some(Kind::Word(version)) if version == "v1" || version.starts_with("v1-") => self.at += 1,
            _ => return Err(self.expected("`v1`").help("this is the only version of the format that is supported")),
        }
        loop {
            let Some(token) = self.peek().cloned() else { return Err(self.expected("`--BODY--`")) };
            match token.kind {
                Kind::Body => {
                    self.at += 1;
                    return Ok(());
                }
                Kind::Header(name) => {
                    self.at += 1;
                    self.header_item(&name, token.span)?;
                }
                _ => return Err(self.expected("a header or `--BODY--`")),
            }
        }
    }

    fn header_item(&mut self, name: &str, span: Span) -> Result<(), Problem> {
        match name {
            "States" => {
                let problem = self.problem(format!("more than {} states are not supported", limits::MAX_STATES));
                let states = self.number("the number of states")?;
                if states > limits::MAX_STATES {
                    return Err(problem);
                }
                self.states = Some(states);
            }
            "Start" => {
                let state = self.state()?;
                self.start.push(state);
            }
            "AP" => self.propositions()?,
            "Alias" => self.alias()?,
            "Acceptance" => {
                let problem = self.problem(format!("more than {} acceptance sets are not supported", limits::MAX_SETS));
                let sets = self.number("the number of acceptance sets")?;
                if sets > limits::MAX_SETS {
                    return Err(problem);
                }
                self.wanted = self.acceptance(sets, 0)?;
                self.sets = Some(sets);
            }
            // Headers with a lower-case first letter may be ignored, by the standard.
            _ if name.starts_with(|c: char| c.is_ascii_lowercase()) => {
                while self.peek().is_some_and(|t| !matches!(t.kind, Kind::Header(_) | Kind::Body)) {
                    self.at += 1;
                }
            }
            _ => return Err(Problem::new(span, format!("the header `{name}:` is not supported"))),
        }
        Ok(())
    }

    fn propositions(&mut self) -> Result<(), Problem> {
        let problem = self.problem(format!("more than {} propositions are not supported", limits::MAX_ATOMS));
        let count = self.number("the number of propositions")?;
        if count > limits::MAX_ATOMS || !self.propositions.is_empty() {
            return Err(problem);
        }
        for _ in 0..count {
            let Some(Token { kind: Kind::Text(text), span }) = self.peek().cloned() else {
                return Err(self.expected("the name of a proposition, in quotes"));
            };
            self.at += 1;
            let inner = Span::new(span.start + 1, span.end - 1);
            self.propositions.push(self.atoms.intern(&text, inner));
        }
        Ok(())
    }

    fn alias(&mut self) -> Result<(), Problem> {
        let Some(Token { kind: Kind::Alias(name), .. }) = self.peek().cloned() else {
            return Err(self.expected("an alias like `@a`"));
        };
        self.at += 1;
        let label = self.label(0)?;
        self.aliases.insert(name, label);
        Ok(())
    }

    /// Parses the number of a state. Conjunctions of states (alternating automata) are refused.
    fn state(&mut self) -> Result<(usize, Span), Problem> {
        let span = self.here();
        let state = self.number("the number of a state")?;
        if self.peek().is_some_and(|t| t.kind == Kind::Sign('&')) {
            return Err(self.problem("alternating automata are not supported"));
        }
        if state >= self.states.unwrap_or(limits::MAX_STATES) {
            return Err(Problem::new(span, format!("there is no state {state}")));
        }
        Ok((state, span))
    }

    fn body(&mut self) -> Result<(), Problem> {
        loop {
            let Some(token) = self.peek().cloned() else { return Err(self.expected("`--END--`")) };
            match token.kind {
                Kind::End => return Ok(()),
                Kind::Header(name) if name == "State" => self.state_and_edges()?,
                Kind::Abort => {
                    return Err(self.problem("the automaton is incomplete: its writer stopped with `--ABORT--`"));
                }
                _ => return Err(self.expected("`State:` or `--END--`")),
            }
        }
    }

    fn state_and_edges(&mut self) -> Result<(), Problem> {
        self.at += 1;
        let state_label = self.bracketed_label()?;
        let (state, span) = self.state()?;
        self.define(state, span)?;
        if matches!(self.peek(), Some(Token { kind: Kind::Text(_), .. })) {
            self.at += 1;
        }
        let state_marks = self.marks()?;
        loop {
            let label = self.bracketed_label()?;
            if !matches!(self.peek(), Some(Token { kind: Kind::Number(_), .. })) {
                return if label.is_none() { Ok(()) } else { Err(self.expected("the number of a state")) };
            }
            let place = self.here();
            let (to, span) = self.state()?;
            let marks = self.marks()? | state_marks;
            let Some(label) = label.or(state_label) else {
                let help = "write the label in brackets before the state: `[0&!1] 2`";
                return Err(Problem::new(place, "edges without labels are not supported").help(help));
            };
            self.edges[state].push((label, marks, to, span));
        }
    }

    fn define(&mut self, state: usize, span: Span) -> Result<(), Problem> {
        if self.edges.len() <= state {
            self.edges.resize(state + 1, Vec::new());
            self.defined.resize(state + 1, false);
        }
        if std::mem::replace(&mut self.defined[state], true) {
            return Err(Problem::new(span, format!("state {state} is defined twice")));
        }
        Ok(())
    }

    fn bracketed_label(&mut self) -> Result<Option<Bdd>, Problem> {
        if !self.take('[') {
            return Ok(None);
        }
        let label = self.label(0)?;
        self.sign(']')?;
        Ok(Some(label))
    }

    fn marks(&mut self) -> Result<Marks, Problem> {
        let mut marks = 0;
        if self.take('{') {
            while !self.take('}') {
                marks |= 1 << self.set(self.sets.unwrap_or(0))?;
            }
        }
        Ok(marks)
    }

    fn automaton(mut self) -> Result<Generalised, Problem> {
        if self.sets.is_none() {
            return Err(self.problem("the header `Acceptance:` is missing"));
        }
        let count = self.states.unwrap_or(0).max(self.edges.len()).max(1);
        let starts: Vec<(usize, Span)> = self.start.clone();
        let targets = self.edges.iter().flatten().map(|(_, _, to, span)| (*to, *span));
        if let Some((to, span)) = targets.chain(starts.clone()).find(|(to, _)| *to >= count) {
            return Err(Problem::new(span, format!("there is no state {to}")));
        }
        self.edges.resize(count, Vec::new());
        let initial = self.initial(&starts);
        let wanted: Vec<u32> = (0..u64::BITS).filter(|s| self.wanted >> s & 1 == 1).collect();
        let mut states = Vec::with_capacity(self.edges.len());
        for edges in std::mem::take(&mut self.edges) {
            let mut out = Vec::with_capacity(edges.len());
            for (label, marks, to, span) in edges.into_iter().filter(|e| e.0 != Bdd::FALSE) {
                let guard = self.bdds.guard(label).map_err(|e| Problem::new(span, e.message))?;
                let marks = wanted.iter().enumerate().fold(0, |m, (new, set)| m | (marks >> set & 1) << new);
                out.push(MarkedEdge { guard, marks, to: StateId(to as u32) });
            }
            states.push(out);
        }
        Ok(Generalised { atoms: self.atoms, sets: wanted.len() as u32, initial, states })
    }

    /// The initial state. Several initial states are replaced by a new one with the edges of all.
    fn initial(&mut self, starts: &[(usize, Span)]) -> StateId {
        if let [(one, _)] = starts {
            return StateId(*one as u32);
        }
        let all = starts.iter().flat_map(|(s, _)| self.edges[*s].clone()).collect();
        self.edges.push(all);
        StateId(self.edges.len() as u32 - 1)
    }
}
