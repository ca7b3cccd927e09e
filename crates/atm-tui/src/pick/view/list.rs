//! The sessions, one a line; or why there are none.

use atm_core::words::age::age;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use crate::cell::{clean, fit, fit_end, width};
use crate::pick::row::Row;
use crate::pick::{Feed, Picker};

const AGE: usize = 5;
const WORD: usize = 9;

/// How many columns each part gets; zero for one that is left out.
struct Widths {
    word: usize,
    name: usize,
    what: usize,
    directory: usize,
}

impl Widths {
    fn of(rows: &[Row], room: usize) -> Widths {
        let longest =
            |text: fn(&Row) -> &str| rows.iter().map(|row| width(text(row))).max().unwrap_or(0);
        let word = if room >= 64 { WORD + 1 } else { 0 };
        let name = longest(|row| &row.name).clamp(4, (room / 4).clamp(8, 28));
        let directory = if room >= 84 { longest(|row| &row.directory).min(room / 4) } else { 0 };
        // Margins, glyph and age are always there.
        let taken =
            1 + 2 + word + name + 2 + AGE + 1 + if directory > 0 { directory + 2 } else { 0 };
        Widths { word, name, what: room.saturating_sub(taken), directory }
    }
}

pub(super) fn draw(picker: &Picker, area: Rect, frame: &mut Frame<'_>) {
    if picker.rows.is_empty() {
        frame.render_widget(nothing(picker), area);
        return;
    }
    let height = usize::from(area.height);
    let top = (picker.at + 1).saturating_sub(height);
    let widths = Widths::of(&picker.rows, usize::from(area.width));
    let shown = picker.rows.iter().enumerate().skip(top).take(height);
    let lines: Vec<Line<'_>> =
        shown.map(|(at, row)| line(picker, row, &widths, at == picker.at)).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

fn line(picker: &Picker, row: &Row, widths: &Widths, is_selected: bool) -> Line<'static> {
    let look = &picker.look;
    let charset = look.charset;
    let mark = look.mark(row.mark);
    let rest = if row.spot.is_none() { look.dim() } else { Style::new() };
    let mut spans = vec![
        Span::raw(if is_selected { charset.pick("▌", ">") } else { " " }),
        Span::styled(format!("{} ", row.mark.glyph(charset)), mark),
    ];
    if widths.word > 0 {
        spans.push(Span::styled(fit(row.mark.word(), widths.word, charset), mark));
    }
    let what = match &row.spot {
        Some(_) => row.what.clone(),
        None => format!("(no pane) {}", row.what),
    };
    spans.push(Span::styled(fit(&row.name, widths.name, charset), rest.patch(look.bold())));
    spans.push(Span::raw(" "));
    spans.push(Span::styled(fit(&what, widths.what, charset), rest));
    if widths.directory > 0 {
        spans.push(Span::styled(
            format!("  {}", fit_end(&row.directory, widths.directory, charset)),
            look.dim(),
        ));
    }
    let age = age(picker.now.since(row.since));
    spans.push(Span::styled(format!(" {age:>AGE$} "), rest));
    let line = Line::from(spans);
    if is_selected { line.patch_style(look.selected()) } else { line }
}

/// Why the list is empty, and what to do about it.
fn nothing(picker: &Picker) -> Paragraph<'static> {
    let look = &picker.look;
    let (first, then) = match &picker.feed {
        Feed::Waiting => ("asking the daemon…".to_owned(), String::new()),
        Feed::Broken(why) => (clean(why), "Esc leaves; try again then".to_owned()),
        Feed::Live if picker.sessions.is_empty() => (
            "no live sessions found".to_owned(),
            "start `claude` in a tmux pane and it shows up here; \
             `atm setup` lets it tell at once what it does"
                .to_owned(),
        ),
        Feed::Live => (
            format!("nothing matches \"{}\"", clean(&picker.filter)),
            format!("{} more without the filter: C-u erases it", picker.sessions.len()),
        ),
    };
    let lines = vec![
        Line::default(),
        Line::styled(format!(" {first}"), look.bold()),
        Line::styled(format!(" {then}"), look.dim()),
    ];
    Paragraph::new(lines).wrap(Wrap { trim: false })
}
