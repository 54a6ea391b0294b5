//! The moves and states of a run. A state is stored as its difference to the state before, since runs may be long and
//! states large.

use std::sync::Arc;

use crate::interpret::{Move, Point};
use crate::successors::State;

/// The number of bytes of a piece, the unit in which states are compared and shared.
const PIECE: usize = 1 << 12;

/// A finite run: moves and the points between them.
#[derive(Clone, Debug)]
pub struct Path {
    /// The moves, without their targets.
    moves: Vec<Move>,
    /// For each number of moves, the index in `points` of the point that is reached.
    at: Vec<usize>,
    points: Vec<Kept>,
}

/// A point, as pieces that are shared with earlier points.
#[derive(Clone, Debug)]
struct Kept {
    pieces: Vec<Arc<[u8]>>,
    control: Option<u8>,
}

impl Kept {
    fn new(point: &Point, before: Option<&Kept>) -> Kept {
        let piece = |(n, bytes): (usize, &[u8])| match before.and_then(|before| before.pieces.get(n)) {
            Some(same) if **same == *bytes => same.clone(),
            _ => bytes.into(),
        };
        Kept { pieces: point.state.chunks(PIECE).enumerate().map(piece).collect(), control: point.control }
    }

    fn state(&self) -> Vec<u8> {
        self.pieces.concat()
    }
}

impl Path {
    /// A path without moves.
    pub fn new(initial: &Point) -> Path {
        Path { moves: Vec::new(), at: vec![0], points: vec![Kept::new(initial, None)] }
    }

    /// Appends a move. A move without a target (a fault) leaves the run at the same point.
    pub fn push(&mut self, mut step: Move) {
        if let Some(point) = step.to.take() {
            let kept = Kept::new(&point, self.points.last());
            self.points.push(kept);
        }
        self.at.push(self.points.len() - 1);
        self.moves.push(step);
    }

    /// The moves. Their targets are given by [`Path::point`].
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The point after `steps` moves. A move with a fault has no target; it leaves the point unchanged.
    pub fn point(&self, steps: usize) -> Point {
        let kept = &self.points[self.at[steps]];
        Point { state: kept.state(), control: kept.control }
    }

    /// Whether the last of `steps` moves has no target.
    pub fn ends_at(&self, steps: usize) -> bool {
        steps > 0 && self.at[steps] == self.at[steps - 1]
    }

    /// Whether the states after two numbers of moves are equal.
    pub fn is_same(&self, steps: usize, others: usize) -> bool {
        self.points[self.at[steps]].pieces == self.points[self.at[others]].pieces
    }

    /// The state after so many moves.
    pub fn state(&self, steps: usize) -> Vec<u8> {
        self.points[self.at[steps]].state()
    }

    /// Whether `state` is the state after `steps` moves.
    pub fn is_at(&self, steps: usize, state: &State) -> bool {
        self.points[self.at[steps]].pieces.iter().map(|piece| &**piece).eq(state.chunks(PIECE))
    }

    /// The part of the path from after `from` moves to after `to` moves.
    pub fn part(&self, from: usize, to: usize) -> Path {
        let (first, last) = (self.at[from], self.at[to]);
        Path {
            moves: self.moves[from..to].to_vec(),
            at: self.at[from..=to].iter().map(|at| at - first).collect(),
            points: self.points[first..=last].to_vec(),
        }
    }

    /// Keeps only the first moves.
    pub fn truncate(&mut self, steps: usize) {
        self.moves.truncate(steps);
        self.at.truncate(steps + 1);
        self.points.truncate(self.at[self.at.len() - 1] + 1);
    }

    /// Drops the first `steps` moves.
    pub fn forget(&mut self, steps: usize) {
        let first = self.at[steps];
        self.moves.drain(..steps);
        self.at.drain(..steps);
        self.points.drain(..first);
        self.at.iter_mut().for_each(|at| *at -= first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{EdgeId, ProcessId};

    fn step(to: Option<Vec<u8>>) -> Move {
        Move {
            pid: 0,
            process: ProcessId(0),
            edge: EdgeId(0),
            partner: None,
            others: Vec::new(),
            chain: Vec::new(),
            output: String::new(),
            findings: Vec::new(),
            to: to.map(Point::free),
        }
    }

    #[test]
    fn states_come_back_and_share_what_is_the_same() {
        let mut state = vec![7; 3 * PIECE + 5];
        let mut path = Path::new(&Point::free(state.clone()));
        let mut states = vec![state.clone()];
        for n in 0..100 {
            state[n % 50] = n as u8 + 100;
            path.push(step(Some(state.clone())));
            states.push(state.clone());
        }
        path.push(step(None));
        states.push(state.clone());
        assert!(states.iter().enumerate().all(|(n, state)| path.state(n) == *state && path.is_at(n, state)));
        assert!(path.ends_at(101) && !path.ends_at(100));
        let mut pieces: Vec<_> = path.points.iter().flat_map(|p| &p.pieces).map(Arc::as_ptr).collect();
        pieces.sort();
        pieces.dedup();
        assert_eq!(pieces.len(), 101 + 3, "one piece of each state is its own");
        let part = path.part(90, 101);
        assert!((0..=11).all(|n| part.state(n) == states[90 + n]) && part.ends_at(11) && part.moves().len() == 11);
        path.forget(10);
        assert!(states[10..].iter().enumerate().all(|(n, state)| path.state(n) == *state));
        path.truncate(20);
        assert_eq!((path.moves().len(), path.state(20)), (20, states[30].clone()));
    }
}
