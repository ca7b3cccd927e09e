//! What stands in a settings text, for `doctor`.

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged;

use super::document::{Document, live, live_text};
use super::draft::body_of;
use super::node::Node;
use super::ours::{Invocation, is_our_status_line};
use super::site::{Site, handlers};
use super::{Run, SettingsError, status_line};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Every command hook that the client sees, in the file's order.
    pub hooks: Vec<FoundHook>,
    pub status_line: Option<FoundStatusLine>,
    /// `disableAllHooks`.
    pub is_disabled: bool,
    /// `allowManagedHooksOnly`, which counts in managed settings only.
    pub is_managed_only: bool,
    /// `name@marketplace` of every plugin that is switched on here.
    pub plugins: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundHook {
    pub event: String,
    pub matcher: Option<String>,
    /// In shell form the first word.
    pub program: String,
    /// In shell form the other words, operators among them.
    pub args: Vec<String>,
    /// As written.
    pub command: String,
    pub run: Run,
    /// Seconds.
    pub timeout: Option<u32>,
    /// Counts from 1.
    pub line: usize,
    pub is_ours: bool,
    /// Started without a shell.
    pub is_exec: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundStatusLine {
    pub command: String,
    pub is_ours: bool,
}

pub fn hooks_in(text: &str) -> Result<Found, SettingsError> {
    let doc = Document::parse(body_of(text))?;
    let live_sites = handlers(&doc)?.into_iter().filter(|site| site.is_live);
    let has = |key| doc.root.as_ref().is_some_and(|root| is_true(root, key));
    Ok(Found {
        hooks: live_sites.filter_map(|site| found(&doc, &site)).collect(),
        status_line: status_line::command(&doc).map(|command| FoundStatusLine {
            command: command.to_owned(),
            is_ours: is_our_status_line(command),
        }),
        is_disabled: has("disableAllHooks"),
        is_managed_only: has("allowManagedHooksOnly"),
        plugins: doc.root.as_ref().map(plugins).unwrap_or_default(),
    })
}

fn found(doc: &Document<'_>, site: &Site<'_>) -> Option<FoundHook> {
    let Invocation { program, args, is_ours } = Invocation::of(site.handler)?;
    let timeout = live(site.handler, "timeout").and_then(|prop| prop.value.as_number_lit());
    Some(FoundHook {
        event: site.event.to_owned(),
        matcher: site.matcher.map(str::to_owned),
        program,
        args,
        command: live_text(site.handler, "command")?.to_owned(),
        run: if is_true(site.handler, "async") { Run::Async } else { Run::Wait },
        timeout: timeout.and_then(|seconds| seconds.value.parse().ok()),
        line: doc.line(site.handler.start()),
        is_ours,
        is_exec: live(site.handler, "args").is_some(),
    })
}

fn plugins(root: &Object<'_>) -> Vec<String> {
    let Some(listed) = live(root, "enabledPlugins").and_then(|prop| prop.value.as_object()) else {
        return Vec::new();
    };
    let names = listed.properties.iter().map(|prop| prop.name.as_str());
    names.filter(|name| is_true(listed, name)).map(str::to_owned).collect()
}

fn is_true(object: &Object<'_>, key: &str) -> bool {
    live(object, key).is_some_and(|prop| Node::Flag(true).is_same(&prop.value))
}
