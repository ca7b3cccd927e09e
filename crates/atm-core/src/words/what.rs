//! What a session is at, in one phrase.

use crate::session::status::Class;
use crate::view::{ChildView, SessionView};

pub fn what(view: &SessionView) -> String {
    let phrase = match (&view.ended, view.status) {
        (Some(ended), _) if ended.lost => "process gone".to_owned(),
        (Some(ended), _) => ended.reason.clone(),
        (None, Class::Attention) => joined(view.reason.as_deref(), view.subject.as_deref()),
        (None, Class::Working) => joined(view.detail.as_deref(), view.subject.as_deref()),
        (None, Class::Idle) => view.why.clone().unwrap_or_default(),
    };
    match (view.stale, phrase.is_empty()) {
        (true, true) => "stale".to_owned(),
        (true, false) => format!("{phrase}, stale"),
        (false, _) => phrase,
    }
}

pub fn what_of_child(child: &ChildView) -> String {
    joined(Some(&child.agent_type), child.detail.as_deref())
}

/// `Bash: cargo test`; a subject that is in the first part already is not said twice.
fn joined(first: Option<&str>, subject: Option<&str>) -> String {
    let first = first.filter(|text| !text.is_empty());
    let subject = subject.filter(|text| !text.is_empty());
    match (first, subject) {
        (Some(first), Some(subject)) if !first.contains(subject) => format!("{first}: {subject}"),
        (Some(text), _) | (None, Some(text)) => text.to_owned(),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_says_nothing_twice() {
        assert_eq!(joined(Some("Permission: Bash"), Some("ls")), "Permission: Bash: ls");
        assert_eq!(joined(Some("AskUserQuestion: red?"), Some("red?")), "AskUserQuestion: red?");
        assert_eq!(joined(Some("Thinking"), None), "Thinking");
        assert_eq!(joined(None, None), "");
    }
}
