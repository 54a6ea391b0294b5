//! CTL formulas, reduced to a few basic operators.

use super::super::liveness::Fairness;

/// The id of a subformula of a [`CtlFormula`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SubformulaId(u32);

impl SubformulaId {
    /// The index of the subformula, counted from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The basic operators. Paths are maximal: infinite, or ending in a state without successors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Constant(bool),
    /// An atomic proposition: a bit of the [state labels](kripke_model::Successors::atoms).
    Atom(u32),
    Not(SubformulaId),
    And(SubformulaId, SubformulaId),
    /// `EX x`, on any path.
    ExistsNext(SubformulaId),
    /// `E[x U y]`, on any path.
    ExistsUntil(SubformulaId, SubformulaId),
    /// `A[x U y]`, on all paths, fair or not.
    AllUntil(SubformulaId, SubformulaId),
    /// `EG x`, on a fair path.
    ExistsGlobally(SubformulaId),
}

/// A CTL formula over the atomic propositions of states, built bottom-up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CtlFormula {
    nodes: Vec<Node>,
    root: SubformulaId,
    fairness: Fairness,
}

/// A subformula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Node {
    subformula: Operator,
    /// The subformula that a public constructor returned and that this one is part of.
    origin: SubformulaId,
    height: u32,
    temporal: bool,
}

impl CtlFormula {
    /// A formula that quantifies over fair paths.
    pub fn new(fairness: Fairness) -> CtlFormula {
        CtlFormula { nodes: Vec::new(), root: SubformulaId(0), fairness }
    }

    /// The formula whose root is this subformula.
    #[must_use]
    pub fn with_root(self, root: SubformulaId) -> CtlFormula {
        CtlFormula { root, ..self }
    }

    /// The fairness of the paths.
    pub fn fairness(&self) -> Fairness {
        self.fairness
    }

    /// Whether every finite run is a prefix of a fair run.
    pub(super) fn every_run_is_fairly_extendable(&self) -> bool {
        self.fairness != Fairness::Impartial
    }

    /// The nesting depth of the evaluation.
    pub fn height(&self) -> u32 {
        self.nodes.get(self.root.index()).map_or(0, |node| node.height)
    }

    /// A constant.
    pub fn constant(&mut self, value: bool) -> SubformulaId {
        self.build(|f| f.add(Operator::Constant(value)))
    }

    /// The atomic proposition with this bit.
    pub fn atom(&mut self, bit: u32) -> SubformulaId {
        self.build(|f| f.add(Operator::Atom(bit)))
    }

    /// `!x`
    pub fn not(&mut self, x: SubformulaId) -> SubformulaId {
        self.build(|f| f.negate(x))
    }

    /// `x && y`
    pub fn and(&mut self, x: SubformulaId, y: SubformulaId) -> SubformulaId {
        self.build(|f| f.both(x, y))
    }

    /// `x || y`
    pub fn or(&mut self, x: SubformulaId, y: SubformulaId) -> SubformulaId {
        self.build(|f| {
            let (x, y) = (f.negate(x), f.negate(y));
            let neither = f.both(x, y);
            f.negate(neither)
        })
    }

    /// `x -> y`
    pub fn implies(&mut self, x: SubformulaId, y: SubformulaId) -> SubformulaId {
        self.build(|f| {
            let not = f.negate(y);
            let broken = f.both(x, not);
            f.negate(broken)
        })
    }

    /// `x <-> y`
    pub fn equivalent(&mut self, x: SubformulaId, y: SubformulaId) -> SubformulaId {
        self.build(|f| {
            let (not_x, not_y) = (f.negate(x), f.negate(y));
            let (only_x, only_y) = (f.both(x, not_y), f.both(not_x, y));
            let (a, b) = (f.negate(only_x), f.negate(only_y));
            f.both(a, b)
        })
    }

    /// `EX x`
    pub fn ex(&mut self, x: SubformulaId) -> SubformulaId {
        self.build(|f| {
            let x = f.with_fair_path(x);
            f.add(Operator::ExistsNext(x))
        })
    }

    /// `AX x`
    pub fn ax(&mut self, x: SubformulaId) -> SubformulaId {
        self.build(|f| {
            let not = f.negate(x);
            let not = f.with_fair_path(not);
            let some = f.add(Operator::ExistsNext(not));
            f.negate(some)
        })
    }

    /// `E[x U y]`
    pub fn eu(&mut self, x: SubformulaId, y: SubformulaId) -> SubformulaId {
        self.build(|f| f.exists_until(x, y))
    }

    /// `A[x U y]`
    pub fn au(&mut self, x: SubformulaId, y: SubformulaId) -> SubformulaId {
        self.build(|f| {
            if f.fairness == Fairness::None {
                return f.add(Operator::AllUntil(x, y));
            }
            // A path violates the formula if x and y are both false before y holds, or if y never holds.
            let (not_x, not_y) = (f.negate(x), f.negate(y));
            let lost = f.both(not_x, not_y);
            let lost = f.exists_until(not_y, lost);
            let never = f.add(Operator::ExistsGlobally(not_y));
            let (saved, comes) = (f.negate(lost), f.negate(never));
            f.both(saved, comes)
        })
    }

    /// `EF x`
    pub fn ef(&mut self, x: SubformulaId) -> SubformulaId {
        self.build(|f| {
            let any = f.add(Operator::Constant(true));
            f.exists_until(any, x)
        })
    }

    /// `AG x`
    pub fn ag(&mut self, x: SubformulaId) -> SubformulaId {
        self.build(|f| {
            let (any, not) = (f.add(Operator::Constant(true)), f.negate(x));
            let bad = f.exists_until(any, not);
            f.negate(bad)
        })
    }

    /// `AF x`
    pub fn af(&mut self, x: SubformulaId) -> SubformulaId {
        self.build(|f| f.all_finally(x))
    }

    /// `EG x`
    pub fn eg(&mut self, x: SubformulaId) -> SubformulaId {
        self.build(|f| {
            let not = f.negate(x);
            let comes = f.all_finally(not);
            f.negate(comes)
        })
    }

    fn all_finally(&mut self, x: SubformulaId) -> SubformulaId {
        if self.fairness == Fairness::None {
            let any = self.add(Operator::Constant(true));
            return self.add(Operator::AllUntil(any, x));
        }
        let not = self.negate(x);
        let never = self.add(Operator::ExistsGlobally(not));
        self.negate(never)
    }

    fn exists_until(&mut self, x: SubformulaId, y: SubformulaId) -> SubformulaId {
        let y = self.with_fair_path(y);
        self.add(Operator::ExistsUntil(x, y))
    }

    /// Restricts a subformula to states from which a fair path starts. Every finite run extends to a weakly or
    /// strongly fair run: the scheduler always moves the process that has waited longest. It need not extend to a run
    /// on which every process moves infinitely often.
    fn with_fair_path(&mut self, x: SubformulaId) -> SubformulaId {
        if self.every_run_is_fairly_extendable() {
            return x;
        }
        let any = self.add(Operator::Constant(true));
        let fair = self.add(Operator::ExistsGlobally(any));
        self.both(x, fair)
    }

    fn negate(&mut self, x: SubformulaId) -> SubformulaId {
        match self.operator(x) {
            Operator::Not(inner) => inner,
            _ => self.add(Operator::Not(x)),
        }
    }

    /// The conjunction, with a propositional operand first, because it is cheaper.
    fn both(&mut self, x: SubformulaId, y: SubformulaId) -> SubformulaId {
        if self.is_temporal(x) && !self.is_temporal(y) {
            self.add(Operator::And(y, x))
        } else {
            self.add(Operator::And(x, y))
        }
    }

    fn add(&mut self, subformula: Operator) -> SubformulaId {
        let id = SubformulaId(self.nodes.len() as u32);
        let below = |parts: &[SubformulaId]| parts.iter().map(|p| self.nodes[p.index()].height).max().unwrap_or(0) + 1;
        let inner = |parts: &[SubformulaId]| parts.iter().any(|p| self.is_temporal(*p));
        let (height, temporal) = match subformula {
            Operator::Constant(_) | Operator::Atom(_) => (1, false),
            Operator::Not(x) => (below(&[x]), inner(&[x])),
            Operator::And(x, y) => (below(&[x, y]), inner(&[x, y])),
            Operator::ExistsNext(x) | Operator::ExistsGlobally(x) => (below(&[x]), true),
            Operator::ExistsUntil(x, y) | Operator::AllUntil(x, y) => (below(&[x, y]), true),
        };
        self.nodes.push(Node { subformula, origin: id, height, temporal });
        id
    }

    /// Sets the result of a public constructor as the origin of all subformulas that it has created.
    fn build(&mut self, make: impl FnOnce(&mut CtlFormula) -> SubformulaId) -> SubformulaId {
        let first = self.nodes.len();
        let id = make(self);
        for node in &mut self.nodes[first..] {
            node.origin = id;
        }
        id
    }

    /// All subformulas. Operands precede the subformulas that they are part of.
    pub(super) fn subformulas(&self) -> impl Iterator<Item = SubformulaId> {
        (0..self.nodes.len() as u32).map(SubformulaId)
    }

    pub(super) fn root(&self) -> SubformulaId {
        self.root
    }

    pub(super) fn operator(&self, id: SubformulaId) -> Operator {
        self.nodes[id.index()].subformula
    }

    pub(super) fn origin(&self, id: SubformulaId) -> SubformulaId {
        self.nodes[id.index()].origin
    }

    pub(super) fn is_temporal(&self, id: SubformulaId) -> bool {
        self.nodes[id.index()].temporal
    }

    /// Whether evaluation is so cheap that its value is not kept.
    pub(super) fn is_simple(&self, id: SubformulaId) -> bool {
        let node = &self.nodes[id.index()];
        !node.temporal && node.height <= 8
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
}
