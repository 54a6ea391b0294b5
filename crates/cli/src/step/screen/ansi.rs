//! Text of a report as a line of the screen: its ANSI styles become styles of the screen.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::palette::Palette;

pub fn line(text: &str, palette: Palette) -> Line<'static> {
    let (mut spans, mut style) = (Vec::new(), Style::new());
    let mut parts = text.split("\u{1b}[");
    let push = |spans: &mut Vec<Span<'static>>, text: &str, style: Style| {
        if !text.is_empty() {
            spans.push(Span::styled(text.to_string(), palette.report(style)));
        }
    };
    push(&mut spans, parts.next().unwrap_or_default(), style);
    for part in parts {
        let (codes, rest) = part.split_once('m').unwrap_or(("", part));
        style = codes.split(';').fold(style, with);
        push(&mut spans, rest, style);
    }
    Line::from(spans)
}

/// A style changed by the code of a report.
fn with(style: Style, code: &str) -> Style {
    match code {
        "" | "0" => Style::new(),
        "1" => style.add_modifier(Modifier::BOLD),
        "2" => style.add_modifier(Modifier::DIM),
        "31" => style.fg(Color::Red),
        "32" => style.fg(Color::Green),
        "33" => style.fg(Color::Yellow),
        _ => style,
    }
}

#[cfg(test)]
mod tests {
    use kripke_report::style::{BAD, FAINT, paint};

    use super::*;

    #[test]
    fn styles_of_reports_are_kept() {
        let text = format!("a {} {}!", paint(BAD, "b"), paint(FAINT, "c"));
        let shown = line(&text, Palette::new(true));
        let parts: Vec<(&str, Style)> = shown.spans.iter().map(|s| (&*s.content, s.style)).collect();
        let bad = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
        let faint = Style::new().add_modifier(Modifier::DIM);
        assert_eq!(parts, [("a ", Style::new()), ("b", bad), (" ", Style::new()), ("c", faint), ("!", Style::new())]);
        assert!(line(&text, Palette::new(false)).spans.iter().all(|span| span.style.fg.is_none()));
    }
}
