//! Text of a single state of a run.

use kripke_model::ir::{ProcessId, Shows, VarId};
use kripke_model::layout::View;

use crate::names::{Item, Names, What, channel_item, variables};
use crate::run::Run;

/// The variables of the state after `steps` steps: one line for the globals and one line per process.
pub fn variables_text(run: &Run, names: &Names, steps: usize) -> String {
    let view = run.view(steps);
    let owners = std::iter::once(None).chain(view.processes.iter().map(|p| Some((p.pid, p.process))));
    let mut rows = Vec::new();
    for owner in owners {
        let values = owned(run, names, &view, owner).join("  ");
        match owner {
            None if values.is_empty() => {}
            None => rows.push(("global".to_string(), values)),
            Some((pid, process)) => {
                let text = format!("{}   {values}", position(run, &view, pid));
                rows.push((names.process(run.model(), process, pid), text.trim_end().to_string()));
            }
        }
    }
    let width = rows.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    rows.iter().map(|(title, text)| format!("  {title:<width$}  {text}\n")).collect()
}

/// `name = value` for every variable of an owner. Arrays are in brackets.
fn owned(run: &Run, names: &Names, view: &View, owner: Option<(u8, ProcessId)>) -> Vec<String> {
    let mut out = Vec::new();
    for (i, var) in variables(run.model(), owner).iter().enumerate() {
        if var.hidden || (var.ty.shows == Shows::Channel && owner.is_none()) {
            continue;
        }
        let read = |at| names.read(run.model(), view, Item { owner, what: What::Element { var: VarId(i as u32), at } });
        if var.dims.is_empty() {
            out.extend(read(0).map(|value| format!("{} = {value}", var.name)));
        } else {
            let values: Vec<String> = (0..var.len() as u32).map_while(read).collect();
            out.push(format!("{} = [{}]", var.name, values.join(" ")));
        }
    }
    out
}

/// The position of a process: the place of its next statement.
fn position(run: &Run, view: &View, pid: u8) -> String {
    let Some(p) = view.processes.iter().find(|p| p.pid == pid) else { return String::new() };
    let process = &run.model().processes[p.process.index()];
    match process.locations[p.location.index()].edges.first() {
        Some(edge) => format!("at {}", run.lines().place_of(&process.edges[edge.index()])),
        None => "at its end".to_string(),
    }
}

/// Every channel with its messages.
pub fn channels_text(run: &Run, names: &Names, steps: usize) -> String {
    let view = run.view(steps);
    let mut out = String::new();
    for (i, channel) in view.channels.iter().enumerate() {
        let Some(item) = channel_item(&view, i) else { continue };
        let name = names.item(run.model(), item);
        let capacity = run.model().channels[channel.declaration.index()].capacity;
        if capacity == 0 {
            out.push_str(&format!("  {name}: rendezvous\n"));
        } else {
            let contents = names.read(run.model(), &view, item).unwrap_or_default();
            out.push_str(&format!("  {name}: {contents} ({} of {capacity})\n", channel.messages.len()));
        }
    }
    if out.is_empty() { "  there are no channels\n".to_string() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_state_is_told_in_full() {
        let (run, _) = sample::counterexample(sample::handshake());
        let names = run.names();
        let want = "  sender       at chan.pml:3
  receiver(1)  at chan.pml:6   x = 0
  receiver(2)  at chan.pml:7   x = 7
";
        assert_eq!(variables_text(&run, &names, 2), want);
        assert_eq!(channels_text(&run, &names, 2), "  c: rendezvous\n  d: [msg,3] (1 of 2)\n");
    }
}
