//! The steps of a state: which edges can be executed, and to which states they lead.

use super::automaton::{Action, Automaton, Edge};
use super::state::{Fault, State};
use super::system::{ChanId, Language, Pattern, ProcId, Stmt, System};

/// One way from a state to another, and what was executed on it.
#[derive(Clone, Debug)]
pub struct Step {
    pub to: State,
    /// The process that executes the first statement, also if control is passed on; at a rendezvous, the sender.
    pub mover: ProcId,
    /// Every edge on the way, with its process.
    pub executed: Vec<(ProcId, usize)>,
    pub assertion_failed: bool,
}

/// All that can happen in a state.
#[derive(Clone, Default, Debug)]
pub struct Steps {
    pub steps: Vec<Step>,
    /// Executing something has no meaning. Such a step is not taken.
    pub fault: bool,
    /// A failed assertion on a way that a fault ended.
    pub assertion_failed: bool,
    /// Whether an `else` can be executed depends on a condition that has no value.
    pub unclear: bool,
    /// Atomic sequences have more than `MOST_STATEMENTS`: two processes may pass control to each other for ever.
    pub endless: bool,
    /// How many statements were executed to find the steps.
    statements: usize,
}

/// How many statements may be executed for the steps of one process in one state.
const MOST_STATEMENTS: usize = 1_000;

impl Steps {
    fn is_something(&self) -> bool {
        !self.steps.is_empty() || self.fault
    }
}

/// The state after an edge, and the process that has control.
type After = (State, ProcId, Vec<(ProcId, usize)>, bool);

#[derive(Debug)]
pub struct Semantics<'s> {
    pub system: &'s System,
    pub automata: Vec<Automaton>,
}

impl<'s> Semantics<'s> {
    pub fn new(system: &'s System) -> Semantics<'s> {
        let automata = system.procs.iter().map(|p| Automaton::of(p, system.language)).collect();
        Semantics { system, automata }
    }

    /// Only processes of the highest priority among those that can do something do.
    pub fn steps(&self, state: &State) -> Steps {
        let all: Vec<Steps> = (0..self.system.procs.len()).map(|p| self.steps_of(state, p)).collect();
        let highest = (0..all.len()).filter(|p| all[*p].is_something()).map(|p| self.priority(p)).max();
        let mut out = Steps::default();
        for (p, own) in all.iter().enumerate() {
            out.unclear |= own.unclear;
            out.endless |= own.endless;
            if Some(self.priority(p)) == highest {
                out.steps.extend(own.steps.iter().cloned());
                out.fault |= own.fault;
                out.assertion_failed |= own.assertion_failed;
            }
        }
        out
    }

    fn priority(&self, p: ProcId) -> i64 {
        self.system.procs[p].priority.unwrap_or(1)
    }

    /// A process of a higher priority can do something.
    fn is_preempted(&self, state: &State, p: ProcId) -> bool {
        let mut others = (0..self.system.procs.len()).filter(|q| self.priority(*q) > self.priority(p));
        others.any(|q| self.steps_of(state, q).is_something())
    }

    fn steps_of(&self, state: &State, p: ProcId) -> Steps {
        let mut out = Steps::default();
        if self.may_move(state, p, &mut out) {
            self.edges(state, p).iter().for_each(|edge| self.execute(state, p, edge, None, &mut out));
        }
        out
    }

    fn edges(&self, state: &State, p: ProcId) -> &[Edge] {
        &self.automata[p].edges[state.at[p]]
    }

    /// `provided` clauses and committed locations.
    fn may_move(&self, state: &State, p: ProcId, out: &mut Steps) -> bool {
        if state.at[p] == self.automata[p].gone {
            return false;
        }
        if let Some(condition) = &self.system.procs[p].provided {
            match state.holds(self.system, condition) {
                Ok(true) => {}
                Ok(false) => return false,
                Err(Fault) => {
                    out.fault = true;
                    return false;
                }
            }
        }
        self.committed(state, p) || !(0..self.system.procs.len()).any(|q| self.committed(state, q))
    }

    fn committed(&self, state: &State, p: ProcId) -> bool {
        self.system.procs[p].locs.get(state.at[p]).is_some_and(|l| l.committed)
    }

    /// Executes an edge and, inside an atomic sequence, all that follows.
    fn execute(&self, state: &State, p: ProcId, edge: &Edge, before: Option<&Step>, out: &mut Steps) {
        for after in self.after(state, p, edge, out) {
            out.statements += 1;
            if out.statements > MOST_STATEMENTS {
                out.endless = true;
                return;
            }
            let Ok((to, control, executed, failed)) = after else {
                out.fault = true;
                out.assertion_failed |= before.is_some_and(|b| b.assertion_failed);
                continue;
            };
            let mut step = Step { to, mover: p, executed, assertion_failed: failed };
            if let Some(before) = before {
                step.executed.splice(0..0, before.executed.iter().copied());
                step.mover = before.mover;
                step.assertion_failed |= before.assertion_failed;
            }
            let last = *step.executed.last().expect("something was executed");
            if self.keeps(last) { self.go_on(step, control, out) } else { out.steps.push(step) }
        }
    }

    fn keeps(&self, (p, id): (ProcId, usize)) -> bool {
        self.automata[p].edges.iter().flatten().any(|e| e.id == id && e.keeps)
    }

    /// The next statements of an atomic sequence; if none can be executed, others may move.
    fn go_on(&self, step: Step, control: ProcId, out: &mut Steps) {
        let (steps, fault) = (out.steps.len(), std::mem::take(&mut out.fault));
        let here = step.to.clone();
        if !self.is_preempted(&here, control) && self.may_move(&here, control, out) {
            for edge in self.edges(&here, control) {
                self.execute(&here, control, edge, Some(&step), out);
            }
        }
        if out.steps.len() == steps && !out.fault {
            out.steps.push(step);
        }
        out.fault |= fault;
    }

    /// The states that an edge leads to: none if it can't be executed, several at a rendezvous.
    fn after(&self, state: &State, p: ProcId, edge: &Edge, out: &mut Steps) -> Vec<Result<After, Fault>> {
        if let Some((chan, _)) = self.sends(edge)
            && self.system.chans[chan].capacity == 0
        {
            return self.rendezvous(state, p, edge);
        }
        if matches!(edge.action, Action::One(Stmt::Else)) && !self.nothing_else(state, p, out) {
            return Vec::new();
        }
        match self.alone(state, p, edge) {
            Ok(None) => Vec::new(),
            Ok(Some((to, failed))) => vec![Ok((to, p, vec![(p, edge.id)], failed))],
            Err(Fault) => vec![Err(Fault)],
        }
    }

    /// No other edge of the location can be executed.
    fn nothing_else(&self, state: &State, p: ProcId, out: &mut Steps) -> bool {
        let mut none = true;
        for edge in self.edges(state, p).iter().filter(|e| !matches!(e.action, Action::One(Stmt::Else))) {
            let mut scratch = Steps::default();
            let after = self.after(state, p, edge, &mut scratch);
            none &= after.is_empty();
            out.unclear |= after.iter().any(|a| a.is_err());
        }
        none
    }

    /// An edge that needs nobody else: nothing if it can't be executed, else the state and whether an assertion failed.
    fn alone(&self, state: &State, p: ProcId, edge: &Edge) -> Result<Option<(State, bool)>, Fault> {
        let mut to = state.clone();
        let mut failed = false;
        let done = match &edge.action {
            Action::One(s) => self.statement(&mut to, s, &mut failed)?,
            Action::Indivisible(body) => self.indivisible(&mut to, body, &mut failed)?,
            Action::Whole(body) => self.whole(&mut to, body)?,
            Action::End => self.end(&mut to, p),
        };
        if done {
            to.at[p] = edge.target;
        }
        Ok(done.then_some((to, failed)))
    }

    /// A process disappears when all younger ones have, and its variables with it.
    fn end(&self, to: &mut State, p: ProcId) -> bool {
        let offsets = self.system.offsets();
        let last = (p + 1..self.system.procs.len()).all(|q| to.at[q] == self.automata[q].gone);
        for (v, var) in self.system.vars.iter().enumerate().filter(|(_, v)| last && v.owner == Some(p)) {
            to.values[offsets[v]..offsets[v] + var.array.unwrap_or(1)].fill(0);
        }
        last
    }

    /// One statement; false if it can't be executed.
    fn statement(&self, to: &mut State, s: &Stmt, failed: &mut bool) -> Result<bool, Fault> {
        let system = self.system;
        match s {
            Stmt::Guard(e) => return to.holds(system, e),
            Stmt::Else => {}
            Stmt::Assign(place, e) => {
                let value = to.eval(system, e)?;
                to.store(system, place, value)?;
            }
            Stmt::Assert(e) => *failed |= !to.holds(system, e)?,
            Stmt::Send(c, e) => {
                let c = system.channel(*c);
                if to.queues[c].len() >= system.chans[c].capacity {
                    return Ok(false);
                }
                let message = to.eval(system, e)?;
                to.queues[c].push(self.transmitted(message));
            }
            Stmt::Receive(c, pattern) => {
                let c = system.channel(*c);
                let Some(&message) = to.queues[c].first() else { return Ok(false) };
                if !self.matches(to, pattern, message)? {
                    return Ok(false);
                }
                to.queues[c].remove(0);
                self.take(to, pattern, message)?;
            }
            Stmt::Choice(_) => unreachable!("choices are edges of their own"),
        }
        Ok(true)
    }

    /// What arrives: channels are of bytes.
    fn transmitted(&self, message: i64) -> i64 {
        if self.system.language == Language::Esml { message } else { message & 255 }
    }

    fn matches(&self, state: &State, pattern: &Pattern, message: i64) -> Result<bool, Fault> {
        Ok(match pattern {
            Pattern::Store(_) | Pattern::Any => true,
            Pattern::Constant(n) => *n == message,
            Pattern::Eval(e) => state.eval(self.system, e)? == message,
        })
    }

    fn take(&self, to: &mut State, pattern: &Pattern, message: i64) -> Result<(), Fault> {
        if let Pattern::Store(place) = pattern {
            to.store(self.system, place, message)?;
        }
        Ok(())
    }

    /// All statements as one step. If only the first one blocks, the step can't be taken; after that, it is a fault.
    fn indivisible(&self, to: &mut State, body: &[Stmt], failed: &mut bool) -> Result<bool, Fault> {
        for (i, s) in body.iter().enumerate() {
            let done = match s {
                Stmt::Choice(options) => self.first_of(to, options, failed)?,
                one => self.statement(to, one, failed)?,
            };
            match done {
                true => {}
                false if i == 0 => return Ok(false),
                false => return Err(Fault),
            }
        }
        Ok(true)
    }

    fn first_of(&self, to: &mut State, options: &[Vec<Stmt>], failed: &mut bool) -> Result<bool, Fault> {
        for option in options {
            if self.indivisible(to, option, failed)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Guard, buffered channel operation and effects of DVE; the message is computed before the effects.
    fn whole(&self, to: &mut State, body: &[Stmt]) -> Result<bool, Fault> {
        let is_meeting = |s: &Stmt| matches!(s, Stmt::Receive(c, _) if self.system.chans[*c].capacity == 0);
        for s in body {
            if is_meeting(s) || !self.statement(to, s, &mut false)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The channel that an edge sends to.
    fn sends<'e>(&self, edge: &'e Edge) -> Option<(ChanId, &'e super::system::Expr)> {
        self.body(edge).iter().find_map(|s| match s {
            Stmt::Send(c, e) => Some((self.system.channel(*c), e)),
            _ => None,
        })
    }

    fn receives<'e>(&self, edge: &'e Edge) -> Option<(ChanId, &'e Pattern)> {
        self.body(edge).iter().find_map(|s| match s {
            Stmt::Receive(c, pattern) => Some((self.system.channel(*c), pattern)),
            _ => None,
        })
    }

    fn body<'e>(&self, edge: &'e Edge) -> &'e [Stmt] {
        match &edge.action {
            Action::One(s) => std::slice::from_ref(s),
            Action::Whole(body) => body,
            Action::Indivisible(_) | Action::End => &[],
        }
    }

    /// A message from `p` to every process that waits for it; control goes to the receiver. What is sent is computed even if
    /// nobody waits.
    fn rendezvous(&self, state: &State, p: ProcId, edge: &Edge) -> Vec<Result<After, Fault>> {
        let message = match self.message(state, edge) {
            Ok(Some(message)) => message,
            Ok(None) => return Vec::new(),
            Err(Fault) => return vec![Err(Fault)],
        };
        let mut out = Vec::new();
        let urgent = self.committed(state, p);
        for q in (0..self.system.procs.len()).filter(|q| *q != p && (!urgent || self.committed(state, *q))) {
            for partner in self.edges(state, q) {
                match self.meet(state, message, (p, edge), (q, partner)) {
                    Ok(None) => {}
                    Ok(Some(to)) => out.push(Ok((to, q, vec![(p, edge.id), (q, partner.id)], false))),
                    Err(Fault) => out.push(Err(Fault)),
                }
            }
        }
        out
    }

    /// The channel and the message that an edge sends, if its guard is true.
    fn message(&self, state: &State, edge: &Edge) -> Result<Option<(ChanId, i64)>, Fault> {
        let Some((chan, value)) = self.sends(edge) else { return Ok(None) };
        if !self.guard(state, edge)? {
            return Ok(None);
        }
        Ok(Some((chan, self.transmitted(state.eval(self.system, value)?))))
    }

    /// The receiver's guard, then the sender's effects, the receipt, and the receiver's effects.
    fn meet(
        &self,
        state: &State,
        (chan, message): (ChanId, i64),
        s: (ProcId, &Edge),
        r: (ProcId, &Edge),
    ) -> Result<Option<State>, Fault> {
        let Some((_, pattern)) = self.receives(r.1).filter(|(c, _)| *c == chan) else { return Ok(None) };
        if !self.guard(state, r.1)? || !self.matches(state, pattern, message)? {
            return Ok(None);
        }
        let mut to = state.clone();
        self.effects(&mut to, s.1)?;
        self.take(&mut to, pattern, message)?;
        self.effects(&mut to, r.1)?;
        (to.at[s.0], to.at[r.0]) = (s.1.target, r.1.target);
        Ok(Some(to))
    }

    fn guard(&self, state: &State, edge: &Edge) -> Result<bool, Fault> {
        for s in self.body(edge) {
            if let Stmt::Guard(e) = s
                && !state.holds(self.system, e)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn effects(&self, to: &mut State, edge: &Edge) -> Result<(), Fault> {
        for s in self.body(edge).iter().filter(|s| matches!(s, Stmt::Assign(..))) {
            self.statement(to, s, &mut false)?;
        }
        Ok(())
    }
}
