//! `kripke combine`: writes a DVE model with a property process for each property of a file.

use std::fmt::Write;
use std::path::Path;

use kripke::files::Disk;
use kripke::load;
use kripke::question::formula_error;
use kripke_lang::dve::properties::{Properties, with_property};
use kripke_lang::dve::{self};
use kripke_lang::preprocess::MacroOption;
use kripke_logic::guard::Guard;
use kripke_logic::{Buchi, parse, translate};

use crate::args::{Combine, Reading};
use crate::exit::{Failure, Status};
use crate::files::{Kind, Replace};
use crate::{files, output};

/// The name of the property process.
const NAME: &str = "LTL_property";
/// The mark of files that this command writes.
pub const MARK: &str = "// not: ";

pub fn run(args: &Combine) -> Result<Status, Failure> {
    let system = text(&args.model, "mdve", &args.reading)?;
    let file = text(&args.properties, "mltl", &args.reading)?;
    let place = args.properties.display();
    let properties =
        Properties::read(&file).map_err(|(line, what)| Failure::BadInput(format!("{place}:{line}: {what}")))?;
    if properties.formulas.is_empty() {
        return Err(Failure::BadInput(format!("{place}: there is no `#property`")));
    }
    let replace = Replace::new(Kind::Combined, args.force);
    for (i, formula) in properties.formulas.iter().enumerate() {
        let process = process(args, &properties, formula)?;
        let combined = with_property(&system, NAME, &process).ok_or_else(|| {
            Failure::BadInput(format!("{}: it has a property already, or no `system` line", args.model.display()))
        })?;
        let path = args.model.with_extension(format!("prop{}.dve", i + 1));
        files::write(&path, replace, |out| out.write_all(combined.as_bytes()))
            .map_err(|e| files::unwritten(&path, &e))?;
        output::print(&format!("written: {}   {formula}\n", files::shown(&path)));
    }
    Ok(Status::Fine)
}

/// The text of a file, with macros expanded if its name has this ending.
fn text(path: &Path, ending: &str, reading: &Reading) -> Result<String, Failure> {
    let text = files::read_text(path)
        .map_err(|e| Failure::BadInput(format!("can't read {}: {}", path.display(), files::explain(&e))))?;
    if path.extension().is_none_or(|e| e != ending) {
        return Ok(text);
    }
    // m4 takes `#` for the start of a comment, but here lines of properties begin with it.
    let text = if ending == "mltl" { format!("changecom`'{text}") } else { text };
    let macros: Vec<MacroOption> = reading.text.define.iter().cloned().map(MacroOption::Define).collect();
    dve::expand(&text, &macros).map_err(|d| Failure::BadInput(format!("{}: {}", path.display(), d.message)))
}

/// A property process that accepts the runs that violate the formula.
fn process(args: &Combine, properties: &Properties, formula: &str) -> Result<String, Failure> {
    let ltl = parse::ltl(formula).map_err(|problem| bad(&formula_error("#property", formula, &problem).text))?;
    let conditions: Vec<String> = ltl.atoms.iter().map(|(_, atom)| properties.condition(&atom.text)).collect();
    load::load(&args.model, &args.reading.source(), &conditions, &Disk)
        .map_err(|formula_error| bad(&formula_error.text))?;
    let automaton = translate(&ltl.negated()).map_err(|e| bad(&format!("error: {formula}: {e}\n")))?.buchi;
    Ok(format!("{MARK}{formula}\n{}", written(&automaton, &conditions)))
}

fn bad(text: &str) -> Failure {
    output::remark(text);
    Failure::BadInput("nothing was written".to_string())
}

fn written(automaton: &Buchi, conditions: &[String]) -> String {
    let states: Vec<String> = (0..automaton.states.len().max(1)).map(|i| format!("q{i}")).collect();
    let accepting: Vec<&str> =
        automaton.states.iter().zip(&states).filter(|(s, _)| s.accepting).map(|(_, name)| name.as_str()).collect();
    let first = if automaton.states.is_empty() { 0 } else { automaton.initial.index() };
    let mut out = format!("process {NAME} {{\n    state {};\n    init {};\n", states.join(", "), states[first]);
    if !accepting.is_empty() {
        let _ = writeln!(out, "    accept {};", accepting.join(", "));
    }
    let edges = automaton.states.iter().zip(&states).flat_map(|(state, from)| {
        let edge = |e: &kripke_logic::automaton::Edge| {
            let guard =
                if e.guard.is_true() { String::new() } else { format!("guard {}; ", guard(&e.guard, conditions)) };
            format!("        {from} -> {} {{ {guard}}}", states[e.to.index()])
        };
        state.edges.iter().map(edge).collect::<Vec<_>>()
    });
    let edges: Vec<String> = edges.collect();
    if !edges.is_empty() {
        let _ = writeln!(out, "    trans\n{};", edges.join(",\n"));
    }
    out + "}\n"
}

/// A guard with every operand in brackets, because `and` and `or` have one precedence.
fn guard(guard: &Guard, conditions: &[String]) -> String {
    let cubes = guard.cubes().iter().map(|cube| {
        let literals = cube.literals().map(|(atom, positive)| {
            let not = if positive { "" } else { "not " };
            format!("{not}({})", conditions[atom.index()])
        });
        literals.collect::<Vec<_>>().join(" and ")
    });
    let cubes: Vec<String> = cubes.collect();
    match &cubes[..] {
        [] => "false".to_string(),
        [only] => only.clone(),
        many => many.iter().map(|cube| format!("({cube})")).collect::<Vec<_>>().join(" or "),
    }
}
