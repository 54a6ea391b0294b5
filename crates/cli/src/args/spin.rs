//! Options of SPIN's trails.

use std::path::PathBuf;

use clap::Args;

/// Trails for SPIN.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Results")]
pub struct SpinTrail {
    /// Also write the counterexample as a trail of SPIN, for `spin -t` [default FILE: MODEL.trail, MODEL with its extension]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub spin_trail: Option<Option<PathBuf>>,
}
