//! The guide names the options that the program has, and no others.

use std::collections::{BTreeMap, BTreeSet};

use crate::desk::Desk;
use crate::page::{Page, pages};

type Names = BTreeSet<String>;

/// Options of all commands, which the page of options has a sentence on.
const EVERYWHERE: [&str; 3] = ["-h", "--help", "--color"];

/// The commands that the help of the program lists.
fn commands(desk: &Desk) -> Vec<String> {
    let help = desk.run("kripke --help").text;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let rows = list.lines().take_while(|line| !line.is_empty());
    rows.filter_map(|row| row.strip_prefix("  ").filter(|row| !row.starts_with(' ')))
        .filter_map(|row| row.split_whitespace().next().map(String::from))
        .collect()
}

/// The name of an option in a text such as `-DNAME`, `-N,`, `--swarm[=<N>]`.
fn name(word: &str) -> Option<String> {
    let letters = |text: &str| text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect::<String>();
    match word.strip_prefix("--") {
        Some(long) if long.starts_with(|c: char| c.is_ascii_lowercase()) => {
            Some(format!("--{}", letters(long).trim_end_matches('-')))
        }
        Some(_) => None,
        None => word.strip_prefix('-')?.chars().next().filter(char::is_ascii_alphabetic).map(|c| format!("-{c}")),
    }
}

/// The options that the help of a command lists. Their lines are indented by two or six columns.
fn options(desk: &Desk, command: &str) -> Names {
    let help = desk.run(&format!("kripke {command} --help")).text;
    let indented = |line: &&str| line.len() - line.trim_start().len() <= 6 && line.trim_start().starts_with('-');
    let named =
        |line: &str| line.split_whitespace().take_while(|word| word.starts_with('-')).filter_map(name).collect();
    let names: Vec<String> =
        help.lines().filter(indented).flat_map(|line: &str| -> Vec<String> { named(line) }).collect();
    names.into_iter().filter(|name| !EVERYWHERE.contains(&name.as_str())).collect()
}

/// The code spans of a text.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The options in the first column of the tables below a heading `## COMMAND, COMMAND: …`, for each command.
fn documented(page: &str) -> BTreeMap<String, Names> {
    let mut out: BTreeMap<String, Names> = BTreeMap::new();
    for section in page.split("\n## ").skip(1) {
        let (heading, text) = section.split_once('\n').unwrap();
        let commands = heading.split_once(':').map_or(heading, |(commands, _)| commands).split(", ");
        let cells = text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
        let names: Names = cells.flat_map(spans).flat_map(str::split_whitespace).filter_map(name).collect();
        for command in commands {
            out.entry(command.to_string()).or_default().extend(names.iter().cloned());
        }
    }
    out
}

fn page_of_options() -> Page {
    pages().into_iter().find(|page| page.name == "docs/src/options.md").unwrap()
}

#[test]
fn the_page_of_options_has_all_options_of_each_command() {
    let desk = Desk::new();
    let documented = documented(&page_of_options().text);
    let commands = commands(&desk);
    assert!(commands.len() >= 8, "the help is read: {commands:?}");
    for command in &commands {
        let known = options(&desk, command);
        let empty = Names::new();
        let named = documented.get(command).unwrap_or(&empty);
        assert_eq!(named, &known, "options of `{command}`: in docs/src/options.md, and in its help");
    }
}

#[test]
fn the_page_of_options_has_all_commands() {
    let page = page_of_options().text;
    let (_, section) = page.split_once("\n## Commands\n").unwrap();
    let (table, _) = section.split_once("\n## ").unwrap();
    let cells = table.lines().filter_map(|line| line.strip_prefix("| `kripke ")?.split([' ', '`']).next());
    let mut named: Vec<String> = cells.map(String::from).collect();
    let mut known = commands(&Desk::new());
    named.sort();
    known.sort();
    assert_eq!(named, known);
}

/// The text of a page without the options of other programs: lines with their commands, and the first column of the
/// tables on the pages for their users.
fn own_text(page: &Page) -> String {
    let others = ["cargo ", "mdbook ", "ltsmin", "2lts-", "divine ", "mpirun --", "srun --", "sbatch "];
    let lines = page.text.lines().filter(|line| !others.iter().any(|other| line.contains(other)));
    let for_others = page.name.ends_with("divine-ltsmin.md") || page.name.ends_with("spin-users.md");
    let own = |line: &str| match line.strip_prefix("| ").and_then(|row| row.split_once(" | ")) {
        Some((_, ours)) if for_others => ours.to_string(),
        _ => line.to_string(),
    };
    lines.map(own).collect::<Vec<String>>().join("\n")
}

#[test]
fn no_page_names_an_option_that_does_not_exist() {
    let desk = Desk::new();
    let mut known: Names = ["--help", "--color", "--version"].map(String::from).into();
    for command in commands(&desk) {
        known.extend(options(&desk, &command));
    }
    let mut unknown: Vec<String> = Vec::new();
    for page in pages() {
        let text = own_text(&page);
        let words = text.split(|c: char| c.is_whitespace() || "`'\"(),;|…".contains(c)).filter(|w| w.starts_with("--"));
        let names = words.filter_map(name).filter(|name| !known.contains(name));
        unknown.extend(names.map(|name| format!("{}: {name}", page.name)));
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
}
