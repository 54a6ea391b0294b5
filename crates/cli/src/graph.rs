//! `kripke graph`: the state graph of a model.

use std::path::{Path, PathBuf};

use kripke::files::Disk;
use kripke::graph::{Around, GraphError, state_graph};
use kripke::request::{Algorithm, Questions, Reductions, Request};
use kripke_report::diagram::{Diagram, Key, Sheet, dot, player, svg};
use kripke_report::graph::{
    Arrows, ModelGraph, Naming, Patterns, Shown, diagram, frames, json, minimised, projected, search_legend, whole,
};
use kripke_report::number::{counted, grouped};
use kripke_report::trail_file::TrailFile;
use kripke_report::{aut, graph};
use kripke_search::graph::{Lts, minimise, walk};

use crate::args::{Exploring, Graph, GraphFormat, Reading, Steps};
use crate::exit::{Failure, Status};
use crate::list::write;
use crate::{files, output, replay};

/// The bytes of an Aldebaran file at most.
const MAX_AUT_BYTES: usize = 1 << 30;
/// The default of the largest number of states, for pictures, Graphviz files and others.
const DRAWN: u64 = 500;
const FOR_GRAPHVIZ: u64 = 5_000;
pub const IN_FILES: u64 = 1_000_000;
/// The advice on a graph that is too large, and that of a command that can show a part of it.
const MORE: &str = "--max-states N allows more";
const LESS: &str = "--max-states N allows more; --project, --minimise and --trail show less";

pub fn run(args: &Graph) -> Result<Status, Failure> {
    let format = format(args);
    let most = args.exploring.max_states.unwrap_or(match format {
        GraphFormat::Svg | GraphFormat::Html => DRAWN,
        GraphFormat::Dot => FOR_GRAPHVIZ,
        GraphFormat::Aut | GraphFormat::Json => IN_FILES,
    });
    if (format == GraphFormat::Html) != args.steps.is_some() && format != GraphFormat::Svg {
        let text = "--steps goes with --format html or svg, and --format html with --steps";
        return Err(Failure::BadInput(text.to_string()));
    }
    if is_aut(&args.file) {
        return transition_system(args, format, most);
    }
    // A graph that is minimised or projected may be larger than what is drawn.
    let explored = if args.minimise.is_some() || args.project.is_some() { most.max(IN_FILES) } else { most };
    let graph = explore(args, explored)?;
    if args.steps.is_some() {
        return steps(args, &graph, format);
    }
    let visible = patterns(&args.exploring);
    let naming = Naming { labels: args.exploring.labels.into(), visible: visible.as_ref() };
    if let Some(by) = args.minimise {
        return deliver_lts(args, &minimal(&graph.lts(naming), by.into(), explored)?, format, most);
    }
    if format == GraphFormat::Aut {
        if args.project.is_some() {
            return Err(Failure::BadInput("--project goes with the formats dot, svg and json".to_string()));
        }
        return write(args.output.as_deref(), args.force, &aut::write(&graph.lts(naming)));
    }
    let shown = match &args.project {
        Some(names) => projection(&graph, names, naming)?,
        None => whole(&graph, naming),
    };
    deliver(args, &shown, format, most)
}

fn format(args: &Graph) -> GraphFormat {
    let ending = args.output.as_ref().and_then(|path| path.extension()).and_then(|e| e.to_str());
    args.format.unwrap_or(match ending {
        Some("svg") => GraphFormat::Svg,
        Some("aut") => GraphFormat::Aut,
        Some("json") => GraphFormat::Json,
        Some("html" | "htm") => GraphFormat::Html,
        _ => GraphFormat::Dot,
    })
}

/// Whether a file has a labelled transition system instead of a model.
pub fn is_aut(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "aut")
}

/// Reads an Aldebaran file.
pub fn read_aut(path: &Path) -> Result<Lts, Failure> {
    let wrong = |why: &dyn std::fmt::Display| Failure::BadInput(format!("{}: {why}", path.display()));
    let bytes = files::read(path, MAX_AUT_BYTES).map_err(|e| wrong(&files::explain(&e)))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong(&"it is not text in UTF-8"))?;
    aut::read(&text).map_err(|e| wrong(&e))
}

pub fn patterns(exploring: &Exploring) -> Option<Patterns> {
    exploring.visible.as_deref().map(Patterns::new)
}

/// The system without the actions that are to be hidden.
pub fn hide(mut lts: Lts, exploring: &Exploring) -> Lts {
    if let Some(patterns) = patterns(exploring) {
        let hidden: Vec<bool> = lts.labels.iter().map(|label| !patterns.matches(label)).collect();
        lts.edges.iter_mut().filter(|edge| hidden[edge.label as usize]).for_each(|edge| edge.label = 0);
    }
    lts
}

fn transition_system(args: &Graph, format: GraphFormat, most: u64) -> Result<Status, Failure> {
    let refused = [
        (args.project.is_some(), "--project"),
        (args.trail.is_some(), "--trail"),
        (args.steps.is_some(), "--steps"),
        (args.property.is_some() || args.ltl.is_some() || args.reach.is_some() || args.acceptance, "a property"),
    ];
    if let Some((_, option)) = refused.iter().find(|(set, _)| *set) {
        return Err(Failure::BadInput(format!("{option} goes with models, not with .aut files")));
    }
    let mut lts = hide(read_aut(&args.file)?, &args.exploring);
    if let Some(by) = args.minimise {
        lts = minimal(&lts, by.into(), most.max(IN_FILES))?;
    }
    deliver_lts(args, &lts, format, most)
}

fn minimal(lts: &Lts, by: kripke_search::graph::Equivalence, most: u64) -> Result<Lts, Failure> {
    minimise(lts, by, most as usize).map_err(|states| {
        let why = format!("the deterministic graph of the traces has more than {} states", grouped(states as u64 - 1));
        too_large(&why, "")
    })
}

fn deliver_lts(args: &Graph, lts: &Lts, format: GraphFormat, most: u64) -> Result<Status, Failure> {
    let size =
        format!("{}, {}", counted(u64::from(lts.states), "state"), counted(lts.edges.len() as u64, "transition"));
    if args.minimise.is_some() {
        output::remark(&format!("{size}\n"));
    }
    match format {
        GraphFormat::Aut => write(args.output.as_deref(), args.force, &aut::write(lts)),
        _ => deliver(args, &minimised(lts), format, most),
    }
}

/// The reductions of a graph: none unless they are asked for.
pub fn reductions(exploring: &Exploring, reading: &Reading) -> Reductions {
    Reductions { raw: !exploring.reduced, ..reading.reductions() }
}

fn request(args: &Graph) -> Request {
    let questions = Questions {
        properties: args.property.iter().cloned().collect(),
        ltl: args.ltl.iter().cloned().collect(),
        reach: args.reach.iter().cloned().collect(),
        acceptance: args.acceptance,
        ..Questions::default()
    };
    let reductions = reductions(&args.exploring, &args.reading);
    let mut request = Request { source: args.reading.source(), questions, reductions, ..Request::default() };
    if args.steps == Some(Steps::Nested) {
        // One acceptance set.
        request.search.algorithm = Algorithm::Nested;
    }
    request
}

fn explore(args: &Graph, most: u64) -> Result<ModelGraph, Failure> {
    let Some(path) = &args.trail else {
        return built_or(LESS, &args.file, &request(args), None, most);
    };
    let wrong = |why: &dyn std::fmt::Display| Failure::BadInput(format!("{}: {why}", path.display()));
    let bytes = files::read(path, files::MAX_TRAIL_BYTES).map_err(|e| wrong(&files::explain(&e)))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong(&"it is not text in UTF-8"))?;
    let trail = TrailFile::read(&text).map_err(|e| wrong(&e))?;
    let request = replay::request(&trail).map_err(|e| wrong(&e))?;
    let around = Around { trail: &trail, radius: args.around.unwrap_or(1) };
    built_or(LESS, &args.file, &request, Some(around), most)
}

/// Builds the graph of a model. The reason why there is none is printed.
pub fn built(file: &Path, request: &Request, around: Option<Around<'_>>, most: u64) -> Result<ModelGraph, Failure> {
    built_or(MORE, file, request, around, most)
}

/// Builds the graph of a model. The reason why there is none is printed, with advice for one that is too large.
fn built_or(
    advice: &str,
    file: &Path,
    request: &Request,
    around: Option<Around<'_>>,
    most: u64,
) -> Result<ModelGraph, Failure> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    match state_graph(file, request, around, most, &Disk) {
        Ok((graph, warnings)) => {
            output::remark(&warnings);
            Ok(graph)
        }
        Err(GraphError::Error(error)) => Err(error.into()),
        Err(GraphError::Trail(why)) => Err(Failure::BadInput(format!("the trail does not fit: {why}"))),
        Err(GraphError::TooLarge(limit)) => {
            let why = format!("{} has more than {} states", file.display(), grouped(limit.most as u64));
            Err(too_large(&why, advice))
        }
    }
}

/// The failure of a graph that is too large.
fn too_large(why: &str, advice: &str) -> Failure {
    output::error(&format!("the graph is too large: {why}"));
    if !advice.is_empty() {
        output::remark(&format!("  {advice}\n"));
    }
    Failure::Said(Status::Inconclusive)
}

fn projection(graph: &ModelGraph, names: &str, naming: Naming<'_>) -> Result<Shown, Failure> {
    let patterns = Patterns::new(names);
    match graph.unused(&patterns).first() {
        Some(name) => Err(Failure::BadInput(format!("--project: no variable, process or channel is called `{name}`"))),
        None if patterns.all().is_empty() => {
            Err(Failure::BadInput("--project needs the name of a variable".to_string()))
        }
        None => Ok(projected(graph, &patterns, naming)),
    }
}

fn title(args: &Graph, shown: &Shown) -> String {
    let size =
        format!("{}, {}", counted(shown.nodes.len() as u64, "state"), counted(shown.steps.len() as u64, "transition"));
    format!("{}: {size}", files::shown(&args.file))
}

fn deliver(args: &Graph, shown: &Shown, format: GraphFormat, most: u64) -> Result<Status, Failure> {
    if shown.nodes.len() as u64 > most {
        let why = format!("it has {} states, and the limit is {}", shown.nodes.len(), grouped(most));
        return Err(too_large(&why, MORE));
    }
    let text = match format {
        GraphFormat::Dot => dot(&diagram(shown, &title(args, shown), Arrows::Each).0),
        GraphFormat::Svg => svg(&diagram(shown, &title(args, shown), Arrows::Bundled).0),
        GraphFormat::Json | GraphFormat::Aut | GraphFormat::Html => json(shown, &args.file.display().to_string()),
    };
    write(args.output.as_deref(), args.force, &text)
}

/// Pictures of a search: a page, or numbered files.
fn steps(args: &Graph, graph: &ModelGraph, format: GraphFormat) -> Result<Status, Failure> {
    let Some(order) = args.steps else { return Ok(Status::Fine) };
    if order == Steps::Nested && !graph.graph.flags.iter().any(|flags| flags.accepting) {
        output::warn("no state is accepting: --ltl, --property and --acceptance ask for acceptance cycles");
    }
    let shown = whole(graph, Naming::default());
    let (mut diagram, place): (Diagram, Vec<usize>) =
        graph::diagram(&shown, &files::shown(&args.file), Arrows::Bundled);
    diagram.legend.retain(|key| matches!(key, Key::Ink(..)));
    diagram.legend.extend(search_legend(order.into()));
    let events = walk(&graph.graph, order.into(), args.all_errors);
    let frames = frames(graph, &shown, &events, order.into(), (&place, diagram.arrows.len()));
    let sheet = Sheet::new(&diagram).with_captions(&frames);
    if format == GraphFormat::Html {
        return write(args.output.as_deref(), args.force, &player(&diagram.title, &sheet, &frames));
    }
    let Some(output) = args.output.as_deref().filter(|path| !files::is_standard(path)) else {
        return Err(Failure::BadInput(
            "--steps with --format svg writes several files; -o NAME.svg names them".to_string(),
        ));
    };
    for (number, frame) in frames.iter().enumerate() {
        write(Some(&numbered(output, number)), args.force, &sheet.svg(Some(frame)))?;
    }
    let last = frames.len().saturating_sub(1);
    let (first, last) = (numbered(output, 0), numbered(output, last));
    output::remark(&format!("{} to {}\n", files::shown(&first), files::shown(&last)));
    Ok(Status::Fine)
}

/// The file of one picture: `search.0007.svg`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map_or("svg".into(), |e| e.to_string_lossy());
    path.with_file_name(format!("{stem}.{number:04}.{ending}"))
}
