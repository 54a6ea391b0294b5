//! The variables that an edge writes.

use kripke_model::ir::{Edge, Effect, Pattern, Sync, VarRef};

/// Calls `see` for every variable that an edge writes. An edge that begins an indivisible sequence writes nothing
/// itself.
pub(crate) fn writes(edge: &Edge, see: &mut impl FnMut(VarRef)) {
    let effects = if edge.chain.is_some() { &[][..] } else { &edge.effects };
    for effect in effects {
        if let Effect::Assign(place, _) | Effect::Run { result: Some(place), .. } = effect {
            see(place.var);
        }
    }
    if let Some(Sync::Receive { args, .. }) = &edge.sync {
        for arg in args {
            if let Pattern::Store(place) = arg {
                see(place.var);
            }
        }
    }
}
