//! Ranks as threads of one process.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Failure, Frame, Transport, Urgency};

/// Bytes that may wait for one rank. More are refused, so that a slow rank slows down the others.
const CAPACITY: usize = 4 << 20;

/// How long a rank without work sleeps if no frame arrives.
const NAP: Duration = Duration::from_millis(2);

/// How often a rank without work looks for frames before it sleeps, at least and at most: waking up takes longer than most frames. Where
/// cores have other work, looking keeps the sender from it. So a rank looks more often if it has slept a short time only, else less. If
/// every thread has a core, it looks for about a tenth of a millisecond.
const FEW_LOOKS: usize = 50;
const LOOKS: usize = 500;
pub(crate) const MANY_LOOKS: usize = 4_000;
const SHORT: Duration = Duration::from_micros(50);

/// No rank is lost.
const NONE: usize = usize::MAX;

/// The frames that wait for one rank. Mailboxes share no line of the cache.
#[derive(Default, Debug)]
#[repr(align(128))]
struct Mailbox {
    frames: Mutex<VecDeque<(usize, Frame)>>,
    arrived: Condvar,
    /// Whether the rank sleeps. Waking up is a call of the system, also if no thread sleeps.
    is_asleep: AtomicBool,
    /// The bytes of these frames.
    bytes: AtomicUsize,
}

/// What all ranks share.
#[derive(Debug)]
struct Shared {
    mailboxes: Vec<Mailbox>,
    /// The first rank that has ended before it should.
    lost: AtomicUsize,
}

/// Whether there is a core for each of so many threads.
pub(crate) fn have_cores(threads: usize) -> bool {
    std::thread::available_parallelism().is_ok_and(|cores| threads <= cores.get())
}

/// One rank of a process.
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    shared: Arc<Shared>,
    start: Instant,
    /// How often it looks for frames the next time, and the least.
    looks: usize,
    least: usize,
    left: bool,
    /// Frames that were taken from the mailbox all at once.
    taken: VecDeque<(usize, Frame)>,
}

impl Threads {
    /// The transports of so many ranks, each of which has so many threads.
    pub fn new(ranks: usize, threads: usize) -> Vec<Threads> {
        let mailboxes = (0..ranks).map(|_| Mailbox::default()).collect();
        let (shared, start) = (Arc::new(Shared { mailboxes, lost: AtomicUsize::new(NONE) }), Instant::now());
        let least = if have_cores(ranks * threads) { MANY_LOOKS } else { FEW_LOOKS };
        let (looks, left) = (least, false);
        let rank = |rank| Threads { rank, shared: shared.clone(), start, looks, least, left, taken: VecDeque::new() };
        (0..ranks).map(rank).collect()
    }

    fn lost(&self) -> Result<(), Failure> {
        match self.shared.lost.load(Ordering::Acquire) {
            NONE => Ok(()),
            rank => Err(Failure::Lost(rank)),
        }
    }
}

impl Transport for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.shared.mailboxes.len()
    }

    fn send(&mut self, to: usize, frame: Frame, urgency: Urgency) -> Result<Option<Frame>, Failure> {
        let mailbox = &self.shared.mailboxes[to];
        self.lost()?;
        if urgency == Urgency::Normal && mailbox.bytes.load(Ordering::Relaxed) > CAPACITY {
            return Ok(Some(frame));
        }
        mailbox.bytes.fetch_add(frame.len(), Ordering::Relaxed);
        mailbox.frames.lock().unwrap_or_else(PoisonError::into_inner).push_back((self.rank, frame));
        // A receiver that has found no frame has said so before it gave the lock away.
        if mailbox.is_asleep.load(Ordering::Relaxed) {
            mailbox.arrived.notify_one();
        }
        Ok(None)
    }

    fn receive(&mut self) -> Result<Option<(usize, Frame)>, Failure> {
        if let Some(frame) = self.taken.pop_front() {
            return Ok(Some(frame));
        }
        let mailbox = &self.shared.mailboxes[self.rank];
        if mailbox.bytes.load(Ordering::Acquire) == 0 {
            return self.lost().map(|()| None);
        }
        std::mem::swap(&mut *mailbox.frames.lock().unwrap_or_else(PoisonError::into_inner), &mut self.taken);
        mailbox.bytes.fetch_sub(self.taken.iter().map(|(_, frame)| frame.len()).sum(), Ordering::Relaxed);
        Ok(self.taken.pop_front())
    }

    fn wait(&mut self) -> Result<(), Failure> {
        if !self.taken.is_empty() {
            return Ok(());
        }
        let mailbox = &self.shared.mailboxes[self.rank];
        for _ in 0..self.looks {
            if mailbox.bytes.load(Ordering::Acquire) > 0 {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        let frames = mailbox.frames.lock().unwrap_or_else(PoisonError::into_inner);
        if frames.is_empty() {
            let start = Instant::now();
            mailbox.is_asleep.store(true, Ordering::Relaxed);
            drop(mailbox.arrived.wait_timeout(frames, NAP));
            mailbox.is_asleep.store(false, Ordering::Relaxed);
            let looks = if start.elapsed() < SHORT { self.looks * 2 } else { self.looks / 2 };
            self.looks = looks.clamp(self.least, LOOKS.max(self.least));
        }
        Ok(())
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn leave(&mut self) {
        self.left = true;
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if !self.left {
            let _ = self.shared.lost.compare_exchange(NONE, self.rank, Ordering::Release, Ordering::Relaxed);
            self.shared.mailboxes.iter().for_each(|mailbox| mailbox.arrived.notify_one());
        }
    }
}
