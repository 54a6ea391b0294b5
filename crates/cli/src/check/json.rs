//! The result of a check for machines.

use kripke::answer::{Answer, Results};
use kripke::layers::state_bits;
use kripke::memory;
use kripke::request::Request;
use kripke::survey::Surveyed;
use kripke::task::Kind;
use kripke_report::evidence::Words;
use kripke_report::json::{self, Report};
use kripke_report::source::Lines;
use kripke_report::verdict::{Reason, Verdict};
use kripke_report::{coverage, screen, survey};
use kripke_search::{End, Errors, Fairness, Limit, Order, Place, Statistics, StoreKind};

use super::cases;
use super::screen::Done;
use crate::args::Check;
use crate::trails::Written;

pub fn report(done: &Done, args: &Check) -> Report {
    let (results, request) = (&done.results, args.request());
    let (first, decisive) = (&results.answers[0], results.decisive());
    let statistics = &first.outcome.statistics;
    let reason = match &decisive.verdict {
        Verdict::Inconclusive(reason) => Some(reason),
        _ => None,
    };
    let sum = |of: fn(&Errors) -> u64| results.answers.iter().map(|a| of(&a.outcome.statistics.errors)).sum();
    Report {
        kripke: env!("CARGO_PKG_VERSION"),
        schema: json::SCHEMA,
        model: results.model.name.clone(),
        language: results.model.language.clone(),
        verdict: decisive.verdict.word(),
        complete: results.answers.iter().all(|a| matches!(a.outcome.end, End::Exhausted(_))),
        reason: reason.map(Reason::word),
        message: reason.map(|r| explain(results, r)),
        properties: done.answers().map(|(answer, trail)| property(results, answer, trail, &request)).collect(),
        states: statistics.states,
        transitions: statistics.transitions,
        missed: statistics.omissions.map(|m| json::Missed {
            states: m.states,
            at_most: m.at_most,
            coverage: m.coverage,
        }),
        swarm: statistics.swarm.map(|s| json::Swarm {
            searches: s.searches,
            finished: s.finished,
            coverage: s.coverage,
        }),
        depth: statistics.depth,
        state_bytes: statistics.state_bytes,
        state_bits: state_bits(&first.searched, first.values.as_ref()),
        errors: json::Errors {
            assertion: sum(|e| e.assertions),
            invalid_end_state: sum(|e| e.invalid_ends),
            fault: sum(|e| e.faults),
            reached: sum(|e| e.goals),
            property: sum(|e| e.bad_prefixes + e.cycles),
        },
        findings: results.answers.iter().flat_map(cases::findings).collect(),
        unreached: (args.showing.unreached && !unrecorded(&results.answers[0])).then(|| unreached(results)),
        dead: told(results, args).map(|answer| dead(results, answer)),
        state_space: surveyed(done).filter(|_| args.statistics.statistics).map(|s| s.survey.clone()),
        profile: surveyed(done)
            .filter(|_| args.statistics.profile)
            .map(|s| survey::profile(&results.model, &s.executions)),
        ranges: surveyed(done).filter(|_| args.statistics.ranges).map(|s| s.ranges.clone()),
        cut: results.cuts.iter().map(cut).collect(),
        seconds: json::Seconds { cpu: done.cpu, ..results.seconds },
        memory: json::Memory {
            peak_rss: memory::peak(),
            store: statistics.store_bytes,
            search: statistics.search_bytes,
        },
        stores: stores(statistics),
        cache: statistics.cache.map(|c| json::Cache {
            slots: c.slots,
            replaced: c.replaced,
            revisits: c.revisits,
            probes: c.probes,
        }),
        limits: super::limits(&results.limits),
        options: options(first, args),
    }
}

fn explain(results: &Results, reason: &Reason) -> String {
    match reason {
        Reason::Limit(Limit::EndlessSequence(f)) => format!("{reason} ({})", Lines::new(&results.model).place(f.span)),
        _ => reason.to_string(),
    }
}

fn property(results: &Results, answer: &Answer, trail: &Written, request: &Request) -> json::Property {
    let statistics = &answer.outcome.statistics;
    json::Property {
        name: answer.task.name.clone(),
        kind: answer.task.kind.word(),
        verdict: answer.verdict.word(),
        undecided: undecided(answer),
        vacuous: answer.vacuity.as_ref().map(ToString::to_string),
        trail: trail.name(),
        evidence: evidence(answer),
        fairness: Some(answer.fairness()).filter(|fairness| *fairness != Fairness::None).map(Fairness::word),
        checked: [(answer.search.assertions, "assertions"), (answer.search.end_states, "end_states"), (true, "faults")]
            .into_iter()
            .filter_map(|(checked, what)| checked.then_some(what))
            .collect(),
        not_checked: results.not_checked_by(answer),
        states: statistics.states,
        transitions: statistics.transitions,
        seconds: answer.elapsed.as_secs_f64(),
        ranks: answer.ranks.clone(),
        plan: answer.decisions(request),
    }
}

/// Why a property has no answer though something was found.
fn undecided(answer: &Answer) -> Option<&'static str> {
    let Verdict::Violated(violated) = &answer.verdict else { return None };
    (answer.task.kind != Kind::Safety && screen::is_fault(violated.first.error())).then_some("fault")
}

fn evidence(answer: &Answer) -> Option<json::Evidence> {
    let (tree, wording) = (answer.tree.as_ref()?, answer.wording()?);
    let spot = |place: Place| json::Spot { run: place.run, step: tree.steps(place) };
    let runs = tree.evidence().runs.iter().zip(tree.runs()).map(|(run, replayed)| json::EvidenceRun {
        shows: wording.claim(run.shows),
        from: spot(run.leaves.unwrap_or(Place { run: 0, steps: 0 })),
        steps: replayed.moves().len(),
        cycle: replayed.cycle(),
    });
    let open = tree.evidence().open.iter();
    let open = open.map(|(place, claim)| json::Open { claim: wording.claim(*claim), at: spot(*place) });
    Some(json::Evidence { runs: runs.collect(), open: open.collect() })
}

/// Whether the search has not recorded the statements that it has executed.
pub(super) fn unrecorded(answer: &Answer) -> bool {
    answer.left_out && answer.gpu.as_ref().is_some_and(|used| used.device.is_ok())
}

fn unreached(results: &Results) -> Vec<json::Unreached> {
    let lines = Lines::new(&results.model);
    let missed = coverage::unreached(&results.model, &results.answers[0].covered).into_iter();
    missed
        .map(|m| json::Unreached {
            process: m.process,
            file: lines.file(m.line.file).to_string(),
            line: m.line.first,
            statement: m.statement,
        })
        .collect()
}

/// The search that tells dead parts: a complete one for safety errors, or the first if the user asks for unreached statements.
fn told<'r>(results: &'r Results, args: &Check) -> Option<&'r Answer> {
    let safety = results.answers.iter().find(|answer| answer.task.kind == Kind::Safety);
    let answer = safety.or(results.answers.first().filter(|_| args.showing.unreached))?;
    let certain = !answer.left_out && matches!(answer.outcome.end, End::Exhausted(_));
    Some(answer).filter(|_| certain && args.request().coverage)
}

fn dead(results: &Results, answer: &Answer) -> Vec<json::Dead> {
    let lines = Lines::new(&results.model);
    let dead = coverage::dead(&results.model, &answer.covered).into_iter();
    dead.map(|d| json::Dead {
        kind: d.kind.word(),
        file: lines.file(d.line.file).to_string(),
        line: d.line.first,
        statement: d.statement,
    })
    .collect()
}

fn surveyed(done: &Done) -> Option<&Surveyed> {
    done.surveyed.as_ref()
}

fn cut(cut: &kripke::overflow::Cut) -> json::Cut {
    json::Cut { message: cut.message.clone(), file: cut.file.clone(), line: cut.line }
}

/// Each store that was used, and how many states there were when it came into use.
fn stores(statistics: &Statistics) -> Vec<json::Store> {
    let since = std::iter::once(0).chain(statistics.migrations.iter().map(|change| change.states));
    let used = statistics.migrations.iter().map(|change| change.from).chain([statistics.store]);
    used.zip(since).map(|(store, since)| json::Store { store: store.word(), since }).collect()
}

fn options(done: &Answer, args: &Check) -> json::Options {
    let store = done.outcome.statistics.store;
    json::Options {
        store: store.word(),
        bits: match store {
            StoreKind::Hash { bits } => Some(bits),
            StoreKind::Bitstate(size) => Some(size.logarithm()),
            _ => None,
        },
        hashes: match store {
            StoreKind::Bitstate(size) => Some(size.hashes),
            _ => None,
        },
        compact: args.searching.compact,
        threads: done.search.workers(),
        raw: args.reading.raw,
        reductions: done.reductions().map(|(name, _)| name).collect(),
        partial_order: match (done.search.reduces, done.no_partial_order) {
            (true, _) => "on".to_string(),
            (false, Some(why)) => format!("off: {why}"),
            (false, None) => "off: not wanted".to_string(),
        },
        symmetry: match &done.symmetry {
            Some(Ok(_)) => "on".to_string(),
            Some(Err(reasons)) => format!("off: {}", reasons.join("; ")),
            None => "off: not wanted".to_string(),
        },
        interchangeable: match &done.symmetry {
            Some(Ok(symmetry)) => symmetry.descriptions.clone(),
            _ => Vec::new(),
        },
        audited: done.audited,
        search: match done.search.order {
            Order::BreadthFirst => "bfs",
            Order::DepthFirst => "dfs",
        },
        engine: done.engine,
        all_errors: args.looking.all_errors(),
        claims: !args.looking.no_claim,
        assertions: !args.looking.no_assertions,
        end_states: !args.looking.no_end_states,
    }
}
