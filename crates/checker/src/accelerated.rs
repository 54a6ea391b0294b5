//! Searches on a GPU, which another crate provides.
//!
//! This library decides whether the GPU can search for the answer to a question, makes the code for it, and judges the outcome like any
//! other.

use std::sync::Arc;
use std::time::{Duration, Instant};

pub use kripke_engine::PortableCode;
use kripke_search::{Accelerator, End, Limit, Options, Outcome, Progress, explore_accelerated};

use crate::distributed::DistributedSearch;
use crate::error::Error;
use crate::layers::Layers;
use crate::plan::{QuestionPlan, Refusal};
use crate::request::Gpu;
use crate::run::Session;

/// The machines, besides the processor, that a program has for searches.
#[derive(Clone, Copy, Default)]
#[allow(missing_debug_implementations)]
pub struct Machines<'a> {
    /// Searches over several ranks.
    pub distributed: Option<&'a dyn DistributedSearch>,
    /// GPUs.
    pub accelerators: Option<&'a dyn Accelerators>,
}

/// GPUs for the code of a model.
pub trait Accelerators: Sync {
    /// Prepares a GPU for this code, with at most so many bytes of its memory; for accepting cycles, too, if these are searched. A text
    /// says why there is none.
    fn open(&self, code: &PortableCode, memory: Option<u64>, cycles: bool) -> Result<Box<dyn Accelerator>, String>;
}

/// The use of a GPU in a search that was to have one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Used {
    /// The name of the GPU that has searched, or why none has.
    pub device: Result<String, String>,
    /// The time in which the GPU was opened and its code compiled.
    pub opening: Duration,
}

impl Session<'_> {
    /// Searches on a GPU if the plan says so and there is one. Nothing if the processor has to search; the reason is reported, or the request
    /// is refused if it requires a GPU.
    pub(crate) fn accelerated_search(
        &self,
        system: &Layers,
        options: &Options,
        plan: &QuestionPlan,
    ) -> Result<(Option<Outcome>, Option<Used>), Error> {
        let Some(wanted) = plan.gpu else { return Ok((None, None)) };
        let start = Instant::now();
        let (machine, opening) = (self.machine(system, options), start.elapsed());
        let why = match machine {
            Ok(mut machine) => {
                let outcome = self.search_with(&mut *machine, system, options);
                match outcome.end {
                    End::Stopped(Limit::LostDevice(how)) if wanted == Gpu::Prefer => how,
                    _ => return Ok((Some(outcome), Some(Used { device: Ok(machine.name()), opening }))),
                }
            }
            Err(why) if wanted == Gpu::Require => {
                return Err(Refusal { option: "--gpu=require", reason: why }.into());
            }
            Err(why) => why,
        };
        self.monitor.warn(&format!("--gpu: {why}; the processor searches instead"));
        Ok((None, Some(Used { device: Err(why), opening })))
    }

    /// A GPU with the code of a system.
    fn machine(&self, system: &Layers, options: &Options) -> Result<Box<dyn Accelerator>, String> {
        let code = system.portable()?;
        let accelerators = self.machines.accelerators.ok_or("this program has no search on a GPU")?;
        accelerators.open(&code, self.request.limits.memory, options.cycles.is_some())
    }

    fn search_with(&self, machine: &mut dyn Accelerator, system: &Layers, options: &Options) -> Outcome {
        let (budget, progress) = (self.budget(system, None), Arc::new(Progress::new()));
        let mut outcome = None;
        self.monitor.search(&progress, self.limits.memory, &mut || {
            outcome = Some(explore_accelerated(&mut *machine, &|| system.worker(), options, &budget, &progress));
        });
        outcome.unwrap_or_else(Outcome::nothing)
    }
}
