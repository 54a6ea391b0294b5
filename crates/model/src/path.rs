//! The moves of a run and the states between them, of which each is kept as what is different from the one before: a run
//! may be long, and its states large.

use std::sync::Arc;

use crate::interpret::{Move, Point};
use crate::successors::State;

/// States are compared, and shared, in pieces of so many bytes.
const PIECE: usize = 1 << 12;

/// A finite run: moves and the points between them.
#[derive(Clone, Debug)]
pub struct Path {
    /// Without where they lead.
    moves: Vec<Move>,
    /// Where the run is before the first move and after each: the place in `points`.
    at: Vec<usize>,
    points: Vec<Kept>,
}

/// A point, in pieces that it shares with those before.
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
    /// No moves yet.
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

    /// What each move is. Where it leads is asked for by [`Path::point`].
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Where the run is after so many moves. A move that leads nowhere (a fault) leaves it where it was.
    pub fn point(&self, steps: usize) -> Point {
        let kept = &self.points[self.at[steps]];
        Point { state: kept.state(), control: kept.control }
    }

    /// Whether the last of so many moves leads nowhere.
    pub fn ends_at(&self, steps: usize) -> bool {
        steps > 0 && self.at[steps] == self.at[steps - 1]
    }

    /// Whether the states after so many moves are the same.
    pub fn is_same(&self, steps: usize, others: usize) -> bool {
        self.points[self.at[steps]].pieces == self.points[self.at[others]].pieces
    }

    /// The state after so many moves.
    pub fn state(&self, steps: usize) -> Vec<u8> {
        self.points[self.at[steps]].state()
    }

    /// Whether the state after so many moves is this one.
    pub fn is_at(&self, steps: usize, state: &State) -> bool {
        self.points[self.at[steps]].pieces.iter().map(|piece| &**piece).eq(state.chunks(PIECE))
    }

    /// Keeps only the first moves.
    pub fn truncate(&mut self, steps: usize) {
        self.moves.truncate(steps);
        self.at.truncate(steps + 1);
        self.points.truncate(self.at[self.at.len() - 1] + 1);
    }

    /// Forgets the first moves.
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
        path.forget(10);
        assert!(states[10..].iter().enumerate().all(|(n, state)| path.state(n) == *state));
        path.truncate(20);
        assert_eq!((path.moves().len(), path.state(20)), (20, states[30].clone()));
    }
}
