//! `kripke list`: what a model consists of.

use std::path::Path;

use kripke::error::Error;
use kripke::files::Disk;
use kripke::{load, picture};
use kripke_report::diagram::{dot, svg};
use kripke_report::list;

use crate::args::{List, ListFormat};
use crate::exit::{Failure, Status};
use crate::files::{Kind, Replace};
use crate::{files, output};

/// The beginnings of files of these commands.
const BEGINNINGS: [&str; 3] = ["digraph kripke {\n", "{\n  \"kripke-graph\":", "{\n  \"kripke-list\":"];
/// The beginnings of pictures and pages, each with the line that tells that Kripke wrote it.
const MARKED: [(&str, &str); 2] =
    [("<svg ", "<!-- kripke -->"), ("<!DOCTYPE html>\n", "<meta name=\"generator\" content=\"kripke\">")];
/// The number of lines at the beginning of a file that may have the mark.
const MARKED_LINES: usize = 6;

/// Whether a text was written by these commands, by its beginning. Listings as text and `.aut` files do not tell.
pub fn wrote(text: &str) -> bool {
    let marked = |mark: &str| text.lines().take(MARKED_LINES).any(|line| line == mark);
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
        || MARKED.iter().any(|(beginning, mark)| text.starts_with(beginning) && marked(mark))
}

pub fn run(args: &List) -> Result<Status, Failure> {
    let source = args.reading.source();
    if args.preprocessed {
        let text = load::preprocessed(&args.file, &source, &Disk).map_err(Error::Input)?;
        return deliver(args, &text);
    }
    let loaded = load::load(&args.file, &source, &[], &Disk).map_err(Error::Input)?;
    output::remark(&loaded.warnings);
    let model = &loaded.model;
    if args.ir {
        return deliver(args, &model.to_string());
    }
    if let Some(name) = &args.process {
        let listed = matches!(args.format, ListFormat::Text | ListFormat::Json);
        let processes = model.processes.iter().map(|process| process.name.as_str()).collect();
        check_name(args, &if listed { processes } else { picture::names(model) }, name)?;
    }
    let process = args.process.as_deref();
    let text = match args.format {
        ListFormat::Text => list::text(model, &loaded.symbols, process),
        ListFormat::Json => list::json(model, &loaded.symbols, process),
        ListFormat::Dot | ListFormat::Svg => {
            let names = picture::names(model);
            let name = match (process, &names[..]) {
                (Some(name), _) => name,
                (None, [only]) => only,
                (None, names) => {
                    let all = names.join(", ");
                    return Err(Failure::BadInput(format!("--process names the automaton to draw: {all}")));
                }
            };
            let diagram = picture::named(model, name).map_err(Error::Input)?;
            let missing = || Failure::BadInput(format!("`{name}` has no automaton"));
            let diagram = diagram.ok_or_else(missing)?;
            if args.format == ListFormat::Dot { dot(&diagram) } else { svg(&diagram) }
        }
    };
    deliver(args, &text)
}

fn check_name(args: &List, names: &[&str], name: &str) -> Result<(), Failure> {
    if names.contains(&name) {
        return Ok(());
    }
    let (file, all) = (args.file.display(), names.join(", "));
    Err(Failure::BadInput(format!("{file} has no automaton `{name}`; it has {all}")))
}

fn deliver(args: &List, text: &str) -> Result<Status, Failure> {
    write(args.output.as_deref(), args.force, text)
}

/// Writes a text to a file, or to standard output.
pub fn write(path: Option<&Path>, force: bool, text: &str) -> Result<Status, Failure> {
    let path = path.unwrap_or(Path::new("-"));
    if files::is_standard(path) {
        output::print(text);
        return Ok(Status::Fine);
    }
    let replace = Replace::new(Kind::Picture, force);
    files::write(path, replace, |out| out.write_all(text.as_bytes())).map_err(|e| files::unwritten(path, &e))?;
    Ok(Status::Fine)
}
