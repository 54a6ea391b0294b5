//! The state of the full-screen program, and what its commands do.

use std::path::{Path, PathBuf};

use kripke::stepping::Session;
use kripke_model::ir::FileId;
use kripke_report::chart::text;
use kripke_report::number::counted;
use kripke_report::stepping::{search_run, search_source};

use super::layout::{Pane, Wanted};
use super::palette::Palette;
use crate::step::editor::Editor;
use crate::step::{MOST_STEPS, saving};

/// Steps of the run that a chart is made of: those of the current block, of the one before and of the one after.
const BLOCK: usize = 200;

/// What a line is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prompt {
    Jump,
    Random,
    Until,
    Watch,
    Search,
    Save,
}

impl Prompt {
    const COUNT: usize = Prompt::Save as usize + 1;

    pub fn text(self) -> &'static str {
        match self {
            Prompt::Jump => "jump to step: ",
            Prompt::Random => "random steps [10]: ",
            Prompt::Until => "run until: ",
            Prompt::Watch => "watch, or watch no longer: ",
            Prompt::Search => "search: ",
            Prompt::Save => "save as: ",
        }
    }
}

/// The rows of a chart, for one width and one part of the run.
#[derive(Debug)]
pub struct Drawn {
    key: (u64, usize, usize),
    /// The lines of the heading.
    pub heading: Vec<String>,
    /// The lines of each row, with the number of its step.
    pub rows: Vec<(usize, Vec<String>)>,
}

#[derive(Debug)]
pub struct App {
    pub session: Session,
    pub palette: Palette,
    pub focus: Pane,
    /// The pane below the source, where there is place for only one.
    pub lower: Pane,
    pub zoomed: bool,
    pub help: bool,
    /// The index of the chosen move.
    pub chosen: usize,
    /// The first line of the panes that were scrolled; others follow the run.
    pub scrolled: Vec<(Pane, usize)>,
    /// The line that is asked for.
    pub prompt: Option<Prompt>,
    pub editors: [Editor; Prompt::COUNT],
    /// What the last command did; true for an error.
    pub message: (String, bool),
    /// The text that is searched for.
    pub search: String,
    /// The place in the source that the search found.
    pub found: Option<(FileId, u32)>,
    /// The first line and the number of lines of the panes as they were drawn.
    pub drawn: Vec<(Pane, (usize, usize))>,
    chart: Option<Drawn>,
    model: PathBuf,
    done: bool,
}

impl App {
    pub fn new(session: Session, model: &Path, palette: Palette) -> App {
        let mut app = App {
            session,
            palette,
            focus: Pane::Moves,
            lower: Pane::History,
            zoomed: false,
            help: false,
            chosen: 0,
            scrolled: Vec::new(),
            prompt: None,
            editors: Default::default(),
            message: (String::new(), false),
            search: String::new(),
            found: None,
            drawn: Vec::new(),
            chart: None,
            model: model.to_path_buf(),
            done: false,
        };
        app.arrived();
        app
    }

    pub fn is_done(&self) -> bool {
        self.done
    }

    pub fn quit(&mut self) {
        self.done = true;
    }

    /// What the division of the screen depends on.
    pub fn wanted(&self) -> Wanted {
        Wanted {
            moves: self.session.moves().len(),
            channels: self.session.run().view(self.session.at()).channels.len(),
            focus: self.focus,
            lower: self.lower,
            zoomed: self.zoomed,
        }
    }

    /// The first line and the number of lines of a pane as it was drawn.
    pub fn shown(&self, pane: Pane) -> (usize, usize) {
        self.drawn.iter().find(|(drawn, _)| *drawn == pane).map_or((0, 1), |(_, shown)| *shown)
    }

    pub fn say(&mut self, text: impl Into<String>) {
        self.message = (text.into(), false);
    }

    fn complain(&mut self, text: impl Into<String>) {
        self.message = (text.into(), true);
    }

    /// Chooses the next move of the run, and lets all panes follow it.
    fn arrived(&mut self) {
        let next = self.session.moves().iter().position(|m| self.session.is_next(m));
        self.chosen = next.unwrap_or(0);
        self.scrolled.clear();
        self.found = None;
        self.message = (String::new(), false);
    }

    /// Takes the chosen move.
    pub fn take(&mut self, index: usize) {
        if self.session.take(index) || (self.session.moves().is_empty() && self.session.forward()) {
            self.arrived();
        } else if self.session.moves().is_empty() {
            self.complain("no process can move; ← goes back");
        } else {
            self.complain(format!("there is no move {}", index + 1));
        }
    }

    /// Goes on along the run; at its end the chosen move is taken.
    pub fn onward(&mut self) {
        match self.session.forward() {
            true => self.arrived(),
            false => self.take(self.chosen),
        }
    }

    pub fn back(&mut self, steps: usize) {
        match self.session.back(steps) {
            true => self.arrived(),
            false => self.complain("this is the start of the run"),
        }
    }

    pub fn jump(&mut self, step: usize) {
        if self.session.jump(step) {
            return self.arrived();
        }
        let steps = counted(self.session.len() as u64, "step");
        self.complain(format!("the run has only {steps}"));
    }

    pub fn rejoin(&mut self) {
        if self.session.rejoin() {
            self.arrived();
            self.say("back on the trail");
        } else if self.session.is_replay() {
            self.complain("this is the trail");
        } else {
            self.complain("there is no trail: this is a simulation");
        }
    }

    /// Executes a command with its line.
    pub fn entered(&mut self, prompt: Prompt, line: &str) {
        let line = line.trim();
        match prompt {
            Prompt::Jump if line.is_empty() => {}
            Prompt::Jump => match line.parse() {
                Ok(step) => self.jump(step),
                Err(_) => self.complain("the number of a step is needed"),
            },
            Prompt::Random => match if line.is_empty() { Ok(10) } else { line.parse() } {
                Ok(steps) => self.random(steps),
                Err(_) => self.complain("a number of steps is needed"),
            },
            Prompt::Until if line.is_empty() => {}
            Prompt::Until => match self.session.until(line, MOST_STEPS) {
                Ok(walked) => {
                    self.arrived();
                    self.say(walked.to_string());
                }
                Err(error) => self.complain(error.brief),
            },
            Prompt::Watch if line.is_empty() => {}
            Prompt::Watch => match self.session.watch(line) {
                Ok(new) => self.say(if new { "watched above the variables" } else { "it is watched no longer" }),
                Err(error) => self.complain(error.brief),
            },
            Prompt::Search => {
                self.search = line.to_string();
                self.seek(true);
            }
            Prompt::Save => {
                let name = (!line.is_empty()).then_some(line);
                match saving::save(&self.session, &self.model, name) {
                    Ok(done) => self.say(done),
                    Err(why) => self.complain(why),
                }
            }
        }
    }

    fn random(&mut self, steps: usize) {
        let walked = self.session.random(steps.min(MOST_STEPS));
        self.arrived();
        self.say(walked.to_string());
    }

    /// Asks for a line.
    pub fn ask(&mut self, prompt: Prompt) {
        let start = match prompt {
            Prompt::Save => saving::name(&self.model).display().to_string(),
            _ => String::new(),
        };
        self.editors[prompt as usize].start(&start);
        self.prompt = Some(prompt);
    }

    /// Goes to the next place that the search finds, or to the one before: in the history if it has the focus, else in the source.
    pub fn seek(&mut self, onward: bool) {
        if self.search.is_empty() {
            self.found = None;
            return self.complain("/ searches the source and the history");
        }
        let (session, text) = (&self.session, &self.search);
        let steps = search_run(session.run(), session.names(), text);
        let lines = search_source(session.run(), text);
        if matches!(self.focus, Pane::History | Pane::Chart) {
            let next = neighbour(&steps, |step| step.cmp(&session.at()), onward).copied();
            let text = format!("{} in the history contain it", counted(steps.len() as u64, "step"));
            match next {
                Some(step) => {
                    self.jump(step);
                    self.say(text);
                }
                None => self.complain("no step contains it"),
            }
            return;
        }
        let from = self.found.unwrap_or((FileId(0), 0));
        let Some(found) = neighbour(&lines, |place| place.cmp(&from), onward).copied() else {
            let more = if steps.is_empty() { "" } else { "; the history does: Tab goes there, n to the next step" };
            return self.complain(format!("no line contains it{more}"));
        };
        self.found = Some(found);
        self.scrolled.retain(|(pane, _)| *pane != Pane::Source);
        self.say(format!(
            "line {}: {} of the source, {} of the history contain it; n is the next one",
            found.1,
            counted(lines.len() as u64, "line"),
            counted(steps.len() as u64, "step")
        ));
    }

    /// The rows of the chart around the current step, for a pane of some width. They are kept until the run changes.
    pub fn chart(&mut self, width: usize) -> &Drawn {
        let block = (self.session.at() / BLOCK).saturating_sub(1) * BLOCK;
        let key = (self.session.revision(), block, width);
        if self.chart.as_ref().is_none_or(|drawn| drawn.key != key) {
            let end = (block + 3 * BLOCK).min(self.session.len());
            let (heading, rows) = text::rows(&self.session.chart(block, end), width);
            self.chart = Some(Drawn { key, heading, rows });
        }
        self.chart.get_or_insert_with(|| Drawn { key, heading: Vec::new(), rows: Vec::new() })
    }
}

/// The first item after the current one, or the last one before it; from the other end if there is none.
fn neighbour<T>(items: &[T], compared: impl Fn(&T) -> std::cmp::Ordering, onward: bool) -> Option<&T> {
    if onward {
        items.iter().find(|item| compared(item).is_gt()).or(items.first())
    } else {
        items.iter().rev().find(|item| compared(item).is_lt()).or(items.last())
    }
}
