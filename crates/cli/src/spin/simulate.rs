//! `spin model.pml`: one random run.

use std::path::Path;

use kripke::spin::Steps;
use kripke_model::Random;
use kripke_model::interpret::Move;
use kripke_report::run::{End, Run};
use kripke_report::spin::listing::{self, Shown};

use super::Model;
use super::spin_options::{SpinOptions, Task};
use super::words::ModelWords;
use crate::exit::{Failure, Status};
use crate::interactive::Session;
use crate::{output, random};

/// Steps of a run that has no limit of its own.
const MAX_STEPS: u64 = 10_000_000;

/// What the options ask to be shown.
pub fn shown(options: &SpinOptions) -> Shown {
    Shown {
        statements: options.statements,
        globals: options.globals,
        locals: options.locals,
        sends: options.sends || options.columns,
        receives: options.receives || options.columns,
        output: !options.silent,
        together: options.task == Task::Simulate,
    }
}

/// Simulates a model. The exit status is 1 after a failed assertion, as SPIN's is.
pub fn run(options: &SpinOptions, file: &Path) -> Result<Status, Failure> {
    let mut numbered = Model::new(file.to_path_buf(), options).load(Steps::Short)?;
    let mut at = numbered.interpreter.initial_point();
    let mut run = Run::new(&numbered.interpreter, &at);
    if options.interactive {
        Session::new(numbered.interpreter, run).run(std::io::stdin().lock());
        return Ok(Status::Fine);
    }
    let mut random = Random::new(options.seed.unwrap_or_else(random::fresh_seed));
    let (shown, mut depth) = (shown(options), 0);
    let mut total = run.view(0).processes.len();
    if options.statements {
        output::print(&listing::creations(&run, &ModelWords::new(&numbered)));
    }
    for _ in 0..options.steps.unwrap_or(MAX_STEPS) {
        let mut moves = numbered.interpreter.moves(&at);
        if moves.is_empty() {
            if !run.view(run.moves().len()).processes.is_empty() {
                output::print("      timeout\n");
            }
            break;
        }
        let step: Move = moves.swap_remove(random.below_u64(moves.len() as u64) as usize);
        let (to, finding) = (step.to.clone(), step.findings.first().cloned());
        let before = run.view(run.moves().len()).processes.len();
        run.push(step);
        if let Some(finding) = finding {
            run.finish(End::Finding(finding));
        }
        let (text, next) = listing::step(&run, 1, depth, &ModelWords::new(&numbered), shown);
        total += run.view(1).processes.len().saturating_sub(before);
        output::print(&text);
        depth = next;
        let Some(to) = to.filter(|_| *run.end() == End::Fine) else { break };
        at = to;
        run.forget();
    }
    if !options.brief {
        output::print(&listing::ending(&run, depth, total, &ModelWords::new(&numbered), shown));
    }
    Ok(if *run.end() == End::Fine { Status::Fine } else { Status::Violated })
}
