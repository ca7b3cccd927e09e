//! How people are told about sessions: the same words in lists, dashboards and status bars.

pub mod age;
pub mod mark;
pub mod place;
pub mod what;

/// Which characters a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    Utf8,
    Ascii,
}

impl Charset {
    pub fn pick<T>(self, utf8: T, ascii: T) -> T {
        match self {
            Charset::Utf8 => utf8,
            Charset::Ascii => ascii,
        }
    }
}
