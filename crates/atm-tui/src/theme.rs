//! Colours and characters: the terminal's own sixteen colours, so that every theme of it fits, or
//! none at all.

use atm_core::words::Charset;
use atm_core::words::mark::Mark;
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;
use ratatui::widgets::{Block, Borders};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    On,
    Off,
}

/// How a screen looks on this terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    pub colour: Colour,
    pub charset: Charset,
    /// Shown as `~`.
    pub home: Option<String>,
}

impl Look {
    pub(crate) fn mark(&self, mark: Mark) -> Style {
        let bold = Modifier::BOLD;
        match mark {
            Mark::Attention | Mark::Failed => self.fg(Color::Red).add_modifier(bold),
            Mark::Done => self.fg(Color::Yellow).add_modifier(bold),
            Mark::Working => self.fg(Color::LightBlue),
            Mark::Idle | Mark::Ended | Mark::Lost => self.dim(),
        }
    }

    pub(crate) fn dim(&self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(crate) fn bold(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(crate) fn selected(&self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(crate) fn trouble(&self) -> Style {
        self.fg(Color::Red)
    }

    pub(crate) fn key(&self) -> Style {
        self.fg(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// A style that others chose, where colours are wanted.
    pub(crate) fn foreign(&self, style: Style) -> Style {
        match self.colour {
            Colour::On => style,
            Colour::Off => Style { fg: None, bg: None, underline_color: None, ..style },
        }
    }

    pub(crate) fn frame(&self) -> Block<'static> {
        let block = Block::new().borders(Borders::ALL).border_style(self.dim());
        block.border_set(self.charset.pick(border::PLAIN, ASCII))
    }

    fn fg(&self, colour: Color) -> Style {
        self.foreign(Style::new().fg(colour))
    }
}

const ASCII: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};
