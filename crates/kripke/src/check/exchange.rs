//! Symmetry in a check: which form of a task to use, and runs made of what the search has found.

use kripke_model::Interpreter;
use kripke_model::layout::StartError;
use kripke_reduce::symmetry::Symmetry;
use kripke_report::verdict::Unconfirmed;
use kripke_search::{Outcome, Wrong};

use crate::args::Check;
use crate::load;
use crate::tasks::Task;

/// Who can take whose place, or why nobody can.
pub type Found = Result<Symmetry, Vec<String>>;

/// The task or its plainer form, whichever has more interchangeable processes, if they are wanted.
pub fn choose(task: Task, plainer: Option<Task>, args: &Check) -> Result<(Task, Option<Found>), StartError> {
    if !args.searching.symmetry {
        return Ok((task, None));
    }
    if args.reading.raw {
        return Ok((task, Some(Err(vec!["--raw leaves nothing out".to_string()]))));
    }
    let find = |task: &Task| -> Result<Found, StartError> {
        let searched = load::interpreter(task.searched.clone(), &args.reading)?;
        Ok(task.symmetry(&searched, args.asking.fairness()))
    };
    let gain = |found: &Found| found.as_ref().map_or(0.0, Symmetry::gain);
    let found = find(&task)?;
    if let Some(plainer) = plainer.filter(|plainer| plainer.name == task.name) {
        let other = find(&plainer)?;
        if gain(&other) > gain(&found) {
            return Ok((plainer, Some(other)));
        }
    }
    Ok((task, Some(found)))
}

/// Makes runs of the original out of what was found with representatives. Whether they are as short.
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
        if let (Wrong::Finding(found), Some(real)) = (&mut violation.wrong, lifted.finding) {
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
