//! Promela. A location is a labelled `if` with an option for each transition.

use super::super::system::{
    Expr, Kind, Loc, LocId, Mode, Op, Pattern, Place, ProcId, Stmt, System, Transition, Var, VarId,
};

pub fn model(system: &System) -> String {
    let globals = system.vars.iter().filter(|v| v.owner.is_none()).map(declaration);
    let chans = system.chans.iter().map(|c| match c.alias {
        Some(of) => format!("chan {} = {};\n", c.name, system.chans[of].name),
        None => format!("chan {} = [{}] of {{ byte }};\n", c.name, c.capacity),
    });
    let mut out: String = globals.chain(chans).collect();
    for (first, count) in groups(system) {
        let many = if count > 1 { format!(" [{count}]") } else { String::new() };
        out += &format!("active{many} proctype {}() {}", system.procs[first].name, body(system, first));
    }
    out
}

/// Processes with the same text, one after the other: the first of each group, and how many they are.
fn groups(system: &System) -> Vec<(ProcId, usize)> {
    let mut out: Vec<(ProcId, usize)> = Vec::new();
    for p in 0..system.procs.len() {
        match out.last_mut() {
            Some((first, count)) if body(system, *first) == body(system, p) => *count += 1,
            _ => out.push((p, 1)),
        }
    }
    out
}

fn declaration(v: &Var) -> String {
    let kind = if v.kind == Kind::Bit { "bit" } else { "byte" };
    let array = v.array.map_or(String::new(), |n| format!("[{n}]"));
    let initial = if v.initial == 0 { String::new() } else { format!(" = {}", v.initial) };
    format!("{kind} {}{array}{initial};\n", v.name)
}

fn body(system: &System, p: ProcId) -> String {
    let proc = &system.procs[p];
    let priority = proc.priority.map_or(String::new(), |n| format!("priority {n} "));
    let provided = proc.provided.as_ref().map_or(String::new(), |e| format!("provided ({}) ", expr(system, None, e)));
    let locals: String =
        system.vars.iter().filter(|v| v.owner == Some(p)).map(|v| format!("  {}", declaration(v))).collect();
    let locs: String = (0..proc.locs.len()).map(|l| location(system, p, l)).collect();
    format!("{priority}{provided}{{\n{locals}{locs}}}\n")
}

/// The labels of a location; the first is where jumps go.
fn labels(loc: &Loc, l: LocId) -> Vec<String> {
    let special = [(loc.accept, "accept"), (loc.progress, "progress"), (loc.end, "end")];
    let mut out: Vec<String> = special.iter().filter(|(is, _)| *is).map(|(_, word)| format!("{word}_{l}")).collect();
    if out.is_empty() {
        out.push(format!("L{l}"));
    }
    out
}

fn location(system: &System, p: ProcId, l: LocId) -> String {
    let locs = &system.procs[p].locs;
    let labels: String = labels(&locs[l], l).iter().map(|name| format!("{name}: ")).collect();
    if locs[l].transitions.is_empty() {
        return format!("{labels}false;\n");
    }
    let options: String =
        locs[l].transitions.iter().map(|t| format!("\n  :: {}", transition(system, p, l, t))).collect();
    format!("{labels}if{options}\n  fi;\n")
}

fn transition(system: &System, p: ProcId, from: LocId, t: &Transition) -> String {
    let locs = &system.procs[p].locs;
    let text = sequence(system, p, &t.body);
    let text = match t.mode {
        Mode::Atomic => format!("atomic {{ {text} }}"),
        Mode::DStep => format!("d_step {{ {text} }}"),
        Mode::Plain | Mode::Whole => text,
    };
    match locs.get(t.target) {
        Some(to) => format!("{text}; goto {}", labels(to, t.target)[0]),
        // It falls out of the last location.
        None if from + 1 == locs.len() => text,
        None => unreachable!("only the last location leads to the end"),
    }
}

fn sequence(system: &System, p: ProcId, body: &[Stmt]) -> String {
    let all: Vec<String> = body.iter().map(|s| statement(system, p, s)).collect();
    all.join("; ")
}

fn statement(system: &System, p: ProcId, s: &Stmt) -> String {
    let show = |e: &Expr| expr(system, Some(p), e);
    match s {
        Stmt::Guard(e) => format!("({})", show(e)),
        Stmt::Else => "else".to_string(),
        Stmt::Assign(to, e) => format!("{} = {}", place(system, p, to), show(e)),
        Stmt::Send(c, e) => format!("{}!{}", system.chans[*c].name, show(e)),
        Stmt::Receive(c, pattern) => {
            let pattern = match pattern {
                Pattern::Store(to) => place(system, p, to),
                Pattern::Constant(n) => n.to_string(),
                Pattern::Eval(e) => format!("eval({})", show(e)),
                Pattern::Any => "_".to_string(),
            };
            format!("{}?{pattern}", system.chans[*c].name)
        }
        Stmt::Assert(e) => format!("assert({})", show(e)),
        Stmt::Choice(options) => {
            let options: String = options.iter().map(|o| format!(" :: {}", sequence(system, p, o))).collect();
            format!("if{options} fi")
        }
    }
}

fn place(system: &System, p: ProcId, place: &Place) -> String {
    let index = place.index.as_ref().map_or(String::new(), |e| format!("[{}]", expr(system, Some(p), e)));
    format!("{}{index}", system.vars[place.var].name)
}

pub fn condition(system: &System, e: &Expr) -> String {
    expr(system, None, e)
}

/// `inside`: the process that evaluates it, which may use its own variables by their names.
fn expr(system: &System, inside: Option<ProcId>, e: &Expr) -> String {
    let show = |e: &Expr| expr(system, inside, e);
    let name = |v: VarId| match system.vars[v].owner {
        Some(p) if inside != Some(p) => format!("{}:{}", process(system, p), system.vars[v].name),
        _ => system.vars[v].name.clone(),
    };
    match e {
        Expr::Const(n) => n.to_string(),
        Expr::Var(v) => name(*v),
        Expr::Elem(v, i) => format!("{}[{}]", name(*v), show(i)),
        Expr::Not(a) => format!("!({})", show(a)),
        Expr::Bin(op, a, b) => format!("({} {} {})", show(a), operator(*op), show(b)),
        Expr::Cond(c, a, b) => format!("({} -> {} : {})", show(c), show(a), show(b)),
        Expr::Len(c) => format!("len({})", system.chans[*c].name),
        Expr::At(p, l) => format!("({}@{})", process(system, *p), labels(&system.procs[*p].locs[*l], *l)[0]),
    }
}

/// A process, named from outside.
fn process(system: &System, p: ProcId) -> String {
    let groups = groups(system);
    let (first, _) = groups.iter().rfind(|(first, _)| *first <= p).expect("every process is in a group");
    format!("{}[{p}]", system.procs[*first].name)
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
        Op::And => "&&",
        Op::Or => "||",
    }
}
