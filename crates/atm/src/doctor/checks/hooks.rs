//! Where our hooks are registered: nowhere, once, or in several places that count at once.

use std::collections::BTreeMap;

use super::super::dump::{Content, Dump, Install, Read, Scope, Settings};
use super::super::finding::{Finding, Fix};
use crate::setup::claude::{Installed, Version, oldest};
use crate::setup::hooks::wanted;

pub(super) fn check(dump: &Dump) -> Vec<Finding> {
    let ours: Vec<Source<'_>> = dump.read().filter(|(_, read)| !read.ours.is_empty()).collect();
    let here: Vec<Source<'_>> =
        ours.iter().copied().filter(|(settings, _)| dump.is_here(settings)).collect();
    if here.is_empty() {
        return missing(dump).into_iter().collect();
    }
    let mut findings: Vec<Finding> = here.iter().map(|source| registered(dump, *source)).collect();
    findings.extend(here.iter().filter_map(|source| twice_in_one(*source)));
    findings.extend(twice(&ours));
    findings
}

type Source<'d> = (&'d Settings, &'d Read);

/// Settings of the user that cannot be read are told as such: what is in them is not known.
fn missing(dump: &Dump) -> Option<Finding> {
    let user = dump.settings.iter().find(|settings| settings.scope == Scope::User)?;
    matches!(user.content, Content::Absent | Content::Read(_)).then(|| {
        Finding::problem("hooks.missing", "no hook of atm is registered")
            .means("Statuses come from Claude Code's session files alone: no details, no history, and slower.")
            .remedy("run `atm setup`")
            .fix(Fix::Register)
    })
}

fn registered(dump: &Dump, (settings, read): Source<'_>) -> Finding {
    let place = place(settings);
    let missing: Vec<String> = wanted("atm", client(dump))
        .into_iter()
        .map(|entry| entry.event)
        .filter(|event| !read.ours.iter().any(|hook| hook.event == *event))
        .collect();
    if missing.is_empty() || settings.scope == Scope::Plugin {
        let events = read.ours.len();
        return Finding::ok("hooks.registered", format!("{events} hooks in {place}"));
    }
    let list = missing.join(", ");
    let finding = Finding::warning(
        "hooks.incomplete",
        format!("{place} lacks {} of our hooks: {list}", missing.len()),
    )
    .means("It was set up by an older atm, or edited: what these events tell is missed.");
    match settings.scope {
        Scope::User => finding.remedy("run `atm setup`").fix(Fix::Register),
        Scope::Project => finding.remedy("run `atm setup --scope project` there"),
        Scope::Local => finding.remedy("run `atm setup --scope local` there"),
        Scope::Managed | Scope::Plugin => finding.remedy("update it where it is managed"),
    }
}

/// Older clients know fewer events, and were set up for those.
fn client(dump: &Dump) -> Installed {
    let version = |install: &Install| install.version.as_deref().and_then(Version::parse);
    oldest(&dump.claude.iter().map(version).collect::<Vec<_>>())
}

fn place(settings: &Settings) -> String {
    match &settings.plugin {
        Some(plugin) => format!("plugin {plugin}"),
        None => settings.path.to_string(),
    }
}

fn twice_in_one((settings, read): Source<'_>) -> Option<Finding> {
    let mut lines: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for hook in &read.ours {
        lines.entry(&hook.event).or_default().push(hook.line);
    }
    let (event, lines) = lines.into_iter().find(|(_, lines)| lines.len() > 1)?;
    let lines = lines.iter().map(usize::to_string).collect::<Vec<_>>().join(" and ");
    let what = format!("{} has our {event} hook twice (lines {lines})", settings.path);
    let finding = Finding::warning("hooks.repeated", what)
        .means("The client may run both: every event costs twice.");
    Some(match settings.scope {
        Scope::User => finding.remedy("run `atm setup`").fix(Fix::Register),
        _ => finding.remedy("take one of them out"),
    })
}

/// Places that count for the same session: those without a folder, and those of one folder.
fn twice(ours: &[Source<'_>]) -> Vec<Finding> {
    let general =
        ours.iter().find(|(settings, _)| matches!(settings.scope, Scope::User | Scope::Managed));
    let mut findings = Vec::new();
    for source in ours {
        let (settings, _) = *source;
        let other = match settings.scope {
            Scope::User | Scope::Managed => None,
            Scope::Plugin | Scope::Project => general,
            Scope::Local => general.or_else(|| {
                let is_its = |(other, _): &&Source<'_>| {
                    other.scope == Scope::Project && other.folder == settings.folder
                };
                ours.iter().find(is_its)
            }),
        };
        findings.extend(other.map(|other| double(*other, *source)));
    }
    let managed = ours.iter().find(|(settings, _)| settings.scope == Scope::Managed);
    let user = ours.iter().find(|(settings, _)| settings.scope == Scope::User);
    if let (Some(managed), Some(user)) = (managed, user) {
        findings.push(double(*managed, *user));
    }
    let plugins = ours.iter().filter(|(settings, _)| settings.scope == Scope::Plugin);
    if let (None, [first, second, ..]) = (general, plugins.collect::<Vec<_>>().as_slice()) {
        findings.push(double(**first, **second));
    }
    findings
}

/// `second` is what can go.
fn double(first: Source<'_>, second: Source<'_>) -> Finding {
    let (one, other) = (place(first.0), place(second.0));
    let finding =
        Finding::warning("hooks.double", format!("registered twice: in {one} and in {other}"));
    let programs = |read: &Read| read.ours.first().map(|hook| hook.program.clone());
    let is_plugin = second.0.scope == Scope::Plugin;
    let is_same = !is_plugin && programs(first.1) == programs(second.1);
    let finding = finding.means(if is_same {
        "The client runs equal entries once, but the two part ways when atm is updated or moved."
    } else {
        "The client runs both: every event costs twice and is recorded twice."
    });
    match (&second.0.plugin, first.0.scope, second.0.scope) {
        (Some(plugin), Scope::User, _) => finding
            .remedy(format!(
                "run `claude plugin disable {plugin}`, or keep it and take the others out of {one}"
            ))
            .fix(Fix::TakeOut(first.0.path.0.clone())),
        (Some(plugin), ..) => finding.remedy(format!("run `claude plugin disable {plugin}`")),
        (None, ..) => finding
            .remedy(format!("take those in {other} out: `atm doctor --fix`"))
            .fix(Fix::TakeOut(second.0.path.0.clone())),
    }
}
