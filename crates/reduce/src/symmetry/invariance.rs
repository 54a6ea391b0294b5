//! The invariance check. A model that names processes individually can be symmetric nevertheless:
//! `c[0] = c[0] - 1, c[1] = c[1] - 1`.
//!
//! The model is printed in a normal form, once as it is and once with two processes transposed. In the normal form,
//! operands of commutative operators, independent assignments and alternatives are sorted. If both texts are equal,
//! the model is invariant under the transposition. Transpositions generate all permutations.

use super::instances::Local;
use super::scalarsets::Node;
use super::uses::{Context, Objection, Uses, Variable};
use crate::startup::edges_at;
use kripke_model::ir::{
    BinaryOp, Edge, Effect, Expr, Guard, Pattern, Place, Process, ProcessId, Sync, Then, Var, VarRef,
};

/// Checks that the model is invariant under all transpositions of each group. An objection to the member that
/// violates most.
pub(super) fn check(uses: &Uses<'_>) -> Result<(), Objection> {
    for (number, class) in uses.instances.classes.iter().enumerate().filter(|(_, class)| class.pids.len() > 1) {
        let Some(named) = first_named(uses, number) else { continue };
        let plain = normal_form(uses, None);
        let count = class.pids.len();
        let mut changed = vec![0; count];
        for a in 0..count {
            for b in a + 1..count {
                if normal_form(uses, Some((number, a, b))) != plain {
                    changed[a] += 1;
                    changed[b] += 1;
                }
            }
        }
        let most = changed.iter().copied().max().unwrap_or(0);
        if most > 0 {
            let often = |member: &usize| changed[*member] == most;
            let member = if often(&named) { named } else { (0..count).find(often).unwrap_or(named) };
            return Err(Objection::Member {
                pid: class.pids[member],
                why: "the model names it individually".to_string(),
            });
        }
    }
    Ok(())
}

/// A member of the class that a constant or a remote reference names.
fn first_named(uses: &Uses<'_>, class: usize) -> Option<usize> {
    let by_constant = uses.kinds.roots().find_map(|(_, kind)| {
        let scalarset = &uses.scalarsets[kind.scalarset?];
        let named = |v: &i32| kind.constants.contains(v);
        if scalarset.class == class { scalarset.values.iter().position(named) } else { None }
    });
    let pids = &uses.instances.classes[class].pids;
    by_constant.or_else(|| pids.iter().position(|pid| uses.named.contains(pid)))
}

/// A class and two members of it that are transposed.
type Transposition = Option<(usize, usize, usize)>;

/// The normal form of the model after a transposition.
fn normal_form(uses: &Uses<'_>, transposition: Transposition) -> Vec<String> {
    let printer = |context| Printer { uses, transposition, context };
    let mut out = Vec::new();
    for (number, class) in uses.instances.classes.iter().enumerate() {
        printer(Some(number)).process(&class.body, &class.reached, &mut out);
    }
    if let Some(observer) = &uses.model.observer {
        let everywhere = vec![true; observer.automaton.locations.len()];
        printer(None).process(&observer.automaton, &everywhere, &mut out);
    }
    out.extend(uses.model.goal.iter().map(|goal| printer(None).expr(&goal.condition, None)));
    out
}

struct Printer<'a, 'u> {
    uses: &'a Uses<'u>,
    transposition: Transposition,
    context: Context,
}

impl Printer<'_, '_> {
    fn process(&self, body: &Process, reached: &[bool], out: &mut Vec<String>) {
        out.extend(body.provided.iter().map(|clause| self.expr(clause, None)));
        for (at, location) in body.locations.iter().enumerate().filter(|(at, _)| reached[*at]) {
            let edges = location.edges.iter().map(|id| self.edge(&body.edges[id.index()]));
            let mut edges: Vec<String> = edges.collect();
            // In an indivisible sequence the order of edges decides.
            if !is_inside(body, reached, at) {
                edges.sort();
            }
            out.push(format!("{at}: {}", edges.join(" | ")));
        }
    }

    fn edge(&self, edge: &Edge) -> String {
        let guard = match &edge.guard {
            Guard::When(condition) => self.expr(condition, None),
            other => format!("{other:?}"),
        };
        let sync = match &edge.sync {
            None => String::new(),
            Some(Sync::Send { channel, args, sorted }) => {
                let fields = self.fields(channel);
                let sent = args.iter().enumerate().map(|(n, arg)| self.expr(arg, fields(n)));
                // Missing fields are sent as 0.
                let declarations = self.uses.declarations(channel, self.context);
                let most = declarations.iter().map(|d| self.uses.fields[*d].len()).max().unwrap_or(0);
                let missing = (args.len()..most).map(|n| self.constant(0, fields(n)).to_string());
                let words: Vec<String> = sent.chain(missing).collect();
                format!("{}!{sorted} {}", self.expr(channel, self.scalarset_of(channel)), words.join(","))
            }
            Some(Sync::Receive { channel, args, anywhere, keep, condition }) => {
                let condition = condition.as_ref().map(|c| self.expr(c, None));
                format!(
                    "{}?{anywhere}{keep} {} {condition:?}",
                    self.expr(channel, self.scalarset_of(channel)),
                    self.patterns(channel, args)
                )
            }
        };
        let effects = if edge.chain.is_some() { &[][..] } else { &edge.effects };
        let mut words: Vec<String> = effects.iter().map(|effect| self.effect(effect)).collect();
        if self.commute(effects) {
            words.sort();
        }
        let Edge { level, chain, target, then, .. } = edge;
        format!("{level} [{guard}] {sync} {{{}}} {chain:?} {target:?} {then:?}", words.join("; "))
    }

    fn effect(&self, effect: &Effect) -> String {
        match effect {
            Effect::Assign(place, value) => {
                let scalarset = self.variable(place).and_then(|v| self.scalarset(v.element));
                format!("{} = {}", self.place(place), self.expr(value, scalarset))
            }
            Effect::Assert(e) => format!("assert {}", self.expr(e, None)),
            Effect::Require { condition, .. } => format!("require {}", self.expr(condition, None)),
            Effect::Print(_) => String::new(),
            Effect::Remove | Effect::Run { .. } | Effect::SetPriority { .. } => format!("{effect:?}"),
        }
    }

    /// True if the order of these effects makes no difference.
    fn commute(&self, effects: &[Effect]) -> bool {
        let assigns: Option<Vec<(&Place, &Expr)>> = effects
            .iter()
            .map(|e| if let Effect::Assign(place, value) = e { Some((place, value)) } else { None })
            .collect();
        let Some(assigns) = assigns else { return false };
        let touches = |place: &Place, value: &Expr| {
            let mut read = false;
            value.walk(&mut |e| {
                if let Expr::Load(other) = e {
                    read |= may_be_same(place, other);
                }
            });
            read
        };
        // A value may be outside of its variable's range. Then the step fails, whichever assignment is first.
        let harmless = |(place, value): &(&Place, &Expr)| self.in_bounds(place) && self.cannot_fail(value);
        let apart = |n: usize| {
            let (place, _) = assigns[n];
            (0..assigns.len()).all(|m| m == n || !may_be_same(place, assigns[m].0) && !touches(place, assigns[m].1))
        };
        assigns.iter().all(harmless) && (0..assigns.len()).all(apart)
    }

    fn declared(&self, place: &Place) -> Option<&Var> {
        match (place.var, self.context) {
            (VarRef::Global(id), _) => self.uses.model.globals.get(id.index()),
            (VarRef::Local(id), Some(class)) => self.uses.instances.classes[class].body.locals.get(id.index()),
            (VarRef::Local(_), None) => None,
        }
    }

    /// True if the indices are constants within bounds.
    fn in_bounds(&self, place: &Place) -> bool {
        let inside = |(index, len): (&Expr, &u32)| matches!(index, Expr::Const(i) if (0..i64::from(*len)).contains(&i64::from(*i)));
        self.declared(place).is_some_and(|var| place.index.iter().zip(&var.dims).all(inside))
    }

    /// True if the evaluation cannot fail.
    fn cannot_fail(&self, expr: &Expr) -> bool {
        let mut fails = false;
        expr.walk(&mut |e| {
            fails |= match e {
                Expr::Binary(op, ..) => matches!(op, BinaryOp::Div | BinaryOp::Rem),
                Expr::Load(place) => !self.in_bounds(place),
                Expr::Remote { place, .. } => !place.index.is_empty(),
                Expr::Channel(..) | Expr::Poll { .. } | Expr::Enabled(_) | Expr::Input | Expr::Fault(_) => true,
                _ => false,
            };
        });
        !fails
    }

    fn scalarset(&self, node: Node) -> Option<usize> {
        self.uses.kinds.kind(node).scalarset
    }

    fn variable(&self, place: &Place) -> Option<&Variable> {
        match (place.var, self.context) {
            (VarRef::Global(id), _) => Some(&self.uses.globals[id.index()]),
            (VarRef::Local(id), Some(class)) => Some(&self.uses.locals[class][id.index()]),
            (VarRef::Local(_), None) => None,
        }
    }

    /// The scalarset of an expression, as far as the expression alone shows it.
    fn scalarset_of(&self, expr: &Expr) -> Option<usize> {
        match expr {
            Expr::Load(place) => match (place.var, self.context) {
                (VarRef::Local(id), Some(class)) => match &self.uses.instances.classes[class].locals[id.index()] {
                    Local::Distinct(scalarset, _) => Some(*scalarset),
                    Local::Same(_) => None,
                    Local::Varies => self.scalarset(self.uses.locals[class][id.index()].element),
                },
                _ => self.variable(place).and_then(|v| self.scalarset(v.element)),
            },
            Expr::Remote { process, pid, place } => {
                let class = self.uses.instances.class_of[self.uses.find(Some(*process), pid.as_deref())?];
                let VarRef::Local(id) = place.var else { return None };
                self.scalarset(self.uses.locals[class][id.index()].element)
            }
            Expr::Cond(parts) => self.scalarset_of(&parts[1]).or_else(|| self.scalarset_of(&parts[2])),
            Expr::Pid | Expr::Unary(..) | Expr::Binary(..) => self.uses.known_scalarset(expr, self.context),
            _ => None,
        }
    }

    fn fields(&self, channel: &Expr) -> impl Fn(usize) -> Option<usize> + '_ {
        let declarations = self.uses.declarations(channel, self.context);
        move |n| declarations.iter().find_map(|d| self.scalarset(*self.uses.fields[*d].get(n)?))
    }

    fn patterns(&self, channel: &Expr, args: &[Pattern]) -> String {
        let fields = self.fields(channel);
        let pattern = |(n, pattern): (usize, &Pattern)| match pattern {
            Pattern::Match(e) => format!("={}", self.expr(e, fields(n))),
            Pattern::Store(place) => self.place(place),
            Pattern::Any => "_".to_string(),
        };
        args.iter().enumerate().map(pattern).collect::<Vec<_>>().join(",")
    }

    fn indices(&self, index: &[Expr], dims: &[Node]) -> String {
        let all = index.iter().zip(dims).map(|(i, dim)| self.expr(i, self.scalarset(*dim)));
        all.collect::<Vec<_>>().join("][")
    }

    fn place(&self, place: &Place) -> String {
        let dims = self.variable(place).map_or(&[][..], |v| &v.dims);
        format!("{:?}[{}]", place.var, self.indices(&place.index, dims))
    }

    /// The elements of an array that never changes.
    fn elements(&self, place: &Place, scalarset: Option<usize>) -> String {
        let (VarRef::Local(id), Some(class)) = (place.var, self.context) else { return String::new() };
        match &self.uses.instances.classes[class].locals[id.index()] {
            Local::Same(values) => {
                format!("{:?}", values.iter().map(|v| self.constant(*v, scalarset)).collect::<Vec<_>>())
            }
            Local::Distinct(..) | Local::Varies => String::new(),
        }
    }

    /// A constant after the transposition.
    fn constant(&self, value: i32, scalarset: Option<usize>) -> i32 {
        let (Some(scalarset), Some((class, a, b))) = (scalarset, self.transposition) else { return value };
        let scalarset = &self.uses.scalarsets[scalarset];
        match scalarset.values.iter().position(|v| *v == value) {
            Some(member) if scalarset.class == class && member == a => scalarset.values[b],
            Some(member) if scalarset.class == class && member == b => scalarset.values[a],
            _ => value,
        }
    }

    /// The process that is named, after the transposition.
    fn process_named(&self, process: Option<ProcessId>, pid: Option<&Expr>) -> Option<usize> {
        let pid = self.uses.find(process, pid)?;
        let Some((class, a, b)) = self.transposition else { return Some(pid) };
        let pids = &self.uses.instances.classes[class].pids;
        Some(if pid == pids[a] {
            pids[b]
        } else if pid == pids[b] {
            pids[a]
        } else {
            pid
        })
    }

    fn expr(&self, expr: &Expr, scalarset: Option<usize>) -> String {
        // An expression that is equal in all members is a constant.
        if let Some(values) = self.uses.fixed_values(expr, self.context)
            && values.iter().all(|v| *v == values[0])
        {
            return self.constant(values[0], scalarset).to_string();
        }
        match expr {
            Expr::Const(value) => self.constant(*value, scalarset).to_string(),
            Expr::Load(place) => format!("{}{}", self.place(place), self.elements(place, scalarset)),
            Expr::Unary(op, a) => format!("{}({})", op.symbol(), self.expr(a, None)),
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::Cond(parts) => {
                let [test, yes, no] = &**parts;
                format!("({} -> {} : {})", self.expr(test, None), self.expr(yes, scalarset), self.expr(no, scalarset))
            }
            Expr::Channel(query, channel) => format!("{query:?}({})", self.expr(channel, self.scalarset_of(channel))),
            Expr::Poll { channel, args, anywhere } => {
                let patterns = self.patterns(channel, args);
                format!("{}?[{anywhere} {patterns}]", self.expr(channel, self.scalarset_of(channel)))
            }
            Expr::Enabled(pid) => format!("enabled {:?}", self.process_named(None, Some(pid))),
            Expr::Location(pid) => format!("location {:?}", self.process_named(None, Some(pid))),
            Expr::Priority(pid) => format!("priority {:?}", self.process_named(None, Some(pid))),
            Expr::At { process, pid, locations } => {
                format!("{:?} at {locations:?}", self.process_named(Some(*process), pid.as_deref()))
            }
            Expr::Remote { process, pid, place } => {
                let named = self.process_named(Some(*process), pid.as_deref());
                let of = self.uses.find(Some(*process), pid.as_deref()).map(|pid| self.uses.instances.class_of[pid]);
                let VarRef::Local(id) = place.var else { return format!("{expr:?}") };
                let dims = of.map_or(&[][..], |class| &self.uses.locals[class][id.index()].dims);
                format!("{named:?}:{}[{}]", id.0, self.indices(&place.index, dims))
            }
            other => format!("{other:?}"),
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> String {
        let scalarset = match op {
            BinaryOp::Eq | BinaryOp::Ne => self.scalarset_of(a).or_else(|| self.scalarset_of(b)),
            _ => None,
        };
        let mut operands = Vec::new();
        let mut safe = true;
        let commutes = matches!(
            op,
            BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Add
                | BinaryOp::Mul
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
        );
        let mut stack = vec![b, a];
        while let Some(e) = stack.pop() {
            match e {
                Expr::Binary(inner, x, y) if *inner == op && commutes && !matches!(op, BinaryOp::Eq | BinaryOp::Ne) => {
                    stack.extend([&**y, &**x]);
                }
                e => {
                    safe &= self.cannot_fail(e);
                    operands.push(self.expr(e, scalarset));
                }
            }
        }
        if commutes && safe {
            operands.sort();
        }
        format!("({})", operands.join(op.symbol()))
    }
}

/// True if a location is in an indivisible sequence, in which the first enabled edge is taken.
fn is_inside(body: &Process, reached: &[bool], at: usize) -> bool {
    edges_at(body, reached).any(|edge| {
        edge.chain.is_some_and(|entry| entry.index() == at) || edge.then == Then::Chain && edge.target.index() == at
    })
}

/// True if two places can be the same element.
fn may_be_same(a: &Place, b: &Place) -> bool {
    let differ = |(x, y): (&Expr, &Expr)| matches!((x, y), (Expr::Const(x), Expr::Const(y)) if x != y);
    a.var == b.var && !a.index.iter().zip(&b.index).any(differ)
}
