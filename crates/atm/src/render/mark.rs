//! The state of a session as people see it: a glyph, a word and a colour, each telling on its own.

use atm_core::session::status::Class;
use atm_core::view::{ChildView, SessionView};

use crate::screen::{Screen, Style};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
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
    pub(crate) fn of(view: &SessionView) -> Mark {
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

    pub(crate) fn of_child(child: &ChildView) -> Mark {
        match child.status {
            Class::Attention => Mark::Attention,
            Class::Working => Mark::Working,
            Class::Idle => Mark::Idle,
        }
    }

    pub(crate) fn glyph(self, screen: &Screen) -> &'static str {
        match self {
            Mark::Attention => screen.pick("▲", "!"),
            Mark::Done => screen.pick("●", "*"),
            Mark::Failed => screen.pick("✖", "x"),
            Mark::Working => screen.pick("▶", ">"),
            Mark::Idle => screen.pick("■", "-"),
            Mark::Ended => screen.pick("□", "."),
            Mark::Lost => screen.pick("?", "?"),
        }
    }

    pub(crate) fn word(self) -> &'static str {
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

    pub(crate) fn style(self) -> Style {
        match self {
            Mark::Attention | Mark::Failed => Style::Red,
            Mark::Done => Style::Yellow,
            Mark::Working => Style::Blue,
            Mark::Idle | Mark::Ended | Mark::Lost => Style::Dim,
        }
    }

    /// Glyph and word, `▲ attention`.
    pub(crate) fn text(self, screen: &Screen) -> String {
        format!("{} {}", self.glyph(screen), self.word())
    }
}
