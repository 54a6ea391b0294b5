//! `kripke replay`: shows a trail again.

use std::io;
use std::path::Path;

use kripke::files::Disk;
use kripke::replay::{Replayable, TrailRequest};
use kripke::request::Request;
use kripke::task::Kind;
use kripke_report::run::{End, Run};
use kripke_report::table::Look;
use kripke_report::trail_file::TrailFile;
use kripke_report::{itf, listing, screen};

use crate::args::{Reading, Replay, ReplayFormat};
use crate::exit::{Failure, Status};
use crate::interactive::Session;
use crate::{files, output};

pub fn run(args: &Replay) -> Result<Status, Failure> {
    let path = args.trail.clone().unwrap_or_else(|| files::trail_name(&args.file));
    let wrong = |e: &dyn std::fmt::Display| Failure::BadInput(format!("{}: {e}", path.display()));
    let file = TrailFile::read(&text(args, &path)?).map_err(|e| wrong(&e))?;
    let request = request(&file).map_err(|e| wrong(&e))?;
    let prepared = kripke::replay::prepare(&args.file, &request, &Disk)?;
    let Replayable { kind, mut interpreter, mut searched, warnings } = prepared;
    output::remark(&warnings);
    let trail = file.trail(interpreter.model()).map_err(|e| wrong(&e))?;
    let (_, replayed) = trail.replay_whole(&mut interpreter, &mut searched).map_err(|e| wrong(&e))?;
    let mut run = Run::replayed(&interpreter, &replayed);
    let witness = kind == Kind::Ctl && file.error.is_none();
    if kind == Kind::Ctl && !witness && *run.end() == End::Fine {
        run.finish(End::Refuted);
    }
    let end = run.end().clone();
    let names = run.names();
    let format = if args.list { ReplayFormat::List } else { args.format };
    let verdict = if witness { String::new() } else { screen::verdict_line(&run).unwrap_or_default() };
    if args.interactive {
        output::print(&format!("{verdict}\n"));
        Session::new(interpreter, run).run(std::io::stdin().lock());
        return Ok(Status::Fine);
    }
    let look = Look { width: output::width(), full: args.full };
    if format == ReplayFormat::Json {
        output::print_json(&itf::itf(&run, &names, file.error.as_deref().unwrap_or("")));
    }
    output::print(&match format {
        ReplayFormat::Table => format!("{verdict}\n{}", screen::trace(&run, &names, look)),
        ReplayFormat::List if end == End::InvalidEnd => {
            format!("{}{verdict}{}", listing::listing(&run), screen::deadlock(&run, &names))
        }
        ReplayFormat::List => format!("{}{verdict}", listing::listing(&run)),
        ReplayFormat::Json => String::new(),
    });
    Ok(if witness || end == End::Fine { Status::Fine } else { Status::Violated })
}

/// The request of a trail file. Formats 1 and 2 have arguments of the program instead.
pub fn request(file: &TrailFile) -> Result<Request, String> {
    if file.request.is_null() {
        let known = Reading::from_arguments(&file.arguments);
        let (reading, asking) = known.map_err(|_| "its arguments make no sense".to_string())?;
        let mut request = Request {
            source: reading.source(),
            questions: asking.questions(false),
            reductions: reading.reductions(),
            ..Request::default()
        };
        request.search.algorithm = asking.cycles;
        return Ok(request);
    }
    let request: TrailRequest =
        serde_json::from_value(file.request.clone()).map_err(|e| format!("its request makes no sense: {e}"))?;
    if !request.is_known() {
        return Err("its request was written by a newer version of Kripke".to_string());
    }
    Ok(request.request())
}

fn text(args: &Replay, path: &Path) -> Result<String, Failure> {
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is damaged: not text in UTF-8");
    let bytes = files::read(path, files::MAX_TRAIL_BYTES);
    bytes.and_then(|bytes| String::from_utf8(bytes).map_err(not_text)).map_err(|e| {
        let mut message = format!("can't read the trail {}: {}", path.display(), files::explain(&e));
        if args.trail.is_none() && e.kind() == std::io::ErrorKind::NotFound {
            let model = args.file.display();
            message.push_str(&format!("\n  `kripke check {model}` writes one when it finds an error"));
        }
        Failure::BadInput(message)
    })
}
