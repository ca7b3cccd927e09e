//! The page as HTML that needs nothing else: no script, no font, no picture from elsewhere.

use super::Heading;
use super::markdown::{minute, name};
use super::record::{Part, Speaker};
use crate::stamp::Stamp;

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}\
section{border-left:3px solid #8886;padding:0 0 0 1rem;margin:1.5rem 0}\
section.user{border-color:#2a7de1}h2{font-size:1rem;margin:0}time{font-weight:400;opacity:.6}\
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0}\
pre.said{font:inherit}details pre{background:#8881;padding:.5rem;font-size:.85rem}\
.note,summary{opacity:.7}.error{border-left:3px solid #c33}dt{float:left;width:7rem;opacity:.6}";

pub const FOOT: &str = "</body>\n</html>\n";
pub const LAST_FOOT: &str = "</section>\n</body>\n</html>\n";

pub fn head(heading: &Heading) -> String {
    let title = escape(&heading.title);
    let fact = |(label, value): &(String, String)| {
        format!("<dt>{}</dt><dd>{}</dd>\n", escape(label), escape(value))
    };
    let facts: String = heading.facts.iter().map(fact).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<dl>\n{facts}</dl>\n"
    )
}

pub(super) fn turn_end(last: Option<Speaker>) -> &'static str {
    if last.is_some() { "</section>\n" } else { "" }
}

pub fn turn(speaker: Speaker, at: Option<Stamp>) -> String {
    let class = match speaker {
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
        Speaker::Client => "client",
    };
    let time = at.map(|at| format!(" <time datetime=\"{at}\">{}</time>", minute(at)));
    let (who, time) = (name(speaker), time.unwrap_or_default());
    format!("<section class=\"{class}\">\n<h2>{who}{time}</h2>\n")
}

pub fn part(part: &Part) -> String {
    match part {
        Part::Text(text) => format!("<pre class=\"said\">{}</pre>\n", escape(text)),
        Part::Note(text) => format!("<p class=\"note\">{}</p>\n", escape(text)),
        Part::Call { name, input } if input.is_empty() => {
            format!("<p class=\"note\">Tool: {}</p>\n", escape(name))
        }
        Part::Call { name, input } => details(&format!("Tool: {name}"), input, ""),
        Part::Result { output, is_error: true } => details("Error", output, " class=\"error\""),
        Part::Result { output, is_error: false } => details("Result", output, ""),
    }
}

fn details(summary: &str, text: &str, class: &str) -> String {
    let (summary, text) = (escape(summary), escape(text));
    format!("<details{class}><summary>{summary}</summary><pre>{text}</pre></details>\n")
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
