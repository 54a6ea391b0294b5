//! The command line: commands, options and their help texts.

mod aliases;
mod asking;
mod bench;
mod cluster;
mod editors;
mod graph;
mod list;
mod ltl;
mod page;
mod plot;
mod reports;
mod request;
mod searching;
mod spin;
mod statistics;
mod stepping;
mod storing;
mod text;
mod viewing;

use std::ffi::{OsStr, OsString};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use kripke_lang::Language;
use kripke_report::number::{parse_bytes, parse_count, parse_duration};

pub use asking::{Asking, CycleAlgorithm};
pub use bench::Bench;
pub use cluster::Cluster;
pub use editors::Fmt;
pub use graph::{Compare, Exploring, Graph, GraphFormat, Steps};
pub use list::{List, ListFormat};
pub use ltl::{Ltl, LtlFormat};
pub use page::{PageProcess, Serve, Ui};
pub use plot::Plot;
pub use reports::{ProgressStyle, Reports};
pub use searching::Searching;
pub use statistics::StatisticsOptions;
pub use stepping::Stepping;
pub use storing::Storing;
pub use text::Text;
pub use viewing::{ChartFormat, Viewing};

const EXAMPLES: &str = "\
Examples:
  kripke model.pml                      check a model; a bare file name means `check`
  kripke check *.pml --timeout 10m      check several models, one line each
  kripke replay model.pml               show the last counterexample again
  kripke simulate model.pml --seed 1    simulate one random run
  kripke simulate model.pml -i          choose each step interactively
  kripke ltl '[] (p -> <> q)'           translate a formula into a Büchi automaton
  kripke list model.pml                 list processes, locations, edges and properties
  kripke graph model.pml -o model.svg   draw the state graph
  kripke bench model.pml --with -j1     measure time, memory and counts

Exit status:
  0  every property holds, and the search was complete
  1  a property is violated
  2  bad input or usage
  3  inconclusive: a limit, a timeout, an interrupt, a lossy store
  4  a bug in Kripke";

const CHECK_EXAMPLES: &str = "\
Examples:
  kripke check model.pml                        shortest counterexample, if the model has an error
  kripke check model.pml -DN=4 --mem 8G         with a macro defined and a memory limit
  kripke check model.pml --all-errors --raw     counts of an exhaustive search without reductions
  kripke check model.pml --format json          for scripts";

/// Kripke is an explicit-state model checker: it proves properties of concurrent systems or shows counterexamples.
#[derive(Parser, Debug)]
#[command(name = "kripke", version, after_help = EXAMPLES, disable_help_subcommand = true, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// Use colours: auto, always or never
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN", hide_possible_values = true)]
    pub color: Colour,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Explore every reachable state of a model; the default for a bare file name
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<Check>),
    /// Measure time, memory and counts of checks with different options
    #[command(after_help = bench::EXAMPLES)]
    Bench(Bench),
    /// Simulate one run of a model, random or interactive
    #[command(visible_alias = "sim")]
    Simulate(Simulate),
    /// Show the counterexample in a trail file again
    Replay(Replay),
    /// Write the product of a DVE model with each LTL property of a file: MODEL.prop1.dve, …
    Combine(Combine),
    /// List what a model consists of, or draw the automaton of a process
    #[command(after_help = list::EXAMPLES)]
    List(List),
    /// Write the state graph of a model as a picture or a file, or minimise it
    #[command(after_help = graph::EXAMPLES)]
    Graph(Box<Graph>),
    /// Compare the state graphs of two models or files
    #[command(after_help = graph::COMPARE_EXAMPLES)]
    Compare(Box<Compare>),
    /// Translate an LTL formula into a Büchi automaton
    #[command(after_help = ltl::EXAMPLES)]
    Ltl(Ltl),
    /// Format models: white space in one style, words and comments unchanged
    #[command(after_help = editors::EXAMPLES)]
    Fmt(Fmt),
    /// Serve an editor: the Language Server Protocol on standard input and output
    Lsp,
    /// Debug adapter on standard input and output, for editors: counterexamples and simulations, forwards and backwards
    Dap,
    /// The page: model, run, counterexample and state graph in a browser
    #[command(after_help = page::UI_EXAMPLES)]
    Ui(Ui),
    /// The page for a group: accounts, projects, a queue of checks, machines
    #[command(after_help = page::SERVE_EXAMPLES)]
    Serve(Serve),
    /// Work for a page
    #[command(hide = true)]
    PageProcess(PageProcess),
    /// SPIN's own command line: `kripke spin -a`, `-run`, `-t`, `-p`, …; also when Kripke is called as `spin` or `pan`
    #[command(disable_help_flag = true)]
    Spin {
        /// Arguments of `spin`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        args: Vec<OsString>,
    },
    /// Start several processes that check a model together, with mpirun or Slurm
    #[command(after_help = cluster::EXAMPLES)]
    Cluster(Cluster),
    /// Show the GPU that `kripke check --gpu` would use, and what it can hold
    Gpu,
    /// Draw the logs of `kripke check --log` as SVG
    #[command(after_help = plot::EXAMPLES)]
    Plot(Plot),
    /// Print a completion script for your shell
    Completions {
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page of the program or of one command
    Man { command: Option<String> },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Colour {
    Auto,
    Always,
    Never,
}

/// How to read the model.
#[derive(Args, Clone, PartialEq, Default, Debug)]
#[command(next_help_heading = "Model")]
pub struct Reading {
    /// Language of the model [default: by the file name's extension]
    #[arg(long, value_parser = language(), value_name = LANGUAGES.as_str(), hide_possible_values = true)]
    pub lang: Option<Language>,
    #[command(flatten)]
    pub text: Text,
    /// Lossy channels: a message that is sent to a full channel is lost; otherwise the send waits
    #[arg(long)]
    pub lossy_send: bool,
    /// Values that do not fit into their variable are cut: say where this first happens (warn), make it an error (error), or
    /// ignore it (wrap)
    #[arg(long, value_enum, default_value_t, value_name = "warn|error|wrap", hide_possible_values = true)]
    pub overflow: Overflow,
    /// Full interleaving as SPIN counts it: no statement merging, no reductions, `xr`/`xs` not checked
    #[arg(long)]
    pub raw: bool,
    /// No statement merging: store the states between invisible local steps of a process, too
    #[arg(long)]
    pub no_coarsening: bool,
    /// No dead-variable analysis: do not reset variables whose values are never read again
    #[arg(long)]
    pub no_dead_variables: bool,
    /// No slicing: keep variables and constants that cannot influence the property
    #[arg(long)]
    pub no_slicing: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum Overflow {
    #[default]
    Warn,
    Error,
    Wrap,
}

/// The names of the languages, as help shows them.
static LANGUAGES: LazyLock<String> =
    LazyLock::new(|| Language::all().map(Language::name).collect::<Vec<_>>().join("|"));

/// The parser of a language's name.
fn language() -> impl TypedValueParser<Value = Language> {
    let names = PossibleValuesParser::new(Language::all().map(Language::name));
    names.try_map(|name| Language::named(&name).ok_or("unknown language"))
}

#[derive(Args, Debug)]
pub struct Check {
    /// Models to check
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Only read the models and report errors in their texts
    #[arg(long)]
    pub parse_only: bool,

    #[command(flatten)]
    pub asking: Asking,
    #[command(flatten)]
    pub looking: Looking,
    #[command(flatten)]
    pub searching: Searching,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub showing: Showing,
    #[command(flatten)]
    pub reports: Reports,
    #[command(flatten)]
    pub statistics: StatisticsOptions,
    #[command(flatten)]
    pub reading: Reading,
}

/// What counts as an error.
#[derive(Args, Clone, PartialEq, Debug)]
#[command(next_help_heading = "Errors")]
pub struct Looking {
    /// Ignore failed assertions
    #[arg(short = 'A', long)]
    pub no_assertions: bool,
    /// Ignore invalid end states
    #[arg(short = 'E', long)]
    pub no_end_states: bool,
    /// Ignore the properties stated in the model: never claims, ltl blocks, property processes, ASSERT
    #[arg(long)]
    pub no_claim: bool,
    /// Continue after the first error and count all errors
    #[arg(long)]
    pub all_errors: bool,
    /// Stop at the N-th error; 0: same as --all-errors
    #[arg(short = 'c', value_name = "N", conflicts_with = "all_errors")]
    pub count: Option<u64>,
}

/// When to give up.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Maximum search depth, in steps from the initial state
    #[arg(short = 'm', long, value_name = "N", value_parser = parse_depth)]
    pub max_depth: Option<u32>,
    /// Maximum number of stored states: 50k, 2M
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub max_states: Option<u64>,
    /// Maximum memory of the whole program: 512M, 48G [default: 3/4 of the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub mem: Option<u64>,
    /// Maximum time for each model: 90s, 10m, 1h30m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
}

fn parse_depth(text: &str) -> Result<u32, String> {
    let n = parse_count(text)?;
    u32::try_from(n).map_err(|_| format!("{n} is more than {}", u32::MAX))
}

/// What to print and to write.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Results")]
pub struct Showing {
    /// Output format: text, or JSON for scripts
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "text|json", hide_possible_values = true)]
    pub format: Format,
    /// Show all steps and all variables of a counterexample
    #[arg(long)]
    pub full: bool,
    /// List every statement that was never executed
    #[arg(long)]
    pub unreached: bool,
    /// Trail file of the counterexample; `-` is standard output [default: MODEL.PROPERTY.trail.json]
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,
    /// Also write the counterexample in the Informal Trace Format: MODEL.PROPERTY.itf.json
    #[arg(long, conflicts_with = "no_trail")]
    pub itf: bool,
    #[command(flatten)]
    pub spin: spin::SpinTrail,
    /// Overwrite existing files, also those that Kripke did not write
    #[arg(long, conflicts_with = "no_trail")]
    pub force: bool,
    /// Do not write trail files
    #[arg(long, conflicts_with = "trail")]
    pub no_trail: bool,
    /// Print one line per model and no progress
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Also print times, memory use, limits, symmetric processes, and the plan: each decision with its reason
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

#[derive(Args, Debug)]
pub struct Simulate {
    /// Model to run
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Seed of the random choices; equal seeds give equal runs [default: a random seed, which is printed]
    #[arg(short = 'n', long, value_name = "N")]
    pub seed: Option<u64>,
    /// Maximum number of steps
    #[arg(short = 'u', long, value_name = "N", default_value = "1000", value_parser = parse_count)]
    pub steps: u64,
    /// Choose each step interactively: a full-screen program on a terminal, commands line by line otherwise
    #[arg(short, long)]
    pub interactive: bool,
    #[command(flatten)]
    pub stepping: Stepping,
    /// Table with a column per variable, or list of statements
    #[arg(long, value_enum, default_value_t = RunFormat::Table, value_name = "table|list", hide_possible_values = true)]
    pub format: RunFormat,
    /// Same as --format list
    #[arg(short = 'p')]
    pub list: bool,
    /// Print only the output of the model's printf statements
    #[arg(short, long)]
    pub quiet: bool,
    /// Show all steps and all variables of the run
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RunFormat {
    Table,
    List,
}

#[derive(Args, Debug)]
pub struct Replay {
    /// Model that the trail belongs to
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Trail file, of Kripke or of SPIN [default: the newest trail of the model in the current directory]
    #[arg(value_name = "TRAIL")]
    pub trail: Option<PathBuf>,
    /// Table with a column per variable, list of statements, or JSON trace (ITF)
    #[arg(
        long,
        value_enum,
        default_value_t = ReplayFormat::Table,
        value_name = "table|list|json",
        hide_possible_values = true
    )]
    pub format: ReplayFormat,
    /// Same as --format list
    #[arg(short = 'p')]
    pub list: bool,
    /// Step through the trail interactively: a full-screen program on a terminal, commands line by line otherwise
    #[arg(short, long)]
    pub interactive: bool,
    #[command(flatten)]
    pub stepping: Stepping,
    /// Show all steps and all variables of the run
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub viewing: Viewing,
    #[command(flatten, next_help_heading = "Trails of SPIN")]
    pub text: Text,
}

#[derive(Args, Debug)]
pub struct Combine {
    /// DVE model
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Property file: lines `#define name condition` and `#property formula` (.ltl, or .mltl with macros)
    #[arg(value_name = "PROPERTIES")]
    pub properties: PathBuf,
    /// Overwrite existing files, also those that Kripke did not write
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ReplayFormat {
    Table,
    List,
    Json,
}

impl Cli {
    /// Reads the command line. A first argument that is no command is something to check.
    pub fn read(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
        let mut args: Vec<OsString> = args.into_iter().collect();
        if args.get(1).is_some_and(|first| means_check(first)) {
            args.insert(1, "check".into());
        }
        let (args, remarks) = aliases::rewrite(args);
        remarks.iter().for_each(|remark| crate::output::warn(remark));
        Cli::try_parse_from(args)
    }
}

/// Whether a first argument belongs to `check`: a file, or an option that the program itself does not have. A plain
/// word that is neither a file nor a command is more likely a mistyped command.
fn means_check(first: &OsStr) -> bool {
    let Some(text) = first.to_str() else { return true };
    if text.starts_with('-') {
        return !["-h", "--help", "-V", "--version", "--color"].contains(&text) && !text.starts_with("--color=");
    }
    // The table of commands is large, so it is made last.
    let is_command = || Cli::command().get_subcommands().any(|c| c.get_name_and_visible_aliases().contains(&text));
    (text.contains(['.', '/']) || Path::new(text).exists()) && !is_command()
}

impl Looking {
    pub fn all_errors(&self) -> bool {
        self.all_errors || self.count.is_some_and(|count| count != 1)
    }

    /// The number of errors, more than one, at which the search stops.
    pub fn stop_at(&self) -> Option<NonZeroU64> {
        self.count.filter(|count| *count > 1).and_then(NonZeroU64::new)
    }
}

impl Reading {
    /// What the arguments in a trail file of format 1 or 2 ask for.
    pub fn from_arguments(arguments: &[String]) -> Result<(Reading, Asking), clap::Error> {
        #[derive(Parser)]
        #[command(no_binary_name = true)]
        struct Only {
            #[command(flatten)]
            reading: Reading,
            #[command(flatten)]
            asking: Asking,
        }
        Only::try_parse_from(arguments).map(|only| (only.reading, only.asking))
    }
}

/// For completions and the manual page.
pub fn command() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Cli, clap::Error> {
        Cli::read(line.split(' ').map(OsString::from))
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_bare_file_name_means_check() {
        for line in ["kripke m.pml", "kripke check m.pml", "kripke -A m.pml", "kripke --raw m.pml -DN=3"] {
            let cli = read(line).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert!(matches!(cli.command, Command::Check(_)), "{line}");
        }
        assert!(matches!(read("kripke sim m.pml").unwrap().command, Command::Simulate(_)));
        assert!(read("kripke").is_err());
        let typo = read("kripke simulat m.pml").unwrap_err().to_string();
        assert!(typo.contains("'simulate'"), "{typo}");
    }

    #[test]
    fn old_trail_files_have_arguments() {
        let args = ["-DN=3", "-DX", "-UY", "-Iinc", "-J", "--lang=dve"].map(String::from);
        let (reading, _) = Reading::from_arguments(&args).unwrap();
        let source = reading.source();
        assert_eq!((source.define, source.undefine), (vec!["N=3".to_string(), "X".to_string()], vec!["Y".to_string()]));
        assert!(source.reverse_escapes && source.language == Language::named("dve"));
        assert!(Reading::from_arguments(&["--rm".to_string()]).is_err());
    }

    #[test]
    fn old_letters_mean_the_old_thing() {
        let Command::Check(check) = read("kripke check -A -E -c0 -m500 m.pml").unwrap().command else { panic!() };
        assert!(check.looking.no_assertions && check.looking.no_end_states && check.looking.all_errors());
        assert_eq!(check.limits.max_depth, Some(500));
    }
}
