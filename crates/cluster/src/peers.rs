//! The other ranks of a search for states, as the workers of one rank see them.
//!
//! Workers write states for other ranks into frames of their own. Full frames wait in the outbox until a worker sends them: the one that
//! finds the network free, and the leader in any case. Frames that were received wait in the inbox for any worker. A rank is idle when no
//! worker has work and both boxes are empty: only workers that have work fill the outbox; they and the leader fill the inbox.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kripke_model::{Batch, State};
use kripke_search::{LostPeer, Peers, Progress, Routed};

use crate::network::{self, Network, Traffic};
use crate::partition::{hash, owner};
use crate::rank::Tallies;
use crate::sent_cache::{SentCache, Usefulness};
use crate::state_frame::{Reading, StateFrame};
use crate::transport::{Failure, Frame};

/// Frames that may wait to be sent or to be taken by workers.
const WAITING: usize = 256;

/// The room of a new frame, in bytes.
const FRAME: usize = 9 << 10;

/// About as many states of a frame are interned at a time: their places in the table are fetched before, and have to stay in the cache.
const PIECE: usize = 128;

/// Frames that a worker keeps to be used again.
const SPARE: usize = 256;

/// How long the leader waits while other workers of the rank have work.
const NAP: Duration = Duration::from_micros(20);

/// How long the leader pauses between two looks at the network while it does not sleep.
const LOOK: usize = 32;

/// The leader writes the counters of the rank at one in so many looks at the network: all ranks write to the same place.
const LOOKS: usize = 64;

/// The ranks of a search, as one of them sees them.
#[allow(missing_debug_implementations)]
pub(crate) struct RankPeers<'p> {
    rank: usize,
    ranks: usize,
    /// A frame of this many bytes is sent, and long states in it are differences.
    framing: Framing,
    net: Mutex<Network>,
    outgoing: Vec<Line<Mutex<Outgoing>>>,
    boxes: Mutex<Boxes>,
    changed: Condvar,
    /// The number of frames in each box, to be read without the lock.
    arrived: Line<AtomicUsize>,
    leaving: Line<AtomicUsize>,
    signs: Line<Signs>,
    /// How often the leader has looked at the network.
    looked: Line<AtomicUsize>,
    /// How often a worker looks for work before it sleeps.
    looks: usize,
    failure: Mutex<Option<Failure>>,
    /// The counters of this rank, and those of all.
    progress: &'p Progress,
    tallies: &'p Tallies<'p>,
}

/// A value in a line of the cache of its own: workers that read it do not wait for those that write other values.
#[derive(Default, Debug)]
#[repr(align(128))]
struct Line<T>(T);

/// What is seldom written, and read in every round without the lock.
#[derive(Default, Debug)]
struct Signs {
    is_congested: AtomicBool,
    has_failed: AtomicBool,
    /// The level has ended on all ranks, or they can't go on. It is written under the lock of the boxes.
    is_over: AtomicBool,
}

/// How states are put into frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Framing {
    /// A frame of this many bytes is sent, if its states are short or if they are longer than 16 bytes.
    pub bytes: usize,
    pub long_bytes: usize,
    /// Whether long states are sent as differences.
    pub differences: bool,
    /// The cache of states that were sent is of use if it has one state in so many: within a process, sending takes little longer.
    pub one_in: u32,
}

/// What one worker sends, and the frame that it reads.
struct Outgoing {
    /// A frame for each rank.
    frames: Vec<StateFrame>,
    framing: Framing,
    sent: SentCache,
    usefulness: Usefulness,
    /// The frame of which some states are not taken.
    reading: Option<Reading>,
    /// The states of a batch that this rank owns.
    mine: Vec<u8>,
    /// Frames that were received, whose memory is used again: an allocator would take it back and give it to another thread.
    spare: Vec<Frame>,
    /// Frames that are full, with their receivers and the numbers of their states.
    full: Vec<(usize, Frame, u64)>,
}

impl Outgoing {
    fn new(ranks: usize, framing: Framing) -> Outgoing {
        Outgoing {
            frames: vec![StateFrame::default(); ranks],
            framing,
            sent: SentCache::new(),
            usefulness: Usefulness::default(),
            reading: None,
            mine: Vec::new(),
            spare: Vec::new(),
            full: Vec::new(),
        }
    }

    /// Whether a state was sent lately, as far as it is known.
    #[inline(always)]
    fn was_sent(&mut self, state: &State, hash: u64) -> bool {
        if !self.usefulness.is_given() {
            return false;
        }
        let found = !self.sent.is_new(state, hash);
        self.usefulness.note(found, self.framing.one_in);
        found
    }

    /// Makes all frames take states of this width.
    fn begin_all(&mut self, width: usize) {
        for to in 0..self.frames.len() {
            if !self.frames[to].takes(width) {
                self.begin(to, width);
            }
        }
    }

    /// Begins a frame for states of this width.
    #[cold]
    fn begin(&mut self, to: usize, width: usize) {
        self.complete(to);
        let memory = self.spare.pop().unwrap_or_else(|| Frame::with_capacity(FRAME));
        self.frames[to].begin(memory, width, self.framing.differences);
    }

    /// Ends the frame for a rank, if it has states.
    fn complete(&mut self, to: usize) {
        let (frame, states) = self.frames[to].take();
        if states > 0 {
            self.full.push((to, frame, states));
        } else if frame.capacity() > 0 && self.spare.len() < SPARE {
            self.spare.push(frame);
        }
    }
}

#[derive(Default)]
struct Boxes {
    inbox: VecDeque<network::Batch>,
    outbox: VecDeque<(usize, Frame, u64)>,
    /// Workers that have work, and workers that wait for some.
    busy: usize,
    waiting: usize,
}

fn sum(a: Routed, b: Routed) -> Routed {
    Routed { remote: a.remote + b.remote, sent: a.sent + b.sent }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'p> RankPeers<'p> {
    pub fn new(
        net: Network,
        workers: usize,
        (framing, looks): (Framing, usize),
        progress: &'p Progress,
        tallies: &'p Tallies<'p>,
    ) -> Self {
        let (rank, ranks) = (net.rank(), net.ranks());
        RankPeers {
            rank,
            ranks,
            framing,
            net: Mutex::new(net),
            outgoing: (0..workers).map(|_| Line(Mutex::new(Outgoing::new(ranks, framing)))).collect(),
            boxes: Mutex::default(),
            changed: Condvar::new(),
            arrived: Line::default(),
            leaving: Line::default(),
            signs: Line::default(),
            looked: Line::default(),
            looks,
            failure: Mutex::new(None),
            progress,
            tallies,
        }
    }

    /// What this rank has sent.
    pub fn traffic(&self) -> Traffic {
        lock(&self.net).traffic()
    }

    /// Waits for all ranks at the end of the search.
    pub fn finish(self) -> Result<(), Failure> {
        let mut net = self.net.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = self.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(failure);
        }
        net.finish()
    }

    /// The failure of the ranks becomes known to all workers. Those that wait for a slow receiver go on: it may be the lost rank.
    fn fail(&self, failure: Failure) -> LostPeer {
        let how = failure.to_string();
        lock(&self.failure).get_or_insert(failure);
        self.signs.0.has_failed.store(true, Ordering::Release);
        self.end_level();
        LostPeer(how)
    }

    /// Tells all workers that the level is over.
    fn end_level(&self) {
        let boxes = lock(&self.boxes);
        self.signs.0.is_over.store(true, Ordering::Release);
        drop(boxes);
        self.changed.notify_all();
    }

    fn lost(&self) -> Result<(), LostPeer> {
        lock(&self.failure).as_ref().map_or(Ok(()), |failure| Err(LostPeer(failure.to_string())))
    }

    /// Sends what is in the outbox, and fills the inbox.
    fn transfer(&self, net: &mut Network) -> Result<(), Failure> {
        if self.leaving.0.load(Ordering::Relaxed) > 0 {
            let outbox = std::mem::take(&mut lock(&self.boxes).outbox);
            self.leaving.0.fetch_sub(outbox.len(), Ordering::Relaxed);
            for (to, frame, states) in outbox {
                net.send_frame(to, frame, states)?;
            }
        }
        while self.arrived.0.load(Ordering::Relaxed) < WAITING
            && let Some(batch) = net.receive()?
        {
            self.arrived.0.fetch_add(1, Ordering::Relaxed);
            let mut boxes = lock(&self.boxes);
            boxes.inbox.push_back(batch);
            // Waking up is a call of the system, also if no thread sleeps.
            if boxes.waiting > 0 {
                self.changed.notify_one();
            }
        }
        let is_congested = net.is_congested();
        if self.signs.0.is_congested.load(Ordering::Relaxed) != is_congested {
            self.signs.0.is_congested.store(is_congested, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Moves the frames of a worker that are full to the outbox.
    fn post(&self, outgoing: &mut Outgoing) {
        if !outgoing.full.is_empty() {
            self.leaving.0.fetch_add(outgoing.full.len(), Ordering::Relaxed);
            lock(&self.boxes).outbox.extend(outgoing.full.drain(..));
        }
    }

    /// Moves all frames of a worker to the outbox.
    fn flush(&self, worker: usize) {
        let mut outgoing = lock(&self.outgoing[worker].0);
        network::others(self.rank, self.ranks).for_each(|to| outgoing.complete(to));
        self.post(&mut outgoing);
    }

    /// Appends the states of this rank to `own`, and the others to the frames of a worker. The width is zero if states have different
    /// lengths.
    #[inline(always)]
    fn route_states<'s, T: AsRef<[u8]> + ?Sized + 's>(
        &self,
        outgoing: &mut Outgoing,
        states: impl Iterator<Item = &'s T>,
        width: usize,
        own: &mut Batch,
    ) -> Routed {
        let mut routed = Routed::default();
        let most = if let 1..=16 = width { self.framing.bytes } else { self.framing.long_bytes };
        for state in states.map(AsRef::as_ref) {
            let hash = hash(state);
            let to = owner(hash, self.ranks);
            if to == self.rank {
                own.push(state);
                continue;
            }
            routed.remote += 1;
            if outgoing.was_sent(state, hash) {
                continue;
            }
            routed.sent += 1;
            if !outgoing.frames[to].takes(width) {
                outgoing.begin(to, width);
            }
            outgoing.frames[to].push(state);
            if outgoing.frames[to].frame.len() >= most {
                outgoing.complete(to);
            }
        }
        routed
    }

    /// Routes states of words, without a look at those that were sent: no branch depends on the owner of a state.
    fn route_words<const N: usize>(&self, outgoing: &mut Outgoing, words: &[[u8; N]], mine: &mut Vec<u8>) -> Routed {
        let before = mine.len();
        for word in words {
            let to = owner(hash(word), self.ranks);
            let frame = if to == self.rank { &mut *mine } else { &mut outgoing.frames[to].frame };
            frame.extend_from_slice(word);
            if frame.len() >= self.framing.bytes && to != self.rank {
                outgoing.complete(to);
                outgoing.begin(to, N);
            }
        }
        let remote = (words.len() - (mine.len() - before) / N) as u64;
        Routed { remote, sent: remote }
    }

    /// Routes all states of a batch of words.
    fn route_all<const N: usize>(
        &self,
        outgoing: &mut Outgoing,
        all: &Batch,
        ends: &mut [usize],
        own: &mut Batch,
    ) -> Routed {
        let (mut mine, mut routed, mut start) = (std::mem::take(&mut outgoing.mine), Routed::default(), 0);
        mine.clear();
        outgoing.begin_all(N);
        for end in ends {
            let words = &all.chunks_from::<N>(0)[start..*end];
            routed = sum(routed, self.route_words(outgoing, words, &mut mine));
            start = std::mem::replace(end, own.len() + mine.len() / N);
        }
        own.push_all(&mine, N);
        outgoing.mine = mine;
        routed
    }

    /// Routes some states of a batch. The width is that of all its states.
    fn route_some(
        &self,
        outgoing: &mut Outgoing,
        (all, width): (&Batch, usize),
        range: Range<usize>,
        own: &mut Batch,
    ) -> Routed {
        match width {
            8 => self.route_states(outgoing, all.chunks_from::<8>(0)[range].iter(), 8, own),
            16 => self.route_states(outgoing, all.chunks_from::<16>(0)[range].iter(), 16, own),
            _ => {
                let states = all.states_from(range.start).take(range.len());
                self.route_states(outgoing, states, width, own)
            }
        }
    }

    /// The leader waits: it keeps the network going until a frame has arrived or the level has ended.
    fn lead(&self) -> Result<bool, Failure> {
        let mut looks = self.looks;
        loop {
            let mut net = lock(&self.net);
            self.transfer(&mut net)?;
            let mut boxes = lock(&self.boxes);
            if !boxes.inbox.is_empty() {
                boxes.busy += 1;
                return Ok(true);
            }
            if boxes.busy > 0 || !boxes.outbox.is_empty() {
                // Workers that have work use the network meanwhile.
                drop(net);
                if looks > 0 {
                    drop(boxes);
                    looks = looks.saturating_sub(LOOK);
                    (0..LOOK).for_each(|_| std::hint::spin_loop());
                } else {
                    drop(self.changed.wait_timeout(boxes, NAP));
                }
                continue;
            }
            drop(boxes);
            // States that arrive are those of the next level, so this rank sends no more.
            if net.is_level_over()? {
                self.end_level();
                return Ok(false);
            }
        }
    }

    /// Another worker waits for frames, or for the leader to tell the end of the level.
    fn follow(&self) -> bool {
        let is_over = || self.signs.0.is_over.load(Ordering::Acquire);
        for _ in 0..self.looks {
            if is_over() || self.arrived.0.load(Ordering::Relaxed) > 0 {
                break;
            }
            std::hint::spin_loop();
        }
        let mut boxes = lock(&self.boxes);
        boxes.waiting += 1;
        let ready = |boxes: &mut Boxes| boxes.inbox.is_empty() && !is_over();
        let mut boxes = self.changed.wait_while(boxes, ready).unwrap_or_else(PoisonError::into_inner);
        boxes.waiting -= 1;
        let has_work = !boxes.inbox.is_empty();
        boxes.busy += usize::from(has_work);
        has_work
    }

    /// The next piece of a frame.
    fn take_piece(&self, outgoing: &mut Outgoing, into: &mut Batch) {
        let Some(mut reading) = outgoing.reading.take() else { return };
        if reading.take(PIECE, into) {
            outgoing.reading = Some(reading);
        } else if outgoing.spare.len() < SPARE {
            outgoing.spare.push(reading.frame);
        }
    }
}

impl Peers for RankPeers<'_> {
    fn owns(&self, state: &State) -> bool {
        owner(hash(state), self.ranks) == self.rank
    }

    fn route(&self, worker: usize, all: &Batch, ends: &mut [usize], own: &mut Batch) -> Routed {
        let (mut outgoing, mut routed) = (lock(&self.outgoing[worker].0), Routed::default());
        let (width, mut start) = (all.width().unwrap_or(0), 0);
        match width {
            8 if outgoing.usefulness.is_paused_for(all.len()) => {
                routed = self.route_all::<8>(&mut outgoing, all, ends, own);
            }
            16 if outgoing.usefulness.is_paused_for(all.len()) => {
                routed = self.route_all::<16>(&mut outgoing, all, ends, own);
            }
            _ => {
                for end in ends {
                    routed = sum(routed, self.route_some(&mut outgoing, (all, width), start..*end, own));
                    start = std::mem::replace(end, own.len());
                }
            }
        }
        self.post(&mut outgoing);
        routed
    }

    fn receive(&self, worker: usize, into: &mut Batch) -> bool {
        let mut outgoing = lock(&self.outgoing[worker].0);
        if outgoing.reading.is_none() {
            if self.arrived.0.load(Ordering::Relaxed) == 0 {
                return false;
            }
            let Some(batch) = lock(&self.boxes).inbox.pop_front() else { return false };
            self.arrived.0.fetch_sub(1, Ordering::Relaxed);
            outgoing.reading = Some(Reading::new(batch.into_frame()));
        }
        self.take_piece(&mut outgoing, into);
        true
    }

    fn is_congested(&self) -> bool {
        let is_slow =
            self.signs.0.is_congested.load(Ordering::Relaxed) || self.leaving.0.load(Ordering::Relaxed) > WAITING;
        is_slow && !self.signs.0.has_failed.load(Ordering::Relaxed)
    }

    fn poll(&self, worker: usize) -> Result<(), LostPeer> {
        if self.signs.0.has_failed.load(Ordering::Acquire) {
            return self.lost();
        }
        if worker > 0 {
            // Another worker that uses the network sends the frames of this one as well.
            let has_work = self.leaving.0.load(Ordering::Relaxed) > 0;
            let net = has_work.then(|| self.net.try_lock().ok()).flatten();
            return net.map_or(Ok(()), |mut net| self.transfer(&mut net).map_err(|failure| self.fail(failure)));
        }
        if self.looked.0.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOKS) {
            let counters = self.progress.snapshot();
            self.tallies.set(self.rank, [counters.states, counters.transitions, counters.bytes], counters.depth);
        }
        let mut net = lock(&self.net);
        self.transfer(&mut net).map_err(|failure| self.fail(failure))
    }

    fn begin_level(&self) {
        self.signs.0.is_over.store(false, Ordering::Relaxed);
    }

    fn enter(&self, _: usize) {
        lock(&self.boxes).busy += 1;
    }

    fn wait(&self, worker: usize) -> Result<bool, LostPeer> {
        self.flush(worker);
        lock(&self.boxes).busy -= 1;
        let has_work = match worker {
            0 => self.lead().map_err(|failure| self.fail(failure))?,
            _ => self.follow(),
        };
        self.lost().map(|()| has_work)
    }

    fn exchange(&self, mine: Vec<u8>) -> Result<Vec<Vec<u8>>, LostPeer> {
        lock(&self.net).gather(mine).map_err(|failure| self.fail(failure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Transport, Urgency};

    /// A transport to a rank that is lost at the second look: no one takes frames, and then the failure is noticed.
    struct Lossy {
        looks: usize,
    }

    impl Transport for Lossy {
        fn rank(&self) -> usize {
            0
        }

        fn ranks(&self) -> usize {
            2
        }

        fn send(&mut self, _: usize, frame: Frame, urgency: Urgency) -> Result<Option<Frame>, Failure> {
            Ok((urgency == Urgency::Normal).then_some(frame))
        }

        fn receive(&mut self) -> Result<Option<(usize, Frame)>, Failure> {
            self.looks += 1;
            if self.looks > 1 { Err(Failure::Lost(1)) } else { Ok(None) }
        }

        fn wait(&mut self) -> Result<(), Failure> {
            Ok(())
        }

        fn now(&self) -> Duration {
            Duration::ZERO
        }

        fn leave(&mut self) {}
    }

    /// Without that, the workers besides the leader would wait for ever for the lost rank to take frames.
    #[test]
    fn a_lost_rank_is_known_to_workers_that_wait_for_it() {
        let progress = &Progress::new();
        let tallies = &Tallies::new(progress, 2);
        let framing = Framing { bytes: 64, long_bytes: 64, differences: false, one_in: 2 };
        let peers =
            RankPeers::new(Network::new(Box::new(Lossy { looks: 0 }), None), 2, (framing, 0), progress, tallies);
        let mut all = Batch::new();
        (0..200_u32).for_each(|number| all.push(&number.to_le_bytes()));
        peers.route(1, &all, &mut [all.len()], &mut Batch::new());
        assert_eq!(peers.poll(0), Ok(()));
        assert!(peers.is_congested());
        let lost = LostPeer(Failure::Lost(1).to_string());
        assert_eq!(peers.poll(0), Err(lost.clone()));
        assert!(!peers.is_congested());
        assert_eq!(peers.poll(1), Err(lost));
    }
}
