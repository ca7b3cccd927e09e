//! Text that others wrote (prompts, names, tool input) made harmless for a terminal.

/// Removes control characters and invisible direction marks, and keeps at most `max` characters;
/// a cut is shown by `…`. Line breaks and tabs become single spaces.
pub fn clean(text: &str, max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(max * 4));
    let mut room = max;
    for c in text.chars().filter_map(harmless) {
        if c == ' ' && out.ends_with(' ') {
            continue;
        }
        if room == 0 {
            out.pop();
            out.push('…');
            break;
        }
        out.push(c);
        room -= 1;
    }
    out.trim().to_owned()
}

/// The same without touching blanks, and at most `max` bytes: for paths and ids, which others
/// compare and use.
pub fn printable(text: &str, max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(max));
    for c in text.chars().filter_map(harmless) {
        if out.len() + c.len_utf8() > max {
            break;
        }
        out.push(c);
    }
    out
}

/// What a terminal may be shown of a character: a space for line breaks and tabs, nothing for what
/// it would act on.
pub fn harmless(c: char) -> Option<char> {
    match c {
        '\n' | '\r' | '\t' => Some(' '),
        c if c.is_control() || is_invisible(c) => None,
        c => Some(c),
    }
}

/// Bidirectional controls, zero-width characters and tags: they move or hide what follows.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::{clean, printable};

    #[test]
    fn clean_takes_out_everything_a_terminal_would_act_on() {
        let cases = [
            ("plain", "plain"),
            ("a\x1b[31mred\x1b]0;t\x07", "a[31mred]0;t"),
            ("two\nlines\r\n\tand tab", "two lines and tab"),
            ("\u{202e}gnp.exe\u{200b}", "gnp.exe"),
            ("\u{9b}31m c1", "31m c1"),
            ("日本語 ok", "日本語 ok"),
        ];
        for (raw, expected) in cases {
            assert_eq!(clean(raw, 100), expected, "{raw:?}");
        }
    }

    #[test]
    fn printable_keeps_a_path_usable() {
        assert_eq!(printable("/a  b/ c\x1b]0;x\x07\u{202e}", 100), "/a  b/ c]0;x");
        assert_eq!(printable("two\nlines", 100), "two lines");
        assert_eq!(printable("abcdef", 3), "abc");
        assert_eq!(printable("äöü", 5), "äö");
    }

    #[test]
    fn clean_cuts_by_characters_and_says_so() {
        assert_eq!(clean("äöüß", 3), "äö…");
        assert_eq!(clean("abc", 3), "abc");
    }
}
