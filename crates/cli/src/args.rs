//! What the user can say on the command line.

mod asking;
mod bench;
mod ltl;
mod request;
mod storing;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use kripke_report::number::{parse_bytes, parse_count, parse_duration};

pub use asking::Asking;
pub use bench::Bench;
pub use ltl::{Ltl, LtlFormat};
pub use storing::{Store, Storing};

const EXAMPLES: &str = "\
Examples:
  kripke model.pml                      check it; a bare file name means `check`
  kripke check *.pml --timeout 10m      check many, one line each
  kripke replay model.pml               show the last counterexample again
  kripke simulate model.pml --seed 1    follow one random run
  kripke simulate model.pml -i          choose every step yourself
  kripke ltl '[] (p -> <> q)'           the automaton of a formula
  kripke bench model.pml --with -j1     how long it takes, and how much memory

Exit status:
  0  everything holds, and the search was complete
  1  something is violated
  2  bad input or usage
  3  inconclusive: a limit, a timeout, an interrupt, a store that may miss states
  4  a bug in Kripke";

const CHECK_EXAMPLES: &str = "\
Examples:
  kripke check model.pml                        shortest counterexample, if there is one
  kripke check model.pml -DN=4 --mem 8G         with a macro defined and a memory limit
  kripke check model.pml --all-errors --raw     the figures of an exhaustive, unreduced search
  kripke check model.pml --format json          for scripts";

/// Kripke finds the mistakes in concurrent systems: give it a model, get a proof or a counterexample.
#[derive(Parser, Debug)]
#[command(name = "kripke", version, after_help = EXAMPLES, disable_help_subcommand = true, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, value_name = "WHEN", hide_possible_values = true)]
    pub color: Colour,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Explore every reachable state of a model; the default for a bare file name
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<Check>),
    /// Measure models with different options: time, memory, counts
    #[command(after_help = bench::EXAMPLES)]
    Bench(Bench),
    /// Follow one run of a model: random, or step by step as you choose
    #[command(visible_alias = "sim")]
    Simulate(Simulate),
    /// Show the counterexample in a trail file again
    Replay(Replay),
    /// Write a DVE model together with each property of a file: MODEL.prop1.dve, …
    Combine(Combine),
    /// Translate a formula of linear temporal logic into a Büchi automaton
    #[command(after_help = ltl::EXAMPLES)]
    Ltl(Ltl),
    /// Print a completion script for your shell
    Completions {
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page of the program, or of one command
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
#[command(next_help_heading = "Reading the model")]
pub struct Reading {
    /// The language of the model [default: by the ending of the file name]
    #[arg(long, value_enum, value_name = "promela|dve|esml", hide_possible_values = true)]
    pub lang: Option<Lang>,
    /// Define a macro: -DN=4
    #[arg(short = 'D', value_name = "NAME[=TEXT]")]
    pub define: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME")]
    pub undefine: Vec<String>,
    /// Look for included files here, too
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Try nested `unless` escapes from the inside out
    #[arg(short = 'J', long)]
    pub reverse_escapes: bool,
    /// Plain interleaving, as SPIN counts it: nothing merged, no reduction, `xr`/`xs` not checked
    #[arg(long)]
    pub raw: bool,
    /// Let others move between steps of a process that nobody else can observe, too; they are glued otherwise
    #[arg(long)]
    pub no_coarsening: bool,
    /// Keep values of variables that nobody reads any more; they are reset otherwise
    #[arg(long)]
    pub no_dead_variables: bool,
    /// Keep variables that have no influence on what is asked, and constants; they are left out otherwise
    #[arg(long)]
    pub no_slicing: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Lang {
    Promela,
    Dve,
    Esml,
}

impl From<Lang> for kripke_lang::Language {
    fn from(lang: Lang) -> kripke_lang::Language {
        match lang {
            Lang::Promela => kripke_lang::Language::Promela,
            Lang::Dve => kripke_lang::Language::Dve,
            Lang::Esml => kripke_lang::Language::Esml,
        }
    }
}

#[derive(Args, Debug)]
pub struct Check {
    /// The models
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

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
    pub reading: Reading,
}

/// What counts as an error.
#[derive(Args, Clone, PartialEq, Debug)]
#[command(next_help_heading = "What to look for")]
pub struct Looking {
    /// Ignore failed assertions
    #[arg(short = 'A', long)]
    pub no_assertions: bool,
    /// Ignore invalid end states
    #[arg(short = 'E', long)]
    pub no_end_states: bool,
    /// Ignore never claims and ltl formulas
    #[arg(long)]
    pub no_claim: bool,
    /// Count all errors instead of stopping at the first
    #[arg(long)]
    pub all_errors: bool,
    /// Stop at error number N: 1, or 0 for --all-errors
    #[arg(short = 'c', value_name = "N", value_parser = clap::value_parser!(u8).range(0..=1))]
    pub count: Option<u8>,
}

/// How to search.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "How to search")]
pub struct Searching {
    /// Nearest states first (the shortest counterexample), or deep ones first [default: bfs; dfs with --store bitstate or cache]
    #[arg(long, value_enum, value_name = "bfs|dfs", hide_possible_values = true)]
    pub search: Option<Order>,
    #[command(flatten)]
    pub storing: Storing,
    /// Run the model as machine code, or by the reference interpreter
    #[arg(long, value_enum, default_value_t = Engine::Compile, value_name = "compile|interpret", hide_possible_values = true)]
    pub engine: Engine,
    /// Keep states in as few bytes as their values need: less memory, slower
    #[arg(long)]
    pub compact: bool,
    /// Look at every interleaving, also at those that differ only in the order of steps that have nothing to do with each
    /// other (partial-order reduction leaves most of them out)
    #[arg(long)]
    pub no_partial_order: bool,
    /// Take states as one that differ only in which of several interchangeable processes is where. Which processes are
    /// interchangeable is found out
    #[arg(long)]
    pub symmetry: bool,
    /// Try out, in one of N states, whether the steps left out there may be left out: slower [default N: 16]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "16",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub audit: Option<u32>,
    /// Threads of a breadth-first search, or of nested searches [default: one for each core]
    #[arg(short = 'j', long = "threads", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Order {
    Bfs,
    Dfs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Engine {
    /// As machine code
    Compile,
    /// By the reference interpreter
    Interpret,
}

impl From<Order> for kripke::request::Order {
    fn from(order: Order) -> kripke::request::Order {
        match order {
            Order::Bfs => kripke::request::Order::BreadthFirst,
            Order::Dfs => kripke::request::Order::DepthFirst,
        }
    }
}

impl From<Engine> for kripke::request::Engine {
    fn from(engine: Engine) -> kripke::request::Engine {
        match engine {
            Engine::Compile => kripke::request::Engine::Compile,
            Engine::Interpret => kripke::request::Engine::Interpret,
        }
    }
}

/// When to give up.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Steps from the initial state
    #[arg(short = 'm', long, value_name = "N", value_parser = parse_depth)]
    pub max_depth: Option<u32>,
    /// States to store: 50k, 2M
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub max_states: Option<u64>,
    /// Memory of the whole program: 512M, 48G [default: 3/4 of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub mem: Option<u64>,
    /// Time for each model: 90s, 10m, 1h30m
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
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "text|json", hide_possible_values = true)]
    pub format: Format,
    /// Show all steps and all variables of a counterexample
    #[arg(long)]
    pub full: bool,
    /// List every statement that was never executed
    #[arg(long)]
    pub unreached: bool,
    /// Where to write the counterexample [default: MODEL.trail.json, and MODEL.itf.json beside it]; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,
    /// Replace such files, even if Kripke did not write them
    #[arg(long, conflicts_with = "no_trail")]
    pub force: bool,
    /// Write no trail files
    #[arg(long, conflicts_with = "trail")]
    pub no_trail: bool,
    /// Print one line per model, and no progress
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more: where time went, and the limits in force
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
    /// The model
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The run to follow: the same number, the same run
    #[arg(short = 'n', long, value_name = "N")]
    pub seed: Option<u64>,
    /// How many steps at most
    #[arg(short = 'u', long, value_name = "N", default_value = "1000", value_parser = parse_count)]
    pub steps: u64,
    /// Choose every step yourself
    #[arg(short, long)]
    pub interactive: bool,
    /// A table with a column per variable, or a list of statements
    #[arg(long, value_enum, default_value_t = RunFormat::Table, value_name = "table|list", hide_possible_values = true)]
    pub format: RunFormat,
    /// The same as --format list
    #[arg(short = 'p')]
    pub list: bool,
    /// Print only what the model prints
    #[arg(short, long)]
    pub quiet: bool,
    /// Show all steps and all variables
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
    /// The model
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The trail [default: MODEL.trail.json]
    #[arg(value_name = "TRAIL")]
    pub trail: Option<PathBuf>,
    /// A table, a list of statements, or the trace in JSON (ITF)
    #[arg(
        long,
        value_enum,
        default_value_t = ReplayFormat::Table,
        value_name = "table|list|json",
        hide_possible_values = true
    )]
    pub format: ReplayFormat,
    /// The same as --format list
    #[arg(short = 'p')]
    pub list: bool,
    /// Step through it
    #[arg(short, long)]
    pub interactive: bool,
    /// Show all steps and all variables
    #[arg(long)]
    pub full: bool,
}

#[derive(Args, Debug)]
pub struct Combine {
    /// The model, in DVE
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Its properties: lines `#define name condition` and `#property formula` (.ltl, or .mltl with macros)
    #[arg(value_name = "PROPERTIES")]
    pub properties: PathBuf,
    /// Replace such files, even if Kripke did not write them
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
    let command = Cli::command();
    let known = command.get_subcommands().any(|c| c.get_name_and_visible_aliases().contains(&text));
    !known && (text.contains(['.', '/']) || Path::new(text).exists())
}

impl Looking {
    pub fn all_errors(&self) -> bool {
        self.all_errors || self.count == Some(0)
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
        assert!(source.reverse_escapes && source.language == Some(kripke_lang::Language::Dve));
        assert!(Reading::from_arguments(&["--rm".to_string()]).is_err());
    }

    #[test]
    fn old_letters_mean_the_old_thing() {
        let Command::Check(check) = read("kripke check -A -E -c0 -m500 m.pml").unwrap().command else { panic!() };
        assert!(check.looking.no_assertions && check.looking.no_end_states && check.looking.all_errors());
        assert_eq!(check.limits.max_depth, Some(500));
    }
}
