//! Which hook spoke last, and which one the session has its id from: told in tmux for whoever looks
//! for a fault there (seed 001). Nothing here bears on the status.

use serde::{Deserialize, Serialize};

use crate::hook::{Hook, HookKind};
use crate::stamp::Stamp;

/// The id came from the client's session file, not from a hook.
pub const BY_FILE: &str = "session-file";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spoken {
    /// The newest hook: its name, for a notification with its type.
    pub event: Option<String>,
    pub at: Stamp,
    /// What last set the id: the name of a hook, or [`BY_FILE`].
    pub set_on: Option<String>,
}

/// Whether a hook changed the id of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Id {
    Same,
    Changed,
}

impl Spoken {
    /// Takes in a hook called `name`; one that comes late is not the newest.
    pub(crate) fn hear(&mut self, name: &str, hook: &Hook, id: Id, at: Stamp) {
        if at < self.at {
            return;
        }
        self.at = at;
        if sets_id(&hook.kind) || id == Id::Changed || self.set_on.is_none() {
            self.set_on = Some(name.to_owned());
        }
        let notice = if let HookKind::Notification { name, .. } = &hook.kind { name } else { "" };
        let dash = if notice.is_empty() { "" } else { "-" };
        self.event = Some(format!("{name}{dash}{notice}"));
    }
}

/// Hooks that confirm the id even if it is the one we know.
fn sets_id(kind: &HookKind) -> bool {
    matches!(
        kind,
        HookKind::SessionStart { .. }
            | HookKind::UserPromptSubmit { .. }
            | HookKind::Stop { .. }
            | HookKind::SubagentStop
            | HookKind::SessionEnd { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::wire::WireHook;

    fn say(spoken: &mut Spoken, json: &str, id: Id, at: i64) {
        let wire = WireHook::decode(json).unwrap();
        let name = crate::hook::event::event_name(&wire);
        spoken.hear(&name, &Hook::decode(&wire), id, Stamp(at));
    }

    fn told(spoken: &Spoken) -> (Option<&str>, Option<&str>) {
        (spoken.event.as_deref(), spoken.set_on.as_deref())
    }

    #[test]
    fn hooks_that_set_the_id_are_told_from_those_that_only_speak() {
        let mut spoken = Spoken::default();
        say(&mut spoken, r#"{"hook_event_name":"SessionStart"}"#, Id::Same, 1);
        say(&mut spoken, r#"{"hook_event_name":"PreToolUse"}"#, Id::Same, 2);
        assert_eq!(told(&spoken), (Some("PreToolUse"), Some("SessionStart")));
        let notice = r#"{"hook_event_name":"Notification","notification_type":"auth_success"}"#;
        say(&mut spoken, notice, Id::Same, 3);
        assert_eq!(told(&spoken), (Some("Notification-auth_success"), Some("SessionStart")));
        say(&mut spoken, r#"{"hook_event_name":"SubagentStop"}"#, Id::Same, 4);
        assert_eq!(told(&spoken), (Some("SubagentStop"), Some("SubagentStop")));
        say(&mut spoken, r#"{"hook_event_name":"PostToolUse"}"#, Id::Changed, 5);
        assert_eq!(told(&spoken), (Some("PostToolUse"), Some("PostToolUse")));
        say(&mut spoken, r#"{"hook_event_name":"Stop"}"#, Id::Same, 4);
        assert_eq!(told(&spoken), (Some("PostToolUse"), Some("PostToolUse")), "it came late");
    }

    #[test]
    fn session_stored_before_this_was_known_is_readable() {
        use crate::ids::ConversationId;
        use crate::session::{Key, Session};
        let session = Session::new(Key::stored("k".into()), ConversationId::new("a"), Stamp(1));
        let mut row = serde_json::to_value(&session).unwrap();
        row.as_object_mut().unwrap().remove("spoken").unwrap();
        assert_eq!(serde_json::from_value::<Session>(row).unwrap(), session);
    }
}
