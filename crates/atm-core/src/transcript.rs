//! Lines of a transcript that tell what no hook does. Shapes as in the transcripts beside
//! `fixtures/recordings`; every other line is passed over unread. The modules read whole
//! transcripts for the index of sessions.

pub mod facts;
pub mod glance;
mod lax;
pub mod line;
pub mod usage;

use memchr::memmem;
use serde::Deserialize;
use serde_json::Value;

use crate::session::status::Why;
use crate::stamp::Stamp;
use crate::text::clean;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The user interrupted the turn at that time.
    Interrupted {
        at: Stamp,
    },
    /// The turn ended in an API error (print mode fires no StopFailure: s2_error_kinds.jsonl).
    Failed {
        at: Stamp,
        why: Why,
    },
    Title {
        title: String,
    },
    /// From an answer of the main thread: who answered and how full its context is.
    Answer {
        model: String,
        context_tokens: u64,
    },
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    timestamp: Option<String>,
    message: Option<Message>,
    #[serde(rename = "isSidechain", default)]
    is_sidechain: bool,
    #[serde(rename = "isApiErrorMessage", default)]
    is_error: bool,
    error: Option<String>,
    #[serde(rename = "customTitle")]
    custom_title: Option<String>,
    #[serde(rename = "aiTitle")]
    ai_title: Option<String>,
    summary: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    model: Option<String>,
    usage: Option<Usage>,
    #[serde(default)]
    content: Value,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Usage {
    input_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
}

const INTERRUPTED: &str = "[Request interrupted by user";

/// What one line tells us, if anything.
pub fn read(line: &[u8]) -> Option<Note> {
    let has = |needle: &str| memmem::find(line, needle.as_bytes()).is_some();
    if !(has(INTERRUPTED)
        || has("\"usage\":")
        || has("Title\"")
        || has("\"isApiErrorMessage\":true")
        || has("\"isApiErrorMessage\": true"))
    {
        return None;
    }
    let line: Line = serde_json::from_slice(line).ok()?;
    let at = line.timestamp.as_deref().and_then(Stamp::parse);
    match line.kind.as_str() {
        _ if line.is_sidechain => None,
        "user" => line.message.filter(is_interrupt).and(at).map(|at| Note::Interrupted { at }),
        "assistant" if line.is_error => {
            let kind = clean(&line.error.unwrap_or_default(), 80);
            let why = match kind.as_str() {
                "rate_limit" => Why::Limited,
                "" => Why::Error { kind: "unknown".to_owned() },
                _ => Why::Error { kind },
            };
            at.map(|at| Note::Failed { at, why })
        }
        "assistant" => answer(line.message?),
        "custom-title" | "ai-title" | "summary" => {
            let title = line.custom_title.or(line.ai_title).or(line.summary)?;
            Some(Note::Title { title: clean(&title, 200) })
        }
        _ => None,
    }
}

/// The mark is the whole text of a block, not something that a user quotes.
fn is_interrupt(message: &Message) -> bool {
    let is_mark = |text: &str| text.starts_with(INTERRUPTED) && text.len() < 80;
    match &message.content {
        Value::String(text) => is_mark(text),
        Value::Array(blocks) => {
            blocks.iter().any(|b| b["type"] == "text" && b["text"].as_str().is_some_and(is_mark))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

fn answer(message: Message) -> Option<Note> {
    let usage = message.usage?;
    let model = clean(&message.model?, 100);
    // `<synthetic>` answers are the client's own notices.
    if model.starts_with('<') {
        return None;
    }
    let context_tokens =
        usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
    Some(Note::Answer { model, context_tokens })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcript_mark_is_an_interrupt_and_a_quotation_of_it_is_not() {
        let mark =
            br#"{"type":"user","timestamp":"2026-11-15T19:42:38.558Z","message":{"role":"user",
            "content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}"#;
        assert_eq!(read(mark), Some(Note::Interrupted { at: Stamp(1_794_771_758_558) }));
        let quoted =
            br#"{"type":"user","timestamp":"2026-11-15T19:42:38.558Z","message":{"role":"user",
            "content":"what does [Request interrupted by user] mean?"}}"#;
        assert_eq!(read(quoted), None);
        let tool = br#"{"type":"user","timestamp":"2026-11-15T19:42:38.558Z","message":{"content":
            [{"type":"tool_result","content":"[Request interrupted by user]"}]}}"#;
        assert_eq!(read(tool), None);
    }

    #[test]
    fn transcript_garbage_is_passed_over() {
        for line in
            ["", "{", "[Request interrupted by user]", r#"{"type":7,"usage":1}"#, "\"usage\":"]
        {
            assert_eq!(read(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn transcript_answer_counts_cached_tokens_into_the_context() {
        let line = br#"{"type":"assistant","message":{"model":"m","usage":{"input_tokens":1,
            "cache_read_input_tokens":20,"cache_creation_input_tokens":300,"output_tokens":5}}}"#;
        assert_eq!(read(line), Some(Note::Answer { model: "m".into(), context_tokens: 321 }));
    }
}
