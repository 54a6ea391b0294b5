//! The plan: every decision that could make an answer wrong, in one place.
//!
//! [`Plan::resolve`] takes what the user wants (a [`Request`]) and what the model has ([`Facts`]) and gives, for each
//! question, the options of its search and the reductions that preserve its answer; or a [`Refusal`] with the option at
//! fault and the reason. An option that has no effect on any question is refused. One that has an effect on some
//! questions only is reported in a [`Note`]. No option is changed in silence.
//!
//! # Which reduction preserves which question
//!
//! | reduction | states (safety, reachability) | cycles (LTL without `X`, `accept`, `progress`) | counts steps (LTL with `X`, automata) | CTL | with fairness |
//! |---|---|---|---|---|---|
//! | simplification (constants, slicing, dead variables, privatisation) | yes | yes | yes | yes | yes |
//! | statement merging | yes | yes | no | no | no |
//! | partial order | with the open-set proviso | with the static cycle proviso | no | no | no |
//! | symmetry | yes | yes, without partial order | if no process ends | no | no |
//! | state codec, states in words | yes | yes | yes | yes | yes |
//!
//! # The order of the layers
//!
//! Simplification, then merging transform the model. The search sees, from the inside out: engine, partial-order
//! reduction, symmetry reduction, state codec ([`Layers::worker`](crate::layers::Layers::worker)). A permuted state is no
//! state of the engine's layout cut, and a compact state is no state that can be permuted, so no other order works.

mod gpu;
mod ranks;

use std::fmt;

use kripke_model::words::MAX_WORDS;
use kripke_reduce::por::Preserve;
use kripke_search::store::{Bits, MAX_WORD_BITS};
use kripke_search::{Algorithm, CacheSize, CtlFormula, Cycles, Fairness, Options, Order, StoreKind, SuccessorOrder};

use crate::request::{Gpu, Request, Store, Swarm};
use crate::task::Kind;
pub use ranks::Ranks;

/// Bytes of a bitstate store if neither its size nor the memory is given: initialising more would take longer than most
/// searches.
const USUAL_BITSTATE: u64 = 1 << 30;
/// States of a cache if neither their number nor the memory is given.
const USUAL_CACHE: u32 = 4_000_000;

/// What hidden variables require.
pub(crate) const HIDDEN: &str =
    "a model with hidden variables is searched breadth-first by one thread with an exact store";

/// What the model and the machine have.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The questions, in the order in which they are answered. There is at least one.
    pub questions: Vec<QuestionFacts>,
    /// Whether the model has `hidden` variables, in which states are not compared.
    pub hidden: bool,
    /// Bytes of memory that the program has taken so far.
    pub memory_taken: u64,
    /// The limit of memory in force.
    pub memory: Option<u64>,
}

/// What there is to know about one question.
#[derive(Clone, Debug)]
pub struct QuestionFacts {
    /// Its name, for messages.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// What a search has to find.
    pub target: Target,
    /// Whether the answer depends on the number of steps between two events: `X`, automata, CTL.
    pub counts_steps: bool,
    /// Whether an invalid end state is an error of this question.
    pub end_states: bool,
    /// Whether the property automaton is weak: all states of one of its components are accepting, or none is.
    pub weak: bool,
}

/// What a search has to find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A state or a step that violates the property.
    State,
    /// An accepting cycle, with these acceptance sets of edges if there are several.
    Cycle(u32),
    /// The truth of a CTL formula in the initial state.
    Ctl(CtlFormula),
}

/// The decisions for all questions of a request.
#[derive(Clone, Debug)]
pub struct Plan {
    /// One for each question.
    pub questions: Vec<QuestionPlan>,
    /// Options that have no effect on some questions.
    pub notes: Vec<Note>,
}

/// The decisions for one question.
#[derive(Clone, Debug)]
pub struct QuestionPlan {
    /// The search. Partial-order reduction is switched on when the ample sets are known to be of use.
    pub search: Options,
    /// The ranks, if the search is a distributed one.
    pub ranks: Option<Ranks>,
    /// Whether a GPU searches.
    pub gpu: Option<Gpu>,
    /// States of at most so many bits are stored in words.
    pub word_bits: Option<u32>,
    /// Whether statements are merged, or why they are not.
    pub merging: Result<(), &'static str>,
    /// What partial-order reduction has to preserve, or why it is not applied; nothing if it is not wanted.
    pub partial_order: Option<Result<Preserve, &'static str>>,
    /// The same if symmetry reduction is applied.
    pub partial_order_with_symmetry: Option<Result<Preserve, &'static str>>,
    /// Which symmetries may be used, or why none may; nothing if symmetry reduction is not wanted.
    pub symmetry: Option<Result<Symmetries, &'static str>>,
}

/// Which symmetries preserve a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symmetries {
    /// All.
    All,
    /// Only those of processes that never end: permuting an ended process adds steps to a run.
    OfLastingProcesses,
}

/// A request that can't be carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The option at fault, as on the command line.
    pub option: &'static str,
    /// The reason, and what to do.
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.option, self.reason)
    }
}

impl std::error::Error for Refusal {}

/// An option that has no effect on some questions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The option, as on the command line.
    pub option: &'static str,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.option, self.reason)
    }
}

/// A rule: the option, whether it is broken, and the reason.
type Rule = (&'static str, bool, &'static str);

impl Plan {
    /// Refuses options that contradict each other, whatever the model.
    pub fn validate(request: &Request) -> Result<(), Refusal> {
        let all =
            [store_rules(&request.search.store, request), rules(request), ranks::rules(request), gpu::rules(request)];
        for (option, broken, reason) in all.into_iter().flatten() {
            if broken {
                return Err(Refusal { option, reason: reason.to_string() });
            }
        }
        Ok(())
    }

    /// Decides how a request is carried out for a model.
    pub fn resolve(request: &Request, facts: &Facts) -> Result<Plan, Refusal> {
        Plan::validate(request)?;
        let mut notes = effects(request, facts)?;
        notes.extend(ranks::effects(request, facts)?);
        notes.extend(gpu::effects(request, facts)?);
        let questions = facts.questions.iter().map(|question| QuestionPlan::new(request, facts, question)).collect();
        Ok(Plan { questions, notes })
    }
}

/// Options of stores that contradict each other, or belong to another store.
fn store_rules(store: &Store, request: &Request) -> Vec<Rule> {
    let kind = store.kind();
    let auto = kind == StoreKind::Auto;
    let cache = matches!(kind, StoreKind::Cache(_));
    let hash = matches!(kind, StoreKind::Hash { .. });
    let bitstate = matches!(kind, StoreKind::Bitstate(_));
    let breadth_first = request.search.order == Some(Order::BreadthFirst);
    let tolerance = store.tolerance();
    vec![
        ("--swarm", store.swarm.is_some() && !bitstate, "a swarm uses bitstate stores: leave out --store"),
        (
            "--swarm",
            store.swarm.is_some() && breadth_first,
            "the searches of a swarm are depth-first: leave out --search",
        ),
        ("--lossy", store.lossy && !auto, "it goes with --store auto; otherwise choose --store hash or bitstate"),
        ("--change-at", store.change_at.is_some() && !auto, "it goes with --store auto"),
        ("--cache-states", store.cache_states.is_some() && !cache, "it goes with --store cache"),
        ("--cache-collisions", store.cache_collisions.is_some() && !cache, "it goes with --store cache"),
        ("--cache-probes", store.cache_probes.is_some() && !cache, "it goes with --store cache"),
        (
            "--store words",
            kind == StoreKind::Words && request.search.compact,
            "states in words have few bits already: leave out --compact",
        ),
        ("--bits (-w)", store.bits.is_some() && !bitstate, "it goes with --store bitstate or --swarm"),
        ("--hashes (-k)", store.hashes.is_some() && !bitstate, "it goes with --store bitstate or --swarm"),
        ("--hash-bits", store.hash_bits.is_some() && !hash, "it goes with --store hash"),
        (
            "--hash-seed",
            store.hash_seed.is_some() && !store.is_lossy() && !store.lossy,
            "it goes with --store hash, --store bitstate, --swarm or --lossy",
        ),
        (
            "--hash-function",
            store.hash_function.is_some() && !store.is_lossy() && !store.lossy,
            "it goes with --store hash, --store bitstate, --swarm or --lossy",
        ),
        (
            "--store cache",
            cache && breadth_first,
            "it needs --search dfs: a state on the search stack is never replaced, a state of a queue might be",
        ),
        (
            "--cache-collisions",
            cache && tolerance.collisions > tolerance.probes,
            "it must not be more than --cache-probes, after which the search gives up",
        ),
    ]
}

/// Other options that contradict each other.
fn rules(request: &Request) -> Vec<Rule> {
    let reductions = &request.reductions;
    let audited = reductions.audit.is_some();
    let questions = &request.questions;
    vec![
        ("--audit", audited && reductions.raw, "it audits partial-order reduction, which --raw turns off"),
        (
            "--audit",
            audited && !reductions.partial_order,
            "it audits partial-order reduction, which --no-partial-order turns off",
        ),
        (
            "--property",
            questions.ignore_claims && questions.properties.iter().any(|name| name != "safety"),
            "it asks for a property of the model, and --no-claim ignores them all",
        ),
    ]
}

/// Looks at the options whose effect depends on the kinds of the questions: refuses those that affect none, notes those that
/// affect only some.
fn effects(request: &Request, facts: &Facts) -> Result<Vec<Note>, Refusal> {
    let mut notes = Vec::new();
    let temporal: Vec<&QuestionFacts> = facts.questions.iter().filter(|q| q.target != Target::State).collect();
    let only_temporal = temporal.len() == facts.questions.len();
    let store = &request.search.store;
    if let Some(question) = temporal.first().filter(|_| store.is_lossy() || matches!(store.kind(), StoreKind::Cache(_)))
    {
        return Err(Refusal {
            option: "--store",
            reason: format!(
                "a store that may miss or forget states can't be used for {} {}: only for assertions, end states, faults, \
                 --reach and safety properties; leave it out with --no-claim, or use another --store",
                question.kind.word(),
                question.name
            ),
        });
    }
    let mut unused = |option, is_given: bool, reason: &str| match is_given && !temporal.is_empty() {
        true if only_temporal => Err(Refusal { option, reason: reason.to_string() }),
        true => {
            let names: Vec<&str> = temporal.iter().map(|q| &*q.name).collect();
            notes.push(Note { option, reason: format!("no effect on {}: {reason}", names.join(", ")) });
            Ok(())
        }
        false => Ok(()),
    };
    unused("--lossy", store.lossy, "searches for cycles and CTL need every state")?;
    let breadth_first = request.search.order == Some(Order::BreadthFirst);
    unused("--search bfs", breadth_first, "searches for cycles and CTL are depth-first")?;
    if temporal.iter().any(|question| matches!(question.target, Target::Cycle(_))) {
        algorithm(request.search.algorithm, request.questions.fairness, request.errors.all)?;
    }
    if facts.hidden {
        notes.extend(hidden(request));
    }
    Ok(notes)
}

/// Refuses an algorithm that can't find fair cycles, or all cycles.
pub(crate) fn algorithm(chosen: Algorithm, fairness: Fairness, all_errors: bool) -> Result<(), Refusal> {
    let refuse = |reason: &str| Err(Refusal { option: "--cycles", reason: reason.to_string() });
    if matches!(chosen, Algorithm::Auto | Algorithm::Scc) {
        return Ok(());
    }
    if fairness != Fairness::None {
        return refuse("fairness is decided on whole components: use --cycles scc");
    }
    if all_errors {
        return refuse("this algorithm stops at the first cycle, but all errors are to be counted: use --cycles scc");
    }
    Ok(())
}

/// What `hidden` variables rule out. Which of several equal states is stored depends on the order of the search, so there is
/// one worker, and counterexamples are levels of stored states.
fn hidden(request: &Request) -> Vec<Note> {
    let store = &request.search.store;
    let note = |option, reason: &str| Note { option, reason: format!("no effect: {reason}") };
    let mut notes = Vec::new();
    if !matches!(store.kind, None | Some(StoreKind::Auto | StoreKind::Exact)) || store.swarm.is_some() {
        notes.push(note("--store", HIDDEN));
    }
    if request.search.order == Some(Order::DepthFirst) {
        notes.push(note("--search dfs", HIDDEN));
    }
    if request.search.threads.is_some_and(|threads| threads > 1) {
        notes.push(note("--threads", HIDDEN));
    }
    notes
}

impl QuestionPlan {
    pub(crate) fn new(request: &Request, facts: &Facts, question: &QuestionFacts) -> QuestionPlan {
        let reductions = &request.reductions;
        let wanted = !reductions.raw && reductions.partial_order;
        let (ranks, gpu) = (ranks::ranks(request, facts, question), gpu::gpu(request, facts, question));
        let partial_order = wanted.then(|| match ranks {
            Some(_) => ranks::partial_order(partial_order(request, question)),
            None if gpu.is_some() => Err(gpu::NO_PARTIAL_ORDER),
            None => partial_order(request, question),
        });
        let search = options(request, facts, question);
        let search = match ranks {
            Some(ranks) => ranks::options(search, ranks),
            None if gpu.is_some() => gpu::options(search),
            None => search,
        };
        QuestionPlan {
            ranks,
            gpu,
            word_bits: gpu.map(|_| gpu::MOST_BITS).or_else(|| word_bits(request, question, &search)),
            search,
            merging: merging(request, question),
            // A cycle of representatives need not visit the states at which every process is expanded.
            partial_order_with_symmetry: match partial_order {
                Some(Ok(Preserve::StutterLtl)) => {
                    Some(Err("the cycle proviso does not hold for representatives (symmetry)"))
                }
                other => other,
            },
            partial_order,
            symmetry: reductions.symmetry.then(|| symmetry(request, question)),
        }
    }
}

/// The most bits of states in words that the default store keeps in the word store: states of one or two words, which are their own
/// numbers. Longer ones are kept in the exact store, which can migrate to trees. At 64, states of two words are kept there, too.
const WORD_STORE_BITS: u32 = MAX_WORD_BITS;

/// The most bits of states in words, where nothing else is asked for. Longer states than of one word are packed all the same if the
/// transition cache does not cover the model.
pub(crate) const MOST_WORD_BITS: u32 = u64::BITS * MAX_WORDS as u32;

/// The number of bits up to which states are stored in words. A search for states looks up each state once, and states in words are
/// about half as long as packed ones, all of one length. In searches for cycles and CTL, which look up each state several times, words
/// take more time than complete states, unless there are millions of states. A lossy store keeps nothing of a state but what its hash
/// tells, and its successors come from the transition cache, where that covers the model. The exact store and the cache of states, if
/// the user has chosen them, keep packed states.
fn word_bits(request: &Request, question: &QuestionFacts, search: &Options) -> Option<u32> {
    match search.store {
        StoreKind::Auto | StoreKind::Tree if question.target == Target::State => Some(MOST_WORD_BITS),
        StoreKind::Hash { .. } | StoreKind::Bitstate(_) => Some(MOST_WORD_BITS),
        StoreKind::Words => Some(MAX_WORD_BITS),
        _ => None,
    }
    .filter(|_| !request.search.compact)
}

/// Whether statements may be merged. Merging changes the number of steps, and fairness counts the steps of each process.
fn merging(request: &Request, question: &QuestionFacts) -> Result<(), &'static str> {
    match &request.reductions {
        reductions if reductions.raw => Err("--raw"),
        reductions if !reductions.merging => Err("--no-coarsening"),
        _ if request.questions.fairness != Fairness::None => Err("fairness counts every move"),
        _ if question.counts_steps => Err("the property counts steps"),
        _ => Ok(()),
    }
}

fn partial_order(request: &Request, question: &QuestionFacts) -> Result<Preserve, &'static str> {
    match question.target {
        _ if matches!(request.search.store.kind(), StoreKind::Cache(_)) => Err("a cache forgets which states are new"),
        _ if request.questions.fairness != Fairness::None => Err("fairness counts every move"),
        _ if question.counts_steps => Err("the property counts steps"),
        Target::State => Ok(Preserve::Safety),
        Target::Cycle(_) => Ok(Preserve::StutterLtl),
        Target::Ctl(_) => Err("the property counts steps"),
    }
}

fn symmetry(request: &Request, question: &QuestionFacts) -> Result<Symmetries, &'static str> {
    match question.target {
        _ if request.reductions.raw => Err("--raw turns every reduction off"),
        Target::Ctl(_) => Err("it is not applied to CTL formulas"),
        _ if request.questions.fairness != Fairness::None => Err("fairness distinguishes processes"),
        _ if question.counts_steps => Ok(Symmetries::OfLastingProcesses),
        _ => Ok(Symmetries::All),
    }
}

/// The options of the search for one question.
fn options(request: &Request, facts: &Facts, question: &QuestionFacts) -> Options {
    let Request { search, questions, errors, limits, .. } = request;
    let safety = question.kind == Kind::Safety;
    let checked_elsewhere = !safety && facts.questions.iter().any(|other| other.kind == Kind::Safety);
    let threads = search.threads.map(usize::from);
    let workers = Options { threads, ..Options::default() }.workers() as u64;
    let store = store(request, facts, if search.store.swarm.is_some() { workers } else { 1 });
    let depth_first = search.store.swarm.is_some() || matches!(store, StoreKind::Bitstate(_) | StoreKind::Cache(_));
    Options {
        order: search.order.unwrap_or(if depth_first { Order::DepthFirst } else { Order::BreadthFirst }),
        all_errors: errors.all,
        stop_at: errors.stop_at,
        assertions: errors.assertions && !checked_elsewhere && !matches!(question.kind, Kind::Reach | Kind::Invariant),
        end_states: errors.end_states && !checked_elsewhere && question.end_states,
        store,
        word_store_bits: WORD_STORE_BITS,
        migrate_at: search.store.change_at,
        lossy: search.store.lossy,
        threads,
        successor_order: SuccessorOrder::Forward,
        seed: search.store.hash_seed.unwrap_or(0),
        hash_function: search.store.hash_function.unwrap_or_default(),
        swarm: search.store.swarm.map(|swarm| match swarm {
            Swarm::Searches(searches) => searches,
            Swarm::Timed if limits.timeout.is_some() => u64::MAX,
            Swarm::Timed => 2 * workers.max(4),
        }),
        cycles: match question.target {
            Target::Cycle(marks) => Some(Cycles { algorithm: search.algorithm, fairness: questions.fairness, marks }),
            _ => None,
        },
        // A raw search counts what one order visits.
        probe: search.order.is_none() && !errors.all && !request.reductions.raw && request.reductions.audit.is_none(),
        ctl: match &question.target {
            Target::Ctl(formula) => Some(formula.clone()),
            _ => None,
        },
        on_the_fly: Options::default().on_the_fly,
        sleep_sets: request.reductions.sleep_sets,
        reduces: false,
    }
}

/// The store and its size, for so many searches at a time.
fn store(request: &Request, facts: &Facts, searches: u64) -> StoreKind {
    let store = &request.search.store;
    // What the user has left of the memory, if the user set a limit.
    let left = request.limits.memory.map(|memory| memory.saturating_sub(facts.memory_taken));
    match store.kind() {
        StoreKind::Cache(_) => {
            let states = store.cache_states.or(left.is_none().then_some(USUAL_CACHE));
            StoreKind::Cache(CacheSize { states, tolerance: store.tolerance() })
        }
        StoreKind::Hash { bits } => StoreKind::Hash { bits: store.hash_bits.unwrap_or(bits) },
        StoreKind::Bitstate(_) => {
            // Waiting states are packed in a stack, and in full in a queue.
            let quarters = if request.search.order == Some(Order::BreadthFirst) { 2 } else { 3 };
            let share = |memory: u64| memory / 4 * quarters / searches;
            let bytes =
                left.map(share).unwrap_or_else(|| facts.memory.map_or(USUAL_BITSTATE, share).min(USUAL_BITSTATE));
            let hashes = store.hashes.unwrap_or(Bits::HASHES);
            StoreKind::Bitstate(match store.bits {
                Some(bits) => Bits::power(bits, hashes),
                None => Bits::within(bytes, hashes),
            })
        }
        plain => plain,
    }
}
