//! Two texts as a unified diff, made harmless for a terminal.

use std::io::{self, Write};
use std::ops::Range;

use atm_core::text::clean;

use crate::screen::{Screen, Style};

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// Beyond this size of the table the changed stretch is shown as replaced whole.
const MAX_CELLS: usize = 4_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Same,
    Gone,
    New,
}

type Line<'t> = (Kind, &'t str);

/// `None` stands for a file that is not there.
pub(crate) fn write(
    name: &str,
    [before, after]: [Option<&str>; 2],
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = visible(name);
    let title = |text: Option<&str>| if text.is_some() { name.clone() } else { "/dev/null".into() };
    writeln!(out, "{}", screen.paint(Style::Bold, &format!("--- {}", title(before))))?;
    writeln!(out, "{}", screen.paint(Style::Bold, &format!("+++ {}", title(after))))?;
    let script = script(&lines(before.unwrap_or("")), &lines(after.unwrap_or("")));
    for hunk in hunks(&script) {
        writeln!(out, "{}", screen.paint(Style::Dim, &header(&script, &hunk)))?;
        for (kind, line) in &script[hunk] {
            let (sign, style) = match kind {
                Kind::Same => (' ', Style::Plain),
                Kind::Gone => ('-', Style::Red),
                Kind::New => ('+', Style::Green),
            };
            let text = line.trim_end_matches(['\n', '\r']);
            writeln!(out, "{}", screen.paint(style, &format!("{sign}{}", visible(text))))?;
            if !line.ends_with('\n') {
                writeln!(out, "\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// What a terminal would act on, or not show, is spelt out.
pub(crate) fn visible(line: &str) -> String {
    let spell = |c: char| match c {
        ' ' | '\t' => c.to_string(),
        c if clean(c.encode_utf8(&mut [0; 4]), 1).is_empty() => c.escape_unicode().to_string(),
        c => c.to_string(),
    };
    line.chars().map(spell).collect()
}

fn script<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Line<'t>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tails = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = tails.take_while(|(a, b)| a == b).count();
    let same = |lines: &[&'t str]| lines.iter().map(|line| (Kind::Same, *line)).collect::<Vec<_>>();
    let mut script = same(&old[..head]);
    script.extend(middle(&old[head..old.len() - tail], &new[head..new.len() - tail]));
    script.extend(same(&old[old.len() - tail..]));
    script
}

/// By the longest common subsequence.
fn middle<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Line<'t>> {
    let width = new.len() + 1;
    let gone = |lines: &[&'t str]| lines.iter().map(|line| (Kind::Gone, *line)).collect::<Vec<_>>();
    let added = |lines: &[&'t str]| lines.iter().map(|line| (Kind::New, *line)).collect::<Vec<_>>();
    if old.is_empty() || new.is_empty() || (old.len() + 1).saturating_mul(width) > MAX_CELLS {
        return [gone(old), added(new)].concat();
    }
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut script) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            script.push((Kind::Same, old[i]));
            (i, j) = (i + 1, j + 1);
        } else if common[(i + 1) * width + j] >= common[i * width + j + 1] {
            script.push((Kind::Gone, old[i]));
            i += 1;
        } else {
            script.push((Kind::New, new[j]));
            j += 1;
        }
    }
    script.extend(gone(&old[i..]));
    script.extend(added(&new[j..]));
    script
}

/// Stretches with a change in them and their context; those that touch are one.
fn hunks(script: &[Line<'_>]) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    for (at, _) in script.iter().enumerate().filter(|(_, (kind, _))| *kind != Kind::Same) {
        let around = at.saturating_sub(CONTEXT)..(at + 1 + CONTEXT).min(script.len());
        match hunks.last_mut() {
            Some(last) if last.end >= around.start => last.end = around.end,
            _ => hunks.push(around),
        }
    }
    hunks
}

fn header(script: &[Line<'_>], hunk: &Range<usize>) -> String {
    let side = |absent: Kind| {
        let count = |lines: &[Line<'_>]| lines.iter().filter(|(kind, _)| *kind != absent).count();
        let (before, within) = (count(&script[..hunk.start]), count(&script[hunk.clone()]));
        format!("{},{within}", if within == 0 { before } else { before + 1 })
    };
    format!("@@ -{} +{} @@", side(Kind::New), side(Kind::Gone))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::{Charset, Colour};

    fn check(before: Option<&str>, after: Option<&str>, expected: &str) {
        let screen = Screen { width: None, colour: Colour::Off, charset: Charset::Utf8 };
        let mut out = Vec::new();
        write("f", [before, after], &screen, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn diff_of_a_new_and_of_a_removed_file_names_no_other_side() {
        check(None, Some("a\nb\n"), "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
        check(Some("a\n"), None, "--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
    }

    #[test]
    fn diff_of_distant_changes_has_a_hunk_for_each() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
        let after = before.replace("2\n3", "2\nnew\n3").replace("11\n", "");
        check(
            Some(before),
            Some(&after),
            "--- f\n+++ f\n@@ -1,5 +1,6 @@\n 1\n 2\n+new\n 3\n 4\n 5\n\
             @@ -8,5 +9,4 @@\n 8\n 9\n 10\n-11\n 12\n",
        );
    }

    #[test]
    fn diff_shows_a_missing_line_end_and_spells_out_what_a_terminal_acts_on() {
        check(
            Some("{}"),
            Some("{\x1b[2J\u{202e}}\r\n"),
            "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-{}\n\\ No newline at end of file\n\
             +{\\u{1b}[2J\\u{202e}}\n",
        );
    }
}
