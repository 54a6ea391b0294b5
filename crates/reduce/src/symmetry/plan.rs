//! From the kinds of values to the [permutations](Permutations) of packed states.

use std::collections::HashMap;

use super::instances::Local;
use super::permutation::{Cell, Creator, MemberData, Permutations, Queue, ScalarsetValues};
use super::scalarsets::Node;
use super::uses::{Objection, Uses, Variable};
use crate::startup::Startup;
use kripke_model::interpret::Interpreter;
use kripke_model::layout::{Buffer, ChannelAt, Shape, Slot};

/// A group and the position of a member in it.
type Member = (usize, usize);

pub(super) struct Plan<'a, 'u> {
    uses: &'a Uses<'u>,
    startup: &'a Startup,
    shape: Shape,
    /// The members to which channels belong, by channel number.
    owned: HashMap<usize, Member>,
    /// The initial values of each kind, by root node.
    values: HashMap<usize, Vec<i32>>,
    permutations: Permutations,
}

impl<'a, 'u> Plan<'a, 'u> {
    /// The permutations of the groups, or an objection. Variables that never change are permuted only if `constants`
    /// is set: that serves to check that they are invariant.
    pub fn make(
        uses: &'a Uses<'u>,
        startup: &'a Startup,
        interpreter: &Interpreter,
        constants: bool,
    ) -> Result<Permutations, Objection> {
        let layout = interpreter.layout().clone();
        let mut shape = Shape::default();
        layout.shape(&startup.states[0], &mut shape);
        let groups: Vec<Vec<MemberData>> = (uses.instances.classes.iter())
            .filter(|class| class.pids.len() > 1)
            .map(|class| vec![MemberData::default(); class.pids.len()])
            .collect();
        let scalarset = |c: &super::scalarsets::Scalarset| ScalarsetValues { group: c.class, values: c.values.clone() };
        let permutations = Permutations {
            length: startup.states[0].len(),
            creators: Vec::new(),
            scalarsets: uses.scalarsets.iter().map(scalarset).collect(),
            groups,
            shared: MemberData::default(),
            layout,
        };
        let (owned, values) = (HashMap::new(), HashMap::new());
        let mut plan = Plan { uses, startup, shape, owned, values, permutations };
        plan.collect_initial_values();
        plan.check_values()?;
        plan.check_channels()?;
        plan.place_globals(constants)?;
        plan.place_processes()?;
        plan.place_channels();
        plan.place_creators();
        plan.drop_unused_scalarsets();
        plan.permutations.groups.iter_mut().for_each(|members| join_ranges(members));
        Ok(plan.permutations)
    }

    fn objection(&self, scalarset: usize, why: &str) -> Objection {
        Objection::Group { class: self.uses.scalarsets[scalarset].class, why: why.to_string() }
    }

    /// Collects the values in the final states of the startup phase.
    fn collect_initial_values(&mut self) {
        let Plan { uses, startup, values, .. } = self;
        let mut add = |node: Node, more: &[i32]| {
            values.entry(uses.kinds.root(node)).or_default().extend_from_slice(more);
        };
        for view in &startup.views {
            for (variable, elements) in uses.globals.iter().zip(&view.globals) {
                add(variable.element, elements);
            }
            for (class, locals) in uses.instances.classes.iter().zip(&uses.locals) {
                for pid in &class.pids {
                    let there = view.processes[*pid].locals.iter();
                    locals.iter().zip(there).for_each(|(variable, elements)| add(variable.element, elements));
                }
            }
            for channel in &view.channels {
                for message in &channel.messages {
                    let fields = uses.fields[channel.declaration.index()].iter();
                    fields.zip(message).for_each(|(field, value)| add(*field, &[*value]));
                }
            }
        }
    }

    /// Checks that all variables of a scalarset kind can hold all its values.
    fn check_values(&self) -> Result<(), Objection> {
        let stores = self.uses.stores();
        for (root, kind) in self.uses.kinds.roots() {
            let Some(scalarset) = kind.scalarset else { continue };
            let set = &self.uses.scalarsets[scalarset];
            let there = self.values.get(&root).into_iter().flatten();
            let values: Vec<i32> = set.values.iter().chain(&kind.constants).chain(there).copied().collect();
            for (_, ty, range) in stores.iter().filter(|(node, ..)| self.uses.kinds.root(*node) == root) {
                let fits = |v: &i32| ty.wrap(*v) == *v && range.is_none_or(|(low, high)| (low..=high).contains(v));
                if !values.iter().all(fits) {
                    return Err(self.objection(scalarset, "a variable is too small for all values of their scalarset"));
                }
            }
        }
        Ok(())
    }

    /// Finds the channels that belong to members.
    fn check_channels(&mut self) -> Result<(), Objection> {
        let channels = &self.startup.views[0].channels;
        for (number, channel) in channels.iter().enumerate() {
            let Some(pid) = channel.owner.map(usize::from) else { continue };
            let class = self.uses.instances.class_of[pid];
            if self.uses.instances.is_group(class) {
                let member = self.uses.instances.classes[class].pids.iter().position(|p| *p == pid).unwrap_or(0);
                self.owned.insert(number + 1, (class, member));
            }
        }
        let mut scalarsets: Vec<usize> =
            self.uses.kinds.roots().filter(|(_, kind)| kind.channel).filter_map(|(_, kind)| kind.scalarset).collect();
        scalarsets.sort_unstable();
        scalarsets.dedup();
        for scalarset in scalarsets {
            let set = &self.uses.scalarsets[scalarset];
            let mut declarations = Vec::new();
            for (member, value) in set.values.iter().enumerate() {
                let number = usize::try_from(*value).unwrap_or(0);
                let Some(channel) = number.checked_sub(1).and_then(|n| channels.get(n)) else {
                    return Err(self.objection(scalarset, "they use channels that do not exist"));
                };
                declarations.push(channel.declaration);
                let mine = (set.class, member);
                let foreign = channel.owner.is_some() && self.owned.get(&number) != Some(&mine);
                if foreign || self.owned.insert(number, mine).is_some_and(|other| other != mine) {
                    return Err(self.objection(scalarset, "they use each other's channels"));
                }
            }
            if declarations.iter().any(|d| *d != declarations[0]) {
                return Err(self.objection(scalarset, "their channels have different declarations"));
            }
        }
        // No other value may denote these channels.
        for (root, kind) in self.uses.kinds.roots().filter(|(_, kind)| kind.channel && kind.scalarset.is_none()) {
            let there = self.values.get(&root).into_iter().flatten().chain(&kind.constants);
            let known = there.filter_map(|v| usize::try_from(*v).ok()).find_map(|number| self.owned.get(&number));
            let computed = kind.number.and_then(|_| self.owned.values().next());
            if let Some((class, member)) = known.or(computed) {
                let pid = self.uses.instances.classes[*class].pids[*member];
                return Err(Objection::Member { pid, why: "its channel is used as a value elsewhere".to_string() });
            }
        }
        Ok(())
    }

    fn owner(&mut self, member: Option<Member>) -> &mut MemberData {
        match member {
            Some((group, member)) => &mut self.permutations.groups[group][member],
            None => &mut self.permutations.shared,
        }
    }

    /// Assigns the elements of a variable at this offset to members.
    fn place_variable(
        &mut self,
        base: usize,
        slot: &Slot,
        variable: &Variable,
        owner: Option<Member>,
    ) -> Result<(), Objection> {
        let kinds = &self.uses.kinds;
        let scalarset = kinds.kind(variable.element).scalarset;
        let dims: Vec<Option<usize>> = variable.dims.iter().map(|dim| kinds.kind(*dim).scalarset).collect();
        for (dim, len) in dims.iter().zip(&slot.dims) {
            let inside = |v: &i32| (0..i64::from(*len)).contains(&i64::from(*v));
            if let Some(scalarset) = dim.filter(|scalarset| !self.uses.scalarsets[*scalarset].values.iter().all(inside))
            {
                return Err(self.objection(scalarset, "an array has no element for each of them"));
            }
        }
        if owner.is_none() && scalarset.is_none() && dims.iter().all(Option::is_none) {
            return Ok(());
        }
        let width = slot.width.bytes();
        for element in 0..slot.len() {
            let mut owner = owner;
            let mut rest = element;
            for (dim, len) in dims.iter().zip(&slot.dims).rev() {
                let index = (rest % *len as usize) as i32;
                rest /= *len as usize;
                let Some(scalarset) = *dim else { continue };
                let set = &self.uses.scalarsets[scalarset];
                if let Some(member) = set.values.iter().position(|v| *v == index)
                    && owner.replace((set.class, member)).is_some()
                {
                    return Err(self.objection(scalarset, "an array is indexed by two of them"));
                }
            }
            let offset = base + slot.offset + element * width;
            let owner = self.owner(owner);
            match scalarset {
                Some(scalarset) => owner.cells.push(Cell { offset, width: slot.width, scalarset }),
                None => owner.ranges.push(offset..offset + width),
            }
        }
        Ok(())
    }

    fn place_globals(&mut self, constants: bool) -> Result<(), Objection> {
        let slots = self.permutations.layout.globals.clone();
        let globals = slots.iter().zip(&self.uses.globals).zip(&self.uses.instances.constant_globals);
        for ((slot, variable), _) in globals.filter(|(_, fixed)| constants || !**fixed) {
            self.place_variable(0, slot, variable, None)?;
        }
        Ok(())
    }

    fn place_processes(&mut self) -> Result<(), Objection> {
        for (number, class) in self.uses.instances.classes.iter().enumerate() {
            for (member, pid) in class.pids.iter().enumerate() {
                let at = self.shape.processes[*pid];
                let (base, frame) = (at.offset as usize, self.permutations.layout.frames[at.process as usize].clone());
                let owner = (class.pids.len() > 1).then_some((number, member));
                if owner.is_some() {
                    let end = base + if frame.wide_location { 3 } else { 2 };
                    self.owner(owner).ranges.push(base + 1..end);
                }
                for (n, slot) in frame.locals.iter().enumerate() {
                    if class.locals[n] == Local::Varies {
                        self.place_variable(base, slot, &self.uses.locals[number][n], owner)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Assigns the messages of channels to the members to which the channels belong.
    fn place_channels(&mut self) {
        for (n, at) in self.shape.channels.clone().into_iter().enumerate() {
            let buffer = self.permutations.layout.buffers[at.declaration as usize].clone();
            if buffer.capacity == 0 {
                continue;
            }
            let owner = self.owned.get(&(n + 1)).copied();
            let queue = self.queue(at, &buffer);
            let owner_is_member = owner.is_some();
            let owner = self.owner(owner);
            if queue.fields.iter().any(|(.., scalarset)| scalarset.is_some()) {
                owner.queues.push(queue);
            } else if owner_is_member {
                owner.ranges.push(queue.offset..queue.offset + queue.size);
            }
        }
    }

    fn queue(&self, at: ChannelAt, buffer: &Buffer) -> Queue {
        let nodes = &self.uses.fields[at.declaration as usize];
        let field = |(field, node): (&Slot, &Node)| (field.offset, field.width, self.uses.kinds.kind(*node).scalarset);
        Queue {
            offset: at.offset as usize,
            size: buffer.size,
            message: buffer.message,
            fields: buffer.fields.iter().zip(nodes).map(field).collect(),
        }
    }

    fn place_creators(&mut self) {
        for at in &self.shape.processes {
            let creating = &self.startup.creating[at.process as usize];
            if creating.contains(&true) {
                self.permutations.creators.push(Creator { at: *at, creating: creating.clone() });
            }
        }
    }

    /// If no variable has a scalarset kind, nothing has to be renamed.
    fn drop_unused_scalarsets(&mut self) {
        let owners = self.permutations.groups.iter().flatten().chain([&self.permutations.shared]);
        if owners.into_iter().all(|owner| owner.cells.is_empty() && owner.queues.is_empty()) {
            self.permutations.scalarsets.clear();
        }
    }
}

/// Joins ranges that are adjacent in all members.
fn join_ranges(members: &mut [MemberData]) {
    let mut at = 0;
    while at + 1 < members[0].ranges.len() {
        if members.iter().all(|m| m.ranges[at].end == m.ranges[at + 1].start) {
            for member in members.iter_mut() {
                member.ranges[at].end = member.ranges.remove(at + 1).end;
            }
        } else {
            at += 1;
        }
    }
}
