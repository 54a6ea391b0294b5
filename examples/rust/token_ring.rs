//! A transition system of your own: a token ring in plain Rust, checked for an invariant, LTL with weak fairness and CTL, on
//! two threads.
//!
//! `cargo run -p kripke --example token_ring`

use kripke::transition_system::{Steps, SystemCheck, SystemVerdict, TransitionSystem};
use kripke::{Error, Fairness};
use serde::{Deserialize, Serialize};

/// Stations in a ring pass a token around. The station with the token may work, once, before it passes the token on.
#[derive(Debug)]
pub struct TokenRing {
    pub stations: u8,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct State {
    token: u8,
    working: Vec<bool>,
}

const WORK: u32 = 0;
const PASS: u32 = 1;

const PROPOSITIONS: [&str; 3] = ["exclusive", "working_0", "idle"];

impl TransitionSystem for TokenRing {
    type State = State;

    fn initial(&self) -> State {
        State { token: 0, working: vec![false; self.stations.into()] }
    }

    fn expand(&self, state: &State, steps: &mut Steps<'_, State>) {
        let holder = state.token;
        let mut next = state.clone();
        if !state.working[usize::from(holder)] {
            next.working[usize::from(holder)] = true;
            steps.add(holder, WORK, next.clone());
        }
        next.working[usize::from(holder)] = false;
        next.token = (holder + 1) % self.stations;
        steps.add(holder, PASS, next);
    }

    fn propositions(&self) -> &[&str] {
        &PROPOSITIONS
    }

    fn holds(&self, proposition: usize, state: &State) -> bool {
        let working = state.working.iter().filter(|working| **working).count();
        match PROPOSITIONS[proposition] {
            "exclusive" => working <= 1,
            "working_0" => state.working[0],
            _ => working == 0,
        }
    }

    fn processes(&self) -> u8 {
        self.stations
    }

    fn may_end(&self, _: &State) -> bool {
        false
    }

    fn action_name(&self, action: u32) -> String {
        ["work", "pass the token"][action as usize].to_string()
    }
}

pub fn main() -> Result<(), Error> {
    let ring = TokenRing { stations: 5 };
    let check = SystemCheck::new(&ring).threads(2);
    show("never a deadlock", &check.deadlock_freedom()?);
    show("at most one station works", &check.invariant("exclusive")?);
    show("the ring is idle again and again", &check.clone().fairness(Fairness::Weak).ltl("[] <> idle")?);
    // A station may pass the token without working, every time.
    show("station 0 works at last", &check.clone().fairness(Fairness::Weak).ltl("<> working_0")?);
    show("station 0 can always work again", &check.ctl("AG EF working_0")?);
    Ok(())
}

fn show(property: &str, verdict: &SystemVerdict<State>) {
    match verdict {
        SystemVerdict::Holds { states, .. } => println!("{property}: holds ({states} states)"),
        SystemVerdict::Violated(run) => println!("{property}: violated\n{run}"),
        SystemVerdict::Inconclusive(limit) => println!("{property}: inconclusive, {limit:?}"),
    }
}
