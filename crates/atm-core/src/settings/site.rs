//! Every handler in the settings' `hooks`, with the way down to it.

use jsonc_parser::ast::{Array, Object, ObjectProp};

use super::SettingsError;
use super::document::{Document, live, live_text};
use super::ours::Invocation;
use crate::text::clean;

pub(super) struct Site<'d> {
    /// False under the earlier of two equal keys, which the client does not see.
    pub(super) is_live: bool,
    pub(super) event: &'d str,
    pub(super) matcher: Option<&'d str>,
    /// `hooks` among the members of the root.
    pub(super) hooks_at: usize,
    pub(super) events: &'d Object<'d>,
    pub(super) event_at: usize,
    pub(super) groups: &'d Array<'d>,
    pub(super) group_at: usize,
    pub(super) group: &'d Object<'d>,
    pub(super) handlers: &'d Array<'d>,
    pub(super) handler_at: usize,
    pub(super) handler: &'d Object<'d>,
}

impl Site<'_> {
    pub(super) fn is_ours(&self) -> bool {
        Invocation::of(self.handler).is_some_and(|invocation| invocation.is_ours)
    }
}

/// Shapes that the client would not read as a hook are passed over, save for a live `hooks` that
/// is no object or holds an event that is no list: there the whole file is suspect.
pub(super) fn handlers<'d>(doc: &'d Document<'d>) -> Result<Vec<Site<'d>>, SettingsError> {
    let mut sites = Vec::new();
    let Some(root) = &doc.root else { return Ok(sites) };
    for (hooks_at, hooks) in root.properties.iter().enumerate() {
        if hooks.name.as_str() != "hooks" {
            continue;
        }
        match hooks.value.as_object() {
            Some(events) => in_events(doc, (root, hooks_at), events, &mut sites)?,
            None if is_live(root, hooks) => {
                return Err(doc.wrong_kind(&hooks.value, "`hooks`", "an object"));
            }
            None => {}
        }
    }
    Ok(sites)
}

fn in_events<'d>(
    doc: &'d Document<'d>,
    (root, hooks_at): (&Object<'_>, usize),
    events: &'d Object<'d>,
    sites: &mut Vec<Site<'d>>,
) -> Result<(), SettingsError> {
    for (event_at, prop) in events.properties.iter().enumerate() {
        let event = prop.name.as_str();
        let is_live = is_live(root, &root.properties[hooks_at]) && is_live(events, prop);
        let Some(groups) = prop.value.as_array() else {
            if is_live {
                let what = format!("`hooks.{}`", clean(event, 60));
                return Err(doc.wrong_kind(&prop.value, &what, "a list"));
            }
            continue;
        };
        for (group_at, group) in groups.elements.iter().enumerate() {
            let Some(group) = group.as_object() else { continue };
            for (handlers, handler_at, handler) in in_group(group) {
                sites.push(Site {
                    is_live: is_live && is_live_list(group, handlers),
                    event,
                    matcher: live_text(group, "matcher"),
                    hooks_at,
                    events,
                    event_at,
                    groups,
                    group_at,
                    group,
                    handlers,
                    handler_at,
                    handler,
                });
            }
        }
    }
    Ok(())
}

fn in_group<'d>(
    group: &'d Object<'d>,
) -> impl Iterator<Item = (&'d Array<'d>, usize, &'d Object<'d>)> {
    let lists = group.properties.iter().filter(|prop| prop.name.as_str() == "hooks");
    lists.filter_map(|prop| prop.value.as_array()).flat_map(|handlers| {
        let values = handlers.elements.iter().enumerate();
        values.filter_map(move |(at, value)| Some((handlers, at, value.as_object()?)))
    })
}

fn is_live(object: &Object<'_>, prop: &ObjectProp<'_>) -> bool {
    live(object, prop.name.as_str()).is_some_and(|live| live.range == prop.range)
}

fn is_live_list(group: &Object<'_>, handlers: &Array<'_>) -> bool {
    let live = live(group, "hooks").and_then(|prop| prop.value.as_array());
    live.is_some_and(|live| live.range == handlers.range)
}
