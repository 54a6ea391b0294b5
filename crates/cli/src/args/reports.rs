//! Reports for other tools, and progress.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Reports for other tools, and progress.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Reports")]
pub struct Reports {
    /// Write the results as JUnit XML, for Jenkins and GitLab: a test suite per model, a test case per property
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the violations as SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write a log of the run, one JSON object per line, for `kripke plot`
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Do not test whether a formula that holds does so vacuously, for want of its premise
    #[arg(long)]
    pub no_vacuity: bool,
    /// Progress on standard error: a line that is replaced, only on a terminal (auto); lines now and then, also to a file
    /// (plain); JSON objects, one per line, four in a second (json); or none
    #[arg(long, value_enum, default_value_t = ProgressStyle::Auto, value_name = "auto|plain|json|none", hide_possible_values = true)]
    pub progress: ProgressStyle,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ProgressStyle {
    Auto,
    Plain,
    Json,
    None,
}
