//! From a run to a chart.

use std::collections::{BTreeMap, BTreeSet};

use kripke_model::interpret::{Interpreter, Move};
use kripke_model::ir::{ChannelId, EdgeId, Expr, Pattern, ProcessId, Sync};
use kripke_model::layout::View;

use super::queues::Queues;
use super::{Act, Chart, Kind, Lane, Message, Row};
use crate::columns::changed;
use crate::escape::visible;
use crate::explanation;
use crate::names::{Names, channel_item};
use crate::run::{End, Run};
use crate::table::line;

/// The chart of a run; `changes` says whether rows have the values that their step changes.
pub fn chart(run: &Run, names: &Names, interpreter: &mut Interpreter, changes: bool) -> Chart {
    let mut builder = Builder::new(run, names, interpreter);
    for n in 0..run.moves().len() {
        builder.step(n, changes);
    }
    builder.finish()
}

/// One statement of a step, with the process that executes it.
type Executed = (u8, ProcessId, EdgeId);

struct Builder<'a> {
    run: &'a Run,
    names: &'a Names,
    interpreter: &'a mut Interpreter,
    lanes: BTreeMap<(u8, u32), usize>,
    alive: Vec<Vec<(usize, usize)>>,
    rows: Vec<Row>,
    /// The first row of each step, and one more.
    starts: Vec<usize>,
    messages: Vec<Message>,
    queues: Queues,
    before: View,
    state: Vec<u8>,
}

impl<'a> Builder<'a> {
    fn new(run: &'a Run, names: &'a Names, interpreter: &'a mut Interpreter) -> Builder<'a> {
        let mut keys = BTreeSet::new();
        for steps in 0..=run.moves().len() {
            keys.extend(run.view(steps).processes.iter().map(|p| (p.pid, p.process.0)));
        }
        let lanes: BTreeMap<(u8, u32), usize> = keys.into_iter().enumerate().map(|(i, key)| (key, i)).collect();
        let alive = vec![Vec::new(); lanes.len()];
        let (before, state) = (run.view(0), run.point(0).state);
        let mut queues = Queues::default();
        queues.agree(&before);
        let messages = vec![Message { sent: None, received: None }; queues.count()];
        let (rows, starts) = (Vec::new(), Vec::new());
        let mut builder =
            Builder { run, names, interpreter, lanes, alive, rows, starts, messages, queues, before, state };
        builder.live(0, 0);
        builder
    }

    /// Notes that the processes of the current state are alive from row `from` to row `to`.
    fn live(&mut self, from: usize, to: usize) {
        for p in &self.before.processes {
            let Some(&lane) = self.lanes.get(&(p.pid, p.process.0)) else { continue };
            match self.alive[lane].last_mut() {
                Some(last) if last.1 >= from => last.1 = to,
                _ => self.alive[lane].push((from, to)),
            }
        }
    }

    fn step(&mut self, n: usize, changes: bool) {
        let taken = &self.run.moves()[n];
        let first = self.rows.len();
        self.starts.push(first);
        self.acts(n, taken);
        let after = self.run.view(n + 1);
        let end = self.rows.len();
        self.live(first, end);
        self.queues.agree(&after);
        self.correct(first);
        let row = &mut self.rows[first];
        row.output = visible(&taken.output).into_owned();
        if changes {
            row.changes = changed(self.run, self.names, &self.before, &after);
        }
        self.before = after;
        self.state = self.run.point(n + 1).state;
        // A process that is created by this step is alive from its last row on.
        self.live(end, end);
    }

    /// Shows the values that are in the channel: a field may be too narrow for the value that was sent.
    fn correct(&mut self, first: usize) {
        for row in first..self.rows.len() {
            let Some(Act { kind: Kind::Send(message), .. }) = self.rows[row].act else { continue };
            if let Some((at, values)) = self.queues.find(message) {
                self.rows[row].text = self.text(at, '!', values);
            }
        }
    }

    /// The rows of a step: one for each channel operation, or one for the whole step.
    fn acts(&mut self, n: usize, taken: &Move) {
        let number = self.run.forgotten() + n + 1;
        if self.run.is_pause(taken) {
            return self.push(number, (String::new(), self.run.statements(taken)), None);
        }
        let place = line(self.run, taken);
        let own = (taken.pid, taken.process, taken.edge);
        let before = self.rows.len();
        let receiver = match taken.partner {
            Some(p) => {
                self.rendezvous(number, &place, own, (p.pid, p.process, p.edge));
                (p.pid, p.process)
            }
            None => {
                self.operation(number, &place, own, n);
                (taken.pid, taken.process)
            }
        };
        for edge in &taken.chain {
            self.operation(number, &place, (receiver.0, receiver.1, *edge), n);
        }
        if self.rows.len() == before {
            let act = self.act((taken.pid, taken.process), Kind::Local);
            self.push(number, (place.clone(), self.run.statements(taken)), act);
        }
        for other in &taken.others {
            let statement = self.run.statement(other.process, other.edge);
            let act = self.act((other.pid, other.process), Kind::Local);
            self.push(number, (place.clone(), statement), act);
        }
    }

    fn push(&mut self, step: usize, (line, text): (String, String), act: Option<Act>) {
        let leads = self.rows.last().is_none_or(|row| row.step != step);
        self.rows.push(Row { step, leads, line, act, text, changes: Vec::new(), output: String::new() });
    }

    fn act(&self, (pid, process): (u8, ProcessId), kind: Kind) -> Option<Act> {
        self.lanes.get(&(pid, process.0)).map(|&lane| Act { lane, kind })
    }

    fn rendezvous(&mut self, step: usize, place: &str, from: Executed, to: Executed) {
        let run = self.run;
        let kind = self.lanes.get(&(to.0, to.1.0)).map_or(Kind::Local, |&lane| Kind::Rendezvous(lane));
        let text = match &run.edge(from.1, from.2).sync {
            Some(Sync::Send { channel, args, .. }) => self.sent_text(from, channel, args),
            _ => None,
        };
        let text = text.unwrap_or_else(|| run.statement(from.1, from.2));
        let act = self.act((from.0, from.1), kind);
        self.push(step, (place.to_string(), text), act);
    }

    /// The row of a buffered channel operation, if the edge has one.
    fn operation(&mut self, step: usize, place: &str, executed: Executed, n: usize) {
        let run = self.run;
        let (pid, process, edge) = executed;
        match &run.edge(process, edge).sync {
            Some(Sync::Send { channel, args, sorted }) => {
                let Some(at) = self.channel(channel, executed) else { return };
                let values = self.values(args, executed).unwrap_or_default();
                let message = self.queues.send(at, values, *sorted);
                self.messages.push(Message { sent: Some(self.rows.len()), received: None });
                let alone = run.moves()[n].chain.is_empty() && !run.ends_at(n + 1);
                let after = alone.then(|| run.view(n + 1));
                let kind = match &after {
                    Some(after) if !self.queues.fits(at, after) => {
                        self.queues.lose(message);
                        Kind::Lost
                    }
                    _ => Kind::Send(message),
                };
                let text = self.sent_text(executed, channel, args);
                let text = text.unwrap_or_else(|| run.statement(process, edge));
                let act = self.act((pid, process), kind);
                self.push(step, (place.to_string(), text), act);
            }
            Some(Sync::Receive { channel, args, anywhere, keep, .. }) => {
                let Some(at) = self.channel(channel, executed) else { return };
                let wanted: Vec<Option<i32>> = args.iter().map(|arg| self.wanted(arg, executed)).collect();
                let accepts = |values: &[i32]| {
                    !anywhere || values.iter().zip(&wanted).all(|(value, wanted)| wanted.is_none_or(|w| w == *value))
                };
                let found = self.queues.receive(at, *keep, accepts);
                let text = found.as_ref().map(|(_, values)| self.text(at, '?', values));
                let kind = found.map_or(Kind::Local, |(message, _)| Kind::Receive(message));
                if let (Kind::Receive(message), false) = (kind, *keep) {
                    self.messages[message].received = Some(self.rows.len());
                }
                let text = text.unwrap_or_else(|| run.statement(process, edge));
                let act = self.act((pid, process), kind);
                self.push(step, (place.to_string(), text), act);
            }
            None => {}
        }
    }

    /// The index of the channel that an operation is on.
    fn channel(&mut self, channel: &Expr, (pid, ..): Executed) -> Option<usize> {
        let number = self.interpreter.value(channel, Some(pid), &self.state)?;
        usize::try_from(number).ok()?.checked_sub(1).filter(|at| *at < self.before.channels.len())
    }

    fn values(&mut self, args: &[Expr], (pid, ..): Executed) -> Option<Vec<i32>> {
        args.iter().map(|arg| self.interpreter.value(arg, Some(pid), &self.state)).collect()
    }

    /// The value that a field of a received message must have.
    fn wanted(&mut self, arg: &Pattern, (pid, ..): Executed) -> Option<i32> {
        match arg {
            Pattern::Match(value) => self.interpreter.value(value, Some(pid), &self.state),
            Pattern::Store(_) | Pattern::Any => None,
        }
    }

    /// A send with its values.
    fn sent_text(&mut self, executed: Executed, channel: &Expr, args: &[Expr]) -> Option<String> {
        let at = self.channel(channel, executed)?;
        let values = self.values(args, executed)?;
        Some(self.text(at, '!', &values))
    }

    /// A channel operation with its values: `q!msg,3`.
    fn text(&self, at: usize, operator: char, values: &[i32]) -> String {
        let (model, view) = (self.run.model(), &self.before);
        if at >= view.channels.len() {
            return format!("?{operator}");
        }
        let name = channel_item(view, at).map_or_else(|| "?".to_string(), |item| self.names.item(model, item));
        let ChannelId(declaration) = view.channels[at].declaration;
        let fields = &model.channels[declaration as usize].fields;
        let values: Vec<String> =
            values.iter().zip(fields).map(|(value, ty)| self.names.value(model, view, *ty, *value)).collect();
        visible(&format!("{name}{operator}{}", values.join(","))).into_owned()
    }

    fn finish(mut self) -> Chart {
        let end = self.rows.len();
        self.live(end, end);
        self.starts.push(end);
        let mut named: Vec<((u8, u32), usize)> = self.lanes.iter().map(|(key, lane)| (*key, *lane)).collect();
        named.sort_unstable_by_key(|(_, lane)| *lane);
        let model = self.run.model();
        let name = |(pid, process): (u8, u32)| self.names.process(model, ProcessId(process), pid);
        let lanes = named
            .iter()
            .zip(self.alive)
            .map(|((key, _), alive)| Lane { name: visible(&name(*key)).into_owned(), alive });
        let cycle = match self.run.end() {
            End::Cycle(before) => Some(self.starts[(*before).min(self.starts.len() - 1)]),
            _ => None,
        };
        Chart {
            title: visible(&model.name).into_owned(),
            lanes: lanes.collect(),
            rows: self.rows,
            messages: self.messages,
            cycle,
            error: explanation::remark(self.run, self.names),
        }
    }
}
