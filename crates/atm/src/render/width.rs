//! Columns of a terminal that text takes, and cutting it to fit. The text must be clean.

use unicode_width::UnicodeWidthChar;

pub(crate) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(of).sum() }
}

/// Keeps the beginning.
pub(crate) fn cut_end(text: &str, max: usize, ellipsis: char) -> String {
    if width(text) <= max {
        return text.to_owned();
    }
    let mut kept: String = fitting(text.chars(), max).collect();
    if max > 0 {
        kept.truncate(kept.trim_end().len());
        kept.push(ellipsis);
    }
    kept
}

/// Keeps the end, which tells more of a path.
pub(crate) fn cut_start(text: &str, max: usize, ellipsis: char) -> String {
    if width(text) <= max {
        return text.to_owned();
    }
    let mut kept: Vec<char> = fitting(text.chars().rev(), max).collect();
    if max > 0 {
        kept.push(ellipsis);
    }
    kept.into_iter().rev().collect()
}

/// As many characters as fit into `max` beside an ellipsis.
fn fitting(chars: impl Iterator<Item = char>, max: usize) -> impl Iterator<Item = char> {
    let mut room = max.saturating_sub(1);
    chars.take_while(move |c| {
        let fits = of(*c) <= room && max > 0;
        room = room.saturating_sub(of(*c));
        fits
    })
}

fn of(c: char) -> usize {
    c.width().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_end_never_splits_a_wide_character_or_exceeds_the_room() {
        let cases = [
            ("plain", 5, "plain"),
            ("plain", 4, "pla…"),
            ("日本語テキスト", 14, "日本語テキスト"),
            ("日本語テキスト", 8, "日本語…"),
            ("日本語テキスト", 7, "日本語…"),
            ("日本語", 2, "…"),
            ("日本語", 1, "…"),
            ("日本語", 0, ""),
            ("two words", 5, "two…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ];
        for (text, max, expected) in cases {
            let cut = cut_end(text, max, '…');
            assert_eq!(cut, expected, "{text} in {max}");
            assert!(width(&cut) <= max);
        }
    }

    #[test]
    fn cut_start_keeps_the_end_of_a_path() {
        assert_eq!(cut_start("~/src/project/web", 12, '…'), "…project/web");
        assert_eq!(cut_start("~/日本語/w", 6, '…'), "…語/w");
        assert_eq!(cut_start("~/w", 3, '…'), "~/w");
        assert_eq!(cut_start("~/w", 0, '…'), "");
    }
}
