//! Distributed reachability: each rank searches the states that it owns, with the searches, stores and workers of one process.

use kripke_search::{Budget, End, Factory, Limit, Options, Peers, Progress, Statistics, explore, explore_part};

use crate::network::{Network, Traffic};
use crate::outcome::{Failed, Result, Searched, whole_limit};
use crate::partition;
use crate::peers::{Framing, RankPeers};
use crate::rank::Tallies;
use crate::rank_result::RankFigures;
use crate::ranks::Cluster;
use crate::transport::Failure;
use crate::wire::{Reader, put_number};

/// Searches for errors in states and transitions, level by level. Counts and errors are those of a breadth-first search of one process
/// without partial-order reduction by the open-set proviso. [`Options::threads`] is the number of workers of each rank.
pub fn reachability(
    cluster: &Cluster,
    successors: Factory<'_, '_>,
    options: &Options,
    budget: &Budget,
    progress: &Progress,
) -> Result<Searched> {
    if successors().hidden_prefix() > 0 {
        return Err(Failed::HiddenVariables);
    }
    if cluster.ranks == 1 {
        let outcome = explore(successors, options, budget, progress);
        let ranks = vec![figures(&outcome.statistics, Traffic::default())];
        return Ok(Searched { outcome, ranks });
    }
    let tallies = &Tallies::new(progress, cluster.ranks);
    let part = cluster.part_of(budget);
    let manner = (cluster.framing(), cluster.looks(options.workers()));
    let body = |net| search(net, manner, (successors, options), (&part, tallies));
    let searched = cluster.run_networks(options.workers(), body)?.into_iter().next();
    let mut searched = searched.ok_or(Failed::Contradiction("there is no rank"))?;
    if let End::Stopped(limit) = searched.outcome.end {
        searched.outcome.end = End::Stopped(whole_limit(limit, budget));
    }
    Ok(searched)
}

/// The search of one rank. All ranks get the same result.
fn search(
    net: Network,
    (framing, looks): (Framing, usize),
    (successors, options): (Factory<'_, '_>, &Options),
    (budget, tallies): (&Budget, &Tallies<'_>),
) -> std::result::Result<Searched, Failure> {
    let progress = &Progress::new();
    let peers = RankPeers::new(net, options.workers(), (framing, looks), progress, tallies);
    let mut outcome = explore_part(&peers, successors, options, budget, progress);
    let mut mine = Vec::new();
    figures(&outcome.statistics, peers.traffic()).write(&mut mine);
    // All ranks have decided for themselves how the search ends.
    let answer = format!("{:?} {:?} {:?}", outcome.end, outcome.violations, outcome.statistics.errors);
    put_number(&mut mine, partition::hash(answer.as_bytes()));
    let all =
        if matches!(outcome.end, End::Stopped(Limit::LostRank(_))) { Ok(Vec::new()) } else { peers.exchange(mine) };
    peers.finish()?;
    let read = |bytes: &Vec<u8>| {
        let mut reader = Reader::new(bytes);
        Some((RankFigures::read(&mut reader)?, reader.number()?))
    };
    let all: Vec<(RankFigures, u64)> = all.unwrap_or_default().iter().filter_map(read).collect();
    if let Some(other) = all.iter().position(|(_, answer)| *answer != all[0].1) {
        return Err(Failure::Protocol(other, "its answer is another one"));
    }
    let ranks: Vec<RankFigures> = all.into_iter().map(|(figures, _)| figures).collect();
    outcome.statistics.state_bytes = ranks.iter().map(|rank| rank.longest_state).max().unwrap_or(0);
    let Statistics { states, transitions, store_bytes, .. } = &mut outcome.statistics;
    let sum = |figure: fn(&RankFigures) -> u64| ranks.iter().map(figure).sum();
    (*states, *transitions, *store_bytes) = (sum(|r| r.states), sum(|r| r.transitions), sum(|r| r.memory));
    Ok(Searched { outcome, ranks })
}

fn figures(statistics: &Statistics, traffic: Traffic) -> RankFigures {
    let memory = statistics.store_bytes + statistics.search_bytes;
    let (states, transitions, longest_state) = (statistics.states, statistics.transitions, statistics.state_bytes);
    RankFigures { states, transitions, memory, longest_state, traffic }
}
