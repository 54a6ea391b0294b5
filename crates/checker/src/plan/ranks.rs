//! What a search over several ranks excludes.
//!
//! | | over ranks |
//! |---|---|
//! | reachability | level by level; several workers for each rank; any store that omits no state |
//! | cycles | the distributed algorithms, by one thread for each rank, with complete states, without fairness and one cycle at a time |
//! | depth limit of a search for cycles | the algorithms that search level by level |
//! | CTL, hidden variables | by one process |
//! | partial-order reduction | with the static cycle proviso, also for safety: the open-set proviso needs one open set, and ranks have one each |
//! | simplification, merging, symmetry, state codec | as otherwise: they are part of the successor generator |

use kripke_reduce::por::Preserve;
use kripke_search::{Algorithm, Fairness, Options, Order, StoreKind};

use super::{Facts, HIDDEN, Note, QuestionFacts, Refusal, Rule, Target};
use crate::request::Request;

/// Ample sets with the static cycle proviso, whatever the question: it depends on the state alone, so all ranks see one reduced graph
/// (`crates/reduce/src/por/cycle_proviso.rs`). The open-set proviso needs one open set, and every rank has its own.
pub(super) fn partial_order(alone: Result<Preserve, &'static str>) -> Result<Preserve, &'static str> {
    alone.map(|_| Preserve::StutterLtl)
}

/// The algorithm for accepting cycles if the user names none, and the reason. OWCTY is linear in the number of states if the property
/// automaton is weak: one elimination decides. If it is not, no algorithm is; negative cycle detection has then taken about as long as
/// OWCTY where there was no accepting cycle, and found one before all states were known (`bench/RESULTS.md`, "Ranks").
fn default_algorithm(question: &QuestionFacts, has_depth: bool) -> (&'static str, &'static str) {
    match question.weak {
        true => ("owcty", "linear in the states, since the property automaton is weak"),
        false if has_depth => ("owcty", "searches level by level, as --max-depth requires"),
        false => ("ncd", "finds cycles early; the property automaton is not weak, so no algorithm is linear"),
    }
}

/// The algorithms that explore all states level by level first, so that they know the depth of a state.
const BY_LEVELS: [&str; 4] = ["owcty", "owcty-reversed", "ble", "deps"];

/// The ranks of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ranks {
    /// The number of ranks.
    pub number: u16,
    /// The distributed algorithm for accepting cycles, if the question is about cycles.
    pub algorithm: Option<&'static str>,
    /// Why it is this one.
    pub reason: &'static str,
}

/// Options that contradict a search over ranks, whatever the model.
pub(super) fn rules(request: &Request) -> Vec<Rule> {
    let search = &request.search;
    let ranks = search.ranks.is_some();
    let is_distributed = ranks || search.distributed.is_some();
    let option = if ranks { "--ranks" } else { "--cycles" };
    let store = &search.store;
    let whole =
        matches!(store.kind, None | Some(StoreKind::Auto | StoreKind::Words | StoreKind::Exact | StoreKind::Tree));
    let others = store.lossy || store.swarm.is_some() || store.change_at.is_some();
    vec![
        (
            option,
            is_distributed && (!whole || others),
            "the store of a rank neither omits states nor migrates: use --store auto, words, exact or tree",
        ),
        (
            "--ranks",
            ranks && search.order == Some(Order::DepthFirst),
            "ranks search level by level: leave out --search dfs",
        ),
        ("--audit", is_distributed && request.reductions.audit.is_some(), "one process audits partial-order reduction"),
        (
            "--cycles",
            ranks && search.distributed.is_none() && search.algorithm != Algorithm::Auto,
            "this algorithm is one for a single process: with --ranks, use a distributed one",
        ),
    ]
}

/// What depends on the questions: refusals, and notes about questions that one process answers.
pub(super) fn effects(request: &Request, facts: &Facts) -> Result<Vec<Note>, Refusal> {
    let has_ranks = request.search.ranks.is_some();
    let option = if has_ranks { "--ranks" } else { "--cycles" };
    let note = |reason: String| Note { option, reason };
    let refuse = |reason: &str| Err(Refusal { option, reason: reason.to_string() });
    if !has_ranks && request.search.distributed.is_none() {
        return Ok(Vec::new());
    }
    if facts.hidden {
        return Ok(vec![note(format!("no effect: {HIDDEN}"))]);
    }
    let cycles = facts.questions.iter().any(|question| matches!(question.target, Target::Cycle(_)));
    if cycles && request.questions.fairness != Fairness::None {
        return refuse(
            "the distributed algorithms do not decide fairness, which is a property of whole components: leave out --fair, or use \
             an algorithm for one process",
        );
    }
    if cycles && request.errors.all {
        return refuse("the distributed algorithms stop at the first cycle, but all errors are to be counted");
    }
    if let Some(named) = request.search.distributed.filter(|named| cycles && !BY_LEVELS.contains(named))
        && request.limits.max_depth.is_some()
    {
        let reason = format!("{named} does not search level by level: use --cycles {}", BY_LEVELS.join(", "));
        return Err(Refusal { option: "--max-depth", reason });
    }
    if !has_ranks {
        return Ok(Vec::new());
    }
    let is_ctl = |question: &&QuestionFacts| matches!(question.target, Target::Ctl(_));
    let ctl: Vec<&str> = facts.questions.iter().filter(is_ctl).map(|question| &*question.name).collect();
    if ctl.len() == facts.questions.len() {
        return refuse("CTL formulas are evaluated by one process");
    }
    let only_some = format!("no effect on {}: CTL formulas are evaluated by one process", ctl.join(", "));
    Ok(if ctl.is_empty() { Vec::new() } else { vec![note(only_some)] })
}

/// The number of ranks. A distributed algorithm that is named without `--ranks` has one for each thread: the ranks of a process share
/// its memory, and each owns a part of the states (J. Barnat, L. Brim and P. Ročkai, "Scalable multi-core LTL model-checking", SPIN
/// 2007).
fn number(request: &Request, is_cycle: bool) -> Option<u16> {
    let threads = || request.search.threads.unwrap_or_else(|| u16::try_from(Options::default().workers()).unwrap_or(1));
    let shared = request.search.distributed.filter(|_| is_cycle);
    request.search.ranks.or_else(|| shared.map(|_| threads().max(1)))
}

/// The ranks that search for the answer to a question.
pub(super) fn ranks(request: &Request, facts: &Facts, question: &QuestionFacts) -> Option<Ranks> {
    let is_cycle = matches!(question.target, Target::Cycle(_));
    let number = number(request, is_cycle).filter(|_| !facts.hidden)?;
    let (algorithm, reason) = match (&question.target, request.search.distributed) {
        (Target::State, _) => (None, ""),
        (Target::Cycle(_), Some(named)) => (Some(named), "--cycles"),
        (Target::Cycle(_), None) => {
            let (algorithm, reason) = default_algorithm(question, request.limits.max_depth.is_some());
            (Some(algorithm), reason)
        }
        (Target::Ctl(_), _) => return None,
    };
    Some(Ranks { number, algorithm, reason })
}

/// The options of the search of a rank. The processors are shared among ranks.
pub(super) fn options(search: Options, ranks: Ranks) -> Options {
    let each = || Options { threads: None, ..Options::default() }.workers() / usize::from(ranks.number.max(1));
    let threads = match ranks.algorithm {
        Some(_) => 1,
        None => search.threads.unwrap_or_else(each).max(1),
    };
    let store = if ranks.algorithm.is_some() { StoreKind::Exact } else { search.store };
    Options { store, order: Order::BreadthFirst, threads: Some(threads), probe: false, ..search }
}
