//! Names of things, each its own type so that they cannot be mixed up. All come from outside:
//! control characters are removed and the length is bounded on the way in.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::text::clean;

const MAX_ID: usize = 200;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn new(raw: &str) -> $name {
                $name(clean(raw, MAX_ID))
            }

            /// `None` if nothing is left of it once it is clean.
            pub fn known(raw: Option<String>) -> Option<$name> {
                raw.map(|raw| $name::new(&raw)).filter(|id| !id.is_empty())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }

            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<$name, D::Error> {
                Ok($name::new(&String::deserialize(input)?))
            }
        }
    )+};
}

id! {
    /// The agent's own id of a conversation; a live session may go through several.
    ConversationId,
    /// A subagent or teammate inside a session.
    AgentId,
    ToolUseId,
    PromptId,
    /// A tmux pane, `%3`. Unique only within one run of one tmux server.
    PaneId,
    /// A tmux window, `@1`.
    WindowId,
}
