//! The human-readable result of a check.

use std::cmp::Ordering;
use std::time::Duration;

use kripke_model::ir::{EdgeId, Expr, Guard};
use kripke_model::{Finding, FindingKind, Model};
use kripke_search::store::HashFunction;
use kripke_search::{ErrorKind, Fairness, Limit, Order, Statistics, StoreKind, Swarm};

use crate::escape::visible;
use crate::explanation;
use crate::names::Names;
use crate::number::{bytes, counted, duration, grouped, short};
use crate::run::{End, Run};
use crate::select::Selection;
use crate::source::Lines;
use crate::style::{BAD, FAINT, GOOD, UNSURE, paint};
use crate::table::{Look, selected, wrapped};
use crate::verdict::{Counterexample, Reason, Verdict, Violated};

/// A finished check.
#[derive(Clone, Debug)]
pub struct Checked<'a> {
    /// The model.
    pub model: &'a Model,
    /// The verdict.
    pub verdict: &'a Verdict,
    /// The figures of the search.
    pub statistics: &'a Statistics,
    /// The search order.
    pub order: Order,
    /// The hash function of a lossy store.
    pub hash_function: HashFunction,
    /// The time of the search.
    pub elapsed: Duration,
    /// Peak memory of the process; 0 if it is not known.
    pub memory: u64,
    /// Whether assertions were checked.
    pub assertions: bool,
    /// Whether end states were checked.
    pub end_states: bool,
    /// The kind and the name of the property; `None` for safety.
    pub property: Option<(&'a str, &'a str)>,
    /// The fairness assumption.
    pub fairness: Fairness,
    /// The reductions that were applied, as text.
    pub reductions: Vec<&'static str>,
    /// The reason why partial-order reduction was not applied.
    pub no_partial_order: Option<&'static str>,
    /// The reason why symmetry reduction was not applied, if it was requested.
    pub no_symmetry: Option<String>,
    /// Whether the trace is a shortest one.
    pub shortest: bool,
    /// The number of states in which partial-order reduction was audited.
    pub audited: Option<u64>,
    /// The errors of the model that were not checked, as text.
    pub not_checked: Vec<String>,
    /// Why the formula holds vacuously, as text.
    pub vacuity: Option<String>,
}

/// The headline of an error, and its place.
pub fn headline(model: &Model, error: &ErrorKind) -> (String, Option<String>) {
    let lines = Lines::new(model);
    match error {
        ErrorKind::InvalidEnd => ("invalid end state: no process can move".to_string(), None),
        ErrorKind::BadPrefix | ErrorKind::Refuted => ("property violated".to_string(), None),
        ErrorKind::Cycle if seeks_non_progress(model) => ("property violated: non-progress cycle".to_string(), None),
        ErrorKind::Cycle => ("property violated: acceptance cycle".to_string(), None),
        ErrorKind::Goal => (format!("reached: {}", model.goal.as_ref().map_or("the goal", |g| &g.text)), None),
        ErrorKind::Finding(f) => {
            let what = explanation::headline(model, &lines, f);
            let of =
                if is_fault(error) && explanation::is_of_property(model, f) { "fault in the property: " } else { "" };
            (format!("{of}{what}"), explanation::place(model, &lines, f))
        }
    }
}

/// The headline of an error, with the property that it violates (its kind and its name; `None` for safety), and its place.
pub fn headline_of(model: &Model, error: &ErrorKind, property: Option<(&str, &str)>) -> (String, Option<String>) {
    let (what, place) = headline(model, error);
    let what = match (property, error) {
        (Some((_, name)), ErrorKind::BadPrefix | ErrorKind::Cycle | ErrorKind::Refuted) => {
            what.replacen("property", name, 1)
        }
        (Some(("invariant", name)), ErrorKind::Goal) => format!("invariant violated: {name}"),
        (Some((kind, name)), ErrorKind::Goal) if kind != "reachability" => format!("{name} violated"),
        _ => what,
    };
    (what, place)
}

/// Whether the acceptance cycles of the observer are non-progress cycles: its accepting locations have only edges
/// with the guard `np_`.
fn seeks_non_progress(model: &Model) -> bool {
    let Some(observer) = &model.observer else { return false };
    let automaton = &observer.automaton;
    let accepting = automaton.locations.iter().filter(|location| location.accept);
    let mut edges = accepting.flat_map(|location| &location.edges).peekable();
    let needs_non_progress =
        |edge: &EdgeId| matches!(automaton.edges[edge.index()].guard, Guard::When(Expr::NonProgress));
    edges.peek().is_some() && edges.all(needs_non_progress)
}

/// Whether an error is a fault, an operation without a meaning. A fault leaves the property undecided.
pub fn is_fault(error: &ErrorKind) -> bool {
    matches!(error, ErrorKind::Finding(Finding { kind: FindingKind::Fault(_), .. }))
}

impl Checked<'_> {
    /// The result without a trace, for `holds` and `inconclusive`.
    pub fn without_trace(&self) -> String {
        match self.verdict {
            Verdict::Holds(_) => {
                let mark = paint(GOOD, "✓ no errors");
                let what = match self.property {
                    Some(("ctl", name)) => format!("`{name}` is true in the initial state"),
                    _ => format!("complete search for {}", self.errors_searched_for()),
                };
                let (assuming, not_checked) = (self.assuming(), self.not_checked_text());
                let vacuous =
                    self.vacuity.iter().map(|why| format!("  {}\n", paint(UNSURE, &format!("vacuous: {why}"))));
                format!("{mark}      {what}{assuming}{not_checked}\n{}", vacuous.collect::<String>() + &self.figures())
            }
            Verdict::Inconclusive(reason) => self.inconclusive(reason),
            Verdict::Violated(_) => String::new(),
        }
    }

    /// The headline of the first error, with the name of the property, and its place.
    fn headline(&self, violated: &Violated) -> (String, Option<String>) {
        let error = violated.first.error();
        let (what, place) = headline_of(self.model, error, self.property);
        match self.property {
            Some((_, name)) if is_fault(error) => {
                (format!("{what} (`{name}` was not decided: a fault came first)"), place)
            }
            _ => (what, place),
        }
    }

    /// The result with a trace; `run` is the first counterexample, with the names of its processes.
    pub fn with_trace(
        &self,
        violated: &Violated,
        (run, names): (&Run, &Names),
        look: Look,
        selection: &Selection,
    ) -> String {
        let (what, place) = self.headline(violated);
        let place = place.unwrap_or_else(|| visible(&self.model.name).into_owned());
        let refuted = matches!(violated.first.error(), ErrorKind::Refuted);
        let length = match (self.order, run.end()) {
            _ if refuted => "trace",
            _ if self.statistics.store.is_lossy() => "trace",
            (_, End::Cycle(_)) if self.shortest => "shortest trace",
            (_, End::Cycle(_)) | (Order::DepthFirst, _) => "trace",
            (Order::BreadthFirst, _) if self.shortest => "shortest trace",
            (Order::BreadthFirst, _) => "trace",
        };
        let steps = counted(run.moves().len() as u64, "step");
        let found = format!("{}, {}", counted(self.statistics.states, "state"), duration(self.elapsed));
        let mark = paint(BAD, &format!("✗ {what}"));
        let mut out = format!("{mark}   {place}     {length}, {steps} ({found})\n\n");
        out.push_str(&trace_of(run, names, look, selection));
        if self.statistics.errors.total() > 1 {
            out.push('\n');
            out.push_str(&self.all(violated));
        }
        out
    }

    /// A summary of all errors, if the search continued after the first.
    fn all(&self, violated: &Violated) -> String {
        let errors = self.statistics.errors;
        let kinds = [
            (errors.assertions, "failed assertion"),
            (errors.invalid_ends, "invalid end state"),
            (errors.faults, "fault"),
            (errors.goals, "state reached"),
            (errors.bad_prefixes + errors.cycles, "violation of the property"),
        ];
        let kinds: Vec<String> = kinds.iter().filter(|(n, _)| *n > 0).map(|(n, what)| counted(*n, what)).collect();
        let mut out = format!("  {} found: {}\n", counted(errors.total(), "error"), kinds.join(", "));
        for other in &violated.others {
            let (what, place) = headline(self.model, other.error());
            let steps = counted(other.replayed().moves().len() as u64, "step");
            let place = place.map(|p| format!("   {p}")).unwrap_or_default();
            out.push_str(&format!("  {} {what}{place}   {steps}\n", paint(BAD, "✗")));
        }
        out.push_str(&self.figures());
        out
    }

    fn inconclusive(&self, reason: &Reason) -> String {
        let mut out = match reason {
            Reason::Unchecked(_) => return format!("{}: {reason}\n", paint(UNSURE, "? INCONCLUSIVE")),
            Reason::NoTrail => format!("{}: {reason}\n", paint(UNSURE, "? INCONCLUSIVE")),
            Reason::Limit(limit) => {
                let states = counted(self.statistics.states, "state");
                let mark = paint(UNSURE, "? INCONCLUSIVE");
                if *limit == Limit::LossyStore {
                    let what = format!("no errors in {states}, but {reason}");
                    return format!("{mark}: {what}\n{}", self.figures());
                }
                let place = match limit {
                    Limit::EndlessSequence(f) => format!(" ({})", Lines::new(self.model).place(f.span)),
                    _ => String::new(),
                };
                format!("{mark}: {reason}{place}; no errors in the {states} seen, but the search is incomplete\n")
            }
        };
        out.push_str(&self.figures());
        if let Some(advice) = reason.advice() {
            out.push_str(&format!("  {advice}\n"));
        }
        out
    }

    fn errors_searched_for(&self) -> String {
        let mut kinds = Vec::new();
        let property = self.property.map(|(kind, name)| match kind {
            "reachability" => format!("states with {name}"),
            "acceptance" => "acceptance cycles".to_string(),
            "progress" => "non-progress cycles".to_string(),
            _ => format!("violations of `{name}`"),
        });
        if let Some(property) = &property {
            kinds.push(&**property);
        }
        if self.assertions {
            kinds.push("failed assertions");
        }
        if self.end_states {
            kinds.push("invalid end states");
        }
        kinds.push("faults");
        match kinds.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => kinds.join(""),
        }
    }

    /// The errors that were not checked: `   not checked: invalid end states`.
    fn not_checked_text(&self) -> String {
        match &self.not_checked[..] {
            [] => String::new(),
            all => format!("   {}", paint(UNSURE, &format!("not checked: {}", all.join(", ")))),
        }
    }

    /// The fairness assumption of the verdict.
    fn assuming(&self) -> &'static str {
        match self.fairness {
            Fairness::None => "",
            Fairness::Weak => ", assuming weak fairness",
            Fairness::Strong => ", assuming strong fairness",
            Fairness::StrongTransitions => ", assuming strong fairness for transitions",
            Fairness::Impartial => ", assuming that every process moves infinitely often",
        }
    }

    /// The result of one of several properties on one line: `✗ live   26 steps (weak fairness) → live.trail.json`.
    pub fn line(&self, trail: Option<&str>) -> String {
        format!("  {}\n", self.named("safety", trail))
    }

    /// The result of a property on one line, with the name of the property.
    fn named(&self, name: &str, trail: Option<&str>) -> String {
        let name = visible(self.property.map_or(name, |(_, name)| name));
        let (style, mark, rest) = match self.verdict {
            Verdict::Holds(_) => (GOOD, "✓", self.held()),
            Verdict::Violated(v) => {
                let (what, place) = headline(self.model, v.first.error());
                match (self.property, v.first.error()) {
                    (Some(_), error) if is_fault(error) => {
                        let what = format!("not decided: a fault came first: {what}   ");
                        (UNSURE, "?", what + &self.violated(v, place, trail))
                    }
                    (Some(_), ErrorKind::Goal | ErrorKind::BadPrefix | ErrorKind::Refuted | ErrorKind::Cycle) => {
                        (BAD, "✗", self.violated(v, None, trail))
                    }
                    _ => (BAD, "✗", format!("{what}   ") + &self.violated(v, place, trail)),
                }
            }
            Verdict::Inconclusive(reason) => {
                (UNSURE, "?", format!("{reason}   {}{}", self.incomplete(reason), self.fairness_words()))
            }
        };
        format!("{}   {rest}", paint(style, &format!("{mark} {name}")))
    }

    /// The states and the time of a search without errors, and what restricts the verdict.
    fn held(&self) -> String {
        let states = counted(self.statistics.states, "state");
        let vacuous = self.vacuity.iter().map(|why| format!("   {}", paint(UNSURE, &format!("vacuous: {why}"))));
        let rest = self.not_checked_text() + &vacuous.collect::<String>();
        format!("{states}   {}{}{rest}", duration(self.elapsed), self.fairness_words())
    }

    /// The place, the length and the file of a counterexample.
    fn violated(&self, violated: &Violated, place: Option<String>, trail: Option<&str>) -> String {
        let place = place.map(|p| format!("{p}   ")).unwrap_or_default();
        let steps = counted(violated.first.replayed().moves().len() as u64, "step");
        let trail = trail.map(|t| format!(" → {}", visible(t))).unwrap_or_default();
        format!("{place}{steps}{}{trail}", self.fairness_words())
    }

    /// The states of a search that is not complete.
    fn incomplete(&self, reason: &Reason) -> String {
        let complete = if matches!(reason, Reason::Unchecked(_)) { "safety holds" } else { "not complete" };
        format!("{} states, {complete}", short(self.statistics.states))
    }

    /// The fairness assumption in short: ` (weak fairness)`.
    fn fairness_words(&self) -> &'static str {
        match self.fairness {
            Fairness::None => "",
            Fairness::Weak => " (weak fairness)",
            Fairness::Strong => " (strong fairness)",
            Fairness::StrongTransitions => " (strong fairness for transitions)",
            Fairness::Impartial => " (impartiality)",
        }
    }

    /// The figures: `104 312 889 states · 371 200 113 transitions · depth 412 · 2m23s · 24 B/state · 2.33 GiB`.
    fn figures(&self) -> String {
        let s = self.statistics;
        let mut parts = vec![
            counted(s.states, "state"),
            counted(s.transitions, "transition"),
            format!("depth {}", grouped(s.depth)),
            duration(self.elapsed),
        ];
        // A small table is mostly empty, so its bytes per state are not meaningful.
        if s.states >= 10_000 && s.swarm.is_none() {
            parts.push(format!("{} B/state", s.store_bytes / s.states));
        }
        if self.memory > 0 {
            parts.push(bytes(self.memory));
        }
        parts.extend(self.reductions.iter().map(ToString::to_string));
        parts.extend(self.no_partial_order.map(|why| format!("no partial-order reduction: {why}")));
        parts.extend(self.no_symmetry.iter().map(|why| format!("no symmetry reduction: {why}")));
        parts.extend(self.audited.map(|audited| format!("{} audited", counted(audited, "state"))));
        format!("  {}\n{}", parts.join(" · "), self.stores() + &self.cache() + &self.omissions())
    }

    /// The stores: `store: exact, then tree from 1.2M states on (near the memory limit)`.
    fn stores(&self) -> String {
        let s = self.statistics;
        let Some(first) = s.migrations.first() else { return String::new() };
        let later = s.migrations[1..].iter().map(|change| change.from).chain([s.store]);
        let then = s.migrations.iter().zip(later);
        let then: String =
            then.map(|(c, to)| format!(", then {} from {} states on", to.word(), short(c.states))).collect();
        format!("  store: {}{then} (near the memory limit)\n", first.from.word())
    }

    /// The state cache: `cache of 60 000 states · at most 12 probes · 1 203 replaced: states that were visited again are counted again`.
    fn cache(&self) -> String {
        let Some(cache) = self.statistics.cache else { return String::new() };
        let replaced = match cache.replaced {
            0 => "none replaced".to_string(),
            n => format!("{} replaced: states that were visited again are counted again", grouped(n)),
        };
        let (slots, probes) = (counted(cache.slots, "state"), counted(cache.probes, "probe"));
        format!("  cache of {slots} · at most {probes} · {replaced}\n")
    }

    /// The omission estimate: `about 5 120 states omitted (95 %: at most 5 270) · coverage at most about 99.87 % ·
    /// 2^30 bits, …`.
    fn omissions(&self) -> String {
        if let Some(Swarm { searches, finished, coverage }) = self.statistics.swarm {
            let searches = format!("{} searches, {} finished", grouped(searches), grouped(finished));
            let states = "states: estimate for all searches together";
            return format!("  {searches} · {states} · coverage at most about {}\n", percent(coverage));
        }
        let Some(missed) = self.statistics.omissions else { return String::new() };
        let Some(store) = store_size(self.statistics.store) else { return String::new() };
        let [states, at_most] = [missed.states, missed.at_most].map(estimate);
        let coverage = percent(missed.coverage);
        let about = if missed.states < LEAST { "less than" } else { "about" };
        let what = format!("{about} {states} states omitted (95 %: at most {at_most})");
        // The estimate is measured with our function only; others may spread the states badly.
        let ideal = match self.hash_function {
            HashFunction::Ours => "",
            _ => " · the estimate assumes an ideal hash function",
        };
        format!("  {what} · coverage at most about {coverage} · {store}{ideal}\n")
    }

    /// The result of one of several models on one line, without the name of the model. The property is named if there is one
    /// `alone`, or if it is violated.
    pub fn brief(&self, trail: Option<&str>, alone: bool) -> String {
        match self.verdict {
            Verdict::Holds(_) => {
                let what = match self.property.filter(|_| alone) {
                    Some(("reachability", name)) => format!("✓ never reached: {name}"),
                    Some((_, name)) => format!("✓ {name}"),
                    None => "✓ no errors".to_string(),
                };
                format!("{}   {}", paint(GOOD, &what), self.held())
            }
            Verdict::Violated(_) if self.property.is_some_and(|(kind, _)| kind != "reachability") => {
                self.named("", trail)
            }
            Verdict::Violated(v) => {
                let (what, place) = self.headline(v);
                format!("{}   {}", paint(BAD, &format!("✗ {what}")), self.violated(v, place, trail))
            }
            Verdict::Inconclusive(reason) => {
                let name = self.property.map(|(_, name)| format!("{name}: ")).unwrap_or_default();
                format!("{}   {}", paint(UNSURE, &format!("? {name}{reason}")), self.incomplete(reason))
            }
        }
    }
}

/// The size of a store that has a fixed one: `2^30 bits, 3 per state`.
pub fn store_size(store: StoreKind) -> Option<String> {
    match store {
        StoreKind::Bitstate(size) => {
            let bits = match size.is_power() {
                true => format!("2^{} bits", size.logarithm()),
                false => format!("{} of bits", bytes(size.bytes())),
            };
            Some(format!("{bits}, {} per state", size.hashes))
        }
        StoreKind::Hash { bits } => Some(format!("{bits}-bit hashes")),
        StoreKind::Cache(size) => size.states.map(|states| counted(states.into(), "state")),
        StoreKind::Auto | StoreKind::Words | StoreKind::Exact | StoreKind::Tree => None,
    }
}

/// Estimates below this number of states are shown as a bound.
const LEAST: f64 = 0.001;

/// An estimated number of states, which may be a fraction.
fn estimate(states: f64) -> String {
    match states {
        0.0 => "0".to_string(),
        ..LEAST => LEAST.to_string(),
        LEAST..1.0 => format!("{states:.3}"),
        1.0..10.0 => format!("{states:.1}"),
        _ => grouped(states.round() as u64),
    }
}

/// A fraction in percent. It is never rounded up to 100 %.
fn percent(part: f64) -> String {
    if part >= 1.0 {
        return "100 %".to_string();
    }
    let digits = (2..9).find(|&digits| (1.0 - part) * 10f64.powi(digits) >= 1.0).unwrap_or(9).max(3) - 2;
    let steps = 10f64.powi(digits);
    format!("{:.*} %", digits as usize, (part * 100.0 * steps).floor() / steps)
}

/// The steps of a run. For a deadlock, the blocked processes follow.
pub fn trace(run: &Run, names: &Names, look: Look) -> String {
    trace_of(run, names, look, &Selection::default())
}

/// The steps of a run, with a choice of columns and rows and with remarks.
pub fn trace_of(run: &Run, names: &Names, look: Look, selection: &Selection) -> String {
    let mut out = selected(run, names, look, selection);
    if let End::Cycle(before) = run.end() {
        let (first, last) = (run.forgotten() + before + 1, run.forgotten() + run.moves().len());
        let which = match first.cmp(&last) {
            Ordering::Less => format!("cycle: steps {first} to {last}"),
            Ordering::Equal => format!("cycle: step {first}"),
            Ordering::Greater => "cycle: no process can move, the last state repeats".to_string(),
        };
        let again = run.is_same(*before, last);
        let but = if again { "" } else { ", up to variables that no property depends on" };
        out.push_str(&format!("\n  {} {which}{but}\n", paint(BAD, "↻")));
    }
    if *run.end() == End::InvalidEnd {
        out.push('\n');
        out.push_str(&deadlock(run, names));
    } else if let Some(remark) = explanation::remark(run, names).filter(|_| run.end().is_of_state()) {
        out.push_str(&format!("\n  {} the property can't be evaluated here: {remark}\n", paint(BAD, "✗")));
    }
    let remarked = !selection.marks.is_empty() || !selection.notes.is_empty();
    if remarked && !matches!(run.end(), End::Cycle(_)) {
        out.push('\n');
    }
    for (_, mark) in &selection.marks {
        out.push_str(&format!("  {} {}\n", paint(UNSURE, "◆"), visible(mark)));
    }
    for note in &selection.notes {
        wrapped(&visible(note), look.width, 2).iter().for_each(|line| out.push_str(&format!("{line}\n")));
    }
    out
}

/// The error of a run in words, and its place. A property that is violated is named if its kind and its name are known.
pub fn verdict(run: &Run, property: Option<(&str, &str)>) -> Option<(String, Option<String>)> {
    run.end().error().map(|error| headline_of(run.model(), &error, property))
}

/// The headline of a run with an error.
pub fn verdict_line(run: &Run, property: Option<(&str, &str)>) -> Option<String> {
    let (what, place) = verdict(run, property)?;
    let place = place.map(|p| format!("   {p}")).unwrap_or_default();
    Some(format!("{}{place}\n", paint(BAD, &format!("✗ {what}"))))
}

/// Statements of which one is executed. Of very many the first are listed.
fn alternatives(statements: &[String]) -> String {
    const MOST: usize = 8;
    match statements.len().checked_sub(MOST) {
        Some(more @ 2..) => format!("{} or one of {more} more", statements[..MOST].join(" or ")),
        _ => statements.join(" or "),
    }
}

/// The processes of a deadlock, with the statements they wait for.
pub fn deadlock(run: &Run, names: &Names) -> String {
    let waiting = explanation::waiting(run, names);
    let name = waiting.iter().map(|w| w.process.chars().count()).max().unwrap_or(0);
    let place = waiting.iter().filter_map(|w| w.place.as_ref()).map(|p| p.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for w in &waiting {
        let at = w.place.as_deref().unwrap_or("");
        let (mark, text) = if w.at_end {
            (paint(FAINT, "·"), "valid end state".to_string())
        } else {
            // Only `provided` and priorities block a statement that is always executable.
            let wait = if w.held { "blocked by `provided` before" } else { "waits for" };
            let ends = match &w.ends[..] {
                [] => String::new(),
                ends => format!("; its label of a valid end state is at {}", ends.join(", ")),
            };
            (paint(BAD, "✗"), format!("{wait} {}{ends}", alternatives(&w.statements)))
        };
        out.push_str(&format!("  {mark} {:<name$}  {at:<place$}  {text}\n", w.process));
    }
    out
}

/// The error of a counterexample on one line, for trail files.
pub fn one_line(model: &Model, counterexample: &Counterexample) -> String {
    match headline(model, counterexample.error()) {
        (what, Some(place)) => format!("{what} ({place})"),
        (what, None) => what,
    }
}
