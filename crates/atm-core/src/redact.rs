//! Secrets in text that leaves the machine: found by their shape or by what stands before them, and
//! replaced by `[redacted: kind]`. Better one false alarm than one key too many; ordinary code stays.

mod assigned;
mod shapes;

use std::borrow::Cow;
use std::ops::Range;

/// A secret and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    at: Range<usize>,
    kind: &'static str,
}

pub fn redact(text: &str) -> Cow<'_, str> {
    let mut found = Vec::new();
    shapes::find(text, &mut found);
    assigned::find(text, &mut found);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    // The one that begins first tells what it is; of two, the longer.
    found.sort_by_key(|found| (found.at.start, usize::MAX - found.at.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for Found { at, kind } in found {
        if at.end <= done {
            continue;
        }
        if at.start >= done {
            out.push_str(&text[done..at.start]);
            out.push_str("[redacted: ");
            out.push_str(kind);
            out.push(']');
        }
        done = at.end;
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn has(text: &str, test: impl Fn(u8) -> bool) -> bool {
    text.bytes().any(test)
}

#[cfg(test)]
mod tests;
