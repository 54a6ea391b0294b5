//! A part of a breadth-first search that several processes do together: see [`crate::peers`].

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::error_collector::LevelFindings;
use super::worker::Worker;
use super::{
    Factory, Options, Order, PartialTrail, Search, StoreKind, bfs, conclude_levels, exact_store, max_depth, word_bits,
};
use crate::budget::{Budget, Limit};
use crate::outcome::Outcome;
use crate::peers::{LevelReport, LostPeer, Peers};
use crate::progress::Progress;
use crate::store::{Handle, Queue, Seen, StateWord, Store, TreeStore, WordStore};

/// How long a worker waits while a receiver does not keep up.
const CONGESTED: Duration = Duration::from_micros(50);

/// Explores the part of the states that this process owns, together with its [`Peers`]: breadth-first, in an exact store, for errors in
/// states and transitions. The end, the violations and the number of errors are those of the whole search; the other statistics are
/// those of this part.
///
/// # Panics
/// If the options demand what needs all states in one process: another order, a lossy store, cycles, CTL, or states with a
/// [hidden prefix](kripke_model::Representation::hidden_prefix). Partial-order reduction needs a cycle proviso that depends on the state
/// alone, so that no successor is postponed.
pub fn explore_part(
    peers: &dyn Peers,
    successors: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> Outcome {
    let plain = options.cycles.is_none() && options.ctl.is_none() && !options.store.is_lossy();
    assert!(plain && options.order == Order::BreadthFirst, "a part is searched breadth-first and without omissions");
    assert_eq!(successors().hidden_prefix(), 0, "states are stored in full");
    let (capacity, workers) = (budget.capacity(), options.workers());
    let bits = match options.store {
        StoreKind::Auto | StoreKind::Words => word_bits(successors, options),
        _ => None,
    };
    let store = match options.store {
        _ if bits.is_some() => StoreKind::Words,
        StoreKind::Tree => StoreKind::Tree,
        _ => StoreKind::Exact,
    };
    let options = &Options { store, probe: false, ..options.clone() };
    match bits {
        Some(bits) if bits <= <u64 as StateWord>::MAX_BITS => {
            let store = WordStore::<u64>::new(bits, capacity, workers);
            search_part(&Search { peers: Some(peers), ..Search::new(&store, options, budget, progress) }, successors)
        }
        Some(bits) => {
            let store = WordStore::<u128>::new(bits, capacity, workers);
            search_part(&Search { peers: Some(peers), ..Search::new(&store, options, budget, progress) }, successors)
        }
        None if store == StoreKind::Tree => {
            let store = TreeStore::new(capacity, workers).with_words(successors().word_bits());
            search_part(&Search { peers: Some(peers), ..Search::new(&store, options, budget, progress) }, successors)
        }
        None => {
            let store = exact_store(successors, options, budget);
            search_part(&Search { peers: Some(peers), ..Search::new(&store, options, budget, progress) }, successors)
        }
    }
}

fn search_part<S: Store>(search: &Search<'_, S>, factory: Factory<'_, '_>) -> Outcome {
    let mut levels = bfs::run(search, factory, max_depth(search.budget), true);
    let (mut outcome, trails) = conclude_levels(search, &mut levels);
    let trails = trails.into_iter().filter(PartialTrail::is_done);
    outcome.violations.extend(trails.map(PartialTrail::finish));
    outcome
}

/// Sends what waits to the other processes, and interns the states that they have sent.
pub(super) fn exchange_states<S: Store>(
    peers: &dyn Peers,
    worker: &mut Worker<'_, '_, S>,
    next: &mut S::Queue,
) -> Result<(), Limit> {
    loop {
        peers.poll(worker.number())?;
        while worker.receive(peers, |seen| push(seen, next))? {}
        if !peers.is_congested() {
            return Ok(());
        }
        std::thread::sleep(CONGESTED);
    }
}

/// Takes states of other processes until the level has ended everywhere.
pub(super) fn end_level<S: Store>(search: &Search<'_, S>, worker: &mut Worker<'_, '_, S>, next: &mut S::Queue) {
    let Some(peers) = search.peers else { return };
    loop {
        loop {
            match worker.receive(peers, |seen| push(seen, next)) {
                Ok(true) => {}
                Ok(false) => break,
                Err(limit) => search.stop(limit),
            }
        }
        // Tables can be resized while this worker waits.
        worker.handle.leave();
        let arrived = peers.wait(worker.number());
        worker.handle.enter();
        match arrived {
            Ok(true) => {}
            Ok(false) => return,
            Err(lost) => return search.stop(lost.into()),
        }
    }
}

fn push(seen: Seen, next: &mut impl Queue) {
    if seen.new {
        next.push(seen.id);
    }
}

/// What all processes together have found on a level.
pub(super) struct Agreement {
    /// The number of states of the next level.
    pub open: u64,
    pub findings: Vec<LevelFindings>,
    pub limit: Option<Limit>,
}

/// Tells the other processes what this one has found on a level, and learns what all have found. Errors are found again in every
/// process, by expanding their states, so all choose the same.
pub(super) fn agree<S: Store>(
    search: &Search<'_, S>,
    peers: &dyn Peers,
    leader: &mut Worker<'_, '_, S>,
    open: u64,
    findings: Vec<LevelFindings>,
) -> Result<Agreement, Limit> {
    let limit = search.take_limit();
    if let Some(limit @ Limit::LostRank(_)) = limit {
        return Err(limit);
    }
    let mut report = LevelReport {
        new: open,
        states: search.store.len(),
        expanded: search.expanded(),
        sent: search.tallies.iter().map(|tally| tally.sent.load(Ordering::Relaxed)).sum(),
        received: search.tallies.iter().map(|tally| tally.received.load(Ordering::Relaxed)).sum(),
        limit,
        ..LevelReport::default()
    };
    for level in findings {
        let (errors, states) = level.into_states();
        report.errors.add(errors);
        report.found.extend(states);
    }
    let all = LevelReport::sum(&peers.exchange(report.encode())?).ok_or(LostPeer("a report makes no sense".into()))?;
    let lost = all.sent != all.received || all.limit.is_none() && all.new == 0 && all.states != all.expanded;
    if lost {
        return Err(LostPeer("states were lost between the ranks".into()).into());
    }
    let most = search.budget.max_states.filter(|most| all.states > *most).map(Limit::States);
    let findings = LevelFindings::counted(all.errors, leader.inspect_again(&all.found));
    Ok(Agreement { open: all.new, findings: vec![findings], limit: all.limit.or(most) })
}
