//! The options of notifications: the rows, the types, and checks that no kind can express.

mod check;
mod table;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::notify::{Channel, Occasion};
use crate::span;

pub(super) use check::check;
pub(super) use table::NOTIFY;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notify {
    pub enable: bool,
    pub attention: Vec<Channel>,
    pub finish: Vec<Channel>,
    pub error: Vec<Channel>,
    pub lost: Vec<Channel>,
    pub escalate: Vec<Channel>,
    #[serde(with = "span::text")]
    pub escalate_after: Duration,
    #[serde(with = "span::text")]
    pub finish_after: Duration,
    #[serde(with = "span::text")]
    pub gather: Duration,
    pub together: u64,
    #[serde(with = "span::text")]
    pub repeat_after: Duration,
    pub per_minute: usize,
    /// Ranges of local time, each of which makes sense.
    pub quiet: Vec<String>,
    pub quiet_except: Vec<Occasion>,
    pub while_looking: bool,
    pub background: bool,
    pub title: String,
    pub body: String,
    #[serde(with = "span::text")]
    pub message_time: Duration,
    pub popup: Popup,
    pub sound: Sound,
    pub command: Command,
    pub webhook: Webhook,
    pub rule: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Popup {
    pub width: u16,
    pub height: u16,
    #[serde(with = "span::text")]
    pub time: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sound {
    pub file: String,
    pub player: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    pub argv: Vec<String>,
    #[serde(with = "span::text")]
    pub timeout: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    pub url: String,
    pub header: String,
    pub header_env: String,
    #[serde(with = "span::text")]
    pub timeout: Duration,
}

/// What is left empty matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub event: Vec<Occasion>,
    pub project: String,
    pub role: String,
    pub mode: String,
    pub name: String,
    pub channels: Vec<Channel>,
    pub escalate: Vec<Channel>,
    pub mute: bool,
}

impl Notify {
    pub fn channels(&self, occasion: Occasion) -> &[Channel] {
        match occasion {
            Occasion::Attention => &self.attention,
            Occasion::Finish => &self.finish,
            Occasion::Error => &self.error,
            Occasion::Lost => &self.lost,
        }
    }
}
