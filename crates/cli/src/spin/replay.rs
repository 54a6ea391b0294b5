//! `spin -t`: replays a trail.

use std::path::{Path, PathBuf};

use kripke::spin::trail::SpinTrail;
use kripke::spin::{Followed, Numbered, Steps, follow};
use kripke_report::run::{End, Run};
use kripke_report::spin::listing::{self, Shown};

use super::Model;
use super::pan::trail_name;
use super::simulate::shown;
use super::spin_options::SpinOptions;
use super::words::ModelWords;
use crate::exit::{Failure, Status};
use crate::{files, output};

/// Replays the trail that the options name, or that of the model.
pub fn run(options: &SpinOptions, file: &Path) -> Result<Status, Failure> {
    let path = options.trail.as_ref().map_or_else(|| found(file, options.number.unwrap_or(0), "trail"), PathBuf::from);
    let model = Model::new(file.to_path_buf(), options);
    show(&model, &path, shown(options), options.skipped, options.brief)
}

/// `pan -r`: replays a trail with all statements.
pub fn of_pan(model: &Model, trail: &str, suffix: &str) -> Result<Status, Failure> {
    let path = match trail.parse::<u64>() {
        Ok(number) => found(&model.path, number, suffix),
        Err(_) if trail.is_empty() => found(&model.path, 0, suffix),
        Err(_) => PathBuf::from(trail),
    };
    let shown = Shown { statements: true, output: true, ..Shown::default() };
    show(model, &path, shown, 0, false)
}

/// The trail of a model: beside it, or in the current directory.
fn found(model: &Path, number: u64, suffix: &str) -> PathBuf {
    let name = trail_name(model, number, suffix);
    let beside = model.with_file_name(&name);
    if beside.exists() { beside } else { name }
}

fn show(model: &Model, path: &Path, shown: Shown, skipped: u64, brief: bool) -> Result<Status, Failure> {
    let bytes = files::read(path, files::MAX_TRAIL_BYTES);
    let missing =
        |e| Failure::BadInput(format!("spin: cannot find trail file {}: {}", path.display(), files::explain(&e)));
    let text = String::from_utf8_lossy(&bytes.map_err(missing)?).into_owned();
    let wrong = |e: &dyn std::fmt::Display| Failure::BadInput(format!("spin: {}: {e}", path.display()));
    let trail = SpinTrail::parse(&text).map_err(|e| wrong(&e))?;
    let mut numbered = model.load(Steps::Short)?;
    let Followed { run, .. } = follow(&mut numbered, &trail).map_err(|e| wrong(&e))?;
    print(&run, &numbered, &trail, shown, (skipped, brief));
    Ok(Status::Fine)
}

fn print(run: &Run, numbered: &Numbered, trail: &SpinTrail, shown: Shown, (skipped, brief): (u64, bool)) {
    let words = ModelWords::new(numbered);
    let cycle = match run.end() {
        End::Cycle(before) => Some(*before),
        _ => None,
    };
    let mut depth = 0;
    let mut total = run.view(0).processes.len();
    for n in 1..=run.moves().len() {
        if cycle == Some(n - 1) {
            output::print("  <<<<<START OF CYCLE>>>>>\n");
        }
        let (text, next) = listing::step(run, n, depth, &words, shown);
        let quiet = (next as u64) < skipped;
        total += run.view(n).processes.len().saturating_sub(run.view(n - 1).processes.len());
        if !quiet {
            output::print(&text);
        }
        depth = next;
    }
    let steps = trail.lines.last().map_or(0, |line| line.depth);
    output::print(&format!("spin: trail ends after {steps} steps\n"));
    if !brief {
        output::print(&listing::ending(run, depth, total, &words, shown));
    }
}
