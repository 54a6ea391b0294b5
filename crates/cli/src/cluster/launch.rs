//! Whether this process is one of several that `mpirun` or `srun` has started.

use std::env;

/// The place of this process among those that were started together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    pub rank: usize,
    pub ranks: usize,
    /// The number of ranks on this machine.
    pub here: usize,
    /// The program that has started them, as a user knows it.
    pub by: &'static str,
}

/// The variables with the rank and the number of ranks, by who sets them. A batch script of Slurm has a rank, too, but no number of
/// tasks of a step.
const VARIABLES: [(&str, &str, &str); 5] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "mpirun"),
    ("PMI_RANK", "PMI_SIZE", "mpirun"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "mpirun"),
    ("PMIX_RANK", "SLURM_STEP_NUM_TASKS", "srun"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "srun"),
];

/// The variables with the number of ranks on this machine.
const HERE: [&str; 3] = ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE"];

impl Launch {
    /// The place of this process. None if it was started alone.
    pub fn of_environment() -> Option<Launch> {
        Launch::of(|name| env::var(name).ok())
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Launch> {
        let number = |name: &str| variable(name)?.parse::<usize>().ok();
        let slurm = || tasks_on_node(&variable("SLURM_STEP_TASKS_PER_NODE")?, number("SLURM_NODEID").unwrap_or(0));
        let here = || HERE.iter().find_map(|name| number(name)).or_else(slurm);
        let found = |(rank, ranks, by): &(&str, &str, &'static str)| {
            let (rank, ranks) = (number(rank)?, number(ranks)?);
            let here = here().filter(|here| (1..=ranks).contains(here)).unwrap_or(ranks);
            Some(Launch { rank, ranks, here, by })
        };
        VARIABLES.iter().find_map(found).filter(|launch| launch.ranks > 1)
    }
}

/// The number of tasks on a node, by a list like `4(x2),3` with the numbers of all nodes.
fn tasks_on_node(list: &str, node: usize) -> Option<usize> {
    let each = list.split(',').flat_map(|part| {
        let (tasks, nodes) = part.trim_end_matches(')').split_once("(x").unwrap_or((part, "1"));
        std::iter::repeat_n(tasks.parse().ok(), nodes.parse().unwrap_or(1))
    });
    each.into_iter().nth(node).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(variables: &[(&str, &str)]) -> Option<Launch> {
        Launch::of(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string()))
    }

    #[test]
    fn launchers_are_recognised() {
        let second = |by| Some(Launch { rank: 1, ranks: 4, here: 4, by });
        assert_eq!(launch(&[("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "4")]), second("mpirun"));
        assert_eq!(launch(&[("PMI_RANK", "1"), ("PMI_SIZE", "4")]), second("mpirun"));
        assert_eq!(launch(&[("PMIX_RANK", "1"), ("SLURM_STEP_NUM_TASKS", "4")]), second("srun"));
        assert_eq!(launch(&[("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "4")]), second("srun"));
    }

    #[test]
    fn ranks_of_this_machine_are_counted() {
        let here = |variable: (&str, &str)| {
            let slurm = [("SLURM_PROCID", "9"), ("SLURM_STEP_NUM_TASKS", "11"), ("SLURM_NODEID", "2"), variable];
            launch(&slurm).map(|launch| launch.here)
        };
        assert_eq!(here(("OMPI_COMM_WORLD_LOCAL_SIZE", "3")), Some(3));
        assert_eq!(here(("MPI_LOCALNRANKS", "5")), Some(5));
        assert_eq!(here(("SLURM_STEP_TASKS_PER_NODE", "4(x2),3")), Some(3));
        assert_eq!(here(("SLURM_STEP_TASKS_PER_NODE", "4,2(x3),1")), Some(2));
        for unknown in [("X", ""), ("MPI_LOCALNRANKS", "0"), ("SLURM_STEP_TASKS_PER_NODE", "11")] {
            assert_eq!(here(unknown), Some(11));
        }
    }

    #[test]
    fn one_process_is_alone() {
        assert_eq!(launch(&[]), None);
        assert_eq!(launch(&[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "1")]), None);
        // A batch script of Slurm, which is no step.
        assert_eq!(launch(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")]), None);
        assert_eq!(launch(&[("PMI_RANK", "x"), ("PMI_SIZE", "4")]), None);
    }
}
