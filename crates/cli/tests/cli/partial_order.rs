//! Whatever is left out, verdicts are those of the raw model: random programs in random configurations, and the corpus.
//! All the while, audits try out whether what is left out may be.
//!
//! `KRIPKE_ORDERED` says how many random programs are looked at, `KRIPKE_RANDOM_SEED` where to begin, and
//! `KRIPKE_ORDERED_MAX_STATES` how large models of the corpus may be.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kripke_tests::generate::{Program, Random, condition, formula, loose, program, shrink};
use kripke_tests::table::Table;
use kripke_tests::{parallel, places};
use serde_json::Value;
use tempfile::TempDir;

/// Random programs with more states are passed over.
const STATES: &str = "3k";

/// The plainest way to search; for so few states compiling does not pay.
const RAW: [&str; 3] = ["--raw", "-j1", "--engine=interpret"];

/// What the program says about a model, as JSON. None if it gives up.
fn ask(file: &Path, arguments: &[&str]) -> Result<Option<Value>, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kripke"));
    command.arg("check").arg(file).args(["--format", "json", "--no-trail", "-q"]).args(arguments);
    let output = command.output().expect("the program can be started");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    match output.status.code() {
        Some(0 | 1) => serde_json::from_str(&said).map(Some).map_err(|e| format!("{e}: {said}")),
        Some(2 | 3) => Ok(None),
        _ => Err(format!("{}: {errors}", arguments.join(" "))),
    }
}

/// The verdict on each thing that was asked.
fn verdicts(said: &Value) -> Vec<String> {
    let properties = said["properties"].as_array().into_iter().flatten();
    properties.map(|property| format!("{} {}", property["name"], property["verdict"])).collect()
}

/// Which kinds of errors there are.
fn kinds(said: &Value) -> Vec<(&'static str, bool)> {
    let kinds = ["assertion", "invalid_end_state", "fault"];
    kinds.map(|kind| (kind, said["errors"][kind].as_u64().is_some_and(|n| n > 0))).to_vec()
}

/// One way to search.
fn configuration(random: &mut Random) -> Vec<&'static str> {
    let mut out = vec!["--audit=1"];
    let mut either = |options: &[&'static str]| out.push(options[random.below(options.len())]);
    either(&["-j1", "-j2", "-j3"]);
    either(&["--search=bfs", "--search=bfs", "--search=dfs"]);
    either(&["--store=exact", "--store=tree", "--store=auto"]);
    either(&["--engine=compile", "--engine=interpret"]);
    either(&["", "", "--no-coarsening"]);
    either(&["", "", "--no-dead-variables"]);
    either(&["", "", "--no-slicing"]);
    either(&["", "", "", "", "--no-partial-order"]);
    either(&["", "", "--compact"]);
    either(&["--cycles=auto", "--cycles=scc", "--cycles=nested", "--cycles=cndfs", "--cycles=ufscc"]);
    out.retain(|option| !option.is_empty());
    if out.contains(&"--no-partial-order") {
        out.retain(|option| *option != "--audit=1");
    }
    out
}

/// A program and everything that is asked about it.
struct Case {
    seed: u64,
    safety: Vec<&'static str>,
    first: Vec<&'static str>,
    temporal: Vec<&'static str>,
    formula: String,
    condition: &'static str,
}

/// What came of it.
enum Came {
    Nothing,
    Equal { reduced: bool },
    Different(String),
}

impl Case {
    fn new(seed: u64) -> Case {
        let mut random = Random::new(seed ^ 0x00c0_4f16);
        let (safety, mut first, temporal) =
            (configuration(&mut random), configuration(&mut random), configuration(&mut random));
        first.push(if random.one_in(2) { "--no-assertions" } else { "--no-end-states" });
        Case { seed, safety, first, temporal, formula: formula(seed), condition: condition(seed) }
    }

    fn program(&self) -> Program {
        // One in five is of those that are made to be difficult, not to be reduced.
        if self.seed.is_multiple_of(5) { program(self.seed) } else { loose(self.seed) }
    }

    fn asked(&self) -> Vec<&str> {
        let mut out = vec!["--no-claim", "--acceptance", "--non-progress", "--no-assertions", "--max-states", STATES];
        // A question about states, so that no option of the search is without effect.
        out.extend(["--reach", self.condition]);
        if !self.seed.is_multiple_of(5) {
            out.extend(["--ltl", &self.formula]);
        }
        out
    }

    fn compare(&self, file: &Path) -> Result<Came, String> {
        let safety = ["--no-claim", "--safety", "--max-states", STATES];
        let Some(raw) = ask(file, &[&safety[..], &["--all-errors"], &RAW].concat())? else {
            return Ok(Came::Nothing);
        };
        if raw["complete"] != true {
            return Ok(Came::Nothing);
        }
        let Some(all) = ask(file, &[&safety[..], &["--all-errors"], &self.safety].concat())? else {
            return Ok(Came::Different(format!("{}: no verdict", self.safety.join(" "))));
        };
        if all["complete"] != true {
            return Ok(Came::Nothing);
        }
        if kinds(&raw) != kinds(&all) {
            let (raw, all) = (kinds(&raw), kinds(&all));
            return Ok(Came::Different(format!("{}: {all:?}, but raw {raw:?}", self.safety.join(" "))));
        }
        let ignored = if self.first.contains(&"--no-assertions") { "assertion" } else { "invalid_end_state" };
        let wrong = kinds(&raw).iter().any(|(kind, found)| *found && *kind != ignored);
        if let Some(one) = ask(file, &[&safety[..], &self.first].concat())?
            && (one["verdict"] == "violated") != wrong
        {
            return Ok(Came::Different(format!("{}: {}", self.first.join(" "), one["verdict"])));
        }
        let reduced = |said: &Value| {
            let reductions = said["options"]["reductions"].as_array();
            reductions.is_some_and(|all| all.iter().any(|one| one == "partial-order"))
                && said["options"]["audited"].as_u64() > Some(0)
        };
        let reduced = reduced(&all) && all["states"].as_u64() < raw["states"].as_u64();
        self.compare_temporal(file).map(|difference| difference.map_or(Came::Equal { reduced }, Came::Different))
    }

    fn compare_temporal(&self, file: &Path) -> Result<Option<String>, String> {
        let asked = self.asked();
        let raw = ask(file, &[&asked[..], &RAW].concat())?;
        let all = ask(file, &[&asked[..], &self.temporal].concat())?;
        let (Some(raw), Some(all)) = (raw, all) else { return Ok(None) };
        let (mut raw, mut all) = (verdicts(&raw), verdicts(&all));
        // Some may take too many states by themselves.
        let finished = |verdicts: &[String], n: usize| verdicts.get(n).is_some_and(|v| !v.contains("inconclusive"));
        let both: Vec<bool> = (0..raw.len()).map(|n| finished(&raw, n) && finished(&all, n)).collect();
        for verdicts in [&mut raw, &mut all] {
            let mut both = both.iter();
            verdicts.retain(|_| *both.next().unwrap_or(&true));
        }
        let arguments = [&asked[..], &self.temporal].concat().join(" ");
        Ok((raw != all).then(|| format!("{arguments}: {all:?}, but raw {raw:?}")))
    }

    /// With a program in place of its own.
    fn came_of(&self, program: &Program, file: &Path) -> Came {
        fs::write(file, program.text()).expect("files can be written");
        self.compare(file).unwrap_or_else(Came::Different)
    }
}

#[test]
fn random_programs_have_the_same_verdicts() {
    let first: u64 = places::setting("KRIPKE_RANDOM_SEED", 1);
    let seeds: Vec<u64> = (first..first + places::setting("KRIPKE_ORDERED", 100)).collect();
    let folder = TempDir::with_prefix("kripke-ordered-").expect("folders can be made");
    let results = parallel::map(&seeds, |seed| {
        let (case, file) = (Case::new(*seed), folder.path().join(format!("{seed}.pml")));
        let came = case.came_of(&case.program(), &file);
        let came = match came {
            Came::Different(_) => {
                let small = shrink(case.program(), |p| matches!(case.came_of(p, &file), Came::Different(_)));
                let Came::Different(how) = case.came_of(&small, &file) else { unreachable!("it was different") };
                Came::Different(format!("seed {seed}, made smaller:\n{}{how}\n", small.text()))
            }
            came => came,
        };
        // What is left over does no harm.
        let _ = fs::remove_file(&file);
        came
    });
    let (mut equal, mut smaller, mut wrong) = (0, 0, Vec::new());
    for result in results {
        match result.unwrap_or_else(Came::Different) {
            Came::Nothing => {}
            Came::Equal { reduced } => {
                equal += 1;
                smaller += usize::from(reduced);
            }
            Came::Different(how) => wrong.push(how),
        }
    }
    places::notice(&format!("{equal} of {} random programs compared with raw, {smaller} were ordered", seeds.len()));
    assert!(wrong.is_empty(), "{} programs differ:\n\n{}", wrong.len(), wrong.join("\n"));
    assert!(smaller * 5 >= seeds.len(), "only {smaller} of {} were ordered: the comparison says little", seeds.len());
}

/// A model of the corpus, and how to ask about it.
struct Question {
    path: PathBuf,
    arguments: Vec<String>,
    /// All errors are counted.
    safety: bool,
}

impl Question {
    /// About a line of SPIN's table: nothing if it is about fairness, which counts every move.
    fn spin(models: &Path, path: &str, mode: &str) -> Option<Question> {
        let (kind, name) = mode.trim_end_matches(']').split_once('[').unwrap_or((mode, ""));
        let arguments = match kind {
            "raw" => vec!["--no-claim", "--safety", "--all-errors"],
            "np" => vec!["--non-progress", "-E"],
            "accept" if name.is_empty() => vec!["--acceptance", "-E"],
            "accept" => vec!["--property", name, "-E"],
            _ => return None,
        };
        let arguments = arguments.into_iter().map(String::from).collect();
        Some(Question { path: models.join(path), arguments, safety: kind == "raw" })
    }

    fn ask(&self, how: &[&str]) -> Result<Option<Value>, String> {
        let mut arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        arguments.extend(["--timeout", "60s", "--mem", "3G"]);
        arguments.extend(how);
        ask(&self.path, &arguments)
    }

    /// What counts of an answer.
    fn gist(&self, said: &Value) -> String {
        let mut kinds = kinds(said);
        if claims(&self.path) {
            // Raw searches do not look at them.
            kinds.retain(|(kind, _)| *kind != "fault");
        }
        if self.safety { format!("{kinds:?}") } else { format!("{:?}", verdicts(said)) }
    }

    /// What is different, and how many states were audited.
    fn compare(&self) -> (Option<String>, u64) {
        let name = format!("{} {}", self.path.display(), self.arguments.join(" "));
        let raw = match self.ask(&["--raw", "-j2"]) {
            Ok(Some(raw)) => self.gist(&raw),
            Ok(None) => return (None, 0),
            Err(e) => return (Some(e), 0),
        };
        let mut audited = 0;
        for threads in ["-j1", "-j2"] {
            match self.ask(&["--audit", threads]) {
                Ok(Some(all)) if self.gist(&all) == raw => audited += all["options"]["audited"].as_u64().unwrap_or(0),
                Ok(Some(all)) => {
                    return (Some(format!("{name} {threads}: {}, but raw {raw}", self.gist(&all))), audited);
                }
                Ok(None) => return (Some(format!("{name} {threads}: no verdict")), audited),
                Err(e) => return (Some(format!("{name}: {e}")), audited),
            }
        }
        (None, audited)
    }
}

/// Whether a model claims channels for some processes.
fn claims(path: &Path) -> bool {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "xr" || word == "xs")
}

#[test]
fn models_of_the_corpus_have_the_same_verdicts() {
    let Some(corpus) = places::corpus() else { return };
    let largest = places::setting("KRIPKE_ORDERED_MAX_STATES", 10_000);
    let mut questions = Vec::new();
    for row in Table::read(&corpus.join("promela/expected-spin.tsv")).rows() {
        if row.count("states_stored").is_some_and(|states| states <= largest) && row.get("status") == "complete" {
            questions.extend(Question::spin(&corpus.join("promela"), row.get("path"), row.get("mode")));
        }
    }
    for row in Table::read(&corpus.join("dve/expected-beem.tsv")).rows() {
        if row.count("states").is_some_and(|states| states <= largest) {
            let arguments = ["--no-claim", "--safety", "--all-errors"].map(String::from).to_vec();
            questions.push(Question { path: corpus.join("dve").join(row.get("path")), arguments, safety: true });
        }
    }
    assert!(questions.len() > 60, "the tables have only {} questions", questions.len());
    let results = parallel::map(&questions, Question::compare);
    let (mut wrong, mut audited) = (Vec::new(), 0);
    for result in results {
        match result {
            Ok((difference, states)) => {
                wrong.extend(difference);
                audited += states;
            }
            Err(e) => wrong.push(e),
        }
    }
    places::notice(&format!("{} questions agree with raw, {audited} states audited", questions.len() - wrong.len()));
    assert!(wrong.is_empty(), "{} answers differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(audited > 0);
}
