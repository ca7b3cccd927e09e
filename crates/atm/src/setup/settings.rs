//! The parts that live in settings of Claude Code: hooks and status line, one edit of one file.

use std::path::{Path, PathBuf};

use atm_core::settings::{HookEntry, hooks_in};

use super::claude::{self, Installed, Version};
use super::content::{self, Wanted};
use super::files::{TextFile, plain};
use super::hooks;
use super::ledger::{Entry, Ledger};
use super::plan::Plan;
use super::task::{Share, State, Task};
use crate::error::CliError;

pub(crate) struct Choice {
    pub(crate) path: PathBuf,
    pub(crate) hooks: Option<Vec<HookEntry>>,
    pub(crate) status_line: Option<String>,
    pub(crate) client: Option<Installed>,
}

impl Choice {
    pub(crate) fn none(path: PathBuf) -> Choice {
        Choice { path, hooks: None, status_line: None, client: None }
    }

    pub(crate) fn with_hooks(self, program: &str) -> Choice {
        let client = claude::installed();
        Choice { hooks: Some(hooks::wanted(program, client)), client: Some(client), ..self }
    }

    pub(crate) fn with_status_line(self, program: &str) -> Choice {
        Choice { status_line: Some(program.to_owned()), ..self }
    }

    pub(crate) fn task(&self, ledger: &Ledger) -> Result<Task, CliError> {
        let file = TextFile::load(&self.path)?;
        let known = ledger.files.get(&file.path);
        let hooks = Wanted::Settings { hooks: self.hooks.as_deref(), status_line: None };
        let status_line =
            Wanted::Settings { hooks: None, status_line: self.status_line.as_deref() };
        let all = Wanted::Settings {
            hooks: self.hooks.as_deref(),
            status_line: self.status_line.as_deref(),
        };
        let name = file.name();
        let mut shares = Vec::new();
        if let Some(wanted) = &self.hooks {
            let what = format!("{} hooks in {name}", wanted.len());
            shares.push(Share { what, state: state(&file, &hooks, known)? });
        }
        if self.status_line.is_some() {
            let what = format!("status line in {name}");
            shares.push(Share { what, state: state(&file, &status_line, known)? });
        }
        let plan = Plan::setup(file, &all, known)?;
        let notes = self.notes(&plan);
        Ok(Task { plans: vec![plan], shares, notes, ..Task::default() })
    }

    fn notes(&self, plan: &Plan) -> Vec<String> {
        let mut notes = Vec::new();
        match (self.client, &self.hooks) {
            (Some(Installed::None), _) => {
                notes.push("no Claude Code was found; once it is installed, its hooks work".into());
            }
            (Some(Installed::Unknown), _) => notes.push(
                "Claude Code does not tell its version; it gets the hooks of a middling one".into(),
            ),
            (Some(Installed::Version(Version(a, b, c))), Some(wanted))
                if wanted.len() < hooks::COUNT =>
            {
                notes.push(format!(
                    "Claude Code {a}.{b}.{c} knows {} of {} events; after an update, run `atm setup` again",
                    wanted.len(),
                    hooks::COUNT
                ));
            }
            _ => {}
        }
        let found = hooks_in(plan.text_after().unwrap_or_default());
        if found.is_ok_and(|found| found.is_disabled) {
            notes.push("`disableAllHooks` is set there; until it goes, no hook runs".into());
        }
        if self.status_line.is_some() {
            notes.extend(overruling(&self.path).map(|file| {
                format!("{file} has a status line of its own, which is left alone and wins there")
            }));
        }
        notes
    }
}

fn state(file: &TextFile, wanted: &Wanted<'_>, known: Option<&Entry>) -> Result<State, CliError> {
    let before = file.text.as_deref().unwrap_or_default();
    let mut entry = known.cloned().unwrap_or_default();
    let after = content::put(&file.path, before, wanted, &mut entry)?;
    Ok(if after == before { State::Done } else { State::Open })
}

/// Settings of the current directory that have a status line: they outrank the user's.
fn overruling(users: &Path) -> Option<String> {
    let folder = std::env::current_dir().ok()?.join(".claude");
    let names = ["settings.local.json", "settings.json"];
    let files = names.iter().map(|name| plain(&folder.join(name)));
    let mut files =
        files.filter(|path| path != users).filter_map(|path| TextFile::load(&path).ok());
    let has_one = |file: &TextFile| {
        let found = hooks_in(file.text.as_deref().unwrap_or_default());
        found.is_ok_and(|found| found.status_line.is_some_and(|line| !line.is_ours))
    };
    files.find(has_one).map(|file| file.name())
}
