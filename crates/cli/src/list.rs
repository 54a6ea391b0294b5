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

/// Texts that only files of these commands contain near their beginning.
pub const MARKS: [&str; 5] =
    ["<!-- kripke -->", "content=\"kripke\"", "digraph kripke {", "\"kripke-graph\":", "\"kripke-list\":"];

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
