//! `kripke ui` and `kripke serve`: the page, and the processes that work for it.

use std::ffi::OsString;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kripke_web::{Redirect, add_user, serve_group};

use crate::args::{PageProcess, Serve, Ui};
use crate::exit::{Failure, Status};
use crate::output;

/// Programs that open an address in the user's browser.
const OPENERS: [&str; 4] = ["xdg-open", "open", "wslview", "sensible-browser"];

fn program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|e| Failure::BadInput(format!("the file of this program can't be found: {e}")))
}

/// Serves the page to one person.
pub fn ui(args: &Ui) -> Result<Status, Failure> {
    let wrong =
        |path: &Path, e: &io::Error| Failure::BadInput(format!("{}: {}", path.display(), crate::files::explain(e)));
    let (folder, model) = match &args.model {
        Some(path) if path.is_dir() => (path.clone(), None),
        Some(path) => {
            path.metadata().map_err(|e| wrong(path, &e))?;
            let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            (folder.to_path_buf(), path.file_name().map(|name| name.to_string_lossy().into_owned()))
        }
        None => (PathBuf::from("."), None),
    };
    let page = kripke_web::Ui { program: program()?, folder, model, port: args.port };
    // The file stays until the server ends: the browser may read it at any time.
    let mut redirect = None;
    let announce = |address: &str| {
        output::print(&format!("The page is at {address}\n"));
        if !args.no_open {
            redirect = Redirect::new(address).ok();
            open(redirect.as_ref());
        }
    };
    page.serve(announce).map_err(|e| Failure::BadInput(format!("the page can't be served: {e}")))?;
    Ok(Status::Fine)
}

/// Opens the page in a browser, if there is one.
fn open(redirect: Option<&Redirect>) {
    let start = |opener: &&str| {
        let mut command = Command::new(opener);
        command.arg(redirect?.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().ok()
    };
    let opener = OPENERS.iter().find_map(start);
    std::thread::spawn(move || {
        let has_opened = opener.is_some_and(|mut child| child.wait().is_ok_and(|status| status.success()));
        if !has_opened {
            output::remark("no browser was opened: open the address yourself\n");
        }
    });
}

/// Serves the page to a group.
pub fn serve(args: &Serve) -> Result<Status, Failure> {
    let wrong = |e: &io::Error| Failure::BadInput(format!("{}: {e}", args.config.display()));
    if let Some(name) = &args.add_user {
        let mut password = String::new();
        output::remark(&format!("password of {name}: "));
        io::stdin().lock().read_line(&mut password).map_err(|e| wrong(&e))?;
        let password = password.trim_end_matches(['\n', '\r']);
        add_user(&args.config, name, password, args.admin).map_err(|e| wrong(&e))?;
        return Ok(Status::Fine);
    }
    let announce = |address: &str| output::print(&format!("The page is at {address}\n"));
    serve_group(program()?, &args.config, announce).map_err(|e| wrong(&e))?;
    Ok(Status::Fine)
}

/// Works for a server, within its limits and not longer than it lives.
pub fn process(args: &PageProcess) -> Result<Status, Failure> {
    let wrong = |e: &dyn std::fmt::Display| Failure::BadInput(format!("page-process: {e}"));
    bind(args).map_err(|e| wrong(&e))?;
    match args.work.split_first() {
        Some((word, [])) if word == "worker" => kripke_web::worker::run().map_err(|e| wrong(&e))?,
        Some((word, [command, rest @ ..])) if word == "execute" => return Err(wrong(&execute(command, rest))),
        _ => return Err(wrong(&"there is nothing to do")),
    }
    Ok(Status::Fine)
}

/// Ends this process with its parent, and bounds its memory. Both stay when another program is executed.
#[cfg(unix)]
fn bind(args: &PageProcess) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getppid, setrlimit};
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    let parent = getppid().map(|pid| pid.as_raw_nonzero().get().cast_unsigned());
    if parent != Some(args.parent) {
        return Err(io::Error::other("the server has ended"));
    }
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none)?;
    if let Some(bytes) = args.memory {
        setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) })?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn bind(_: &PageProcess) -> io::Result<()> {
    Ok(())
}

/// Executes a command in the place of this process.
#[cfg(unix)]
fn execute(command: &OsString, rest: &[OsString]) -> io::Error {
    std::os::unix::process::CommandExt::exec(Command::new(command).args(rest))
}

#[cfg(not(unix))]
fn execute(command: &OsString, rest: &[OsString]) -> io::Error {
    match Command::new(command).args(rest).status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(4)),
        Err(e) => e,
    }
}
