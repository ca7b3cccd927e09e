//! What an option is: its key, what may stand there, its default, and one sentence of help.

use std::time::Duration;

use serde_json::Value;

use super::{colour, size};
use crate::span;
use crate::text::clean;

/// Longest text that an option takes, in characters.
pub(super) const TEXT_MAX: usize = 1_000;

/// A row of the table of options.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    pub key: &'static str,
    pub kind: Kind,
    /// One sentence, or a few lines of about 100 characters.
    pub help: &'static str,
    /// The variable of the environment that turns it on (switches only).
    pub env: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Bool(bool),
    Integer {
        default: i64,
        min: i64,
        max: i64,
    },
    Text(&'static str),
    Choice {
        default: &'static str,
        of: &'static [&'static str],
    },
    Span {
        default: Duration,
        min: Duration,
        max: Duration,
    },
    /// Bytes.
    Size {
        default: u64,
        min: u64,
        max: u64,
    },
    /// As tmux knows them; empty means that none is set.
    Colour(&'static str),
    /// Of texts, choices or colours.
    List {
        default: &'static [&'static str],
        of: &'static Kind,
    },
    Table(&'static [Opt]),
    /// Tables under names that the user chooses; none by default.
    Named(&'static [Opt]),
    /// `[[key]]`, any number of times; none by default.
    Array(&'static [Opt]),
}

impl Opt {
    pub const fn new(key: &'static str, kind: Kind, help: &'static str) -> Opt {
        Opt { key, kind, help, env: None }
    }

    pub const fn env(self, name: &'static str) -> Opt {
        Opt { env: Some(name), ..self }
    }
}

impl Kind {
    /// None for tables, which are no values.
    pub fn default(&self) -> Option<Value> {
        Some(match *self {
            Kind::Bool(default) => default.into(),
            Kind::Integer { default, .. } => default.into(),
            Kind::Text(default) | Kind::Choice { default, .. } | Kind::Colour(default) => {
                default.into()
            }
            Kind::Span { default, .. } => span::render(default).into(),
            Kind::Size { default, .. } => size::render(default).into(),
            Kind::List { default, .. } => default.to_vec().into(),
            Kind::Table(_) | Kind::Named(_) | Kind::Array(_) => return None,
        })
    }

    /// What may stand there, for people.
    pub fn expected(&self) -> String {
        match *self {
            Kind::Bool(_) => "true or false".to_owned(),
            Kind::Integer { min, max, .. } => format!("a whole number from {min} to {max}"),
            Kind::Text(_) => format!("a text in quotes of at most {TEXT_MAX} characters"),
            Kind::Choice { of, .. } => {
                let words: Vec<String> = of.iter().map(|word| format!("{word:?}")).collect();
                words.join(" or ")
            }
            Kind::Span { default, min, max } => format!(
                "a span of time from {} to {} such as {:?}",
                span::render(min),
                span::render(max),
                span::render(default)
            ),
            Kind::Size { default, min, max } => format!(
                "a size from {} to {} such as {:?}",
                size::render(min),
                size::render(max),
                size::render(default)
            ),
            Kind::Colour(_) => colour::EXPECTED.to_owned(),
            Kind::List { of, .. } => format!("a list, each of it {}", of.expected()),
            Kind::Table(_) => "a table".to_owned(),
            Kind::Named(_) => "a table of tables".to_owned(),
            Kind::Array(_) => "tables in double brackets".to_owned(),
        }
    }

    /// The text as it is kept; none if it must not stand there.
    pub fn take_text(&self, text: &str) -> Option<Value> {
        match *self {
            Kind::Text(_) => is_plain(text, TEXT_MAX).then(|| text.into()),
            Kind::Choice { of, .. } => of.contains(&text).then(|| text.into()),
            Kind::Colour(_) => (text.is_empty() || colour::is_colour(text)).then(|| text.into()),
            Kind::Span { min, max, .. } => {
                let span = span::parse(text).ok().filter(|span| (min..=max).contains(span))?;
                Some(span::render(span).into())
            }
            Kind::Size { min, max, .. } => {
                let size = size::parse(text).filter(|size| (min..=max).contains(size))?;
                Some(size::render(size).into())
            }
            Kind::Bool(_) | Kind::Integer { .. } | Kind::List { .. } => None,
            Kind::Table(_) | Kind::Named(_) | Kind::Array(_) => None,
        }
    }
}

/// Nothing in it that a terminal would act on, and not too long.
pub(super) fn is_plain(text: &str, max: usize) -> bool {
    text.chars().count() <= max && !text.chars().any(char::is_control)
}

/// Foreign text for a message.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", clean(text, 60))
}
