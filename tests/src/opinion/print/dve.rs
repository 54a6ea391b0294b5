//! DVE. Locations are states; a transition has a guard, a channel operation and effects.

use super::super::system::{Expr, LocId, Op, Pattern, Place, ProcId, Stmt, System, Transition, Var, VarId};

pub fn model(system: &System) -> String {
    let globals = system.vars.iter().filter(|v| v.owner.is_none()).map(declaration);
    let chans = system.chans.iter().map(|c| format!("channel {{byte}} {}[{}];\n", c.name, c.capacity));
    let procs = (0..system.procs.len()).map(|p| process(system, p));
    globals.chain(chans).chain(procs).chain(["system async;\n".to_string()]).collect()
}

fn declaration(v: &Var) -> String {
    match v.array {
        Some(n) => format!("byte {}[{n}] = {{{}}};\n", v.name, vec![v.initial.to_string(); n].join(", ")),
        None => format!("byte {} = {};\n", v.name, v.initial),
    }
}

fn process(system: &System, p: ProcId) -> String {
    let proc = &system.procs[p];
    let locals: String =
        system.vars.iter().filter(|v| v.owner == Some(p)).map(|v| format!("  {}", declaration(v))).collect();
    let names: Vec<String> = (0..proc.locs.len()).map(|l| format!("s{l}")).collect();
    let committed: Vec<&str> = (0..proc.locs.len()).filter(|l| proc.locs[*l].committed).map(|l| &*names[l]).collect();
    let commit = if committed.is_empty() { String::new() } else { format!("  commit {};\n", committed.join(", ")) };
    let transitions: Vec<String> = proc
        .locs
        .iter()
        .enumerate()
        .flat_map(|(l, loc)| loc.transitions.iter().map(move |t| (l, t)))
        .map(|(l, t)| transition(system, p, l, t))
        .collect();
    let trans = if transitions.is_empty() { String::new() } else { format!("  trans\n{};\n", transitions.join(",\n")) };
    format!("process {} {{\n{locals}  state {};\n  init s0;\n{commit}{trans}}}\n", proc.name, names.join(", "))
}

fn transition(system: &System, p: ProcId, from: LocId, t: &Transition) -> String {
    let show = |e: &Expr| expr(system, Some(p), e);
    let name = |v: &Place| {
        let index = v.index.as_ref().map_or(String::new(), |e| format!("[{}]", show(e)));
        format!("{}{index}", system.vars[v.var].name)
    };
    let (mut guards, mut sync, mut effects) = (Vec::new(), String::new(), Vec::new());
    for s in &t.body {
        match s {
            Stmt::Guard(e) => guards.push(show(e)),
            Stmt::Assign(to, e) => effects.push(format!("{} = {}", name(to), show(e))),
            Stmt::Send(c, e) => sync = format!(" sync {}!{};", system.chans[*c].name, show(e)),
            Stmt::Receive(c, Pattern::Store(to)) => sync = format!(" sync {}?{};", system.chans[*c].name, name(to)),
            other => unreachable!("not a part of a DVE transition: {other:?}"),
        }
    }
    let guard = if guards.is_empty() { String::new() } else { format!(" guard {};", guards.join(" and ")) };
    let effect = if effects.is_empty() { String::new() } else { format!(" effect {};", effects.join(", ")) };
    format!("    s{from} -> s{} {{{guard}{sync}{effect} }}", t.target)
}

pub fn condition(system: &System, e: &Expr) -> String {
    expr(system, None, e)
}

fn expr(system: &System, inside: Option<ProcId>, e: &Expr) -> String {
    let show = |e: &Expr| expr(system, inside, e);
    let name = |v: VarId| match system.vars[v].owner {
        Some(p) if inside != Some(p) => format!("{}->{}", system.procs[p].name, system.vars[v].name),
        _ => system.vars[v].name.clone(),
    };
    match e {
        Expr::Const(n) => n.to_string(),
        Expr::Var(v) => name(*v),
        Expr::Elem(v, i) => format!("{}[{}]", name(*v), show(i)),
        Expr::Not(a) => format!("(not ({}))", show(a)),
        Expr::Bin(op, a, b) => format!("({} {} {})", show(a), operator(*op), show(b)),
        Expr::At(p, l) => format!("{}.s{l}", system.procs[*p].name),
        Expr::Cond(..) | Expr::Len(_) => unreachable!("DVE does not have it"),
    }
}

fn operator(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Mod => "%",
        Op::Eq => "==",
        Op::Ne => "!=",
        Op::Lt => "<",
        Op::And => "and",
        Op::Or => "or",
    }
}
