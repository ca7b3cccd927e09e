//! Views for tests.

use crate::ids::ConversationId;
use crate::session::status::Class;
use crate::session::{Key, Session};
use crate::stamp::Stamp;
use crate::view::{SessionView, TmuxView};

/// In a pane named after it, waiting since `since`.
pub(crate) fn view(name: &str, status: Class, since: i64) -> SessionView {
    let id = ConversationId::new(name);
    let session = Session::new(Key::stored(name.to_owned()), id, Stamp(since));
    SessionView {
        status,
        since: Stamp(since),
        unseen: status == Class::Idle,
        pane: Some(format!("%{name}")),
        tmux: Some(TmuxView { socket: "/s".to_owned(), session: None }),
        ..SessionView::of(&session, "host", Stamp(since))
    }
}

pub(crate) fn asks(name: &str, since: i64) -> SessionView {
    view(name, Class::Attention, since)
}

pub(crate) fn done(name: &str, since: i64) -> SessionView {
    view(name, Class::Idle, since)
}
