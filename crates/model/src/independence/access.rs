//! What the steps from a location read, write and wait for.

use std::collections::HashSet;

use super::bits::Bits;
use super::cast::{Actor, Cast, Element};
use super::resources::{Aspect, COMMITTED, Resources, TABLE, TRACE};
use crate::ir::{
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
    pub targets: HashSet<LocId>,
    /// Types of processes that are created.
    pub created: Vec<usize>,
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
    pub actor: Option<&'m Actor>,
}

impl Access {
    pub fn new(resources: &Resources) -> Access {
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
            targets: HashSet::new(),
            created: Vec::new(),
        }
    }
}

impl Reader<'_> {
    /// The steps from a location. `back` are the edges that close circles.
    pub fn location(&self, process: &Process, number: usize, at: LocId, back: &HashSet<EdgeId>) -> Access {
        let mut access = Access::new(self.resources);
        if let Some(condition) = &process.provided {
            self.read(condition, &mut access);
        }
        let location = &process.locations[at.index()];
        access.settled = self.is_settled(process, location);
        let (mut seen, mut ranked) = (HashSet::new(), false);
        let mut points = vec![Point { at, inside: false, keeps: false, chained: false }];
        while let Some(point) = points.pop() {
            if !seen.insert(point) {
                continue;
            }
            // Inside, waiting is reading anyway.
            ranked |= !point.inside && is_ranked(process, point.at);
            for id in &process.locations[point.at.index()].edges {
                let edge = &process.edges[id.index()];
                self.edge(edge, point.inside, &mut access);
                access.circular |= back.contains(id);
                access.targets.insert(edge.chain.unwrap_or(edge.target));
                points.extend(point.after(process, edge));
            }
            access.risky |= point.chained && point.inside && may_block(process, point.at);
        }
        self.becomes_ready(process, at, &mut access);
        if ranked {
            // Whoever makes a step possible makes another one impossible.
            access.reads.add(&access.waits);
        }
        if self.committed {
            let committed = |at: &LocId| process.locations[at.index()].committed;
            access.reads.insert(COMMITTED);
            if committed(&at) || access.targets.iter().any(committed) {
                access.writes.insert(COMMITTED);
            }
        }
        let asked = &self.asked[number];
        if asked.contains(&at) || access.targets.iter().any(|target| asked.contains(target)) {
            access.writes.insert(Resources::location(number));
        }
        access
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
    fn one(&self, channel: &Expr) -> Option<usize> {
        match self.channels(channel)[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    fn channels(&self, expr: &Expr) -> Vec<usize> {
        self.resources.channels(self.model, self.cast, expr, self.actor)
    }

    /// Where others look at who is inside a step already, waiting is reading.
    fn edge(&self, edge: &Edge, inside: bool, access: &mut Access) {
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
                self.operate(channel, args.len(), own, (Aspect::Space, Aspect::Filled), inside, access);
            }
            Some(Sync::Receive { channel, args, keep, condition, .. }) => {
                self.patterns(args, access);
                access.is_moved |= self.may_meet(channel);
                condition.iter().for_each(|e| self.read(e, access));
                if *keep {
                    self.peek(channel, args.len(), inside, access);
                } else {
                    self.operate(channel, args.len(), &[Aspect::Head], (Aspect::Filled, Aspect::Space), inside, access);
                }
            }
            None => {}
        }
        edge.effects.iter().for_each(|effect| self.effect(effect, access));
    }

    /// With the step the process comes to where it is ready for a rendezvous, or leaves.
    fn becomes_ready(&self, process: &Process, at: LocId, access: &mut Access) {
        if self.model.channels.iter().all(|channel| channel.capacity > 0) {
            return;
        }
        let places: Vec<LocId> = access.targets.iter().copied().chain([at]).collect();
        let edges = places.iter().flat_map(|at| &process.locations[at.index()].edges);
        for edge in edges.map(|id| &process.edges[id.index()]) {
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
        inside: bool,
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
                    if inside { &mut access.reads } else { &mut access.waits }.insert(id(Aspect::Ready));
                    continue;
                }
                Some(channel) => access.risky |= channel.fields.len() != fields,
                None => {
                    access.risky = true;
                    if inside { &mut access.reads } else { &mut access.waits }.insert(id(Aspect::Ready));
                    access.writes.insert(id(Aspect::Meeting));
                }
            }
            own.iter().for_each(|aspect| access.writes.insert(id(*aspect)));
            [gives, Aspect::Content].iter().for_each(|aspect| access.adds.insert(id(*aspect)));
            if inside { &mut access.reads } else { &mut access.waits }.insert(id(needs));
        }
    }

    /// Receives a message and leaves it there.
    fn peek(&self, channel: &Expr, fields: usize, inside: bool, access: &mut Access) {
        self.read(channel, access);
        for number in self.channels(channel) {
            let id = |aspect| self.resources.channel(number, aspect);
            access.risky |= self.declaration(number).is_none_or(|c| c.fields.len() != fields);
            if self.traced.contains(&number) {
                access.writes.insert(TRACE);
            }
            access.reads.insert(id(Aspect::Head));
            access.writes.insert(id(Aspect::Meeting));
            if inside { &mut access.reads } else { &mut access.waits }.insert(id(Aspect::Filled));
        }
    }

    fn declaration(&self, channel: usize) -> Option<&Channel> {
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
            access.writes_all(self.resources.local(actor.process, crate::ir::VarId(n as u32)));
            if matches!(var.init, crate::ir::Init::Channels(_)) {
                let own = Expr::Load(Place { var: VarRef::Local(crate::ir::VarId(n as u32)), index: Vec::new() });
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
    fn may_fail(&self, part: &Expr) -> bool {
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
    fn writes_all(&mut self, resource: Option<usize>) {
        resource.into_iter().for_each(|n| self.writes.insert(n));
    }
}

/// A point in a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Point {
    at: LocId,
    /// The step has begun.
    inside: bool,
    /// The process keeps control when the indivisible sequence ends.
    keeps: bool,
    /// In an indivisible sequence.
    chained: bool,
}

impl Point {
    /// The next point, if the step goes on after an edge.
    fn after(self, process: &Process, edge: &Edge) -> Option<Point> {
        let keeps = self.keeps || edge.then == Then::Keep;
        let point = |at, keeps, chained| Some(Point { at, inside: true, keeps, chained });
        match (edge.chain, edge.then) {
            (Some(chain), _) => {
                // Whether the sequence can begin decides whether the step can be taken.
                let begins = edge.sync.is_none() && process.locations[chain.index()].edges.len() == 1;
                Some(Point { at: chain, inside: self.inside || !begins, keeps, chained: true })
            }
            (None, Then::Chain) => point(edge.target, keeps, true),
            (None, _) if keeps => point(edge.target, false, false),
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
