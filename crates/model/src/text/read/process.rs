//! From the text form to a model: process types, locations and edges.

use std::collections::BTreeMap;

use super::super::lex::Token;
use super::super::print::USUAL_PRIORITY;
use super::{Read, Reader, tag_of};
use crate::ir::{Claim, Direction, Edge, EdgeId, Guard, Init, Inside, LocId, Location, Process, Sync, Then};

impl Reader {
    pub(super) fn process(&mut self) -> Read<Process> {
        self.expect_word("process")?;
        self.rest_of_process()
    }

    pub(super) fn automaton(&mut self) -> Read<Process> {
        self.expect_word("automaton")?;
        self.rest_of_process()
    }

    fn rest_of_process(&mut self) -> Read<Process> {
        let name = self.name()?;
        self.body = Some(self.read);
        self.read += 1;
        let priority = if self.takes_word("priority") { self.number()? } else { USUAL_PRIORITY };
        let entry = if self.takes_word("entry") { Some(self.location()?) } else { None };
        let span = self.span()?;
        let provided = if self.takes_word("provided") { Some(self.expr()?) } else { None };
        let (mut claims, mut locals) = (Vec::new(), Vec::new());
        while self.takes_word("claim") {
            claims.push(self.claim()?);
        }
        while self.takes_word("param") {
            locals.push(self.var(Init::Param)?);
        }
        let params = locals.len();
        while self.takes_word("local") {
            locals.push(self.var(Init::Zero)?);
        }
        let Graph { locations, edges, entry } = self.graph(entry)?;
        self.body = None;
        Ok(Process { name, params, locals, locations, edges, entry, provided, priority, claims, span })
    }

    fn claim(&mut self) -> Read<Claim> {
        let direction = if self.takes_word("send") {
            Direction::Send
        } else {
            self.expect_word("receive")?;
            Direction::Receive
        };
        Ok(Claim { direction, channel: self.expr()?, span: self.span()? })
    }

    fn graph(&mut self, mut entry: Option<LocId>) -> Read<Graph> {
        let (mut locations, mut edges) = (Vec::new(), Edges::default());
        while tag_of(self.peek(), 'L').is_some() {
            let number = locations.len() as u32;
            if self.location()? != LocId(number) {
                self.at -= 1;
                return self.expected(&format!("location L{number}"));
            }
            let mut location = self.flags(&mut entry, LocId(number))?;
            location.edges = self.edges(&mut edges)?;
            locations.push(location);
        }
        if self.takes_word("unused") {
            self.expect(":")?;
            self.edges(&mut edges)?;
        }
        match edges.in_order() {
            Ok(edges) => Ok(Graph { locations, edges, entry: entry.unwrap_or(LocId(0)) }),
            Err(missing) => self.error(format!("edges are numbered from 0, but there is no E{missing}")),
        }
    }

    /// What stands behind the number of a location.
    fn flags(&mut self, entry: &mut Option<LocId>, here: LocId) -> Read<Location> {
        self.expect(":")?;
        let mut location = Location {
            end: self.takes_word("end"),
            accept: self.takes_word("accept"),
            progress: self.takes_word("progress"),
            committed: self.takes_word("committed"),
            ..Location::default()
        };
        if self.is_word("entry") {
            if entry.replace(here).is_some() {
                return self.error("a second entry");
            }
            self.advance();
        }
        if self.takes_word("labels") {
            self.expect("(")?;
            location.labels = self.list(")", Reader::name)?;
        }
        Ok(location)
    }

    /// The edges of a location: its own ones are added to those of the process.
    fn edges(&mut self, edges: &mut Edges) -> Read<Vec<EdgeId>> {
        let mut ids = Vec::new();
        loop {
            if self.takes_word("edge") {
                ids.push(EdgeId(self.tagged('E')?));
            } else if self.begins_edge() {
                ids.push(self.numbered(edges)?);
            } else {
                return Ok(ids);
            }
        }
    }

    /// Whether an edge is next, and not a location or a declaration.
    fn begins_edge(&self) -> bool {
        const WORDS: [&str; 13] = [
            "level", "when", "else", "youngest", "send", "receive", "chain", "assert", "require", "print", "run",
            "priority", "remove",
        ];
        match self.peek() {
            Token::Mark(mark) => matches!(*mark, "->" | "#"),
            Token::Word(word) if word == "global" => *self.second() == Token::Mark("::"),
            Token::Word(word) if WORDS.contains(&word.as_str()) => true,
            Token::Word(_) if tag_of(self.peek(), 'L').is_some() => *self.second() != Token::Mark(":"),
            token => super::declared(token).is_some(),
        }
    }

    fn numbered(&mut self, edges: &mut Edges) -> Read<EdgeId> {
        let mut number = edges.next;
        let at = self.at;
        if *self.second() == Token::Mark(":") {
            number = self.tagged('E')?;
            self.expect(":")?;
        }
        let edge = self.edge()?;
        edges.next = number.saturating_add(1);
        if edges.edges.insert(number, edge).is_some() {
            self.at = at;
            return self.error(format!("a second edge E{number}"));
        }
        Ok(EdgeId(number))
    }

    fn edge(&mut self) -> Read<Edge> {
        let level = if self.takes_word("level") { self.number()? } else { 0 };
        let guard = self.guard()?;
        let sync = self.sync()?;
        let mut effects = Vec::new();
        while !self.is_mark("->") && !self.is_word("chain") {
            effects.push(self.effect()?);
            self.expect(";")?;
        }
        let chain = if self.takes_word("chain") { Some(self.location()?) } else { None };
        self.expect("->")?;
        let target = self.location()?;
        let then = if self.takes_word("keep") {
            Then::Keep
        } else if self.takes_word("chained") {
            Then::Chain
        } else {
            Then::Yield
        };
        let label = if matches!(self.peek(), Token::Text(_)) { self.string()? } else { String::new() };
        let span = self.span()?;
        let inside =
            if self.takes_word("inside") { Some(Inside { name: self.string()?, span: self.span()? }) } else { None };
        Ok(Edge { level, guard, sync, effects, chain, target, then, label, span, inside })
    }

    fn guard(&mut self) -> Read<Guard> {
        if self.takes_word("when") {
            self.expr().map(Guard::When)
        } else if self.takes_word("else") {
            Ok(Guard::Else)
        } else if self.takes_word("youngest") {
            Ok(Guard::Youngest)
        } else {
            Ok(Guard::Always)
        }
    }

    fn sync(&mut self) -> Read<Option<Sync>> {
        if self.takes_word("send") {
            let sorted = self.takes_word("sorted");
            let channel = self.expr()?;
            self.expect("(")?;
            Ok(Some(Sync::Send { channel, args: self.list(")", Reader::expr)?, sorted }))
        } else if self.takes_word("receive") {
            let anywhere = self.takes_word("anywhere");
            let keep = self.takes_word("keep");
            let channel = self.expr()?;
            self.expect("(")?;
            let args = self.list(")", Reader::pattern)?;
            let condition = if self.takes_word("if") { Some(self.expr()?) } else { None };
            Ok(Some(Sync::Receive { channel, args, anywhere, keep, condition }))
        } else {
            Ok(None)
        }
    }
}

/// The control-flow graph of a process.
struct Graph {
    locations: Vec<Location>,
    edges: Vec<Edge>,
    entry: LocId,
}

/// The edges of a process by number.
#[derive(Default)]
struct Edges {
    edges: BTreeMap<u32, Edge>,
    /// The number of the next edge unless another is given.
    next: u32,
}

impl Edges {
    /// The edges in order, or the first number that is missing.
    fn in_order(self) -> Result<Vec<Edge>, usize> {
        match self.edges.keys().zip(0..).position(|(number, expected)| *number != expected) {
            Some(missing) => Err(missing),
            None => Ok(self.edges.into_values().collect()),
        }
    }
}
