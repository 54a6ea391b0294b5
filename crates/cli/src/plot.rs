//! `kripke plot`: logs of checks as a picture.

use kripke::files::{Disk, Files};
use kripke_report::run_log::LoggedRun;
use kripke_report::{plot, run_log};

use crate::args::Plot;
use crate::exit::{Failure, Status};
use crate::files::{self, Kind, Replace};

pub fn run(args: &Plot) -> Result<Status, Failure> {
    let replace = Replace::new(Kind::Plot, args.force);
    files::may_write(&args.output, replace).map_err(|e| files::unwritten(&args.output, &e))?;
    let mut runs: Vec<LoggedRun> = Vec::new();
    for path in &args.logs {
        let bytes = Disk.named(path);
        let bytes = bytes.map_err(|e| Failure::BadInput(format!("{}: {}", path.display(), files::explain(&e))))?;
        let text =
            String::from_utf8(bytes).map_err(|_| Failure::BadInput(format!("{}: it is no text", path.display())))?;
        let read = run_log::read(&text);
        runs.extend(read.map_err(|(line, why)| Failure::BadInput(format!("{}:{line}: {why}", path.display())))?);
    }
    let quantities = if args.of.is_empty() { plot::usual(&runs) } else { args.of.clone() };
    let text = plot::svg(&quantities, &runs);
    files::write(&args.output, replace, |out| out.write_all(text.as_bytes()))
        .map_err(|e| files::unwritten(&args.output, &e))?;
    Ok(Status::Fine)
}
