//! From elements to locations and steps.
//!
//! A location is the point in front of an element. Which elements are passed over (joints, jumps), which choices
//! melt into one, after which steps control is kept, and where escapes lead follows SPIN's own tables, so that the
//! locations are one for one the states `pan -d` prints.

use super::elements::{Body, ElementId, Kind, SequenceId, Target};
use super::environment::Environment;
use super::frames::Frame;
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{Expr, ExprKind, StmtKind};

/// Joints and jumps passed over in a row before the text is taken to be a loop of jumps.
const MAX_HOPS: usize = 500;

/// One way out of a location: executing an element.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub element: ElementId,
    pub keeps: bool,
    /// The number of the location it leads to; 0 if it leads nowhere.
    pub to: u32,
    /// Steps of a lower level win.
    pub level: u8,
    /// The locations this step may be escaped to, outermost first.
    escapes: Vec<u32>,
    /// The escape it belongs to, if it is one.
    escape: u32,
}

#[derive(Clone, Debug)]
enum Node {
    /// Nothing known about this number.
    None,
    /// The options of a selection, or the single entry of a block, by number.
    Choice(Vec<u32>),
    Steps(Vec<Step>),
}

/// Flags from special labels.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    pub end: bool,
    pub accept: bool,
    pub progress: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub entry: u32,
    /// By number; numbers that are no locations have none.
    pub steps: Vec<Vec<Step>>,
    pub marks: Vec<Marks>,
    /// The element whose line is shown for a choice: its first option.
    pub shown: Vec<Option<ElementId>>,
    /// The number starts an option of a choice or a block.
    pub pulled: Vec<bool>,
    /// The number to which the last option of a choice leads; 0 for others.
    pub instead: Vec<u32>,
}

/// Builds the graph of a body.
pub(super) fn graph(body: &mut Body<'_>, frame: &Frame, env: &Environment<'_>) -> Option<Graph> {
    let count = body.numbers as usize;
    let done = vec![false; body.elements.len()];
    let choices = Choices { shown: vec![None; count], pulled: vec![false; count], instead: vec![0; count] };
    let nodes = vec![Node::None; count];
    let mut maker = Maker { body, frame, env, nodes, choices, done, reported: vec![], failed: false };
    let first = maker.body.first(maker.body.root);
    let entry = maker.hunt(first, maker.body.elements[first].keeps);
    maker.sequence(maker.body.root);
    if maker.failed {
        return None;
    }
    let entry = maker.body.elements[entry].number;
    let mut marks = maker.marks();
    maker.flatten_choices(&mut marks);
    maker.pull(&mut marks);
    maker.escapes();
    maker.pass_end_marks(&mut marks);
    maker.check();
    let steps = maker.nodes.into_iter().map(|n| if let Node::Steps(s) = n { s } else { Vec::new() }).collect();
    let Choices { shown, pulled, instead } = maker.choices;
    Some(Graph { entry, steps, marks, shown, pulled, instead })
}

/// What is known of numbers that are choices, or options of choices.
struct Choices {
    shown: Vec<Option<ElementId>>,
    pulled: Vec<bool>,
    instead: Vec<u32>,
}

struct Maker<'m, 'a, 'e, 'd> {
    body: &'m mut Body<'a>,
    frame: &'e Frame,
    env: &'e Environment<'d>,
    nodes: Vec<Node>,
    choices: Choices,
    done: Vec<bool>,
    /// Jumps already complained about.
    reported: Vec<ElementId>,
    failed: bool,
}

impl Maker<'_, '_, '_, '_> {
    fn number(&self, e: ElementId) -> usize {
        self.body.elements[e].number as usize
    }

    fn jump(&mut self, e: ElementId) -> Option<ElementId> {
        let element = &self.body.elements[e];
        let Kind::Goto(target) = &element.kind else { return None };
        let found = self.body.target(target, element.at.scope, self.frame);
        let reported = self.reported.contains(&e);
        match found {
            None => {
                if let Target::Label(name) = target
                    && !reported
                {
                    self.undefined(e, name);
                }
                self.reported.push(e);
                self.failed = true;
            }
            // A whole `d_step` may be jumped to, its inside not.
            Some(t) if self.body.elements[t].d_step != element.d_step && self.body.elements[t].indivisible => {
                if !element.indivisible && !reported {
                    self.env.error(element.span, "jump into a `d_step`", "its inside can't be entered");
                }
                self.reported.push(e);
                self.failed = true;
            }
            Some(_) => {}
        }
        found
    }

    fn undefined(&self, e: ElementId, name: &str) {
        let element = &self.body.elements[e];
        let message = format!("there is no label `{name}`");
        let mut diagnostic = Diagnostic::error(element.span, message, "nowhere to go");
        let labels = self.body.labels.iter().map(|l| l.name.as_str());
        if let Some(close) = self.env.closest(name, labels) {
            diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
        }
        self.env.report(diagnostic);
    }

    /// Where control rests when it is given to `e`: joints and jumps are passed over, except where an atomic sequence
    /// would be left that way.
    fn hunt(&mut self, e: ElementId, keeps: bool) -> ElementId {
        let mut at = e;
        for _ in 0..MAX_HOPS {
            let next = match self.body.elements[at].kind {
                Kind::Goto(_) => match self.jump(at) {
                    Some(target) if target != at => target,
                    Some(_) => break,
                    None => return at,
                },
                Kind::Joint | Kind::Exit => match self.body.elements[at].next {
                    Some(next) => next,
                    None => return at,
                },
                Kind::Unless => {
                    let first = self.body.first(self.body.elements[at].subs[0]);
                    self.hunt(first, keeps)
                }
                _ => return at,
            };
            if keeps && !self.body.elements[next].keeps {
                return at;
            }
            at = next;
        }
        if !self.failed {
            self.env.error(self.body.elements[e].span, "these jumps only lead to each other", "an endless loop");
        }
        self.failed = true;
        at
    }

    /// The first element of a sequence that is more than a joint.
    fn start(&self, sequence: SequenceId) -> ElementId {
        let mut at = self.body.first(sequence);
        loop {
            let element = &self.body.elements[at];
            at = match (&element.kind, element.next) {
                (Kind::Joint, Some(next)) => next,
                (Kind::Unless, _) => self.body.first(element.subs[0]),
                _ => return at,
            };
        }
    }

    fn sequence(&mut self, sequence: SequenceId) {
        let last = self.body.sequences[sequence].last;
        let mut at = self.body.sequences[sequence].first;
        while let Some(e) = at {
            if !self.done[e] {
                self.done[e] = true;
                self.element(e);
            }
            if Some(e) == last {
                break;
            }
            at = self.body.elements[e].next;
        }
    }

    fn element(&mut self, e: ElementId) {
        let subs = self.body.elements[e].subs.clone();
        match self.body.elements[e].kind {
            Kind::Unless => self.sequence(subs[0]),
            Kind::If | Kind::Do => {
                let mut options = Vec::new();
                for sub in &subs {
                    let guard = self.start(*sub);
                    if !self.never(guard) {
                        options.push(self.body.elements[guard].number);
                    }
                }
                let number = self.number(e);
                self.nodes[number] = Node::Choice(options);
                for sub in subs {
                    self.sequence(sub);
                }
            }
            Kind::Block | Kind::Atomic | Kind::DStep => self.braces(e, subs[0]),
            _ => self.simple(e),
        }
    }

    /// A guard that is the constant 0 is no option at all.
    fn never(&self, e: ElementId) -> bool {
        let element = &self.body.elements[e];
        let zero = matches!(&element.kind, Kind::Step(s)
            if matches!(**s, StmtKind::Expr(Expr { kind: ExprKind::Const(0), .. })));
        zero && element.escapes.is_empty()
    }

    fn braces(&mut self, e: ElementId, inner: SequenceId) {
        self.patch(inner);
        let start = self.start(inner);
        let next = self.body.elements[e].next;
        if let Some(last) = self.body.sequences[inner].last {
            self.body.elements[last].next = next;
        }
        let number = self.number(e);
        if matches!(self.body.elements[e].kind, Kind::DStep) {
            self.simple(e);
        } else {
            self.nodes[number] = Node::Choice(vec![self.body.elements[start].number]);
            self.sequence(inner);
        }
    }

    /// A jump out of an atomic sequence ends it; one from its end into another continues.
    fn patch(&mut self, sequence: SequenceId) {
        for e in self.body.run(sequence, self.body.sequences[sequence].extent) {
            if matches!(self.body.elements[e].kind, Kind::Goto(_)) {
                let Some(target) = self.jump(e) else { continue };
                let into = self.body.elements[target].in_atomic();
                let element = &mut self.body.elements[e];
                if element.in_atomic() {
                    element.keeps = into;
                    element.last = !into;
                }
            } else if !matches!(self.body.elements[e].kind, Kind::Block | Kind::Atomic | Kind::DStep) {
                for sub in self.body.elements[e].subs.clone() {
                    self.patch(sub);
                }
            }
        }
    }

    /// An element that is executed in one step.
    fn simple(&mut self, e: ElementId) {
        let keeps = self.body.elements[e].keeps;
        let next = match self.body.elements[e].kind {
            Kind::Goto(_) => self.jump(e),
            _ => self.body.elements[e].next,
        };
        let to = next.map_or(0, |n| {
            let target = self.hunt(n, keeps);
            self.body.elements[target].number
        });
        let mut escapes = Vec::new();
        if !matches!(self.body.elements[e].kind, Kind::Joint) {
            let sequences = self.body.elements[e].escapes.clone();
            for escape in &sequences {
                let target = self.hunt(self.body.first(*escape), keeps);
                escapes.push(self.body.elements[target].number);
            }
            for escape in sequences {
                self.sequence(escape);
            }
        }
        let number = self.number(e);
        let keeps = self.body.elements[e].keeps;
        self.nodes[number] = Node::Steps(vec![Step { element: e, keeps, to, level: 0, escapes, escape: 0 }]);
    }

    fn marks(&self) -> Vec<Marks> {
        let mut marks = vec![Marks::default(); self.nodes.len()];
        for label in &self.body.labels {
            let mark = &mut marks[self.number(label.element)];
            mark.end |= label.name.starts_with("end");
            mark.accept |= label.name.starts_with("accept");
            mark.progress |= label.name.starts_with("progress");
        }
        if let Some(last) = self.body.sequences[self.body.root].last {
            marks[self.number(last)].end = true;
        }
        marks
    }

    /// A choice that starts with a choice has all the options of both.
    fn flatten_choices(&mut self, marks: &mut [Marks]) {
        loop {
            let mut changed = false;
            for i in 1..self.nodes.len() {
                let Node::Choice(options) = &self.nodes[i] else { continue };
                let inner = |o: &u32| matches!(&self.nodes[*o as usize], Node::Choice(c) if !c.is_empty());
                if !options.iter().any(inner) {
                    continue;
                }
                let mut flat = Vec::new();
                for option in options {
                    match &self.nodes[*option as usize] {
                        Node::Choice(more) if !more.is_empty() => {
                            let mark = marks[*option as usize];
                            for o in more {
                                marks[*o as usize] |= mark;
                            }
                            flat.extend(more);
                        }
                        _ => flat.push(*option),
                    }
                }
                self.nodes[i] = Node::Choice(flat);
                changed = true;
            }
            if !changed {
                return;
            }
        }
    }

    /// A choice takes the steps of its options; a mark on an option goes to where its first step leads.
    fn pull(&mut self, marks: &mut [Marks]) {
        for i in 1..self.nodes.len() {
            let Node::Choice(options) = &self.nodes[i] else { continue };
            let mut steps = Vec::new();
            for option in options {
                if let Node::Steps(own) = &self.nodes[*option as usize]
                    && let Some(step) = own.first()
                {
                    let mark = marks[*option as usize];
                    marks[step.to as usize] |= mark;
                    self.choices.shown[i].get_or_insert(step.element);
                    self.choices.pulled[*option as usize] = true;
                    self.choices.instead[i] = step.to;
                    steps.push(step.clone());
                }
            }
            self.nodes[i] = Node::Steps(steps);
        }
    }

    /// Puts the steps of escapes in front of those they interrupt.
    fn escapes(&mut self) {
        for i in 1..self.nodes.len() {
            let Node::Steps(own) = &self.nodes[i] else { continue };
            let mut list = own.clone();
            // Escapes found so far, in the order they are found.
            let mut found: Vec<Step> = Vec::new();
            for step in own {
                for escape in step.escapes.iter().rev() {
                    let there = match &self.nodes[*escape as usize] {
                        Node::Steps(there) if *escape as usize != i => there.clone(),
                        _ => continue,
                    };
                    for step in there {
                        let known = |s: &Step| s.element == step.element;
                        if !list.iter().chain(&found).any(known) {
                            found.push(Step { escape: *escape, ..step });
                        }
                    }
                }
            }
            if found.is_empty() {
                continue;
            }
            if !self.env.options.reverse_escapes {
                found.reverse();
            }
            found.append(&mut list);
            let (mut level, mut escape) = (0u8, found[0].escape);
            for step in &mut found {
                level = level.saturating_add(u8::from(step.escape != escape));
                (step.level, escape) = (level, step.escape);
            }
            self.nodes[i] = Node::Steps(found);
        }
    }

    fn pass_end_marks(&self, marks: &mut [Marks]) {
        for i in 1..self.nodes.len() {
            if let Node::Steps(steps) = &self.nodes[i]
                && let [only] = &steps[..]
                && matches!(self.body.elements[only.element].kind, Kind::Joint)
                && marks[i].end
            {
                marks[only.to as usize].end = true;
            }
        }
    }

    /// Complaints that only the finished graph allows.
    fn check(&self) {
        for (i, node) in self.nodes.iter().enumerate() {
            let Node::Steps(steps) = node else { continue };
            let kind = |s: &&Step| matches!(self.body.elements[s.element].kind, Kind::Else);
            let mut elses = steps.iter().filter(kind);
            if let (Some(first), Some(second)) = (elses.next(), elses.next()) {
                let span = |s: &Step| self.body.elements[s.element].span;
                let here = "this selection starts with another one that has an `else` too";
                let diagnostic = Diagnostic::error(span(second), "two `else` for one choice", here);
                self.env.report(diagnostic.label(span(first), "the other one"));
            }
            for step in steps.iter().filter(|_| !self.body.watches) {
                let element = &self.body.elements[step.element];
                if step.to as usize == i && matches!(element.kind, Kind::Skip) && steps.len() == 1 {
                    let here = "the process does nothing from here on";
                    self.env.report(Diagnostic::warning(element.span, "endless loop of doing nothing", here));
                }
            }
        }
    }
}

impl std::ops::BitOrAssign for Marks {
    fn bitor_assign(&mut self, other: Marks) {
        self.end |= other.end;
        self.accept |= other.accept;
        self.progress |= other.progress;
    }
}
