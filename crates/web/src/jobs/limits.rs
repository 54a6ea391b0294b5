//! Limits: what a user and all together may use.

use serde::{Deserialize, Serialize};

/// A part of the machine.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub cores: usize,
    pub memory: u64,
}

/// The limits of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Limits {
    /// Jobs that run at the same time.
    pub jobs: usize,
    /// Threads of all jobs that run.
    pub cores: usize,
    /// Bytes of memory of all jobs that run.
    pub memory: u64,
    /// Seconds of a job.
    pub seconds: u64,
    /// Jobs that wait.
    pub queued: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { jobs: 2, cores: 4, memory: 8 << 30, seconds: 3600, queued: 100 }
    }
}

/// A machine on which checks are executed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Machine {
    pub name: String,
    /// The words before the command of a check: `["mpirun", "-n", "4"]`. This machine if there are none.
    #[serde(default)]
    pub command: Vec<String>,
    #[serde(default)]
    pub cores: usize,
    #[serde(default)]
    pub description: String,
}

impl Share {
    pub fn add(self, other: Share) -> Share {
        Share { cores: self.cores + other.cores, memory: self.memory + other.memory }
    }

    /// Whether the share is inside of another one.
    pub fn fits(self, whole: Share) -> bool {
        self.cores <= whole.cores && self.memory <= whole.memory
    }
}
