//! The page as Markdown. What was said is Markdown already and stays as it is.

use super::Heading;
use super::record::{Part, Speaker};
use crate::stamp::Stamp;

pub fn head(heading: &Heading) -> String {
    let facts = heading.facts.iter().map(|(label, value)| format!("- {label}: {}\n", code(value)));
    format!("# {}\n\n{}", one_line(&heading.title), facts.collect::<String>())
}

pub fn turn(speaker: Speaker, at: Option<Stamp>) -> String {
    let who = name(speaker);
    match at {
        Some(at) => format!("\n## {who} · {}\n", minute(at)),
        None => format!("\n## {who}\n"),
    }
}

pub fn part(part: &Part) -> String {
    match part {
        Part::Text(text) => format!("\n{}\n", text.trim_end()),
        Part::Note(text) => format!("\n*{}*\n", one_line(text).replace('*', "\\*")),
        Part::Call { name, input } if input.is_empty() => format!("\n*Tool: {}*\n", code(name)),
        Part::Call { name, input } => format!("\n**Tool: {}**\n\n{}", code(name), fenced(input)),
        Part::Result { output, is_error } => {
            let what = if *is_error { "Error" } else { "Result" };
            format!("\n{what}:\n\n{}", fenced(output))
        }
    }
}

pub(super) fn name(speaker: Speaker) -> &'static str {
    match speaker {
        Speaker::User => "User",
        Speaker::Assistant => "Assistant",
        Speaker::Client => "Claude Code",
    }
}

/// In UTC.
pub(super) fn minute(at: Stamp) -> String {
    let text = at.to_string();
    text.get(..16).map_or(text.clone(), |minute| format!("{} UTC", minute.replace('T', " ")))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn code(text: &str) -> String {
    let marks = "`".repeat(longest_run(text) + 1);
    let text = one_line(text);
    if text.contains('`') {
        format!("{marks} {text} {marks}")
    } else {
        format!("{marks}{text}{marks}")
    }
}

/// A fence that nothing inside can close.
fn fenced(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
