//! The moves and states of a run. Runs may be long and states large, so a state is stored as its difference to the state
//! before, and equal moves are stored once.

mod moves;
mod points;

use crate::interpret::{Move, Point};

pub use moves::Moves;
pub use points::Cursor;
use points::Points;

/// A finite run: moves and the points between them.
#[derive(Clone, Debug)]
pub struct Path {
    moves: Moves,
    /// The point after each number of moves.
    points: Points,
    /// The numbers of moves of which the last has no target.
    ends: Vec<usize>,
}

impl Path {
    /// A path without moves.
    pub fn new(initial: &Point) -> Path {
        Path { moves: Moves::default(), points: Points::new(initial), ends: Vec::new() }
    }

    /// Appends a move. A move without a target (a fault) leaves the run at the same point.
    pub fn push(&mut self, step: &Move) {
        match &step.to {
            Some(point) => self.points.push(point),
            None => {
                self.points.repeat();
                self.ends.push(self.moves.len() + 1);
            }
        }
        self.moves.push(step);
    }

    /// The moves. Their targets are given by [`Path::point`].
    pub fn moves(&self) -> &Moves {
        &self.moves
    }

    /// The point after `steps` moves. A move with a fault has no target; it leaves the point unchanged.
    pub fn point(&self, steps: usize) -> Point {
        self.points.point(steps)
    }

    /// A way through the points after growing numbers of moves, beginning with the point after `steps` moves.
    pub fn cursor(&self, steps: usize) -> Cursor<'_> {
        Cursor::before(&self.points, steps)
    }

    /// Whether the last of `steps` moves has no target.
    pub fn ends_at(&self, steps: usize) -> bool {
        self.ends.binary_search(&steps).is_ok()
    }

    /// Whether the states after two numbers of moves are equal.
    pub fn is_same(&self, steps: usize, others: usize) -> bool {
        self.state(steps) == self.state(others)
    }

    /// The state after so many moves.
    pub fn state(&self, steps: usize) -> Vec<u8> {
        self.point(steps).state
    }

    /// The part of the path from after `from` moves to after `to` moves.
    pub fn part(&self, from: usize, to: usize) -> Path {
        let ends = self.ends.iter().filter(|end| (from + 1..=to).contains(end)).map(|end| end - from);
        Path { moves: self.moves.copied(from..to), points: self.points.part(from, to + 1), ends: ends.collect() }
    }

    /// Keeps only the first moves.
    pub fn truncate(&mut self, steps: usize) {
        self.moves.truncate(steps);
        self.points.truncate(steps + 1);
        self.ends.retain(|end| *end <= steps);
    }

    /// Drops the first `steps` moves.
    pub fn forget(&mut self, steps: usize) {
        *self = self.part(steps, self.moves.len());
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
    fn moves_and_states_come_back() {
        let mut state = vec![7; 10_000];
        let mut path = Path::new(&Point::free(state.clone()));
        let mut states = vec![state.clone()];
        for n in 0..100 {
            state[n % 50] = n as u8 + 100;
            path.push(&step(Some(state.clone())));
            states.push(state.clone());
        }
        path.push(&step(None));
        states.push(state.clone());
        assert!(states.iter().enumerate().all(|(n, state)| path.state(n) == *state));
        assert!(path.ends_at(101) && !path.ends_at(100));
        assert_eq!(path.moves().distinct().len(), 1);
        let part = path.part(90, 101);
        assert!((0..=11).all(|n| part.state(n) == states[90 + n]) && part.ends_at(11) && part.moves().len() == 11);
        path.forget(10);
        assert!(states[10..].iter().enumerate().all(|(n, state)| path.state(n) == *state));
        path.truncate(20);
        assert_eq!((path.moves().len(), path.state(20)), (20, states[30].clone()));
    }
}
