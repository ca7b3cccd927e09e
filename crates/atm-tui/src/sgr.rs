//! What a pane shows, read from `capture-pane -e`: colours and attributes are kept, every other
//! escape sequence and control character is dropped.

use atm_core::text::harmless;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::cell::{is_selector, width_of};

/// More lines than this no terminal shows.
const MAX_LINES: usize = 500;
/// Longest run of characters of no width: more would pile up over other lines.
const MAX_MARKS: usize = 2;

/// Lines with their styles. A style lasts until it is changed, over line ends too.
pub(crate) fn parse(text: &str) -> Vec<Line<'static>> {
    let mut style = Style::new();
    let lines = text.split('\n').take(MAX_LINES);
    lines.map(|line| parse_line(line.trim_end_matches('\r'), &mut style)).collect()
}

fn parse_line(text: &str, style: &mut Style) -> Line<'static> {
    let mut spans = Vec::new();
    let mut run = String::new();
    let mut marks = 0;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\x1b' || c == '\u{9b}' {
            let codes = escape(c, &mut chars);
            if let Some(codes) = codes {
                let text = std::mem::take(&mut run);
                spans.extend((!text.is_empty()).then(|| Span::styled(text, *style)));
                *style = apply(*style, &codes);
            }
        } else if let Some(c) = harmless(c).filter(|c| !is_selector(*c)) {
            marks = if width_of(c) == 0 { marks + 1 } else { 0 };
            if marks <= MAX_MARKS {
                run.push(c);
            }
        }
    }
    spans.extend((!run.is_empty()).then(|| Span::styled(run, *style)));
    Line::from(spans)
}

/// Takes an escape sequence off `chars`; its parameters if it is about style.
fn escape(first: char, chars: &mut std::str::Chars<'_>) -> Option<String> {
    let kind = if first == '\u{9b}' { '[' } else { chars.next()? };
    match kind {
        '[' => {
            let mut codes = String::new();
            for c in chars.by_ref() {
                match c {
                    '\x40'..='\x7e' => return (c == 'm').then_some(codes),
                    c => codes.push(c),
                }
            }
            None
        }
        // Strings for the terminal: titles, links, images; up to BEL or ST.
        ']' | 'P' | 'X' | '^' | '_' => {
            let mut last = ' ';
            for c in chars.by_ref() {
                if matches!(c, '\x07' | '\u{9c}') || (last == '\x1b' && c == '\\') {
                    break;
                }
                last = c;
            }
            None
        }
        // Character sets: one more letter belongs to it.
        ' '..='/' => {
            chars.next();
            None
        }
        _ => None,
    }
}

fn apply(mut style: Style, codes: &str) -> Style {
    let mut codes = codes.split(';');
    while let Some(code) = codes.next() {
        // `38:2::1:2:3` is one code with parts.
        let mut parts = code.split(':');
        let number: u16 = parts.next().unwrap_or_default().parse().unwrap_or(0);
        match number {
            38 | 48 | 58 => {
                let parts: Vec<&str> = parts.collect();
                let colour = if parts.is_empty() {
                    long_colour(&mut codes)
                } else {
                    // The colour space that may stand second is left out.
                    let parts = parts.iter().filter(|part| !part.is_empty()).copied();
                    long_colour(&mut parts.collect::<Vec<_>>().into_iter())
                };
                style = match number {
                    38 => Style { fg: colour, ..style },
                    48 => Style { bg: colour, ..style },
                    _ => style,
                };
            }
            4 if code == "4:0" => style = style.remove_modifier(Modifier::UNDERLINED),
            number => style = simple(style, number),
        }
    }
    style
}

fn long_colour<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<Color> {
    let mut byte = || parts.next().and_then(|part| part.parse::<u8>().ok());
    match byte()? {
        5 => byte().map(Color::Indexed),
        2 => Some(Color::Rgb(byte()?, byte()?, byte()?)),
        _ => None,
    }
}

fn simple(style: Style, code: u16) -> Style {
    let modifier = match code {
        1 | 21 => Modifier::BOLD,
        2 => Modifier::DIM,
        3 | 23 => Modifier::ITALIC,
        4 | 24 => Modifier::UNDERLINED,
        7 | 27 => Modifier::REVERSED,
        9 | 29 => Modifier::CROSSED_OUT,
        22 => Modifier::BOLD | Modifier::DIM,
        _ => Modifier::empty(),
    };
    match code {
        0 => Style::new(),
        1..=9 => style.add_modifier(modifier),
        21..=29 => style.remove_modifier(modifier),
        39 => Style { fg: None, ..style },
        49 => Style { bg: None, ..style },
        30..=37 => style.fg(basic(code - 30)),
        40..=47 => style.bg(basic(code - 40)),
        90..=97 => style.fg(basic(code - 90 + 8)),
        100..=107 => style.bg(basic(code - 100 + 8)),
        _ => style,
    }
}

fn basic(number: u16) -> Color {
    Color::Indexed(u8::try_from(number).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str) -> Vec<(String, Style)> {
        let line = parse(text).remove(0);
        line.spans.into_iter().map(|span| (span.content.into_owned(), span.style)).collect()
    }

    #[test]
    fn colours_and_attributes_are_kept() {
        let indexed = |n| Style::new().fg(Color::Indexed(n));
        let rgb = Style::new().bg(Color::Rgb(1, 2, 3));
        let cases = [
            ("\x1b[31mx", indexed(1)),
            ("\x1b[1;4mx", Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED)),
            ("\x1b[38;5;208mx", indexed(208)),
            ("\x1b[48;2;1;2;3mx", rgb),
            ("\x1b[48:2::1:2:3mx", rgb),
            ("\x1b[94mx", indexed(12)),
            ("\x1b[31m\x1b[39mx", Style::new()),
            ("\x1b[31;42m\x1b[mx", Style::new()),
        ];
        for (text, expected) in cases {
            assert_eq!(spans(text), [("x".to_owned(), expected)], "{text:?}");
        }
    }

    #[test]
    fn everything_else_is_dropped() {
        let cases = [
            "a\x1b[2Jb",
            "a\x1b]0;title\x07b",
            "a\x1b]8;;http://x\x1b\\b",
            "a\x1bP1$r\x1b\\b",
            "a\x1b(Bb",
            "a\x0e\x0fb",
            "a\u{9b}5nb",
            "a\u{202e}b",
            "a\x1b=b",
        ];
        for text in cases {
            assert_eq!(spans(text), [("ab".to_owned(), Style::new())], "{text:?}");
        }
        assert_eq!(spans("a\x1b["), [("a".to_owned(), Style::new())]);
        assert_eq!(spans("\x1b[99999999;;38;5mx")[0].0, "x");
    }

    #[test]
    fn style_lasts_over_the_end_of_a_line() {
        let lines = parse("\x1b[31mone\ntwo");
        assert_eq!(lines[1].spans[0].style.fg, Some(Color::Indexed(1)));
    }
}
