//! A run as a listing, one line per step, in the format of SPIN's `-p` (with tabs before `proc` and `[`): `  3: proc
//! 1 (q:1) second.pml:20 (state 4) [wantq = true]`.

use kripke_model::interpret::Move;
use kripke_model::ir::{EdgeId, LocId, Process, ProcessId};
use kripke_model::layout::View;

use crate::escape::visible;
use crate::run::{End, Run};
use crate::source::Lines;

/// The mark above the first step of the cycle.
const CYCLE: &str = "  <<<<<START OF CYCLE>>>>>\n";

/// The whole run.
pub fn listing(run: &Run) -> String {
    let start = match run.end() {
        End::Cycle(before) => Some(*before),
        _ => None,
    };
    let mark = |n: usize| if start == Some(n) { CYCLE } else { "" };
    let steps = (1..=run.moves().len()).map(|n| format!("{}{}", mark(n - 1), step(run, n)));
    let last = if start == Some(run.moves().len()) { CYCLE } else { "" };
    steps.chain([last.to_string()]).collect()
}

/// The lines of step `n`, counted from 1 after the forgotten steps.
pub fn step(run: &Run, n: usize) -> String {
    let taken = &run.moves()[n - 1];
    if run.is_pause(taken) {
        return format!("{:3}:\t(nothing moves)\n", run.forgotten() + n);
    }
    let before = run.view(n - 1);
    let mut out = String::new();
    for (pid, process, edge) in edges(run, taken) {
        out.push_str(&format!("{:3}:\t{}\n", run.forgotten() + n, line(run, &before, pid, (process, edge))));
    }
    for text in visible(&taken.output).lines() {
        out.push_str(&format!("{:1$}{text}\n", "", 6 + 4 * usize::from(taken.pid)));
    }
    out
}

/// The edges of a move, in execution order. An indivisible sequence belongs to the receiver of a rendezvous. If it is
/// the whole move, the edge that it replaces is omitted.
fn edges(run: &Run, taken: &Move) -> Vec<(u8, ProcessId, EdgeId)> {
    let own = (taken.pid, taken.process, taken.edge);
    let operates = run.edge(taken.process, taken.edge).sync.is_some();
    let (mut edges, (pid, process)) = match taken.partner {
        Some(p) => (vec![own, (p.pid, p.process, p.edge)], (p.pid, p.process)),
        None if operates || taken.chain.is_empty() => (vec![own], (taken.pid, taken.process)),
        None => (Vec::new(), (taken.pid, taken.process)),
    };
    edges.extend(taken.chain.iter().map(|edge| (pid, process, *edge)));
    edges
}

fn line(run: &Run, before: &View, pid: u8, (process, edge): (ProcessId, EdgeId)) -> String {
    let declared = run.model().process(process);
    let mover = before.processes.iter().find(|p| p.pid == pid);
    let priority = mover.map_or(declared.priority, |p| p.priority);
    let state = source(declared, edge).map_or(0, |l| l.0);
    let place = run.lines().place(Lines::own(run.edge(process, edge)));
    let statement = run.statement(process, edge);
    format!("proc {pid:2} ({}:{priority}) {place} (state {state})\t[{statement}]", declared.name)
}

/// The source location of an edge.
fn source(process: &Process, edge: EdgeId) -> Option<LocId> {
    process.locations.iter().position(|l| l.edges.contains(&edge)).map(|i| LocId(i as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_rendezvous_takes_two_lines() {
        let (run, _) = sample::counterexample(sample::handshake());
        let text = listing(&run);
        let lines: Vec<&str> = text.lines().take(3).collect();
        assert_eq!(
            lines,
            [
                "  1:\tproc  0 (sender:1) chan.pml:3 (state 0)\t[c!7]",
                "  1:\tproc  2 (receiver:1) chan.pml:6 (state 0)\t[c?x]",
                "  2:\tproc  0 (sender:1) chan.pml:4 (state 1)\t[d!msg(3)]",
            ]
        );
    }
}
