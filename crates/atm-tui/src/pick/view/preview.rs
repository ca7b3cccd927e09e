//! What the selected session's pane shows: its lower end, where the agent speaks and asks.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use crate::cell::{clean, cut};
use crate::pick::Picker;
use crate::pick::row::Row;
use crate::pick::update::NO_PANE;

pub(super) fn draw(picker: &Picker, area: Rect, frame: &mut Frame<'_>) {
    let Some(row) = picker.row() else { return };
    let look = &picker.look;
    let title = title(row);
    let title = cut(&title, usize::from(area.width).saturating_sub(4), look.charset);
    let block = look.frame().title(Span::styled(format!(" {title} "), look.bold()));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    match contents(picker, row) {
        Ok(lines) => {
            let lines = lower_end(lines, usize::from(inner.height));
            let styled: Vec<Line<'_>> = lines.iter().map(|line| foreign(picker, line)).collect();
            frame.render_widget(Paragraph::new(styled), inner);
        }
        Err(why) => {
            let text = Line::styled(clean(&why), look.dim());
            frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), inner);
        }
    }
}

fn title(row: &Row) -> String {
    let parts = [row.name.as_str(), &row.directory, &row.place, &row.id];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
}

fn contents<'a>(picker: &'a Picker, row: &Row) -> Result<&'a [Line<'static>], String> {
    let Some(spot) = &row.spot else { return Err(NO_PANE.to_owned()) };
    match &picker.preview {
        Some((of, Ok(lines))) if of == spot => Ok(lines),
        Some((of, Err(why))) if of == spot => Err(format!("the pane cannot be shown: {why}")),
        _ => Ok(&[]),
    }
}

/// The last lines that fit, empty ones at the end aside.
fn lower_end<'a>(lines: &'a [Line<'static>], height: usize) -> &'a [Line<'static>] {
    let is_blank = |line: &Line<'_>| line.spans.iter().all(|span| span.content.trim().is_empty());
    let end = lines.iter().rposition(|line| !is_blank(line)).map_or(0, |at| at + 1);
    &lines[end.saturating_sub(height)..end]
}

fn foreign<'a>(picker: &Picker, line: &'a Line<'static>) -> Line<'a> {
    let style = |style: Style| picker.look.foreign(style);
    let spans = line.spans.iter().map(|span| Span::styled(&*span.content, style(span.style)));
    Line::from(spans.collect::<Vec<_>>())
}
