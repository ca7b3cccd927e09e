//! How the user writes the file: line ends, indentation, spaces.

use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;

use super::document::{Document, breaks, is_comment};

pub(super) struct Style<'a> {
    pub(super) line_end: &'static str,
    /// One step of indentation.
    pub(super) unit: &'a str,
    /// What follows a colon or comma within a line.
    pub(super) gap: &'static str,
    pub(super) shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Lines,
    /// The whole object stands on one line.
    OneLine,
}

impl<'a> Style<'a> {
    pub(super) fn of(doc: &Document<'a>) -> Style<'a> {
        let is_one_line = doc
            .root
            .as_ref()
            .is_some_and(|root| !root.properties.is_empty() && !breaks(doc.text(root.range)));
        Style {
            line_end: line_end(doc.body),
            unit: unit(doc).unwrap_or("  "),
            gap: if is_tight(doc) { "" } else { " " },
            shape: if is_one_line { Shape::OneLine } else { Shape::Lines },
        }
    }
}

fn line_end(body: &str) -> &'static str {
    match body.find('\n') {
        Some(at) if body[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The first step by which a line is indented deeper than the one before.
fn unit<'a>(doc: &Document<'a>) -> Option<&'a str> {
    let values = doc.tokens().iter().filter(|token| !is_comment(token));
    let starts = values.map(Ranged::start).filter(|start| *start == 0 || doc.starts_line(*start));
    let indents: Vec<&'a str> = starts.map(|start| doc.indent_at(start)).collect();
    indents.windows(2).find_map(|pair| pair[1].strip_prefix(pair[0]).filter(|s| !s.is_empty()))
}

fn is_tight(doc: &Document<'_>) -> bool {
    let colon = doc.tokens().windows(2).find(|pair| pair[0].token == Token::Colon);
    colon.is_some_and(|pair| pair[0].end() == pair[1].start())
}
