//! The plain program: a command per line, the answer below it.

use std::io::{BufRead, Read};
use std::path::Path;

use kripke::stepping::{Remark, Session};
use kripke_report::chart::text;
use kripke_report::escape::visible;
use kripke_report::number::counted;
use kripke_report::run::End;
use kripke_report::stepping::{self, past};
use kripke_report::style::{BAD, FAINT, HEAD, paint};
use kripke_report::table::{Look, table};
use kripke_report::width::{left, width};
use kripke_report::{screen, state};

use super::command::{HELP, Word, parse};
use super::editor::{Edited, Editor};
use super::terminal::{Input, Signals, Terminal};
use super::{MOST_STEPS, saving};
use crate::output;

/// The maximal length of a command line in bytes.
const MAX_LINE: usize = 1_000;
/// Places that a search lists.
const LISTED: usize = 10;
const PROMPT: &str = "> ";

pub struct Plain<'a> {
    session: Session,
    model: &'a Path,
    /// Whether the sign of the next move was explained.
    explained: bool,
}

impl<'a> Plain<'a> {
    pub fn new(session: Session, model: &'a Path) -> Plain<'a> {
        Plain { session, model, explained: false }
    }

    /// Executes the commands of a pipe or a file.
    pub fn on_input(&mut self, mut input: impl BufRead) {
        self.start();
        loop {
            output::print(PROMPT);
            let mut line = String::new();
            let read = input.by_ref().take(MAX_LINE as u64).read_line(&mut line);
            let ended = !matches!(read, Ok(1..MAX_LINE)) || output::is_closed();
            output::print(&format!("{}\n", visible(line.trim_end())));
            if ended || !self.obey(&line) {
                return;
            }
        }
    }

    /// Executes the commands of a person at a terminal, with line editing.
    pub fn on_terminal(&mut self, signals: &Signals) {
        let mut editor = Editor::default();
        self.start();
        while let Some(line) = read_line(&mut editor, signals) {
            output::print("\n");
            if !self.obey(&line) || output::is_closed() {
                return;
            }
            signals.obey();
        }
        output::print("\n");
    }

    /// Executes a command. Returns false for the last one.
    fn obey(&mut self, line: &str) -> bool {
        match parse(line) {
            Some(Word::Quit) => return false,
            Some(word) => self.execute(word),
            None => output::print("  unknown command; ? lists the commands\n"),
        }
        true
    }

    fn execute(&mut self, word: Word) {
        let say = |text: &str| output::print(&format!("  {text}\n"));
        let (at, steps) = (self.session.at(), self.session.len());
        match word {
            Word::Take(n) if n > 0 && self.session.take(n - 1) => self.arrive(),
            Word::Take(n) => say(&format!("there is no move {n}")),
            Word::Onward => self.onward(),
            Word::Back(n) => {
                self.session.back(n);
                self.arrive();
            }
            Word::Jump(n) if self.session.jump(n) => self.arrive(),
            Word::Jump(_) => say(&format!("the run has only {}", counted(steps as u64, "step"))),
            Word::Random(n) => {
                let walked = self.session.random(n.min(MOST_STEPS));
                self.arrive();
                say(&walked.to_string());
            }
            Word::Until(condition) => match self.session.until(&condition, MOST_STEPS) {
                Ok(walked) => {
                    self.arrive();
                    say(&walked.to_string());
                }
                Err(error) => output::print(&error.full),
            },
            Word::Watch(text) => match self.session.watch(&text) {
                Ok(true) => output::print(&self.watched()),
                Ok(false) => say("it is watched no longer"),
                Err(error) => output::print(&error.full),
            },
            Word::Search(text) => output::print(&self.search(&text)),
            Word::Save(name) => {
                say(&saving::save(&self.session, self.model, name.as_deref()).unwrap_or_else(|why| why));
            }
            Word::Rejoin if self.session.rejoin() => self.arrive(),
            Word::Rejoin => say("the run is the trail, or there is none"),
            Word::Variables => {
                let values = state::variables_text(self.session.run(), self.session.names(), at);
                output::print(&(self.watched() + &values));
            }
            Word::Channels => output::print(&state::channels_text(self.session.run(), self.session.names(), at)),
            Word::Places => output::print(&self.places()),
            Word::Table | Word::Chart => self.show_run(word == Word::Chart),
            Word::Help => output::print(HELP),
            Word::Quit => {}
        }
    }

    fn onward(&mut self) {
        let choices = self.session.moves().len();
        if self.session.forward() || (choices == 1 && self.session.take(0)) {
            return self.arrive();
        }
        output::print(if choices == 0 {
            "  no process can move; b goes back\n"
        } else {
            "  which one? Type its number\n"
        });
    }

    fn show_run(&mut self, chart: bool) {
        let at = self.session.at();
        let look = Look { width: output::width(), full: false };
        let shown = if chart {
            text::text(&self.session.chart(0, at), look)
        } else {
            table(&self.session.run().part(0, at), self.session.names(), look)
        };
        output::print(&shown);
    }

    /// Prints the error of a trail, and the first state.
    fn start(&mut self) {
        if let Some(error) = self.session.verdict() {
            output::print(&format!("{}\n\n", paint(BAD, &error.to_string())));
        }
        self.arrive();
    }

    /// Prints the last step, what is to be said about the state, and the enabled moves.
    fn arrive(&mut self) {
        let mut out = self.title();
        let remarks = self.session.remarks();
        for remark in &remarks {
            let text = remark.to_string();
            let text = if remark.is_error() { paint(BAD, &text) } else { text };
            out.push_str(&format!("  {text}\n"));
        }
        let run = self.session.run();
        let failed = remarks.iter().any(Remark::is_error);
        if failed && *run.end() == End::InvalidEnd {
            out.push_str(&screen::deadlock(run, self.session.names()));
        }
        self.list(&mut out);
        output::print(&out);
    }

    fn title(&self) -> String {
        let (session, at) = (&self.session, self.session.at());
        let Some(step) = at.checked_sub(1).map(|i| &session.run().moves()[i]) else {
            return format!("{}\n", paint(HEAD, "step 0"));
        };
        let step = past(session.run(), session.names(), step);
        let mut out = paint(HEAD, &format!("step {at}  {}  {}", step.process, step.statement)) + "\n";
        for text in step.output.lines() {
            out.push_str(&format!("  ▸ {text}\n"));
        }
        out
    }

    fn list(&mut self, out: &mut String) {
        let (session, run) = (&self.session, self.session.run());
        let moves: Vec<_> = session.moves().iter().map(|m| past(run, session.names(), m)).collect();
        let name = moves.iter().map(|m| width(&m.process)).max().unwrap_or(0);
        let room = moves.iter().map(|m| width(&m.statement)).max().unwrap_or(0);
        let mut starred = false;
        for (i, (m, shown)) in session.moves().iter().zip(&moves).enumerate() {
            let next = session.is_next(m);
            starred |= next;
            let place = run.lines().place_of(run.edge(m.process, m.edge));
            out.push_str(&format!(
                "{}{:>3}  {}  {}   {}\n",
                if next { '*' } else { ' ' },
                i + 1,
                left(&shown.process, name),
                left(&shown.statement, room),
                paint(FAINT, &place)
            ));
        }
        if starred && !self.explained {
            let what = if session.is_on_trail() { "trail" } else { "run" };
            let text = format!("  * is the next step of the {what}: Enter takes it, another move leaves the {what}");
            out.push_str(&format!("{}\n", paint(FAINT, &text)));
            self.explained = true;
        }
    }

    /// The expressions that are watched, with their values.
    fn watched(&self) -> String {
        self.session.watched().iter().map(|watched| format!("  {} = {}\n", watched.name, watched.value)).collect()
    }

    /// The lines at which the processes are.
    fn places(&self) -> String {
        let session = &self.session;
        let marks = stepping::marks(session.run(), session.names(), session.at(), session.moves());
        let name = marks.iter().map(|m| width(&m.process)).max().unwrap_or(0);
        let mut out = String::new();
        for mark in &marks {
            let text = stepping::source_line(session.run(), mark.file, mark.line);
            let sign = if mark.enabled { '▶' } else { ' ' };
            out.push_str(&format!("  {} {sign} {:>4}  {}\n", left(&mark.process, name), mark.line, text.trim_end()));
        }
        out
    }

    /// The lines of the source and the steps of the run that contain a text.
    fn search(&self, text: &str) -> String {
        let (session, mut out) = (&self.session, String::new());
        let places = stepping::search_source(session.run(), text);
        for (file, line) in places.iter().take(LISTED) {
            let shown = stepping::source_line(session.run(), *file, *line);
            out.push_str(&format!("  {}:{line}  {}\n", session.run().lines().file(*file), shown.trim()));
        }
        let steps = stepping::search_run(session.run(), session.names(), text);
        for step in steps.iter().take(LISTED) {
            let past = past(session.run(), session.names(), &session.run().moves()[step - 1]);
            out.push_str(&format!("  step {step}  {}  {}\n", past.process, past.statement));
        }
        let more = places.len().saturating_sub(LISTED) + steps.len().saturating_sub(LISTED);
        match (out.is_empty(), more) {
            (true, _) => "  neither the source nor the run contains it\n".to_string(),
            (false, 0) => out,
            (false, more) => format!("{out}  and {more} more\n"),
        }
    }
}

/// Reads a line with editing. `None` at the end.
fn read_line(editor: &mut Editor, signals: &Signals) -> Option<String> {
    let terminal = Terminal::raw(signals).ok()?;
    loop {
        let columns = output::width().saturating_sub(PROMPT.len());
        let (text, cursor) = editor.visible(columns);
        terminal.line(&format!("{PROMPT}{}", visible(&text)), (PROMPT.len() + cursor) as u16).ok()?;
        match terminal.input() {
            Input::Key(key) if super::screen::is_suspend(key) => terminal.suspend().ok()?,
            Input::Key(key) => match editor.key(key) {
                Edited::Entered(line) => return Some(line),
                Edited::Ended => return None,
                Edited::Cancelled | Edited::More => {}
            },
            Input::Redraw | Input::Nothing => {}
            Input::Gone => return None,
        }
    }
}
