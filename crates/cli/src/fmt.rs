//! `kripke fmt`: models in the style of their language.

use std::path::Path;

use kripke_lang::format::format;

use crate::args::Fmt;
use crate::exit::{Failure, Status};
use crate::files::{self, Replace};
use crate::output;

pub fn run(args: &Fmt) -> Result<Status, Failure> {
    let mut status = Status::Fine;
    for path in &args.files {
        status = status.worse(one(path, args)?);
    }
    Ok(status)
}

fn one(path: &Path, args: &Fmt) -> Result<Status, Failure> {
    let text = files::read_text(path)
        .map_err(|e| Failure::BadInput(format!("can't read {}: {}", path.display(), files::explain(&e))))?;
    let formatted = format(path, args.lang, &text);
    if args.check {
        if formatted == text {
            return Ok(Status::Fine);
        }
        output::print(&format!("not formatted: {}\n", files::shown(path)));
        return Ok(Status::Violated);
    }
    if formatted != text || files::is_standard(path) {
        files::write(path, Replace::Any, |out| out.write_all(formatted.as_bytes()))
            .map_err(|e| files::unwritten(path, &e))?;
    }
    Ok(Status::Fine)
}
