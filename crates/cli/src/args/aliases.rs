//! Names that other model checkers have for options of `check`: they are understood as ours.

use std::ffi::OsString;

/// The name of another tool, and what it means here.
enum Meaning {
    /// Other arguments.
    Arguments(&'static [&'static str]),
    /// The option with this name, with the same value.
    Option(&'static str),
    /// The default: a remark says so.
    Default(&'static str),
}

/// The names, by what they mean here.
const NAMES: [(&str, Meaning); 8] = [
    ("--dfs", Meaning::Arguments(&["--search=dfs"])),
    ("--bfs", Meaning::Arguments(&["--search=bfs"])),
    ("--bitstate", Meaning::Arguments(&["--store=bitstate"])),
    ("--no-por", Meaning::Arguments(&["--no-partial-order"])),
    ("--no-deadlock", Meaning::Arguments(&["--no-end-states"])),
    ("--trace", Meaning::Option("--trail")),
    ("--por", Meaning::Default("partial-order reduction is the default; --no-partial-order turns it off")),
    ("--deadlock", Meaning::Default("invalid end states are errors by default; --no-end-states ignores them")),
];

/// Rewrites the arguments of `check`. Also returns remarks.
pub fn rewrite(args: Vec<OsString>) -> (Vec<OsString>, Vec<&'static str>) {
    if args.get(1).is_none_or(|command| command != "check") {
        return (args, Vec::new());
    }
    let (mut out, mut remarks) = (Vec::new(), Vec::new());
    let mut rest = args.into_iter();
    while let Some(arg) = rest.next() {
        let text = arg.to_str().unwrap_or_default().to_string();
        let (name, value) = text.split_once('=').map_or((&*text, None), |(name, value)| (name, Some(value)));
        let meaning = NAMES.iter().find(|(known, _)| *known == name).map(|(_, meaning)| meaning);
        match meaning {
            Some(Meaning::Arguments(ours)) if value.is_none() => out.extend(ours.iter().map(OsString::from)),
            Some(Meaning::Default(remark)) if value.is_none() => remarks.push(*remark),
            Some(Meaning::Option(ours)) => {
                out.push(ours.into());
                out.extend(value.map(OsString::from).or_else(|| rest.next()));
            }
            _ => out.push(arg),
        }
    }
    (out, remarks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_are_ours() {
        for (line, ours, remarks) in [
            ("check --dfs m.pml", "check --search=dfs m.pml", 0),
            (
                "check --bfs --bitstate --no-por m.pml",
                "check --search=bfs --store=bitstate --no-partial-order m.pml",
                0,
            ),
            ("check --trace t m.pml", "check --trail t m.pml", 0),
            ("check --trace=t m.pml", "check --trail t m.pml", 0),
            ("check --por --deadlock m.pml", "check m.pml", 2),
            ("replay --dfs m.pml", "replay --dfs m.pml", 0),
        ] {
            let words = |line: &str| format!("kripke {line}").split(' ').map(OsString::from).collect::<Vec<_>>();
            let (args, said) = rewrite(words(line));
            assert_eq!((args, said.len()), (words(ours), remarks), "{line}");
        }
    }
}
