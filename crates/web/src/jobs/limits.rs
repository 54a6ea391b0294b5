//! Limits: what a user and all together may use.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The name of this machine.
pub(crate) const LOCAL: &str = "local";

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

impl Limits {
    /// Refuses limits with which no job could ever run.
    pub fn check(&self) -> Result<(), String> {
        let Limits { jobs, cores, memory, seconds, queued } = *self;
        let all = [jobs as u64, cores as u64, memory, seconds, queued as u64];
        let names = ["jobs", "cores", "memory", "seconds", "queued"];
        match all.iter().zip(names).find(|(limit, _)| **limit == 0) {
            Some((_, name)) => Err(format!("limits: `{name}` must not be 0")),
            None => Ok(()),
        }
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

    /// Bounds the options of a check by its share. A check elsewhere has none.
    pub fn bound(self, options: &mut Value) {
        if self.cores > 0 {
            options["threads"] = self.cores.into();
            options["mem"] = self.memory.to_string().into();
        }
    }

    /// Whether the share is inside of another one.
    pub fn fits(self, whole: Share) -> bool {
        self.cores <= whole.cores && self.memory <= whole.memory
    }
}
