//! One command: a system, questions about it, and options.

use kripke_tests::opinion::fairness::Fairness;
use kripke_tests::opinion::graph::Graph;
use kripke_tests::opinion::print;
use kripke_tests::opinion::question::{self, Question};
use kripke_tests::opinion::random::{self, Generator};
use kripke_tests::opinion::system::{Expr, Language, System};

use crate::options;

/// Systems with more states are left out.
pub const MOST_STATES: usize = 250;

#[derive(Clone, Debug)]
pub struct Case {
    pub system: System,
    pub questions: Vec<Question>,
    pub fairness: Fairness,
    pub options: Vec<&'static str>,
    /// This formula stands in the model.
    pub stated: Option<Question>,
}

/// Why nothing is asked about a system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LeftOut {
    /// It has more than [`MOST_STATES`] states.
    Large,
    /// Definitions do not say what can be executed.
    Unclear,
    /// It has an atomic sequence without an end.
    Endless,
}

impl Case {
    /// Some commands about one system.
    pub fn all(seed: u64) -> Result<Vec<Case>, LeftOut> {
        let mut generator = random::system(seed);
        let graph = small_graph(&generator.system)?;
        let mut out: Vec<Case> = (0..3).map(|_| Case::random(&mut generator)).collect();
        // What is checked if nothing else is asked; more of that where there is something to be found.
        for _ in 0..if graph.some(|n| n.fault || n.assertion) { 5 } else { 2 } {
            let options = options::plain(&mut generator.random, generator.system.language);
            out.push(Case { questions: vec![Question::Safety], options, stated: None, ..out[0].clone() });
        }
        Ok(out)
    }

    fn random(g: &mut Generator) -> Case {
        let fair = g.random.percent(65);
        let fairness = if fair { g.random.pick(&Fairness::ALL[1..]) } else { Fairness::None };
        let mut questions = Vec::new();
        if g.system.language == Language::Promela {
            questions.extend(g.random.percent(50).then_some(Question::Acceptance));
            questions.extend(g.random.percent(50).then_some(Question::NonProgress));
        }
        questions.extend(g.random.percent(40).then_some(Question::Safety));
        questions.extend((0..2).map(|_| Question::Reach(g.proposition())));
        questions.extend((0..5).map(|_| Question::Ltl(question::ltl(g))));
        questions.extend((0..5).map(|_| Question::Ctl(question::ctl(g, 3))));
        let mut case =
            Case { system: g.system.clone(), questions: Vec::new(), fairness, options: Vec::new(), stated: None };
        for question in questions {
            // Answers are found by the text of the question.
            if !case.questions.iter().any(|q| case.name(q) == case.name(&question)) {
                case.questions.push(question);
            }
        }
        case.options = options::random(&mut g.random, case.system.language);
        if case.fairness != Fairness::None || case.has("--all-errors") {
            // Others are refused: they find one cycle, and whether it is fair only a component tells.
            case.options.retain(|o| !o.starts_with("--cycles") || *o == "--cycles scc");
        }
        if g.system.language == Language::Promela && g.random.percent(30) {
            case.stated = case.questions.iter().find(|q| can_be_stated(q)).cloned();
        }
        case
    }

    /// The text of the model.
    pub fn model(&self) -> String {
        let model = print::model(&self.system);
        match &self.stated {
            Some(Question::Ltl(f)) => format!("{model}ltl q {{ {} }}\n", print::ltl(&self.system, f)),
            _ => model,
        }
    }

    pub fn has(&self, option: &str) -> bool {
        self.options.contains(&option)
    }

    pub fn asks_safety(&self) -> bool {
        self.questions.contains(&Question::Safety)
    }

    /// The kind and the name of a property in results.
    pub fn name(&self, question: &Question) -> (&'static str, String) {
        match question {
            _ if self.stated.as_ref() == Some(question) => ("ltl", "q".to_string()),
            Question::Safety => ("safety", "safety".to_string()),
            Question::Acceptance => ("acceptance", "acceptance".to_string()),
            Question::NonProgress => ("progress", "non-progress".to_string()),
            Question::Reach(e) => ("reachability", print::condition(&self.system, e)),
            Question::Ltl(f) => ("ltl", print::ltl(&self.system, f)),
            Question::Ctl(f) => ("ctl", print::ctl(&self.system, f)),
        }
    }

    pub fn file(&self) -> String {
        format!("m.{}", print::extension(self.system.language))
    }

    pub fn arguments(&self) -> Vec<String> {
        let mut out = vec!["check".to_string(), self.file()];
        for question in &self.questions {
            let (_, name) = self.name(question);
            match question {
                _ if self.stated.as_ref() == Some(question) => out.extend(["-N".to_string(), name]),
                Question::Safety if self.questions.len() == 1 => {}
                Question::Safety => out.push("--safety".to_string()),
                Question::Acceptance => out.push("-a".to_string()),
                Question::NonProgress => out.push("-l".to_string()),
                Question::Reach(_) => out.extend(["--reach".to_string(), name]),
                Question::Ltl(_) => out.extend(["--ltl".to_string(), name]),
                Question::Ctl(_) => out.extend(["--ctl".to_string(), name]),
            }
        }
        if self.fairness != Fairness::None {
            out.extend(["--fair".to_string(), fairness(self.fairness).to_string()]);
        }
        out.extend(self.options.iter().flat_map(|o| o.split(' ')).map(String::from));
        out
    }
}

/// The graph of a system that questions can be asked about.
pub fn small_graph(system: &System) -> Result<Graph, LeftOut> {
    let graph = Graph::of(system, MOST_STATES).ok_or(LeftOut::Large)?;
    match (graph.endless, graph.unclear) {
        (true, _) => Err(LeftOut::Endless),
        (false, true) => Err(LeftOut::Unclear),
        (false, false) => Ok(graph),
    }
}

/// Conditional expressions can't stand in formulas of a model.
fn can_be_stated(question: &Question) -> bool {
    let mut plain = matches!(question, Question::Ltl(_));
    question.propositions().iter().for_each(|e| e.walk(&mut |e| plain &= !matches!(e, Expr::Cond(..))));
    plain
}

pub fn fairness(fairness: Fairness) -> &'static str {
    match fairness {
        Fairness::None => "none",
        Fairness::Weak => "weak",
        Fairness::Strong => "strong",
        Fairness::StrongTransitions => "strong-transitions",
        Fairness::Impartial => "impartial",
    }
}
