//! What tmux holds of ours, and the way from there to what is wanted. The user's own styles are
//! kept in tmux itself before they are painted over, so that nothing but tmux is needed to restore
//! them.

use std::collections::{BTreeMap, BTreeSet};

use super::options::{Change, LAST_FOCUSED, Options, SAVED, STYLES, SUMMARY, Target};
use super::paint::{LastFocused, Paint, Tab, Window};
use super::style::{Own, with_foreground};
use crate::ids::{PaneId, WindowId};

/// One server, as `survey` found it and as it was changed since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Painted {
    pub server: i32,
    /// The global values of [`STYLES`].
    pub(super) global: [String; 2],
    /// What the user has in [`STYLES`] of each window that was asked for.
    pub(super) own: BTreeMap<WindowId, [Own; 2]>,
    /// Options of ours. A style is ours while the user's is saved beside it.
    pub(super) values: BTreeMap<Target, Options>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub firm: Vec<Change>,
    /// Worth writing only along with something else.
    pub riding: Vec<Change>,
}

impl Painted {
    /// Whether something has to be read before `paint` can be written.
    pub fn is_blind(&self, paint: &Paint) -> bool {
        let is_unread = |(id, window): (&WindowId, &Window)| {
            matches!(window.tab, Some(Tab::Live(_))) && !self.own.contains_key(id)
        };
        self.server != paint.server || paint.windows.iter().any(is_unread)
    }

    /// Notes that `changes` were written, and forgets what `paint` says has gone.
    pub fn apply(&mut self, changes: &[Change], paint: &Paint) {
        for Change { target, option, value } in changes {
            let options = self.values.entry(target.clone()).or_default();
            match value {
                Some(value) => drop(options.insert(option, value.clone())),
                None => drop(options.remove(option)),
            }
            if let (Some(i), None) = (SAVED.iter().position(|saved| saved == option), value) {
                options.remove(STYLES[i]);
            }
        }
        let there = There::of(paint);
        self.values.retain(|target, options| there.has(target) && !options.is_empty());
        let values = &self.values;
        self.own.retain(|window, _| {
            let options = values.get(&Target::Window(window.clone()));
            options.is_some_and(|options| SAVED.iter().any(|name| options.contains_key(name)))
        });
    }
}

/// What can be written to.
struct There<'a> {
    panes: BTreeSet<&'a PaneId>,
    windows: BTreeSet<&'a WindowId>,
}

impl There<'_> {
    fn of(paint: &Paint) -> There<'_> {
        There {
            panes: paint.panes.iter().map(|pane| &pane.id).collect(),
            windows: paint.panes.iter().map(|pane| &pane.window).collect(),
        }
    }

    fn has(&self, target: &Target) -> bool {
        match target {
            Target::Global => true,
            Target::Window(id) => self.windows.contains(id),
            Target::Pane(id) => self.panes.contains(id),
        }
    }
}

/// What has to change for the server to show `paint`. An empty paint takes everything of ours out.
pub fn diff(painted: &Painted, paint: &Paint) -> Changes {
    let there = There::of(paint);
    let mut changes = Changes::default();
    let none = Options::new();
    let known = |target: &Target| painted.values.get(target).unwrap_or(&none);
    let windows = painted.values.keys().filter_map(|target| match target {
        Target::Window(id) => Some(id),
        Target::Global | Target::Pane(_) => None,
    });
    for id in windows.chain(paint.windows.keys()).collect::<BTreeSet<_>>() {
        let target = Target::Window(id.clone());
        if there.has(&target) {
            let known = known(&target);
            paint_tab(painted, (id, paint.windows.get(id)), known, &mut changes.firm);
            let wanted = paint.windows.get(id).map_or(&none, |window| &window.values);
            let is_plain = |name: &str| !SAVED.contains(&name) && !STYLES.contains(&name);
            compare(&target, known, wanted, is_plain, &mut changes.firm);
        }
    }
    let panes = painted.values.keys().filter_map(|target| match target {
        Target::Pane(id) => Some(id),
        Target::Global | Target::Window(_) => None,
    });
    for id in panes.chain(paint.shown.keys()).collect::<BTreeSet<_>>() {
        let target = Target::Pane(id.clone());
        if there.has(&target) {
            let (known, wanted) = (known(&target), paint.shown.get(id));
            let (firm, riding) = wanted.map_or((&none, &none), |w| (&w.firm, &w.riding));
            let is_riding = |name: &str| riding.contains_key(name);
            compare(&target, known, firm, |name| !is_riding(name), &mut changes.firm);
            compare(&target, known, riding, is_riding, &mut changes.riding);
        }
    }
    let known = known(&Target::Global);
    focus(known, &paint.last_focused, &mut changes.firm);
    let summary = paint.summary.iter().map(|line| (SUMMARY, line.clone())).collect();
    let is_summary = |name: &str| name == SUMMARY;
    compare(&Target::Global, known, &summary, is_summary, &mut changes.firm);
    changes
}

/// Changes of the options that `is_meant`.
fn compare(
    target: &Target,
    known: &Options,
    wanted: &Options,
    is_meant: impl Fn(&str) -> bool,
    changes: &mut Vec<Change>,
) {
    let names: BTreeSet<&'static str> = known.keys().chain(wanted.keys()).copied().collect();
    for option in names.into_iter().filter(|name| is_meant(name)) {
        if known.get(option) != wanted.get(option) {
            let value = wanted.get(option).cloned();
            changes.push(Change { target: target.clone(), option, value });
        }
    }
}

/// The user's style is saved before it is painted over, and put back before it is forgotten.
fn paint_tab(
    painted: &Painted,
    (id, window): (&WindowId, Option<&Window>),
    known: &Options,
    changes: &mut Vec<Change>,
) {
    for i in 0..STYLES.len() {
        let saved = known.get(SAVED[i]).map(|text| Own::decode(text));
        let Some(own) = saved.clone().or_else(|| painted.own.get(id).map(|own| own[i].clone()))
        else {
            continue;
        };
        let global = painted.global[i].as_str();
        let colour = match window.and_then(|window| window.tab.as_ref()) {
            Some(Tab::Live(colour)) => Some(colour),
            Some(Tab::Ended(colour)) => Some(colour).filter(|_| own.is_plain(global)),
            None => None,
        };
        let mut set = |option: &'static str, value: Option<String>| {
            if known.get(option) != value.as_ref() {
                changes.push(Change { target: Target::Window(id.clone()), option, value });
            }
        };
        if let Some(colour) = colour {
            set(SAVED[i], Some(own.encode()));
            set(STYLES[i], Some(with_foreground(own.effective(global), colour)));
        } else if saved.is_some() {
            match own {
                Own::Set(value) => set(STYLES[i], Some(value)),
                // Also if we do not know what is there now.
                Own::Unset => changes.push(Change {
                    target: Target::Window(id.clone()),
                    option: STYLES[i],
                    value: None,
                }),
            }
            changes.push(Change {
                target: Target::Window(id.clone()),
                option: SAVED[i],
                value: None,
            });
        }
    }
}

fn focus(known: &Options, last: &LastFocused, changes: &mut Vec<Change>) {
    let value = match last {
        LastFocused::Unknown => return,
        LastFocused::Index(index) => Some(index.clone()),
        LastFocused::Unwanted => None,
    };
    if known.get(LAST_FOCUSED) != value.as_ref() {
        changes.push(Change { target: Target::Global, option: LAST_FOCUSED, value });
    }
}
