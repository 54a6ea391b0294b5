//! Styles of the screen. Without colours everything can be told apart by signs and by bold, dim and reversed text.

use ratatui::style::{Color, Modifier, Style};

/// Colours of processes, by number.
const PROCESSES: [Color; 6] = [Color::Cyan, Color::Yellow, Color::Green, Color::Magenta, Color::Blue, Color::LightRed];

#[derive(Clone, Copy, Debug)]
pub struct Palette {
    colours: bool,
}

impl Palette {
    pub fn new(colours: bool) -> Palette {
        Palette { colours }
    }

    fn coloured(self, colour: Color) -> Style {
        if self.colours { Style::new().fg(colour) } else { Style::new() }
    }

    pub fn process(self, pid: u8) -> Style {
        self.coloured(PROCESSES[usize::from(pid) % PROCESSES.len()]).add_modifier(Modifier::BOLD)
    }

    pub fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub fn changed(self) -> Style {
        self.coloured(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    pub fn error(self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// The frame of a pane.
    pub fn frame(self, focused: bool) -> Style {
        if focused { self.coloured(Color::Cyan).add_modifier(Modifier::BOLD) } else { self.faint() }
    }

    /// A style of a report.
    pub fn report(self, style: Style) -> Style {
        if self.colours { style } else { Style { fg: None, bg: None, ..style } }
    }
}
