//! The state of a session as people see it: a glyph and a word, each telling on its own.

use super::Charset;
use crate::session::Session;
use crate::session::status::{Class, Life, Status, Why};
use crate::view::{ChildView, SessionView};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Attention,
    /// Finished, and the user has not looked yet.
    Done,
    /// Ended by an error, and the user has not looked yet.
    Failed,
    Working,
    Idle,
    Ended,
    Lost,
}

impl Mark {
    pub fn of(view: &SessionView) -> Mark {
        let is_error = view.why.as_ref().is_some_and(|why| why.starts_with("error"));
        match (&view.ended, view.status, view.unseen) {
            (Some(ended), _, _) if ended.lost => Mark::Lost,
            (Some(_), _, _) => Mark::Ended,
            (None, Class::Attention, _) => Mark::Attention,
            (None, Class::Working, _) => Mark::Working,
            (None, Class::Idle, true) if is_error => Mark::Failed,
            (None, Class::Idle, true) => Mark::Done,
            (None, Class::Idle, false) => Mark::Idle,
        }
    }

    pub fn of_session(session: &Session) -> Mark {
        match (&session.life, session.status(), session.unseen.is_some()) {
            (Life::Lost { .. }, _, _) => Mark::Lost,
            (Life::Ended { .. }, _, _) => Mark::Ended,
            (Life::Live, Status::Attention { .. }, _) => Mark::Attention,
            (Life::Live, Status::Working { .. }, _) => Mark::Working,
            (Life::Live, Status::Idle { why: Why::Error { .. } }, true) => Mark::Failed,
            (Life::Live, Status::Idle { .. }, true) => Mark::Done,
            (Life::Live, Status::Idle { .. }, false) => Mark::Idle,
        }
    }

    pub fn of_child(child: &ChildView) -> Mark {
        match child.status {
            Class::Attention => Mark::Attention,
            Class::Working => Mark::Working,
            Class::Idle => Mark::Idle,
        }
    }

    pub fn glyph(self, charset: impl Into<Charset>) -> &'static str {
        let charset = charset.into();
        match self {
            Mark::Attention => charset.pick("▲", "!"),
            Mark::Done => charset.pick("●", "*"),
            Mark::Failed => charset.pick("✖", "x"),
            Mark::Working => charset.pick("▶", ">"),
            Mark::Idle => charset.pick("■", "-"),
            Mark::Ended => charset.pick("□", "."),
            Mark::Lost => charset.pick("?", "?"),
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Mark::Attention => "attention",
            Mark::Done => "done",
            Mark::Failed => "failed",
            Mark::Working => "working",
            Mark::Idle => "idle",
            Mark::Ended => "ended",
            Mark::Lost => "lost",
        }
    }

    /// Glyph and word, `▲ attention`.
    pub fn text(self, charset: impl Into<Charset>) -> String {
        format!("{} {}", self.glyph(charset), self.word())
    }
}
