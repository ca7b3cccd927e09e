//! What became of a notification: stored, shown by `atm notify log`, counted by `atm stats`.

use serde::{Deserialize, Serialize};

use super::{Channel, Occasion};
use crate::stamp::{self, Stamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    First,
    /// Still unanswered.
    Again,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Sent,
    /// Not one channel took it.
    Failed,
    Withheld,
    /// To be told later, if it is still so then.
    Deferred,
}

/// What a channel did with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    pub channel: Channel,
    /// Where it went, or why it did not.
    pub what: String,
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Sent,
    /// Nobody is there to see it, which is no fault.
    Nobody,
    Failed,
}

/// Grows by optional fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    #[serde(with = "stamp::text")]
    pub at: Stamp,
    pub key: String,
    /// The conversation's id.
    pub session: String,
    pub name: String,
    pub event: Occasion,
    pub reason: String,
    /// Since when the session was in the state that this is about.
    #[serde(with = "stamp::text")]
    pub since: Stamp,
    pub step: Step,
    pub verdict: Verdict,
    /// Why it was sent, withheld or deferred, in words.
    pub why: String,
    #[serde(default)]
    pub channels: Vec<Told>,
    /// How many sessions the message spoke of.
    #[serde(default)]
    pub count: usize,
}

impl Outcome {
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Sent => "sent",
            Outcome::Nobody => "nobody",
            Outcome::Failed => "failed",
        }
    }
}

impl Step {
    pub fn word(self) -> &'static str {
        match self {
            Step::First => "first",
            Step::Again => "again",
        }
    }
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Sent => "sent",
            Verdict::Failed => "failed",
            Verdict::Withheld => "withheld",
            Verdict::Deferred => "deferred",
        }
    }
}
