//! The words around a hit, read from the transcript itself and made harmless.

use std::fs::File;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use atm_core::text::clean;
use atm_core::transcript::line::{Line, MAX_SAID};

use crate::lines::LINE_MAX;
use crate::search::Term;

const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
/// Characters before the first hit, and of the whole.
const BEFORE: usize = 40;
const LENGTH: usize = 160;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    /// Where the words that were asked for stand in it: from and to, in bytes.
    pub hits: Vec<(usize, usize)>,
}

pub(crate) fn read(path: &Path, offset: u64, length: u64, terms: &[Term]) -> Option<Snippet> {
    let length = usize::try_from(length).ok().filter(|length| *length <= LINE_MAX)?;
    let file = File::options().read(true).custom_flags(NONBLOCK).open(path).ok()?;
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, offset).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let (_, said) = Line::parse(text.as_bytes())?.said()?;
    Some(around(&clean(&said, MAX_SAID), terms))
}

fn around(text: &str, terms: &[Term]) -> Snippet {
    let all = hits(text, terms);
    let first = all.first().map_or(0, |(from, _)| *from);
    let start = text[..first].char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
    let end = text[start..].char_indices().nth(LENGTH).map_or(text.len(), |(at, _)| start + at);
    let lead = if start > 0 { "…" } else { "" };
    let tail = if end < text.len() { "…" } else { "" };
    let shift = |at: usize| at - start + lead.len();
    let is_inside = |(from, to): &&(usize, usize)| *from >= start && *to <= end;
    Snippet {
        hits: all.iter().filter(is_inside).map(|(a, b)| (shift(*a), shift(*b))).collect(),
        text: format!("{lead}{}{tail}", &text[start..end]),
    }
}

/// Where the terms begin a word, without regard to case; in order and apart.
fn hits(text: &str, terms: &[Term]) -> Vec<(usize, usize)> {
    let needles: Vec<Vec<char>> =
        terms.iter().map(|term| folded(&clean(&term.text, 1000)).collect()).collect();
    let (mut hits, mut from, mut before) = (Vec::new(), 0, ' ');
    while let Some(c) = text[from..].chars().next() {
        let starts = |needle: &Vec<char>| match_end(&text[from..], needle);
        let is_start = !before.is_alphanumeric();
        match needles.iter().filter(|n| is_start && !n.is_empty()).filter_map(starts).max() {
            Some(length) if length > 0 => {
                hits.push((from, from + length));
                from += length;
                before = 'x';
            }
            _ => {
                from += c.len_utf8();
                before = c;
            }
        }
    }
    hits
}

fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}

/// Bytes of `text` that spell `needle`.
fn match_end(text: &str, needle: &[char]) -> Option<usize> {
    let mut wanted = needle.iter();
    for (at, c) in text.char_indices() {
        if wanted.len() == 0 {
            return Some(at);
        }
        if !c.to_lowercase().all(|c| wanted.next() == Some(&c)) {
            return None;
        }
    }
    (wanted.len() == 0).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Query;

    fn marked(text: &str, query: &str) -> String {
        let snippet = around(text, &Query::parse(query).wanted);
        let mut out = snippet.text.clone();
        for (from, to) in snippet.hits.iter().rev() {
            out.insert(*to, ']');
            out.insert(*from, '[');
        }
        out
    }

    #[test]
    fn snippet_marks_words_without_regard_to_case_where_they_begin() {
        assert_eq!(marked("Fix the Login; relogin", "login fix"), "[Fix] the [Login]; relogin");
        assert_eq!(marked("ÄRGER im Haus", "ärger"), "[ÄRGER] im Haus");
        assert_eq!(marked("nothing here", "login"), "nothing here");
        assert_eq!(marked("", "login"), "");
    }

    #[test]
    fn snippet_is_cut_around_the_first_hit() {
        let text = format!("{}login{}", "é ".repeat(100), " é".repeat(200));
        let snippet = marked(&text, "login");
        assert!(snippet.starts_with("…") && snippet.ends_with("…"), "{snippet}");
        assert!(snippet.contains(" [login] ") && snippet.chars().count() < 170, "{snippet}");
    }
}
