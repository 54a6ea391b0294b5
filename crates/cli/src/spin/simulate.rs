//! `spin model.pml`: one random run.

use std::path::{Path, PathBuf};

use kripke::spin::{Numbered, Steps};
use kripke::stepping::{Origin, Session};
use kripke_model::interpret::{Move, Point};
use kripke_model::{Interpreter, Random};
use kripke_report::chart::svg::svg;
use kripke_report::run::{End, Run};
use kripke_report::spin::listing::{Listing, Shown};

use super::Model;
use super::spin_options::{SpinOptions, Task};
use super::words::ModelWords;
use crate::exit::{Failure, Status};
use crate::files::{self, Kind, Replace};
use crate::{output, random, step};

/// Steps of a run that has no limit of its own.
const MAX_STEPS: u64 = 10_000_000;

/// What the options ask to be shown.
pub fn shown(options: &SpinOptions) -> Shown {
    Shown {
        statements: options.statements,
        globals: options.globals,
        locals: options.locals,
        sends: options.sends,
        receives: options.receives,
        columns: options.columns,
        output: !options.silent,
        indent: !options.flat,
        from: options.skipped as usize,
        trail: options.task == Task::Replay,
        claim: false,
    }
}

/// Simulates a model. The exit status is 1 after a failed assertion, as SPIN's is.
pub fn run(options: &SpinOptions, file: &Path) -> Result<Status, Failure> {
    let mut numbered = Model::new(file.to_path_buf(), options).load(Steps::Short)?;
    let at = numbered.interpreter.initial_point();
    let run = Run::new(&numbered.interpreter, &at);
    let seed = options.seed.unwrap_or_else(random::fresh_seed);
    if options.interactive {
        // SPIN's interactive simulation is line by line.
        let origin = Origin::Model { file: file.to_path_buf(), source: options.source.clone(), raw: true };
        return step::run(Session::new(numbered.interpreter, run, origin, seed), file, true);
    }
    let status = simulate(options, numbered, run, (at, seed), file)?;
    if options.seed_shown {
        output::print(&format!("seed used: {seed}\n"));
    }
    Ok(status)
}

fn simulate(
    options: &SpinOptions,
    numbered: Numbered,
    mut run: Run,
    (mut at, seed): (Point, u64),
    file: &Path,
) -> Result<Status, Failure> {
    let mut interpreter = numbered.interpreter.for_thread();
    let words = ModelWords::new(&numbered);
    let mut listing = Listing::new(&run, &interpreter, &words, shown(options));
    output::print(&listing.start(&run));
    let (mut random, mut depth) = (Random::new(seed), 0);
    let most = options.steps.unwrap_or(MAX_STEPS) as usize;
    loop {
        if depth >= most {
            output::print(&format!("-------------\ndepth-limit (-u{most} steps) reached\n"));
            break;
        }
        let mut moves = interpreter.moves(&at);
        if moves.is_empty() {
            if !run.view(run.moves().len()).processes.is_empty() {
                output::print("      timeout\n");
            }
            break;
        }
        let step: Move = moves.swap_remove(random.below_u64(moves.len() as u64) as usize);
        let (to, finding) = (step.to.clone(), step.findings.first().cloned());
        depth += if run.edge(step.process, step.edge).label == "-end-" { 0 } else { step.chain.len().max(1) };
        run.push(step);
        if let Some(finding) = finding {
            run.finish(End::Finding(finding));
        }
        let n = run.moves().len();
        output::print(&listing.step(&run, n, (depth, depth)));
        let Some(to) = to.filter(|_| *run.end() == End::Fine) else { break };
        at = to;
        if !options.chart {
            run.forget();
        }
    }
    if options.chart {
        chart(file, &run, &mut interpreter)?;
    }
    // A failed assertion is not executed.
    let last = run.moves().len() - usize::from(*run.end() != End::Fine);
    if !options.brief {
        output::print(&listing.ending(&run, &run.view(last), depth));
    }
    Ok(if *run.end() == End::Fine { Status::Fine } else { Status::Violated })
}

/// `-M`: writes the message sequence chart of a run beside the program, as a picture.
pub fn chart(model: &Path, run: &Run, interpreter: &mut Interpreter) -> Result<(), Failure> {
    let name = model.file_name().unwrap_or(model.as_os_str()).to_string_lossy();
    let path = PathBuf::from(format!("{name}.svg"));
    let text = svg(&kripke_report::chart::chart(run, &run.names(), interpreter, false));
    // By the mark, the picture is known as one that may be replaced.
    let text = text.replacen("<title>", "<!-- kripke -->\n<title>", 1);
    files::write(&path, Replace::OnlyOurs(Kind::Picture), |out| out.write_all(text.as_bytes()))
        .map_err(|e| files::unwritten(&path, &e))?;
    output::print(&format!("wrote {}\n", files::shown(&path)));
    Ok(())
}
