//! Diagnostics about the text of an inline or a macro: they point at the word that is wrong and at the call, once, not once
//! for each call.

use crate::diagnostic::{Diagnostic, Label};
use crate::source::{ExpansionKind, Sources, Span};

/// The label of the place inside the text that is expanded.
pub(super) const EXPANDED: &str = "in the text that is expanded here";

/// Moves diagnostics to the text of their inline or macro, and removes those that say the same of the same place.
pub(super) fn relocate(sources: &Sources, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.iter_mut().for_each(|diagnostic| move_inside(sources, diagnostic));
    let mut seen: Vec<(String, Option<Span>)> = Vec::new();
    diagnostics.retain(|diagnostic| {
        let key = (diagnostic.message.clone(), diagnostic.labels.first().map(|label| label.span));
        let moved = diagnostic.labels.get(1).is_some_and(|label| is_call(&label.text));
        let known = moved && seen.contains(&key);
        seen.push(key);
        !known
    });
}

fn is_call(text: &str) -> bool {
    text.ends_with("` is called here") || text.ends_with("` is used here")
}

fn move_inside(sources: &Sources, diagnostic: &mut Diagnostic) {
    let Some(primary) = diagnostic.labels.first().cloned() else { return };
    let Some(expansion) = sources.expansions(primary.span).first() else { return };
    let expanded = diagnostic.labels.iter().find(|label| label.text == EXPANDED).map(|label| label.span);
    let word = diagnostic.message.split('`').nth(1);
    let Some(own) = expanded.or_else(|| sources.origin(primary.span, word?)) else { return };
    let call = match expansion.kind {
        ExpansionKind::Inline => format!("inline `{}` is called here", expansion.name),
        ExpansionKind::Macro => format!("macro `{}` is used here", expansion.name),
    };
    diagnostic.labels.retain(|label| label.text != EXPANDED);
    diagnostic.labels[0] = Label { span: own, text: primary.text };
    diagnostic.labels.insert(1, Label { span: primary.span, text: call });
}
