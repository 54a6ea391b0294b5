//! The program: arguments in, files in, verdict out.
#![deny(unsafe_code)]

mod allocator;
mod args;
mod bench;
mod check;
mod combine;
mod compare;
mod exit;
mod files;
mod graph;
mod interactive;
mod list;
mod ltl;
mod output;
mod plot;
mod processor;
mod progress;
mod random;
mod replay;
mod shell;
mod signals;
mod simulate;
mod spin;
mod trail_names;
mod trails;
mod watchdog;

use std::ffi::OsString;
use std::process::ExitCode;

use args::{Cli, Command};
use exit::Status;
use spin::Program;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    exit::report_panics();
    signals::fail_writes();
    exit::report_lack_of_memory();
    let args: Vec<OsString> = std::env::args_os().collect();
    if let Some(program) = Program::named(args.first()) {
        return program.run(&args[1..]).unwrap_or_else(Status::from).completed().into();
    }
    let cli = match Cli::read(args) {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error),
    };
    output::colours(cli.color);
    let status = match cli.command {
        Command::Check(check) => check::run(&check),
        Command::Bench(bench) => bench::run(&bench),
        Command::Simulate(simulate) => simulate::run(&simulate),
        Command::Replay(replay) => replay::run(&replay),
        Command::Combine(combine) => combine::run(&combine),
        Command::Ltl(ltl) => ltl::run(&ltl),
        Command::Spin { args } => Program::Spin.run(&args),
        Command::Plot(plot) => plot::run(&plot),
        Command::List(list) => list::run(&list),
        Command::Graph(graph) => graph::run(&graph),
        Command::Compare(compare) => compare::run(&compare),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { command } => shell::manual(command.as_deref()),
    };
    status.unwrap_or_else(Status::from).completed().into()
}
