//! Where a jump goes: to the one that waits longest, to the one after it, or back. Pure selection;
//! who moves the user is the command.

use serde::{Deserialize, Serialize};

use crate::session::status::Class;
use crate::stamp::Stamp;
use crate::view::SessionView;

/// A pane of a tmux server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Spot {
    pub socket: String,
    pub pane: String,
}

impl Spot {
    pub fn of(view: &SessionView) -> Option<Spot> {
        let (tmux, pane) = (view.tmux.as_ref()?, view.pane.as_ref()?);
        Some(Spot { socket: tmux.socket.clone(), pane: pane.clone() })
    }
}

/// What a user can ask to be taken to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum To {
    Who(String),
    Next,
    Last,
    /// Whoever the user was told of last.
    Notified,
}

/// A place in the order of who waits.
type Turn = (u8, Stamp, String);

/// What is remembered of earlier jumps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    came_from: Option<Spot>,
    /// Where the last jump went, and whose turn it was then: a finished session leaves the order
    /// as soon as it is seen, and the walk goes on from where it was.
    at: Option<(Spot, Turn)>,
}

impl Trail {
    /// The one after where the user is; the first if the user is with nobody who waits.
    pub fn next<'a>(
        &self,
        sessions: &'a [SessionView],
        from: Option<&Spot>,
    ) -> Option<&'a SessionView> {
        let queue = waiting(sessions);
        let now_at = |spot: &Spot| queue.iter().find(|(_, one, _)| one == spot).map(|(t, ..)| t);
        let was_at = self.at.as_ref().filter(|(spot, _)| from.is_none_or(|from| from == spot));
        let turn = from.and_then(now_at).or_else(|| was_at.map(|(_, turn)| turn));
        let after = turn.and_then(|turn| queue.iter().find(|(one, ..)| one > turn));
        after.or_else(|| queue.first()).map(|(.., view)| *view)
    }

    /// Where the user came from at the last jump.
    pub fn last(&self) -> Option<&Spot> {
        self.came_from.as_ref()
    }

    /// The user is at `spot` now, which `view` runs in, and was at `from` before.
    pub fn arrived(&mut self, spot: &Spot, view: Option<&SessionView>, from: Option<&Spot>) {
        if let Some(from) = from.filter(|from| *from != spot) {
            self.came_from = Some(from.clone());
        }
        self.at = view.map(|view| (spot.clone(), turn(view)));
    }
}

/// Whether somebody waits there for the user: for an answer, or with something not looked at.
pub fn is_waiting(view: &SessionView) -> bool {
    let needs = view.status == Class::Attention || (view.status == Class::Idle && view.unseen);
    view.ended.is_none() && needs
}

/// Who waits in a pane, in order; of several in one pane the first.
fn waiting(sessions: &[SessionView]) -> Vec<(Turn, Spot, &SessionView)> {
    let found = sessions.iter().filter(|view| is_waiting(view));
    let mut queue: Vec<_> =
        found.filter_map(|view| Some((turn(view), Spot::of(view)?, view))).collect();
    queue.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    let mut seen = std::collections::HashSet::new();
    queue.retain(|(_, spot, _)| seen.insert(spot.clone()));
    queue
}

fn turn(view: &SessionView) -> Turn {
    let (rank, since) = view.urgency();
    (rank, since, view.key.clone())
}

#[cfg(test)]
mod tests;
