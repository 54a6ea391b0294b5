//! A run as a table, as a chart and as files.

use kripke_model::layout::View;
use kripke_report::chart::{self, Chart, Kind};
use kripke_report::names::{Item, What};
use kripke_report::run::Run;
use kripke_report::select::items;
use kripke_report::stepping;
use kripke_report::table::Look;
use kripke_report::{itf, screen};
use serde_json::{Value, json};

use super::Answer;
use super::failure::Failure;
use super::model::shown;
use super::simulation::Simulation;
use super::why::blocked;

/// The most variables of a table: those that change come first.
const MOST_COLUMNS: usize = 300;
/// The most steps of a chart.
const MOST_ROWS: usize = 5_000;
/// The width of the table as text.
const WIDTH: usize = 160;

/// The columns of a table, and the values of those that are expressions.
pub(super) struct Table {
    length: usize,
    revision: u64,
    items: Vec<(Item, bool)>,
    watched: Vec<Vec<Option<i32>>>,
}

impl Simulation {
    /// The columns, computed when they are first needed.
    fn table(&mut self) -> Result<&Table, Failure> {
        let (length, revision) = (self.length(), self.session.revision());
        let known = self.table.as_ref().is_some_and(|t| (t.length, t.revision) == (length, revision));
        if !known {
            let items = columns(&self.session.run().part(0, length));
            let mut watched = Vec::new();
            for text in self.watches.clone() {
                watched.push(self.values_of(&text, length)?);
            }
            self.table = Some(Table { length, revision: self.session.revision(), items, watched });
        }
        self.table.as_ref().ok_or_else(|| Failure::new(500, "there is no table"))
    }

    /// The values of an expression along the run.
    fn values_of(&mut self, text: &str, length: usize) -> Result<Vec<Option<i32>>, Failure> {
        let at = self.session.at();
        let mut values = Vec::with_capacity(length + 1);
        for step in 0..=length {
            self.session.jump(step);
            let value = if self.session.run().ends_at(step) { None } else { self.session.evaluate(text)? };
            values.push(value);
        }
        self.session.jump(at);
        Ok(values)
    }

    /// The columns in words.
    pub(super) fn columns(&mut self) -> Answer {
        self.table()?;
        let (run, names) = (self.session.run(), self.session.names());
        let items = self.table.iter().flat_map(|table| &table.items);
        let mut out: Vec<Value> = items
            .map(|(item, changes)| {
                let kind = if matches!(item.what, What::Element { .. }) { "variable" } else { "channel" };
                let (owner, name) = (names.owner(run.model(), *item), names.own(run.model(), *item));
                json!({ "name": name, "owner": owner, "kind": kind, "changes": changes })
            })
            .collect();
        let expression = |name: &str, kind: &str| json!({ "name": name, "owner": null, "kind": kind, "changes": true });
        out.extend(self.why.selection.watched.iter().map(|w| expression(&w.name, "proposition")));
        out.extend(self.watches.iter().map(|text| expression(text, "watch")));
        Ok(json!({ "columns": out }))
    }

    /// The run as a whole.
    pub(super) fn trace(&mut self) -> Answer {
        let columns = self.columns()?["columns"].take();
        let length = self.length();
        let session = &self.session;
        let whole = session.run().part(0, length);
        let (what, place) = screen::verdict(&whole, session.property()).unzip();
        let cycle = stepping::cycle(&whole).map(|(from, to)| json!({ "from": from, "to": to }));
        let selection = &self.why.selection;
        let marks: Vec<Value> =
            selection.marks.iter().map(|(step, text)| json!({ "step": step, "text": text })).collect();
        let files: Vec<String> = whole.model().files.iter().filter(|f| !f.asked).map(|f| shown(&f.name)).collect();
        Ok(json!({
            "steps": length,
            "cycle": cycle,
            "verdict": what,
            "place": place.flatten(),
            "notes": selection.notes,
            "marks": marks,
            "minor": selection.minor,
            "waiting": blocked(&whole),
            "processes": self.processes(length),
            "columns": columns,
            "files": files,
        }))
    }

    /// The processes of the run, by number.
    fn processes(&self, length: usize) -> Value {
        let (run, names) = (self.session.run(), self.session.names());
        let mut known = std::collections::BTreeMap::new();
        for step in (0..=length).filter(|step| !run.ends_at(*step)) {
            for p in &run.view(step).processes {
                known.entry((p.pid, p.process)).or_insert_with(|| {
                    let name = names.process(run.model(), p.process, p.pid);
                    json!({ "pid": p.pid, "name": name, "type": run.model().processes[p.process.index()].name })
                });
            }
        }
        known.into_values().collect()
    }

    /// States with the steps that lead to them.
    pub(super) fn steps(&mut self, from: usize, count: usize) -> Answer {
        self.table()?;
        let length = self.length();
        let end = from.saturating_add(count).min(length + 1);
        Ok((from.min(end)..end).map(|step| self.step(step)).collect())
    }

    fn step(&self, step: usize) -> Value {
        let run = self.session.run();
        let mut value = match step.checked_sub(1).and_then(|last| run.moves().get(last)) {
            Some(taken) => self.told_move(taken),
            None => {
                json!({ "pid": null, "process": "", "file": null, "line": null, "statement": "", "output": "", "partner": null })
            }
        };
        let view = (!run.ends_at(step)).then(|| run.view(step));
        value["n"] = step.into();
        value["values"] = self.values(step, view.as_ref());
        value["locations"] = self.locations(step);
        value
    }

    fn values(&self, step: usize, view: Option<&View>) -> Value {
        let Some(table) = &self.table else { return json!([]) };
        let (run, names) = (self.session.run(), self.session.names());
        let read = |(item, _): &(Item, bool)| view.and_then(|view| names.read(run.model(), view, *item));
        let mut out: Vec<Option<String>> = table.items.iter().map(read).collect();
        let at = |values: &[Option<i32>]| values.get(step).copied().flatten().map(|value| value.to_string());
        out.extend(self.why.selection.watched.iter().map(|w| at(&w.values)));
        out.extend(table.watched.iter().map(|values| at(values)));
        json!(out)
    }

    /// The message sequence chart of a part of the run.
    pub(super) fn chart(&mut self, from: usize, to: usize) -> Answer {
        let to = to.min(self.length());
        let from = from.min(to).max(to.saturating_sub(MOST_ROWS));
        let chart = self.session.chart(from, to);
        let mut value = data(&chart);
        value["svg"] = chart::svg::svg(&chart).into();
        Ok(value)
    }

    /// The run as a file: its name, its type and its content.
    pub(super) fn export(&mut self, format: &str) -> Answer {
        let length = self.length();
        let (kind, ending, text) = match format {
            "trail" => {
                let at = self.session.at();
                self.session.jump(length);
                let saved = self.session.saved();
                self.session.jump(at);
                ("application/json", "trail.json", saved.map_err(|why| Failure::wrong(&why))?.text)
            }
            "itf" => {
                let run = self.session.run().part(0, length);
                ("application/json", "itf.json", itf::itf(&run, self.session.names(), ""))
            }
            "svg" => {
                let chart = self.session.chart(length.saturating_sub(MOST_ROWS), length);
                ("image/svg+xml", "svg", chart::svg::svg(&chart))
            }
            "mermaid" => {
                let chart = self.session.chart(length.saturating_sub(MOST_ROWS), length);
                ("text/plain", "mmd", chart::mermaid::mermaid(&chart))
            }
            "markdown" => ("text/markdown", "md", self.markdown()?),
            "text" => {
                let run = self.session.run().part(0, length);
                let look = Look { width: WIDTH, full: true };
                let text = screen::trace_of(&run, self.session.names(), look, &self.why.selection);
                ("text/plain", "txt", anstream::adapter::strip_str(&text).to_string())
            }
            _ => return Err(Failure::new(404, "there is no such format")),
        };
        Ok(json!({ "type": kind, "ending": ending, "text": text }))
    }

    /// The run as a table in Markdown: steps with the values that they change.
    fn markdown(&mut self) -> Result<String, Failure> {
        let trace = self.trace()?;
        let names: Vec<String> = trace["columns"].as_array().into_iter().flatten().map(column_name).collect();
        let rows = self.steps(0, usize::MAX - 1)?;
        let mut out = format!("# {}\n\n", trace["verdict"].as_str().unwrap_or("A run"));
        let notes = trace["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
        notes.for_each(|note| out.push_str(&format!("* {}\n", cell(note))));
        out.push_str("\n| step | process | line | statement | changes |\n|---:|---|---:|---|---|\n");
        let mut before: Vec<Value> = Vec::new();
        for row in rows.as_array().into_iter().flatten() {
            let values = row["values"].as_array().cloned().unwrap_or_default();
            let changed = values.iter().enumerate().filter(|(i, v)| before.get(*i) != Some(v) && v.is_string());
            let told: Vec<String> =
                changed.map(|(i, v)| format!("{} = {}", names[i], v.as_str().unwrap_or_default())).collect();
            let text = |name: &str| cell(row[name].as_str().unwrap_or_default());
            let line = row["line"].as_u64().map_or(String::new(), |line| line.to_string());
            let told = cell(&told.join(", "));
            out.push_str(&format!(
                "| {} | {} | {line} | {} | {told} |\n",
                row["n"],
                text("process"),
                text("statement")
            ));
            before = values;
        }
        if let Some(from) = trace["cycle"]["from"].as_u64() {
            out.push_str(&format!("\nSteps {from} to {} repeat for ever.\n", trace["cycle"]["to"]));
        }
        Ok(out)
    }
}

fn column_name(column: &Value) -> String {
    let name = column["name"].as_str().unwrap_or_default();
    column["owner"].as_str().map_or(name.to_string(), |owner| format!("{owner}.{name}"))
}

/// A text as a cell of a table in Markdown.
fn cell(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("`{}`", text.replace('|', "\\|").replace('`', "'")),
    }
}

/// The variables and channels of a run, and whether each one changes. Those that change are kept first if there are too many.
fn columns(run: &Run) -> Vec<(Item, bool)> {
    let names = run.names();
    let all = items(run);
    let mut changes = vec![false; all.len()];
    let mut before: Vec<Option<String>> = Vec::new();
    for step in (0..=run.moves().len()).filter(|step| !run.ends_at(*step)) {
        let view = run.view(step);
        let values: Vec<Option<String>> = all.iter().map(|item| names.read(run.model(), &view, *item)).collect();
        for (i, value) in values.iter().enumerate().filter(|_| !before.is_empty()) {
            changes[i] |= before[i].is_some() && value.is_some() && before[i] != *value;
        }
        before = values;
    }
    let room = MOST_COLUMNS.saturating_sub(changes.iter().filter(|changes| **changes).count());
    let mut still = 0;
    let kept = all.into_iter().zip(changes).filter(|(_, changes)| {
        still += usize::from(!changes);
        *changes || still <= room
    });
    kept.take(MOST_COLUMNS).collect()
}

/// A chart as data.
fn data(chart: &Chart) -> Value {
    let lanes: Vec<Value> = chart.lanes.iter().map(|l| json!({ "name": l.name, "alive": l.alive })).collect();
    let rows: Vec<Value> = chart
        .rows
        .iter()
        .map(|row| {
            let (kind, to, message) = match row.act.map(|act| act.kind) {
                None | Some(Kind::Local) => ("local", None, None),
                Some(Kind::Rendezvous(lane)) => ("rendezvous", Some(lane), None),
                Some(Kind::Send(message)) => ("send", None, Some(message)),
                Some(Kind::Receive(message)) => ("receive", None, Some(message)),
                Some(Kind::Lost) => ("lost", None, None),
            };
            json!({
                "step": row.step,
                "leads": row.leads,
                "line": row.line,
                "lane": row.act.map(|act| act.lane),
                "kind": kind,
                "to": to,
                "message": message,
                "text": row.text,
                "changes": row.changes,
                "output": row.output,
            })
        })
        .collect();
    let messages: Vec<Value> =
        chart.messages.iter().map(|m| json!({ "sent": m.sent, "received": m.received })).collect();
    json!({ "lanes": lanes, "rows": rows, "messages": messages, "cycle": chart.cycle, "error": chart.error })
}
