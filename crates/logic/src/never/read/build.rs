//! Construction of the automaton of a never claim from its statements.

use std::collections::HashMap;

use super::{Action, Statement};
use crate::atoms::{Atoms, Span};
use crate::automaton::{Buchi, Edge, State, StateId};
use crate::bdd::{Bdd, Bdds};
use crate::problem::Problem;

/// A control point between statements.
type Point = usize;

/// The end of the claim.
const END: Point = 0;

#[derive(Default)]
struct Place {
    edges: Vec<(Bdd, Point)>,
    /// The point that this one is an alias of.
    instead: Option<Point>,
    accepting: bool,
}

struct Builder<'a> {
    places: Vec<Place>,
    labels: HashMap<String, Point>,
    bdds: &'a mut Bdds,
}

/// The automaton of a sequence of statements.
pub fn build(sequence: &[Statement], atoms: Atoms, bdds: &mut Bdds) -> Result<Buchi, Problem> {
    let end = Place { edges: vec![(Bdd::TRUE, END)], instead: None, accepting: true };
    let mut builder = Builder { places: vec![end], labels: HashMap::new(), bdds };
    let entry = builder.place();
    builder.name_labels(sequence)?;
    builder.sequence(sequence, (entry, END), None)?;
    builder.automaton(entry, atoms)
}

impl Builder<'_> {
    fn place(&mut self) -> Point {
        self.places.push(Place::default());
        self.places.len() - 1
    }

    /// Assigns a point to every label before the construction, since jumps may lead forward.
    fn name_labels(&mut self, sequence: &[Statement]) -> Result<(), Problem> {
        for statement in sequence {
            for (label, span) in &statement.labels {
                let place = self.place();
                self.places[place].accepting = label.starts_with("accept");
                if self.labels.insert(label.clone(), place).is_some() {
                    return Err(Problem::new(*span, format!("the label `{label}` is defined twice")));
                }
            }
            if let Action::If(options) | Action::Do(options) = &statement.action {
                for option in options {
                    self.name_labels(option)?;
                }
            }
        }
        Ok(())
    }

    /// Adds the edges of statements between two points; `out` is the target of `break`.
    fn sequence(
        &mut self,
        sequence: &[Statement],
        (mut from, to): (Point, Point),
        out: Option<Point>,
    ) -> Result<(), Problem> {
        let Some((last, others)) = sequence.split_last() else {
            self.places[from].instead = Some(to);
            return Ok(());
        };
        for statement in others {
            let next = self.place();
            self.statement(statement, (from, next), out)?;
            from = next;
        }
        self.statement(last, (from, to), out)
    }

    fn statement(
        &mut self,
        statement: &Statement,
        (mut from, to): (Point, Point),
        out: Option<Point>,
    ) -> Result<(), Problem> {
        let accepting = statement.labels.iter().any(|(label, _)| label.starts_with("accept"));
        for (label, _) in &statement.labels {
            let place = self.labels[label];
            self.alias(from, place);
            from = place;
            self.places[from].accepting |= accepting;
        }
        match &statement.action {
            Action::Condition(guard) => self.places[from].edges.push((*guard, to)),
            Action::Checked(guard, claim) => {
                let (fails, holds) = (self.bdds.without(*guard, *claim), self.bdds.and(*guard, *claim));
                self.places[from].edges.extend([(fails, END), (holds, to)]);
            }
            Action::Goto(label) => match self.labels.get(label) {
                Some(place) => self.alias(from, *place),
                None => return Err(Problem::new(statement.span, format!("there is no label `{label}`"))),
            },
            Action::Break => match out {
                Some(place) => self.alias(from, place),
                None => return Err(Problem::new(statement.span, "`break` is not inside `do`")),
            },
            Action::If(options) => self.options(options, (from, to), out)?,
            Action::Do(options) => self.options(options, (from, from), Some(to))?,
            Action::Else => return Err(lonely_else(statement.span)),
        }
        Ok(())
    }

    /// Makes a point an alias of another. A point with edges of its own gets the edges of the other point at the end.
    fn alias(&mut self, from: Point, to: Point) {
        self.places[from].instead = Some(to);
    }

    fn options(
        &mut self,
        options: &[Vec<Statement>],
        (from, to): (Point, Point),
        out: Option<Point>,
    ) -> Result<(), Problem> {
        let mut others = Bdd::FALSE;
        for option in options {
            let Some(first) = option.first() else { continue };
            match &first.action {
                Action::Condition(guard) | Action::Checked(guard, _) => others = self.bdds.or(others, *guard),
                Action::Else => {}
                _ => return Err(Problem::new(first.span, "an option has to begin with a condition here")),
            }
        }
        for option in options {
            let Some((first, rest)) = option.split_first() else { continue };
            if let Some((_, span)) = first.labels.first() {
                return Err(Problem::new(*span, "a label at the beginning of an option is not supported"));
            }
            let next = if rest.is_empty() { to } else { self.place() };
            if matches!(first.action, Action::Else) {
                let guard = self.bdds.not(others);
                self.places[from].edges.push((guard, next));
            } else {
                self.statement(first, (from, next), out)?;
            }
            if !rest.is_empty() {
                self.sequence(rest, (next, to), out)?;
            }
        }
        Ok(())
    }

    /// The point after following aliases, or none for a cycle of jumps.
    fn resolve(&self, mut point: Point) -> Option<Point> {
        for _ in 0..=self.places.len() {
            match self.places[point].instead {
                Some(next) => point = next,
                None => return Some(self.end_if_skip(point)),
            }
        }
        None
    }

    /// The end, if only a final `skip` remains.
    fn end_if_skip(&self, point: Point) -> Point {
        let place = &self.places[point];
        if place.edges.as_slice() == [(Bdd::TRUE, END)] { END } else { point }
    }

    fn automaton(self, entry: Point, atoms: Atoms) -> Result<Buchi, Problem> {
        let mut numbers: HashMap<Point, u32> = HashMap::new();
        let mut order: Vec<Point> = Vec::new();
        let mut states: Vec<State> = Vec::new();
        let Some(first) = self.resolve(entry) else {
            return Ok(Buchi { atoms, initial: StateId(0), states: vec![State::default()] });
        };
        numbers.insert(first, 0);
        order.push(first);
        while states.len() < order.len() {
            let place = &self.places[order[states.len()]];
            let mut edges = Vec::new();
            for (guard, to) in place.edges.iter().filter(|(guard, _)| *guard != Bdd::FALSE) {
                let Some(to) = self.resolve(*to) else { continue };
                let next = order.len() as u32;
                let number = *numbers.entry(to).or_insert(next);
                if number == next {
                    order.push(to);
                }
                let guard = self.bdds.guard(*guard).map_err(|e| Problem::new(Span::default(), e.message))?;
                edges.push(Edge { guard, to: StateId(number) });
            }
            states.push(State { accepting: place.accepting, edges });
        }
        Ok(Buchi { atoms, initial: StateId(0), states })
    }
}

fn lonely_else(span: Span) -> Problem {
    Problem::new(span, "`else` is only possible at the beginning of an option")
}
