//! Formulas about branching, in the few operators that are evaluated.

use super::super::liveness::Fairness;

/// A part of a [`Branching`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PartId(u32);

impl PartId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Paths are maximal: they are endless, or end where nothing can move. Only fair ones count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Constant(bool),
    /// A bit of [`Successors::atoms`](kripke_model::Successors::atoms).
    Atom(u32),
    Not(PartId),
    And(PartId, PartId),
    /// Some successor.
    Next(PartId),
    /// On some path the first until the second, which comes. The path need not be fair.
    Until(PartId, PartId),
    /// On all paths, fair or not, the first until the second, which comes.
    Inevitable(PartId, PartId),
    /// On some fair path always.
    Stays(PartId),
}

/// A formula of computation tree logic over the atoms of states, built from its parts up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branching {
    nodes: Vec<Node>,
    whole: PartId,
    fairness: Fairness,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Node {
    part: Part,
    /// The part that was asked for and has made this one, directly or not.
    origin: PartId,
    height: u32,
    temporal: bool,
}

impl Branching {
    /// A formula about paths that are fair.
    pub fn new(fairness: Fairness) -> Branching {
        Branching { nodes: Vec::new(), whole: PartId(0), fairness }
    }

    /// The formula that is this part.
    #[must_use]
    pub fn of(self, whole: PartId) -> Branching {
        Branching { whole, ..self }
    }

    pub fn fairness(&self) -> Fairness {
        self.fairness
    }

    /// Whether every finite run is the beginning of a fair one.
    pub(super) fn every_run_goes_on(&self) -> bool {
        self.fairness != Fairness::Impartial
    }

    /// How deep its evaluation is nested.
    pub fn height(&self) -> u32 {
        self.nodes.get(self.whole.index()).map_or(0, |node| node.height)
    }

    pub fn constant(&mut self, value: bool) -> PartId {
        self.build(|f| f.add(Part::Constant(value)))
    }

    pub fn atom(&mut self, bit: u32) -> PartId {
        self.build(|f| f.add(Part::Atom(bit)))
    }

    pub fn not(&mut self, x: PartId) -> PartId {
        self.build(|f| f.negate(x))
    }

    pub fn and(&mut self, x: PartId, y: PartId) -> PartId {
        self.build(|f| f.both(x, y))
    }

    pub fn or(&mut self, x: PartId, y: PartId) -> PartId {
        self.build(|f| {
            let (x, y) = (f.negate(x), f.negate(y));
            let neither = f.both(x, y);
            f.negate(neither)
        })
    }

    pub fn implies(&mut self, x: PartId, y: PartId) -> PartId {
        self.build(|f| {
            let not = f.negate(y);
            let broken = f.both(x, not);
            f.negate(broken)
        })
    }

    pub fn equivalent(&mut self, x: PartId, y: PartId) -> PartId {
        self.build(|f| {
            let (not_x, not_y) = (f.negate(x), f.negate(y));
            let (only_x, only_y) = (f.both(x, not_y), f.both(not_x, y));
            let (a, b) = (f.negate(only_x), f.negate(only_y));
            f.both(a, b)
        })
    }

    /// `EX x`
    pub fn some_next(&mut self, x: PartId) -> PartId {
        self.build(|f| {
            let x = f.on_a_fair_path(x);
            f.add(Part::Next(x))
        })
    }

    /// `AX x`
    pub fn every_next(&mut self, x: PartId) -> PartId {
        self.build(|f| {
            let not = f.negate(x);
            let not = f.on_a_fair_path(not);
            let some = f.add(Part::Next(not));
            f.negate(some)
        })
    }

    /// `E[x U y]`
    pub fn some_until(&mut self, x: PartId, y: PartId) -> PartId {
        self.build(|f| f.exists_until(x, y))
    }

    /// `A[x U y]`
    pub fn every_until(&mut self, x: PartId, y: PartId) -> PartId {
        self.build(|f| {
            if f.fairness == Fairness::None {
                return f.add(Part::Inevitable(x, y));
            }
            // A path on which it is not so has no y before x ends, or no y at all.
            let (not_x, not_y) = (f.negate(x), f.negate(y));
            let lost = f.both(not_x, not_y);
            let lost = f.exists_until(not_y, lost);
            let never = f.add(Part::Stays(not_y));
            let (saved, comes) = (f.negate(lost), f.negate(never));
            f.both(saved, comes)
        })
    }

    /// `EF x`
    pub fn some_finally(&mut self, x: PartId) -> PartId {
        self.build(|f| {
            let any = f.add(Part::Constant(true));
            f.exists_until(any, x)
        })
    }

    /// `AG x`
    pub fn always(&mut self, x: PartId) -> PartId {
        self.build(|f| {
            let (any, not) = (f.add(Part::Constant(true)), f.negate(x));
            let bad = f.exists_until(any, not);
            f.negate(bad)
        })
    }

    /// `AF x`
    pub fn every_finally(&mut self, x: PartId) -> PartId {
        self.build(|f| f.comes(x))
    }

    /// `EG x`
    pub fn some_always(&mut self, x: PartId) -> PartId {
        self.build(|f| {
            let not = f.negate(x);
            let comes = f.comes(not);
            f.negate(comes)
        })
    }

    fn comes(&mut self, x: PartId) -> PartId {
        if self.fairness == Fairness::None {
            let any = self.add(Part::Constant(true));
            return self.add(Part::Inevitable(any, x));
        }
        let not = self.negate(x);
        let never = self.add(Part::Stays(not));
        self.negate(never)
    }

    fn exists_until(&mut self, x: PartId, y: PartId) -> PartId {
        let y = self.on_a_fair_path(y);
        self.add(Part::Until(x, y))
    }

    /// Every run can go on in a way that is weakly or strongly fair, by letting move whoever has waited longest. Not
    /// every run can go on so that all move for ever.
    fn on_a_fair_path(&mut self, x: PartId) -> PartId {
        if self.every_run_goes_on() {
            return x;
        }
        let any = self.add(Part::Constant(true));
        let fair = self.add(Part::Stays(any));
        self.both(x, fair)
    }

    fn negate(&mut self, x: PartId) -> PartId {
        match self.part(x) {
            Part::Not(inner) => inner,
            _ => self.add(Part::Not(x)),
        }
    }

    /// What is quickly judged comes first.
    fn both(&mut self, x: PartId, y: PartId) -> PartId {
        if self.is_temporal(x) && !self.is_temporal(y) { self.add(Part::And(y, x)) } else { self.add(Part::And(x, y)) }
    }

    fn add(&mut self, part: Part) -> PartId {
        let id = PartId(self.nodes.len() as u32);
        let below = |parts: &[PartId]| parts.iter().map(|p| self.nodes[p.index()].height).max().unwrap_or(0) + 1;
        let inner = |parts: &[PartId]| parts.iter().any(|p| self.is_temporal(*p));
        let (height, temporal) = match part {
            Part::Constant(_) | Part::Atom(_) => (1, false),
            Part::Not(x) => (below(&[x]), inner(&[x])),
            Part::And(x, y) => (below(&[x, y]), inner(&[x, y])),
            Part::Next(x) | Part::Stays(x) => (below(&[x]), true),
            Part::Until(x, y) | Part::Inevitable(x, y) => (below(&[x, y]), true),
        };
        self.nodes.push(Node { part, origin: id, height, temporal });
        id
    }

    /// What one call from outside has made has its result as origin.
    fn build(&mut self, make: impl FnOnce(&mut Branching) -> PartId) -> PartId {
        let first = self.nodes.len();
        let id = make(self);
        for node in &mut self.nodes[first..] {
            node.origin = id;
        }
        id
    }

    pub(super) fn whole(&self) -> PartId {
        self.whole
    }

    pub(super) fn part(&self, id: PartId) -> Part {
        self.nodes[id.index()].part
    }

    pub(super) fn origin(&self, id: PartId) -> PartId {
        self.nodes[id.index()].origin
    }

    pub(super) fn is_temporal(&self, id: PartId) -> bool {
        self.nodes[id.index()].temporal
    }

    /// So easy to judge that the answer need not be kept.
    pub(super) fn is_simple(&self, id: PartId) -> bool {
        let node = &self.nodes[id.index()];
        !node.temporal && node.height <= 8
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
}
