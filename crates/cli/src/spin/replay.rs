//! `spin -t`: replays a trail.

use std::path::{Path, PathBuf};

use kripke::spin::trail::SpinTrail;
use kripke::spin::{Followed, Numbered, Steps, follow};
use kripke_report::run::End;
use kripke_report::spin::listing::{Listing, Shown};

use super::Model;
use super::pan::trail_name;
use super::simulate::{self, shown};
use super::spin_options::SpinOptions;
use super::words::ModelWords;
use crate::exit::{Failure, Status};
use crate::{files, output};

/// Replays the trail that the options name, or that of the model.
pub fn run(options: &SpinOptions, file: &Path) -> Result<Status, Failure> {
    let path = options.trail.as_ref().map_or_else(|| found(file, options.number.unwrap_or(0), "trail"), PathBuf::from);
    let model = Model::new(file.to_path_buf(), options);
    let view = Viewing { shown: shown(options), steps: options.steps, brief: options.brief, chart: options.chart };
    show(&model, &path, &view)
}

/// `pan -r`: replays a trail with all statements.
pub fn of_pan(model: &Model, trail: &str, suffix: &str) -> Result<Status, Failure> {
    let path = match trail.parse::<u64>() {
        Ok(number) => found(&model.path, number, suffix),
        Err(_) if trail.is_empty() => found(&model.path, 0, suffix),
        Err(_) => PathBuf::from(trail),
    };
    let shown = Shown { statements: true, output: true, indent: true, trail: true, ..Shown::default() };
    show(model, &path, &Viewing { shown, steps: None, brief: false, chart: false })
}

/// How a trail is shown.
struct Viewing {
    shown: Shown,
    /// The step in front of which the listing ends.
    steps: Option<u64>,
    brief: bool,
    chart: bool,
}

/// The trail of a model: beside it, or in the current directory.
fn found(model: &Path, number: u64, suffix: &str) -> PathBuf {
    let name = trail_name(model, number, suffix);
    let beside = model.with_file_name(&name);
    if beside.exists() { beside } else { name }
}

fn show(model: &Model, path: &Path, view: &Viewing) -> Result<Status, Failure> {
    let bytes = files::read(path, files::MAX_TRAIL_BYTES);
    let missing =
        |e| Failure::BadInput(format!("spin: cannot find trail file {}: {}", path.display(), files::explain(&e)));
    let text = String::from_utf8_lossy(&bytes.map_err(missing)?).into_owned();
    let wrong = |e: &dyn std::fmt::Display| Failure::BadInput(format!("spin: {}: {e}", path.display()));
    let trail = SpinTrail::parse(&text).map_err(|e| wrong(&e))?;
    let mut numbered = model.load(Steps::Every)?;
    let followed = follow(&mut numbered, &trail).map_err(|e| wrong(&e))?;
    if view.chart {
        simulate::chart(&model.path, &followed.run, &mut numbered.interpreter)?;
    }
    if files::is_newer(&model.path, path) {
        let (model, path) = (files::shown(&model.path), files::shown(path));
        output::print(&format!("spin: warning, \"{model}\" is newer than {path}\n"));
    }
    print(&followed, &numbered, &trail, view);
    Ok(Status::Fine)
}

fn print(followed: &Followed, numbered: &Numbered, trail: &SpinTrail, view: &Viewing) {
    let Followed { run, depths, .. } = followed;
    let words = ModelWords::new(numbered);
    let cycle = match run.end() {
        End::Cycle(before) => Some(*before),
        _ => None,
    };
    let shown = Shown { claim: trail.claim, ..view.shown };
    let mut listing = Listing::new(run, &numbered.interpreter, &words, shown);
    output::print(&listing.start(run));
    let most = view.steps.unwrap_or(u64::MAX) as usize;
    let mut claim = Claim::new(followed, numbered, view.shown);
    let in_front = &trail.lines[..trail.cycle.unwrap_or(0)];
    let before_cycle = in_front.iter().filter(|line| trail.claim && line.process == 0).count();
    let mut shown = 0;
    for n in 1..=run.moves().len() {
        if depths[n - 1].0 >= most {
            break;
        }
        if cycle == Some(n - 1) {
            output::print(&claim.before(n - 1, before_cycle, &words));
            output::print("  <<<<<START OF CYCLE>>>>>\n");
        }
        output::print(&claim.before(n - 1, usize::MAX, &words));
        let text = listing.step(run, n, depths[n - 1]);
        if !followed.silent.contains(&(n - 1)) {
            output::print(&text);
        }
        shown = n;
    }
    let last = trail.lines.last().map_or(0, |line| line.depth as usize);
    let depth = if shown < run.moves().len() { most } else { last };
    if shown < run.moves().len() {
        output::print(&format!("-------------\ndepth-limit (-u{most} steps) reached\n"));
    } else {
        output::print(&claim.before(shown, usize::MAX, &words));
    }
    output::print(&format!("spin: trail ends after {depth} steps\n"));
    if !view.brief {
        output::print(&listing.ending(run, &run.view(shown), depth));
    }
}

/// The lines about the never claim.
struct Claim<'a> {
    followed: &'a Followed,
    numbered: &'a Numbered,
    /// The next step of the claim.
    next: usize,
    /// The line that was named last.
    line: String,
    shown: bool,
}

impl<'a> Claim<'a> {
    fn new(followed: &'a Followed, numbered: &'a Numbered, shown: Shown) -> Claim<'a> {
        Claim { followed, numbered, next: 0, line: String::new(), shown: shown.statements || shown.columns }
    }

    /// The lines of the claim's steps before move `n + 1`, up to a number of steps.
    fn before(&mut self, n: usize, most: usize, words: &ModelWords<'_>) -> String {
        let mut out = String::new();
        while let Some((_, statement)) = self.followed.claims.get(self.next).filter(|(at, _)| *at <= n) {
            if self.next >= most {
                break;
            }
            if self.next == 0 && self.shown {
                let number = self.numbered.numbering.transition(*statement).map_or(0, |(body, _)| body.unit);
                out.push_str(&format!("starting claim {number}\n"));
            }
            self.next += 1;
            let Some((line, text)) = words.of_claim(*statement) else { continue };
            if line != self.line {
                out.push_str(&format!("Never claim moves to line {line}\t[{text}]\n"));
                self.line = line;
            }
        }
        out
    }
}
