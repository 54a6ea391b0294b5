//! The results of ranks that are processes: every process gets those of all, so that all come to the same outcome.
//!
//! A proof needs the states of all ranks. They are copied to every process, which checks the certificate for itself.

use kripke_search::{Progress, Snapshot};

use crate::cycles::Found;
use crate::network::Network;
use crate::partition::hash;
use crate::rank_result::{RankFigures, RankResult};
use crate::state_table::StateTable;
use crate::transport::Failure;
use crate::transport::mpi::World;
use crate::wire::{Reader, put_bytes, put_number};

/// Bytes of states that all processes together send at once, and the least that one sends. Rank 0 has a copy for each process.
const ALL_BYTES: usize = 1 << 20;
const LEAST_BYTES: usize = 4 << 10;

type OneResult = RankResult<Found>;

/// Gives every process the results of all.
pub(crate) fn share(world: &World, own: OneResult, progress: &Progress) -> Result<Vec<OneResult>, Failure> {
    let mut net = world.network();
    let mut summary = Vec::new();
    own.figures.write(&mut summary);
    let summaries = net.gather(summary)?;
    let states = match &own.answer {
        Ok(Found::NoCycle(numbers)) => copy_states(&mut net, &own.table, numbers)?,
        _ => (0..net.ranks()).map(|_| States::default()).collect(),
    };
    net.finish()?;
    let (rank, answer) = (net.rank(), own.answer.clone());
    let (mut own, mut results) = (Some(own), Vec::new());
    for (from, (bytes, (table, numbers))) in summaries.iter().zip(states).enumerate() {
        if let Some(own) = own.take_if(|_| from == rank) {
            results.push(own);
            continue;
        }
        let figures = RankFigures::read(&mut Reader::new(bytes));
        let figures = figures.ok_or(Failure::Protocol(from, "its summary is damaged"))?;
        let answer = match &answer {
            Ok(Found::NoCycle(_)) => Ok(Found::NoCycle(numbers)),
            other => other.clone(),
        };
        results.push(RankResult { table, figures, answer });
    }
    report(&results, progress);
    Ok(results)
}

/// Writes the final counters of all ranks.
fn report(results: &[OneResult], progress: &Progress) {
    let sum = |of: fn(&RankFigures) -> u64| results.iter().map(|result| of(&result.figures)).sum();
    let (states, transitions, bytes) = (sum(|f| f.states), sum(|f| f.transitions), sum(|f| f.memory));
    progress.set(Snapshot { states, transitions, bytes, ..progress.snapshot() });
}

/// The states of one rank with their numbers in the certificate.
type States = (StateTable, Vec<u64>);

/// Copies the states of all ranks to this process, but for its own.
fn copy_states(net: &mut Network, own: &StateTable, numbers: &[u64]) -> Result<Vec<States>, Failure> {
    let mut all: Vec<States> = (0..net.ranks()).map(|_| (StateTable::new(), Vec::new())).collect();
    let most = (ALL_BYTES / net.ranks()).max(LEAST_BYTES);
    let mut next = 0;
    loop {
        let mut chunk = Vec::new();
        while next < own.len() && chunk.len() < most {
            put_bytes(&mut chunk, own.get(next as u32));
            put_number(&mut chunk, numbers.get(next).copied().unwrap_or(u64::MAX));
            next += 1;
        }
        let chunks = net.gather(chunk)?;
        if chunks.iter().all(Vec::is_empty) {
            return Ok(all);
        }
        for (from, chunk) in chunks.iter().enumerate().filter(|(from, _)| *from != net.rank()) {
            take_states(chunk, &mut all[from]).ok_or(Failure::Protocol(from, "its states are damaged"))?;
        }
    }
}

fn take_states(chunk: &[u8], (table, numbers): &mut States) -> Option<()> {
    let mut reader = Reader::new(chunk);
    while let Some(state) = reader.bytes() {
        table.intern(state, hash(state)).filter(|(_, new)| *new)?;
        numbers.push(reader.number()?);
    }
    reader.rest().is_empty().then_some(())
}
