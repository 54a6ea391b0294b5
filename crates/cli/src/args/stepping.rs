//! Options of interactive simulation and replay.

use clap::Args;

/// How to step.
#[derive(Args, Clone, Copy, Default, Debug)]
pub struct Stepping {
    /// With -i: commands line by line, also on a terminal
    #[arg(long, requires = "interactive")]
    pub plain: bool,
}
