//! Every combination of options: each is refused with a reason, or its plan is sound and its answer right.
//!
//! The table of what is sound is written down here a second time, by properties of single combinations and without the code of
//! the plan. All combinations are planned; a spread sample of them is run on models with known answers
//! (`KRIPKE_PLANS` is the number of combinations that are tried, `all` for all of them).

use kripke::plan::{Facts, Plan, QuestionFacts, QuestionPlan, Target};
use kripke::request::{Algorithm, Engine, Fairness, Order, Request, Swarm};
use kripke::task::Kind;
use kripke::{Check, Error, Language, Model, Verdict};
use kripke_reduce::por::Preserve;
use kripke_search::StoreKind;

/// A choice among some values of an option.
type Choice = &'static [fn(&mut Request)];

fn nothing(_: &mut Request) {}

const STORES: Choice = &[
    nothing,
    |r| r.search.store.kind = StoreKind::named("auto"),
    |r| r.search.store.kind = StoreKind::named("words"),
    |r| r.search.store.kind = StoreKind::named("exact"),
    |r| r.search.store.kind = StoreKind::named("tree"),
    |r| r.search.store.kind = StoreKind::named("cache"),
    |r| r.search.store.kind = StoreKind::named("hash"),
    |r| r.search.store.kind = StoreKind::named("bitstate"),
    |r| r.search.store.swarm = Some(Swarm::Searches(2)),
];
/// Options that belong to some stores.
const STORE_OPTIONS: Choice = &[
    nothing,
    |r| r.search.store.lossy = true,
    |r| r.search.store.change_at = Some(5),
    |r| r.search.store.cache_states = Some(1000),
    |r| r.search.store.cache_collisions = Some(3),
    |r| r.search.store.bits = Some(16),
    |r| r.search.store.hashes = Some(2),
    |r| r.search.store.hash_bits = Some(32),
    |r| r.search.store.hash_seed = Some(7),
    |r| r.search.store.hash_function = Some(kripke::request::HashFunction::Jenkins),
];
const ORDERS: Choice =
    &[nothing, |r| r.search.order = Some(Order::BreadthFirst), |r| r.search.order = Some(Order::DepthFirst)];
const THREADS: Choice = &[|r| r.search.threads = Some(1), |r| r.search.threads = Some(3)];
const REDUCTIONS: Choice = &[
    nothing,
    |r| r.reductions.raw = true,
    |r| r.reductions.merging = false,
    |r| r.reductions.dead_variables = false,
    |r| r.reductions.slicing = false,
    |r| r.reductions.partial_order = false,
    |r| r.reductions.audit = Some(1),
    |r| (r.reductions.raw, r.reductions.audit) = (true, Some(1)),
];
const SYMMETRY: Choice = &[nothing, |r| r.reductions.symmetry = true];
const COMPACT: Choice = &[nothing, |r| r.search.compact = true];
const ENGINES: Choice = &[nothing, |r| r.search.engine = Engine::Interpret];
const FAIRNESS: Choice = &[
    nothing,
    |r| r.questions.fairness = Fairness::Weak,
    |r| r.questions.fairness = Fairness::Strong,
    |r| r.questions.fairness = Fairness::StrongTransitions,
    |r| r.questions.fairness = Fairness::Impartial,
];
const ALGORITHMS: Choice = &[
    nothing,
    |r| r.search.algorithm = Algorithm::Scc,
    |r| r.search.algorithm = Algorithm::Nested,
    |r| r.search.algorithm = Algorithm::Cndfs,
    |r| r.search.algorithm = Algorithm::Ufscc,
];
const ERRORS: Choice = &[nothing, |r| r.errors.all = true];
const OPTIONS: [Choice; 11] =
    [STORES, STORE_OPTIONS, ORDERS, THREADS, REDUCTIONS, SYMMETRY, COMPACT, ENGINES, FAIRNESS, ALGORITHMS, ERRORS];

fn combinations() -> usize {
    OPTIONS.iter().map(|choice| choice.len()).product()
}

/// The combination with a number.
fn combination(mut number: usize) -> Request {
    let mut request = Request::default();
    for choice in OPTIONS {
        choice[number % choice.len()](&mut request);
        number /= choice.len();
    }
    request
}

fn facts(kind: Kind, target: Target, counts_steps: bool) -> Facts {
    let question = QuestionFacts { name: "q".to_string(), kind, target, counts_steps, end_states: true, weak: false };
    Facts { questions: vec![question], hidden: false, memory_taken: 0, memory: Some(1 << 30) }
}

/// Every kind of question, by what a search for it has to preserve.
fn questions() -> Vec<Facts> {
    let ctl = kripke::question::ctl::translate(&kripke_logic::parse::ctl("AG EF p").unwrap(), Fairness::None);
    vec![
        facts(Kind::Safety, Target::State, false),
        facts(Kind::Reach, Target::State, false),
        facts(Kind::Ltl, Target::State, true),
        facts(Kind::Ltl, Target::Cycle(0), false),
        facts(Kind::Ltl, Target::Cycle(3), true),
        facts(Kind::Progress, Target::Cycle(0), false),
        facts(Kind::Ctl, Target::Ctl(ctl.formula), true),
        weak(facts(Kind::Ltl, Target::Cycle(0), false)),
    ]
}

fn weak(facts: Facts) -> Facts {
    let questions = facts.questions.into_iter().map(|question| QuestionFacts { weak: true, ..question }).collect();
    Facts { questions, ..facts }
}

/// A distributed algorithm without `--ranks` has a rank for each thread, for questions about cycles alone.
#[test]
fn distributed_algorithms_share_the_threads() {
    let mut request = Request::default();
    (request.search.distributed, request.search.threads) = (Some("owcty"), Some(5));
    for facts in questions() {
        let plan = Plan::resolve(&request, &facts).expect("a plan");
        let cycles = matches!(facts.questions[0].target, Target::Cycle(_));
        assert_eq!(plan.questions[0].ranks.map(|ranks| ranks.number), cycles.then_some(5), "{facts:?}");
    }
}

#[test]
fn every_plan_is_sound_or_refused() {
    let (questions, mut planned, mut refused) = (questions(), 0u64, 0u64);
    for number in 0..combinations() {
        let request = combination(number);
        for facts in &questions {
            match Plan::resolve(&request, facts) {
                Ok(plan) => {
                    planned += 1;
                    assert!(is_sound(&request, facts, &plan), "{request:?}\n{facts:?}\n{plan:?}");
                }
                Err(refusal) => {
                    refused += 1;
                    assert!(refusal.option.starts_with("--") && refusal.reason.len() > 10, "{refusal:?}");
                }
            }
        }
    }
    println!("{planned} plans, {refused} refusals");
    assert!(planned > 500_000 && refused > 500_000, "{planned} plans, {refused} refusals");
}

/// Soundness, by the theorems: what each reduction, store and algorithm preserves.
fn is_sound(request: &Request, facts: &Facts, plan: &Plan) -> bool {
    let (question, plan) = (&facts.questions[0], &plan.questions[0]);
    let fair = request.questions.fairness != Fairness::None;
    let temporal = question.target != Target::State;
    let ctl = matches!(question.target, Target::Ctl(_));
    let insensitive = !question.counts_steps && !fair && !ctl;
    // Statement merging and ample sets preserve properties that are closed under stuttering, without fairness.
    let stutters = |applied: bool| !applied || insensitive;
    let ample = |on: Option<Result<_, &str>>| stutters(matches!(on, Some(Ok(_))));
    let reductions = stutters(plan.merging.is_ok())
        && ample(plan.partial_order.map(|r| r.map(|_| ())))
        && ample(plan.partial_order_with_symmetry.map(|r| r.map(|_| ())))
        && !(matches!(plan.partial_order_with_symmetry, Some(Ok(_))) && temporal)
        && !(matches!(plan.symmetry, Some(Ok(_))) && (fair || ctl))
        && !(request.reductions.raw && (plan.merging.is_ok() || plan.partial_order.is_some()));
    // A store that forgets or omits states proves nothing about cycles and branching.
    let store = match plan.search.store {
        StoreKind::Hash { .. } | StoreKind::Bitstate(_) => !temporal,
        StoreKind::Cache(_) => {
            !temporal && plan.search.order == Order::DepthFirst && ample_is_off(plan.partial_order.map(|r| r.is_ok()))
        }
        // These are exact, and keep a note with each state that searches for cycles and CTL use.
        StoreKind::Tree | StoreKind::Words | StoreKind::Exact | StoreKind::Auto => true,
    } && !(plan.word_bits.is_some() && temporal && plan.search.store != StoreKind::Words);
    // Fairness and the count of all cycles are decided on components.
    let algorithm = plan.search.cycles.is_none_or(|cycles| {
        let whole = matches!(cycles.algorithm, Algorithm::Auto | Algorithm::Scc);
        cycles.fairness == request.questions.fairness && (whole || !fair && !request.errors.all)
    });
    // What the user asked for is what is done.
    let obeyed = request.search.order.is_none_or(|order| temporal || plan.search.order == order)
        && plan.search.cycles.is_none_or(|cycles| cycles.algorithm == request.search.algorithm)
        && plan.search.all_errors == request.errors.all;
    reductions && store && algorithm && obeyed
}

/// Over ranks: complete states in breadth-first order, ample sets only with the proviso that depends on the state alone and not with
/// symmetry, and cycles only without fairness and one at a time.
#[test]
fn every_plan_over_ranks_is_sound_or_refused() {
    let (mut planned, mut refused) = (0, 0);
    for number in (0..combinations()).step_by(7) {
        for distributed in [None, Some("map")] {
            let mut request = combination(number);
            (request.search.ranks, request.search.distributed) = (Some(3), distributed);
            for facts in questions() {
                let Ok(plan) = Plan::resolve(&request, &facts) else {
                    refused += 1;
                    continue;
                };
                planned += 1;
                let pairs = facts.questions.iter().zip(&plan.questions);
                assert!(pairs.into_iter().all(|(q, p)| is_sound_over_ranks(&request, q, p)), "{request:?}\n{plan:?}");
            }
        }
    }
    assert!(planned > 100 && refused > 100, "{planned} planned, {refused} refused");
}

fn is_sound_over_ranks(request: &Request, question: &QuestionFacts, plan: &QuestionPlan) -> bool {
    let Some(ranks) = plan.ranks else { return matches!(question.target, Target::Ctl(_)) };
    let cycles = matches!(question.target, Target::Cycle(_));
    let default = if question.weak { "owcty" } else { "ncd" };
    let algorithm = cycles.then_some(request.search.distributed.unwrap_or(default));
    let stores = ["auto", "words", "exact", "tree"];
    let complete = !cycles || plan.search.store == StoreKind::Exact && plan.word_bits.is_none();
    let whole =
        complete && stores.contains(&plan.search.store.word()) && !plan.search.lossy && plan.search.swarm.is_none();
    let ordered = plan.search.order == Order::BreadthFirst && !plan.search.probe;
    let same_for_all = !matches!(plan.partial_order, Some(Ok(Preserve::Safety)));
    let counts = question.counts_steps || request.questions.fairness != Fairness::None;
    let reduced = same_for_all && !(counts && matches!(plan.partial_order, Some(Ok(_))));
    let unreduced = !matches!(plan.partial_order_with_symmetry, Some(Ok(_)));
    let simple = !cycles || request.questions.fairness == Fairness::None && !request.errors.all;
    let local = request.search.algorithm == Algorithm::Auto || request.search.distributed.is_some();
    ranks.number == 3 && ranks.algorithm == algorithm && whole && ordered && reduced && unreduced && simple && local
}

fn ample_is_off(partial_order: Option<bool>) -> bool {
    partial_order != Some(true)
}

/// A model, a question about it and the answer for each kind of fairness: none, weak, strong, strong for transitions,
/// impartial.
struct Known {
    text: &'static str,
    ask: fn(Check<'_>) -> Check<'_>,
    holds: [bool; 5],
}

const ALWAYS: [bool; 5] = [true; 5];
const NEVER: [bool; 5] = [false; 5];

/// Answers by hand.
const KNOWN: [Known; 13] = [
    Known { text: "active [2] proctype P() { skip }", ask: |c| c.safety(), holds: ALWAYS },
    Known { text: "byte x; active [2] proctype P() { x++; assert(x < 2) }", ask: |c| c.safety(), holds: NEVER },
    Known { text: "chan c = [0] of { bit }; active [2] proctype P() { c!1 }", ask: |c| c.safety(), holds: NEVER },
    Known {
        text: "byte x; active [2] proctype P() { byte i; do :: i < 3 -> x++; i++ :: else -> break od }",
        ask: |c| c.reach("x == 6"),
        holds: NEVER,
    },
    Known {
        text: "byte x; active [2] proctype P() { byte i; do :: i < 3 -> x++; i++ :: else -> break od }",
        ask: |c| c.ltl("[] (x <= 6)"),
        holds: ALWAYS,
    },
    // One process can run alone for ever, unless the other is enabled all the time and so has to move.
    Known {
        text: "bit x; active proctype P() { x = 1 } active proctype Q() { do :: true od }",
        ask: |c| c.ltl("<> (x == 1)"),
        holds: [false, true, true, true, true],
    },
    // Q is enabled only now and then: weak fairness does not help.
    Known {
        text: "bit t, x; active proctype P() { do :: t = 1 - t od } active proctype Q() { (t == 1); x = 1 }",
        ask: |c| c.ltl("<> (x == 1)"),
        holds: [false, false, true, true, true],
    },
    Known {
        text: "bit x; active proctype P() { do :: x = 1 :: x = 0 od }",
        ask: |c| c.ltl("[] <> (x == 1)"),
        holds: [false, false, false, true, false],
    },
    Known {
        text: "bit x; active proctype P() { do :: x = 1 :: x = 0 od }",
        ask: |c| c.ctl("AG EF (x == 1)"),
        holds: ALWAYS,
    },
    Known { text: "bit x; active proctype P() { x = 1 }", ask: |c| c.ltl("X (x == 1)"), holds: ALWAYS },
    Known {
        text: "bit x; active proctype P() { do :: x = 1; accept: x = 0 od }",
        ask: |c| c.acceptance(),
        holds: NEVER,
    },
    Known {
        text: "bit x; active proctype P() { do :: x = 1; progress: x = 0 od }",
        ask: |c| c.non_progress(),
        holds: ALWAYS,
    },
    Known {
        text: "byte n; active [3] proctype P() { do :: atomic { n < 2 -> n++ }; n-- od }",
        ask: |c| c.ltl("[] (n < 3)"),
        holds: ALWAYS,
    },
];

/// Whether a run of a combination ends as it should. A refusal has a reason; inconclusive is what a lossy store may be.
fn is_right(known: &Known, request: Request) -> Result<bool, String> {
    let fairness = match request.questions.fairness {
        Fairness::None => 0,
        Fairness::Weak => 1,
        Fairness::Strong => 2,
        Fairness::StrongTransitions => 3,
        Fairness::Impartial => 4,
    };
    let model = Model::parse(Language::PROMELA, known.text).map_err(|e| e.to_string())?;
    let mut check = (known.ask)(Check::new(&model));
    let questions = check.request().questions.clone();
    let (source, kind) = (check.request().source.clone(), request.questions.fairness);
    *check.request() = Request { source, questions, ..request };
    check.request().questions.fairness = kind;
    let may_omit = check.request().search.store.is_lossy();
    match check.run() {
        Ok(Verdict::Holds(_)) if known.holds[fairness] && !may_omit => Ok(true),
        Ok(Verdict::Violated(_)) if !known.holds[fairness] => Ok(true),
        Ok(Verdict::Inconclusive(_)) if may_omit => Ok(true),
        Err(Error::Refused(_)) => Ok(false),
        other => Err(format!("{other:?}")),
    }
}

#[test]
fn every_combination_is_right_or_refused() {
    let all = combinations() * KNOWN.len();
    let wanted = std::env::var("KRIPKE_PLANS").unwrap_or_default();
    let wanted = if wanted == "all" { all } else { wanted.parse().unwrap_or(10_000) };
    let (mut right, mut refused) = (0, 0);
    let mut wrong = Vec::new();
    // A stride that is coprime to the number of values of each option does not repeat a pattern of values.
    let is_coprime = |stride: &usize| [2, 3, 5, 13].iter().all(|factor| !stride.is_multiple_of(*factor));
    let stride = if wanted == all { 1 } else { ((all / wanted).max(1)..).find(is_coprime).unwrap_or(1) };
    for number in (0..all).step_by(stride) {
        let known = &KNOWN[number % KNOWN.len()];
        let number = number / KNOWN.len();
        match is_right(known, combination(number)) {
            Ok(true) => right += 1,
            Ok(false) => refused += 1,
            Err(why) => wrong.push(format!("{}\n{:?}\n{why}", known.text, combination(number))),
        }
    }
    println!("{right} right, {refused} refused");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n\n"));
    // Most combinations contradict themselves: about one in eight is run.
    assert!(right * 10 > right + refused, "{right} right, {refused} refused: too few were run");
}
