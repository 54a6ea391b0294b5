//! The resources that the steps from a location read, write, add to and wait for.

use std::cell::Cell;
use std::collections::HashSet;

use super::guards::StateGuard;
use super::instances::{Element, Instance, Instances};
use super::resources::{Aspect, COMMITTED, PROCESSES, Resources, TRACE};
use super::visible::ObservedLocations;
use crate::bitset::BitSet;
use kripke_model::ir::{
    BinaryOp, Channel, Edge, EdgeId, Effect, Expr, Guard, LocId, Location, Model, Pattern, Place, Process, Sync, Then,
    VarRef,
};

/// The accesses of all steps of a process from one location.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// Resources that decide whether a step is enabled and what it does, except for `waits`.
    pub reads: BitSet,
    pub writes: BitSet,
    /// Resources that are changed by commutative operations.
    pub adds: BitSet,
    /// Resources that other processes must add to before a disabled step is enabled. No other process can undo that.
    pub waits: BitSet,
    /// If one edge is enabled, no other edge waits for anything.
    pub enabled_together: bool,
    /// The process may send in a rendezvous, or receive in one.
    pub rendezvous_send: bool,
    pub rendezvous_receive: bool,
    /// The process can end here.
    pub may_end: bool,
    /// An assertion or an evaluation may fail.
    pub may_fail: bool,
    /// A step takes a back edge, or creates a process.
    pub closes_cycle: bool,
    /// The locations that the steps can reach, intermediate ones included.
    pub targets: BitSet,
    /// The types of the processes that are created.
    pub created: Vec<usize>,
}

/// The steps that begin with one edge of a location.
#[derive(Debug)]
pub(super) struct Alternative {
    pub access: Access,
    /// Necessary conditions for the steps.
    pub guards: Vec<StateGuard>,
    /// The rendezvous operations that it offers to other processes.
    pub offers: Vec<StateGuard>,
    /// The edge is enabled only if no other edge of any process is.
    pub timeout_only: bool,
}

/// The analysis of the steps of an instance, or of the property if there is none.
pub(super) struct Analysis<'m> {
    pub model: &'m Model,
    pub instances: &'m Instances,
    pub resources: &'m Resources,
    pub observed: &'m ObservedLocations,
    /// Some location is committed; some process has an exclusive channel claim.
    pub committed: bool,
    pub claims: bool,
    /// Channels that the trace automaton reads.
    pub traced: &'m HashSet<usize>,
    /// The number of edges visited.
    pub edge_visits: &'m Cell<usize>,
    pub instance: Option<&'m Instance>,
}

impl Access {
    /// No access, for a process with this number of locations.
    pub fn new(resources: &Resources, locations: usize) -> Access {
        let none = || BitSet::new(resources.len);
        Access {
            reads: none(),
            writes: none(),
            adds: none(),
            waits: none(),
            enabled_together: false,
            rendezvous_send: false,
            rendezvous_receive: false,
            may_end: false,
            may_fail: false,
            closes_cycle: false,
            targets: BitSet::new(locations),
            created: Vec::new(),
        }
    }

    fn add(&mut self, other: &Access) {
        self.reads.union_with(&other.reads);
        self.writes.union_with(&other.writes);
        self.adds.union_with(&other.adds);
        self.waits.union_with(&other.waits);
        self.rendezvous_send |= other.rendezvous_send;
        self.rendezvous_receive |= other.rendezvous_receive;
        self.may_end |= other.may_end;
        self.may_fail |= other.may_fail;
        self.closes_cycle |= other.closes_cycle;
        self.targets.union_with(&other.targets);
        self.created.extend(&other.created);
    }
}

impl Analysis<'_> {
    /// The steps from a location, all together and edge by edge. `back` contains the back edges of the process.
    pub fn location(
        &self,
        process: &Process,
        number: usize,
        at: LocId,
        back: &HashSet<EdgeId>,
    ) -> (Access, Vec<Alternative>) {
        let location = &process.locations[at.index()];
        let mut access = Access::new(self.resources, process.locations.len());
        let (mut alternatives, mut has_precedence) = (Vec::new(), false);
        for id in &location.edges {
            let (alternative, precedence) = self.alternative(process, number, at, *id, back);
            access.add(&alternative.access);
            has_precedence |= precedence;
            alternatives.push(alternative);
        }
        access.enabled_together = self.are_enabled_together(process, location);
        if has_precedence {
            // A process that enables an edge disables one of lower precedence.
            access.reads.union_with(&access.waits);
            let offers = alternatives.into_iter().flat_map(|alternative| alternative.offers).collect();
            alternatives =
                vec![Alternative { access: access.clone(), guards: Vec::new(), offers, timeout_only: false }];
        }
        (access, alternatives)
    }

    /// The steps that begin with an edge, and whether edges on the way have a precedence.
    fn alternative(
        &self,
        process: &Process,
        number: usize,
        at: LocId,
        id: EdgeId,
        back: &HashSet<EdgeId>,
    ) -> (Alternative, bool) {
        let first = &process.edges[id.index()];
        let (mut access, mut offers) = (Access::new(self.resources, process.locations.len()), Vec::new());
        if let Some(condition) = &process.provided {
            self.read(condition, &mut access);
        }
        let start = Position { at, stage: Stage::First, keeps: false, chained: false };
        let (mut seen, mut has_precedence) =
            (BitSet::new(Position::NUMBERS * process.locations.len()), edges_have_precedence(process, at));
        let mut positions = Vec::new();
        let mut take = |position: Position, id: &EdgeId, positions: &mut Vec<Position>, access: &mut Access| {
            let edge = &process.edges[id.index()];
            self.edge_visits.set(self.edge_visits.get() + 1);
            self.edge(edge, position.stage, access);
            self.offers(edge, &mut offers);
            access.closes_cycle |= back.contains(id);
            access.targets.insert(edge.chain.unwrap_or(edge.target).index());
            positions.extend(position.after(process, edge, || self.is_private(edge)));
        };
        take(start, &id, &mut positions, &mut access);
        while let Some(position) = positions.pop() {
            if seen.contains(position.number()) {
                continue;
            }
            seen.insert(position.number());
            // Inside of a step, requirements count as reads anyway.
            has_precedence |= position.stage == Stage::First && edges_have_precedence(process, position.at);
            for id in &process.locations[position.at.index()].edges {
                take(position, id, &mut positions, &mut access);
            }
            access.may_fail |= position.chained && position.stage != Stage::First && may_block(process, position.at);
        }
        self.change_offers(process, at, &mut access);
        self.change_location(process, number, at, &mut access);
        let guards = if self.instances.by_pid { self.guards(process, first) } else { Vec::new() };
        (Alternative { access, guards, offers, timeout_only: requires_timeout(first) }, has_precedence)
    }

    /// Adds the resources that the change of the location accesses: committed and observed locations.
    fn change_location(&self, process: &Process, number: usize, at: LocId, access: &mut Access) {
        if self.committed {
            let committed = |at: usize| process.locations[at].committed;
            access.reads.insert(COMMITTED);
            if committed(at.index()) || access.targets.iter().any(committed) {
                access.writes.insert(COMMITTED);
            }
        }
        let observed = &self.observed[number];
        if observed.contains(&at) || access.targets.iter().any(|target| observed.contains(&LocId(target as u32))) {
            access.writes.insert(Resources::location(number));
        }
    }

    /// True if the edges of a location are enabled together: all use the same end of the same channel, or there is
    /// one edge only.
    fn are_enabled_together(&self, process: &Process, location: &Location) -> bool {
        let mut common = None;
        let others = location.edges.iter().filter(|id| !requires_timeout(&process.edges[id.index()]));
        let alone = others.count() == 1;
        location.edges.iter().all(|id| {
            let edge = &process.edges[id.index()];
            // It is disabled while any process is enabled.
            if requires_timeout(edge) {
                return true;
            }
            let plain = edge.level == 0 && !matches!(edge.guard, Guard::Else | Guard::Youngest) && edge.chain.is_none();
            let end = match &edge.sync {
                Some(Sync::Send { channel, .. }) => self.single_channel(channel).map(|c| (c, true)),
                Some(Sync::Receive { channel, anywhere: false, .. }) => {
                    self.single_channel(channel).map(|c| (c, false))
                }
                _ => None,
            };
            alone || plain && end.is_some() && *common.get_or_insert(end) == end
        })
    }

    /// The channel that an expression denotes, if there is only one.
    pub(super) fn single_channel(&self, channel: &Expr) -> Option<usize> {
        match self.channels(channel)[..] {
            [single_channel] => Some(single_channel),
            _ => None,
        }
    }

    pub(super) fn channels(&self, expr: &Expr) -> Vec<usize> {
        self.resources.channels(self.model, self.instances, expr, self.instance)
    }

    fn edge(&self, edge: &Edge, stage: Stage, access: &mut Access) {
        match &edge.guard {
            Guard::When(condition) => self.read(condition, access),
            Guard::Youngest => access.may_end = true,
            Guard::Always | Guard::Else => {}
        }
        match &edge.sync {
            Some(Sync::Send { channel, args, sorted }) => {
                args.iter().for_each(|e| self.read(e, access));
                access.rendezvous_send |= self.may_be_rendezvous(channel);
                let own = if *sorted { &[Aspect::Head, Aspect::Tail][..] } else { &[Aspect::Tail] };
                self.operate(channel, args.len(), own, (Aspect::NonFull, Aspect::NonEmpty), stage, access);
            }
            Some(Sync::Receive { channel, args, keep, condition, .. }) => {
                self.patterns(args, access);
                access.rendezvous_receive |= self.may_be_rendezvous(channel);
                condition.iter().for_each(|e| self.read(e, access));
                if *keep {
                    self.peek(channel, args.len(), stage, access);
                } else {
                    self.operate(
                        channel,
                        args.len(),
                        &[Aspect::Head],
                        (Aspect::NonEmpty, Aspect::NonFull),
                        stage,
                        access,
                    );
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

    /// Adds the rendezvous that the process offers after the step, or no longer offers.
    fn change_offers(&self, process: &Process, at: LocId, access: &mut Access) {
        if self.model.channels.iter().all(|channel| channel.capacity > 0) {
            return;
        }
        let places = access.targets.iter().chain([at.index()]);
        let edges: Vec<EdgeId> = places.flat_map(|at| &process.locations[at].edges).copied().collect();
        for edge in edges.iter().map(|id| &process.edges[id.index()]) {
            let Some(Sync::Send { channel, .. } | Sync::Receive { channel, .. }) = &edge.sync else { continue };
            for number in self.channels(channel) {
                if self.declaration(number).is_none_or(|c| c.capacity == 0) {
                    access.adds.insert(self.resources.channel(number, Aspect::Offer));
                }
            }
        }
    }

    /// True if an expression can denote a rendezvous channel.
    fn may_be_rendezvous(&self, channel: &Expr) -> bool {
        self.channels(channel).into_iter().any(|number| self.declaration(number).is_none_or(|c| c.capacity == 0))
    }

    fn operate(
        &self,
        channel: &Expr,
        fields: usize,
        own: &[Aspect],
        (requires, gives): (Aspect, Aspect),
        stage: Stage,
        access: &mut Access,
    ) {
        self.read(channel, access);
        access.may_fail |= self.claims;
        for number in self.channels(channel) {
            let id = |aspect| self.resources.channel(number, aspect);
            if self.traced.contains(&number) {
                access.may_fail = true;
                access.writes.insert(TRACE);
            }
            match self.declaration(number) {
                Some(channel) if channel.capacity == 0 => {
                    access.may_fail |= channel.fields.len() != fields;
                    access.writes.insert(id(Aspect::Rendezvous));
                    access.requires(id(Aspect::Offer), stage);
                    continue;
                }
                Some(channel) => access.may_fail |= channel.fields.len() != fields,
                None => {
                    access.may_fail = true;
                    access.requires(id(Aspect::Offer), stage);
                    access.writes.insert(id(Aspect::Rendezvous));
                }
            }
            own.iter().for_each(|aspect| access.writes.insert(id(*aspect)));
            [gives, Aspect::Content].iter().for_each(|aspect| access.adds.insert(id(*aspect)));
            access.requires(id(requires), stage);
        }
    }

    /// A receive that leaves the message in the channel.
    fn peek(&self, channel: &Expr, fields: usize, stage: Stage, access: &mut Access) {
        self.read(channel, access);
        for number in self.channels(channel) {
            let id = |aspect| self.resources.channel(number, aspect);
            access.may_fail |= self.declaration(number).is_none_or(|c| c.fields.len() != fields);
            if self.traced.contains(&number) {
                access.writes.insert(TRACE);
            }
            access.reads.insert(id(Aspect::Head));
            access.writes.insert(id(Aspect::Rendezvous));
            access.requires(id(Aspect::NonEmpty), stage);
        }
    }

    pub(super) fn declaration(&self, channel: usize) -> Option<&Channel> {
        let id = self.instances.channels.get(channel.checked_sub(1)?)?;
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
                access.writes.insert(PROCESSES);
                access.created.push(process.index());
                (access.may_fail, access.closes_cycle) = (true, true);
            }
            Effect::Assert(e) | Effect::Require { condition: e, .. } => {
                self.read(e, access);
                access.may_fail = true;
            }
            // Output is not part of a state, but its evaluation may fail.
            Effect::Print(_) => effect.walk(&mut |e| access.may_fail |= self.may_fail(e)),
            Effect::SetPriority { pid, priority } => {
                self.read(pid, access);
                self.read(priority, access);
            }
            Effect::Remove => self.remove(access),
        }
    }

    /// The process ends, and its channels with it.
    fn remove(&self, access: &mut Access) {
        access.adds.insert(PROCESSES);
        let Some(instance) = self.instance else { return };
        access.writes.insert(Resources::location(instance.process));
        let process = &self.model.processes[instance.process];
        for (n, var) in process.locals.iter().enumerate() {
            access.writes_all(self.resources.local(instance.process, kripke_model::ir::VarId(n as u32)));
            if matches!(var.init, kripke_model::ir::Init::Channels(_)) {
                let own =
                    Expr::Load(Place { var: VarRef::Local(kripke_model::ir::VarId(n as u32)), index: Vec::new() });
                for number in self.resources.channels(self.model, self.instances, &own, Some(instance)) {
                    let aspects = [Aspect::Head, Aspect::Tail, Aspect::Content, Aspect::Rendezvous];
                    aspects.iter().for_each(|aspect| access.writes.insert(self.resources.channel(number, *aspect)));
                }
            }
        }
    }

    fn assign(&self, place: &Place, value: &Expr, access: &mut Access) {
        if let (VarRef::Global(id), Element::One(at)) =
            (place.var, self.instances.element(self.model, place, self.instance))
            && let Expr::Binary(BinaryOp::Add | BinaryOp::Sub, old, more) = value
            && let Expr::Load(same) = &**old
            && same.var == place.var
            && self.instances.element(self.model, same, self.instance) == Element::One(at)
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
        let var = match (place.var, self.instance) {
            (VarRef::Global(id), _) => {
                let element = self.instances.element(self.model, place, self.instance);
                self.resources.global(id, element).for_each(|n| access.writes.insert(n));
                &self.model.globals[id.index()]
            }
            (VarRef::Local(id), Some(instance)) => {
                access.writes_all(self.resources.local(instance.process, id));
                &self.model.processes[instance.process].locals[id.index()]
            }
            (VarRef::Local(_), None) => return,
        };
        if let Some((low, high)) = var.range {
            let value = value.and_then(|value| self.instances.value(self.model, value, self.instance));
            access.may_fail |= !value.is_some_and(|value| (low..=high).contains(&value));
        }
    }

    fn indices(&self, place: &Place, access: &mut Access) {
        place.index.iter().for_each(|e| self.read(e, access));
        access.may_fail |= self.instances.element(self.model, place, self.instance) == Element::Any;
    }

    pub fn read(&self, expr: &Expr, access: &mut Access) {
        expr.walk(&mut |part| {
            access.may_fail |= self.may_fail(part);
            match part {
                Expr::Load(Place { var: VarRef::Global(id), .. }) => {
                    let Expr::Load(place) = part else { return };
                    let element = self.instances.element(self.model, place, self.instance);
                    self.resources.global(*id, element).for_each(|n| access.reads.insert(n));
                }
                Expr::Channel(_, channel) | Expr::Poll { channel, .. } => {
                    for number in self.channels(channel) {
                        access.reads.insert(self.resources.channel(number, Aspect::Content));
                    }
                }
                Expr::ProcessCount => access.reads.insert(PROCESSES),
                Expr::At { process, .. } => access.reads.insert(Resources::location(process.index())),
                Expr::Remote { process, place, .. } => {
                    if let VarRef::Local(var) = place.var {
                        self.resources.local(process.index(), var).into_iter().for_each(|n| access.reads.insert(n));
                    }
                    access.reads.insert(PROCESSES);
                }
                _ => {}
            }
        });
    }

    /// True if the evaluation of this node of an expression, apart from its operands, may fail.
    pub(super) fn may_fail(&self, part: &Expr) -> bool {
        match part {
            Expr::Load(place) => self.instances.element(self.model, place, self.instance) == Element::Any,
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) => {
                self.instances.value(self.model, by, self.instance).is_none_or(|by| by == 0)
            }
            Expr::Channel(_, channel) | Expr::Poll { channel, .. } => self.channels(channel).contains(&0),
            Expr::Remote { .. } => true,
            _ => false,
        }
    }
}

impl Access {
    /// Adds a resource that the process waits for.
    fn requires(&mut self, resource: usize, stage: Stage) {
        match stage {
            Stage::First => self.waits.insert(resource),
            Stage::Alone => {}
            Stage::Inside => self.reads.insert(resource),
        }
    }

    /// No other process can observe or influence the steps, and they cannot fail.
    fn is_private(&self) -> bool {
        let sets = [&self.reads, &self.writes, &self.adds, &self.waits];
        !(self.may_fail || self.may_end)
            && self.created.is_empty()
            && sets.iter().all(|set| set.iter().next().is_none())
    }

    fn writes_all(&mut self, resource: Option<usize>) {
        resource.into_iter().for_each(|n| self.writes.insert(n));
    }
}

/// A position inside of a step.
#[derive(Clone, Copy)]
struct Position {
    at: LocId,
    stage: Stage,
    /// The process keeps control after the indivisible sequence.
    keeps: bool,
    /// The position is in an indivisible sequence.
    chained: bool,
}

/// The part of a step to which a position belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// What is required here is required for the step to be enabled.
    First,
    /// The process has accessed nothing shared yet, and has one edge only. If that edge is disabled, the process
    /// stops here and executes it later. Both orders lead to the same states, so no other process depends on what is
    /// required here.
    Alone,
    /// What the step does depends on whether the next edge is enabled.
    Inside,
}

impl Position {
    /// The number of positions at a location.
    const NUMBERS: usize = 12;

    fn number(self) -> usize {
        Position::NUMBERS * self.at.index()
            + 4 * self.stage as usize
            + 2 * usize::from(self.keeps)
            + usize::from(self.chained)
    }

    /// The position after an edge, if the step continues. `is_private` says whether the edge accesses nothing shared.
    fn after(self, process: &Process, edge: &Edge, is_private: impl Fn() -> bool) -> Option<Position> {
        let keeps = self.keeps || edge.then == Then::Keep;
        let position = |at, keeps, chained| Some(Position { at, stage: Stage::Inside, keeps, chained });
        match (edge.chain, edge.then) {
            (Some(chain), _) => {
                // The step is enabled if the first edge of the sequence is.
                let begins = edge.sync.is_none() && process.locations[chain.index()].edges.len() == 1;
                let stage = if begins { self.stage } else { Stage::Inside };
                Some(Position { at: chain, stage, keeps, chained: true })
            }
            (None, Then::Chain) => position(edge.target, keeps, true),
            (None, _) if keeps => {
                let way_on = &process.locations[edge.target.index()].edges;
                let alone = self.stage != Stage::Inside && !self.chained && way_on.len() == 1 && is_private();
                let stage = if alone { Stage::Alone } else { Stage::Inside };
                Some(Position { at: edge.target, stage, keeps: false, chained: false })
            }
            (None, _) => None,
        }
    }
}

/// True if the edge is enabled only if no edge of any process is.
fn requires_timeout(edge: &Edge) -> bool {
    fn needs_timeout(condition: &Expr) -> bool {
        match condition {
            Expr::Timeout => true,
            Expr::Binary(BinaryOp::And, a, b) => needs_timeout(a) || needs_timeout(b),
            _ => false,
        }
    }
    matches!(&edge.guard, Guard::When(condition) if needs_timeout(condition))
}

/// True if some edges are enabled only if others are not.
fn edges_have_precedence(process: &Process, at: LocId) -> bool {
    let mut edges = process.locations[at.index()].edges.iter().map(|id| &process.edges[id.index()]);
    let Some(first) = edges.next() else { return false };
    let is_else = |edge: &Edge| matches!(edge.guard, Guard::Else);
    is_else(first) || edges.any(|edge| is_else(edge) || edge.level != first.level)
}

fn may_block(process: &Process, at: LocId) -> bool {
    let mut edges = process.locations[at.index()].edges.iter().map(|id| &process.edges[id.index()]);
    !edges.any(|edge| edge.sync.is_none() && matches!(edge.guard, Guard::Always | Guard::Else))
}
