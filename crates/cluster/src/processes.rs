//! The results of ranks that are processes: every process gets those of all, so that all come to the same outcome.
//!
//! A proof needs the states of all ranks. They are copied to every process, which checks the certificate for itself.

use std::time::Duration;

use kripke_search::{Progress, Snapshot};

use crate::cycles::Found;
use crate::network::{Network, Traffic};
use crate::partition::hash;
use crate::rank_result::{RankFigures, RankResult};
use crate::state_table::StateTable;
use crate::transport::Failure;
use crate::transport::mpi::World;
use crate::wire::{Reader, put_bytes, put_number};

/// Bytes of states that a process sends at once.
const CHUNK: usize = 1 << 20;

type OneResult = RankResult<Found>;

/// Gives every process the results of all.
pub(crate) fn share(world: &World, own: OneResult, progress: &Progress) -> Result<Vec<OneResult>, Failure> {
    let mut net = world.network();
    let summaries = net.gather(summary(&own.figures))?;
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
        let figures = read_summary(bytes).ok_or(Failure::Protocol(from, "its summary is damaged"))?;
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
    let mut next = 0;
    loop {
        let mut chunk = Vec::new();
        while next < own.len() && chunk.len() < CHUNK {
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

fn summary(figures: &RankFigures) -> Vec<u8> {
    let RankFigures { states, transitions, memory, longest_state, traffic } = figures;
    let Traffic { records, frames, bytes, idle } = *traffic;
    let mut out = Vec::new();
    let numbers = [*states, *transitions, *memory, *longest_state, records, frames, bytes, idle.as_micros() as u64];
    numbers.iter().for_each(|number| put_number(&mut out, *number));
    out
}

fn read_summary(bytes: &[u8]) -> Option<RankFigures> {
    let mut reader = Reader::new(bytes);
    let mut number = || reader.number();
    let (states, transitions, memory, longest_state) = (number()?, number()?, number()?, number()?);
    let traffic =
        Traffic { records: number()?, frames: number()?, bytes: number()?, idle: Duration::from_micros(number()?) };
    Some(RankFigures { states, transitions, memory, longest_state, traffic })
}
