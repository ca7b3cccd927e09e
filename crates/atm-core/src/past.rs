//! What the records of a transcript tell of its session as a whole: where it was, how it began, what
//! it is called. Shapes as in the transcripts beside `fixtures/recordings`.

use serde::Deserialize;
use serde_json::Value;

use crate::paths;
use crate::text::clean;

const MAX_PROMPT: usize = 200;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    pub first_cwd: Option<String>,
    pub last_cwd: Option<String>,
    /// The first directory that has the name of the transcript's folder. The client moves the
    /// transcript when a session enters or leaves a worktree (z3_worktree.jsonl).
    pub home: Option<String>,
    /// Where the worktree's repository is, if the session worked in a worktree.
    pub repository: Option<String>,
    pub prompt: Option<String>,
    pub title: Option<String>,
    /// What a subagent did, not a session.
    pub is_sidechain: bool,
    is_begun: bool,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type", default)]
    kind: String,
    cwd: Option<String>,
    #[serde(rename = "isSidechain")]
    is_sidechain: Option<bool>,
    #[serde(rename = "isMeta", default)]
    is_meta: bool,
    message: Option<Message>,
    #[serde(rename = "customTitle")]
    custom_title: Option<String>,
    #[serde(rename = "aiTitle")]
    ai_title: Option<String>,
    summary: Option<String>,
    #[serde(rename = "worktreeSession")]
    worktree: Option<Worktree>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Value,
}

#[derive(Deserialize)]
struct Worktree {
    #[serde(rename = "originalCwd")]
    original: Option<String>,
}

impl Past {
    /// Takes in one line of a transcript in the folder of this name; what makes no sense is passed
    /// over.
    pub fn take(&mut self, line: &[u8], folder: &str) {
        let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
        if let Some(is_sidechain) = line.is_sidechain
            && !self.is_begun
        {
            (self.is_begun, self.is_sidechain) = (true, is_sidechain);
        }
        if let Some(original) = line.worktree.and_then(|worktree| worktree.original) {
            self.repository = Some(original);
        }
        let title = line.custom_title.or(line.ai_title).or(line.summary);
        if let Some(title) = title.map(|title| clean(&title, MAX_PROMPT)) {
            self.title = Some(title);
        }
        if self.prompt.is_none() && line.kind == "user" && !line.is_meta {
            self.prompt = line.message.as_ref().and_then(prompt);
        }
        if let Some(cwd) = line.cwd {
            self.take_cwd(cwd, folder);
        }
    }

    /// A directory that a record names.
    pub fn take_cwd(&mut self, cwd: String, folder: &str) {
        if !cwd.starts_with('/') || self.last_cwd.as_ref() == Some(&cwd) {
            return;
        }
        if self.home.is_none() && paths::encode(&cwd) == folder {
            self.home = Some(cwd.clone());
        }
        self.first_cwd.get_or_insert_with(|| cwd.clone());
        self.last_cwd = Some(cwd);
    }
}

/// What a person typed; the client's own notes begin with a tag.
fn prompt(message: &Message) -> Option<String> {
    let is_typed = |text: &&str| !text.trim_start().starts_with(['<', '[']) && !text.is_empty();
    let text = match &message.content {
        Value::String(text) => Some(text.as_str()).filter(is_typed),
        Value::Array(blocks) => blocks
            .iter()
            .filter(|block| block["type"] == "text")
            .filter_map(|block| block["text"].as_str())
            .find(is_typed),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    };
    text.map(|text| clean(text, MAX_PROMPT)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(folder: &str, lines: &[&str]) -> Past {
        let mut past = Past::default();
        for line in lines {
            past.take(line.as_bytes(), folder);
        }
        past
    }

    #[test]
    fn past_of_a_session_that_moved_to_a_worktree_is_at_home_where_its_folder_says() {
        let told = past(
            "-p-tree",
            &[
                r#"{"type":"mode","mode":"normal"}"#,
                r#"{"type":"user","isSidechain":false,"cwd":"/p","message":{"content":"fix it"}}"#,
                r#"{"type":"worktree-state","worktreeSession":{"originalCwd":"/p"}}"#,
                r#"{"type":"user","cwd":"/p/tree","message":{"content":"second"}}"#,
                r#"{"type":"user","cwd":"/p/tree/sub","message":{"content":"third"}}"#,
                r#"{"type":"custom-title","customTitle":"the fix"}"#,
            ],
        );
        assert_eq!(told.first_cwd.as_deref(), Some("/p"));
        assert_eq!(told.home.as_deref(), Some("/p/tree"));
        assert_eq!(told.last_cwd.as_deref(), Some("/p/tree/sub"));
        assert_eq!(told.repository.as_deref(), Some("/p"));
        assert_eq!(told.prompt.as_deref(), Some("fix it"));
        assert_eq!(told.title.as_deref(), Some("the fix"));
        assert!(!told.is_sidechain);
    }

    #[test]
    fn past_prompt_is_what_a_person_typed() {
        let told = past(
            "-p",
            &[
                r#"{"type":"user","isMeta":true,"message":{"content":"Caveat: the messages below"}}"#,
                r#"{"type":"user","message":{"content":"<command-name>/clear</command-name>"}}"#,
                r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"ok"}]}}"#,
                r#"{"type":"user","message":{"content":[{"type":"text","text":"two\nlines"}]}}"#,
            ],
        );
        assert_eq!(told.prompt.as_deref(), Some("two lines"));
    }

    #[test]
    fn past_of_garbage_is_empty_and_of_a_subagent_says_so() {
        let told = past("-p", &["", "{", "null", "[1]", r#"{"cwd":7}"#, r#"{"cwd":"relative"}"#]);
        assert_eq!(told, Past::default());
        let agent = past("-p", &[r#"{"type":"user","isSidechain":true,"cwd":"/p"}"#]);
        assert!(agent.is_sidechain);
    }
}
