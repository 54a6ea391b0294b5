//! Runs from SPIN's trails, and trails from runs.

use std::fmt;

use kripke_lang::promela::numbering::{Kind, Merging};
use kripke_model::Interpreter;
use kripke_model::interpret::{Move, Partner, Point};
use kripke_model::ir::{Edge, EdgeId, ProcessId};
use kripke_model::path::Moves;
use kripke_report::run::{End, Run};

use super::Numbered;
use super::trail::{Line, SpinTrail};

/// Steps that one line of a trail may stand for, by merging.
const MAX_MERGED: usize = 10_000;

/// The process number of the observer's moves.
const OBSERVER: u8 = 255;

/// A trail that the interpreter has executed.
#[derive(Debug)]
pub struct Followed {
    /// The run.
    pub run: Run,
    /// The numbers of SPIN's steps for each move: that of the send and that of the receive for a rendezvous.
    pub depths: Vec<(usize, usize)>,
    /// The moves that SPIN does not show: jumps that are merged into another step.
    pub silent: Vec<usize>,
    /// The steps of the claim: the number of moves before each, and its statement.
    pub claims: Vec<(usize, u32)>,
    /// A remark where the end of the run is not what the trail promises.
    pub remark: Option<String>,
}

/// A step of a trail that is no step of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unresolved {
    /// The line.
    pub line: Line,
    /// The number of the process in the model.
    pub pid: i64,
    /// The reason.
    pub why: String,
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { depth, process, transition } = self.line;
        write!(f, "step {depth} ({depth}:{process}:{transition}) can't be resolved: {}", self.why)
    }
}

impl std::error::Error for Unresolved {}

/// Executes a trail of SPIN. The steps of a claim are left out.
pub fn follow(model: &mut Numbered, trail: &SpinTrail) -> Result<Followed, Unresolved> {
    let point = model.interpreter.initial_point();
    let run = Run::new(&model.interpreter, &point);
    let mut follower =
        Follower { model, trail, point, run, depths: Vec::new(), silent: Vec::new(), claims: Vec::new(), cycle: None };
    let mut at = 0;
    while at < trail.lines.len() {
        if trail.cycle == Some(at) {
            follower.cycle = Some(follower.run.moves().len());
        }
        at = follower.line(at)?;
    }
    Ok(follower.finish())
}

struct Follower<'a> {
    model: &'a mut Numbered,
    trail: &'a SpinTrail,
    point: Point,
    run: Run,
    depths: Vec<(usize, usize)>,
    silent: Vec<usize>,
    claims: Vec<(usize, u32)>,
    /// The number of moves in front of the cycle.
    cycle: Option<usize>,
}

impl Follower<'_> {
    /// Executes the line with an index. Returns the index of the next line.
    fn line(&mut self, at: usize) -> Result<usize, Unresolved> {
        let line = self.trail.lines[at];
        if self.is_claim(line) {
            let statement = u32::try_from(line.transition).unwrap_or(u32::MAX);
            self.claims.push((self.run.moves().len(), statement));
            return Ok(at + 1);
        }
        let pid = self.pid(line);
        let fail = |why: String| Unresolved { line, pid, why };
        let transition = u32::try_from(line.transition).ok();
        let found = transition.and_then(|number| self.model.numbering.transition(number));
        let Some((body, state)) = found else {
            return Err(fail(format!("no statement has the number {}", line.transition)));
        };
        let (kind, text, name) =
            (body.states[state as usize].kind, body.states[state as usize].text.clone(), body.name.clone());
        if self.ended() {
            return Err(fail("the run has ended".to_string()));
        }
        let moves = self.model.interpreter.moves(&self.point);
        let mut candidates: Vec<Move> = moves.into_iter().filter(|m| self.executes(m, pid, line)).collect();
        let mut next = at + 1;
        if candidates.iter().any(|m| m.partner.is_some()) {
            while self.trail.lines.get(next).is_some_and(|line| self.is_claim(*line)) {
                next += 1;
            }
            let Some(receive) = self.trail.lines.get(next).copied() else {
                return Err(fail(format!("`{text}` has no receiver: the trail ends")));
            };
            candidates.retain(|m| self.receives(m, receive));
            next += 1;
        }
        match candidates.into_iter().next() {
            Some(step) => {
                let second = self.trail.lines[next - 1].depth;
                self.depths.push((line.depth as usize, second as usize));
                self.take(step);
                self.merge(next == self.trail.lines.len());
                Ok(next)
            }
            None if matches!(kind, Kind::Jump | Kind::Structure) => Ok(at + 1),
            None => Err(fail(format!("process {pid} can't execute statement {state} of {name}, `{text}`, here"))),
        }
    }

    fn is_claim(&self, line: Line) -> bool {
        self.trail.claim && line.process == 0
    }

    fn pid(&self, line: Line) -> i64 {
        line.process - i64::from(self.trail.claim)
    }

    fn ended(&self) -> bool {
        self.run.ends_at(self.run.moves().len())
    }

    /// Whether a move is the step of a process with the statement of a line.
    fn executes(&self, step: &Move, pid: i64, line: Line) -> bool {
        i64::from(step.pid) == pid && self.transition(step.process, step.edge) == Some(line.transition)
    }

    fn receives(&self, step: &Move, line: Line) -> bool {
        step.partner.is_some_and(|partner| {
            i64::from(partner.pid) == self.pid(line)
                && self.transition(partner.process, partner.edge) == Some(line.transition)
        })
    }

    fn transition(&self, process: ProcessId, edge: EdgeId) -> Option<i64> {
        let state = self.model.state(process, edge)?;
        let body = self.model.body(process)?;
        body.states.get(state as usize).map(|state| i64::from(state.transition))
    }

    fn take(&mut self, step: Move) {
        if let Some(to) = &step.to {
            self.point = to.clone();
        }
        self.run.push(step);
    }

    /// Executes the statements that are merged into the last one. At the end of the trail, an error ends the run.
    fn merge(&mut self, last: bool) {
        let failed = |run: &Run| last && run.moves().last().is_some_and(|step| !step.findings.is_empty());
        if !self.trail.merged || failed(&self.run) {
            return;
        }
        let Some(last) = self.run.moves().last() else { return };
        let merging = |follower: &Self, process: ProcessId, edge: EdgeId| {
            let state = follower.model.state(process, edge)?;
            Some((state, follower.model.body(process)?.states.get(state as usize)?.merging))
        };
        // At a rendezvous, others are merged into the receive.
        let own = Partner { pid: last.pid, process: last.process, edge: last.edge };
        let Partner { pid, process, edge } = last.partner.unwrap_or(own);
        let first = merging(self, process, edge);
        let Some((state, Merging::Start | Merging::Inside)) = first else { return };
        let mut seen = vec![state];
        while !self.ended() && seen.len() < MAX_MERGED {
            let moves = self.model.interpreter.moves(&self.point);
            let mut own: Vec<Move> = moves.into_iter().filter(|m| m.pid == pid).collect();
            let Some(step) = own.pop().filter(|_| own.is_empty()) else { return };
            let Some((state, Merging::Inside)) = merging(self, step.process, step.edge) else { return };
            let at = self.model.body(step.process).and_then(|body| {
                let view = self.model.interpreter.layout().view(&self.point.state);
                let location = view.processes.get(usize::from(step.pid))?.location;
                body.locations.get(location.index()).copied()
            });
            // A choice is no statement that is merged, even if one option is left.
            if at != Some(state) || seen.contains(&state) {
                return;
            }
            seen.push(state);
            let (_, depth) = self.depths.last().copied().unwrap_or_default();
            self.depths.push((depth, depth));
            if self.is_jump(&step) {
                self.silent.push(self.run.moves().len());
            }
            self.take(step);
            if failed(&self.run) {
                return;
            }
        }
    }

    fn is_jump(&self, step: &Move) -> bool {
        let state = self.model.state(step.process, step.edge).zip(self.model.body(step.process));
        let state = state.and_then(|(state, body)| body.states.get(state as usize));
        state.is_some_and(|state| state.kind == Kind::Jump)
    }

    fn finish(mut self) -> Followed {
        let finding = self.run.moves().last().and_then(|step| step.findings.last()).cloned();
        let mut remark = None;
        let end = match (finding, self.cycle) {
            (Some(finding), _) => End::Finding(finding),
            (None, Some(before)) => {
                if before >= self.run.moves().len() {
                    remark = Some("the processes do not move in the cycle: the claim moves alone".to_string());
                } else if !self.run.is_same(before, self.run.moves().len()) {
                    remark = Some("the run does not return to the state in which the cycle begins".to_string());
                }
                if remark.is_some() { End::Fine } else { End::Cycle(before) }
            }
            // The claim ends the run: the processes' steps are a bad prefix of the property.
            (None, None) if self.trail.lines.last().is_some_and(|line| self.is_claim(*line)) => End::BadPrefix,
            (None, None) if self.model.interpreter.invalid_end(&self.point.state) => End::InvalidEnd,
            (None, None) => End::Fine,
        };
        self.run.finish(end);
        Followed { run: self.run, depths: self.depths, silent: self.silent, claims: self.claims, remark }
    }
}

/// The trail of a run. The steps of an observer are left out: SPIN replays the processes alone.
pub fn lines(
    model: &mut Numbered,
    original: &Interpreter,
    moves: &Moves,
    cycle: Option<usize>,
) -> Result<SpinTrail, String> {
    let mut trail = SpinTrail::default();
    let mut point = model.interpreter.initial_point();
    for (i, step) in moves.iter().enumerate() {
        if cycle == Some(i) {
            trail.cycle = Some(trail.lines.len());
        }
        if step.pid == OBSERVER {
            continue;
        }
        let same = model.interpreter.moves(&point).into_iter().find(|m| is_same(m, &model.interpreter, step, original));
        let Some(same) = same else { return Err(format!("step {} is no step of the model as SPIN reads it", i + 1)) };
        push(model, &mut trail, i64::from(same.pid), same.process, same.edge)?;
        if let Some(partner) = same.partner {
            push(model, &mut trail, i64::from(partner.pid), partner.process, partner.edge)?;
        }
        match same.to {
            Some(to) => point = to,
            None => break,
        }
    }
    if cycle.is_some_and(|cycle| cycle >= moves.len()) {
        trail.cycle = Some(trail.lines.len());
    }
    Ok(trail)
}

fn push(model: &Numbered, trail: &mut SpinTrail, pid: i64, process: ProcessId, edge: EdgeId) -> Result<(), String> {
    let depth = trail.lines.len() as i64 + 1;
    let state = model.state(process, edge).ok_or_else(|| format!("step {depth} has no number"))?;
    let transition = model.body(process).and_then(|body| body.states.get(state as usize)).map(|state| state.transition);
    let transition = transition.filter(|number| *number != u32::MAX);
    let transition = transition.ok_or_else(|| format!("the statement of step {depth} has no number"))?;
    trail.lines.push(Line { depth, process: pid, transition: i64::from(transition) });
    Ok(())
}

/// Whether two moves of two readings of one text are the same.
fn is_same(a: &Move, first: &Interpreter, b: &Move, second: &Interpreter) -> bool {
    let edge = |interpreter: &Interpreter, process: ProcessId, edge: EdgeId| -> Option<Edge> {
        interpreter.model().processes.get(process.index())?.edges.get(edge.index()).cloned()
    };
    let alike = |a: Option<Edge>, b: Option<Edge>| match (a, b) {
        (Some(a), Some(b)) => a.span == b.span && a.label == b.label,
        _ => false,
    };
    let partners = match (a.partner, b.partner) {
        (Some(a), Some(b)) => a.pid == b.pid && alike(edge(first, a.process, a.edge), edge(second, b.process, b.edge)),
        (a, b) => a == b,
    };
    a.pid == b.pid && partners && alike(edge(first, a.process, a.edge), edge(second, b.process, b.edge))
}
