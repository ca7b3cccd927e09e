//! The three statuses with their data, and the life of a session. Views render these; nothing
//! else may invent words for them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::stamp::Stamp;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Status {
    /// The agent waits for the user's next prompt; no hurry.
    Idle { why: Why },
    /// The agent is busy; the user need not do anything.
    Working { detail: Detail },
    /// Nothing goes on until the user answers.
    Attention { reason: Reason },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Why {
    Fresh,
    Done,
    Interrupted,
    Error { kind: String },
    Limited,
    Scheduled,
    Compacted,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "on", rename_all = "kebab-case")]
pub enum Detail {
    Unknown,
    Thinking,
    Tool {
        name: String,
        subject: Option<String>,
    },
    Compacting,
    Setup,
    /// The main turn is over; these go on.
    Background {
        what: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "for", rename_all = "kebab-case")]
pub enum Reason {
    Permission {
        tool: String,
        subject: Option<String>,
        agent: Option<String>,
    },
    Question {
        tool: String,
        subject: Option<String>,
    },
    Elicitation {
        server: String,
        message: String,
    },
    /// A dialog that only the client's session file tells of, in its words.
    Dialog {
        what: String,
    },
}

/// What remains of a status when only its kind matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    Attention,
    Working,
    Idle,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "life", rename_all = "kebab-case")]
pub enum Life {
    Live,
    /// The client said goodbye, or took its session file away.
    Ended {
        at: Stamp,
        reason: String,
    },
    /// The process is gone without a word.
    Lost {
        at: Stamp,
    },
}

impl Status {
    pub fn class(&self) -> Class {
        match self {
            Status::Idle { .. } => Class::Idle,
            Status::Working { .. } => Class::Working,
            Status::Attention { .. } => Class::Attention,
        }
    }
}

impl Class {
    pub fn word(self) -> &'static str {
        match self {
            Class::Attention => "attention",
            Class::Working => "working",
            Class::Idle => "idle",
        }
    }

    /// The class of a status told in one line, as transitions keep it; none for an end.
    pub fn of_words(words: &str) -> Option<Class> {
        let first = words.split(':').next()?;
        [Class::Attention, Class::Working, Class::Idle].into_iter().find(|c| c.word() == first)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Fresh => f.write_str("fresh"),
            Why::Done => f.write_str("done"),
            Why::Interrupted => f.write_str("interrupted"),
            Why::Error { kind } => write!(f, "error: {kind}"),
            Why::Limited => f.write_str("limited"),
            Why::Scheduled => f.write_str("scheduled"),
            Why::Compacted => f.write_str("compacted"),
        }
    }
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Detail::Unknown => Ok(()),
            Detail::Thinking => f.write_str("Thinking"),
            Detail::Tool { name, .. } => f.write_str(name),
            Detail::Compacting => f.write_str("Compacting"),
            Detail::Setup => f.write_str("Setup"),
            Detail::Background { what } => f.write_str(what),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Permission { tool, agent: None, .. } => write!(f, "Permission: {tool}"),
            Reason::Permission { tool, agent: Some(agent), .. } => {
                write!(f, "Permission: {tool} ({agent})")
            }
            Reason::Question { tool, subject: None } => f.write_str(tool),
            Reason::Question { tool, subject: Some(subject) } => write!(f, "{tool}: {subject}"),
            Reason::Elicitation { server, message } => write!(f, "MCP input: {server}: {message}"),
            Reason::Dialog { what } => {
                let mut chars = what.chars();
                match chars.next() {
                    Some(first) => write!(f, "{}{}", first.to_uppercase(), chars.as_str()),
                    None => f.write_str("Dialog open"),
                }
            }
        }
    }
}

/// The status in one line: `working: Bash`, `idle: done`, `attention: Permission: Bash`.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Idle { why } => write!(f, "idle: {why}"),
            Status::Working { detail: Detail::Unknown } => f.write_str("working"),
            Status::Working { detail } => write!(f, "working: {detail}"),
            Status::Attention { reason } => write!(f, "attention: {reason}"),
        }
    }
}
