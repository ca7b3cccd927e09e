//! What is wrong in a configuration, and where.

use std::fmt;

use serde::Serialize;

/// A place in a text, counted from one; columns are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct At {
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    #[serde(flatten)]
    pub at: At,
    /// With the tables around it; empty if the whole text is meant.
    pub key: String,
    pub message: String,
}

impl At {
    pub(super) fn of(text: &str, offset: usize) -> At {
        let before = text.get(..offset).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        At { line: before.matches('\n').count() + 1, column: before[start..].chars().count() + 1 }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// To follow the name of the file: `:3:7: tmux.dwel: …`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.at)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_counts_lines_and_characters_from_one() {
        let text = "a\n日本x\n";
        let at = |offset| At::of(text, offset).to_string();
        assert_eq!((at(0), at(2), at(8)), ("1:1".into(), "2:1".into(), "2:3".into()));
        assert_eq!((at(10), at(99)), ("3:1".into(), "3:1".into()));
    }
}
