//! Settings files as such: whether they can be read, and switches that turn hooks off.

use super::super::dump::{Content, Dump, Read, Scope, Settings};
use super::super::finding::Finding;

pub(super) fn check(dump: &Dump) -> Vec<Finding> {
    let broken = dump.settings.iter().filter_map(broken);
    let off = dump.read().filter_map(|(settings, read)| disabled(dump, settings, read));
    broken.chain(off).chain(managed_only(dump)).collect()
}

fn broken(settings: &Settings) -> Option<Finding> {
    let path = &settings.path;
    match &settings.content {
        Content::Absent | Content::Read(_) => None,
        Content::Unparsable { why } => Some(
            Finding::problem("settings.unparsable", format!("{path} cannot be parsed: {why}"))
                .means("Claude Code cannot take its hooks from it, and atm leaves it alone.")
                .remedy("mend the file at that place, then run `atm doctor` again"),
        ),
        Content::Unreadable { why } => Some(
            Finding::problem("settings.unreadable", format!("{path} cannot be read: {why}"))
                .means("Whether hooks are registered there is not known.")
                .remedy("see to it that it is a readable file of yours"),
        ),
    }
}

fn disabled(dump: &Dump, settings: &Settings, read: &Read) -> Option<Finding> {
    if !read.is_disabled || settings.scope == Scope::Plugin {
        return None;
    }
    let where_it_counts = match (&settings.folder, dump.is_here(settings)) {
        (Some(_), true) => "in this folder".to_owned(),
        (Some(folder), false) => format!("in {folder}"),
        (None, _) => "anywhere".to_owned(),
    };
    Some(
        Finding::problem(
            "hooks.disabled",
            format!("`disableAllHooks` is set in {}", settings.path),
        )
        .means(format!("No hook runs {where_it_counts}: statuses come from session files alone."))
        .remedy("take `disableAllHooks` out of that file"),
    )
}

fn managed_only(dump: &Dump) -> Option<Finding> {
    let managed = || dump.read().filter(|(settings, _)| settings.scope == Scope::Managed);
    let (settings, _) = managed().find(|(_, read)| read.is_managed_only)?;
    if managed().any(|(_, read)| !read.ours.is_empty()) {
        return None;
    }
    Some(
        Finding::problem("hooks.managed-only", format!("{} allows managed hooks only", settings.path))
            .means("Whoever manages this computer has switched off all other hooks: statuses come from session files alone.")
            .remedy("ask them to add `atm hook` to the managed settings"),
    )
}
