//! Hooks in every place from which the client takes them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use atm_core::settings::{FoundHook, SettingsError, hooks_in};
use serde_json::Value;

use super::super::dump::{
    Content, Dump, HookProgram, Identity, OurHook, Place, Read, Scope, Settings,
};
use super::Env;
use super::identity::{self, Ask};
use crate::program::{is_program, on_path};
use crate::setup::diff::visible;
use crate::setup::files::{TextFile, plain};

#[cfg(target_os = "macos")]
const MANAGED: &str = "/Library/Application Support/ClaudeCode";
#[cfg(not(target_os = "macos"))]
const MANAGED: &str = "/etc/claude-code";
/// Our own plugin, which may start atm by way of a script.
const OUR_PLUGINS: [&str; 2] = ["atm", "agent-tmux-monitor"];

pub(super) fn managed() -> Vec<Settings> {
    let folder = Path::new(MANAGED);
    let mut paths = vec![folder.join("managed-settings.json")];
    let drops = fs::read_dir(folder.join("managed-settings.d")).into_iter().flatten().flatten();
    let mut drops: Vec<PathBuf> = drops.map(|entry| entry.path()).collect();
    drops.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    drops.sort();
    paths.extend(drops);
    paths.iter().map(|path| load(Scope::Managed, path, &|hook| hook.is_ours)).collect()
}

pub(super) fn user(folder: &Path) -> Settings {
    load(Scope::User, &plain(&folder.join("settings.json")), &|hook| hook.is_ours)
}

/// A file that is known already is not added again: at home the project's settings are the user's.
pub(super) fn add_folder(known: &mut Vec<Settings>, folder: &Place) {
    let files = [(Scope::Project, "settings.json"), (Scope::Local, "settings.local.json")];
    for (scope, name) in files {
        let path = plain(&folder.0.join(".claude").join(name));
        if !known.iter().any(|settings| settings.path.0 == path) {
            let settings = load(scope, &path, &|hook| hook.is_ours);
            known.push(Settings { folder: Some(folder.clone()), ..settings });
        }
    }
}

/// The hooks of every plugin that any settings switch on.
pub(super) fn plugins(folder: &Path, dump: &Dump) -> Vec<Settings> {
    let folder = folder.join("plugins");
    let installed = fs::read_to_string(folder.join("installed_plugins.json")).ok();
    let installed: Value =
        installed.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let enabled: BTreeSet<&String> = dump.read().flat_map(|(_, read)| &read.plugins).collect();
    let hooks = |id: &String| {
        let root = root_of(&folder, &installed, id)?;
        let is_ours_all = OUR_PLUGINS.contains(&id.split('@').next().unwrap_or_default());
        let is_ours = |hook: &FoundHook| is_ours_all || hook.is_ours;
        let mut settings = load(Scope::Plugin, &root.join("hooks/hooks.json"), &is_ours);
        if let Content::Read(read) = &mut settings.content {
            let root = root.to_string_lossy();
            for hook in &mut read.ours {
                hook.program = hook.program.replace("${CLAUDE_PLUGIN_ROOT}", &root);
            }
        }
        Some(Settings { plugin: Some(visible(id)), ..settings })
    };
    enabled.into_iter().filter_map(hooks).collect()
}

/// Where the client says that it installed the plugin, else where it usually does.
fn root_of(folder: &Path, installed: &Value, id: &str) -> Option<PathBuf> {
    let entry = &installed["plugins"][id];
    let told = entry.get("installPath").or_else(|| entry.get(0)?.get("installPath"));
    if let Some(path) = told.and_then(Value::as_str) {
        return Some(PathBuf::from(path));
    }
    let (name, market) = id.split_once('@')?;
    let base = folder.join("cache").join(market).join(name);
    let versions = fs::read_dir(&base).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut roots: Vec<PathBuf> = versions.chain([base]).collect();
    roots.retain(|root| root.join("hooks/hooks.json").is_file());
    roots.sort_by_key(|root| root.metadata().and_then(|meta| meta.modified()).ok());
    roots.pop()
}

fn load(scope: Scope, path: &Path, is_ours: &dyn Fn(&FoundHook) -> bool) -> Settings {
    let content = match TextFile::load(path).map(|file| file.text) {
        Ok(None) => Content::Absent,
        Ok(Some(text)) => content(&text, is_ours),
        Err(error) => Content::Unreadable { why: error.message },
    };
    Settings { scope, path: Place::of(path), folder: None, plugin: None, content }
}

fn content(text: &str, is_ours: &dyn Fn(&FoundHook) -> bool) -> Content {
    let found = match hooks_in(text) {
        Ok(found) => found,
        Err(error @ (SettingsError::Unparsable { .. } | SettingsError::NotAnObject { .. })) => {
            return Content::Unparsable { why: error.to_string() };
        }
        Err(error) => return Content::Unreadable { why: error.to_string() },
    };
    let (ours, others): (Vec<_>, Vec<_>) = found.hooks.into_iter().partition(is_ours);
    let ours = ours.into_iter().map(|hook| OurHook {
        event: hook.event,
        program: hook.program,
        is_exec: hook.is_exec,
        line: hook.line,
    });
    Content::Read(Read {
        ours: ours.collect(),
        others: others.len(),
        is_disabled: found.is_disabled,
        is_managed_only: found.is_managed_only,
        plugins: found.plugins,
    })
}

/// Every program that our hooks name, once.
pub(super) fn programs(dump: &Dump, env: Env<'_>) -> Vec<HookProgram> {
    let all: BTreeSet<&String> = dump.read().flat_map(|(_, read)| named(read)).collect();
    let agreed = dump.read().filter(|(settings, _)| is_agreed(settings));
    let agreed: BTreeSet<&String> = agreed.flat_map(|(_, read)| named(read)).collect();
    let ask = |program: &String| if agreed.contains(program) { Ask::Yes } else { Ask::No };
    let own = dump.program.as_ref();
    all.into_iter().map(|program| program_of(program, env, own, ask(program))).collect()
}

fn named(read: &Read) -> impl Iterator<Item = &String> {
    read.ours.iter().map(|hook| &hook.program)
}

/// Whether the client runs the hooks of these settings without asking whether it may.
pub(super) fn is_agreed(settings: &Settings) -> bool {
    matches!(settings.scope, Scope::User | Scope::Managed)
}

pub(super) fn program_of(
    program: &str,
    env: Env<'_>,
    own: Option<&Place>,
    ask: Ask,
) -> HookProgram {
    let home = env("HOME").unwrap_or_default().to_string_lossy().into_owned();
    let path = program.replace("${HOME}", &home).replace("$HOME", &home);
    let path = match path.strip_prefix("~/") {
        Some(rest) => PathBuf::from(home).join(rest),
        None if path.contains('/') => PathBuf::from(path),
        None => on_path(env("PATH"), &path).into_iter().next().unwrap_or_default(),
    };
    let found = path.is_file().then(|| Place::of(&path));
    let is_executable = is_program(&path);
    let identity = if is_executable { identity::of(&path, own, ask) } else { Identity::Unasked };
    HookProgram { program: program.to_owned(), found, is_executable, identity }
}
