//! Transition systems written in Rust: implement [`TransitionSystem`], and check it with [`SystemCheck`].
//!
//! ```
//! use kripke::transition_system::{Steps, SystemCheck, TransitionSystem};
//!
//! /// Two processes increment a counter modulo 5.
//! struct Counter;
//!
//! impl TransitionSystem for Counter {
//!     type State = u8;
//!
//!     fn initial(&self) -> u8 {
//!         0
//!     }
//!
//!     fn expand(&self, state: &u8, steps: &mut Steps<'_, u8>) {
//!         for process in 0..2 {
//!             steps.add(process, 0, (state + 1) % 5);
//!         }
//!     }
//!
//!     fn propositions(&self) -> &[&str] {
//!         &["zero", "small"]
//!     }
//!
//!     fn holds(&self, proposition: usize, state: &u8) -> bool {
//!         [*state == 0, *state < 5][proposition]
//!     }
//! }
//!
//! let check = SystemCheck::new(&Counter).threads(2);
//! assert!(check.invariant("small")?.holds());
//! assert!(check.ltl("[] <> zero")?.holds());
//! assert!(!check.ctl("AG zero")?.holds());
//! # Ok::<(), kripke::Error>(())
//! ```

mod generator;
mod judge;
mod verdict;

use std::path::Path;

use kripke_logic::{Atoms, Buchi, Ctl, Ltl, Problem, parse, translate};
use kripke_search::store::Store;
use kripke_search::{Budget, Cycles, End, ErrorKind, Options, Order, Progress, StoreKind, explore, explore_with};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::load::InputError;
use crate::request::{Algorithm, Fairness, Limits};
use crate::{plan, question};
use generator::{Aim, Generator};
pub use verdict::{SystemRun, SystemStep, SystemVerdict};

/// A transition system: an initial state, and the steps from each state.
///
/// The steps of a state must depend on the state alone, and come in the same order every time. States are compared by their
/// serialised form, so equal states must serialise alike: no hash maps.
pub trait TransitionSystem: Sync {
    /// A state.
    type State: Serialize + DeserializeOwned + Send;

    /// The initial state.
    fn initial(&self) -> Self::State;

    /// Adds every step from a state.
    fn expand(&self, state: &Self::State, steps: &mut Steps<'_, Self::State>);

    /// The names of the propositions, at most 64.
    fn propositions(&self) -> &[&str] {
        &[]
    }

    /// Whether the proposition with this number is true in a state.
    fn holds(&self, proposition: usize, state: &Self::State) -> bool {
        let _ = (proposition, state);
        false
    }

    /// The number of processes, for fairness. Steps name the process that takes them.
    fn processes(&self) -> u8 {
        1
    }

    /// Whether a state without steps is a valid end state.
    fn may_end(&self, state: &Self::State) -> bool {
        let _ = state;
        true
    }

    /// The name of an action, for counterexamples.
    fn action_name(&self, action: u32) -> String {
        format!("action {action}")
    }
}

/// The steps of a state, to be filled by [`TransitionSystem::expand`].
#[derive(Debug)]
pub struct Steps<'a, S> {
    steps: &'a mut Vec<(u8, u32, S)>,
}

impl<S> Steps<'_, S> {
    /// Adds the step of a process that does an action.
    pub fn add(&mut self, process: u8, action: u32, to: S) {
        self.steps.push((process, action, to));
    }
}

/// Checks a transition system.
#[derive(Debug)]
pub struct SystemCheck<'a, T: TransitionSystem> {
    system: &'a T,
    fairness: Fairness,
    algorithm: Algorithm,
    order: Order,
    store: StoreKind,
    threads: Option<usize>,
    limits: Limits,
}

impl<T: TransitionSystem> Clone for SystemCheck<'_, T> {
    fn clone(&self) -> Self {
        SystemCheck { ..*self }
    }
}

/// A search for one property.
struct Question<'q> {
    aim: Aim<'q>,
    options: Options,
    /// The formula that a counterexample is judged by.
    formula: Option<&'q Ltl>,
}

impl<'a, T: TransitionSystem> SystemCheck<'a, T> {
    /// A check with all defaults: breadth-first, one thread for each core, an automatic store, no fairness.
    pub fn new(system: &'a T) -> SystemCheck<'a, T> {
        SystemCheck {
            system,
            fairness: Fairness::None,
            algorithm: Algorithm::Auto,
            order: Order::BreadthFirst,
            store: StoreKind::Auto,
            threads: None,
            limits: Limits::default(),
        }
    }

    /// The fairness assumption of temporal properties.
    #[must_use]
    pub fn fairness(self, fairness: Fairness) -> Self {
        SystemCheck { fairness, ..self }
    }

    /// The algorithm that finds accepting cycles.
    #[must_use]
    pub fn algorithm(self, algorithm: Algorithm) -> Self {
        SystemCheck { algorithm, ..self }
    }

    /// The order of states.
    #[must_use]
    pub fn order(self, order: Order) -> Self {
        SystemCheck { order, ..self }
    }

    /// The store of invariants and deadlocks. Temporal properties use an exact store.
    #[must_use]
    pub fn store(self, store: StoreKind) -> Self {
        SystemCheck { store, ..self }
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        SystemCheck { threads: Some(threads), ..self }
    }

    /// The limits of each search.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        SystemCheck { limits, ..self }
    }

    /// Checks that no reachable state without steps is an invalid end state.
    pub fn deadlock_freedom(&self) -> Result<SystemVerdict<T::State>, Error> {
        let options = Options { end_states: true, ..self.options() };
        self.search(&Question { aim: Aim::Nothing, options, formula: None })
    }

    /// Checks that a proposition holds in every reachable state.
    pub fn invariant(&self, proposition: &str) -> Result<SystemVerdict<T::State>, Error> {
        let number = self.number(proposition)?;
        self.search(&Question { aim: Aim::Invariant(number), options: self.options(), formula: None })
    }

    /// Checks an invariant with a store of your own.
    pub fn invariant_with<S: Store>(
        &self,
        proposition: &str,
        store: impl Fn() -> S,
    ) -> Result<SystemVerdict<T::State>, Error> {
        let aim = Aim::Invariant(self.number(proposition)?);
        let options = self.options();
        let outcome = explore_with(
            store,
            &|| Box::new(Generator::new(self.system, aim)),
            &options,
            &self.budget(),
            &Progress::new(),
        );
        self.judge(&Question { aim, options, formula: None }, outcome)
    }

    /// Checks a formula of linear temporal logic over the propositions.
    pub fn ltl(&self, text: &str) -> Result<SystemVerdict<T::State>, Error> {
        plan::algorithm(self.algorithm, self.fairness, false)?;
        let bad = |problem: &Problem| Error::Input(question::formula_error("ltl", text, problem));
        let formula = parse::ltl(text).map_err(|problem| bad(&problem))?;
        let numbers = self.numbers(&formula.atoms)?;
        let too_large = |message: String| bad(&Problem::new(kripke_logic::Span::new(0, text.len()), message));
        let automaton: Buchi = translate(&formula.negated()).map_err(|e| too_large(e.to_string()))?.buchi;
        let cycles = Cycles { algorithm: self.algorithm, fairness: self.fairness, marks: 0 };
        let options = Options { cycles: Some(cycles), ..self.options() };
        let aim = Aim::Automaton { automaton: &automaton, numbers: &numbers };
        self.search(&Question { aim, options, formula: Some(&formula) })
    }

    /// Checks a formula of computation tree logic over the propositions.
    pub fn ctl(&self, text: &str) -> Result<SystemVerdict<T::State>, Error> {
        let bad = |problem: &Problem| Error::Input(question::formula_error("ctl", text, problem));
        let formula: Ctl = parse::ctl(text).map_err(|problem| bad(&problem))?;
        let numbers = self.numbers(&formula.atoms)?;
        let translated = question::ctl::translate(&formula, self.fairness);
        let options = Options { ctl: Some(translated.formula), ..self.options() };
        self.search(&Question { aim: Aim::Labels { numbers: &numbers }, options, formula: None })
    }

    fn options(&self) -> Options {
        let SystemCheck { order, store, threads, .. } = *self;
        Options { order, store, threads, assertions: false, end_states: false, ..Options::default() }
    }

    fn budget(&self) -> Budget {
        let Limits { max_depth, max_states, memory, timeout } = self.limits;
        Budget {
            max_depth,
            max_states,
            memory: memory.or_else(crate::memory::default_limit),
            taken: crate::memory::now(),
            deadline: timeout.and_then(|timeout| std::time::Instant::now().checked_add(timeout)),
            ..Budget::default()
        }
    }

    fn search(&self, question: &Question<'_>) -> Result<SystemVerdict<T::State>, Error> {
        let make = || Box::new(Generator::new(self.system, question.aim)) as Box<dyn kripke_model::Successors + '_>;
        let outcome = explore(&make, &question.options, &self.budget(), &Progress::new());
        self.judge(question, outcome)
    }

    /// The verdict. A counterexample is executed again, and judged by the definitions of run, formula and fairness.
    fn judge(
        &self,
        question: &Question<'_>,
        outcome: kripke_search::Outcome,
    ) -> Result<SystemVerdict<T::State>, Error> {
        let (states, transitions) = (outcome.statistics.states, outcome.statistics.transitions);
        let proven = match &outcome.end {
            End::Exhausted(exhausted) => exhausted.error_free().is_some(),
            End::Decided(_) => true,
            End::Violation => false,
            End::Stopped(limit) => return Ok(SystemVerdict::Inconclusive(limit.clone())),
        };
        let Some(violation) = outcome.violations.first() else {
            return match proven {
                true => Ok(SystemVerdict::Holds { states, transitions }),
                false => Err(Error::Bug("an error without a counterexample".to_string())),
            };
        };
        let run = Generator::new(self.system, question.aim).replay(&violation.trail);
        if !self.is_confirmed(question, &violation.error, &run) {
            return Err(Error::Bug("a counterexample could not be confirmed".to_string()));
        }
        Ok(SystemVerdict::Violated(Box::new(run)))
    }

    fn is_confirmed(&self, question: &Question<'_>, error: &ErrorKind, run: &SystemRun<T::State>) -> bool {
        judge::is_run(self.system, run)
            && match (question.aim, question.formula, error) {
                (Aim::Automaton { numbers, .. }, Some(formula), ErrorKind::Cycle) => {
                    judge::refutes(self.system, formula, numbers, run)
                        && judge::is_fair(self.system, self.fairness, run)
                }
                (Aim::Invariant(number), _, ErrorKind::Goal) => !self.system.holds(number, &run.last),
                (_, _, ErrorKind::InvalidEnd) => !self.system.may_end(&run.last),
                _ => true,
            }
    }

    fn number(&self, proposition: &str) -> Result<usize, Error> {
        let known = self.system.propositions();
        known.iter().position(|name| *name == proposition).ok_or_else(|| {
            let message = format!("no proposition `{proposition}`; the system has {}", known.join(", "));
            Error::Input(InputError::whole(Path::new("the transition system"), &message))
        })
    }

    /// The number of each atom of a formula.
    fn numbers(&self, atoms: &Atoms) -> Result<Vec<usize>, Error> {
        atoms.iter().map(|(_, atom)| self.number(atom.text.trim())).collect()
    }
}
