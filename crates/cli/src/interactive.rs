//! Interactive simulation and replay.

use std::io::{BufRead, IsTerminal, Read};

use kripke_model::interpret::{Interpreter, Move};
use kripke_report::escape::visible;
use kripke_report::names::Names;
use kripke_report::run::{End, Run};
use kripke_report::style::{FAINT, HEAD, paint};
use kripke_report::table::{Look, mover, table};
use kripke_report::{screen, state};

use crate::output;

const HELP: &str = "  N        take move number N
  Enter    go on along the run, or take the only move
  b [N]    back by one step, or by N
  j N      jump to step N of the run
  v        variables      c   channels      t   the run so far
  ?        this help      q   quit
";

/// The maximal length of a command line in bytes.
const MAX_LINE: usize = 1_000;

/// A run, the current position, and the enabled moves. After a step back, the rest of the run is kept until another move is
/// taken.
pub struct Session {
    interpreter: Interpreter,
    run: Run,
    at: usize,
    moves: Vec<Move>,
    names: Names,
}

/// A command of the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Word {
    Take(usize),
    Onward,
    Back(usize),
    Jump(usize),
    Variables,
    Channels,
    Table,
    Help,
    Quit,
}

impl Session {
    pub fn new(interpreter: Interpreter, run: Run) -> Session {
        let names = run.names();
        Session { interpreter, run, at: 0, moves: Vec::new(), names }
    }

    /// Executes commands until the user quits.
    pub fn run(&mut self, mut input: impl BufRead) {
        let echo = !std::io::stdin().is_terminal();
        self.arrive();
        loop {
            output::print("> ");
            let mut line = String::new();
            let read = input.by_ref().take(MAX_LINE as u64).read_line(&mut line);
            let ended = !matches!(read, Ok(1..MAX_LINE)) || output::is_closed();
            if ended || echo {
                output::print(&format!("{}\n", visible(line.trim_end())));
            }
            match parse(&line) {
                _ if ended => return,
                Some(Word::Quit) => return,
                Some(word) => self.obey(word),
                None => output::print("  unknown command; ? lists the commands\n"),
            }
        }
    }

    fn obey(&mut self, word: Word) {
        match word {
            Word::Take(n) => match n.checked_sub(1).and_then(|i| self.moves.get(i)) {
                Some(chosen) => self.take(chosen.clone()),
                None => output::print(&format!("  there is no move {n}\n")),
            },
            Word::Onward if self.at < self.run.moves().len() => self.go(self.at + 1),
            Word::Onward => match &self.moves[..] {
                [only] => self.take(only.clone()),
                [] => output::print("  no process can move; b goes back\n"),
                _ => output::print("  which one? Type its number\n"),
            },
            Word::Back(n) => self.go(self.at.saturating_sub(n)),
            Word::Jump(n) if n <= self.run.moves().len() => self.go(n),
            Word::Jump(_) => output::print(&format!("  the run has only {} steps\n", self.run.moves().len())),
            Word::Variables => output::print(&state::variables_text(&self.run, &self.names, self.at)),
            Word::Channels => output::print(&state::channels_text(&self.run, &self.names, self.at)),
            Word::Table => {
                let mut so_far = self.run.clone();
                if self.at < so_far.moves().len() {
                    so_far.rewind(self.at);
                }
                output::print(&table(&so_far, &self.names, Look { width: output::width(), full: false }));
            }
            Word::Help => output::print(HELP),
            Word::Quit => {}
        }
    }

    /// Takes a move. If it is not the next one of the run, the rest of the run is dropped.
    fn take(&mut self, chosen: Move) {
        if !self.goes_on_with(&chosen) {
            if self.at < self.run.moves().len() {
                output::print("  (leaving the run here)\n");
            }
            self.run.rewind(self.at);
            let finding = chosen.findings.first().cloned();
            self.run.push(chosen);
            self.names.observe(&self.run.view(self.at + 1));
            if let Some(finding) = finding {
                self.run.finish(End::Finding(finding));
            }
        }
        self.go(self.at + 1);
    }

    /// Whether a move is the next one of the run.
    fn goes_on_with(&self, chosen: &Move) -> bool {
        let Some(next) = self.run.moves().get(self.at) else { return false };
        let leads = (!self.run.ends_at(self.at + 1)).then(|| self.run.point(self.at + 1));
        let same = (next.pid, next.edge, next.partner, &next.chain, &leads);
        same == (chosen.pid, chosen.edge, chosen.partner, &chosen.chain, &chosen.to)
    }

    fn go(&mut self, step: usize) {
        self.at = step;
        self.arrive();
    }

    /// Prints the current state, the last step and the enabled moves.
    fn arrive(&mut self) {
        let mut out = String::new();
        let mut stuck = false;
        match self.at.checked_sub(1).map(|i| &self.run.moves()[i]) {
            None => out.push_str(&paint(HEAD, "step 0")),
            Some(step) => {
                let title =
                    format!("step {}  {}  {}", self.at, mover(&self.run, &self.names, step), self.run.statements(step));
                out.push_str(&paint(HEAD, &title));
                for text in visible(&step.output).lines() {
                    out.push_str(&format!("\n  ▸ {text}"));
                }
                stuck = self.run.ends_at(self.at);
            }
        }
        out.push('\n');
        let point = self.run.point(self.at);
        self.moves = if stuck { Vec::new() } else { self.interpreter.moves(&point) };
        let last = self.at == self.run.moves().len();
        if self.moves.is_empty() && !stuck && last && self.interpreter.invalid_end(&point.state) {
            self.run.finish(End::InvalidEnd);
        }
        if last && let Some(line) = screen::verdict_line(&self.run, None) {
            out.push_str(&format!("  {line}"));
            if *self.run.end() == End::InvalidEnd {
                out.push_str(&screen::deadlock(&self.run, &self.names));
            }
        } else if self.moves.is_empty() {
            out.push_str("  valid end state: no process can move\n");
        }
        self.list(&mut out);
        output::print(&out);
    }

    fn list(&self, out: &mut String) {
        let texts = || self.moves.iter().map(|m| (mover(&self.run, &self.names, m), self.run.statements(m)));
        let name = texts().map(|(mover, _)| mover.chars().count()).max().unwrap_or(0);
        let room = texts().map(|(_, what)| what.chars().count()).max().unwrap_or(0);
        for (i, (m, (mover, what))) in self.moves.iter().zip(texts()).enumerate() {
            let mark = if self.goes_on_with(m) { '*' } else { ' ' };
            let place = self.run.lines().place(self.run.edge(m.process, m.edge).span);
            let place = paint(FAINT, &place);
            out.push_str(&format!("{mark}{:>3}  {mover:<name$}  {what:<room$}   {place}\n", i + 1));
        }
    }
}

fn parse(line: &str) -> Option<Word> {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return Some(Word::Onward) };
    let number = words.next().map(str::parse::<usize>);
    if words.next().is_some() {
        return None;
    }
    match (first, number) {
        ("b" | "back", None) => Some(Word::Back(1)),
        ("b" | "back", Some(Ok(n))) => Some(Word::Back(n)),
        ("j" | "jump", Some(Ok(n))) => Some(Word::Jump(n)),
        (_, Some(_)) => None,
        ("v" | "variables", _) => Some(Word::Variables),
        ("c" | "channels", _) => Some(Word::Channels),
        ("t" | "table", _) => Some(Word::Table),
        ("n" | "next", _) => Some(Word::Onward),
        ("?" | "h" | "help", _) => Some(Word::Help),
        ("q" | "quit", _) => Some(Word::Quit),
        (other, _) => other.parse().ok().map(Word::Take),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_understood() {
        for (line, want) in [
            ("", Some(Word::Onward)),
            ("3\n", Some(Word::Take(3))),
            ("b", Some(Word::Back(1))),
            ("back 4", Some(Word::Back(4))),
            ("j 0", Some(Word::Jump(0))),
            ("j", None),
            ("j x", None),
            ("b 1 2", None),
            ("3 4", None),
            ("v", Some(Word::Variables)),
            ("?", Some(Word::Help)),
            ("nonsense", None),
        ] {
            assert_eq!(parse(line), want, "{line:?}");
        }
    }
}
