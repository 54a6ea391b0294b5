//! What was compared, so that it can be seen that it was enough of everything.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use kripke_tests::opinion::question::{Opinion, Question};
use kripke_tests::opinion::system::Language;

use crate::case::{Case, LeftOut, fairness};

#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// How many verdicts there were of each sort; each counts in several.
    sorts: BTreeMap<String, usize>,
    compared: usize,
    refused: usize,
    inconclusive: usize,
    /// How many systems there were, and how many nothing was asked about.
    systems: usize,
    left_out: BTreeMap<LeftOut, usize>,
    /// Why things were refused.
    reasons: BTreeMap<String, usize>,
}

impl Tally {
    pub fn compared(&self) -> usize {
        self.compared
    }

    pub fn add(&mut self, other: &Tally) {
        self.compared += other.compared;
        self.refused += other.refused;
        self.inconclusive += other.inconclusive;
        other.sorts.iter().for_each(|(sort, n)| *self.sorts.entry(sort.clone()).or_default() += n);
        other.reasons.iter().for_each(|(why, n)| *self.reasons.entry(why.clone()).or_default() += n);
    }

    pub fn system(&mut self, left_out: Option<&LeftOut>) {
        self.systems += 1;
        left_out.into_iter().for_each(|why| *self.left_out.entry(*why).or_default() += 1);
    }

    pub fn refused(&mut self, why: &str) {
        self.refused += 1;
        *self
            .reasons
            .entry(format!("refused: {}", why.lines().take(3).collect::<Vec<_>>().join(" | ")))
            .or_default() += 1;
    }

    pub fn compared_one(&mut self, case: &Case, question: &Question, opinion: &Opinion, verdict: &str) {
        if verdict == "inconclusive" && !opinion.proposition_faults && !opinion.step_errors {
            self.inconclusive += 1;
        } else {
            self.counted(case, question, opinion.holds);
        }
    }

    pub fn counted(&mut self, case: &Case, question: &Question, holds: Option<bool>) {
        self.compared += 1;
        let (kind, _) = case.name(question);
        let mut count = |sort: String| *self.sorts.entry(sort).or_default() += 1;
        let answer = match holds {
            Some(true) => "holds",
            Some(false) => "violated",
            None => "not decided",
        };
        count(format!("{kind} {answer}"));
        if question.depends_on_fairness() {
            count(format!("fair {} {kind}", fairness(case.fairness)));
        }
        count(format!("language {}", word(case.system.language)));
        if case.stated.as_ref() == Some(question) {
            count("stated in the model".to_string());
        }
        case.options.iter().for_each(|o| count(format!("option {o}")));
    }

    pub fn text(&self, time: Duration) -> String {
        let mut out = String::new();
        let rate = self.compared as f64 / time.as_secs_f64();
        let _ = writeln!(out, "{} verdicts compared in {:.1} s ({rate:.0}/s)", self.compared, time.as_secs_f64());
        let _ = writeln!(out, "{} refused, {} inconclusive", self.refused, self.inconclusive);
        let _ = writeln!(out, "{} systems, left out: {:?}", self.systems, self.left_out);
        for (sort, n) in self.sorts.iter().chain(&self.reasons) {
            let _ = writeln!(out, "{n:9}  {sort}");
        }
        out
    }

    /// There is enough of each sort, and little was refused.
    pub fn check_floors(&self, wanted: usize) {
        assert!(self.compared >= wanted);
        let left_out = self.refused + self.inconclusive;
        assert!(left_out * 20 <= self.compared, "{left_out} of {} verdicts left out", self.compared);
        for (why, share) in CEILINGS {
            let n = self.left_out.get(why).copied().unwrap_or(0);
            assert!(n * 1000 <= share * self.systems.max(1000), "{n} of {} systems left out: {why:?}", self.systems);
        }
        for sort in FLOORS {
            let n = self.sorts.get(*sort).copied().unwrap_or(0);
            assert!(n * 1000 >= wanted, "only {n} verdicts of sort `{sort}`");
        }
    }
}

fn word(language: Language) -> &'static str {
    match language {
        Language::Promela => "promela",
        Language::Dve => "dve",
        Language::Esml => "esml",
    }
}

/// How many of a thousand systems may be left out.
const CEILINGS: &[(LeftOut, usize)] = &[(LeftOut::Large, 80), (LeftOut::Unclear, 15), (LeftOut::Endless, 3)];

/// Each must be at least one in a thousand verdicts.
const FLOORS: &[&str] = &[
    "safety holds",
    "safety violated",
    "reachability holds",
    "reachability violated",
    "ltl holds",
    "ltl violated",
    "ctl holds",
    "ctl violated",
    "acceptance holds",
    "acceptance violated",
    "progress holds",
    "progress violated",
    "fair none ltl",
    "fair weak ltl",
    "fair strong ltl",
    "fair strong-transitions ltl",
    "fair impartial ltl",
    "fair none ctl",
    "fair weak ctl",
    "fair strong ctl",
    "fair strong-transitions ctl",
    "fair impartial ctl",
    "fair weak acceptance",
    "fair weak progress",
    "language promela",
    "language dve",
    "language esml",
    "stated in the model",
    "option --store cache",
    "option --raw",
    "option --engine interpret",
    "option --store tree",
    "option --store exact",
    "option --search bfs",
    "option --search dfs",
    "option --cycles scc",
    "option --cycles nested",
    "option --cycles cndfs",
    "option --cycles ufscc",
    "option -j 1",
    "option -j 2",
    "option -j 3",
    "option --compact",
    "option --symmetry",
    "option --audit=1",
    "option --no-partial-order",
    "option --no-coarsening",
    "option --no-dead-variables",
    "option --no-slicing",
    "option --all-errors",
];
