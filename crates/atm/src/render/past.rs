//! Past sessions as a list; below each the words that were found, if words were asked for.

use std::io::{self, Write};

use atm_core::stamp::Stamp;
use atm_index::{Hit, Session, Snippet};

use super::age::age;
use super::money;
use super::place::{short, tilde};
use super::table::{Cell, Column, Keep, Table};
use super::width::width;
use crate::screen::{Colour, Screen, Style};

const COLUMNS: [Column; 6] = [
    Column { title: "ID", keep: Keep::Whole, min: 0, worth: 9 },
    Column { title: "AGE", keep: Keep::Whole, min: 0, worth: 9 },
    Column { title: "TITLE", keep: Keep::Start, min: 20, worth: 8 },
    Column { title: "DIRECTORY", keep: Keep::End, min: 10, worth: 4 },
    Column { title: "TURNS", keep: Keep::Whole, min: 0, worth: 2 },
    Column { title: "COST", keep: Keep::Whole, min: 0, worth: 3 },
];
const INDENT: usize = 4;

pub(crate) fn write(
    hits: &[Hit<'_>],
    screen: &Screen,
    home: Option<&str>,
    now: Stamp,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut table = Table::new(COLUMNS);
    hits.iter().for_each(|hit| table.push(row(hit.session, home, now)));
    let mut lines = Vec::new();
    table.write(screen, &mut lines)?;
    let mut lines = lines.split_inclusive(|byte| *byte == b'\n');
    out.write_all(lines.next().unwrap_or_default())?;
    for (line, hit) in lines.zip(hits) {
        out.write_all(line)?;
        if let Some(snippet) = hit.snippet.as_ref().filter(|snippet| !snippet.text.is_empty()) {
            writeln!(out, "{:INDENT$}{}", "", marked(snippet, screen))?;
        }
    }
    Ok(())
}

fn row(session: &Session, home: Option<&str>, now: Stamp) -> [Cell; 6] {
    let title = session.title.as_deref().or(session.first_prompt.as_deref()).unwrap_or_default();
    let directory =
        session.last_cwd.as_deref().or(session.first_cwd.as_deref()).unwrap_or_default();
    let age = session.end.map(|end| age(now.since(end))).unwrap_or_default();
    [
        Cell::new(Style::Dim, short(&session.id)),
        Cell::new(Style::Plain, &age),
        Cell::new(Style::Bold, title),
        Cell::new(Style::Plain, &tilde(directory, home)),
        Cell::new(Style::Plain, &session.turns.to_string()),
        Cell::new(Style::Plain, &money::cost(session.cost)),
    ]
}

/// The snippet is clean already. Hits are painted, or bracketed where there is no colour.
fn marked(snippet: &Snippet, screen: &Screen) -> String {
    let room = screen.width.map_or(usize::MAX, |columns| columns.saturating_sub(INDENT + 1));
    let is_plain = screen.colour == Colour::Off;
    let (mut line, mut at, mut used) = (String::new(), 0, 0);
    let parts =
        snippet.hits.iter().flat_map(|(from, to)| [(*from, Style::Dim), (*to, Style::Yellow)]);
    for (end, style) in parts.chain([(snippet.text.len(), Style::Dim)]) {
        let text = snippet.text.get(at..end).unwrap_or_default();
        let text: String = text
            .chars()
            .take_while(|c| {
                used += width(c.encode_utf8(&mut [0; 4]));
                used <= room
            })
            .collect();
        at = end;
        if style == Style::Yellow && is_plain && !text.is_empty() {
            line.extend(["[", &text, "]"]);
        } else {
            line += &screen.paint(style, &text);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::Charset;

    #[test]
    fn snippet_marks_its_hits_and_fits_the_terminal() {
        let snippet = Snippet { text: "fix the login now".into(), hits: vec![(8, 13)] };
        let screen = |width, colour| Screen { width, colour, charset: Charset::Utf8 };
        assert_eq!(marked(&snippet, &screen(None, Colour::Off)), "fix the [login] now");
        assert_eq!(marked(&snippet, &screen(Some(15), Colour::Off)), "fix the [lo]");
        let painted = marked(&snippet, &screen(None, Colour::On));
        assert_eq!(painted, "\x1b[2mfix the \x1b[0m\x1b[33mlogin\x1b[0m\x1b[2m now\x1b[0m");
    }
}
