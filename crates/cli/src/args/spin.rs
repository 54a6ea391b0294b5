//! Options of SPIN's trails.

use std::path::PathBuf;

use clap::Args;
use kripke::request::Source;

/// Trails for SPIN.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Results")]
pub struct SpinTrail {
    /// Also write the counterexample as a trail of SPIN, for `spin -t` [default FILE: MODEL.trail, MODEL with its extension]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub spin_trail: Option<Option<PathBuf>>,
}

/// The text of a model whose trail does not say how it was read.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Trails of SPIN")]
pub struct Text {
    /// Define a macro: -DN=4
    #[arg(short = 'D', value_name = "NAME[=TEXT]")]
    pub define: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME")]
    pub undefine: Vec<String>,
    /// Search this directory for included files
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Evaluate nested `unless` escapes from the inside out
    #[arg(short = 'J', long)]
    pub reverse_escapes: bool,
}

impl Text {
    /// The source of a request.
    pub fn source(&self) -> Source {
        let Text { define, undefine, include, reverse_escapes } = self.clone();
        Source { define, undefine, include, reverse_escapes, ..Source::default() }
    }
}
