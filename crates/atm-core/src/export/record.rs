//! One line of a transcript, as far as people want to read it. Shapes as in the transcripts beside
//! `fixtures/recordings`; what is unknown is passed over.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::stamp::Stamp;

/// Longer output of a tool is cut.
const MAX_OUTPUT: usize = 20_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    User,
    Assistant,
    Client,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub speaker: Speaker,
    pub at: Option<Stamp>,
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// A word of the client's own.
    Note(String),
    Call {
        name: String,
        input: String,
    },
    Result {
        output: String,
        is_error: bool,
    },
}

#[derive(Debug, PartialEq, Eq)]
pub enum Read {
    Entry(Entry),
    /// Bookkeeping, a subagent's record, or of a kind that is not known.
    Nothing,
    Damaged,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type", default)]
    kind: String,
    timestamp: Option<String>,
    #[serde(rename = "isSidechain", default)]
    is_sidechain: bool,
    #[serde(rename = "isMeta", default)]
    is_meta: bool,
    subtype: Option<String>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Content,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Blocks(Vec<Block>),
    Other(IgnoredAny),
}

impl Default for Content {
    fn default() -> Content {
        Content::Other(IgnoredAny)
    }
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    is_error: Option<bool>,
}

/// `line` without its end.
pub fn read(line: &[u8]) -> Read {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Read::Nothing;
    }
    let parsed = serde_json::from_slice::<Line>(line).or_else(|_| {
        // A byte that is no UTF-8 costs a character, not the record.
        serde_json::from_str(&String::from_utf8_lossy(line))
    });
    let Ok(line) = parsed else {
        return match serde_json::from_slice::<IgnoredAny>(line) {
            Ok(_) => Read::Nothing,
            Err(_) => Read::Damaged,
        };
    };
    let speaker = match line.kind.as_str() {
        _ if line.is_sidechain || line.is_meta => return Read::Nothing,
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        "system" if line.subtype.as_deref() == Some("compact_boundary") => Speaker::Client,
        _ => return Read::Nothing,
    };
    let parts = match line.message {
        None if speaker == Speaker::Client => {
            vec![Part::Note("The conversation was compacted here.".to_owned())]
        }
        None => Vec::new(),
        Some(message) => parts(message.content),
    };
    let at = line.timestamp.as_deref().and_then(Stamp::parse);
    Read::Entry(Entry { speaker, at, parts })
}

fn parts(content: Content) -> Vec<Part> {
    match content {
        Content::Text(text) => said(text).into_iter().collect(),
        Content::Blocks(blocks) => blocks.into_iter().filter_map(block).collect(),
        Content::Other(_) => Vec::new(),
    }
}

fn block(block: Block) -> Option<Part> {
    match block.kind.as_str() {
        "text" => said(block.text),
        "tool_use" | "server_tool_use" => {
            Some(Part::Call { name: block.name, input: input(&block.input) })
        }
        "tool_result" => Some(Part::Result {
            output: cut(&plain(&block.content)),
            is_error: block.is_error.unwrap_or(false),
        }),
        "image" | "document" => Some(Part::Note(format!("[{}]", block.kind))),
        _ => None,
    }
}

/// What a person or the model said. A command that was typed comes wrapped in tags; other tags are the
/// client's talk with the model.
fn said(text: String) -> Option<Part> {
    if text.trim().is_empty() {
        return None;
    }
    if let Some(name) = between(&text, "<command-name>", "</command-name>") {
        let given = between(&text, "<command-args>", "</command-args>").unwrap_or_default();
        return Some(Part::Note(format!("{name} {given}").trim().to_owned()));
    }
    let tags = ["<local-command-", "<task-notification>", "<system-reminder>", "<bash-"];
    if tags.iter().any(|tag| text.trim_start().starts_with(tag)) {
        return None;
    }
    if text.starts_with("[Request interrupted by user") {
        return Some(Part::Note(text));
    }
    Some(Part::Text(text))
}

fn between<'t>(text: &'t str, begin: &str, end: &str) -> Option<&'t str> {
    let start = text.find(begin)? + begin.len();
    text[start..].find(end).map(|length| &text[start..start + length])
}

/// The only text of an input as it is, such as a command; else all of it as JSON.
fn input(input: &Value) -> String {
    if let Some(command) = input.get("command").and_then(Value::as_str) {
        return cut(command);
    }
    if input.is_null() {
        return String::new();
    }
    cut(&serde_json::to_string_pretty(input).unwrap_or_default())
}

fn plain(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let text = |block: &Value| match block["text"].as_str() {
                Some(text) => text.to_owned(),
                None => format!("[{}]", block["type"].as_str().unwrap_or("?")),
            };
            blocks.iter().map(text).collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => content.to_string(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_OUTPUT) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}\n… {} more bytes", &text[..at], text.len() - at),
    }
}
