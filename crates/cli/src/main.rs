//! The program: arguments in, files in, verdict out.
#![deny(unsafe_code)]

mod allocator;
mod args;
mod bench;
mod check;
mod cluster;
mod combine;
mod compare;
mod dap;
mod exit;
mod files;
mod fmt;
mod gpu;
mod graph;
mod list;
mod lsp;
mod ltl;
mod output;
mod page;
mod plot;
mod processor;
mod progress;
mod random;
mod ranks;
mod replay;
mod shell;
mod signals;
mod simulate;
mod spin;
mod step;
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
    let launch = cluster::Launch::of_environment();
    if let cluster::Role::Ended(status) = cluster::role(launch, &args[1..]) {
        return ExitCode::from(status);
    }
    let cli = match Cli::read(args) {
        Ok(cli) => cli,
        Err(error) => return cluster::exit_code(launch, exit::usage(&error)),
    };
    output::colours(cli.color);
    if let Err(refused) = cluster::refuse(launch, &cli.command) {
        return cluster::exit_code(launch, refused.into());
    }
    let status = match cli.command {
        Command::Check(check) => cluster::check(launch, *check),
        Command::Cluster(cluster) => cluster::run(&cluster),
        Command::Bench(bench) => bench::run(&bench),
        Command::Simulate(simulate) => simulate::run(&simulate),
        Command::Replay(replay) => replay::run(&replay),
        Command::Combine(combine) => combine::run(&combine),
        Command::Fmt(fmt) => fmt::run(&fmt),
        Command::Lsp => lsp::run(),
        Command::Ltl(ltl) => ltl::run(&ltl),
        Command::Spin { args } => Program::Spin.run(&args),
        Command::Gpu => gpu::run(),
        Command::Plot(plot) => plot::run(&plot),
        Command::List(list) => list::run(&list),
        Command::Graph(graph) => graph::run(&graph),
        Command::Compare(compare) => compare::run(&compare),
        Command::Dap => dap::run(),
        Command::Ui(ui) => page::ui(&ui),
        Command::Serve(serve) => page::serve(&serve),
        Command::PageProcess(process) => page::process(&process),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { command } => shell::manual(command.as_deref()),
    };
    cluster::exit_code(launch, status.unwrap_or_else(Status::from).completed())
}
