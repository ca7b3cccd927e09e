//! What the client tells its status line command: decoded, sent on to the daemon, shown as a line.

mod feed;
mod line;
mod reading;
mod wire;

pub use feed::{FEED_MAX, FEED_VERSION, Feed};
pub use line::{Paint, Surroundings, line};
pub use reading::{Limit, Reading, Told};

use serde::{Deserialize, Serialize};

use crate::ids::ConversationId;
use crate::text::clean;

const NAME_MAX: usize = 200;
const MODEL_MAX: usize = 100;
const PATH_MAX: usize = 1000;

/// One run of the status line command; shape of the input as in
/// `fixtures/recordings/a_plain.jsonl`, event `statusLine`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatusLine {
    pub session: ConversationId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The model's id, then its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_name: Option<String>,
    pub reading: Reading,
}

impl StatusLine {
    /// `None` if it is no JSON object; a field of another type than expected is left out.
    pub fn decode(input: &[u8]) -> Option<StatusLine> {
        wire::decode(input)
    }

    /// All texts made harmless; they come from anybody who can write to our socket.
    fn cleaned(self) -> StatusLine {
        let known = |text: Option<String>, max| {
            text.map(|text| clean(&text, max)).filter(|text| !text.is_empty())
        };
        StatusLine {
            name: known(self.name, NAME_MAX),
            // A directory that was cut would be another one.
            cwd: known(self.cwd.filter(|path| path.chars().count() <= PATH_MAX), PATH_MAX),
            version: known(self.version, MODEL_MAX),
            model: known(self.model, MODEL_MAX),
            model_name: known(self.model_name, MODEL_MAX),
            ..self
        }
    }
}
