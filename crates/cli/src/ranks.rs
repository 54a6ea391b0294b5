//! Searches over several ranks: threads of this process, or processes.

use kripke::distributed::{DistributedSearch, Searched, Work};
use kripke_cluster::{Algorithm, Components, Failed, RankFigures, accepting_cycles, reachability};
use kripke_report::json;
use kripke_search::{End, Limit, Outcome};

use crate::cluster;

/// The ranks of this process.
#[derive(Debug)]
pub struct Ranks;

impl DistributedSearch for Ranks {
    fn search(&self, work: &Work<'_, '_>) -> Result<Searched, String> {
        let Work { ranks, successors, interpreter, options, budget, progress } = work;
        let cluster = cluster::ranks(ranks.number.into());
        let searched = match ranks.algorithm {
            None => reachability(&cluster, *successors, options, budget, progress),
            Some(name) => {
                let algorithm = Algorithm::named(name).ok_or_else(|| format!("no algorithm is called {name}"))?;
                let components = Components::of(interpreter);
                let ranks = (&cluster, algorithm, components.as_ref());
                accepting_cycles(ranks, *successors, options, budget, progress)
            }
        };
        match searched {
            Ok(searched) => {
                Ok(Searched { outcome: searched.outcome, ranks: searched.ranks.iter().map(figures).collect() })
            }
            Err(Failed::Network(failure)) => {
                cluster::report_failure(&failure);
                let end = End::Stopped(Limit::LostRank(failure.to_string()));
                Ok(Searched { outcome: Outcome { end, ..Outcome::nothing() }, ranks: Vec::new() })
            }
            Err(failed) => Err(failed.to_string()),
        }
    }

    fn share_coverage(&self, covered: &mut [Vec<bool>], left_out: &mut bool) -> Result<(), Limit> {
        cluster::share_coverage(covered, left_out).map_err(|failure| {
            cluster::report_failure(&failure);
            Limit::LostRank(failure.to_string())
        })
    }
}

fn figures(rank: &RankFigures) -> json::Rank {
    json::Rank {
        states: rank.states,
        transitions: rank.transitions,
        memory: rank.memory,
        messages: rank.traffic.records,
        frames: rank.traffic.frames,
        bytes: rank.traffic.bytes,
        idle: rank.traffic.idle.as_secs_f64(),
    }
}
