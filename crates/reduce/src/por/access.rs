//! What the steps from a location read, write and wait for.

use std::cell::Cell;
use std::collections::HashSet;

use super::bits::Bits;
use super::guards::Gate;
use super::instances::{Actor, Cast, Element};
use super::resources::{Aspect, COMMITTED, Resources, TABLE, TRACE};
use kripke_model::ir::{
    BinaryOp, Channel, Edge, EdgeId, Effect, Expr, Guard, LocId, Location, Model, Pattern, Place, Process, Sync, Then,
    VarRef,
};

/// What the steps that a process can take from one location have to do with others.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// Everything that decides whether a step can be taken and what it does, but for `waits`.
    pub reads: Bits,
    pub writes: Bits,
    /// Something is added to these; it does not matter in which order.
    pub adds: Bits,
    /// What others must do before a step can be taken that can't be taken yet, where nobody can undo that.
    pub waits: Bits,
    /// If one step can be taken, no other waits for anything.
    pub settled: bool,
    /// A rendezvous may be asked for, so that others are moved, or accepted, so that others move the process.
    pub moves_others: bool,
    pub is_moved: bool,
    /// The process wants to be removed.
    pub leaves: bool,
    /// An assertion may fail, or something else go wrong.
    pub risky: bool,
    /// A circle of the process is closed here, or somebody created.
    pub circular: bool,
    /// Where the steps can lead, points in between too.
    pub targets: Bits,
    /// Types of processes that are created.
    pub created: Vec<usize>,
}

/// One way to go on from a location.
#[derive(Debug)]
pub(super) struct Way {
    pub access: Access,
    /// What must be so for it to be taken.
    pub gates: Vec<Gate>,
    /// Whom it may let others meet.
    pub offers: Vec<Gate>,
    /// It is taken only if nobody can move otherwise.
    pub last: bool,
}

/// Locations of each process type that somebody asks about.
pub(super) type Asked = Vec<HashSet<LocId>>;

/// Looks at the steps of an actor, or from outside.
pub(super) struct Reader<'m> {
    pub model: &'m Model,
    pub cast: &'m Cast,
    pub resources: &'m Resources,
    pub asked: &'m Asked,
    /// Some locations are committed; some process claims channels for itself.
    pub committed: bool,
    pub claims: bool,
    /// Channels that a trace watches.
    pub traced: &'m HashSet<usize>,
    /// How many edges were looked at.
    pub looked: &'m Cell<usize>,
    pub actor: Option<&'m Actor>,
}

impl Access {
    /// Of a process with so many locations.
    pub fn new(resources: &Resources, locations: usize) -> Access {
        let none = || Bits::new(resources.len);
        Access {
            reads: none(),
            writes: none(),
            adds: none(),
            waits: none(),
            settled: false,
            moves_others: false,
            is_moved: false,
            leaves: false,
            risky: false,
            circular: false,
            targets: Bits::new(locations),
            created: Vec::new(),
        }
    }

    fn add(&mut self, other: &Access) {
        self.reads.join(&other.reads);
        self.writes.join(&other.writes);
        self.adds.join(&other.adds);
        self.waits.join(&other.waits);
        self.moves_others |= other.moves_others;
        self.is_moved |= other.is_moved;
        self.leaves |= other.leaves;
        self.risky |= other.risky;
        self.circular |= other.circular;
        self.targets.join(&other.targets);
        self.created.extend(&other.created);
    }
}

impl Reader<'_> {
    /// The steps from a location, all together and way by way. `back` are the edges that close circles.
    pub fn location(&self, process: &Process, number: usize, at: LocId, back: &HashSet<EdgeId>) -> (Access, Vec<Way>) {
        let location = &process.locations[at.index()];
        let mut access = Access::new(self.resources, process.locations.len());
        let (mut ways, mut ranked) = (Vec::new(), false);
        for id in &location.edges {
            let (way, is_ranked) = self.way(process, number, at, *id, back);
            access.add(&way.access);
            ranked |= is_ranked;
            ways.push(way);
        }
        access.settled = self.is_settled(process, location);
        if ranked {
            // Whoever makes a step possible makes another one impossible.
            access.reads.add(&access.waits);
            let offers = ways.into_iter().flat_map(|way| way.offers).collect();
            ways = vec![Way { access: access.clone(), gates: Vec::new(), offers, last: false }];
        }
        (access, ways)
    }

    /// The steps that begin with an edge, and whether others can be taken only if these can't.
    fn way(&self, process: &Process, number: usize, at: LocId, id: EdgeId, back: &HashSet<EdgeId>) -> (Way, bool) {
        let first = &process.edges[id.index()];
        let (mut access, mut offers) = (Access::new(self.resources, process.locations.len()), Vec::new());
        if let Some(condition) = &process.provided {
            self.read(condition, &mut access);
        }
        let start = Point { at, stage: Stage::First, keeps: false, chained: false };
        let (mut seen, mut ranked) = (Bits::new(Point::NUMBERS * process.locations.len()), is_ranked(process, at));
        let mut points = Vec::new();
        let mut take = |point: Point, id: &EdgeId, points: &mut Vec<Point>, access: &mut Access| {
            let edge = &process.edges[id.index()];
            self.looked.set(self.looked.get() + 1);
            self.edge(edge, point.stage, access);
            self.offers(edge, &mut offers);
            access.circular |= back.contains(id);
            access.targets.insert(edge.chain.unwrap_or(edge.target).index());
            points.extend(point.after(process, edge, || self.is_private(edge)));
        };
        take(start, &id, &mut points, &mut access);
        while let Some(point) = points.pop() {
            if seen.contains(point.number()) {
                continue;
            }
            seen.insert(point.number());
            // Inside, waiting is reading anyway.
            ranked |= point.stage == Stage::First && is_ranked(process, point.at);
            for id in &process.locations[point.at.index()].edges {
                take(point, id, &mut points, &mut access);
            }
            access.risky |= point.chained && point.stage != Stage::First && may_block(process, point.at);
        }
        self.becomes_ready(process, at, &mut access);
        if self.committed {
            let committed = |at: usize| process.locations[at].committed;
            access.reads.insert(COMMITTED);
            if committed(at.index()) || access.targets.iter().any(committed) {
                access.writes.insert(COMMITTED);
            }
        }
        let asked = &self.asked[number];
        if asked.contains(&at) || access.targets.iter().any(|target| asked.contains(&LocId(target as u32))) {
            access.writes.insert(Resources::location(number));
        }
        let gates = if self.cast.numbered { self.gates(process, first) } else { Vec::new() };
        (Way { access, gates, offers, last: waits_for_all(first) }, ranked)
    }

    /// Every edge waits for the same thing, at the same end of the same channel; or there is one edge only.
    fn is_settled(&self, process: &Process, location: &Location) -> bool {
        let mut common = None;
        let others = location.edges.iter().filter(|id| !waits_for_all(&process.edges[id.index()]));
        let alone = others.count() == 1;
        location.edges.iter().all(|id| {
            let edge = &process.edges[id.index()];
            // While anybody can move, it can't be taken.
            if waits_for_all(edge) {
                return true;
            }
            let plain = edge.level == 0 && !matches!(edge.guard, Guard::Else | Guard::Youngest) && edge.chain.is_none();
            let end = match &edge.sync {
                Some(Sync::Send { channel, .. }) => self.one(channel).map(|c| (c, true)),
                Some(Sync::Receive { channel, anywhere: false, .. }) => self.one(channel).map(|c| (c, false)),
                _ => None,
            };
            alone || plain && end.is_some() && *common.get_or_insert(end) == end
        })
    }

    /// The only channel that an expression names.
    pub(super) fn one(&self, channel: &Expr) -> Option<usize> {
        match self.channels(channel)[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    pub(super) fn channels(&self, expr: &Expr) -> Vec<usize> {
        self.resources.channels(self.model, self.cast, expr, self.actor)
    }

    fn edge(&self, edge: &Edge, stage: Stage, access: &mut Access) {
        match &edge.guard {
            Guard::When(condition) => self.read(condition, access),
            Guard::Youngest => access.leaves = true,
            Guard::Always | Guard::Else => {}
        }
        match &edge.sync {
            Some(Sync::Send { channel, args, sorted }) => {
                args.iter().for_each(|e| self.read(e, access));
                access.moves_others |= self.may_meet(channel);
                let own = if *sorted { &[Aspect::Head, Aspect::Tail][..] } else { &[Aspect::Tail] };
                self.operate(channel, args.len(), own, (Aspect::Space, Aspect::Filled), stage, access);
            }
            Some(Sync::Receive { channel, args, keep, condition, .. }) => {
                self.patterns(args, access);
                access.is_moved |= self.may_meet(channel);
                condition.iter().for_each(|e| self.read(e, access));
                if *keep {
                    self.peek(channel, args.len(), stage, access);
                } else {
                    self.operate(channel, args.len(), &[Aspect::Head], (Aspect::Filled, Aspect::Space), stage, access);
                }
            }
            None => {}
        }
        edge.effects.iter().for_each(|effect| self.effect(effect, access));
    }

    fn is_private(&self, edge: &Edge) -> bool {
        let mut access = Access::new(self.resources, 0);
        self.edge(edge, Stage::Inside, &mut access);
        edge.sync.is_none() && access.is_private()
    }

    /// With the step the process comes to where it is ready for a rendezvous, or leaves.
    fn becomes_ready(&self, process: &Process, at: LocId, access: &mut Access) {
        if self.model.channels.iter().all(|channel| channel.capacity > 0) {
            return;
        }
        let places = access.targets.iter().chain([at.index()]);
        let edges: Vec<EdgeId> = places.flat_map(|at| &process.locations[at].edges).copied().collect();
        for edge in edges.iter().map(|id| &process.edges[id.index()]) {
            let Some(Sync::Send { channel, .. } | Sync::Receive { channel, .. }) = &edge.sync else { continue };
            for number in self.channels(channel) {
                if self.declaration(number).is_none_or(|c| c.capacity == 0) {
                    access.adds.insert(self.resources.channel(number, Aspect::Ready));
                }
            }
        }
    }

    /// Is it a rendezvous channel, or perhaps one?
    fn may_meet(&self, channel: &Expr) -> bool {
        self.channels(channel).into_iter().any(|number| self.declaration(number).is_none_or(|c| c.capacity == 0))
    }

    fn operate(
        &self,
        channel: &Expr,
        fields: usize,
        own: &[Aspect],
        (needs, gives): (Aspect, Aspect),
        stage: Stage,
        access: &mut Access,
    ) {
        self.read(channel, access);
        access.risky |= self.claims;
        for number in self.channels(channel) {
            let id = |aspect| self.resources.channel(number, aspect);
            if self.traced.contains(&number) {
                access.risky = true;
                access.writes.insert(TRACE);
            }
            match self.declaration(number) {
                Some(channel) if channel.capacity == 0 => {
                    access.risky |= channel.fields.len() != fields;
                    access.writes.insert(id(Aspect::Meeting));
                    access.needs(id(Aspect::Ready), stage);
                    continue;
                }
                Some(channel) => access.risky |= channel.fields.len() != fields,
                None => {
                    access.risky = true;
                    access.needs(id(Aspect::Ready), stage);
                    access.writes.insert(id(Aspect::Meeting));
                }
            }
            own.iter().for_each(|aspect| access.writes.insert(id(*aspect)));
            [gives, Aspect::Content].iter().for_each(|aspect| access.adds.insert(id(*aspect)));
            access.needs(id(needs), stage);
        }
    }

    /// Receives a message and leaves it there.
    fn peek(&self, channel: &Expr, fields: usize, stage: Stage, access: &mut Access) {
        self.read(channel, access);
        for number in self.channels(channel) {
            let id = |aspect| self.resources.channel(number, aspect);
            access.risky |= self.declaration(number).is_none_or(|c| c.fields.len() != fields);
            if self.traced.contains(&number) {
                access.writes.insert(TRACE);
            }
            access.reads.insert(id(Aspect::Head));
            access.writes.insert(id(Aspect::Meeting));
            access.needs(id(Aspect::Filled), stage);
        }
    }

    pub(super) fn declaration(&self, channel: usize) -> Option<&Channel> {
        let id = self.cast.channels.get(channel.checked_sub(1)?)?;
        Some(&self.model.channels[id.index()])
    }

    fn patterns(&self, patterns: &[Pattern], access: &mut Access) {
        for pattern in patterns {
            match pattern {
                Pattern::Match(e) => self.read(e, access),
                Pattern::Store(place) => self.store(place, None, access),
                Pattern::Any => {}
            }
        }
    }

    fn effect(&self, effect: &Effect, access: &mut Access) {
        match effect {
            Effect::Assign(place, value) => self.assign(place, value, access),
            Effect::Run { process, args, priority, result } => {
                args.iter().chain(priority).for_each(|e| self.read(e, access));
                result.iter().for_each(|place| self.store(place, None, access));
                access.writes.insert(TABLE);
                access.created.push(process.index());
                (access.risky, access.circular) = (true, true);
            }
            Effect::Assert(e) | Effect::Require { condition: e, .. } => {
                self.read(e, access);
                access.risky = true;
            }
            // The value is shown to people only, but working it out may go wrong.
            Effect::Print(_) => effect.walk(&mut |e| access.risky |= self.may_fail(e)),
            Effect::SetPriority { pid, priority } => {
                self.read(pid, access);
                self.read(priority, access);
            }
            Effect::Remove => self.remove(access),
        }
    }

    /// The process disappears, and its channels with it.
    fn remove(&self, access: &mut Access) {
        access.adds.insert(TABLE);
        let Some(actor) = self.actor else { return };
        access.writes.insert(Resources::location(actor.process));
        let process = &self.model.processes[actor.process];
        for (n, var) in process.locals.iter().enumerate() {
            access.writes_all(self.resources.local(actor.process, kripke_model::ir::VarId(n as u32)));
            if matches!(var.init, kripke_model::ir::Init::Channels(_)) {
                let own =
                    Expr::Load(Place { var: VarRef::Local(kripke_model::ir::VarId(n as u32)), index: Vec::new() });
                for number in self.resources.channels(self.model, self.cast, &own, Some(actor)) {
                    let aspects = [Aspect::Head, Aspect::Tail, Aspect::Content, Aspect::Meeting];
                    aspects.iter().for_each(|aspect| access.writes.insert(self.resources.channel(number, *aspect)));
                }
            }
        }
    }

    fn assign(&self, place: &Place, value: &Expr, access: &mut Access) {
        if let (VarRef::Global(id), Element::One(at)) = (place.var, self.cast.element(self.model, place, self.actor))
            && let Expr::Binary(BinaryOp::Add | BinaryOp::Sub, old, more) = value
            && let Expr::Load(same) = &**old
            && same.var == place.var
            && self.cast.element(self.model, same, self.actor) == Element::One(at)
            && self.model.globals[id.index()].range.is_none()
        {
            self.read(more, access);
            self.resources.global(id, Element::One(at)).for_each(|n| access.adds.insert(n));
            return;
        }
        self.read(value, access);
        self.store(place, Some(value), access);
    }

    fn store(&self, place: &Place, value: Option<&Expr>, access: &mut Access) {
        self.indices(place, access);
        let var = match (place.var, self.actor) {
            (VarRef::Global(id), _) => {
                let element = self.cast.element(self.model, place, self.actor);
                self.resources.global(id, element).for_each(|n| access.writes.insert(n));
                &self.model.globals[id.index()]
            }
            (VarRef::Local(id), Some(actor)) => {
                access.writes_all(self.resources.local(actor.process, id));
                &self.model.processes[actor.process].locals[id.index()]
            }
            (VarRef::Local(_), None) => return,
        };
        if let Some((low, high)) = var.range {
            let value = value.and_then(|value| self.cast.value(self.model, value, self.actor));
            access.risky |= !value.is_some_and(|value| (low..=high).contains(&value));
        }
    }

    fn indices(&self, place: &Place, access: &mut Access) {
        place.index.iter().for_each(|e| self.read(e, access));
        access.risky |= self.cast.element(self.model, place, self.actor) == Element::Any;
    }

    pub fn read(&self, expr: &Expr, access: &mut Access) {
        expr.walk(&mut |part| {
            access.risky |= self.may_fail(part);
            match part {
                Expr::Load(Place { var: VarRef::Global(id), .. }) => {
                    let Expr::Load(place) = part else { return };
                    let element = self.cast.element(self.model, place, self.actor);
                    self.resources.global(*id, element).for_each(|n| access.reads.insert(n));
                }
                Expr::Channel(_, channel) | Expr::Poll { channel, .. } => {
                    for number in self.channels(channel) {
                        access.reads.insert(self.resources.channel(number, Aspect::Content));
                    }
                }
                Expr::ProcessCount => access.reads.insert(TABLE),
                Expr::At { process, .. } => access.reads.insert(Resources::location(process.index())),
                Expr::Remote { process, place, .. } => {
                    if let VarRef::Local(var) = place.var {
                        self.resources.local(process.index(), var).into_iter().for_each(|n| access.reads.insert(n));
                    }
                    access.reads.insert(TABLE);
                }
                _ => {}
            }
        });
    }

    /// Can working out this part of an expression, its own parts aside, go wrong?
    pub(super) fn may_fail(&self, part: &Expr) -> bool {
        match part {
            Expr::Load(place) => self.cast.element(self.model, place, self.actor) == Element::Any,
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) => {
                self.cast.value(self.model, by, self.actor).is_none_or(|by| by == 0)
            }
            Expr::Channel(_, channel) | Expr::Poll { channel, .. } => self.channels(channel).contains(&0),
            Expr::Remote { .. } => true,
            _ => false,
        }
    }
}

impl Access {
    /// Something must be there for the process to go on.
    fn needs(&mut self, resource: usize, stage: Stage) {
        match stage {
            Stage::First => self.waits.insert(resource),
            Stage::Alone => {}
            Stage::Inside => self.reads.insert(resource),
        }
    }

    /// Nobody else has to do with it, and nothing can go wrong.
    fn is_private(&self) -> bool {
        let sets = [&self.reads, &self.writes, &self.adds, &self.waits];
        !(self.risky || self.leaves) && self.created.is_empty() && sets.iter().all(|set| set.iter().next().is_none())
    }

    fn writes_all(&mut self, resource: Option<usize>) {
        resource.into_iter().for_each(|n| self.writes.insert(n));
    }
}

/// A point in a step.
#[derive(Clone, Copy)]
struct Point {
    at: LocId,
    stage: Stage,
    /// The process keeps control when the indivisible sequence ends.
    keeps: bool,
    /// In an indivisible sequence.
    chained: bool,
}

/// How far a step has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// What is needed here is needed for the step to be taken.
    First,
    /// The process has done nothing yet that concerns others, and can go on in one way only. If it must wait for that, it
    /// has come here and rests; whether it does so now and goes on later, or comes here only when it can go on, is all
    /// the same. So nobody need care what is needed here.
    Alone,
    /// What the step does depends on whether it can go on.
    Inside,
}

impl Point {
    /// How many points there are at a location.
    const NUMBERS: usize = 12;

    fn number(self) -> usize {
        Point::NUMBERS * self.at.index()
            + 4 * self.stage as usize
            + 2 * usize::from(self.keeps)
            + usize::from(self.chained)
    }

    /// The next point, if the step goes on after an edge, which may concern nobody else.
    fn after(self, process: &Process, edge: &Edge, is_private: impl Fn() -> bool) -> Option<Point> {
        let keeps = self.keeps || edge.then == Then::Keep;
        let point = |at, keeps, chained| Some(Point { at, stage: Stage::Inside, keeps, chained });
        match (edge.chain, edge.then) {
            (Some(chain), _) => {
                // Whether the sequence can begin decides whether the step can be taken.
                let begins = edge.sync.is_none() && process.locations[chain.index()].edges.len() == 1;
                let stage = if begins { self.stage } else { Stage::Inside };
                Some(Point { at: chain, stage, keeps, chained: true })
            }
            (None, Then::Chain) => point(edge.target, keeps, true),
            (None, _) if keeps => {
                let way_on = &process.locations[edge.target.index()].edges;
                let alone = self.stage != Stage::Inside && !self.chained && way_on.len() == 1 && is_private();
                let stage = if alone { Stage::Alone } else { Stage::Inside };
                Some(Point { at: edge.target, stage, keeps: false, chained: false })
            }
            (None, _) => None,
        }
    }
}

/// The edge can be taken only if no other can, anywhere.
fn waits_for_all(edge: &Edge) -> bool {
    fn needs_timeout(condition: &Expr) -> bool {
        match condition {
            Expr::Timeout => true,
            Expr::Binary(BinaryOp::And, a, b) => needs_timeout(a) || needs_timeout(b),
            _ => false,
        }
    }
    matches!(&edge.guard, Guard::When(condition) if needs_timeout(condition))
}

/// Some edges can be taken only if others can't.
fn is_ranked(process: &Process, at: LocId) -> bool {
    let mut edges = process.locations[at.index()].edges.iter().map(|id| &process.edges[id.index()]);
    let Some(first) = edges.next() else { return false };
    let is_else = |edge: &Edge| matches!(edge.guard, Guard::Else);
    is_else(first) || edges.any(|edge| is_else(edge) || edge.level != first.level)
}

fn may_block(process: &Process, at: LocId) -> bool {
    let mut edges = process.locations[at.index()].edges.iter().map(|id| &process.edges[id.index()]);
    !edges.any(|edge| edge.sync.is_none() && matches!(edge.guard, Guard::Always | Guard::Else))
}
