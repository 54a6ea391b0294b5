//! What an edge stores something in.

use crate::ir::{Edge, Effect, Pattern, Place, Sync};

pub(crate) fn written(edge: &Edge) -> Vec<&Place> {
    let mut out = Vec::new();
    for effect in &edge.effects {
        match effect {
            Effect::Assign(place, _) | Effect::Run { result: Some(place), .. } => out.push(place),
            _ => {}
        }
    }
    if let Some(Sync::Receive { args, .. }) = &edge.sync {
        out.extend(args.iter().filter_map(|arg| match arg {
            Pattern::Store(place) => Some(place),
            _ => None,
        }));
    }
    out
}
