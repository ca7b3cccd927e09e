//! The figures of a status line, as whole numbers so that equal ones are equal.

use serde::{Deserialize, Serialize};

use crate::ids::ConversationId;
use crate::stamp::Stamp;

/// What is shown of a session. The wall time that the client tells too is not in here: it is
/// another one at every run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// Used part of the context window in hundredths of a percent; none before the first answer
    /// and after a compaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// In tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// In millionths of a US dollar; an estimate of the client's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_added: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_removed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub five_hour: Option<Limit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seven_day: Option<Limit>,
}

/// How much of an account's allowance is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// Hundredths of a percent.
    pub used: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<Stamp>,
}

/// A reading with what says how old it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    pub at: Stamp,
    pub session: ConversationId,
    pub reading: Reading,
}

impl Told {
    /// Runs may overtake each other. Within one conversation the cost only grows.
    pub fn is_newer_than(&self, other: &Told) -> bool {
        let costs = (self.reading.cost, other.reading.cost);
        let is_cheaper = matches!(costs, (Some(own), Some(others)) if own < others);
        self.at >= other.at && !(is_cheaper && self.session == other.session)
    }
}
