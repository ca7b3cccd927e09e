//! Aligned columns that fit the terminal: wide ones give way first, then the least telling go.

use std::io::{self, Write};

use atm_core::text::clean;

use super::width::{cut_end, cut_start, width};
use crate::screen::{Screen, Style};

/// Longest text of one cell.
const MAX_CELL: usize = 2000;
const GAP: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Never cut, never left out.
    Whole,
    Start,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) title: &'static str,
    pub(crate) keep: Keep,
    /// Not cut below this; if that is not enough, the column goes.
    pub(crate) min: usize,
    /// Of the columns that may go, the lowest goes first.
    pub(crate) worth: u8,
}

#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

pub(crate) struct Table<const N: usize> {
    columns: [Column; N],
    rows: Vec<[Cell; N]>,
}

impl Cell {
    /// The text may come from anybody.
    pub(crate) fn new(style: Style, text: &str) -> Cell {
        Cell { text: clean(text, MAX_CELL), style }
    }

    pub(crate) fn empty() -> Cell {
        Cell { text: String::new(), style: Style::Plain }
    }

    /// At least this wide, for what is shown below each other in separate tables.
    pub(crate) fn padded(self, columns: usize) -> Cell {
        let missing = columns.saturating_sub(width(&self.text));
        Cell { text: format!("{}{:missing$}", self.text, ""), ..self }
    }

    /// Shifted to the right, as a branch of a tree is.
    pub(crate) fn indented(self, columns: usize) -> Cell {
        Cell { text: format!("{:columns$}{}", "", self.text), ..self }
    }
}

impl<const N: usize> Table<N> {
    pub(crate) fn new(columns: [Column; N]) -> Table<N> {
        Table { columns, rows: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: [Cell; N]) {
        self.rows.push(row);
    }

    pub(crate) fn write(&self, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let widths = self.widths(screen.width);
        if self.columns.iter().any(|column| !column.title.is_empty()) {
            let titles = self.columns.map(|column| Cell::new(Style::Dim, column.title));
            self.write_row(&titles, &widths, screen, out)?;
        }
        self.rows.iter().try_for_each(|row| self.write_row(row, &widths, screen, out))
    }

    fn write_row(
        &self,
        row: &[Cell; N],
        widths: &[usize; N],
        screen: &Screen,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut line = String::new();
        let mut gap = 0;
        for ((cell, column), room) in row.iter().zip(&self.columns).zip(widths) {
            if *room == 0 {
                continue;
            }
            let text = match column.keep {
                Keep::End => cut_start(&cell.text, *room, screen.ellipsis()),
                Keep::Start | Keep::Whole => cut_end(&cell.text, *room, screen.ellipsis()),
            };
            if !text.is_empty() {
                line.extend(std::iter::repeat_n(' ', gap));
                gap = 0;
            }
            gap += GAP + room - width(&text);
            line += &screen.paint(cell.style, &text);
        }
        writeln!(out, "{line}")
    }

    /// Zero for a column that is left out.
    fn widths(&self, room: Option<usize>) -> [usize; N] {
        let mut widths = self.natural();
        let Some(room) = room else { return widths };
        loop {
            let mut cut = widths;
            while total(&cut) > room && self.cut_widest(&mut cut) {}
            if total(&cut) <= room {
                return cut;
            }
            let loose =
                (0..N).filter(|at| self.columns[*at].keep != Keep::Whole && widths[*at] > 0);
            match loose.min_by_key(|at| self.columns[*at].worth) {
                Some(least) => widths[least] = 0,
                None => return cut,
            }
        }
    }

    fn natural(&self) -> [usize; N] {
        let mut widths = [0; N];
        for row in &self.rows {
            for (at, cell) in row.iter().enumerate() {
                widths[at] = widths[at].max(width(&cell.text));
            }
        }
        for (width_of, column) in widths.iter_mut().zip(&self.columns) {
            if *width_of > 0 {
                *width_of = width(column.title).max(*width_of);
            }
        }
        widths
    }

    /// False if every column is as narrow as it can be.
    fn cut_widest(&self, widths: &mut [usize; N]) -> bool {
        let can_give = |at: &usize| {
            self.columns[*at].keep != Keep::Whole && widths[*at] > self.columns[*at].min
        };
        let widest = (0..N).filter(can_give).max_by_key(|at| widths[*at]);
        widest.map(|at| widths[at] -= 1).is_some()
    }
}

fn total(widths: &[usize]) -> usize {
    let shown = widths.iter().filter(|width| **width > 0).count();
    widths.iter().sum::<usize>() + GAP * shown.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::{Charset, Colour};

    const COLUMNS: [Column; 4] = [
        Column { title: "S", keep: Keep::Whole, min: 0, worth: 9 },
        Column { title: "WHAT", keep: Keep::Start, min: 4, worth: 3 },
        Column { title: "NONE", keep: Keep::Start, min: 4, worth: 2 },
        Column { title: "DIR", keep: Keep::End, min: 5, worth: 1 },
    ];

    fn shown(width: Option<usize>) -> String {
        let mut table = Table::new(COLUMNS);
        let cell = |text: &str| Cell::new(Style::Red, text);
        table.push([cell("on"), cell("日本語テキスト"), Cell::empty(), cell("~/src/web")]);
        table.push([cell("off"), cell("short\x1b"), Cell::empty(), cell("")]);
        let screen = Screen { width, colour: Colour::Off, charset: Charset::Utf8 };
        let mut out = Vec::new();
        table.write(&screen, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn table_without_a_terminal_is_aligned_and_whole() {
        let expected = "\
S    WHAT            DIR
on   日本語テキスト  ~/src/web
off  short
";
        assert_eq!(shown(None), expected);
    }

    #[test]
    fn table_too_wide_cuts_the_widest_then_drops_the_least_telling() {
        let expected = "\
S    WHAT       DIR
on   日本語テ…  ~/src/web
off  short
";
        assert_eq!(shown(Some(25)), expected);
        assert_eq!(shown(Some(15)), "S    WHAT\non   日本語テ…\noff  short\n");
        assert_eq!(shown(Some(9)), "S    WHAT\non   日…\noff  sho…\n");
    }

    #[test]
    fn table_never_exceeds_the_terminal_while_something_can_go() {
        for room in 3..60 {
            for line in shown(Some(room)).lines() {
                assert!(width(line) <= room, "{line:?} in {room}");
            }
        }
    }

    #[test]
    fn table_in_colour_pads_outside_of_the_style() {
        let mut table = Table::new([COLUMNS[0], COLUMNS[1]]);
        table.push([Cell::new(Style::Red, "a"), Cell::new(Style::Plain, "b")]);
        let screen = Screen { width: None, colour: Colour::On, charset: Charset::Utf8 };
        let mut out = Vec::new();
        table.write(&screen, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "\x1b[2mS\x1b[0m  \x1b[2mWHAT\x1b[0m\n\x1b[1;31ma\x1b[0m  b\n");
    }
}
