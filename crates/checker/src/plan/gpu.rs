//! What a search on a GPU excludes.
//!
//! | | on a GPU |
//! |---|---|
//! | reachability | level by level, in an exact table in the memory of the device |
//! | accepting cycles | the same search, then OWCTY on the states in that table |
//! | fair cycles, all cycles, several acceptance sets, CTL, hidden variables | by the processor |
//! | partial-order reduction | none: the device expands states in full |
//! | simplification, merging | as otherwise: they are passes over the model |
//! | symmetry, state codec, interpreter | by the processor only |

use kripke_search::{Algorithm, Fairness, Options, Order, StoreKind};

use super::{Facts, HIDDEN, Note, QuestionFacts, Refusal, Rule, Target};
use crate::request::{Engine, Gpu, Request};

/// States of at most so many bits are searched by a GPU.
pub(super) const MOST_BITS: u32 = crate::layers::MOST_PORTABLE_BITS;

/// Why there is no partial-order reduction.
pub(super) const NO_PARTIAL_ORDER: &str = "--gpu: the device expands states in full";

/// Options that contradict a search on a GPU, whatever the model.
pub(super) fn rules(request: &Request) -> Vec<Rule> {
    let search = &request.search;
    let (gpu, store) = (search.gpu.is_some(), &search.store);
    let others = store.lossy || store.swarm.is_some() || store.change_at.is_some();
    let suits = matches!(store.kind, None | Some(StoreKind::Auto | StoreKind::Words)) && !others;
    let distributed = search.ranks.is_some() || search.distributed.is_some();
    vec![
        ("--gpu", gpu && distributed, "ranks search on processors: leave out --ranks and distributed --cycles"),
        ("--gpu", gpu && !suits, "states are in the memory of the device: leave out --store"),
        (
            "--gpu",
            gpu && search.order == Some(Order::DepthFirst),
            "a GPU searches level by level: leave out --search dfs",
        ),
        (
            "--gpu",
            gpu && search.algorithm != Algorithm::Auto,
            "a GPU finds accepting cycles by OWCTY: leave out --cycles",
        ),
        ("--gpu", gpu && search.compact, "states are in words on a GPU: leave out --compact"),
        ("--gpu", gpu && search.engine == Engine::Interpret, "a GPU executes compiled models: leave out --engine"),
        ("--gpu", gpu && request.reductions.symmetry, "symmetry reduction is done by processors: leave out --symmetry"),
        (
            "--gpu",
            gpu && request.reductions.audit.is_some(),
            "there is no partial-order reduction to audit: leave out --audit",
        ),
    ]
}

/// What depends on the questions: refusals, and notes about questions that the processor answers.
pub(super) fn effects(request: &Request, facts: &Facts) -> Result<Vec<Note>, Refusal> {
    let Some(gpu) = request.search.gpu else { return Ok(Vec::new()) };
    let others: Vec<&QuestionFacts> = facts.questions.iter().filter(|q| obstacle(request, q).is_some()).collect();
    let names: Vec<&str> = others.iter().map(|question| &*question.name).collect();
    let reason = match others.first().and_then(|question| obstacle(request, question)) {
        _ if facts.hidden => format!("no effect: {HIDDEN}"),
        None => return Ok(Vec::new()),
        Some(why) => format!("no effect on {}: {why}", names.join(", ")),
    };
    let nothing = facts.hidden || others.len() == facts.questions.len();
    match gpu {
        Gpu::Require => Err(Refusal { option: "--gpu=require", reason }),
        Gpu::Prefer if nothing && !facts.hidden => Err(Refusal { option: "--gpu", reason }),
        Gpu::Prefer => Ok(vec![Note { option: "--gpu", reason }]),
    }
}

/// Why the processor answers a question.
fn obstacle(request: &Request, question: &QuestionFacts) -> Option<&'static str> {
    match question.target {
        Target::State => None,
        Target::Ctl(_) => Some("the processor evaluates CTL"),
        Target::Cycle(_) if request.questions.fairness != Fairness::None => {
            Some("the processor searches for fair cycles")
        }
        Target::Cycle(_) if request.errors.all => Some("the processor searches for all cycles (--all-errors)"),
        Target::Cycle(0) => None,
        Target::Cycle(_) => Some("the processor searches for cycles with several acceptance sets"),
    }
}

/// Whether a GPU searches for the answer to a question.
pub(super) fn gpu(request: &Request, facts: &Facts, question: &QuestionFacts) -> Option<Gpu> {
    request.search.gpu.filter(|_| obstacle(request, question).is_none() && !facts.hidden)
}

/// The options of a search on a GPU, also if the processor takes its place.
pub(super) fn options(search: Options) -> Options {
    Options { order: Order::BreadthFirst, probe: false, ..search }
}
