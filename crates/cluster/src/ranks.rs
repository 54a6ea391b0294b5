//! Starting the ranks of a search.

use std::time::Duration;

use kripke_search::{Budget, Factory, Options, Progress};

use crate::cycles::Found;
use crate::network::{Network, Patience};
use crate::peers::Framing;
use crate::rank::{Rank, Tallies};
use crate::rank_result::RankResult;
#[cfg(feature = "mpi")]
use crate::transport::mpi::World;
use crate::transport::simulated::{Schedule, Simulated};
use crate::transport::threads::{MANY_LOOKS, Threads, have_cores};
use crate::transport::{Failure, Transport};

/// What ranks are, and how they speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Medium {
    /// Threads of this process.
    Threads,
    /// Threads of this process on a simulated network.
    Simulated(Schedule),
    /// Processes that MPI has started; this one is one of them.
    #[cfg(feature = "mpi")]
    Processes,
}

/// The ranks of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cluster {
    /// The number of ranks.
    pub ranks: usize,
    /// What ranks are.
    pub medium: Medium,
}

/// A simulated rank that says nothing for so long is lost.
const SIMULATED: Patience =
    Patience { sign_of_life: Duration::from_millis(500), silence: Duration::from_millis(20_000) };

/// The results of all ranks.
type Shared = Result<Vec<RankResult<Found>>, Failure>;

impl Cluster {
    /// So many threads of this process.
    pub fn of_threads(ranks: usize) -> Cluster {
        Cluster { ranks: ranks.max(1), medium: Medium::Threads }
    }

    /// The processes that MPI has started.
    #[cfg(feature = "mpi")]
    pub fn of_processes(world: &World) -> Cluster {
        Cluster { ranks: world.ranks(), medium: Medium::Processes }
    }

    /// The networks of the ranks that are in this process. Each rank has so many threads.
    fn networks(&self, threads: usize) -> Vec<Network> {
        let boxed = |transport: Box<dyn Transport>| transport;
        match self.medium {
            Medium::Threads => {
                let transports = Threads::new(self.ranks, threads).into_iter();
                transports.map(|t| Network::new(boxed(Box::new(t)), None)).collect()
            }
            Medium::Simulated(schedule) => {
                let transports = Simulated::new(self.ranks, schedule).into_iter();
                transports.map(|t| Network::new(boxed(Box::new(t)), Some(SIMULATED))).collect()
            }
            #[cfg(feature = "mpi")]
            Medium::Processes => World::get().map(World::network).into_iter().collect(),
        }
    }

    /// The part of the limits that each rank observes: ranks share the memory.
    pub(crate) fn part_of(&self, budget: &Budget) -> Budget {
        let ranks = self.ranks as u64;
        Budget { memory: budget.memory.map(|m| m / ranks), taken: budget.taken / ranks, ..budget.clone() }
    }

    /// How often a thread of a rank that has so many looks for work before it sleeps: often if every thread has a core.
    pub(crate) fn looks(&self, threads: usize) -> usize {
        let has_core = self.medium == Medium::Threads && have_cores(self.ranks * threads);
        if has_core { MANY_LOOKS } else { 0 }
    }

    /// How states are put into frames: small ones on a simulated network, where many of them are wanted.
    pub(crate) fn framing(&self) -> Framing {
        match self.medium {
            Medium::Threads => Framing { bytes: 8 << 10, long_bytes: 24 << 10, differences: false, one_in: 2 },
            #[cfg(feature = "mpi")]
            Medium::Processes => Framing { bytes: 32 << 10, long_bytes: 32 << 10, differences: true, one_in: 8 },
            Medium::Simulated(_) => Framing { bytes: 128, long_bytes: 128, differences: true, one_in: 8 },
        }
    }

    /// Runs the same body on every rank of this process. If ranks fail, the failure is the one that names the rank at fault.
    pub(crate) fn run<R: Send>(
        &self,
        (successors, options): (Factory<'_, '_>, &Options),
        (budget, progress): (&Budget, &Progress),
        body: impl Fn(Rank<'_>) -> Result<R, Failure> + Sync,
    ) -> Result<Vec<R>, Failure> {
        let tallies = &Tallies::new(progress, self.ranks);
        let part = self.part_of(budget);
        self.run_networks(1, |net| body(Rank::new(net, successors(), options, &part, tallies)))
    }

    /// The results of all ranks, given those of the ranks in this process.
    pub(crate) fn share(&self, results: Vec<RankResult<Found>>, progress: &Progress) -> Shared {
        #[cfg(feature = "mpi")]
        if let (Medium::Processes, Some(world)) = (self.medium, World::get()) {
            let own = results.into_iter().next().ok_or(Failure::Protocol(world.rank(), "it has no result"))?;
            return crate::processes::share(world, own, progress);
        }
        let _ = progress;
        Ok(results)
    }

    /// Runs the same body on every rank of this process, which has only its network and so many threads.
    pub(crate) fn run_networks<R: Send>(
        &self,
        threads: usize,
        body: impl Fn(Network) -> Result<R, Failure> + Sync,
    ) -> Result<Vec<R>, Failure> {
        let body = &body;
        let results: Vec<Result<R, Failure>> = std::thread::scope(|scope| {
            let networks = self.networks(threads).into_iter();
            let start = |net: Network| {
                let thread = std::thread::Builder::new().name(format!("rank {}", net.rank()));
                thread.spawn_scoped(scope, move || body(net)).expect("a thread can be started")
            };
            let handles: Vec<_> = networks.map(start).collect();
            let join = |handle: std::thread::ScopedJoinHandle<'_, _>| {
                handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            handles.into_iter().map(join).collect()
        });
        let telling = |result: &&Result<R, Failure>| !matches!(result, Ok(_) | Err(Failure::Killed));
        if let Some(Err(failure)) = results.iter().find(telling) {
            return Err(failure.clone());
        }
        let lost = |(rank, result): (usize, Result<R, Failure>)| result.map_err(|_| Failure::Lost(rank));
        results.into_iter().enumerate().map(lost).collect()
    }
}
