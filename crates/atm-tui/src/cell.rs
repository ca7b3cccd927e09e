//! Text that others wrote, made to fit a number of columns exactly: clean, cut, padded.

use atm_core::text::harmless;
use atm_core::words::Charset;
use unicode_width::UnicodeWidthChar;

/// Marks that may sit on one character; more would pile up over other lines.
const MAX_MARKS: usize = 2;
/// Longest text looked at; no terminal is wider.
const MAX_TEXT: usize = 1000;

/// `text` without what a terminal would act on or measure differently than we do.
pub(crate) fn clean(text: &str) -> String {
    let mut marks = 0;
    let mut out = String::new();
    for c in text.chars().filter_map(harmless).take(MAX_TEXT) {
        marks = if width_of(c) == 0 { marks + 1 } else { 0 };
        let is_first_mark = marks > 0 && out.is_empty();
        let is_double_space = c == ' ' && out.ends_with(' ');
        if marks <= MAX_MARKS && !is_first_mark && !is_double_space && !is_selector(c) {
            out.push(c);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Terminals disagree about the width of what follows or precedes these.
pub(crate) fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0100}'..='\u{e01ef}')
}

pub(crate) fn width_of(c: char) -> usize {
    c.width().unwrap_or(0)
}

pub(crate) fn width(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

/// Exactly `room` columns: the beginning of `text`, cut or padded. The text must be clean.
pub(crate) fn fit(text: &str, room: usize, charset: Charset) -> String {
    padded(&cut(text, room, charset), room)
}

/// The same for its end, which tells more of a path.
pub(crate) fn fit_end(text: &str, room: usize, charset: Charset) -> String {
    if width(text) <= room {
        return padded(text, room);
    }
    let mut left = room.saturating_sub(1);
    let mut kept: Vec<char> = Vec::new();
    for c in text.chars().rev() {
        let Some(rest) = left.checked_sub(width_of(c)) else { break };
        left = rest;
        kept.push(c);
    }
    if room > 0 {
        kept.push(charset.pick('…', '~'));
    }
    padded(&kept.into_iter().rev().collect::<String>(), room)
}

/// At most `room` columns.
pub(crate) fn cut(text: &str, room: usize, charset: Charset) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut left = room.saturating_sub(1);
    let mut kept = String::new();
    for c in text.chars() {
        let Some(rest) = left.checked_sub(width_of(c)) else { break };
        left = rest;
        kept.push(c);
    }
    if room > 0 {
        kept.push(charset.pick('…', '~'));
    }
    kept
}

fn padded(text: &str, room: usize) -> String {
    let missing = room.saturating_sub(width(text));
    format!("{text}{:missing$}", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_leaves_nothing_to_act_on_and_no_towers_of_marks() {
        let cases = [
            ("plain", "plain"),
            ("\x1b[31mred\x1b]0;t\x07\u{9b}1m", "[31mred]0;t1m"),
            ("a\u{202e}b\u{200b}c\n\td", "abc d"),
            ("e\u{301}\u{302}\u{303}\u{304}f", "e\u{301}\u{302}f"),
            ("\u{301}x", "x"),
            ("👩\u{200d}🚀 \u{2764}\u{fe0f}", "👩🚀 \u{2764}"),
        ];
        for (raw, expected) in cases {
            assert_eq!(clean(raw), expected, "{raw:?}");
        }
        assert!(clean(&"x".repeat(100_000)).len() <= MAX_TEXT);
    }

    #[test]
    fn fitted_text_takes_exactly_the_room_it_is_given() {
        for text in ["", "plain text", "日本語テキスト", "e\u{301}e\u{301}e\u{301}", "a日b本c語"]
        {
            for room in 0..20 {
                for cell in [fit(text, room, Charset::Utf8), fit_end(text, room, Charset::Utf8)] {
                    assert_eq!(width(&cell), room, "{text} in {room}: {cell:?}");
                }
            }
        }
        assert_eq!(fit("plain text", 6, Charset::Ascii), "plain~");
        assert_eq!(fit_end("~/src/web", 6, Charset::Utf8), "…c/web");
    }
}
