//! Each screen in the guide is what the program prints.
//!
//! A block marked `console` holds commands, each after `$ `, and their output. A line `…` stands for any number of lines.
//! A command without output must not be refused. Blocks marked `console,norun` are not executed; there are few. A block
//! marked `LANGUAGE,file=NAME` is also a file for the commands of all pages.

use crate::desk::Desk;
use crate::mask::mask;
use crate::page::{Block, Page, pages};

/// The most blocks that may be marked as not to be executed.
const MOST_NOT_RUN: usize = 2;

/// A command and the output that the guide shows for it.
struct Screen {
    command: String,
    output: Vec<String>,
}

fn screens(block: &Block) -> Vec<Screen> {
    let mut out: Vec<Screen> = Vec::new();
    for line in &block.lines {
        if let Some(command) = line.strip_prefix("$ ") {
            out.push(Screen { command: command.to_string(), output: Vec::new() });
        } else {
            let screen = out.last_mut().unwrap_or_else(|| panic!("{}: output without a command", block.place));
            screen.output.push(mask(line));
        }
    }
    for screen in &mut out {
        while screen.output.last().is_some_and(String::is_empty) {
            screen.output.pop();
        }
    }
    out
}

/// The command line that the shell executes: `cargo run` is the program, too.
fn executable(place: &str, command: &str) -> String {
    let command = match command.strip_prefix("cargo run -- ") {
        Some(arguments) => format!("kripke {arguments}"),
        None => command.to_string(),
    };
    assert!(command.starts_with("kripke "), "{place}: `{command}` can't be executed: mark the block `sh`");
    command
}

/// Whether the lines are those expected, where `…` stands for any number of lines.
fn agrees(expected: &[String], lines: &[String]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first.trim() == "…" => (0..=lines.len()).any(|n| agrees(rest, &lines[n..])),
        Some((first, rest)) => lines.split_first().is_some_and(|(line, others)| line == first && agrees(rest, others)),
    }
}

/// The files that pages show.
fn files(pages: &[Page]) -> Vec<(String, String)> {
    let blocks = pages.iter().flat_map(Page::blocks);
    blocks.filter_map(|b| Some((b.info.split_once(",file=")?.1.to_string(), b.lines.join("\n") + "\n"))).collect()
}

/// The differences between the screens of a page and the program's output.
fn differences(page: &Page, files: &[(String, String)]) -> Vec<String> {
    let desk = Desk::new();
    for (name, text) in files {
        desk.write(name, text);
    }
    let mut out: Vec<String> = Vec::new();
    for block in page.blocks().iter().filter(|block| block.info == "console") {
        for screen in screens(block) {
            let said = desk.run(&executable(&block.place, &screen.command));
            let text = said.text.trim_end().to_string();
            let lines: Vec<String> = text.lines().map(mask).collect();
            let refused = screen.output.is_empty() && [2, 4].contains(&said.status);
            if refused || !screen.output.is_empty() && !agrees(&screen.output, &lines) {
                out.push(format!("{}: $ {}\n{text}\n", block.place, screen.command));
            }
        }
    }
    out
}

#[test]
fn screens_are_what_the_program_prints() {
    let pages = pages();
    let files = files(&pages);
    let found: Vec<String> = pages.iter().flat_map(|page| differences(page, &files)).collect();
    assert!(found.is_empty(), "screens that the program prints differently:\n\n{}", found.join("\n"));
}

#[test]
fn commands_with_a_prompt_are_in_screens() {
    let blocks: Vec<Block> = pages().iter().flat_map(Page::blocks).collect();
    for block in &blocks {
        let prompt = block.lines.iter().any(|line| line.starts_with("$ "));
        let screen = block.info == "console" || block.info == "console,norun";
        assert_eq!(prompt, screen, "{}: commands with a prompt belong to blocks marked `console`", block.place);
    }
    let runs = blocks.iter().filter(|block| block.info == "console").count();
    let not_run = blocks.iter().filter(|block| block.info == "console,norun").count();
    assert!(runs >= 25, "the blocks are found: {runs}");
    assert!(not_run <= MOST_NOT_RUN, "{not_run} blocks are not executed, at most {MOST_NOT_RUN} may be");
}

#[test]
fn an_ellipsis_stands_for_lines() {
    let lines = |text: &str| text.lines().map(String::from).collect::<Vec<String>>();
    assert!(agrees(&lines("a\n…\nd"), &lines("a\nb\nc\nd")));
    assert!(agrees(&lines("a\n…"), &lines("a")));
    assert!(!agrees(&lines("a\n…\nd"), &lines("a\nb")));
}
