//! Options of the views of a run.

use clap::{Args, ValueEnum};
use kripke_report::select::Selection;

/// How to show a run.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "View")]
pub struct Viewing {
    /// Message sequence chart: processes as lanes, messages as arrows
    #[arg(long, value_enum, value_name = "text|svg|mermaid", hide_possible_values = true, conflicts_with_all = ["list", "interactive", "format"])]
    pub chart: Option<ChartFormat>,
    /// Table: show these variables: --show 'x,q*,P.*'
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub show: Vec<String>,
    /// Table: do not show these variables
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub hide: Vec<String>,
    /// Table: show all variables, also those that never change
    #[arg(long)]
    pub all: bool,
    /// Table: show only what changes, variables and steps. Chart: write changed values beside each step
    #[arg(long)]
    pub changes: bool,
    /// Table: show only steps of these processes: --process 'P,Q(2)'
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub process: Vec<String>,
    /// Table: show only these statements: --statement 'x =*'
    #[arg(long, value_name = "PATTERN")]
    pub statement: Vec<String>,
    /// Table: add a column with the value of an expression; may be repeated
    #[arg(long, value_name = "EXPR")]
    pub watch: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ChartFormat {
    Text,
    Svg,
    Mermaid,
}

impl Viewing {
    /// The first option that is given and that only tables obey. Expressions are also watched in interactive replays, changes
    /// also shown in charts.
    pub fn of_tables(&self, interactive: bool) -> Option<&'static str> {
        let options = [
            ("--show", !self.show.is_empty()),
            ("--hide", !self.hide.is_empty()),
            ("--all", self.all),
            ("--changes", self.changes && self.chart.is_none()),
            ("--process", !self.process.is_empty()),
            ("--statement", !self.statement.is_empty()),
            ("--watch", !self.watch.is_empty() && !interactive),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// The choice of columns and rows.
    pub fn selection(&self) -> Selection {
        let trimmed = |list: &[String]| list.iter().map(|text| text.trim().to_string()).collect();
        Selection {
            show: trimmed(&self.show),
            hide: trimmed(&self.hide),
            processes: trimmed(&self.process),
            statements: trimmed(&self.statement),
            all: self.all,
            changes: self.changes,
            ..Selection::default()
        }
    }
}
