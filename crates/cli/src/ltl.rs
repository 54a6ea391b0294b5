//! `kripke ltl`: translates formulas into automata, without a model.

use std::io;
use std::path::Path;

use kripke::picture;
use kripke_lang::diagnostic::Diagnostic;
use kripke_lang::render::render;
use kripke_lang::source::{Sources, Span};
use kripke_logic::{Class, Problem, TooLarge, Translation, dot, hoa, never, parse, simplify, translate};
use kripke_report::diagram::svg;
use kripke_report::number::counted;

use crate::args::{Ltl, LtlFormat};
use crate::exit::{Failure, Status};
use crate::{files, output};

pub fn run(args: &Ltl) -> Result<Status, Failure> {
    if args.generalised && !matches!(args.format, LtlFormat::Hoa | LtlFormat::Dot | LtlFormat::Svg) {
        return Err(Failure::BadInput("--generalised goes with --format hoa, dot or svg".to_string()));
    }
    let (name, automata) = automata(args)?;
    output::print(&match args.format {
        LtlFormat::Never => never::write(&automata.buchi, &name),
        LtlFormat::Hoa if args.generalised => hoa::generalised(&automata.generalised, &name),
        LtlFormat::Hoa => hoa::buchi(&automata.buchi, &name),
        LtlFormat::Dot if args.generalised => dot::generalised(&automata.generalised, &name),
        LtlFormat::Dot => dot::buchi(&automata.buchi, &name),
        LtlFormat::Svg if args.generalised => svg(&picture::generalised(&automata.generalised, &name)),
        LtlFormat::Svg => svg(&picture::buchi(&automata.buchi, &name)),
        LtlFormat::Summary => summary(&name, &automata),
    });
    Ok(Status::Fine)
}

/// The requested automata, each with its formula.
fn automata(args: &Ltl) -> Result<(String, Translation), Failure> {
    if let Some(path) = &args.from_never {
        let text = read(path)?;
        let claim = never::read(&text).map_err(|p| said(&path.display().to_string(), &text, &p))?;
        let automata = simplify(&claim.generalised()).map_err(too_large)?;
        return Ok((format!("from {}", path.display()), automata));
    }
    if let Some(path) = &args.from_hoa {
        let text = read(path)?;
        let automaton = hoa::read(&text).map_err(|p| said(&path.display().to_string(), &text, &p))?;
        let automata = simplify(&automaton).map_err(too_large)?;
        return Ok((format!("from {}", path.display()), automata));
    }
    let text = args.formula.as_deref().unwrap_or_default();
    let ltl = parse::ltl(text).map_err(|p| said("formula", text, &p))?;
    let ltl = if args.negate { ltl.negated() } else { ltl };
    let automata = translate(&ltl).map_err(too_large)?;
    Ok((ltl.to_string(), automata))
}

fn read(path: &Path) -> Result<String, Failure> {
    let wrong = |e: &io::Error| Failure::BadInput(format!("can't read {}: {}", path.display(), files::explain(e)));
    files::read_text(path).map_err(|e| wrong(&e))
}

/// Shows an error in a formula.
fn said(name: &str, text: &str, problem: &Problem) -> Failure {
    let mut sources = Sources::default();
    let file = sources.add(name.to_string(), text.to_string());
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let span = Span { file, start: place(problem.span.start), end: place(problem.span.end) };
    let mut diagnostic = Diagnostic::error(span, problem.message.as_str(), problem.here.as_str());
    if let Some(help) = &problem.help {
        diagnostic = diagnostic.help(help.as_str());
    }
    output::remark(&render(&sources, &diagnostic, true));
    Failure::Said(Status::BadInput)
}

fn too_large(limit: TooLarge) -> Failure {
    output::error(&limit.message);
    Failure::Said(Status::Inconclusive)
}

fn summary(name: &str, automata: &Translation) -> String {
    let Translation { generalised, buchi } = automata;
    let atoms: Vec<&str> = buchi.atoms.iter().map(|(_, a)| a.text.as_str()).collect();
    let class = Class::of_buchi(buchi);
    let size =
        |states: usize, edges: usize| format!("{}, {}", counted(states as u64, "state"), counted(edges as u64, "edge"));
    let mut kinds = Vec::new();
    kinds.extend(class.terminal.then_some("terminal: a finite prefix decides that a word is accepted"));
    kinds.extend((class.weak && !class.terminal).then_some("weak: no component has both accepting and other cycles"));
    kinds.extend(class.safety.then_some("safety: a finite prefix decides that a word is not accepted"));
    kinds.extend(class.deterministic.then_some("deterministic"));
    let mut out = format!("automaton     {name}\n");
    out += &format!("propositions  {}\n", if atoms.is_empty() { "none".to_string() } else { atoms.join(", ") });
    out += &format!(
        "generalised   {}, {}\n",
        size(generalised.states.len(), generalised.edge_count()),
        counted(u64::from(generalised.sets), "acceptance set")
    );
    out += &format!("state-based   {}\n", size(buchi.states.len(), buchi.edge_count()));
    for (i, kind) in kinds.iter().enumerate() {
        out += &format!("{}{kind}\n", if i == 0 { "kind          " } else { "              " });
    }
    out
}
