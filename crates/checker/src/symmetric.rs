//! Symmetry reduction in a check: the choice of the model, and runs lifted from representatives to the original.

use kripke_model::Interpreter;
use kripke_model::layout::StartError;
use kripke_reduce::symmetry::Symmetry;
use kripke_report::verdict::Unconfirmed;
use kripke_search::{ErrorKind, Outcome};

use crate::load;
use crate::plan::Symmetries;
use crate::task::Task;

/// The symmetries of a model, or the reasons why there are none.
pub type Found = Result<Symmetry, Vec<String>>;

/// The task, or the same without dead-variable analysis if its symmetry group is larger, if symmetry reduction is wanted.
pub fn choose(
    task: Task,
    for_symmetry: Option<Task>,
    wanted: Option<Result<Symmetries, &'static str>>,
) -> Result<(Task, Option<Found>), StartError> {
    let symmetries = match wanted {
        None => return Ok((task, None)),
        Some(Err(why)) => return Ok((task, Some(Err(vec![why.to_string()])))),
        Some(Ok(symmetries)) => symmetries,
    };
    let find = |task: &Task| -> Result<Found, StartError> {
        Ok(detect(&load::interpreter(task.searched.clone(), false)?, symmetries))
    };
    let gain = |found: &Found| found.as_ref().map_or(0.0, Symmetry::gain);
    let found = find(&task)?;
    if let Some(for_symmetry) = for_symmetry.filter(|other| other.name == task.name) {
        let other = find(&for_symmetry)?;
        if gain(&other) > gain(&found) {
            return Ok((for_symmetry, Some(other)));
        }
    }
    Ok((task, Some(found)))
}

/// The symmetries of the searched model that the question allows.
fn detect(searched: &Interpreter, allowed: Symmetries) -> Found {
    let symmetry = Symmetry::of(searched)?;
    if symmetry.ends && allowed == Symmetries::OfLastingProcesses {
        return Err(vec!["the property counts steps, and processes end".to_string()]);
    }
    Ok(symmetry)
}

/// Lifts the runs that were found among representatives to runs of the original. Returns whether they are as short.
pub fn lift(
    symmetry: &Symmetry,
    outcome: &mut Outcome,
    lasting: &mut Interpreter,
    original: &mut Interpreter,
) -> Result<bool, Unconfirmed> {
    let mut as_short = true;
    for violation in &mut outcome.violations {
        let Some(lifted) = symmetry.lift(&violation.trail, lasting, original) else {
            return Err(Unconfirmed("it is no run once processes have their places again".to_string()));
        };
        violation.trail = lifted.trail;
        if let (ErrorKind::Finding(found), Some(real)) = (&mut violation.error, lifted.finding) {
            *found = real;
        }
        as_short &= !lifted.ends;
    }
    Ok(as_short)
}

/// Groups of interchangeable processes, and why there are not more.
pub fn words(found: Option<&Found>) -> String {
    let lines =
        |what: &str, lines: &[String]| lines.iter().map(|line| format!("  {what}: {line}\n")).collect::<String>();
    match found {
        None => String::new(),
        Some(Ok(symmetry)) => lines("interchangeable", &symmetry.descriptions) + &lines("not", &symmetry.remarks),
        Some(Err(reasons)) => lines("no symmetry", reasons),
    }
}
