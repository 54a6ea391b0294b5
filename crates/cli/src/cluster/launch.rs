//! Whether this process is one of several that `mpirun` or `srun` has started.

use std::env;

/// The place of this process among those that were started together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch {
    pub rank: usize,
    pub ranks: usize,
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

impl Launch {
    /// The place of this process. None if it was started alone.
    pub fn of_environment() -> Option<Launch> {
        Launch::of(|name| env::var(name).ok())
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Launch> {
        let number = |name: &str| variable(name)?.parse::<usize>().ok();
        let found = |(rank, ranks, by): &(&str, &str, &'static str)| {
            Some(Launch { rank: number(rank)?, ranks: number(ranks)?, by })
        };
        VARIABLES.iter().find_map(found).filter(|launch| launch.ranks > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(variables: &[(&str, &str)]) -> Option<Launch> {
        Launch::of(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string()))
    }

    #[test]
    fn launchers_are_recognised() {
        let second = |by| Some(Launch { rank: 1, ranks: 4, by });
        assert_eq!(launch(&[("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "4")]), second("mpirun"));
        assert_eq!(launch(&[("PMI_RANK", "1"), ("PMI_SIZE", "4")]), second("mpirun"));
        assert_eq!(launch(&[("PMIX_RANK", "1"), ("SLURM_STEP_NUM_TASKS", "4")]), second("srun"));
        assert_eq!(launch(&[("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "4")]), second("srun"));
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
