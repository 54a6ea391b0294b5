//! From what values mean to what has to be moved and renamed in a packed state.

use std::collections::HashMap;

use super::instances::Local;
use super::permutation::{Action, Belongings, Cell, Code, Creator, Queue};
use super::scalarsets::Node;
use super::uses::{Objection, Uses, Variable};
use crate::startup::Beginning;
use kripke_model::interpret::Interpreter;
use kripke_model::layout::{Buffer, ChannelAt, Shape, Slot};

/// A member of a group.
type Member = (usize, usize);

pub(super) struct Plan<'a, 'u> {
    uses: &'a Uses<'u>,
    begun: &'a Beginning,
    shape: Shape,
    /// Channels that belong to members, by number.
    owned: HashMap<usize, Member>,
    /// The kinds of all values, with the values that are there at the start.
    values: HashMap<usize, Vec<i32>>,
    action: Action,
}

impl<'a, 'u> Plan<'a, 'u> {
    /// What the groups do to a state, or why they can't. What is `settled` need not be moved once it is known that moving
    /// it changes nothing.
    pub fn make(
        uses: &'a Uses<'u>,
        begun: &'a Beginning,
        interpreter: &Interpreter,
        settled: bool,
    ) -> Result<Action, Objection> {
        let layout = interpreter.layout().clone();
        let mut shape = Shape::default();
        layout.shape(&begun.states[0], &mut shape);
        let groups: Vec<Vec<Belongings>> = (uses.cast.classes.iter())
            .filter(|class| class.pids.len() > 1)
            .map(|class| vec![Belongings::default(); class.pids.len()])
            .collect();
        let code = |c: &super::scalarsets::Encoding| Code { group: c.class, values: c.values.clone() };
        let action = Action {
            length: begun.states[0].len(),
            creators: Vec::new(),
            codes: uses.codes.iter().map(code).collect(),
            groups,
            loose: Belongings::default(),
            layout,
        };
        let (owned, values) = (HashMap::new(), HashMap::new());
        let mut plan = Plan { uses, begun, shape, owned, values, action };
        plan.gather();
        plan.check_values()?;
        plan.check_channels()?;
        plan.place_globals(settled)?;
        plan.place_processes()?;
        plan.place_channels();
        plan.place_creators();
        plan.forget_codes();
        plan.action.groups.iter_mut().for_each(|members| join(members));
        Ok(plan.action)
    }

    fn class_objection(&self, code: usize, why: &str) -> Objection {
        Objection::Group { class: self.uses.codes[code].class, why: why.to_string() }
    }

    /// The values that there are at the start.
    fn gather(&mut self) {
        let Plan { uses, begun, values, .. } = self;
        let mut add = |node: Node, more: &[i32]| {
            values.entry(uses.sorts.root(node)).or_default().extend_from_slice(more);
        };
        for view in &begun.views {
            for (variable, elements) in uses.globals.iter().zip(&view.globals) {
                add(variable.element, elements);
            }
            for (class, locals) in uses.cast.classes.iter().zip(&uses.locals) {
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

    /// Names of processes must be the same wherever they are kept.
    fn check_values(&self) -> Result<(), Objection> {
        let stores = self.uses.stores();
        for (root, kind) in self.uses.sorts.roots() {
            let Some(code) = kind.code else { continue };
            let encoding = &self.uses.codes[code];
            let there = self.values.get(&root).into_iter().flatten();
            let values: Vec<i32> = encoding.values.iter().chain(&kind.constants).chain(there).copied().collect();
            for (_, ty, range) in stores.iter().filter(|(node, ..)| self.uses.sorts.root(*node) == root) {
                let fits = |v: &i32| ty.wrap(*v) == *v && range.is_none_or(|(low, high)| (low..=high).contains(v));
                if !values.iter().all(fits) {
                    return Err(self.class_objection(code, "some variable is too small for all their names"));
                }
            }
        }
        Ok(())
    }

    /// Finds the channels that belong to members.
    fn check_channels(&mut self) -> Result<(), Objection> {
        let channels = &self.begun.views[0].channels;
        for (number, channel) in channels.iter().enumerate() {
            let Some(pid) = channel.owner.map(usize::from) else { continue };
            let class = self.uses.cast.class_of[pid];
            if self.uses.cast.is_group(class) {
                let member = self.uses.cast.classes[class].pids.iter().position(|p| *p == pid).unwrap_or(0);
                self.owned.insert(number + 1, (class, member));
            }
        }
        let mut codes: Vec<usize> =
            self.uses.sorts.roots().filter(|(_, kind)| kind.channel).filter_map(|(_, kind)| kind.code).collect();
        codes.sort_unstable();
        codes.dedup();
        for code in codes {
            let encoding = &self.uses.codes[code];
            let mut declarations = Vec::new();
            for (member, value) in encoding.values.iter().enumerate() {
                let number = usize::try_from(*value).unwrap_or(0);
                let Some(channel) = number.checked_sub(1).and_then(|n| channels.get(n)) else {
                    return Err(self.class_objection(code, "they use channels that there are not"));
                };
                declarations.push(channel.declaration);
                let mine = (encoding.class, member);
                let foreign = channel.owner.is_some() && self.owned.get(&number) != Some(&mine);
                if foreign || self.owned.insert(number, mine).is_some_and(|other| other != mine) {
                    return Err(self.class_objection(code, "they use each other's channels"));
                }
            }
            if declarations.iter().any(|d| *d != declarations[0]) {
                return Err(self.class_objection(code, "their channels are not alike"));
            }
        }
        // Nobody else may know these channels by number.
        for (root, kind) in self.uses.sorts.roots().filter(|(_, kind)| kind.channel && kind.code.is_none()) {
            let there = self.values.get(&root).into_iter().flatten().chain(&kind.constants);
            let known = there.filter_map(|v| usize::try_from(*v).ok()).find_map(|number| self.owned.get(&number));
            let computed = kind.number.and_then(|_| self.owned.values().next());
            if let Some((class, member)) = known.or(computed) {
                let pid = self.uses.cast.classes[*class].pids[*member];
                return Err(Objection::Member { pid, why: "its channel is known to others".to_string() });
            }
        }
        Ok(())
    }

    fn owner(&mut self, member: Option<Member>) -> &mut Belongings {
        match member {
            Some((group, member)) => &mut self.action.groups[group][member],
            None => &mut self.action.loose,
        }
    }

    /// Whose the elements of a variable are, which begins there.
    fn place(&mut self, base: usize, slot: &Slot, variable: &Variable, owner: Option<Member>) -> Result<(), Objection> {
        let sorts = &self.uses.sorts;
        let code = sorts.kind(variable.element).code;
        let dims: Vec<Option<usize>> = variable.dims.iter().map(|dim| sorts.kind(*dim).code).collect();
        for (dim, len) in dims.iter().zip(&slot.dims) {
            let inside = |v: &i32| (0..i64::from(*len)).contains(&i64::from(*v));
            if let Some(code) = dim.filter(|code| !self.uses.codes[*code].values.iter().all(inside)) {
                return Err(self.class_objection(code, "an array has no element for each of them"));
            }
        }
        if owner.is_none() && code.is_none() && dims.iter().all(Option::is_none) {
            return Ok(());
        }
        let width = slot.width.bytes();
        for element in 0..slot.len() {
            let mut owner = owner;
            let mut rest = element;
            for (dim, len) in dims.iter().zip(&slot.dims).rev() {
                let index = (rest % *len as usize) as i32;
                rest /= *len as usize;
                let Some(code) = *dim else { continue };
                let encoding = &self.uses.codes[code];
                if let Some(member) = encoding.values.iter().position(|v| *v == index)
                    && owner.replace((encoding.class, member)).is_some()
                {
                    return Err(self.class_objection(code, "an array has an element for each two of them"));
                }
            }
            let offset = base + slot.offset + element * width;
            let owner = self.owner(owner);
            match code {
                Some(code) => owner.cells.push(Cell { offset, width: slot.width, code }),
                None => owner.ranges.push(offset..offset + width),
            }
        }
        Ok(())
    }

    fn place_globals(&mut self, settled: bool) -> Result<(), Objection> {
        let slots = self.action.layout.globals.clone();
        let globals = slots.iter().zip(&self.uses.globals).zip(&self.uses.cast.settled);
        for ((slot, variable), _) in globals.filter(|(_, fixed)| settled || !**fixed) {
            self.place(0, slot, variable, None)?;
        }
        Ok(())
    }

    fn place_processes(&mut self) -> Result<(), Objection> {
        for (class, actors) in self.uses.cast.classes.iter().enumerate() {
            for (member, pid) in actors.pids.iter().enumerate() {
                let at = self.shape.processes[*pid];
                let (base, frame) = (at.offset as usize, self.action.layout.frames[at.process as usize].clone());
                let owner = (actors.pids.len() > 1).then_some((class, member));
                if owner.is_some() {
                    let end = base + if frame.wide_location { 3 } else { 2 };
                    self.owner(owner).ranges.push(base + 1..end);
                }
                for (n, slot) in frame.locals.iter().enumerate() {
                    if actors.locals[n] == Local::Varies {
                        self.place(base, slot, &self.uses.locals[class][n], owner)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// What is in channels belongs to whom the channel belongs to.
    fn place_channels(&mut self) {
        for (n, at) in self.shape.channels.clone().into_iter().enumerate() {
            let buffer = self.action.layout.buffers[at.declaration as usize].clone();
            if buffer.capacity == 0 {
                continue;
            }
            let owner = self.owned.get(&(n + 1)).copied();
            let queue = self.queue(at, &buffer);
            let owner_is_member = owner.is_some();
            let owner = self.owner(owner);
            if queue.fields.iter().any(|(.., code)| code.is_some()) {
                owner.queues.push(queue);
            } else if owner_is_member {
                owner.ranges.push(queue.offset..queue.offset + queue.size);
            }
        }
    }

    fn queue(&self, at: ChannelAt, buffer: &Buffer) -> Queue {
        let nodes = &self.uses.fields[at.declaration as usize];
        let field = |(field, node): (&Slot, &Node)| (field.offset, field.width, self.uses.sorts.kind(*node).code);
        Queue {
            offset: at.offset as usize,
            size: buffer.size,
            message: buffer.message,
            fields: buffer.fields.iter().zip(nodes).map(field).collect(),
        }
    }

    fn place_creators(&mut self) {
        for at in &self.shape.processes {
            let creating = &self.begun.creating[at.process as usize];
            if creating.contains(&true) {
                self.action.creators.push(Creator { at: *at, creating: creating.clone() });
            }
        }
    }

    /// Where no variable has a process for a value, nothing has to be renamed.
    fn forget_codes(&mut self) {
        let owners = self.action.groups.iter().flatten().chain([&self.action.loose]);
        if owners.into_iter().all(|owner| owner.cells.is_empty() && owner.queues.is_empty()) {
            self.action.codes.clear();
        }
    }
}

/// Makes one range of two wherever one follows the other in all members.
fn join(members: &mut [Belongings]) {
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
