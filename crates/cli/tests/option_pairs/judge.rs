//! What a run may answer.

use serde_json::Value;

use crate::models::{Answer, Known};

/// What the arguments of a run ask.
pub struct Asked<'a> {
    pub model: &'a Known,
    pub arguments: &'a [String],
}

/// A question of `check`, in the words of the report.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Question {
    Safety,
    Stated,
    Ltl,
    LtlFile,
    Hoa,
    Ctl,
    Reach,
    Invariant,
    Acceptance,
    Progress,
}

use Question::{Acceptance, Ctl, Hoa, Invariant, Ltl, LtlFile, Progress, Reach, Safety, Stated};

const BY_OPTION: [(&str, Question); 10] = [
    ("--safety", Safety),
    ("-N", Stated),
    ("--ltl", Ltl),
    ("--ltl-file", LtlFile),
    ("--hoa", Hoa),
    ("--ctl", Ctl),
    ("--reach", Reach),
    ("--invariant", Invariant),
    ("-a", Acceptance),
    ("-l", Progress),
];

/// Whether a question may be answered by holds, and by violated.
struct May {
    hold: bool,
    fail: bool,
}

impl Asked<'_> {
    fn has(&self, option: &str) -> bool {
        self.arguments.iter().any(|a| a == option)
    }

    fn questions(&self) -> Vec<Question> {
        let given = |option: &str| {
            self.arguments
                .iter()
                .any(|a| a == option || option.starts_with("--") && a.starts_with(&format!("{option}=")))
        };
        let mut all: Vec<Question> = BY_OPTION.iter().filter(|(o, _)| given(o)).map(|(_, q)| *q).collect();
        if all.is_empty() || all == [Safety] {
            // A property process of DVE is a part of the system: safety is asked for apart.
            let watched = self.model.stated.is_some_and(|(_, kind, _)| kind == "process");
            all = match self.model.stated {
                Some(_) if self.has("--no-claim") => vec![Safety],
                Some(_) if watched && all.is_empty() => vec![Stated],
                Some(_) => vec![Safety, Stated],
                None => vec![Safety],
            };
        }
        all
    }

    /// The reachable errors of safety that count.
    fn errors(&self) -> Vec<&'static str> {
        let ignored = [("assertion", "-A"), ("invalid_end_state", "-E")];
        let is_ignored = |kind: &str| ignored.iter().any(|(k, option)| *k == kind && self.has(option));
        self.model.errors.iter().copied().filter(|kind| !is_ignored(kind)).collect()
    }

    fn is_fair(&self) -> bool {
        self.has("-f") || self.arguments.iter().any(|a| a.starts_with("--fair="))
    }

    fn holds(&self, answer: Answer) -> bool {
        match answer {
            Answer::Holds => true,
            Answer::Violated => false,
            Answer::HoldsIfFair => self.is_fair(),
        }
    }

    /// The answer by itself, whatever else is wrong with the model.
    fn own(&self, question: Question) -> bool {
        let model = self.model;
        let claimed = !self.has("--no-claim");
        match question {
            Safety => self.errors().is_empty(),
            Stated => model.stated.is_none_or(|(_, _, answer)| self.holds(answer)),
            Ltl | LtlFile => self.holds(model.ltl.1),
            Ctl => self.holds(model.ctl.1),
            Reach | Invariant | Hoa => !model.reach.1,
            Acceptance => match model.stated {
                Some((_, "never" | "process", answer)) if claimed => self.holds(answer),
                _ => self.holds(model.acceptance),
            },
            Progress => self.holds(model.progress),
        }
    }

    /// A question about runs is answered by another error, too, if that comes first; cycles, only if there is none.
    fn may(&self, question: Question) -> May {
        let own = self.own(question);
        let errors = self.errors();
        let apart = self.questions().contains(&Safety);
        let fault = errors.iter().any(|kind| !["assertion", "invalid_end_state"].contains(kind));
        let other = match question {
            Safety | Reach | Invariant | Ctl => fault && question != Safety,
            Stated | Ltl | LtlFile | Hoa => fault || errors.contains(&"assertion"),
            Acceptance | Progress => !errors.is_empty(),
        };
        let must = matches!(question, Acceptance | Progress) && other && !apart;
        // A run that ends is not impartial: what only such runs violate holds.
        let impartial = self.has("--fair=impartial") && self.model.errors.contains(&"invalid_end_state");
        let temporal = !matches!(question, Safety | Reach | Invariant);
        May { hold: own && !must || impartial && temporal, fail: !own || other }
    }

    /// Compares the exit status and, if there is one, the report.
    pub fn judge(&self, status: i32, report: Option<&Value>) -> Result<(), String> {
        let questions = self.questions();
        let all: Vec<(Question, May)> = questions.iter().map(|q| (*q, self.may(*q))).collect();
        let right = match status {
            0 => all.iter().all(|(_, may)| may.hold),
            _ => all.iter().any(|(_, may)| may.fail),
        };
        if !right {
            return Err(format!("exit status {status} for {questions:?}"));
        }
        report.map_or(Ok(()), |report| self.each(&all, report))
    }

    /// Every question has its own answer in the report.
    fn each(&self, all: &[(Question, May)], report: &Value) -> Result<(), String> {
        let properties = report["properties"].as_array().ok_or("no properties")?;
        let mut kinds: Vec<&str> = properties.iter().filter_map(|p| p["kind"].as_str()).collect();
        let mut asked: Vec<&str> = all.iter().map(|(question, _)| self.kind(*question)).collect();
        kinds.sort_unstable();
        asked.sort_unstable();
        if kinds != asked {
            return Err(format!("asked {asked:?}, answered {kinds:?}"));
        }
        for property in properties {
            let kind = property["kind"].as_str().unwrap_or_default();
            let mut mays = all.iter().filter(|(question, _)| self.kind(*question) == kind).map(|(_, may)| may);
            let fits = match property["verdict"].as_str() {
                Some("holds") => mays.any(|may| may.hold),
                Some("violated") => mays.any(|may| may.fail),
                _ => true,
            };
            if !fits {
                return Err(format!("{} of {kind} {}", property["verdict"], property["name"]));
            }
        }
        Ok(())
    }

    fn kind(&self, question: Question) -> &'static str {
        match question {
            Safety => "safety",
            Stated => self.model.stated.map_or("none", |(_, kind, _)| kind),
            Ltl | LtlFile => "ltl",
            Hoa => "automaton",
            Ctl => "ctl",
            Reach => "reachability",
            Invariant => "invariant",
            Acceptance => "acceptance",
            Progress => "progress",
        }
    }
}
