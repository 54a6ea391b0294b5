//! The thread that makes all calls of MPI.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, mpsc};
use std::time::{Duration, Instant};

use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::pending::{Arriving, Pending};
use super::{FAILED, Failure, Frame, Message, SIGN_OF_LIFE, Shared, TAKEN};
use crate::wire::{Reader, put_number};

/// How often a process sends a sign of life, and after which silence it is lost.
const SIGN: Duration = Duration::from_millis(500);
const SILENCE: Duration = Duration::from_secs(6);

/// How long the carrier sleeps when it has found nothing to do: at first, and when that has happened often.
const SHORT_NAP: Duration = Duration::from_micros(30);
const LONG_NAP: Duration = Duration::from_micros(400);
const OFTEN: u32 = 50;

/// Frames that are received before the carrier looks at what it is to send.
const ROUND: usize = 64;

/// Starts MPI, tells about it, and carries messages until the process ends.
pub(super) fn run(tell: &mpsc::Sender<Result<Arc<Shared>, String>>) {
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Funneled) else {
        let _ = tell.send(Err("MPI was started before".to_string()));
        return;
    };
    if threading < Threading::Funneled {
        let _ = tell.send(Err("this MPI can't be used by a program with threads".to_string()));
        return;
    }
    let world = universe.world();
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    let shared = Arc::new(Shared::new(rank, ranks));
    let now = Instant::now();
    let mut carrier = Carrier {
        pending: (0..ranks).map(|_| VecDeque::new()).collect(),
        arriving: (0..ranks).map(|_| VecDeque::new()).collect(),
        heard: vec![now; ranks],
        signed: now,
        looked: now,
        idle: 0,
        world,
        shared: shared.clone(),
    };
    if tell.send(Ok(shared)).is_ok() {
        while carrier.round() {}
    }
    end(universe);
}

/// Ends MPI; it waits for the other processes.
fn end(universe: Universe) {
    drop(universe);
}

struct Carrier {
    world: SimpleCommunicator,
    shared: Arc<Shared>,
    /// The messages that MPI has not sent yet, by receiver.
    pending: Vec<VecDeque<Pending>>,
    /// The messages that MPI has not received completely yet, by sender and in order.
    arriving: Vec<VecDeque<Arriving>>,
    /// When something was heard of each rank.
    heard: Vec<Instant>,
    /// When the last sign of life was sent, and when the clock was looked at.
    signed: Instant,
    looked: Instant,
    /// Rounds without any message.
    idle: u32,
}

impl Carrier {
    /// Sends and receives what there is. Returns whether to go on.
    fn round(&mut self) -> bool {
        let is_ending = self.send_all();
        (0..ROUND).take_while(|_| self.receive()).count();
        let received = (0..self.shared.ranks).filter(|from| self.deliver(*from)).count();
        for messages in &mut self.pending {
            while messages.front_mut().is_some_and(Pending::is_sent) {
                messages.pop_front();
            }
        }
        self.watch();
        let is_done = self.pending.iter().all(VecDeque::is_empty);
        if is_ending && is_done {
            return false;
        }
        self.idle = if received > 0 { 0 } else { self.idle.saturating_add(1) };
        if received == 0 {
            self.nap();
        }
        true
    }

    /// Begins to send what is in the outbox. Returns whether the process ends.
    fn send_all(&mut self) -> bool {
        let mut outbox = self.shared.outbox();
        let messages = std::mem::take(&mut outbox.messages);
        let is_ending = outbox.is_ending;
        drop(outbox);
        messages.into_iter().for_each(|message| self.send(message));
        is_ending
    }

    fn send(&mut self, Message { to, tag, frame }: Message) {
        match Pending::send(&self.world, to, tag, frame) {
            Ok(pending) => self.pending[to].push_back(pending),
            Err(what) => self.fail(Failure::Protocol(self.shared.rank, what)),
        }
    }

    /// Begins to receive a message. Returns whether there was one.
    fn receive(&mut self) -> bool {
        match Arriving::receive(&self.world) {
            None => return false,
            Some(Ok(message)) => self.arriving[message.from].push_back(message),
            Some(Err(what)) => self.fail(Failure::Protocol(self.shared.rank, what)),
        }
        true
    }

    /// Delivers the messages of a rank that have arrived, in the order in which they were sent. Returns whether there were any.
    fn deliver(&mut self, from: usize) -> bool {
        let mut any = false;
        while let Some(bytes) = self.arriving[from].front_mut().and_then(Arriving::take) {
            let Some(message) = self.arriving[from].pop_front() else { break };
            self.heard[from] = Instant::now();
            self.handle(from, message.tag, bytes);
            any = true;
        }
        any
    }

    fn handle(&self, from: usize, tag: i32, bytes: Vec<u8>) {
        match tag {
            SIGN_OF_LIFE => self.take_counters(from, &bytes),
            TAKEN => {
                let taken = Reader::new(&bytes).number().unwrap_or(0) as usize;
                self.shared.under_way[from].fetch_sub(taken, Ordering::Relaxed);
            }
            FAILED => self.take_failure(&bytes),
            tag => {
                self.shared.inbox().entry(tag).or_default().push_back((from, bytes));
                self.shared.arrived.notify_all();
            }
        }
    }

    fn take_counters(&self, from: usize, bytes: &[u8]) {
        let mut reader = Reader::new(bytes);
        for counter in &self.shared.counters[from] {
            counter.store(reader.number().unwrap_or(0), Ordering::Relaxed);
        }
    }

    /// Another rank has noticed that one is lost.
    fn take_failure(&self, bytes: &[u8]) {
        let mut reader = Reader::new(bytes);
        if let (Some(rank), Some(time)) = (reader.number(), reader.number()) {
            self.set_failure(Failure::Silent(rank as usize, Duration::from_millis(time)));
        }
    }

    /// Notes the first failure, and the ranks that are probably lost as well. A process that was stopped itself has heard of no rank.
    fn set_failure(&self, failure: Failure) {
        let own = self.shared.rank;
        let was_stopped = matches!(failure, Failure::Silent(rank, _) if rank == own);
        if self.shared.failure.get().is_none() && !was_stopped {
            let now = Instant::now();
            for (rank, heard) in self.heard.iter().enumerate().filter(|(rank, _)| *rank != own) {
                self.shared.silent[rank].store(now - *heard > SILENCE / 2, Ordering::Relaxed);
            }
        }
        let _ = self.shared.failure.set(failure);
        self.shared.arrived.notify_all();
    }

    /// Sends signs of life, and notices which rank sends none.
    fn watch(&mut self) {
        let now = Instant::now();
        let away = now - std::mem::replace(&mut self.looked, now);
        if away > SILENCE {
            // This process itself was stopped for so long that the others have given it up.
            self.fail(Failure::Silent(self.shared.rank, away));
        } else if away > SIGN * 2 {
            // It was stopped for a while: the others get their time again.
            self.heard.fill(now);
        }
        if now - self.signed < SIGN || self.shared.failure.get().is_some() {
            return;
        }
        self.signed = now;
        let mut sign = Frame::new();
        self.shared.counters[self.shared.rank].iter().for_each(|c| put_number(&mut sign, c.load(Ordering::Relaxed)));
        self.tell_others(SIGN_OF_LIFE, &sign);
        let own = self.shared.rank;
        let silent = |(rank, heard): &(usize, &Instant)| *rank != own && now - **heard > SILENCE;
        if let Some((rank, heard)) = self.heard.iter().enumerate().find(silent) {
            self.fail(Failure::Silent(rank, now - *heard));
        }
    }

    fn fail(&mut self, failure: Failure) {
        if let Failure::Silent(rank, time) = failure {
            let mut notice = Frame::new();
            [rank as u64, time.as_millis() as u64].iter().for_each(|number| put_number(&mut notice, *number));
            self.tell_others(FAILED, &notice);
        }
        self.set_failure(failure);
    }

    fn tell_others(&mut self, tag: i32, frame: &Frame) {
        for to in (0..self.shared.ranks).filter(|to| *to != self.shared.rank).collect::<Vec<_>>() {
            self.send(Message { to, tag, frame: frame.clone() });
        }
    }

    /// Sleeps until there is something to send, or a short time.
    fn nap(&self) {
        let time = if self.idle < OFTEN { SHORT_NAP } else { LONG_NAP };
        let outbox = self.shared.outbox();
        if outbox.messages.is_empty() && !outbox.is_ending {
            drop(self.shared.posted.wait_timeout(outbox, time).unwrap_or_else(PoisonError::into_inner));
        }
    }
}
