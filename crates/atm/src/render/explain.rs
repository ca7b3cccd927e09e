//! Why a session is in its state, and all that is known of it.

use std::io::{self, Write};

use atm_core::explain::{Explanation, FactView, StepView};
use atm_core::stamp::Stamp;
use atm_core::text::clean;
use atm_core::view::SessionView;

use super::age::age;
use super::mark::Mark;
use super::place::{directory, pane, short, tilde};
use super::table::{Cell, Column, Keep, Table};
use super::what::what;
use crate::screen::{Screen, Style};

const MAX_LINE: usize = 2000;
const WHOLE: Column = Column { title: "", keep: Keep::Whole, min: 0, worth: 9 };
const LOOSE: Column = Column { title: "", keep: Keep::Start, min: 16, worth: 9 };

pub(crate) struct Page<'a> {
    pub(crate) screen: &'a Screen,
    pub(crate) home: Option<&'a str>,
    pub(crate) now: Stamp,
}

impl Page<'_> {
    pub(crate) fn explain(&self, why: &Explanation, out: &mut dyn Write) -> io::Result<()> {
        self.headline(&why.session, out)?;
        writeln!(out, "because {}", clean(&why.because, MAX_LINE))?;
        self.heading("facts", out)?;
        self.facts(&why.facts, out)?;
        if let Some(other) = &why.overruled {
            self.heading("overruled", out)?;
            self.facts(std::slice::from_ref(other), out)?;
        }
        self.heading("how it came there", out)?;
        self.history(&why.history, out)
    }

    pub(crate) fn show(&self, view: &SessionView, out: &mut dyn Write) -> io::Result<()> {
        self.headline(view, out)?;
        writeln!(out)?;
        let mut table = Table::new([WHOLE, LOOSE]);
        for (label, value) in self.fields(view) {
            if !value.is_empty() {
                table.push([Cell::new(Style::Dim, label), Cell::new(Style::Plain, &value)]);
            }
        }
        table.write(self.screen, out)
    }

    /// Status, what and for how long; then which session it is.
    fn headline(&self, view: &SessionView, out: &mut dyn Write) -> io::Result<()> {
        let mark = Mark::of(view);
        let since = view.ended.as_ref().map_or(view.since, |ended| ended.at);
        let status = self.screen.paint(Style::of(mark), &mark.text(self.screen));
        let what = clean(&what(view), MAX_LINE);
        let gap = if what.is_empty() { "" } else { "  " };
        writeln!(out, "{status}{gap}{what}  for {}", age(self.now.since(since)))?;
        let name = view.name.as_ref().or(view.title.as_ref()).cloned().unwrap_or_default();
        let parts = [short(&view.id).to_owned(), name, directory(view, self.home), pane(view)];
        let parts: Vec<String> =
            parts.iter().map(|p| clean(p, MAX_LINE)).filter(|p| !p.is_empty()).collect();
        writeln!(out, "{}", parts.join("  "))
    }

    fn heading(&self, words: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n{}", self.screen.paint(Style::Bold, words))
    }

    fn facts(&self, facts: &[FactView], out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new([WHOLE, WHOLE, LOOSE]);
        for fact in facts {
            table.push([
                Cell::new(Style::Plain, fact.source.word()).indented(2),
                Cell::new(Style::Plain, &self.ago(fact.at)),
                Cell::new(Style::Plain, &fact.what),
            ]);
        }
        table.write(self.screen, out)
    }

    fn history(&self, steps: &[StepView], out: &mut dyn Write) -> io::Result<()> {
        let arrow = self.screen.pick("→", "->");
        let mut table = Table::new([WHOLE, WHOLE, LOOSE, LOOSE, WHOLE]);
        for step in steps {
            let cause = match &step.overruled {
                Some(other) => format!("{} (against: {other})", step.cause),
                None => step.cause.clone(),
            };
            table.push([
                Cell::new(Style::Plain, &step.at.to_string()).indented(2),
                Cell::new(Style::Dim, &self.ago(step.at)),
                Cell::new(Style::Plain, &format!("{} {arrow} {}", step.from, step.to)),
                Cell::new(Style::Plain, &cause),
                Cell::new(Style::Dim, step.source.word()),
            ]);
        }
        table.write(self.screen, out)
    }

    fn fields(&self, view: &SessionView) -> Vec<(&'static str, String)> {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let path = |value: &Option<String>| tilde(value.as_deref().unwrap_or_default(), self.home);
        let list = |items: Vec<String>| items.join(", ");
        vec![
            ("id", view.id.clone()),
            ("managed id", text(&view.managed_id)),
            ("earlier ids", list(view.lineage.clone())),
            ("name", text(&view.name)),
            ("title", text(&view.title)),
            ("last prompt", text(&view.last_prompt)),
            ("directory", path(&view.cwd)),
            ("started in", path(&view.session_dir)),
            ("pane", pane(view)),
            ("tmux", view.tmux.as_ref().map(|tmux| tmux.socket.clone()).unwrap_or_default()),
            ("process", view.pid.map(|pid| pid.to_string()).unwrap_or_default()),
            ("agent", format!("{} on {}", view.agent, view.host)),
            ("model", text(&view.model)),
            ("permissions", text(&view.permission_mode)),
            ("mode", view.mode.clone()),
            ("role", text(&view.role)),
            ("context", context(view)),
            ("cost", view.cost_usd.map(|usd| format!("${usd:.2}")).unwrap_or_default()),
            ("lines", lines(view).unwrap_or_default()),
            ("limits", limits(view).unwrap_or_default()),
            ("transcript", path(&view.transcript)),
            ("started", self.moment(view.started)),
            ("last activity", self.moment(view.last_activity)),
            ("ended", view.ended.as_ref().map(|e| self.moment(e.at)).unwrap_or_default()),
            ("status from", view.source.word().to_owned()),
            ("hooks", if view.hooks { "seen" } else { "never seen" }.to_owned()),
            ("subagents", list(view.children.iter().map(child_line).collect())),
            ("background", list(view.background.iter().map(task_line).collect())),
        ]
    }

    fn moment(&self, at: Stamp) -> String {
        format!("{at} ({} ago)", self.ago(at))
    }

    fn ago(&self, at: Stamp) -> String {
        age(self.now.since(at))
    }
}

/// `45% of 200000, 90000 tokens`, as far as it is known.
fn context(view: &SessionView) -> String {
    let percent = view.context_percent.map(|percent| format!("{percent:.0}%"));
    let used = match (percent, view.context_window) {
        (Some(percent), Some(window)) => Some(format!("{percent} of {window}")),
        (percent, _) => percent,
    };
    let tokens = view.context_tokens.map(|tokens| format!("{tokens} tokens"));
    used.into_iter().chain(tokens).collect::<Vec<_>>().join(", ")
}

fn lines(view: &SessionView) -> Option<String> {
    let (added, removed) = (view.lines_added?, view.lines_removed?);
    (added > 0 || removed > 0).then(|| format!("{added} added, {removed} removed"))
}

fn limits(view: &SessionView) -> Option<String> {
    let limits = view.limits.as_ref()?;
    let windows = [("5 hours", &limits.five_hour), ("7 days", &limits.seven_day)];
    let used = windows.iter().filter_map(|(window, limit)| {
        let limit = limit.as_ref()?;
        let resets = limit.resets_at.as_ref().map(|at| format!(" (resets {at})"));
        Some(format!("{window} {:.0}%{}", limit.used_percent, resets.unwrap_or_default()))
    });
    Some(used.collect::<Vec<_>>().join(", "))
}

fn child_line(child: &atm_core::view::ChildView) -> String {
    format!("{} {} ({})", child.agent_type, child.status.word(), child.agent_id)
}

fn task_line(task: &atm_core::view::TaskView) -> String {
    format!("{}: {}", task.kind, task.description)
}

#[cfg(test)]
mod tests;
