//! The body of a process as elements in sequences: the form in which SPIN numbers the points of control.
//!
//! Every statement is an element. So are a few joints between them that later mostly vanish: the end of a selection,
//! the exit of a loop, the entry of a block. Which of them remain as locations decides how many states a model has,
//! so their order of creation (which gives their numbers) and their links follow SPIN exactly.

use std::ops::Deref;

use kripke_model::ir::Inside;

use super::frames::{Frame, Place, ScopeId};
use crate::promela::ast::StmtKind;
use crate::source::Span;

pub(super) type ElementId = usize;
pub(super) type SequenceId = usize;
pub(super) type BreakId = usize;

#[derive(Clone, Debug)]
pub(super) struct Element<'a> {
    pub kind: Kind<'a>,
    /// Its number within the process, from 1.
    pub number: u32,
    pub next: Option<ElementId>,
    /// The options of a selection, the two parts of an `unless`, the body of a block.
    pub subs: Vec<SequenceId>,
    /// Escapes that apply here, outermost first.
    pub escapes: Vec<SequenceId>,
    /// Control is kept after it.
    pub keeps: bool,
    /// It is the last one of an atomic sequence.
    pub last: bool,
    /// It is inside a `d_step`.
    pub indivisible: bool,
    /// Which `d_step` it was written in.
    pub d_step: Option<u32>,
    pub at: Place,
    pub span: Span,
    /// The first and the last token of its statement in the body of an inline, if it comes from one.
    pub within: Option<(Span, Span)>,
    /// The place inside an inline.
    pub inside: Option<Inside>,
    pub text: String,
}

#[derive(Clone, Debug)]
pub(super) enum Kind<'a> {
    /// Something that can be executed.
    Step(Statement<'a>),
    /// A step that does nothing: `skip`.
    Skip,
    /// The step that stands for the declaration of a record.
    Nothing,
    Else,
    Goto(Target),
    /// The end of a selection, or the start of a loop.
    Joint,
    /// The exit of a loop.
    Exit,
    If,
    Do,
    Unless,
    Block,
    Atomic,
    DStep,
    /// The closing brace of the body.
    End,
}

/// A statement of the text, or one that stands for part of another.
#[derive(Clone, Debug)]
pub(super) enum Statement<'a> {
    Written(&'a StmtKind),
    Made(Box<StmtKind>),
}

#[derive(Clone, Debug)]
pub(super) enum Target {
    Label(String),
    Break(BreakId),
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sequence {
    pub first: Option<ElementId>,
    pub last: Option<ElementId>,
    /// The last one before a joint was appended.
    pub extent: Option<ElementId>,
}

#[derive(Clone, Debug)]
pub(super) struct Label {
    pub name: String,
    pub span: Span,
    pub scope: ScopeId,
    pub element: ElementId,
}

/// A whole body.
#[derive(Clone, Debug)]
pub(super) struct Body<'a> {
    pub elements: Vec<Element<'a>>,
    pub sequences: Vec<Sequence>,
    pub labels: Vec<Label>,
    /// The target of each `break`, once its loop is complete.
    pub exits: Vec<Option<ElementId>>,
    pub root: SequenceId,
    /// One more than the highest number.
    pub numbers: u32,
    /// It only looks on: that it may do nothing for ever is no mistake.
    pub watches: bool,
}

impl Deref for Statement<'_> {
    type Target = StmtKind;

    fn deref(&self) -> &StmtKind {
        match self {
            Statement::Written(s) => s,
            Statement::Made(s) => s,
        }
    }
}

impl Element<'_> {
    pub fn in_atomic(&self) -> bool {
        self.keeps || self.last
    }
}

impl<'a> Body<'a> {
    pub fn new() -> Body<'a> {
        Body {
            elements: Vec::new(),
            sequences: vec![Sequence::default()],
            labels: Vec::new(),
            exits: Vec::new(),
            root: 0,
            numbers: 1,
            watches: false,
        }
    }

    pub fn first(&self, sequence: SequenceId) -> ElementId {
        self.sequences[sequence].first.expect("a closed sequence has an element")
    }

    /// Appends an element to a sequence.
    pub fn link(&mut self, element: ElementId, sequence: SequenceId) {
        let s = &mut self.sequences[sequence];
        match s.last {
            None => s.first = Some(element),
            Some(last) => self.elements[last].next = Some(element),
        }
        self.sequences[sequence].last = Some(element);
    }

    /// The elements of a sequence from its first up to and including `last`.
    pub fn run(&self, sequence: SequenceId, last: Option<ElementId>) -> Vec<ElementId> {
        let mut out = Vec::new();
        let mut at = self.sequences[sequence].first;
        while let Some(e) = at {
            out.push(e);
            if Some(e) == last || out.len() > self.elements.len() {
                break;
            }
            at = self.elements[e].next;
        }
        out
    }

    /// Where a jump leads: for a name used several times, the label of the same block, else of an enclosing one, else
    /// any.
    pub fn target(&self, target: &Target, scope: ScopeId, frame: &Frame) -> Option<ElementId> {
        match target {
            Target::Break(id) => self.exits[*id],
            Target::Label(name) => {
                let named = || self.labels.iter().filter(|l| l.name == *name);
                named()
                    .find(|l| l.scope == scope)
                    .or_else(|| named().find(|l| frame.encloses(l.scope, scope)))
                    .or_else(|| named().next_back())
                    .map(|l| l.element)
            }
        }
    }

    /// Marks a sequence as atomic, down to the last step of its last element. `indivisible` also marks it as part of a
    /// `d_step`.
    pub fn make_atomic(&mut self, sequence: SequenceId, indivisible: bool) {
        let last = self.sequences[sequence].last.expect("a closed sequence has an element");
        self.walk_atomic(sequence, indivisible);
        match self.elements[last].kind {
            Kind::Block | Kind::Atomic | Kind::Unless => {
                let inner = self.elements[last].subs[0];
                self.make_atomic(inner, indivisible);
            }
            _ => {
                self.elements[last].keeps = false;
                self.elements[last].last = true;
            }
        }
    }

    fn walk_atomic(&mut self, sequence: SequenceId, indivisible: bool) {
        for e in self.run(sequence, self.sequences[sequence].last) {
            let element = &mut self.elements[e];
            element.keeps = true;
            element.indivisible |= indivisible;
            match element.kind {
                // An atomic sequence inside another adds nothing.
                Kind::Atomic => element.kind = Kind::Block,
                Kind::DStep if indivisible => element.kind = Kind::Block,
                Kind::DStep => continue,
                _ => {}
            }
            for sub in element.subs.clone() {
                self.walk_atomic(sub, indivisible);
            }
        }
    }

    /// Lets every step of the main part of an `unless` escape.
    pub fn attach_escape(&mut self, sequence: SequenceId, escape: SequenceId) {
        for e in self.run(sequence, self.sequences[sequence].extent) {
            self.escape_from(e, escape);
        }
    }

    fn escape_from(&mut self, e: ElementId, escape: SequenceId) {
        if self.elements[e].escapes.contains(&escape) {
            return;
        }
        for inner in self.elements[e].escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.elements[e].escapes.insert(0, escape);
        let subs = self.elements[e].subs.clone();
        match self.elements[e].kind {
            Kind::Unless => self.attach_escape(subs[0], escape),
            Kind::If | Kind::Do | Kind::Atomic | Kind::Block => {
                for sub in subs {
                    self.attach_escape(sub, escape);
                }
            }
            // Once begun it can't be escaped from.
            Kind::DStep => self.escape_from(self.first(subs[0]), escape),
            _ => {}
        }
    }

    /// Ends blocks where what follows them begins, as far as nothing else has been put there.
    pub fn tie_ends(&mut self) {
        for e in (0..self.elements.len()).rev() {
            let element = &self.elements[e];
            if !matches!(element.kind, Kind::Atomic | Kind::Block | Kind::DStep) || element.next.is_none() {
                continue;
            }
            let mut follower = element.next;
            while let Some(f) = follower
                && matches!(self.elements[f].kind, Kind::Joint)
            {
                follower = self.elements[f].next;
            }
            if let Some(last) = self.sequences[element.subs[0]].last
                && self.elements[last].next.is_none()
            {
                self.elements[last].next = follower;
            }
        }
    }

    /// A jump with a label that another process refers to is a step of its own, so that its location is in a state.
    pub fn make_visible(&mut self, label: &str) {
        let Some(index) = self.labels.iter().position(|l| l.name == label) else { return };
        let e = self.labels[index].element;
        if !matches!(self.elements[e].kind, Kind::Goto(_)) {
            return;
        }
        let mut jump = self.elements[e].clone();
        jump.number = self.numbers;
        jump.escapes.clear();
        (jump.keeps, jump.last, jump.indivisible) = (false, false, false);
        self.numbers += 1;
        self.elements.push(jump);
        let jump = self.elements.len() - 1;
        self.elements[e].kind = Kind::Skip;
        self.elements[e].next = Some(jump);
        for sequence in &mut self.sequences {
            if sequence.last == Some(e) {
                sequence.last = Some(jump);
            }
        }
    }
}
