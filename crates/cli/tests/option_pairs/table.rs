//! Values for every option.

/// An option with a value, as arguments; `{…}` stands for what a model has under that name.
#[derive(Clone, Debug)]
pub struct Setting {
    /// As the help names it: the long name, if there is one.
    pub option: &'static str,
    pub arguments: Vec<&'static str>,
    /// It asks a question of its own.
    pub asks: bool,
    /// It may end the search before all states are visited, or miss states.
    pub limits: bool,
    /// No model is small enough to be searched completely.
    pub truncates: bool,
}

/// Options that change what is asked.
const QUESTIONS: [(&str, &[&str]); 10] = [
    ("--safety", &["--safety"]),
    ("--property", &["-N", "{name}"]),
    ("--ltl", &["--ltl", "{ltl}"]),
    ("--ltl-file", &["--ltl-file", "{ltl-file}"]),
    ("--hoa", &["--hoa", "{hoa}"]),
    ("--ctl", &["--ctl", "{ctl}"]),
    ("--reach", &["--reach", "{reach}"]),
    ("--invariant", &["--invariant", "{invariant}"]),
    ("--acceptance", &["-a"]),
    ("--non-progress", &["-l"]),
];

/// Options that must not change an answer, or only as the judge knows.
const PLAIN: [(&str, &[&str]); 70] = [
    ("--force", &["--force"]),
    ("--color", &["--color=always"]),
    ("--fair", &["--fair=weak"]),
    ("--fair", &["--fair=strong"]),
    ("--fair", &["--fair=strong-transitions"]),
    ("--fair", &["--fair=impartial"]),
    ("-f", &["-f"]),
    ("--cycles", &["--cycles=scc"]),
    ("--cycles", &["--cycles=nested"]),
    ("--cycles", &["--cycles=cndfs"]),
    ("--cycles", &["--cycles=ufscc"]),
    ("--cycles", &["--cycles=owcty"]),
    ("--no-assertions", &["-A"]),
    ("--no-end-states", &["-E"]),
    ("--no-claim", &["--no-claim"]),
    ("--all-errors", &["--all-errors"]),
    ("-c", &["-c0"]),
    ("-c", &["-c1"]),
    ("--search", &["--search=bfs"]),
    ("--search", &["--search=dfs"]),
    ("--store", &["--store=auto"]),
    ("--store", &["--store=words"]),
    ("--store", &["--store=exact"]),
    ("--store", &["--store=tree"]),
    ("--store", &["--store=cache"]),
    ("--engine", &["--engine=compile"]),
    ("--engine", &["--engine=interpret"]),
    ("--compact", &["--compact"]),
    ("--no-partial-order", &["--no-partial-order"]),
    ("--no-sleep-sets", &["--no-sleep-sets"]),
    ("--symmetry", &["--symmetry"]),
    ("--audit", &["--audit=1"]),
    ("--threads", &["-j1"]),
    ("--threads", &["-j2"]),
    ("--ranks", &["--ranks=2"]),
    ("--gpu", &["--gpu"]),
    ("--cache-collisions", &["--cache-collisions=10"]),
    ("--cache-probes", &["--cache-probes=300"]),
    ("--max-depth", &["--max-depth=100000"]),
    ("--mem", &["--mem=512M"]),
    ("--timeout", &["--timeout=60s"]),
    ("--format", &["--format=text"]),
    ("--full", &["--full"]),
    ("--unreached", &["--unreached"]),
    ("--trail", &["--trail={trail}"]),
    ("--spin-trail", &["--spin-trail={trail}.spin"]),
    ("--itf", &["--itf"]),
    ("--no-trail", &["--no-trail"]),
    ("--junit", &["--junit={folder}/pair.xml"]),
    ("--sarif", &["--sarif={folder}/pair.sarif"]),
    ("--statistics", &["--statistics"]),
    ("--profile", &["--profile"]),
    ("--ranges", &["--ranges"]),
    ("--log", &["--log={folder}/pair.log"]),
    ("--no-vacuity", &["--no-vacuity"]),
    ("--progress", &["--progress=plain"]),
    ("--progress", &["--progress=none"]),
    ("--quiet", &["-q"]),
    ("--verbose", &["-v"]),
    ("--lang", &["--lang={lang}"]),
    ("-D", &["-DUNUSED=3"]),
    ("-U", &["-UUNUSED"]),
    ("-I", &["-I", "{folder}"]),
    ("--reverse-escapes", &["-J"]),
    ("--overflow", &["--overflow=error"]),
    ("--overflow", &["--overflow=wrap"]),
    ("--raw", &["--raw"]),
    ("--no-coarsening", &["--no-coarsening"]),
    ("--no-dead-variables", &["--no-dead-variables"]),
    ("--no-slicing", &["--no-slicing"]),
];

/// Options that may leave the answer open.
const LIMITS: [(&str, &[&str]); 11] = [
    ("--store", &["--store=hash"]),
    ("--store", &["--store=bitstate"]),
    ("--lossy", &["--lossy"]),
    ("--cache-states", &["--cache-states=20"]),
    ("--bits", &["-w16"]),
    ("--hashes", &["-k2"]),
    ("--hash-bits", &["--hash-bits=40"]),
    ("--hash-seed", &["--hash-seed=3"]),
    ("--hash-function", &["--hash-function=fnv1a"]),
    ("--swarm", &["--swarm=2"]),
    ("--max-states", &["--max-states=40"]),
];

/// Limits that every model exceeds.
const TRUNCATES: [(&str, &[&str]); 2] = [("--max-depth", &["--max-depth=1"]), ("--max-states", &["--max-states=2"])];

pub fn settings() -> Vec<Setting> {
    let make = |entries: &[(&'static str, &[&'static str])], [asks, limits, truncates]: [bool; 3]| -> Vec<Setting> {
        let one = |(option, arguments): &(&'static str, &[&'static str])| Setting {
            option,
            arguments: arguments.to_vec(),
            asks,
            limits,
            truncates,
        };
        entries.iter().map(one).collect()
    };
    let mut all = make(&QUESTIONS, [true, false, false]);
    all.extend(make(&PLAIN, [false; 3]));
    all.extend(make(&LIMITS, [false, true, false]));
    all.extend(make(&TRUNCATES, [false, true, true]));
    all
}
