//! The one line in the user's tmux configuration. Text in, text out; everything else in it stays
//! byte for byte.

use super::quote::{path, word};

/// By this our line is known again, wherever the user has moved it.
const MARK: &str = "# added by atm setup";

/// A configuration with our line in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Added {
    pub(crate) text: String,
    /// What stands at the end that was not there before; `None` if the line was there already.
    pub(crate) tail: Option<String>,
}

pub(crate) fn has(text: &str) -> bool {
    lines(text).any(is_ours)
}

/// At the end, after whatever sets formats. A line of ours that names another file is amended.
pub(crate) fn add(text: &str, file: &str) -> Added {
    let ours = format!("source-file -q {} {MARK}", word(&path(file)));
    if has(text) {
        let amend = |line| if is_ours(line) { with_end(&ours, line) } else { line.to_owned() };
        return Added { text: lines(text).map(amend).collect(), tail: None };
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let last = text.trim_end_matches(['\n', '\r']);
    let before = match &text[last.len()..] {
        "" if last.is_empty() => String::new(),
        // tmux joins a line that ends in a backslash with the next, comments too.
        "" if is_continued(last) => end.repeat(2),
        "" => end.to_owned(),
        "\n" | "\r\n" if is_continued(last) => end.to_owned(),
        _ => String::new(),
    };
    let tail = format!("{before}{ours}{end}");
    Added { text: format!("{text}{tail}"), tail: Some(tail) }
}

/// `tail` is that of `add`; where the text no longer ends in it, only the line itself goes.
pub(crate) fn remove(text: &str, tail: Option<&str>) -> String {
    match tail.and_then(|tail| text.strip_suffix(tail)) {
        Some(before) if !has(before) => before.to_owned(),
        _ => lines(text).filter(|line| !is_ours(line)).collect(),
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

fn is_ours(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("source-file ") && line.ends_with(MARK)
}

fn with_end(ours: &str, line: &str) -> String {
    let start = line.len() - line.trim_start().len();
    format!("{}{ours}{}", &line[..start], &line[line.trim_end().len()..])
}

fn is_continued(line: &str) -> bool {
    let backslashes = line.len() - line.trim_end_matches('\\').len();
    backslashes % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "source-file -q '/c/tmux.conf' # added by atm setup";

    fn check(before: &str, after: &str) {
        let added = add(before, "/c/tmux.conf");
        assert_eq!(added.text, after);
        assert_eq!(add(after, "/c/tmux.conf"), Added { text: after.to_owned(), tail: None });
        assert_eq!(remove(after, added.tail.as_deref()), before);
    }

    #[test]
    fn line_goes_to_the_end_and_out_again_byte_for_byte() {
        check("", &format!("{OURS}\n"));
        check("\n", &format!("\n{OURS}\n"));
        check("set -g a b\n", &format!("set -g a b\n{OURS}\n"));
        check("set -g a b", &format!("set -g a b\n{OURS}\n"));
        check("a\r\nb\r\n", &format!("a\r\nb\r\n{OURS}\r\n"));
        check("a\r\nb", &format!("a\r\nb\r\n{OURS}\r\n"));
    }

    #[test]
    fn line_does_not_become_part_of_one_that_is_continued() {
        check("set -g a \\\n", &format!("set -g a \\\n\n{OURS}\n"));
        check("# c \\", &format!("# c \\\n\n{OURS}\n"));
        check("set -g a \\\\\n", &format!("set -g a \\\\\n{OURS}\n"));
        check("set -g a \\\n\n", &format!("set -g a \\\n\n{OURS}\n"));
    }

    #[test]
    fn line_that_was_moved_is_found_amended_and_taken_out() {
        let tail = add("a", "/c/tmux.conf").tail;
        let moved = format!("%if 1\n  {OURS}\n%endif\n# my note: added by atm setup\n");
        assert!(has(&moved));
        assert_eq!(add(&moved, "/new").text, moved.replace("/c/tmux.conf", "/new"));
        let without = "%if 1\n%endif\n# my note: added by atm setup\n";
        assert_eq!(remove(&moved, tail.as_deref()), without);
        let twice = format!("{OURS}\nb\n{OURS}\n");
        assert_eq!(remove(&twice, Some(&format!("{OURS}\n"))), "b\n");
        assert!(!has(without));
    }

    #[test]
    fn line_of_a_file_with_an_odd_name_stays_one_line() {
        let added = add("a\n", "/it's\n[x]/tmux.conf");
        assert_eq!(added.text.lines().count(), 2);
        assert_eq!(remove(&added.text, added.tail.as_deref()), "a\n");
    }
}
