//! The arguments of `kripke ui` and `kripke serve`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

pub const UI_EXAMPLES: &str = "\
Examples:
  kripke ui                      the models of this directory, in the browser
  kripke ui model.pml            begin with this model
  kripke ui --port 8000 --no-open  print the address only, for a browser elsewhere (ssh -L 8000:127.0.0.1:8000)";

pub const SERVE_EXAMPLES: &str = "\
Examples:
  kripke serve --config kripke.toml --add-user ann --admin   ask for the password of an administrator
  kripke serve --config kripke.toml                          serve the group";

#[derive(Args, Debug)]
pub struct Ui {
    /// Model to begin with; the page shows the models of its directory [default: those of the current directory]
    #[arg(value_name = "MODEL")]
    pub model: Option<PathBuf>,
    /// Port of the page on 127.0.0.1 [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Print the address, and do not open a browser
    #[arg(long)]
    pub no_open: bool,
}

#[derive(Args, Debug)]
pub struct Serve {
    /// Configuration: address, folder of the data, limits, machines
    #[arg(long, value_name = "FILE")]
    pub config: PathBuf,
    /// Add a user, or set the password of one, and end; the password is read from standard input
    #[arg(long, value_name = "NAME")]
    pub add_user: Option<String>,
    /// With --add-user: the user is an administrator
    #[arg(long, requires = "add_user")]
    pub admin: bool,
}

/// A process that a server has started.
#[derive(Args, Debug)]
pub struct PageProcess {
    /// The process that has started this one: both end together.
    #[arg(long)]
    pub parent: u32,
    /// The most bytes of memory.
    #[arg(long)]
    pub memory: Option<u64>,
    /// `worker`, or `execute` and a command.
    #[arg(last = true, required = true)]
    pub work: Vec<OsString>,
}
