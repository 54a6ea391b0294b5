//! The messages of a step.

use kripke_model::Interpreter;
use kripke_model::interpret::Move;
use kripke_model::ir::{ChannelQuery, Edge, EdgeId, Effect, Expr, Guard, Model, Place, Shows, Sync};
use kripke_model::layout::View;

use super::variables::values;
use crate::run::Run;

/// A message that is sent or received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// It is sent.
    pub sent: bool,
    /// It stays in the channel.
    pub kept: bool,
    /// It is only asked for.
    pub polled: bool,
    /// The number of the channel in the state.
    pub channel: usize,
    /// The channel as the statement names it.
    pub name: String,
    /// The fields.
    pub values: String,
}

/// The numbers of the channels that a statement uses, in the order of evaluation.
pub fn used(model: &Model, edge: &Edge, pid: u8, state: &[u8], interpreter: &mut Interpreter) -> Vec<usize> {
    let mut found: Vec<Expr> = Vec::new();
    if let Some(Sync::Send { channel, .. } | Sync::Receive { channel, .. }) = &edge.sync {
        found.push(channel.clone());
    }
    let mut asked = |expr: &Expr| {
        if let Expr::Channel(_, channel) | Expr::Poll { channel, .. } = expr {
            found.push((**channel).clone());
        }
    };
    if let Guard::When(condition) = &edge.guard {
        condition.walk(&mut asked);
    }
    for effect in &edge.effects {
        match effect {
            Effect::Assign(_, value) => value.walk(&mut asked),
            Effect::Run { process, args, .. } => {
                let params = &model.processes[process.index()].locals;
                let passed = params.iter().zip(args).filter(|(param, _)| param.ty.shows == Shows::Channel);
                passed.for_each(|(_, arg)| asked(&Expr::Channel(ChannelQuery::Len, Box::new(arg.clone()))));
            }
            _ => {}
        }
    }
    let numbers = found.iter().filter_map(|channel| interpreter.value(channel, Some(pid), state));
    numbers.filter_map(|number| usize::try_from(number).ok()).filter(|number| *number > 0).collect()
}

/// The message of a statement. `whole` says that the statement is a step of its own, so that the state behind it is known.
pub fn message(
    run: &Run,
    taken: &Move,
    edge: EdgeId,
    (pid, whole): (u8, bool),
    state: &[u8],
    interpreter: &mut Interpreter,
) -> Option<Message> {
    let process = if pid == taken.pid { taken.process } else { taken.partner?.process };
    let statement = run.edge(process, edge);
    let (channel, sent, kept) = match (&statement.sync, &statement.guard) {
        (Some(Sync::Send { channel, .. }), _) => (channel, true, false),
        (Some(Sync::Receive { channel, keep, .. }), _) => (channel, false, *keep),
        (None, Guard::When(Expr::Poll { channel, .. })) => (&**channel, false, true),
        _ => return None,
    };
    let number = usize::try_from(interpreter.value(channel, Some(pid), state)?).ok()?;
    let before = interpreter.layout().view(state);
    let queue = before.channels.get(number.checked_sub(1)?)?;
    let declared = &run.model().channels[queue.declaration.index()];
    let fields: Vec<i32> = match (&statement.sync, taken.partner) {
        (Some(Sync::Send { args, .. }), _) => evaluate(args, pid, state, interpreter)?,
        // The receiver gets what the sender sends.
        (_, Some(_)) => match &run.edge(taken.process, taken.edge).sync {
            Some(Sync::Send { args, .. }) => evaluate(args, taken.pid, state, interpreter)?,
            _ => return None,
        },
        _ => {
            let after = taken.to.as_ref().filter(|_| whole).map(|to| interpreter.layout().view(&to.state));
            received(&queue.messages, after.as_ref().and_then(|after| Some(&after.channels.get(number - 1)?.messages)))?
        }
    };
    let fields: Vec<i32> = fields.iter().zip(&declared.fields).map(|(value, ty)| ty.wrap(*value)).collect();
    let name = channel_name(channel, &run.statement(process, edge), pid, state, interpreter);
    let polled = statement.sync.is_none();
    Some(Message { sent, kept, polled, channel: number, name, values: shown(run, &before, &fields, number) })
}

fn shown(run: &Run, view: &View, fields: &[i32], number: usize) -> String {
    let declared = &run.model().channels[view.channels[number - 1].declaration.index()];
    values(run.model(), view, fields, &declared.fields)
}

fn evaluate(args: &[Expr], pid: u8, state: &[u8], interpreter: &mut Interpreter) -> Option<Vec<i32>> {
    args.iter().map(|arg| interpreter.value(arg, Some(pid), state)).collect()
}

/// The message that was taken out of a channel, or the first one.
fn received(before: &[Vec<i32>], after: Option<&Vec<Vec<i32>>>) -> Option<Vec<i32>> {
    let taken = after.filter(|after| after.len() < before.len()).and_then(|after| {
        let at = before.iter().zip(after).position(|(old, new)| old != new).unwrap_or(after.len());
        before.get(at)
    });
    taken.or_else(|| before.first()).cloned()
}

/// The channel as the statement names it, with its index as a number.
fn channel_name(channel: &Expr, text: &str, pid: u8, state: &[u8], interpreter: &mut Interpreter) -> String {
    let name = text.split(['!', '?']).next().unwrap_or_default().trim_start_matches('(');
    let Expr::Load(Place { index, .. }) = channel else { return name.to_string() };
    let (Some((root, _)), [index]) = (name.split_once('['), &index[..]) else { return name.to_string() };
    match interpreter.value(index, Some(pid), state) {
        Some(index) => format!("{root}[{index}]"),
        None => name.to_string(),
    }
}
