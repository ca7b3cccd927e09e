//! The picker: a list that is narrowed by typing, a look at the pane, and the way there.

mod keys;
mod matching;
mod row;
mod update;
mod view;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use atm_core::jump::Spot;
use atm_core::stamp::Stamp;
use atm_core::view::SessionView;
use ratatui::Frame;
use ratatui::text::Line;

use self::matching::Matching;
use self::row::Row;
use crate::inbox::{Input, World};
use crate::run::{self, Screen, Step};
use crate::theme::Look;

/// How the user left.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// Go to this session, which has a pane.
    Chosen(Box<SessionView>),
    Left,
}

/// What may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Sessions that have a pane to go to.
    Panes,
    /// Every session.
    Any,
}

/// Shows the picker until the user chooses or leaves.
pub fn pick(look: Look, choice: Choice, world: &Arc<impl World>) -> io::Result<Outcome> {
    run::run(Picker::new(look, choice, world.now()), world)
}

/// Where the news come from, as far as the screen knows.
#[derive(Debug, PartialEq, Eq)]
enum Feed {
    Waiting,
    Live,
    Broken(String),
}

struct Picker {
    look: Look,
    choice: Choice,
    now: Stamp,
    sessions: BTreeMap<String, SessionView>,
    feed: Feed,
    filter: String,
    matching: Matching,
    /// Who is shown, in order.
    rows: Vec<Row>,
    /// Key of the selected session, and its place among the rows.
    selected: Option<String>,
    at: usize,
    preview: Option<(Spot, Result<Vec<Line<'static>>, String>)>,
    /// Why the last key did nothing.
    note: Option<String>,
    page: Page,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    List,
    Help,
}

impl Picker {
    fn new(look: Look, choice: Choice, now: Stamp) -> Picker {
        Picker {
            look,
            choice,
            now,
            sessions: BTreeMap::new(),
            feed: Feed::Waiting,
            filter: String::new(),
            matching: Matching::new(),
            rows: Vec::new(),
            selected: None,
            at: 0,
            preview: None,
            note: None,
            page: Page::List,
        }
    }

    fn row(&self) -> Option<&Row> {
        self.rows.get(self.at)
    }

    /// Finds who is to be shown, and keeps the selection on the same session if it is still there.
    fn arrange(&mut self) {
        let mut views: Vec<&SessionView> = self.sessions.values().collect();
        views.sort_by_cached_key(|view| (view.urgency(), view.id.clone()));
        let home = self.look.home.as_deref();
        let rows = views.into_iter().map(|view| Row::of(view, home)).collect();
        self.rows = self.matching.narrow(rows, &self.filter);
        let stayed = self.selected.as_ref();
        let found = self.rows.iter().position(|row| Some(&row.key) == stayed);
        self.select(found.unwrap_or(self.at));
    }

    fn select(&mut self, at: usize) {
        self.at = at.min(self.rows.len().saturating_sub(1));
        self.selected = self.row().map(|row| row.key.clone());
    }
}

impl Screen for Picker {
    type Outcome = Outcome;

    fn update(&mut self, input: Input, now: Stamp) -> Step<Outcome> {
        update::update(self, input, now)
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        view::draw(self, frame);
    }

    fn looks_at(&self) -> Option<Spot> {
        self.row().and_then(|row| row.spot.clone())
    }
}

#[cfg(test)]
mod tests;
