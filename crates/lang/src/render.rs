//! Diagnostics as text: the message, the source with carets, and the advice.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::limits;
use crate::source::{ExpansionKind, FileId, Sources, Span};

/// Maximum length of a line that is shown; of a longer one only the position is given.
const MAX_LINE: usize = 100_000;

/// One diagnostic, ending in a line end.
pub fn render(sources: &Sources, diagnostic: &Diagnostic, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(diagnostic.message.as_str()));
    let mut labels = diagnostic.labels.clone();
    labels.retain(|l| l.span.file.index() < sources.files().len());
    let definitions = definitions(sources, &labels);
    labels.extend(definitions);
    let mut files: Vec<FileId> = Vec::new();
    for label in &labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    for file in files {
        let mut here: Vec<(bool, &Label)> = Vec::new();
        for (i, label) in labels.iter().enumerate().filter(|(_, l)| l.span.file == file) {
            if !here.iter().any(|(_, l)| l.span == label.span && (l.text == label.text || label.text.is_empty())) {
                here.push((i == 0, label));
            }
        }
        group = excerpt(group, sources, file, &here);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.render(&[group]);
    text.push('\n');
    text
}

/// All diagnostics, up to a limit; the rest are counted.
pub fn render_all(sources: &Sources, diagnostics: &[Diagnostic], color: bool) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics.iter().take(limits::MAX_ERRORS_SHOWN) {
        out.push_str(&render(sources, diagnostic, color));
        out.push('\n');
    }
    let more = diagnostics.len().saturating_sub(limits::MAX_ERRORS_SHOWN);
    if more > 0 {
        out.push_str(&format!("and {more} more\n"));
    }
    out
}

/// The definitions of the macros and inlines that were expanded at the place of the diagnostic.
fn definitions(sources: &Sources, labels: &[Label]) -> Vec<Label> {
    let Some(primary) = labels.first() else { return Vec::new() };
    let describe = |kind| match kind {
        ExpansionKind::Macro => "macro",
        ExpansionKind::Inline => "inline",
    };
    let expansions = sources.expansions(primary.span).iter();
    expansions
        .filter_map(|e| {
            let span = e.definition.filter(|d| !labels.iter().any(|l| l.span == *d))?;
            Some(Label { span, text: format!("{} `{}` is defined here", describe(e.kind), e.name) })
        })
        .collect()
}

/// Adds the lines of one file that the labels are on.
fn excerpt<'a>(group: Group<'a>, sources: &'a Sources, file: FileId, labels: &[(bool, &'a Label)]) -> Group<'a> {
    let text = sources.file(file).text.as_str();
    let ranges: Vec<Range<usize>> = labels.iter().map(|(_, l)| visible(text, l.span)).collect();
    let from = ranges.iter().map(|r| line_start(text, r.start)).min().unwrap_or(0);
    let to = ranges.iter().map(|r| line_end(text, r.start)).max().unwrap_or(text.len());
    // The library shows control characters of texts, but not of names.
    let name = sources.file(file).name.replace(char::is_control, "\u{fffd}");
    let Some((_, first)) = labels.first() else { return group };
    let position = sources.position(first.span);
    let on_long_line = ranges.iter().any(|r| line_end(text, r.start) - line_start(text, r.start) > MAX_LINE);
    if on_long_line {
        let origin = Origin::path(name.clone()).line(position.line as usize).char_column(position.column as usize);
        return group.element(origin);
    }
    let line = text[..from].bytes().filter(|b| *b == b'\n').count() + 1;
    let mut snippet = Snippet::source(&text[from..to]).line_start(line).path(name);
    for ((primary, label), range) in labels.iter().zip(ranges) {
        snippet = snippet.annotation(annotation(*primary, label, range.start - from..range.end - from));
    }
    group.element(snippet)
}

fn annotation(primary: bool, label: &Label, range: Range<usize>) -> Annotation<'_> {
    let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    let annotation = kind.span(range);
    if label.text.is_empty() { annotation } else { annotation.label(label.text.as_str()) }
}

/// The part of a span that is on its first line, on character boundaries.
fn visible(text: &str, span: Span) -> Range<usize> {
    let start = text.floor_char_boundary((span.start as usize).min(text.len()));
    let end = text.ceil_char_boundary((span.end as usize).min(text.len())).max(start);
    start..end.min(line_end(text, start))
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |i| i + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |i| at + i)
}
