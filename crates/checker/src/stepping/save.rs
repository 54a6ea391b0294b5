//! The run of a session as a trail file: the numbers of the successors that lead along it.

use std::ops::Range;

use kripke_model::interpret::{Interpreter, Move, Target};
use kripke_model::layout::View;
use kripke_model::trail::{Ending, Trail};
use kripke_model::{Batch, Choice, State, Successors};
use kripke_report::run::{End, Run};
use kripke_report::screen;
use kripke_report::trail_file::TrailFile;

use super::{Origin, Session, is_same_move, system};
use crate::replay::{self, TrailRequest};

/// A run as a trail file.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The text of the trail file.
    pub text: String,
    /// The number of steps that the trail has.
    pub steps: usize,
    /// The number of last steps that it does not have: a trail ends between atomic sequences, and at an error.
    pub left_out: usize,
}

impl Session {
    /// The run up to the current step as a trail file. It was executed again before it is returned.
    pub fn saved(&self) -> Result<Saved, String> {
        let whole = self.at == self.len();
        if let (Origin::Trail { trail, .. }, true, true) = (&self.origin, whole, self.is_on_trail()) {
            return Ok(Saved { text: trail.text(), steps: self.len(), left_out: 0 });
        }
        let (file, source, raw) = self.origin.model();
        let request = TrailRequest::of_run(source.clone(), raw);
        let prepared = replay::prepare(file, &request.request(), &[], &self.texts).map_err(|e| e.to_string())?;
        let mut interpreter = prepared.interpreter;
        let end = if whole { self.run.end() } else { &End::Fine };
        let steps: Vec<usize> = (0..self.at).filter(|n| !self.run.is_pause(&self.run.moves()[*n])).collect();
        let goal = Goal { run: &self.run, steps: &steps };
        let (trail, reached) = goal.trail(end, &mut interpreter)?;
        let replayed = trail.replay(&mut interpreter).map_err(|e| e.to_string())?;
        let again = replayed.moves().iter().zip(&steps).all(|(new, n)| is_same_move(new, &self.run.moves()[*n]));
        if !again || replayed.moves().len() != reached {
            return Err("the trail does not lead along the run".to_string());
        }
        let run = Run::replayed(&interpreter, &replayed);
        let error = screen::verdict(&run, None).map(|(what, place)| match place {
            Some(place) => format!("{what} ({place})"),
            None => what,
        });
        let request = serde_json::to_value(request).map_err(|e| e.to_string())?;
        let file = TrailFile::new(&run, &run.names(), &trail, request, error);
        Ok(Saved { text: file.text(), steps: reached, left_out: steps.len() - reached })
    }
}

/// The steps to make again: those of `run` with these indices.
struct Goal<'a> {
    run: &'a Run,
    steps: &'a [usize],
}

impl Goal<'_> {
    /// The trail along the steps, and how many of them it has.
    fn trail(&self, end: &End, interpreter: &mut Interpreter) -> Result<(Trail, usize), String> {
        let (mut state, mut done, mut choices) = (interpreter.initial_state().to_vec(), 0, Vec::new());
        let mut batch = Batch::new();
        while done < self.steps.len() {
            batch.clear();
            interpreter.expand(&state, Choice::All, &mut batch);
            let numbers = 0..batch.findings().len() as u32;
            if let (End::Finding(_), Some(n)) = (end, self.finding(done, numbers, &state, interpreter)) {
                return Ok((Trail { choices, ending: Ending::Finding(n) }, self.steps.len()));
            }
            let found = (0..batch.len()).find_map(|n| {
                let moves = interpreter.explain(&state, Target::Successor(n))?;
                let view = interpreter.layout().view(batch.state(n));
                self.leads(done, &moves, Some(&view)).then_some((n, moves.len()))
            });
            let Some((n, length)) = found else { break };
            choices.push(n as u32);
            done += length;
            state = batch.state(n).to_vec();
        }
        match end {
            End::Finding(_) => Err("the error at the end of the run can't be found again".to_string()),
            End::InvalidEnd if done == self.steps.len() => Ok((Trail { choices, ending: Ending::InvalidEnd }, done)),
            _ => Ok((Trail { choices, ending: Ending::State }, done)),
        }
    }

    /// The number of the finding that the rest of the steps leads to.
    fn finding(
        &self,
        done: usize,
        mut numbers: Range<u32>,
        state: &State,
        interpreter: &mut Interpreter,
    ) -> Option<u32> {
        let rest = self.steps.len() - done;
        numbers.find(|n| {
            let moves = interpreter.explain(state, Target::Finding(*n as usize));
            moves.is_some_and(|moves| moves.len() == rest && self.leads(done, &moves, None))
        })
    }

    /// Whether moves are the next steps, and lead to the same state.
    fn leads(&self, done: usize, moves: &[Move], view: Option<&View>) -> bool {
        let Some(next) = self.steps.get(done..done + moves.len()) else { return false };
        let same = next.iter().zip(moves).all(|(n, m)| is_same_move(&self.run.moves()[*n], m));
        let reached = |n: &usize| {
            let after = self.run.view(n + 1);
            view.is_none_or(|view| system(view) == system(&after))
        };
        same && next.last().is_some_and(reached)
    }
}
