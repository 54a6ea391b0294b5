//! The result of a check for machines.

use kripke_model::ir::PropertyKind;
use kripke_report::json::{self, Report};
use kripke_report::source::Lines;
use kripke_report::verdict::{Counterexample, Reason, Verdict};
use kripke_report::{coverage, screen, why};
use kripke_search::{End, Limit, Order, StoreKind, Wrong};

use super::done::Done;
use crate::args::Check;
use crate::memory;
use crate::trails::Written;

pub fn report(done: &Done, args: &Check, trail: &Written) -> Report {
    let statistics = &done.outcome.statistics;
    let reason = match &done.verdict {
        Verdict::Inconclusive(reason) => Some(reason),
        _ => None,
    };
    Report {
        kripke: env!("CARGO_PKG_VERSION"),
        schema: json::SCHEMA,
        model: done.model.name.clone(),
        language: done.model.language,
        verdict: done.verdict.word(),
        complete: matches!(done.outcome.end, End::Exhausted(_)),
        reason: reason.map(Reason::word),
        message: reason.map(|r| explain(done, r)),
        properties: properties(done, args, trail),
        states: statistics.states,
        transitions: statistics.transitions,
        depth: statistics.depth,
        state_bytes: statistics.state_bytes,
        errors: json::Errors {
            assertion: statistics.errors.assertions,
            invalid_end_state: statistics.errors.invalid_ends,
            fault: statistics.errors.faults,
            reached: statistics.errors.goals,
            property: statistics.errors.caught,
        },
        findings: findings(done),
        unreached: args.showing.unreached.then(|| unreached(done)),
        seconds: done.seconds,
        memory: json::Memory {
            peak_rss: memory::peak(),
            store: statistics.store_bytes,
            search: statistics.search_bytes,
        },
        limits: done.limits,
        options: options(done, args),
    }
}

fn explain(done: &Done, reason: &Reason) -> String {
    match reason {
        Reason::Limit(Limit::EndlessSequence(f)) => format!("{reason} ({})", Lines::new(&done.model).place(f.span)),
        _ => reason.to_string(),
    }
}

/// Safety first, then what else the model states.
fn properties(done: &Done, args: &Check, trail: &Written) -> Vec<json::Property> {
    let verdict = match &done.verdict {
        Verdict::Inconclusive(Reason::Unchecked(_)) => "holds",
        other => other.word(),
    };
    let mut out = vec![json::Property { name: "safety".to_string(), kind: "safety", verdict, trail: trail.name() }];
    if !args.looking.no_claim {
        out.extend(done.model.properties.iter().map(|p| json::Property {
            name: p.name.clone(),
            kind: match p.kind {
                PropertyKind::Ltl => "ltl",
                PropertyKind::Never => "never",
                PropertyKind::Ctl => "ctl",
                PropertyKind::Process => "process",
            },
            verdict: "inconclusive",
            trail: None,
        }));
    }
    out
}

fn findings(done: &Done) -> Vec<json::Finding> {
    let Verdict::Violated(violated) = &done.verdict else { return Vec::new() };
    let lines = Lines::new(&done.model);
    let finding = |c: &Counterexample| {
        let (message, _) = screen::headline(&done.model, c.wrong());
        let found = match c.wrong() {
            Wrong::Finding(f) => Some(f),
            Wrong::InvalidEnd | Wrong::Goal | Wrong::Caught => None,
        };
        let otherwise = match c.wrong() {
            Wrong::Goal => "reached",
            Wrong::Caught => "property",
            Wrong::Finding(_) | Wrong::InvalidEnd => "invalid_end_state",
        };
        json::Finding {
            kind: found.map_or(otherwise, |f| why::kind(&f.kind)),
            message,
            file: found.map(|f| lines.file(f.span.file).to_string()),
            line: found.map(|f| lines.of(f.span).first),
            process: found.map(|f| done.model.process(f.process).name.clone()),
            steps: c.replayed().moves().len(),
        }
    };
    std::iter::once(&violated.first).chain(&violated.others).map(finding).collect()
}

fn unreached(done: &Done) -> Vec<json::Unreached> {
    let lines = Lines::new(&done.model);
    let missed = coverage::unreached(&done.model, &done.covered).into_iter();
    missed
        .map(|m| json::Unreached {
            process: m.process,
            file: lines.file(m.line.file).to_string(),
            line: m.line.first,
            statement: m.statement,
        })
        .collect()
}

fn options(done: &Done, args: &Check) -> json::Options {
    json::Options {
        store: match done.outcome.statistics.store {
            StoreKind::Auto => "auto",
            StoreKind::Exact => "exact",
            StoreKind::Tree => "tree",
        },
        threads: done.options.workers(),
        raw: args.reading.raw,
        search: match done.options.order {
            Order::BreadthFirst => "bfs",
            Order::DepthFirst => "dfs",
        },
        engine: done.engine,
        all_errors: args.looking.all_errors(),
        claims: !args.looking.no_claim,
        assertions: args.assertions(),
        end_states: args.end_states(),
    }
}
