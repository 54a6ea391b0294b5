//! Smaller systems and formulas, to find the least that still shows a difference.

use super::ctl::{Ctl, Path};
use super::ltl::Ltl;
use super::question::Question;
use super::system::{Expr, Language, Loc, Mode, Op, Pattern, Place, Proc, Stmt, System, Transition};

/// Every system with one thing less, larger cuts first.
pub fn systems(system: &System) -> Vec<System> {
    let mut out = Vec::new();
    for p in (0..system.procs.len()).rev().filter(|_| system.procs.len() > 1) {
        out.extend(without_process(system, p));
    }
    for p in 0..system.procs.len() {
        let smaller = processes(&system.procs[p], system.language);
        out.extend(smaller.into_iter().map(|proc| {
            let mut out = system.clone();
            out.procs[p] = proc;
            out
        }));
    }
    for v in 0..system.vars.len() {
        if system.vars[v].initial != 0 {
            let mut smaller = system.clone();
            smaller.vars[v].initial = 0;
            out.push(smaller);
        }
    }
    out
}

/// The last process can go; others would take the numbers of the rest with them.
fn without_process(system: &System, p: usize) -> Option<System> {
    if p + 1 != system.procs.len() || system.vars.iter().any(|v| v.owner == Some(p)) {
        return None;
    }
    let mut out = system.clone();
    out.procs.pop();
    Some(out)
}

fn processes(proc: &Proc, language: Language) -> Vec<Proc> {
    let mut out = Vec::new();
    let mut with = |change: &dyn Fn(&mut Proc)| {
        let mut smaller = proc.clone();
        change(&mut smaller);
        if language == Language::Esml {
            leave_where_no_guard_is_true(&mut smaller);
        }
        if smaller != *proc {
            out.push(smaller);
        }
    };
    with(&|p| p.provided = None);
    with(&|p| p.priority = None);
    for l in 0..proc.locs.len() {
        if language != Language::Esml {
            with(&|p| p.locs[l].transitions.clear());
        }
        with(&|p| p.locs[l] = Loc { transitions: p.locs[l].transitions.clone(), ..Loc::default() });
        for t in 0..proc.locs[l].transitions.len() {
            if language != Language::Esml {
                with(&|p| drop(p.locs[l].transitions.remove(t)));
                with(&|p| p.locs[l].transitions[t].mode = plainer(p.locs[l].transitions[t].mode));
            }
            for smaller in transitions(&proc.locs[l].transitions[t], language) {
                with(&|p| p.locs[l].transitions[t] = smaller.clone());
            }
        }
    }
    if language == Language::Promela && proc.locs.len() > 1 {
        out.extend(without_last_location(proc));
    }
    out
}

/// The last transition of an ESML loop has the guard that no other has.
pub fn leave_where_no_guard_is_true(proc: &mut Proc) {
    let Some((last, branches)) = proc.locs[0].transitions.split_last_mut() else { return };
    let always = Expr::bin(Op::Eq, Expr::Const(0), Expr::Const(0));
    let guards = branches.iter().filter_map(|t| match t.body.first() {
        Some(Stmt::Guard(e)) => Some(e.clone().negated()),
        _ => None,
    });
    last.body = vec![Stmt::Guard(guards.fold(always, |all, e| Expr::bin(Op::And, all, e)))];
}

fn plainer(mode: Mode) -> Mode {
    if mode == Mode::Whole { mode } else { Mode::Plain }
}

/// The last location goes, if it is empty; jumps to it go to the first.
fn without_last_location(proc: &Proc) -> Option<Proc> {
    let last = proc.locs.len() - 1;
    if !proc.locs[last].transitions.is_empty() {
        return None;
    }
    let mut out = proc.clone();
    out.locs.pop();
    out.locs.iter_mut().flat_map(|l| &mut l.transitions).filter(|t| t.target >= last).for_each(|t| t.target = 0);
    Some(out)
}

fn transitions(t: &Transition, language: Language) -> Vec<Transition> {
    let mut out = Vec::new();
    if language != Language::Esml {
        if t.body.len() > 1 || t.mode == Mode::Whole {
            out.extend((0..t.body.len()).map(|i| {
                let mut smaller = t.clone();
                smaller.body.remove(i);
                smaller
            }));
        }
        if t.target != 0 {
            out.push(Transition { target: 0, ..t.clone() });
        }
    }
    for (i, s) in t.body.iter().enumerate() {
        for smaller in statements(s) {
            let mut with = t.clone();
            with.body[i] = smaller;
            out.push(with);
        }
    }
    // A choice can't come first, nor can `else` come later.
    out.retain(|t| !matches!(t.body.first(), Some(Stmt::Choice(_))));
    out
}

fn statements(s: &Stmt) -> Vec<Stmt> {
    match s {
        // It does nothing.
        Stmt::Guard(Expr::Const(_)) => Vec::new(),
        Stmt::Guard(e) => expressions(e).into_iter().map(Stmt::Guard).collect(),
        Stmt::Assert(e) => expressions(e).into_iter().map(Stmt::Assert).collect(),
        Stmt::Send(c, e) => expressions(e).into_iter().map(|e| Stmt::Send(*c, e)).collect(),
        Stmt::Assign(p, e) => {
            let values = expressions(e).into_iter().map(|e| Stmt::Assign(p.clone(), e));
            values.chain(places(p).into_iter().map(|p| Stmt::Assign(p, e.clone()))).collect()
        }
        Stmt::Receive(c, Pattern::Any) => vec![Stmt::Receive(*c, Pattern::Constant(0))],
        Stmt::Receive(c, Pattern::Store(p)) => {
            places(p).into_iter().map(|p| Stmt::Receive(*c, Pattern::Store(p))).collect()
        }
        Stmt::Receive(..) | Stmt::Else => Vec::new(),
        Stmt::Choice(options) => options.iter().filter(|o| o.len() == 1).map(|o| o[0].clone()).collect(),
    }
}

fn places(p: &Place) -> Vec<Place> {
    let Some(index) = &p.index else { return Vec::new() };
    expressions(index).into_iter().map(|e| Place { var: p.var, index: Some(e) }).collect()
}

/// Numbers stay numbers, and conditions conditions.
pub fn expressions(e: &Expr) -> Vec<Expr> {
    match e {
        Expr::Const(n) if *n > 0 => vec![Expr::Const(n - 1)],
        Expr::Const(_) => Vec::new(),
        Expr::Var(_) | Expr::Len(_) => vec![Expr::Const(0), Expr::Const(1)],
        Expr::At(..) => Vec::new(),
        Expr::Elem(v, i) => {
            let smaller = expressions(i).into_iter().map(|i| Expr::Elem(*v, Box::new(i)));
            [Expr::Const(0), Expr::Const(1)].into_iter().chain(smaller).collect()
        }
        Expr::Not(a) => expressions(a).into_iter().map(Expr::negated).collect(),
        Expr::Bin(op, a, b) => {
            let mut out = match op {
                Op::And | Op::Or => vec![(**a).clone(), (**b).clone()],
                Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod => {
                    vec![Expr::Const(0), Expr::Const(1), (**a).clone()]
                }
                Op::Eq | Op::Ne | Op::Lt => Vec::new(),
            };
            out.extend(expressions(a).into_iter().map(|a| Expr::bin(*op, a, (**b).clone())));
            out.extend(expressions(b).into_iter().map(|b| Expr::bin(*op, (**a).clone(), b)));
            out
        }
        Expr::Cond(_, a, b) => vec![(**a).clone(), (**b).clone()],
    }
}

pub fn questions(q: &Question) -> Vec<Question> {
    match q {
        Question::Reach(e) => expressions(e).into_iter().map(Question::Reach).collect(),
        Question::Ltl(f) => linear(f).into_iter().map(Question::Ltl).collect(),
        Question::Ctl(f) => branching(f).into_iter().map(Question::Ctl).collect(),
        Question::Safety | Question::Acceptance | Question::NonProgress => Vec::new(),
    }
}

fn linear(f: &Ltl) -> Vec<Ltl> {
    let two = |a: &Ltl, b: &Ltl, make: fn(Box<Ltl>, Box<Ltl>) -> Ltl| -> Vec<Ltl> {
        let left = linear(a).into_iter().map(|a| make(Box::new(a), Box::new(b.clone())));
        let right = linear(b).into_iter().map(|b| make(Box::new(a.clone()), Box::new(b)));
        left.chain(right).collect()
    };
    let one = |a: &Ltl, make: fn(Box<Ltl>) -> Ltl| linear(a).into_iter().map(|a| make(Box::new(a))).collect();
    let inner: Vec<Ltl> = match f {
        Ltl::Prop(e) => expressions(e).into_iter().map(Ltl::Prop).collect(),
        Ltl::Not(a) => one(a, Ltl::Not),
        Ltl::Next(a) => one(a, Ltl::Next),
        Ltl::Eventually(a) => one(a, Ltl::Eventually),
        Ltl::Always(a) => one(a, Ltl::Always),
        Ltl::And(a, b) => two(a, b, Ltl::And),
        Ltl::Or(a, b) => two(a, b, Ltl::Or),
        Ltl::Implies(a, b) => two(a, b, Ltl::Implies),
        Ltl::Until(a, b) => two(a, b, Ltl::Until),
        Ltl::WeakUntil(a, b) => two(a, b, Ltl::WeakUntil),
        Ltl::Release(a, b) => two(a, b, Ltl::Release),
    };
    f.parts().into_iter().cloned().chain(inner).collect()
}

fn branching(f: &Ctl) -> Vec<Ctl> {
    let two = |a: &Ctl, b: &Ctl, make: &dyn Fn(Ctl, Ctl) -> Ctl| -> Vec<Ctl> {
        let left = branching(a).into_iter().map(|a| make(a, b.clone()));
        let right = branching(b).into_iter().map(|b| make(a.clone(), b));
        left.chain(right).collect()
    };
    let inner: Vec<Ctl> = match f {
        Ctl::Prop(e) => expressions(e).into_iter().map(Ctl::Prop).collect(),
        Ctl::Not(a) => branching(a).into_iter().map(|a| Ctl::Not(Box::new(a))).collect(),
        Ctl::And(a, b) => two(a, b, &|a, b| Ctl::And(Box::new(a), Box::new(b))),
        Ctl::Or(a, b) => two(a, b, &|a, b| Ctl::Or(Box::new(a), Box::new(b))),
        Ctl::Implies(a, b) => two(a, b, &|a, b| Ctl::Implies(Box::new(a), Box::new(b))),
        Ctl::Path(q, path) => {
            let path_of = |p: Path| Ctl::Path(*q, Box::new(p));
            match &**path {
                Path::Next(a) => branching(a).into_iter().map(|a| path_of(Path::Next(a))).collect(),
                Path::Eventually(a) => branching(a).into_iter().map(|a| path_of(Path::Eventually(a))).collect(),
                Path::Always(a) => branching(a).into_iter().map(|a| path_of(Path::Always(a))).collect(),
                Path::Until(a, b) => two(a, b, &|a, b| path_of(Path::Until(a, b))),
                Path::WeakUntil(a, b) => two(a, b, &|a, b| path_of(Path::WeakUntil(a, b))),
                Path::Release(a, b) => two(a, b, &|a, b| path_of(Path::Release(a, b))),
            }
        }
    };
    f.parts().into_iter().cloned().chain(inner).collect()
}
