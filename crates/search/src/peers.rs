//! Searches of one state space by several processes, each of which owns a part of the states.
//!
//! All processes search breadth-first and are on the same level. A successor that another process owns is sent to it instead of being
//! interned. A level ends when no process has a state of it left to expand and no state is on its way; then all processes exchange what
//! they have found, and each decides from that alone how to go on, so all decide the same.

use kripke_model::{Batch, State};

use crate::budget::Limit;
use crate::outcome::Errors;

/// The other processes of a search, as one of them sees them. Worker 0 is the leader: it alone calls [`Peers::begin_level`] and
/// [`Peers::exchange`].
pub trait Peers: Sync {
    /// Whether this process owns a state. All processes agree on the owner, for ever.
    fn owns(&self, state: &State) -> bool;

    /// Appends the states that this process owns to `own`, and sends the others to their owners. `ends` are positions in `all`; they
    /// become those in `own`.
    fn route(&self, worker: usize, all: &Batch, ends: &mut [usize], own: &mut Batch) -> Routed;

    /// Appends some states that others have sent to this process, and returns whether there were any. The worker goes on until there are
    /// none before it [waits](Peers::wait).
    fn receive(&self, worker: usize, into: &mut Batch) -> bool;

    /// Whether some process can't take more states at present. Workers then receive and do not expand.
    fn is_congested(&self) -> bool;

    /// Sends and receives what waits. Other workers than the leader may leave it to another one.
    fn poll(&self, worker: usize) -> Result<(), LostPeer>;

    /// Begins a level. No worker has entered it yet.
    fn begin_level(&self);

    /// A worker begins to expand states of this level.
    fn enter(&self, worker: usize);

    /// A worker has no more states to expand. Waits until there are some to [receive](Peers::receive), and returns true, or until the
    /// level has ended in all processes.
    fn wait(&self, worker: usize) -> Result<bool, LostPeer>;

    /// Gives every process the contributions of all, in the same order. It is called between levels.
    fn exchange(&self, mine: Vec<u8>) -> Result<Vec<Vec<u8>>, LostPeer>;
}

/// States of other processes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Routed {
    /// The number of them.
    pub remote: u64,
    /// Those that were sent. The others were sent shortly before.
    pub sent: u64,
}

/// The processes can't go on together. The text says why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LostPeer(pub String);

impl From<LostPeer> for Limit {
    fn from(LostPeer(how): LostPeer) -> Limit {
        Limit::LostRank(how)
    }
}

/// What a process tells the others at the end of a level.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct LevelReport {
    /// New states of this level.
    pub new: u64,
    /// States stored, and states expanded, so far.
    pub states: u64,
    pub expanded: u64,
    /// States sent to others, and states received from others, so far.
    pub sent: u64,
    pub received: u64,
    /// Errors of this level.
    pub errors: Errors,
    /// The limit that this process has reached.
    pub limit: Option<Limit>,
    /// States of this level in which errors were found.
    pub found: Vec<Vec<u8>>,
}

impl LevelReport {
    /// The report as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let Errors { assertions, faults, invalid_ends, goals, bad_prefixes, cycles } = self.errors;
        let [kind, value] = encode_limit(self.limit.as_ref());
        let numbers = [
            self.new,
            self.states,
            self.expanded,
            self.sent,
            self.received,
            assertions,
            faults,
            invalid_ends,
            goals,
            bad_prefixes,
            cycles,
            kind,
            value,
        ];
        let mut out: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.found.iter().for_each(|state| put(&mut out, state));
        out
    }

    /// The sum of the reports of all processes. Nothing if one of them makes no sense.
    pub fn sum(all: &[Vec<u8>]) -> Option<LevelReport> {
        let mut sum = LevelReport::default();
        for report in all {
            let mut rest = &report[..];
            let mut number = || take_number(&mut rest);
            sum.new += number()?;
            sum.states += number()?;
            sum.expanded += number()?;
            sum.sent += number()?;
            sum.received += number()?;
            sum.errors.add(Errors {
                assertions: number()?,
                faults: number()?,
                invalid_ends: number()?,
                goals: number()?,
                bad_prefixes: number()?,
                cycles: number()?,
            });
            let limit = decode_limit([number()?, number()?]);
            sum.limit = sum.limit.or(limit);
            while !rest.is_empty() {
                sum.found.push(take(&mut rest)?.to_vec());
            }
        }
        Some(sum)
    }
}

/// Appends bytes with their number before them.
pub(crate) fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// Reads what [`put`] has written.
pub(crate) fn take<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(take_number(from)?).ok()?;
    let (bytes, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(bytes)
}

fn take_number(from: &mut &[u8]) -> Option<u64> {
    let (number, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(u64::from_le_bytes(*number))
}

/// A limit as two numbers.
fn encode_limit(limit: Option<&Limit>) -> [u64; 2] {
    match limit {
        None => [0, 0],
        Some(Limit::Depth(depth)) => [1, u64::from(*depth)],
        Some(Limit::States(states)) => [2, *states],
        Some(Limit::Memory(bytes)) => [3, *bytes],
        Some(Limit::Time) => [4, 0],
        Some(Limit::StateNumbers) => [5, 0],
        Some(_) => [6, 0],
    }
}

fn decode_limit([kind, value]: [u64; 2]) -> Option<Limit> {
    Some(match kind {
        0 => return None,
        1 => Limit::Depth(u32::try_from(value).unwrap_or(u32::MAX)),
        2 => Limit::States(value),
        3 => Limit::Memory(value),
        4 => Limit::Time,
        5 => Limit::StateNumbers,
        _ => Limit::Interrupted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_added() {
        let one = LevelReport {
            new: 1,
            sent: 2,
            errors: Errors { goals: 3, ..Errors::default() },
            found: vec![vec![7, 8], Vec::new()],
            ..LevelReport::default()
        };
        let two =
            LevelReport { new: 10, limit: Some(Limit::States(5)), found: vec![vec![9]], ..LevelReport::default() };
        let sum = LevelReport::sum(&[one.encode(), two.encode()]).expect("reports");
        assert_eq!((sum.new, sum.sent, sum.errors.goals, sum.limit), (11, 2, 3, Some(Limit::States(5))));
        assert_eq!(sum.found, [vec![7, 8], Vec::new(), vec![9]]);
        let mut cut = one.encode();
        cut.pop();
        assert_eq!(LevelReport::sum(&[cut]), None);
        assert_eq!(LevelReport::sum(&[vec![1; 20]]), None);
    }
}
