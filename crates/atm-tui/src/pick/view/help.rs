//! All keys, over everything else.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

use crate::cell::{fit, width};
use crate::pick::Picker;
use crate::pick::keys::{Binding, KEYS};

pub(super) fn draw(picker: &Picker, area: Rect, frame: &mut Frame<'_>) {
    let look = &picker.look;
    let keys = KEYS.iter().map(|binding| width(binding.keys)).max().unwrap_or(0) + 2;
    let row = |binding: &Binding| {
        Line::from(vec![
            Span::styled(format!(" {}", fit(binding.keys, keys, look.charset)), look.key()),
            Span::raw(binding.does),
        ])
    };
    let mut lines: Vec<Line<'_>> = KEYS.iter().map(row).collect();
    lines.push(Line::styled(
        " Letters narrow the list: name, directory, title, status, id.",
        look.dim(),
    ));
    let wide = lines.iter().map(Line::width).max().unwrap_or(0) + 3;
    let size = |wanted: usize, room: u16| u16::try_from(wanted).unwrap_or(room).min(room);
    let (width, height) = (size(wide, area.width), size(lines.len() + 2, area.height));
    let inside = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    frame.render_widget(Clear, inside);
    let block = look.frame().title(" Keys ");
    frame.render_widget(Paragraph::new(lines).block(block), inside);
}
