//! Kripke: explicit-state model checking.
//!
//! A *model* describes a concurrent system: processes, variables, channels. It has states and steps between them. A model
//! checker explores every reachable state, over every interleaving of the processes, and decides whether a *property* holds:
//! that no assertion fails and no state is a deadlock (*safety*), that every run satisfies a formula of *linear temporal
//! logic* (LTL), or that the tree of all runs satisfies one of *computation tree logic* (CTL). If it does not, there is a
//! *counterexample*: a run that shows why. A counterexample is replayed by the reference interpreter and judged by the
//! definition of the property before it is reported.
//!
//! ```
//! use kripke::{Check, Fairness, Language, Model, Verdict};
//!
//! let model = Model::parse(Language::PROMELA, r#"
//!     bool want[2]; byte turn, critical;
//!     active [2] proctype P() {
//!         do
//!         :: want[_pid] = true; turn = 1 - _pid;
//!            (!want[1 - _pid] || turn == _pid);
//!            critical++; assert(critical == 1); critical--;
//!            want[_pid] = false
//!         od
//!     }
//! "#)?;
//! match Check::new(&model).safety().ltl("[] (want[0] -> <> !want[0])").fairness(Fairness::Weak).run()? {
//!     Verdict::Holds(proof) => println!("holds, {} states", proof.states),
//!     Verdict::Violated(run) => panic!("{run}"),
//!     Verdict::Inconclusive(why) => panic!("{why}"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`Model`] and [`Check`] are the front door: a text, questions, a [`Verdict`].
//! * [`transition_system`] checks a system written in Rust instead of a modelling language.
//! * [`request`], [`plan`] and [`run`] are the doors behind it: everything that can be asked, every decision about what is
//!   sound together, and what happens with it. The program `kripke` uses these.
//! * [`monitor`] listens to a check: phases, progress, warnings, answers.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod accelerated;
pub mod answer;
mod cause;
mod check;
mod coverage;
mod decisions;
pub mod distributed;
pub mod error;
pub mod explain;
pub mod files;
pub mod graph;
mod interference;
pub mod judge;
mod lassos;
pub mod layers;
pub mod load;
pub mod memory;
pub mod monitor;
pub mod overflow;
pub mod picture;
pub mod plan;
pub mod question;
pub mod replay;
pub mod request;
pub mod run;
pub mod scope;
mod shortest;
pub mod spin;
pub mod stepping;
pub mod survey;
pub mod symmetric;
pub mod task;
pub mod transition_system;
pub mod vacuity;

pub use check::{Check, Model, Proof, Verdict, Violation};
pub use error::Error;
pub use load::InputError;
pub use request::{Fairness, Language, Request};
