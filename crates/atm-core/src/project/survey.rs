//! Reading what a server holds of ours, and what the user has where we want to paint.

use super::command::batches;
use super::options::{LAST_FOCUSED, PANE_OPTIONS, SAVED, STYLES, SUMMARY, Target, WINDOW_OPTIONS};
use super::painted::Painted;
use super::style::Own;
use crate::ids::{PaneId, WindowId};

/// Begins a line that says what the following lines are the value of.
const MARK: &str = "atm-reads";

const GLOBAL: [&str; 2] = [LAST_FOCUSED, SUMMARY];

/// Argument lists for tmux that ask for everything of ours, and for the own styles of `windows`.
/// Their answers, one after the other, are what [`Painted::parse`] takes.
pub fn survey<'a>(windows: impl Iterator<Item = &'a WindowId>) -> Vec<Vec<String>> {
    let mut asked = vec![mark("server #{pid}")];
    for name in PANE_OPTIONS {
        asked.push(list("list-panes", name, "pane_id"));
    }
    for name in WINDOW_OPTIONS {
        asked.push(list("list-windows", name, "window_id"));
    }
    for name in STYLES {
        asked.push(mark(&format!("global {name}")));
        asked.push(words(&["show-options", "-gwqv", name]));
    }
    for name in GLOBAL {
        asked.push(mark(&format!("global {name}")));
        asked.push(words(&["show-options", "-gqv", name]));
    }
    for window in windows {
        for name in STYLES {
            asked.push(mark(&format!("{window} {name}")));
            asked.push(words(&["show-options", "-wqv", "-t", window.as_str(), name]));
        }
    }
    asked.push(mark("end"));
    batches(asked)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn mark(what: &str) -> Vec<String> {
    words(&["display-message", "-p", &format!("{MARK} {what}")])
}

fn list(command: &str, option: &str, id: &str) -> Vec<String> {
    words(&[command, "-a", "-F", &format!("{option} #{{{id}}} #{{{option}}}")])
}

impl Painted {
    /// `None` if the answer is not whole.
    pub fn parse(text: &str) -> Option<Painted> {
        let mut painted = Painted::default();
        let mut sections = Vec::new();
        for line in text.lines() {
            match line.strip_prefix(MARK) {
                Some(what) => sections.push((what.trim_start(), Vec::new())),
                None => sections.last_mut()?.1.push(line),
            }
        }
        if sections.last()?.0 != "end" {
            return None;
        }
        for (what, lines) in sections {
            let value = (!lines.is_empty()).then(|| lines.join("\n"));
            match what.split_once(' ') {
                Some(("server", pid)) => {
                    painted.server = pid.parse().ok()?;
                    lines.iter().for_each(|line| painted.read_listed(line));
                }
                Some(("global", name)) => painted.read_global(name, value),
                Some((window, name)) => painted.read_own(&WindowId::new(window), name, value),
                None => {}
            }
        }
        painted.borrow_styles();
        Some(painted)
    }

    /// `option id value`; without a value it is not set.
    fn read_listed(&mut self, line: &str) {
        let mut parts = line.splitn(3, ' ');
        let (Some(name), Some(id), Some(value)) = (parts.next(), parts.next(), parts.next()) else {
            return;
        };
        let find = |names: &[&'static str]| names.iter().find(|known| **known == name).copied();
        let found = match (find(&PANE_OPTIONS), find(&WINDOW_OPTIONS)) {
            (Some(name), _) => (Target::Pane(PaneId::new(id)), name),
            (_, Some(name)) => (Target::Window(WindowId::new(id)), name),
            (None, None) => return,
        };
        if !value.is_empty() {
            self.values.entry(found.0).or_default().insert(found.1, value.to_owned());
        }
    }

    fn read_global(&mut self, name: &str, value: Option<String>) {
        if let Some(i) = STYLES.iter().position(|style| *style == name) {
            self.global[i] = value.unwrap_or_default();
        } else if let Some(name) = GLOBAL.iter().find(|known| **known == name)
            && let Some(value) = value
        {
            self.values.entry(Target::Global).or_default().insert(name, value);
        }
    }

    fn read_own(&mut self, window: &WindowId, name: &str, value: Option<String>) {
        if let Some(i) = STYLES.iter().position(|style| *style == name) {
            let own = self.own.entry(window.clone()).or_insert([Own::Unset, Own::Unset]);
            own[i] = value.map_or(Own::Unset, Own::Set);
        }
    }

    /// Where the user's style is saved, the one that was read is ours.
    fn borrow_styles(&mut self) {
        for (target, options) in &mut self.values {
            let Target::Window(id) = target else { continue };
            for i in 0..STYLES.len() {
                let Some(saved) = options.get(SAVED[i]).map(|text| Own::decode(text)) else {
                    continue;
                };
                if let Some(own) = self.own.get_mut(id)
                    && let Own::Set(ours) = std::mem::replace(&mut own[i], saved)
                {
                    options.insert(STYLES[i], ours);
                }
            }
        }
    }
}
