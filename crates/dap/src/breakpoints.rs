//! Breakpoints on the lines of statements, with conditions and numbers of hits.
//!
//! A run stops at a breakpoint before a step that executes a statement of its line. Hits are counted along the run from its start,
//! so that a breakpoint is hit at the same steps in both directions.

use std::collections::BTreeMap;

use kripke_model::ir::FileId;
use kripke_report::run::Run;
use kripke_report::source::Lines;
use serde_json::{Value, json};

use crate::debuggee::Debuggee;
use crate::evaluate;
use crate::launch::optional;
use crate::lines::{self, Counting};

/// All breakpoints of the client.
#[derive(Default, Debug)]
pub struct Breakpoints {
    /// The breakpoints of each file, by its path as the client names it.
    files: BTreeMap<String, Vec<Breakpoint>>,
    numbered: i64,
}

#[derive(Clone, Debug)]
struct Breakpoint {
    id: i64,
    /// The line that the client asked for, counted from 1.
    wanted: u32,
    condition: Option<String>,
    /// The condition on the number of hits, or why it can't be read.
    hits: Result<Option<HitCondition>, String>,
    /// A text to print instead of stopping.
    message: Option<String>,
    /// The line of the statement, or why there is none.
    place: Result<(FileId, u32), String>,
}

/// A condition on the number of hits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HitCondition {
    Equal(usize),
    AtLeast(usize),
    MoreThan(usize),
    Multiple(usize),
}

/// What the breakpoints say at a position.
#[derive(Default, Debug)]
pub struct Reached {
    /// The breakpoints that are hit.
    pub ids: Vec<i64>,
    /// The process that executes the statement.
    pub pid: Option<u8>,
    /// Messages to print.
    pub messages: Vec<String>,
}

impl HitCondition {
    fn read(text: &str) -> Result<HitCondition, String> {
        let text = text.trim();
        type Make = fn(usize) -> HitCondition;
        let kinds: [(&str, Make); 6] = [
            (">=", HitCondition::AtLeast),
            ("==", HitCondition::Equal),
            (">", HitCondition::MoreThan),
            ("=", HitCondition::Equal),
            ("%", HitCondition::Multiple),
            ("", HitCondition::Equal),
        ];
        let found = kinds.iter().find_map(|(sign, make)| text.strip_prefix(sign).map(|rest| (make, rest)));
        let number = found.and_then(|(make, rest)| rest.trim().parse().ok().map(|n: usize| (make, n)));
        let wrong = || format!("`{text}` is no number of hits: N, == N, > N, >= N and % N are");
        number.filter(|(_, n)| *n > 0).map(|(make, n)| make(n)).ok_or_else(wrong)
    }

    fn holds(self, hits: usize) -> bool {
        match self {
            HitCondition::Equal(n) => hits == n,
            HitCondition::AtLeast(n) => hits >= n,
            HitCondition::MoreThan(n) => hits > n,
            HitCondition::Multiple(n) => hits.is_multiple_of(n),
        }
    }
}

impl Breakpoint {
    fn read(given: &Value, id: i64, counting: Counting) -> Result<Breakpoint, String> {
        let text = |name: &str| {
            optional(given, name, Value::as_str, "a text").map(|text| text.filter(|t| !t.trim().is_empty()))
        };
        let line = given["line"].as_i64().ok_or("a breakpoint has no `line`")?;
        let hits = text("hitCondition")?.map(HitCondition::read).transpose();
        Ok(Breakpoint {
            id,
            wanted: counting.read(line),
            condition: text("condition")?.map(str::to_string),
            hits,
            message: text("logMessage")?.map(str::to_string),
            place: Err("no model is loaded yet".to_string()),
        })
    }

    /// Finds the statement of the breakpoint: one that starts on its line, one that extends over it, or the next one.
    fn resolve(&mut self, path: &str, debuggee: &mut Debuggee) {
        let run = debuggee.session.run();
        self.place = match lines::file(run, path) {
            _ if self.hits.is_err() => Err(self.hits.clone().err().unwrap_or_default()),
            None => Err("the model has no such file".to_string()),
            Some(file) => statement(run, file, self.wanted)
                .map(|line| (file, line))
                .ok_or_else(|| "there is no statement on this line or after it".to_string()),
        };
        if let (Some(condition), Ok(_)) = (&self.condition, &self.place)
            && let Err(why) = evaluate::check(debuggee, condition)
        {
            self.place = Err(why);
        }
    }

    fn shown(&self, path: &str, counting: Counting) -> Value {
        match &self.place {
            Ok((_, line)) => {
                json!({ "id": self.id, "verified": true, "line": counting.shown(*line), "source": { "path": path } })
            }
            Err(why) => json!({ "id": self.id, "verified": false, "message": why }),
        }
    }

    /// The process that executes the statement in the move with this index, which the current state precedes if the
    /// condition is to be evaluated.
    fn executes(&self, debuggee: &Debuggee, index: usize) -> Option<u8> {
        let place = self.place.as_ref().ok()?;
        let run = debuggee.session.run();
        let executed = Debuggee::executed(run, run.moves().get(index)?);
        executed.into_iter().find(|e| Debuggee::lines(run, *e).contains(place)).map(|e| e.pid)
    }

    /// Whether the condition holds in the current state. One without a value there does not hold; one that can't be read is an
    /// error.
    fn holds(&self, debuggee: &mut Debuggee, pid: u8) -> Result<bool, String> {
        let Some(condition) = &self.condition else { return Ok(true) };
        let value = evaluate::number(debuggee, condition, Some(pid));
        value.map(|value| value.is_some_and(|value| value != 0)).map_err(|why| format!("`{condition}`: {why}"))
    }

    /// The number of hits in a range of steps. The position is restored, also after an error.
    fn count(&self, debuggee: &mut Debuggee, mut steps: std::ops::Range<usize>) -> Result<usize, String> {
        let at = debuggee.session.at();
        let hits = steps.try_fold(0, |hits, index| {
            let Some(pid) = self.executes(debuggee, index) else { return Ok(hits) };
            if self.condition.is_some() {
                debuggee.session.jump(index);
            }
            self.holds(debuggee, pid).map(|holds| hits + usize::from(holds))
        });
        debuggee.session.jump(at);
        hits
    }

    /// The process at whose next step the breakpoint is hit in the current state.
    fn reached(&self, debuggee: &mut Debuggee) -> Result<Option<u8>, String> {
        let Some(index) = debuggee.next_index() else { return Ok(None) };
        let Some(pid) = self.executes(debuggee, index) else { return Ok(None) };
        if !self.holds(debuggee, pid)? {
            return Ok(None);
        }
        let Ok(Some(wanted)) = self.hits else { return Ok(Some(pid)) };
        // At the end of the cycle, its first step belongs to the next pass.
        let laps = debuggee.laps + usize::from(index < debuggee.session.at());
        let mut hits = self.count(debuggee, 0..index + 1)?;
        if let (Some((first, last)), 1..) = (debuggee.cycle(), laps) {
            hits += laps * self.count(debuggee, first - 1..last)?;
        }
        Ok(wanted.holds(hits).then_some(pid))
    }
}

impl Breakpoints {
    /// Replaces the breakpoints of a file.
    pub fn set(&mut self, path: &str, given: &[Value], counting: Counting) -> Result<(), String> {
        let mut all = Vec::new();
        for each in given {
            self.numbered += 1;
            all.push(Breakpoint::read(each, self.numbered, counting)?);
        }
        self.files.insert(path.to_string(), all);
        Ok(())
    }

    /// Finds the statements of the breakpoints of a file, or of all.
    pub fn resolve(&mut self, path: Option<&str>, debuggee: &mut Debuggee) {
        let files = self.files.iter_mut().filter(|(known, _)| path.is_none_or(|path| path == *known));
        for (path, breakpoints) in files {
            for breakpoint in breakpoints.iter_mut() {
                breakpoint.resolve(path, debuggee);
            }
        }
    }

    /// The breakpoints of a file, or of all, for the client.
    pub fn shown(&self, path: Option<&str>, counting: Counting) -> Vec<Value> {
        let files = self.files.iter().filter(|(known, _)| path.is_none_or(|path| path == *known));
        files.flat_map(|(path, all)| all.iter().map(|each| each.shown(path, counting))).collect()
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.files.values().all(Vec::is_empty)
    }

    /// The breakpoints that are hit before the next step of the run.
    pub fn reached(&self, debuggee: &mut Debuggee) -> Reached {
        let mut out = Reached::default();
        for breakpoint in self.files.values().flatten() {
            match (breakpoint.reached(debuggee), &breakpoint.message) {
                (Ok(None), _) => {}
                (Ok(Some(pid)), Some(message)) => {
                    out.messages.push(evaluate::interpolated(debuggee, message, Some(pid)));
                }
                (Ok(Some(pid)), None) => {
                    out.ids.push(breakpoint.id);
                    out.pid = out.pid.or(Some(pid));
                }
                (Err(why), _) => {
                    out.messages.push(why);
                    out.ids.push(breakpoint.id);
                }
            }
        }
        out
    }
}

/// The first line of the statement that a line belongs to, or of the next one in the file.
fn statement(run: &Run, file: FileId, line: u32) -> Option<u32> {
    let all = statements(run, file);
    let within = || all.iter().filter(|(first, last)| (*first..=*last).contains(&line)).map(|(first, _)| *first).max();
    let exact = all.iter().any(|(first, _)| *first == line).then_some(line);
    exact.or_else(within).or_else(|| all.iter().map(|(first, _)| *first).filter(|first| *first > line).min())
}

/// The first and the last lines of the statements of a file.
pub fn statements(run: &Run, file: FileId) -> Vec<(u32, u32)> {
    let edges = run.model().processes.iter().flat_map(|process| &process.edges);
    let spans = edges.flat_map(|edge| [Some(Lines::own(edge)), edge.inside.as_ref().map(|_| edge.span)]);
    let lines = spans.flatten().map(|span| run.lines().of(span)).filter(|line| line.file == file);
    let mut all: Vec<(u32, u32)> = lines.map(|line| (line.first, line.last)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_on_hits_are_read() {
        for (text, hit) in
            [("3", [3].as_slice()), ("== 3", &[3]), ("=3", &[3]), ("> 2", &[3, 4]), (">=3", &[3, 4]), ("% 2", &[2, 4])]
        {
            let condition = HitCondition::read(text).unwrap();
            let found: Vec<usize> = (1..=4).filter(|n| condition.holds(*n)).collect();
            assert_eq!(found, hit, "{text}");
        }
        for text in ["", "x", "0", "% 0", ">", "-1"] {
            assert!(HitCondition::read(text).is_err(), "{text}");
        }
    }
}
