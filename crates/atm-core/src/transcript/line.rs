//! One line of a transcript as an index reads it. Shapes as in the transcripts beside
//! `fixtures/recordings`; fields of older clients are taken where they are known.

use std::borrow::Cow;

use serde::Deserialize;

use super::lax::{Block, Content, Count, Flag, Text};
use super::usage::Usage;
use crate::stamp::Stamp;

/// Longest text of one message that is searchable.
pub const MAX_SAID: usize = 16 * 1024;
/// Of a teammate (fixtures/recordings/z5_tasks_teams).
const MESSAGE: &str = "Another Claude session sent a message";
const INTERRUPTED: &str = "[Request interrupted by user";

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    subtype: Text<'a>,
    #[serde(borrow)]
    timestamp: Text<'a>,
    #[serde(borrow)]
    uuid: Text<'a>,
    #[serde(borrow)]
    session_id: Text<'a>,
    #[serde(borrow)]
    cwd: Text<'a>,
    #[serde(borrow)]
    git_branch: Text<'a>,
    #[serde(borrow)]
    request_id: Text<'a>,
    #[serde(borrow)]
    turn_origin: Text<'a>,
    #[serde(borrow)]
    error: Text<'a>,
    #[serde(borrow)]
    custom_title: Text<'a>,
    #[serde(borrow)]
    ai_title: Text<'a>,
    #[serde(borrow)]
    summary: Text<'a>,
    #[serde(borrow)]
    agent_name: Text<'a>,
    #[serde(borrow)]
    relocated_cwd: Text<'a>,
    is_sidechain: Flag,
    is_meta: Flag,
    is_compact_summary: Flag,
    is_api_error_message: Flag,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow)]
    attachment: Option<Attachment<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow)]
    model: Text<'a>,
    #[serde(borrow)]
    stop_reason: Text<'a>,
    #[serde(borrow)]
    content: Content<'a>,
    #[serde(borrow)]
    usage: Option<WireUsage<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Attachment<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    prompt: Content<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WireUsage<'a> {
    input_tokens: Count,
    output_tokens: Count,
    cache_read_input_tokens: Count,
    cache_creation_input_tokens: Count,
    cache_creation: Option<CacheCreation>,
    server_tool_use: Option<ServerToolUse>,
    #[serde(borrow)]
    speed: Text<'a>,
    #[serde(borrow)]
    inference_geo: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CacheCreation {
    ephemeral_5m_input_tokens: Count,
    ephemeral_1h_input_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ServerToolUse {
    web_search_requests: Count,
}

/// What kind of thing the line tells.
#[derive(Debug, PartialEq, Eq)]
pub enum Tells<'a> {
    /// A person or a program asked for something.
    Prompt,
    /// The client itself started a turn, such as for a task that is through.
    Notice,
    Interrupt,
    Answer {
        is_turn_end: bool,
        is_error: bool,
    },
    TurnEnd,
    Compaction,
    CustomTitle(&'a str),
    AiTitle(&'a str),
    Summary(&'a str),
    AgentName(&'a str),
    Moved(&'a str),
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Prompt,
    Answer,
}

impl<'a> Line<'a> {
    /// `None` for what is no JSON object, or no UTF-8.
    pub fn parse(line: &'a [u8]) -> Option<Line<'a>> {
        // Checked as a whole, not string by string.
        serde_json::from_str(std::str::from_utf8(line).ok()?).ok()
    }

    pub fn at(&self) -> Option<Stamp> {
        self.timestamp.as_deref().and_then(Stamp::parse)
    }

    pub fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    pub fn branch(&self) -> Option<&str> {
        self.git_branch.as_deref()
    }

    pub fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Of a subagent of older clients, whose words stand in the session's own file.
    pub fn is_sidechain(&self) -> bool {
        self.is_sidechain.0
    }

    pub fn tells(&self) -> Tells<'_> {
        match self.kind.as_deref() {
            Some("user") => self.user(),
            Some("assistant") => {
                let stop = self.message.as_ref().and_then(|m| m.stop_reason.as_deref());
                let is_turn_end = stop.is_some_and(|stop| stop != "tool_use");
                Tells::Answer { is_turn_end, is_error: self.is_api_error_message.0 }
            }
            Some("system") if self.subtype.is("turn_duration") => Tells::TurnEnd,
            Some("system") if self.subtype.is("compact_boundary") => Tells::Compaction,
            Some("custom-title") => Tells::CustomTitle(self.custom_title.or_empty()),
            Some("ai-title") => Tells::AiTitle(self.ai_title.or_empty()),
            Some("summary") => Tells::Summary(self.summary.or_empty()),
            Some("agent-name") => Tells::AgentName(self.agent_name.or_empty()),
            Some("relocated") => Tells::Moved(self.relocated_cwd.or_empty()),
            _ => Tells::Other,
        }
    }

    fn user(&self) -> Tells<'_> {
        let Some(message) = &self.message else { return Tells::Other };
        let text = first_text(&message.content);
        let starts = |mark: &str| text.as_deref().is_some_and(|text| text.starts_with(mark));
        if starts(INTERRUPTED) && text.as_deref().is_some_and(|text| text.len() < 80) {
            return Tells::Interrupt;
        }
        if self.is_meta.0 || self.is_compact_summary.0 || text.is_none() {
            return Tells::Other;
        }
        match self.turn_origin.as_deref() {
            Some("human" | "sdk") => Tells::Prompt,
            Some(_) => Tells::Notice,
            // Clients before 2.1 wrote no origin: what they add themselves is in angle brackets.
            None if starts("<task-notification>") || starts(MESSAGE) => Tells::Notice,
            None if starts("<") || starts("Caveat:") => Tells::Other,
            None => Tells::Prompt,
        }
    }

    pub fn tools(&self) -> impl Iterator<Item = &str> {
        let blocks = self.message.as_ref().map_or(&[][..], |message| message.content.blocks());
        blocks.iter().filter(|block| block.kind.is("tool_use")).filter_map(|b| b.name.as_deref())
    }

    /// The model as it is charged, with the tokens of an answer; time and place of the model are
    /// for the caller to fill in. Notices that the client wrote itself (`<synthetic>`) cost
    /// nothing.
    pub fn usage(&self, place: u64) -> Option<(Cow<'_, str>, Usage)> {
        if !self.kind.is("assistant") {
            return None;
        }
        let message = self.message.as_ref()?;
        let usage = message.usage.as_ref()?;
        let model = message.model.as_deref()?;
        if model.starts_with('<') {
            return None;
        }
        let written = usage
            .cache_creation
            .as_ref()
            .map_or((usage.cache_creation_input_tokens.0, 0), |tiers| {
                (tiers.ephemeral_5m_input_tokens.0, tiers.ephemeral_1h_input_tokens.0)
            });
        let searches = usage.server_tool_use.as_ref().map_or(0, |used| used.web_search_requests.0);
        let key = super::usage::key(
            message.id.as_deref(),
            self.request_id.as_deref(),
            self.uuid.as_deref(),
            place,
        );
        let usage_record = Usage {
            key,
            at: Stamp::default(),
            model: 0,
            searches: u16::try_from(searches).unwrap_or(u16::MAX),
            input: usage.input_tokens.0,
            output: usage.output_tokens.0,
            cache_read: usage.cache_read_input_tokens.0,
            cache_write_5m: written.0,
            cache_write_1h: written.1,
        };
        Some((charged_as(model, usage), usage_record))
    }

    /// What of the line a search looks into.
    pub fn said(&self) -> Option<(Role, String)> {
        let (role, content) = match self.tells() {
            Tells::Prompt => (Role::Prompt, &self.message.as_ref()?.content),
            Tells::Answer { .. } => (Role::Answer, &self.message.as_ref()?.content),
            Tells::Other => (Role::Prompt, &self.queued()?.prompt),
            Tells::Notice | Tells::Interrupt | Tells::TurnEnd | Tells::Compaction => return None,
            Tells::CustomTitle(_) | Tells::AiTitle(_) | Tells::Summary(_) => return None,
            Tells::AgentName(_) | Tells::Moved(_) => return None,
        };
        let mut text = match content {
            Content::Plain(text) => text.clone().into_owned(),
            Content::Block(_) | Content::Blocks(_) => {
                let texts = content.blocks().iter().filter(|block| block.kind.is("text"));
                let texts: Vec<String> = texts.filter_map(Block::decoded).collect();
                texts.join("\n")
            }
            Content::Nothing => return None,
        };
        text.truncate(text.floor_char_boundary(MAX_SAID));
        (!text.trim().is_empty()).then_some((role, text))
    }

    fn queued(&self) -> Option<&Attachment<'a>> {
        self.attachment.as_ref().filter(|attachment| attachment.kind.is("queued_command"))
    }
}

/// With what changes the price: `claude-opus-5-5:fast:us`.
fn charged_as<'m>(model: &'m str, usage: &WireUsage<'_>) -> Cow<'m, str> {
    let speed = usage.speed.as_deref().filter(|speed| !matches!(*speed, "standard" | ""));
    let geo = usage.inference_geo.as_deref().filter(|geo| *geo == "us");
    match (speed, geo) {
        (None, None) => Cow::Borrowed(model),
        (Some(more), None) | (None, Some(more)) => Cow::Owned(format!("{model}:{more}")),
        (Some(speed), Some(geo)) => Cow::Owned(format!("{model}:{speed}:{geo}")),
    }
}

fn first_text<'c>(content: &'c Content<'_>) -> Option<Cow<'c, str>> {
    match content {
        Content::Plain(text) => Some(Cow::Borrowed(text)),
        Content::Block(_) | Content::Blocks(_) => {
            let text = content.blocks().iter().find(|block| block.kind.is("text"))?;
            text.decoded().map(Cow::Owned)
        }
        Content::Nothing => None,
    }
}
