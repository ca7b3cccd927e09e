//! A transcript as a page for people: what each record says, as Markdown or as HTML. Record by record,
//! so that a transcript of any length can be written while it is read.

pub mod html;
pub mod markdown;
pub mod record;

use std::borrow::Cow;

use crate::redact::redact;
use record::{Entry, Part, Speaker};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    Hidden,
    Shown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tools {
    /// Only their names.
    Named,
    /// With what went in and came out.
    Shown,
}

/// What stands at the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    pub title: String,
    /// Label and value.
    pub facts: Vec<(String, String)>,
}

/// Writes entries one after the other; remembers who spoke last.
#[derive(Debug)]
pub struct Page {
    form: Form,
    secrets: Secrets,
    tools: Tools,
    last: Option<Speaker>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Markdown,
    Html,
}

impl Page {
    pub fn new(form: Form, secrets: Secrets, tools: Tools) -> Page {
        Page { form, secrets, tools, last: None }
    }

    pub fn head(&self, heading: &Heading) -> String {
        let facts = heading.facts.iter().map(|(label, value)| (label.clone(), self.shown(value)));
        let heading = Heading { title: self.shown(&heading.title), facts: facts.collect() };
        match self.form {
            Form::Markdown => markdown::head(&heading),
            Form::Html => html::head(&heading),
        }
    }

    /// Nothing for an entry that has nothing to show.
    pub fn entry(&mut self, entry: &Entry) -> String {
        let parts: Vec<Part> = entry.parts.iter().filter_map(|part| self.part(part)).collect();
        if parts.is_empty() {
            return String::new();
        }
        let is_new = self.last != Some(entry.speaker);
        let mut out = String::new();
        match self.form {
            Form::Markdown => {
                if is_new {
                    out.push_str(&markdown::turn(entry.speaker, entry.at));
                }
                parts.iter().for_each(|part| out.push_str(&markdown::part(part)));
            }
            Form::Html => {
                if is_new {
                    out.push_str(html::turn_end(self.last));
                    out.push_str(&html::turn(entry.speaker, entry.at));
                }
                parts.iter().for_each(|part| out.push_str(&html::part(part)));
            }
        }
        self.last = Some(entry.speaker);
        out
    }

    pub fn foot(&self) -> &'static str {
        match (self.form, self.last) {
            (Form::Markdown, _) => "",
            (Form::Html, None) => html::FOOT,
            (Form::Html, Some(_)) => html::LAST_FOOT,
        }
    }

    fn part(&self, part: &Part) -> Option<Part> {
        Some(match part {
            Part::Text(text) => Part::Text(self.shown(text)),
            Part::Note(text) => Part::Note(self.shown(text)),
            Part::Call { name, input } => {
                let input = match self.tools {
                    Tools::Named => String::new(),
                    Tools::Shown => self.shown(input),
                };
                Part::Call { name: self.shown(name), input }
            }
            Part::Result { .. } if self.tools == Tools::Named => return None,
            Part::Result { output, is_error } => {
                Part::Result { output: self.shown(output), is_error: *is_error }
            }
        })
    }

    fn shown(&self, text: &str) -> String {
        let text = match self.secrets {
            Secrets::Hidden => redact(text),
            Secrets::Shown => Cow::Borrowed(text),
        };
        printable(&text)
    }
}

/// Without what a terminal or a reader would act on; line breaks, tabs and joiners stay.
fn printable(text: &str) -> String {
    let is_override = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_kept = |c: &char| matches!(c, '\n' | '\t') || !(c.is_control() || is_override(*c));
    text.chars().filter(is_kept).collect()
}

#[cfg(test)]
mod tests;
