//! The division of the screen into panes, by its size.

use ratatui::layout::{Constraint, Layout, Rect};

/// A part of the screen with a view of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Pane {
    Moves,
    Source,
    Variables,
    Channels,
    History,
    Chart,
}

impl Pane {
    /// All panes, in the order in which they get the focus.
    pub const ALL: [Pane; 6] = [Pane::Moves, Pane::Source, Pane::Variables, Pane::Channels, Pane::History, Pane::Chart];
}

/// The parts of the screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Areas {
    pub title: Rect,
    /// The panes that are shown.
    pub panes: Vec<(Pane, Rect)>,
    pub status: Rect,
    pub keys: Rect,
}

/// What the division depends on.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub moves: usize,
    pub channels: usize,
    pub focus: Pane,
    /// The pane below the source, if there is place for only one: history or chart.
    pub lower: Pane,
    pub zoomed: bool,
}

/// From this width on, history and chart are shown at the same time.
const WIDE: u16 = 150;
/// Below this size there is only one pane.
const LEAST: (u16, u16) = (50, 14);

pub fn areas(screen: Rect, wanted: Wanted) -> Areas {
    let small = screen.width < LEAST.0 || screen.height < LEAST.1;
    let status = if screen.height >= 20 { 2 } else { 1 };
    let keys = match (screen.height, screen.width) {
        (..8, _) => 0,
        (8..16, _) | (_, 120..) => 1,
        _ => 2,
    };
    let title = u16::from(screen.height >= 5);
    let rows = [Constraint::Length(title), Constraint::Min(0), Constraint::Length(status), Constraint::Length(keys)];
    let [title, body, status, keys] = Layout::vertical(rows).areas(screen);
    let panes = if small || wanted.zoomed { vec![(wanted.focus, body)] } else { several(body, wanted) };
    Areas { title, panes, status, keys }
}

fn several(body: Rect, wanted: Wanted) -> Vec<(Pane, Rect)> {
    let wide = body.width >= WIDE;
    let parts = if wide { [40, 27, 33] } else { [57, 43, 0] };
    let [left, middle, right] = Layout::horizontal(parts.map(Constraint::Percentage)).areas(body);
    let [source, lower] = Layout::vertical([Constraint::Percentage(60), Constraint::Min(5)]).areas(left);
    let most = (body.height / 3).max(5);
    let moves = (wanted.moves as u16).saturating_add(2).clamp(5, most);
    let channels = match wanted.channels {
        0 => 0,
        n => (n as u16).saturating_add(2).min((body.height / 4).max(4)),
    };
    let rows = [Constraint::Length(moves), Constraint::Min(4), Constraint::Length(channels)];
    let [moves, variables, channels] = Layout::vertical(rows).areas(middle);
    let mut panes = vec![(Pane::Moves, moves), (Pane::Source, source), (Pane::Variables, variables)];
    if channels.height > 0 {
        panes.push((Pane::Channels, channels));
    }
    if wide {
        panes.extend([(Pane::History, lower), (Pane::Chart, right)]);
    } else {
        panes.push((wanted.lower, lower));
    }
    panes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panes never overlap and never leave the screen, at any size.
    #[test]
    fn panes_fit_any_screen() {
        for width in [0, 1, 3, 12, 49, 50, 79, 80, 131, 149, 150, 200, 260] {
            for height in [0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 15, 16, 19, 20, 24, 40, 60, 80] {
                for (focus, channels, zoomed) in
                    [(Pane::Moves, 0, false), (Pane::Source, 3, false), (Pane::Chart, 40, true)]
                {
                    let screen = Rect::new(0, 0, width, height);
                    let wanted = Wanted { moves: 3 * channels, channels, focus, lower: Pane::History, zoomed };
                    let areas = areas(screen, wanted);
                    let mut all: Vec<Rect> = areas.panes.iter().map(|(_, area)| *area).collect();
                    all.extend([areas.title, areas.status, areas.keys]);
                    for (n, one) in all.iter().enumerate() {
                        assert_eq!(screen.intersection(*one).area(), one.area(), "{screen}: {one}");
                        assert!(all[n + 1..].iter().all(|other| one.intersection(*other).area() == 0), "{screen}");
                    }
                }
            }
        }
    }
}
