//! One change of a session in one line, for people who watch.

use atm_core::stamp::Stamp;
use atm_core::view::SessionView;

use super::mark::Mark;
use super::place::{directory, pane, short};
use super::table::{Cell, Column, Keep, Table};
use super::what::what;
use crate::screen::{Screen, Style};

const WHOLE: Column = Column { title: "", keep: Keep::Whole, min: 0, worth: 9 };
const LOOSE: Column = Column { title: "", keep: Keep::Start, min: 16, worth: 8 };

/// Width of the longest state, so that lines of one watch are aligned.
const STATE: usize = 11;

/// When, which state, what, and who.
pub(crate) fn row(view: &SessionView, screen: &Screen, home: Option<&str>, now: Stamp) -> Table<4> {
    let mark = Mark::of(view);
    let name = view.name.as_deref().or(view.title.as_deref()).unwrap_or_default();
    let place = [name, &directory(view, home), &pane(view)].join(" ");
    let mut table = Table::new([WHOLE, WHOLE, LOOSE, WHOLE]);
    table.push([
        Cell::new(Style::Dim, &now.to_string()),
        Cell::new(Style::of(mark), &mark.text(screen)).padded(STATE),
        Cell::new(Style::Plain, &format!("{} ({})", what(view), place.trim())),
        Cell::new(Style::Dim, short(&view.id)),
    ]);
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::sample::{HOME, NOW, asking, assert_harmless, hostile, screen, working};

    fn shown(view: &SessionView) -> String {
        let mut out = Vec::new();
        row(view, &screen(None), Some(HOME), NOW).write(&screen(None), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn change_is_one_line_with_time_state_what_and_who() {
        assert_eq!(
            shown(&asking()) + &shown(&working()),
            "2026-11-15T19:06:00.000Z  ▲ attention  Permission: Bash: rm -rf build \
             (login ~/src/web main:@1.%3)  aaaaaaaa\n\
             2026-11-15T19:06:00.000Z  ▶ working    Task (日本語の題 ~/src/web)  bbbbbbbb\n"
        );
        assert_harmless(&shown(&hostile()));
    }
}
