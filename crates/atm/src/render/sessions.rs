//! The list of sessions, with subagents and background tasks as a tree below each.

use std::collections::HashSet;

use atm_core::session::status::Class;
use atm_core::stamp::Stamp;
use atm_core::view::{ChildView, SessionView, TaskView};

use super::age::age;
use super::mark::Mark;
use super::place::{directory, pane, short};
use super::table::{Cell, Column, Keep, Table};
use super::what::{what, what_of_child};
use crate::screen::{Screen, Style};

const COLUMNS: [Column; 8] = [
    Column { title: "STATUS", keep: Keep::Whole, min: 0, worth: 9 },
    Column { title: "WHAT", keep: Keep::Start, min: 22, worth: 8 },
    Column { title: "AGE", keep: Keep::Whole, min: 0, worth: 9 },
    Column { title: "CTX", keep: Keep::Start, min: 4, worth: 0 },
    Column { title: "NAME", keep: Keep::Start, min: 8, worth: 3 },
    Column { title: "DIRECTORY", keep: Keep::End, min: 10, worth: 2 },
    Column { title: "PANE", keep: Keep::End, min: 4, worth: 1 },
    Column { title: "ID", keep: Keep::Whole, min: 0, worth: 9 },
];

pub(crate) struct Sessions<'a> {
    screen: &'a Screen,
    home: Option<&'a str>,
    now: Stamp,
    table: Table<8>,
}

/// The order in which every list shows sessions.
pub(crate) fn sort(sessions: &mut [SessionView]) {
    sessions.sort_by_cached_key(|view| (view.urgency(), view.id.clone()));
}

/// All of `sessions`, in the order given.
pub(crate) fn table(
    sessions: &[SessionView],
    screen: &Screen,
    home: Option<&str>,
    now: Stamp,
) -> Table<8> {
    let mut list = Sessions { screen, home, now, table: Table::new(COLUMNS) };
    sessions.iter().for_each(|view| list.push(view));
    list.table
}

impl Sessions<'_> {
    fn push(&mut self, view: &SessionView) {
        let mark = Mark::of(view);
        let since = view.ended.as_ref().map_or(view.since, |ended| ended.at);
        let quiet = if Style::of(mark) == Style::Dim { Style::Dim } else { Style::Plain };
        self.table.push([
            Cell::new(Style::of(mark), &mark.text(self.screen)),
            Cell::new(quiet, &what(view)),
            Cell::new(Style::Plain, &age(self.now.since(since))),
            Cell::new(Style::Plain, &context(view)),
            Cell::new(Style::Bold, view.name.as_ref().or(view.title.as_ref()).map_or("", |n| n)),
            Cell::new(Style::Plain, &directory(view, self.home)),
            Cell::new(Style::Plain, &pane(view)),
            Cell::new(Style::Dim, short(&view.id)),
        ]);
        // Subagents that are through are history: `atm show` has them.
        let at_work: Vec<ChildView> =
            view.children.iter().filter(|child| child.status != Class::Idle).cloned().collect();
        self.push_children(&at_work);
        let is_shown = |task: &&TaskView| view.children.iter().any(|c| c.agent_id == task.id);
        view.background.iter().filter(|task| !is_shown(task)).for_each(|task| self.push_task(task));
    }

    fn push_children(&mut self, children: &[ChildView]) {
        let mut shown = HashSet::new();
        let is_known = |id: &str| children.iter().any(|child| child.agent_id == id);
        for child in children {
            if child.parent.as_deref().is_none_or(|parent| !is_known(parent)) {
                self.push_branch(child, children, &mut shown, 0);
            }
        }
        // Parents that go round in a circle have no beginning.
        for child in children {
            self.push_branch(child, children, &mut shown, 0);
        }
    }

    fn push_branch<'v>(
        &mut self,
        child: &'v ChildView,
        all: &'v [ChildView],
        shown: &mut HashSet<&'v str>,
        depth: usize,
    ) {
        if !shown.insert(&child.agent_id) {
            return;
        }
        let mark = Mark::of_child(child);
        let branch = self.screen.pick("└", "`-");
        let text = format!("{branch} {} {}", mark.text(self.screen), what_of_child(child));
        self.push_below(Cell::new(Style::of(mark), &text).indented(2 * depth), Some(child));
        for grandchild in all.iter().filter(|c| c.parent.as_ref() == Some(&child.agent_id)) {
            self.push_branch(grandchild, all, shown, depth + 1);
        }
    }

    fn push_task(&mut self, task: &TaskView) {
        let branch = self.screen.pick("└ ◇", "`- &");
        let text = format!("{branch} {}: {}", task.kind, task.description);
        self.push_below(Cell::new(Style::Dim, &text), None);
    }

    fn push_below(&mut self, text: Cell, child: Option<&ChildView>) {
        let since = child.map(|child| age(self.now.since(child.since))).unwrap_or_default();
        let id = child.map_or("", |child| short(&child.agent_id));
        self.table.push([
            Cell::empty(),
            text,
            Cell::new(Style::Dim, &since),
            Cell::empty(),
            Cell::empty(),
            Cell::empty(),
            Cell::empty(),
            Cell::new(Style::Dim, id),
        ]);
    }
}

/// Used part of the context window; nobody needs the history of an ended session's.
fn context(view: &SessionView) -> String {
    let used = view.context_percent.filter(|_| view.ended.is_none());
    used.map(|percent| format!("{percent:.0}%")).unwrap_or_default()
}

#[cfg(test)]
mod tests;
