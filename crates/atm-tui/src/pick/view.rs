//! Drawing the picker: the filter on top, the list, the pane where there is room, the keys below.

mod help;
mod list;
mod preview;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph, Wrap};

use super::keys::KEYS;
use super::{Feed, Page, Picker};
use crate::cell::{clean, cut, width};

/// Below this nothing can be told.
const MIN: (u16, u16) = (30, 6);
/// From this width on the pane is shown beside the list.
const BESIDE: u16 = 130;
/// From this height on below it.
const BELOW: u16 = 16;

pub(super) fn draw(picker: &Picker, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < MIN.0 || area.height < MIN.1 {
        let words = format!("too small: {}x{} needed", MIN.0, MIN.1);
        frame.render_widget(Paragraph::new(words).wrap(Wrap { trim: true }), area);
        return;
    }
    let [top, middle, bottom] =
        Layout::vertical([Constraint::Length(2), Constraint::Min(1), Constraint::Length(1)])
            .areas(area);
    draw_filter(picker, top, frame);
    let (rows, pane) = split(picker, middle);
    list::draw(picker, rows, frame);
    if let Some(pane) = pane {
        preview::draw(picker, pane, frame);
    }
    draw_footer(picker, bottom, frame);
    if picker.page == Page::Help {
        help::draw(picker, area, frame);
    }
}

/// The list, and the pane if there is room for it and something to show.
fn split(picker: &Picker, area: Rect) -> (Rect, Option<Rect>) {
    if picker.rows.is_empty() {
        return (area, None);
    }
    if area.width >= BESIDE {
        let [list, pane] =
            Layout::horizontal([Constraint::Percentage(50), Constraint::Percentage(50)])
                .areas(area);
        return (list, Some(pane));
    }
    if area.height + 3 < BELOW {
        return (area, None);
    }
    let wanted = u16::try_from(picker.rows.len()).unwrap_or(u16::MAX);
    let rows = wanted.clamp(3, area.height / 2);
    let [list, pane] = Layout::vertical([Constraint::Length(rows), Constraint::Min(1)]).areas(area);
    (list, Some(pane))
}

fn draw_filter(picker: &Picker, area: Rect, frame: &mut Frame<'_>) {
    let look = &picker.look;
    let prompt = look.charset.pick("› ", "> ");
    let count = match &picker.feed {
        Feed::Broken(_) => "not live".to_owned(),
        Feed::Waiting => "…".to_owned(),
        Feed::Live => format!("{}/{}", picker.rows.len(), picker.sessions.len()),
    };
    let room = usize::from(area.width).saturating_sub(width(prompt) + width(&count) + 3);
    // What is typed is seen at its end.
    let typed = crate::cell::fit_end(&picker.filter, room, look.charset);
    let typed = typed.trim_end_matches(' ').to_owned()
        + if picker.filter.ends_with(' ') { " " } else { "" };
    let typed_width = width(&typed);
    let text = if picker.filter.is_empty() {
        Span::styled(cut("type to filter", room, look.charset), look.dim())
    } else {
        Span::styled(typed, look.bold())
    };
    let line = Line::from(vec![Span::styled(format!(" {prompt}"), look.key()), text]);
    let first = Rect { height: 1, ..area };
    frame.render_widget(Paragraph::new(line), first);
    let style = if matches!(picker.feed, Feed::Broken(_)) { look.trouble() } else { look.dim() };
    frame.render_widget(
        Paragraph::new(Span::styled(format!("{count} "), style)).right_aligned(),
        first,
    );
    let column = u16::try_from(1 + width(prompt) + typed_width).unwrap_or(area.width);
    frame.set_cursor_position((area.x + column.min(area.width.saturating_sub(1)), area.y));
    let rule = look.charset.pick("─", "-").repeat(usize::from(area.width));
    let second = Rect { y: area.y + 1, height: 1, ..area };
    frame.render_widget(Paragraph::new(Span::styled(rule, look.dim())), second);
}

/// Keys; what went wrong takes their place.
fn draw_footer(picker: &Picker, area: Rect, frame: &mut Frame<'_>) {
    let look = &picker.look;
    let room = usize::from(area.width);
    let trouble = match (&picker.note, &picker.feed) {
        (Some(note), _) => Some(note),
        (None, Feed::Broken(why)) => Some(why),
        (None, Feed::Waiting | Feed::Live) => None,
    };
    frame.render_widget(Clear, area);
    if let Some(trouble) = trouble {
        let text = cut(&format!(" {}", clean(trouble)), room, look.charset);
        frame.render_widget(Paragraph::new(Span::styled(text, look.trouble())), area);
        return;
    }
    let mut line = Line::default();
    for (key, word) in KEYS.iter().map(|binding| binding.brief).filter(|(key, _)| !key.is_empty()) {
        // A key that does not fit whole is left out.
        if line.width() + width(key) + width(word) + 3 > room {
            continue;
        }
        line.push_span(Span::raw(" "));
        line.push_span(Span::styled(key, look.key()));
        line.push_span(Span::styled(format!(" {word} "), Style::new()));
    }
    frame.render_widget(Paragraph::new(line), area);
}
