//! Ranks as processes that MPI has started, on one machine or on several.
//!
//! One thread of each process, the [carrier], makes all calls of MPI. It sends and receives frames while the other threads of the rank
//! work, and it sends signs of life, so a rank that expands one state for long is not taken for a lost one. A process that was killed
//! or stopped sends none.
//!
//! A rank may have sent a limited number of bytes to another one that the receiver has not taken yet. The receiver says how many it
//! has taken.

mod carrier;
mod pending;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{Failure, Frame, Transport, Urgency};
use crate::network::Network;
use crate::wire::put_number;

/// Bytes that may be on their way to one rank if there are few ranks, and if there are many.
const MOST_BYTES: usize = 4 << 20;
const LEAST_BYTES: usize = 256 << 10;
/// Bytes that may be on their way to all ranks, unless there are very many.
const ALL_BYTES: usize = 64 << 20;

/// How long a rank without work sleeps if no frame arrives.
const NAP: Duration = Duration::from_millis(2);

/// How long the start of MPI may take: other processes have to be started, too.
const START: Duration = Duration::from_secs(60);

/// How long the end of MPI may take.
const END: Duration = Duration::from_secs(3);

/// The tags of messages: signs of life, bytes that were taken, the failure of a rank, and frames of a search. Each search has a tag
/// of its own, so that ranks which begin the next search do not disturb those that end the last one.
const SIGN_OF_LIFE: i32 = 0;
const TAKEN: i32 = 1;
const FAILED: i32 = 2;
const FRAMES: i32 = 16;
/// MPI guarantees tags up to 32,767.
const LAST_TAG: i32 = 32_767;

/// What all threads of this process share.
#[derive(Debug)]
struct Shared {
    rank: usize,
    ranks: usize,
    start: Instant,
    /// Bytes that may be on their way to one rank.
    capacity: usize,
    outbox: Mutex<Outbox>,
    posted: Condvar,
    /// The frames that have arrived, by their tag.
    inbox: Mutex<BTreeMap<i32, VecDeque<(usize, Frame)>>>,
    arrived: Condvar,
    /// Bytes on their way to each rank.
    under_way: Vec<AtomicUsize>,
    /// Bytes of each rank that were taken since it was told.
    taken: Vec<AtomicUsize>,
    /// Counters of each rank, which signs of life carry.
    counters: Vec<[AtomicU64; 3]>,
    failure: OnceLock<Failure>,
    /// The ranks of which nothing was heard for some time before the failure.
    silent: Vec<AtomicBool>,
    /// The tag of the last search.
    tag: AtomicI32,
}

/// What the carrier is to send.
#[derive(Default, Debug)]
struct Outbox {
    messages: VecDeque<Message>,
    is_ending: bool,
}

#[derive(Debug)]
struct Message {
    to: usize,
    tag: i32,
    frame: Frame,
}

impl Shared {
    fn new(rank: usize, ranks: usize) -> Shared {
        Shared {
            rank,
            ranks,
            start: Instant::now(),
            capacity: (ALL_BYTES / ranks).clamp(LEAST_BYTES, MOST_BYTES),
            outbox: Mutex::default(),
            posted: Condvar::new(),
            inbox: Mutex::default(),
            arrived: Condvar::new(),
            under_way: (0..ranks).map(|_| AtomicUsize::new(0)).collect(),
            taken: (0..ranks).map(|_| AtomicUsize::new(0)).collect(),
            counters: (0..ranks).map(|_| Default::default()).collect(),
            failure: OnceLock::new(),
            silent: (0..ranks).map(|_| AtomicBool::new(false)).collect(),
            tag: AtomicI32::new(FRAMES - 1),
        }
    }

    fn inbox(&self) -> MutexGuard<'_, BTreeMap<i32, VecDeque<(usize, Frame)>>> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn post(&self, to: usize, tag: i32, frame: Frame) {
        self.outbox().messages.push_back(Message { to, tag, frame });
        self.posted.notify_one();
    }

    /// Tells a rank how much was taken of what it has sent, but not for each frame.
    fn count_taken(&self, from: usize, bytes: usize) {
        if self.taken[from].fetch_add(bytes, Ordering::Relaxed) + bytes >= self.capacity / 4 {
            let taken = self.taken[from].swap(0, Ordering::Relaxed);
            let mut frame = Vec::new();
            put_number(&mut frame, taken as u64);
            self.post(from, TAKEN, frame);
        }
    }
}

/// The processes that MPI has started, as one of them sees them.
#[derive(Debug)]
pub struct World {
    shared: Arc<Shared>,
    carrier: Mutex<Option<JoinHandle<()>>>,
}

static WORLD: OnceLock<Result<World, String>> = OnceLock::new();

impl World {
    /// Starts MPI if it was not started yet. All processes have to do so.
    pub fn start() -> Result<&'static World, String> {
        WORLD.get_or_init(World::new).as_ref().map_err(Clone::clone)
    }

    /// The processes, if MPI was started.
    pub fn get() -> Option<&'static World> {
        WORLD.get()?.as_ref().ok()
    }

    fn new() -> Result<World, String> {
        let (tell, told) = mpsc::channel();
        let carrier = std::thread::Builder::new().name("mpi".to_string()).spawn(move || carrier::run(&tell));
        let carrier = carrier.map_err(|error| format!("no thread for MPI: {error}"))?;
        match told.recv_timeout(START) {
            Ok(shared) => Ok(World { shared: shared?, carrier: Mutex::new(Some(carrier)) }),
            Err(_) => Err(format!("MPI has not started within {} s", START.as_secs())),
        }
    }

    /// The number of this process.
    pub fn rank(&self) -> usize {
        self.shared.rank
    }

    /// The number of processes.
    pub fn ranks(&self) -> usize {
        self.shared.ranks
    }

    /// A network of all processes, for one search or one exchange. All processes make the same networks in the same order.
    pub fn network(&self) -> Network {
        let next = |tag: i32| if tag == LAST_TAG { FRAMES } else { tag + 1 };
        let tag = &self.shared.tag;
        let last = tag.load(Ordering::Relaxed);
        tag.store(next(last), Ordering::Relaxed);
        self.shared.inbox().remove(&last);
        Network::new(Box::new(Mpi { shared: self.shared.clone(), tag: next(last) }), None)
    }

    /// Why the processes can't go on together.
    pub fn failure(&self) -> Option<&Failure> {
        self.shared.failure.get()
    }

    /// Whether nothing was heard of a rank for some time before the failure.
    pub fn is_silent(&self, rank: usize) -> bool {
        self.shared.silent[rank].load(Ordering::Relaxed)
    }

    /// Sets the counters of this process, which the others get with its signs of life.
    pub(crate) fn set_counters(&self, counters: [u64; 3]) {
        let own = self.shared.counters[self.rank()].iter();
        own.zip(counters).for_each(|(counter, now)| counter.store(now, Ordering::Relaxed));
    }

    /// The counters of a process, as of its last sign of life.
    pub(crate) fn counters(&self, rank: usize) -> [u64; 3] {
        [0, 1, 2].map(|which| self.shared.counters[rank][which].load(Ordering::Relaxed))
    }

    /// Waits for all processes, and ends MPI. After a failure MPI can't be ended: the process just exits.
    pub fn finish(&self) -> Result<(), Failure> {
        self.network().barrier()?;
        self.shared.outbox().is_ending = true;
        self.shared.posted.notify_one();
        let Some(carrier) = self.carrier.lock().unwrap_or_else(PoisonError::into_inner).take() else { return Ok(()) };
        let start = Instant::now();
        while !carrier.is_finished() && start.elapsed() < END {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

/// One rank of a search by processes.
#[derive(Debug)]
struct Mpi {
    shared: Arc<Shared>,
    tag: i32,
}

impl Mpi {
    fn failure(&self) -> Result<(), Failure> {
        self.shared.failure.get().map_or(Ok(()), |failure| Err(failure.clone()))
    }
}

impl Transport for Mpi {
    fn rank(&self) -> usize {
        self.shared.rank
    }

    fn ranks(&self) -> usize {
        self.shared.ranks
    }

    fn send(&mut self, to: usize, frame: Frame, urgency: Urgency) -> Result<Option<Frame>, Failure> {
        self.failure()?;
        let under_way = &self.shared.under_way[to];
        if urgency == Urgency::Normal && under_way.load(Ordering::Relaxed) > self.shared.capacity {
            return Ok(Some(frame));
        }
        under_way.fetch_add(frame.len(), Ordering::Relaxed);
        self.shared.post(to, self.tag, frame);
        Ok(None)
    }

    fn receive(&mut self) -> Result<Option<(usize, Frame)>, Failure> {
        let next = self.shared.inbox().get_mut(&self.tag).and_then(VecDeque::pop_front);
        match next {
            Some((from, frame)) => {
                self.shared.count_taken(from, frame.len());
                Ok(Some((from, frame)))
            }
            None => self.failure().map(|()| None),
        }
    }

    fn wait(&mut self) -> Result<(), Failure> {
        let inbox = self.shared.inbox();
        if inbox.get(&self.tag).is_none_or(VecDeque::is_empty) && self.shared.failure.get().is_none() {
            drop(self.shared.arrived.wait_timeout(inbox, NAP));
        }
        Ok(())
    }

    fn now(&self) -> Duration {
        self.shared.start.elapsed()
    }

    fn leave(&mut self) {}
}
