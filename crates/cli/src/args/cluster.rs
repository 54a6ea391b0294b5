//! The arguments of `kripke cluster`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

pub const EXAMPLES: &str = "\
Examples:
  kripke cluster -n 4 -- check model.pml                        four ranks on this machine
  kripke cluster -n 32 --hosts a:16,b:16 -- check model.pml     sixteen ranks on each of two machines
  kripke cluster -n 4 --dry-run -- check model.pml              print the line that starts the ranks
  kripke cluster -n 64 --slurm -- check model.pml > job.sh      a batch script for Slurm: sbatch job.sh";

#[derive(Args, Debug)]
pub struct Cluster {
    /// Number of ranks: processes that search together
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub ranks: u16,
    /// Machines, each with the number of ranks on it: a:16,b:16 [default: this machine]
    #[arg(long, value_name = "HOST[:N],…", value_delimiter = ',')]
    pub hosts: Vec<String>,
    /// Print the line that starts the ranks, and do not run it
    #[arg(long)]
    pub dry_run: bool,
    /// Print a batch script for Slurm, and do not run anything
    #[arg(long, conflicts_with_all = ["dry_run", "mpirun"])]
    pub slurm: bool,
    /// The program that starts the ranks [default: mpirun or mpiexec in the search path]
    #[arg(long, value_name = "PROGRAM")]
    pub mpirun: Option<PathBuf>,
    /// Arguments of kripke: `check` with its models and options
    #[arg(last = true, required = true, value_name = "ARGUMENTS")]
    pub command: Vec<OsString>,
}
