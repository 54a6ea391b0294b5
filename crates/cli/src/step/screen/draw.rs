//! The screen: title, panes, status, keys, help.

use kripke::stepping::Remark;
use kripke_model::ir::FileId;
use kripke_report::stepping::{Past, past};
use kripke_report::width::{clip, width};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

use super::app::App;
use super::keys::{KEYS, SHORT};
use super::layout::{Areas, areas};
use super::panes::content;

pub fn draw(frame: &mut Frame<'_>, app: &mut App) {
    let Areas { title, panes, status, keys } = areas(frame.area(), app.wanted());
    frame.render_widget(Paragraph::new(title_line(app, title.width.into())), title);
    app.drawn.clear();
    for (pane, area) in panes {
        let inner = Block::bordered().inner(area);
        let content = content(app, pane, inner.width.into(), inner.height.into());
        app.drawn.push((pane, (content.first, inner.height.into())));
        let focused = pane == app.focus;
        let title = clip(&format!(" {} ", content.title), usize::from(area.width).saturating_sub(2));
        let style = app.palette.frame(focused);
        let block = Block::bordered().border_style(style).title(Span::styled(title, style));
        frame.render_widget(Paragraph::new(Text::from(content.lines)).block(block), area);
    }
    draw_status(frame, app, status);
    frame.render_widget(Paragraph::new(key_lines(app, keys)), keys);
    if app.help {
        draw_help(frame, app);
    }
}

/// The model, the position and the kind of the run.
fn title_line(app: &App, columns: usize) -> Line<'static> {
    let session = &app.session;
    let kind = match (session.is_replay(), session.left()) {
        (false, _) => "simulation".to_string(),
        (true, None) => match session.verdict() {
            Some(error) => format!("trail: {error}"),
            None => "replay of a trail".to_string(),
        },
        (true, Some(left)) => format!("replay, off the trail since step {}", left + 1),
    };
    let kind = kind.replace("   ", " ");
    let position = format!("step {} of {}", session.at(), session.len());
    let rest = format!("   {position}   {kind}");
    // The name is clipped only if there is no place beside it for the position.
    let room = columns.saturating_sub(width("kripke  ") + width(&position) + 3);
    let model = clip(session.run().lines().file(FileId(0)), room);
    Line::from(vec![
        Span::styled(format!("kripke  {model}"), app.palette.strong()),
        Span::raw(clip(&rest, columns.saturating_sub(8 + width(&model)))),
    ])
}

/// The line that is asked for, or what is to be said about the current state and the last command.
fn draw_status(frame: &mut Frame<'_>, app: &App, area: Rect) {
    if let Some(prompt) = app.prompt {
        let front = prompt.text();
        let room = usize::from(area.width).saturating_sub(width(front));
        let (text, cursor) = app.editors[prompt as usize].visible(room);
        frame.render_widget(Paragraph::new(format!("{front}{text}")), area);
        let column = (width(front) + cursor).min(usize::from(area.width).saturating_sub(1));
        frame.set_cursor_position(Position::new(area.x + column as u16, area.y));
        return;
    }
    let remarks = app.session.remarks();
    let mut spans = Vec::new();
    let mut add = |text: String, style| {
        let gap = if spans.is_empty() { "" } else { " · " };
        spans.extend([Span::raw(gap), Span::styled(text, style)]);
    };
    let (message, failed) = &app.message;
    if !message.is_empty() {
        add(message.clone(), if *failed { app.palette.error() } else { app.palette.strong() });
    }
    for remark in &remarks {
        let style = if remark.is_error() { app.palette.error() } else { app.palette.strong() };
        add(remark.to_string(), style);
    }
    if remarks.iter().any(|remark| matches!(remark, Remark::Left(_))) {
        add("o returns to it".to_string(), app.palette.faint());
    }
    if spans.is_empty() {
        spans = chosen(app);
    }
    frame.render_widget(Paragraph::new(Line::from(spans)).wrap(Wrap { trim: true }), area);
}

/// The chosen move in full, which may not fit into its pane.
fn chosen(app: &App) -> Vec<Span<'static>> {
    let session = &app.session;
    let Some(chosen) = session.moves().get(app.chosen) else { return Vec::new() };
    let Past { process, line, statement, .. } = past(session.run(), session.names(), chosen);
    let text = format!("{}: {process}  {statement}  line {line}", app.chosen + 1);
    vec![Span::styled(text, app.palette.faint())]
}

/// The keys, in as many lines as there are; whole entries only.
fn key_lines(app: &App, area: Rect) -> Text<'static> {
    let mut lines = vec![Vec::new()];
    let mut used = 0;
    for (key, what) in SHORT {
        let entry = width(key) + 1 + width(what) + 2;
        if used + entry > usize::from(area.width) + 2 {
            if lines.len() == usize::from(area.height) {
                break;
            }
            lines.push(Vec::new());
            used = 0;
        }
        used += entry;
        if let Some(line) = lines.last_mut() {
            line.extend([
                Span::styled(key, app.palette.strong()),
                Span::styled(format!(" {what}  "), app.palette.faint()),
            ]);
        }
    }
    lines.into_iter().map(Line::from).collect()
}

fn draw_help(frame: &mut Frame<'_>, app: &App) {
    let key = KEYS.iter().map(|(key, _)| width(key)).max().unwrap_or(0);
    let mut lines: Vec<Line<'_>> = KEYS
        .iter()
        .map(|(keys, what)| {
            let keys = format!(" {}{} ", keys, " ".repeat(key - width(keys)));
            Line::from(vec![Span::styled(keys, app.palette.strong()), Span::raw(format!(" {what} "))])
        })
        .collect();
    lines.push(Line::styled(" Source: ▶ can be executed, ▷ waits, • executed last", app.palette.faint()));
    let columns = lines.iter().map(Line::width).max().unwrap_or(0) as u16 + 2;
    let screen = frame.area();
    let (columns, rows) = (columns.min(screen.width), (lines.len() as u16 + 2).min(screen.height));
    let area = Rect::new((screen.width - columns) / 2, (screen.height - rows) / 2, columns, rows);
    let block = Block::bordered().border_style(app.palette.frame(true)).title(" Keys: any key closes this ");
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}
