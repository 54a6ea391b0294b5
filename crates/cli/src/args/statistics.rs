//! Statistics of the state space.

use clap::Args;

/// Statistics of the state space.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Statistics")]
pub struct StatisticsOptions {
    /// Characteristics of the state space of all interleavings: unique states, revisits, loops, degrees, levels, components
    #[arg(long)]
    pub statistics: bool,
    /// How often each statement is executed, once for each transition of the state space of all interleavings
    #[arg(long)]
    pub profile: bool,
    /// The smallest and largest value of each variable in all reachable states
    #[arg(long)]
    pub ranges: bool,
}

impl StatisticsOptions {
    /// Whether any statistics are wanted.
    pub fn any(&self) -> bool {
        self.statistics || self.profile || self.ranges
    }
}
