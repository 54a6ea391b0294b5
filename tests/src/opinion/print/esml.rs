//! ESML. A process is a loop: location 0 has the guards of a `DO`, each followed by commands, one location each.
//! The last transition of location 0 leaves the loop where no guard is true.

use super::super::system::{Expr, Kind, LocId, Op, Pattern, Place, ProcId, Stmt, System, VarId};

pub fn model(system: &System) -> String {
    let mut out = String::from("MODEL M;\nTYPE\n  word = 0..255;\n  protocol = {m(word)};\n");
    for v in &system.vars {
        let last = if let Kind::Range(last) = v.kind { last } else { 255 };
        let range = format!("0..{last}");
        out += &match v.array {
            Some(n) => format!("  e{0} = {range};\n  t{0} = ARRAY [{n}] OF e{0};\n", v.name),
            None => format!("  t{} = {range};\n", v.name),
        };
    }
    let chans: Vec<&str> = system.chans.iter().map(|c| &*c.name).collect();
    if !chans.is_empty() {
        out += &format!("VAR {}: protocol;\n", chans.join(", "));
    }
    let parameters = if chans.is_empty() { String::new() } else { format!("{}: protocol", chans.join(", ")) };
    for p in 0..system.procs.len() {
        out += &process(system, p, &parameters);
    }
    let starts: Vec<String> = system.procs.iter().map(|p| format!("{}({})", p.name, chans.join(", "))).collect();
    out + &format!("BEGIN\n  {}\nEND M\n", starts.join("; "))
}

fn process(system: &System, p: ProcId, parameters: &str) -> String {
    let proc = &system.procs[p];
    let own: String =
        system.vars.iter().filter(|v| v.owner == Some(p)).map(|v| format!(" {0}: t{0};", v.name)).collect();
    let vars = if own.is_empty() { String::new() } else { format!("VAR{own}\n") };
    let loops = &proc.locs[0].transitions[..proc.locs[0].transitions.len() - 1];
    let branches: Vec<String> = loops
        .iter()
        .map(|t| {
            let Some(Stmt::Guard(e)) = t.body.first() else { unreachable!("a branch begins with a guard") };
            let commands = commands(system, p, t.target);
            let commands = if commands.is_empty() { "SKIP".to_string() } else { commands.join("; ") };
            format!("{} -> {commands}", expr(system, Some(p), e))
        })
        .collect();
    format!(
        "\nPROCESS {0}({parameters});\n{vars}BEGIN\n  DO {1}\n  END\nEND {0};\n",
        proc.name,
        branches.join("\n  [] ")
    )
}

/// The commands from a location up to the loop.
fn commands(system: &System, p: ProcId, from: LocId) -> Vec<String> {
    let (mut out, mut at) = (Vec::new(), from);
    while at != 0 {
        let transitions = &system.procs[p].locs[at].transitions;
        let all: Vec<String> = transitions.iter().map(|t| command(system, p, &t.body[0])).collect();
        at = transitions[0].target;
        out.push(match &all[..] {
            [one] => one.clone(),
            many => {
                let options: Vec<String> = many.iter().map(|c| format!("{c} -> SKIP")).collect();
                // Each option goes through a location of its own for this SKIP.
                at = system.procs[p].locs[at].transitions[0].target;
                format!("POLL {} END", options.join(" [] "))
            }
        });
    }
    out
}

fn command(system: &System, p: ProcId, s: &Stmt) -> String {
    let show = |e: &Expr| expr(system, Some(p), e);
    let place = |v: &Place| {
        let index = v.index.as_ref().map_or(String::new(), |e| format!("[{}]", show(e)));
        format!("{}{index}", system.vars[v.var].name)
    };
    match s {
        Stmt::Assign(to, e) => format!("{} := {}", place(to), show(e)),
        Stmt::Send(c, e) => format!("{}!m({})", system.chans[*c].name, show(e)),
        Stmt::Receive(c, Pattern::Store(to)) => format!("{}?m({})", system.chans[*c].name, place(to)),
        Stmt::Guard(Expr::Const(1)) => "SKIP".to_string(),
        other => unreachable!("not a command of ESML: {other:?}"),
    }
}

pub fn condition(system: &System, e: &Expr) -> String {
    expr(system, None, e)
}

fn expr(system: &System, inside: Option<ProcId>, e: &Expr) -> String {
    let show = |e: &Expr| expr(system, inside, e);
    let name = |v: VarId| match system.vars[v].owner {
        Some(p) if inside != Some(p) => format!("{}.{}", system.procs[p].name, system.vars[v].name),
        _ => system.vars[v].name.clone(),
    };
    match e {
        Expr::Const(n) => n.to_string(),
        Expr::Var(v) => name(*v),
        Expr::Elem(v, i) => format!("{}[{}]", name(*v), show(i)),
        Expr::Not(a) => format!("~({})", show(a)),
        Expr::Bin(op, a, b) => format!("({} {} {})", show(a), operator(*op), show(b)),
        Expr::Cond(..) | Expr::Len(_) | Expr::At(..) => unreachable!("ESML does not have it"),
    }
}

fn operator(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "DIV",
        Op::Mod => "MOD",
        Op::Eq => "=",
        Op::Ne => "#",
        Op::Lt => "<",
        Op::And => "&",
        Op::Or => "OR",
    }
}
