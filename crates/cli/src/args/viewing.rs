//! Options of the views of a run.

use clap::{Args, ValueEnum};

/// How to show a run.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "View")]
pub struct Viewing {
    /// Message sequence chart: processes as lanes, messages as arrows
    #[arg(long, value_enum, value_name = "text|svg|mermaid", hide_possible_values = true, conflicts_with_all = ["list", "interactive", "format"])]
    pub chart: Option<ChartFormat>,
    /// Chart: write the values that change beside each step
    #[arg(long)]
    pub changes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ChartFormat {
    Text,
    Svg,
    Mermaid,
}
