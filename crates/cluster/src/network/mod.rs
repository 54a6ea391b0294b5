//! The network of a rank: records in batches, urgent records, phases that end when no rank has work, collectives.
//!
//! A *record* is a message of an algorithm. Records to the same rank travel together, in batches; an urgent record travels at once
//! and may overtake those that wait in a batch. A rank receives records only when it asks for them, and sending never blocks: while
//! a receiver is slow, [`Network::is_congested`] tells the rank to stop producing records, and it can still receive.
//!
//! A search is a sequence of *phases*. A phase ends when no rank has work and no record is on its way
//! (`termination.rs`; a level of a breadth-first search ends more simply). All ranks are then in the next phase; records of a rank that is ahead wait.

mod termination;

use std::collections::VecDeque;
use std::time::Duration;

use crate::state_frame;
use crate::transport::{Failure, Frame, Transport, Urgency};
use crate::wire::{Reader, put_bytes, put_number};
use termination::{Counters, Detector, Waves};

/// A batch of this many bytes is sent.
const BATCH: usize = 16 << 10;

/// The bytes before the content of a frame: its kind and its phase.
pub(crate) const HEAD: usize = 5;

/// How long a rank may be silent, and how often ranks tell that they are alive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// A rank sends a sign of life this often.
    pub sign_of_life: Duration,
    /// A rank of which nothing is heard for so long is lost.
    pub silence: Duration,
}

impl Patience {
    /// For machines: a rank that is lost is noticed within ten seconds.
    pub const MACHINES: Patience = Patience { sign_of_life: Duration::from_secs(1), silence: Duration::from_secs(8) };
}

/// What a rank has sent and received, and how long it had no work.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Traffic {
    /// Records sent to other ranks.
    pub records: u64,
    /// Frames sent to other ranks.
    pub frames: u64,
    /// Bytes sent to other ranks.
    pub bytes: u64,
    /// Time without work.
    pub idle: Duration,
}

/// The kinds of frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Batch = 0,
    Wave = 1,
    Answer = 2,
    PhaseEnd = 3,
    Contribution = 4,
    Combination = 5,
    SignOfLife = 6,
    Lost = 7,
    States = 8,
    LevelEnd = 9,
}

impl Kind {
    const ALL: [Kind; 10] = [
        Kind::Batch,
        Kind::Wave,
        Kind::Answer,
        Kind::PhaseEnd,
        Kind::Contribution,
        Kind::Combination,
        Kind::SignOfLife,
        Kind::Lost,
        Kind::States,
        Kind::LevelEnd,
    ];
}

/// A batch of records that has arrived.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The rank that has sent it.
    pub from: usize,
    frame: Frame,
}

impl Batch {
    /// The frame of the batch. Its memory can be used again.
    pub(crate) fn into_frame(self) -> Frame {
        self.frame
    }

    /// The number of records or states.
    fn count(&self) -> u64 {
        match self.frame[0] == Kind::States as u8 {
            true => state_frame::states(&self.frame).unwrap_or(0),
            false => self.records().count() as u64,
        }
    }

    /// The records in the order in which they were sent.
    pub fn records(&self) -> impl Iterator<Item = &[u8]> {
        let mut reader = Reader::new(&self.frame[HEAD..]);
        std::iter::from_fn(move || reader.bytes())
    }
}

/// What waits for one receiver.
#[derive(Default, Debug)]
struct Outgoing {
    batch: Frame,
    refused: VecDeque<Frame>,
}

/// The network, as one rank sees it.
#[allow(missing_debug_implementations)]
pub struct Network {
    transport: Box<dyn Transport>,
    patience: Option<Patience>,
    phase: u32,
    outgoing: Vec<Outgoing>,
    /// Batches of this phase.
    arrived: VecDeque<Batch>,
    /// Batches of later phases.
    early: Vec<(u32, Batch)>,
    counters: Counters,
    detector: Detector,
    waves: Waves,
    /// The wave that this rank has not answered yet.
    wave: Option<u64>,
    has_ended: bool,
    /// Whether this rank has told the others that it sends no more in this phase, and the phases in which others have told so.
    has_told_end: bool,
    level_ends: Vec<u32>,
    /// The contributions to a collective that rank 0 has received.
    contributions: Vec<VecDeque<Vec<u8>>>,
    combinations: VecDeque<Vec<u8>>,
    heard: Vec<Duration>,
    spoke: Duration,
    /// When this rank has looked at the network last.
    looked: Duration,
    traffic: Traffic,
}

impl Network {
    /// The network of a rank. Without patience, only the transport notices that a rank is lost.
    pub fn new(transport: Box<dyn Transport>, patience: Option<Patience>) -> Network {
        let (ranks, now) = (transport.ranks(), transport.now());
        Network {
            transport,
            patience,
            phase: 0,
            outgoing: (0..ranks).map(|_| Outgoing::default()).collect(),
            arrived: VecDeque::new(),
            early: Vec::new(),
            counters: Counters::default(),
            detector: Detector::default(),
            waves: Waves::default(),
            wave: None,
            has_ended: false,
            has_told_end: false,
            level_ends: Vec::new(),
            contributions: vec![VecDeque::new(); ranks],
            combinations: VecDeque::new(),
            heard: vec![now; ranks],
            spoke: now,
            looked: now,
            traffic: Traffic::default(),
        }
    }

    /// The number of this rank.
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.outgoing.len()
    }

    /// What was sent so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Sends a record, together with others.
    pub fn send(&mut self, to: usize, record: &[u8]) -> Result<(), Failure> {
        self.has_not_ended()?;
        let outgoing = &mut self.outgoing[to];
        if outgoing.batch.is_empty() {
            begin_frame(&mut outgoing.batch, Kind::Batch, self.phase);
        }
        put_bytes(&mut outgoing.batch, record);
        self.count_sent(to);
        if self.outgoing[to].batch.len() >= BATCH { self.flush(to) } else { Ok(()) }
    }

    /// Sends so many states that were written into a frame.
    pub fn send_frame(&mut self, to: usize, mut frame: Frame, records: u64) -> Result<(), Failure> {
        self.has_not_ended()?;
        frame[1..HEAD].copy_from_slice(&self.phase.to_le_bytes());
        self.counters.sent += records;
        self.traffic.records += records;
        self.outgoing[to].refused.push_back(frame);
        self.flush(to)
    }

    /// Sends a record at once.
    pub fn send_urgently(&mut self, to: usize, record: &[u8]) -> Result<(), Failure> {
        self.has_not_ended()?;
        let mut frame = Vec::with_capacity(HEAD + 2 + record.len());
        begin_frame(&mut frame, Kind::Batch, self.phase);
        put_bytes(&mut frame, record);
        self.count_sent(to);
        self.hand_over(to, frame, Urgency::Urgent)
    }

    /// Records that are sent or received after the end of a phase would be lost to the search: the phase was ended too early.
    fn has_not_ended(&self) -> Result<(), Failure> {
        match self.has_ended || self.has_told_end {
            true => Err(Failure::Protocol(self.rank(), "the phase was ended too early")),
            false => Ok(()),
        }
    }

    fn count_sent(&mut self, to: usize) {
        self.counters.sent += 1;
        self.traffic.records += u64::from(to != self.rank());
    }

    /// Whether a receiver does not keep up. The rank should receive instead of producing more records.
    pub fn is_congested(&self) -> bool {
        self.outgoing.iter().any(|outgoing| !outgoing.refused.is_empty())
    }

    /// The next batch of this phase, if one has arrived. The rank has to take all records from it before it asks
    /// [`Network::is_phase_over`].
    pub fn receive(&mut self) -> Result<Option<Batch>, Failure> {
        if self.arrived.is_empty() {
            self.poll()?;
        }
        let Some(batch) = self.arrived.pop_front() else { return Ok(None) };
        if self.has_ended {
            self.has_not_ended()?;
        }
        self.counters.received += batch.count();
        Ok(Some(batch))
    }

    /// Tells that this rank has no work, waits a little for records, and returns whether the phase has ended. If it has, the next one
    /// has begun.
    pub fn is_phase_over(&mut self) -> Result<bool, Failure> {
        for to in 0..self.ranks() {
            self.flush(to)?;
        }
        self.poll()?;
        if !self.arrived.is_empty() || self.is_congested() {
            self.has_not_ended()?;
            return if self.arrived.is_empty() { self.idle().map(|()| false) } else { Ok(false) };
        }
        if self.ranks() == 1 {
            self.begin_phase();
            return Ok(true);
        }
        if self.rank() == 0
            && self.waves.is_due(self.transport.now())
            && let Some(wave) = self.detector.begin_wave()
        {
            self.waves.begun += 1;
            self.tell_others(Kind::Wave, wave)?;
            self.wave = Some(wave);
        }
        if let Some(wave) = self.wave.take() {
            self.answer(wave)?;
        }
        if std::mem::take(&mut self.has_ended) {
            self.begin_phase();
            return Ok(true);
        }
        self.idle()?;
        Ok(false)
    }

    /// Ends a phase in which a rank sends nothing after it has run out of work, whatever it receives: a level of a breadth-first search.
    /// Each rank tells all others that it sends no more, behind what it has sent, so no waves are needed. Otherwise like
    /// [`Network::is_phase_over`].
    pub fn is_level_over(&mut self) -> Result<bool, Failure> {
        if !std::mem::replace(&mut self.has_told_end, true) {
            for to in others(self.rank(), self.ranks()) {
                let end = self.control(Kind::LevelEnd);
                self.outgoing[to].refused.push_back(end);
                self.flush(to)?;
            }
        }
        self.poll()?;
        if !self.arrived.is_empty() {
            return Ok(false);
        }
        let ended = self.level_ends.iter().filter(|phase| **phase == self.phase).count();
        if ended + 1 < self.ranks() || self.is_congested() {
            self.idle()?;
            return Ok(false);
        }
        self.level_ends.retain(|phase| *phase != self.phase);
        self.has_told_end = false;
        self.begin_phase();
        Ok(true)
    }

    fn answer(&mut self, wave: u64) -> Result<(), Failure> {
        if self.rank() == 0 {
            return self.take_answer(wave, self.counters);
        }
        let mut frame = self.control(Kind::Answer);
        [wave, self.counters.sent, self.counters.received].iter().for_each(|n| put_number(&mut frame, *n));
        self.hand_over(0, frame, Urgency::Urgent)
    }

    /// Rank 0 takes the answer of a rank to a wave.
    fn take_answer(&mut self, wave: u64, counters: Counters) -> Result<(), Failure> {
        if self.detector.answer(wave, counters, self.ranks()) {
            self.has_ended = true;
            self.tell_others(Kind::PhaseEnd, 0)?;
        } else if !self.detector.is_under_way() {
            self.waves.has_ended(self.transport.now());
        }
        Ok(())
    }

    fn begin_phase(&mut self) {
        self.phase += 1;
        self.waves = Waves::of_phase(self.transport.now());
        let (now, later) = std::mem::take(&mut self.early).into_iter().partition(|(phase, _)| *phase == self.phase);
        self.early = later;
        let now: Vec<(u32, Batch)> = now;
        self.arrived.extend(now.into_iter().map(|(_, batch)| batch));
    }

    /// Gives every rank the contributions of all ranks, in their order. All ranks have to call it, between phases.
    pub fn gather(&mut self, mine: Vec<u8>) -> Result<Vec<Vec<u8>>, Failure> {
        if self.rank() == 0 {
            self.contributions[0].push_back(mine);
            while self.contributions.iter().any(VecDeque::is_empty) {
                self.await_frames()?;
            }
            let all: Vec<Vec<u8>> = self.contributions.iter_mut().filter_map(VecDeque::pop_front).collect();
            for to in 1..self.ranks() {
                let mut frame = self.control(Kind::Combination);
                all.iter().for_each(|bytes| put_bytes(&mut frame, bytes));
                self.hand_over(to, frame, Urgency::Urgent)?;
            }
            return Ok(all);
        }
        let mut frame = self.control(Kind::Contribution);
        frame.extend_from_slice(&mine);
        self.hand_over(0, frame, Urgency::Urgent)?;
        while self.combinations.is_empty() {
            self.await_frames()?;
        }
        let all = self.combinations.pop_front().unwrap_or_default();
        let mut reader = Reader::new(&all);
        Ok(std::iter::from_fn(|| reader.bytes().map(<[u8]>::to_vec)).collect())
    }

    /// The sums of numbers over all ranks.
    pub fn sum<const N: usize>(&mut self, mine: [u64; N]) -> Result<[u64; N], Failure> {
        let mut bytes = Vec::new();
        mine.iter().for_each(|number| put_number(&mut bytes, *number));
        let mut sums = [0; N];
        for contribution in self.gather(bytes)? {
            let mut reader = Reader::new(&contribution);
            sums.iter_mut().for_each(|sum| *sum += reader.number().unwrap_or(0));
        }
        Ok(sums)
    }

    /// Gives every rank the bytes of one.
    pub fn broadcast(&mut self, from: usize, mine: Option<Vec<u8>>) -> Result<Vec<u8>, Failure> {
        let all = self.gather(mine.unwrap_or_default())?;
        all.into_iter().nth(from).ok_or(Failure::Protocol(from, "a contribution is missing"))
    }

    /// Waits until all ranks have come here.
    pub fn barrier(&mut self) -> Result<(), Failure> {
        self.gather(Vec::new()).map(drop)
    }

    /// Waits for all ranks, and tells the transport that this one ends as it should.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.barrier()?;
        self.transport.leave();
        Ok(())
    }

    /// Sends what waits for a receiver, as far as it takes it.
    fn flush(&mut self, to: usize) -> Result<(), Failure> {
        let batch = std::mem::take(&mut self.outgoing[to].batch);
        if !batch.is_empty() {
            self.outgoing[to].refused.push_back(batch);
        }
        while let Some(frame) = self.outgoing[to].refused.pop_front() {
            if let Some(frame) = self.hand(to, frame, Urgency::Normal)? {
                self.outgoing[to].refused.push_front(frame);
                break;
            }
        }
        Ok(())
    }

    fn hand_over(&mut self, to: usize, frame: Frame, urgency: Urgency) -> Result<(), Failure> {
        self.hand(to, frame, urgency).map(drop)
    }

    /// Gives a frame to the transport, or to this rank itself. Returns it if it is refused.
    fn hand(&mut self, to: usize, frame: Frame, urgency: Urgency) -> Result<Option<Frame>, Failure> {
        if to == self.rank() {
            self.arrived.push_back(Batch { from: to, frame });
            return Ok(None);
        }
        let bytes = frame.len() as u64;
        let refused = self.transport.send(to, frame, urgency).map_err(|failure| self.fail(failure))?;
        if refused.is_none() {
            self.traffic.frames += 1;
            self.traffic.bytes += bytes;
        }
        Ok(refused)
    }

    fn control(&self, kind: Kind) -> Frame {
        let mut frame = Vec::new();
        begin_frame(&mut frame, kind, self.phase);
        frame
    }

    fn tell_others(&mut self, kind: Kind, number: u64) -> Result<(), Failure> {
        for to in others(self.rank(), self.ranks()) {
            let mut frame = self.control(kind);
            put_number(&mut frame, number);
            self.hand_over(to, frame, Urgency::Urgent)?;
        }
        Ok(())
    }

    /// Waits a little, for a rank that has work but must not produce more records now.
    pub fn pause(&mut self) -> Result<(), Failure> {
        self.poll()?;
        if self.arrived.is_empty() && self.is_congested() { self.idle() } else { Ok(()) }
    }

    fn await_frames(&mut self) -> Result<(), Failure> {
        if !self.poll()? { self.idle() } else { Ok(()) }
    }

    fn idle(&mut self) -> Result<(), Failure> {
        let before = self.transport.now();
        self.transport.wait()?;
        self.traffic.idle += self.transport.now().saturating_sub(before);
        Ok(())
    }

    /// Takes all frames that have arrived. Returns whether there were any.
    fn poll(&mut self) -> Result<bool, Failure> {
        for to in 0..self.ranks() {
            if !self.outgoing[to].refused.is_empty() {
                self.flush(to)?;
            }
        }
        let mut any = false;
        while let Some((from, frame)) = self.transport.receive().map_err(|failure| self.fail(failure))? {
            any = true;
            self.take(from, frame)?;
        }
        if let Some(patience) = self.patience {
            self.watch(patience).map_err(|failure| self.fail(failure))?;
        }
        Ok(any)
    }

    /// Tells the others that this rank is alive, and notices which of them is not.
    fn watch(&mut self, patience: Patience) -> Result<(), Failure> {
        let now = self.transport.now();
        let away = now.saturating_sub(std::mem::replace(&mut self.looked, now));
        if away > patience.sign_of_life * 2 {
            // This rank itself was away: the others get their time again.
            self.heard.fill(now);
        }
        if now.saturating_sub(self.spoke) >= patience.sign_of_life {
            self.spoke = now;
            self.tell_others(Kind::SignOfLife, 0)?;
        }
        let own = self.rank();
        let silent =
            |(rank, heard): &(usize, &Duration)| *rank != own && now.saturating_sub(**heard) > patience.silence;
        match self.heard.iter().enumerate().find(silent) {
            Some((rank, heard)) => Err(Failure::Silent(rank, now - *heard)),
            None => Ok(()),
        }
    }

    /// Tells the other ranks which one is lost before this one ends, too. Another rank may have told the reason already.
    fn fail(&mut self, failure: Failure) -> Failure {
        while let Ok(Some((from, frame))) = self.transport.receive() {
            if let Some(lost) = lost_rank(&frame) {
                return lost;
            }
            if frame.is_empty() {
                return Failure::Protocol(from, "the frame is damaged");
            }
        }
        let (rank, time) = match failure {
            Failure::Lost(rank) => (rank, Duration::ZERO),
            Failure::Silent(rank, time) => (rank, time),
            other => return other,
        };
        for to in others(self.rank(), self.ranks()) {
            let mut frame = self.control(Kind::Lost);
            [rank as u64, time.as_millis() as u64].iter().for_each(|number| put_number(&mut frame, *number));
            // The rank itself may only be slow, and is to know, too. A rank that can't be told will notice by itself.
            let _ = self.transport.send(to, frame, Urgency::Urgent);
        }
        failure
    }

    fn take(&mut self, from: usize, frame: Frame) -> Result<(), Failure> {
        if self.patience.is_some() {
            self.heard[from] = self.transport.now();
        }
        let nonsense = Failure::Protocol(from, "the frame is damaged");
        let (Some(kind), Some(phase)) = (frame.first(), frame.get(1..HEAD)) else { return Err(nonsense) };
        let kind = *Kind::ALL.get(usize::from(*kind)).ok_or(nonsense.clone())?;
        let phase = phase.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
        let mut content = Reader::new(&frame[HEAD..]);
        match kind {
            Kind::Batch | Kind::States if phase > self.phase => self.early.push((phase, Batch { from, frame })),
            Kind::Batch | Kind::States if phase < self.phase => {
                return Err(Failure::Protocol(from, "its phase has ended already"));
            }
            Kind::Batch | Kind::States => self.arrived.push_back(Batch { from, frame }),
            Kind::Wave => self.wave = Some(content.number().ok_or(nonsense)?),
            Kind::Answer => {
                let mut number = || content.number().ok_or(nonsense.clone());
                let (wave, sent, received) = (number()?, number()?, number()?);
                self.take_answer(wave, Counters { sent, received })?;
            }
            Kind::PhaseEnd => self.has_ended = true,
            Kind::LevelEnd if phase < self.phase => return Err(Failure::Protocol(from, "its phase has ended already")),
            Kind::LevelEnd => self.level_ends.push(phase),
            Kind::Contribution => self.contributions[from].push_back(content.rest().to_vec()),
            Kind::Combination => self.combinations.push_back(content.rest().to_vec()),
            Kind::SignOfLife => {}
            Kind::Lost => return Err(lost_rank(&frame).ok_or(nonsense)?),
        }
        Ok(())
    }
}

/// The other ranks, each rank beginning with the next one: so not all send to the same rank at the same time.
pub(crate) fn others(rank: usize, ranks: usize) -> impl Iterator<Item = usize> {
    (1..ranks).map(move |number| (rank + number) % ranks)
}

/// Begins a frame of states, for any phase.
pub(crate) fn begin_states(frame: &mut Frame) {
    begin_frame(frame, Kind::States, 0);
}

fn begin_frame(frame: &mut Frame, kind: Kind, phase: u32) {
    frame.push(kind as u8);
    frame.extend_from_slice(&phase.to_le_bytes());
}

/// The failure that a frame tells of, if it is of that kind.
fn lost_rank(frame: &Frame) -> Option<Failure> {
    let mut content = Reader::new(frame.get(HEAD..).filter(|_| frame[0] == Kind::Lost as u8)?);
    let (rank, time) = (usize::try_from(content.number()?).ok()?, content.number()?);
    Some(if time == 0 { Failure::Lost(rank) } else { Failure::Silent(rank, Duration::from_millis(time)) })
}
