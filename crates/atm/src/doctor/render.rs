//! Findings for people: group by group, a glyph, a word and a colour, then what it means and what to
//! do.

use std::io::{self, Write};

use atm_core::text::clean;

use super::finding::{Finding, Level};
use crate::render::width::width;
use crate::screen::{Screen, Style};

/// Under the text of a finding: two blanks, a glyph, the longest word.
const INDENT: usize = 13;
/// Narrower than this, lines are left to the terminal.
const NARROW: usize = 50;
const TEXT_MAX: usize = 2000;

pub(crate) fn write(findings: &[Finding], screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    for group in findings.chunk_by(|a, b| a.group == b.group) {
        if let Some(first) = group.first() {
            writeln!(out, "{}", screen.paint(Style::Bold, first.group.title()))?;
        }
        for finding in group {
            write_one(finding, screen, out)?;
        }
    }
    writeln!(out, "\n{}", summary(findings))
}

fn write_one(finding: &Finding, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let (glyph, word, style) = mark(finding.level, screen);
    let label = screen.paint(style, &format!("{glyph} {word:<8}"));
    let mut lines = wrap(&finding.what, screen).into_iter();
    writeln!(out, "  {label} {}", lines.next().unwrap_or_default())?;
    for line in lines {
        writeln!(out, "{:INDENT$}{line}", "")?;
    }
    if finding.level == Level::Ok {
        return Ok(());
    }
    for line in finding.means.iter().flat_map(|words| wrap(words, screen)) {
        writeln!(out, "{:INDENT$}{}", "", screen.paint(Style::Dim, &line))?;
    }
    let Some(remedy) = &finding.remedy else { return Ok(()) };
    let by_itself = if finding.fix.is_some() { " (or `atm doctor --fix`)" } else { "" };
    let by_itself = if remedy.contains("doctor --fix") { "" } else { by_itself };
    let arrow = screen.pick("→", "->");
    for line in wrap(&format!("{arrow} {remedy}{by_itself}"), screen) {
        writeln!(out, "{:INDENT$}{line}", "")?;
    }
    Ok(())
}

fn mark(level: Level, screen: &Screen) -> (&'static str, &'static str, Style) {
    match level {
        Level::Ok => (screen.pick("✔", "+"), "ok", Style::Green),
        Level::Note => (screen.pick("·", "."), "note", Style::Blue),
        Level::Warning => (screen.pick("▲", "!"), "warning", Style::Yellow),
        Level::Problem => (screen.pick("✖", "x"), "problem", Style::Red),
    }
}

/// By words, for a terminal; elsewhere nothing is broken. What a terminal would act on is out.
fn wrap(text: &str, screen: &Screen) -> Vec<String> {
    let text = clean(text, TEXT_MAX);
    let Some(room) = screen.width.filter(|room| *room >= NARROW).map(|room| room - INDENT) else {
        return vec![text];
    };
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        if let Some(line) = lines.last_mut() {
            if line.is_empty() {
                line.push_str(word);
            } else if width(line) + 1 + width(word) <= room {
                line.push(' ');
                line.push_str(word);
            } else {
                lines.push(word.to_owned());
            }
        }
    }
    lines
}

fn summary(findings: &[Finding]) -> String {
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    let words = |count: usize, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        many => Some(format!("{many} {one}s")),
    };
    let parts = [
        words(count(Level::Problem), "problem"),
        words(count(Level::Warning), "warning"),
        words(count(Level::Note), "note"),
    ];
    let told = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let told = if told.is_empty() { "all is well".to_owned() } else { told };
    match findings.iter().filter(|finding| finding.fix.is_some()).count() {
        0 => told,
        fixable => format!("{told}; `atm doctor --fix` mends {fixable} of them"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::finding::Fix;
    use crate::screen::{Charset, Colour};

    fn shown(findings: &[Finding], width: Option<usize>, colour: Colour) -> String {
        let screen = Screen { width, colour, charset: Charset::Utf8 };
        let mut out = Vec::new();
        write(findings, &screen, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn some() -> Vec<Finding> {
        vec![
            Finding::problem("hooks.missing", "none is registered")
                .means("It is slow.")
                .remedy("run `atm setup`")
                .fix(Fix::Register),
            Finding::ok("daemon.up", "running").means("not shown"),
        ]
    }

    #[test]
    fn findings_are_grouped_with_meaning_remedy_and_a_summary() {
        let expected = "\
Hooks
  ✖ problem  none is registered
             It is slow.
             → run `atm setup` (or `atm doctor --fix`)
Daemon
  ✔ ok       running

1 problem; `atm doctor --fix` mends 1 of them
";
        assert_eq!(shown(&some(), None, Colour::Off), expected);
    }

    #[test]
    fn findings_on_a_terminal_are_wrapped_by_words_under_themselves() {
        let long = Finding::note("tmux.x", "word ".repeat(20));
        for line in shown(&[long], Some(60), Colour::Off).lines() {
            assert!(width(line) <= 60, "{line}");
        }
    }

    #[test]
    fn findings_carry_no_control_bytes_of_others() {
        let hostile = Finding::problem("path.foreign", "a\x1b[2Jb\u{202e}").remedy("\x07x");
        let text = shown(&[hostile], None, Colour::Off);
        assert!(
            !text.chars().any(|c| c != '\n' && (c.is_control() || c == '\u{202e}')),
            "{text:?}"
        );
        assert!(shown(&some(), None, Colour::On).contains("\x1b[1;31m✖ problem"));
    }
}
