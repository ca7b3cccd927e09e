//! Our hooks in the settings: what is missing comes in, what is old is amended where it stands,
//! what is no longer wanted goes.

use jsonc_parser::common::Range;

use super::document::{Document, live};
use super::draft::{Draft, Step};
use super::edit::{Container, Splice, append, apply, set, take};
use super::memo::Memo;
use super::node::{Member, Node};
use super::ours::Invocation;
use super::site::{Site, handlers};
use super::{Edited, Form, HookEntry, Run, SettingsError, root};

/// Makes our entries exactly the wanted ones. `memo` is that of the last edit of this file, or
/// `Memo::default()`.
pub fn register(text: &str, wanted: &[HookEntry], memo: &Memo) -> Result<Edited, SettingsError> {
    if let Some(stranger) = wanted.iter().find(|entry| !is_recognisable(entry)) {
        return Err(SettingsError::Unrecognisable { command: stranger.command.clone() });
    }
    let mut draft = Draft::open(text, memo)?;
    draft.run(|doc, memo| next_step(doc, wanted, memo))?;
    draft.finish()
}

/// Takes out exactly our entries. With the memo of the last `register`, and the file unchanged
/// since, the text is byte for byte what it was before the first.
pub fn unregister(text: &str, memo: &Memo) -> Result<Edited, SettingsError> {
    register(text, &[], memo)
}

fn is_recognisable(entry: &HookEntry) -> bool {
    match &entry.form {
        Form::Exec { args } => Invocation::exec(&entry.command, args.clone()).is_ours,
        Form::Shell => Invocation::shell(&entry.command).is_ours,
    }
}

fn next_step(doc: &Document<'_>, wanted: &[HookEntry], memo: &mut Memo) -> Step {
    let ours = handlers(doc)?.into_iter().filter(Site::is_ours).collect();
    let plan = Plan::make(doc, ours, wanted);
    if let Some((site, entry)) = plan.pairs.iter().find(|(s, e)| difference(doc, s, e).is_some()) {
        let body = amend(doc.body, site.handler.range.start, entry)?;
        return Ok(Some(vec![Splice::replace(0, doc.body.len(), body)]));
    }
    // Before anything goes, so that no container runs empty in between.
    if let Some(entry) = plan.missing.first() {
        return Ok(Some(add(doc, entry, memo)));
    }
    Ok(plan.surplus.first().map(|site| withdraw(doc, site, memo)))
}

#[derive(Default)]
struct Plan<'d, 'w> {
    pairs: Vec<(Site<'d>, &'w HookEntry)>,
    missing: Vec<&'w HookEntry>,
    surplus: Vec<Site<'d>>,
}

impl<'d, 'w> Plan<'d, 'w> {
    /// Those that need no change find each other first, then those of the same event and matcher.
    fn make(doc: &Document<'_>, ours: Vec<Site<'d>>, wanted: &'w [HookEntry]) -> Plan<'d, 'w> {
        let mut plan = Plan { surplus: ours, ..Plan::default() };
        let mut open: Vec<&HookEntry> = Vec::new();
        for entry in wanted {
            if !open.contains(&entry) && !plan.pairs.iter().any(|(_, paired)| *paired == entry) {
                let is_done = |site: &Site<'_>| difference(doc, site, entry).is_none();
                if !plan.pair(entry, is_done) {
                    open.push(entry);
                }
            }
        }
        for entry in open {
            if !plan.pair(entry, |_| true) {
                plan.missing.push(entry);
            }
        }
        plan
    }

    fn pair(&mut self, entry: &'w HookEntry, fits: impl Fn(&Site<'d>) -> bool) -> bool {
        let at = self.surplus.iter().position(|site| is_place_of(site, entry) && fits(site));
        self.pairs.extend(at.map(|at| (self.surplus.remove(at), entry)));
        at.is_some()
    }
}

fn is_place_of(site: &Site<'_>, entry: &HookEntry) -> bool {
    let narrows = |matcher: &&str| !matches!(*matcher, "" | "*");
    site.is_live
        && site.event == entry.event
        && site.matcher.filter(narrows) == entry.matcher.as_deref().filter(narrows)
}

/// What makes the first field that differs as wanted.
fn difference(doc: &Document<'_>, site: &Site<'_>, entry: &HookEntry) -> Option<Vec<Splice>> {
    fields(entry).iter().find_map(|(key, want)| set(doc, site.handler, key, want.as_ref()))
}

/// Between two of its fields a handler may not be known as ours, but it begins at the same place.
fn amend(body: &str, start: usize, entry: &HookEntry) -> Result<String, SettingsError> {
    let mut body = body.to_owned();
    loop {
        let doc = Document::parse(&body)?;
        let site = handlers(&doc)?.into_iter().find(|site| site.handler.range.start == start);
        match site.and_then(|site| difference(&doc, &site, entry)) {
            Some(splices) => body = apply(&body, splices),
            None => return Ok(body),
        }
    }
}

/// In the order in which a new entry shows them; `None` must not be there.
fn fields(entry: &HookEntry) -> [(&'static str, Option<Node>); 5] {
    let args = match &entry.form {
        Form::Exec { args } => Some(Node::List(args.iter().map(|arg| Node::text(arg)).collect())),
        Form::Shell => None,
    };
    let run = match entry.run {
        Run::Async => Some(Node::Flag(true)),
        Run::Wait => None,
    };
    [
        ("type", Some(Node::text("command"))),
        ("command", Some(Node::text(&entry.command))),
        ("args", args),
        ("timeout", entry.timeout.map(Node::Number)),
        ("async", run),
    ]
}

/// Always a group of its own: the user's groups stay as they are.
fn group(entry: &HookEntry) -> Node {
    let fields = fields(entry).into_iter();
    let handler = fields.filter_map(|(key, value)| Some(Member::keyed(key, value?))).collect();
    let matcher = entry.matcher.as_deref().map(|text| Member::keyed("matcher", Node::text(text)));
    let handlers = Member::keyed("hooks", Node::List(vec![Node::Map(handler)]));
    Node::Map(matcher.into_iter().chain([handlers]).collect())
}

fn add(doc: &Document<'_>, entry: &HookEntry, memo: &mut Memo) -> Vec<Splice> {
    let hooks = doc.root.as_ref().and_then(|root| live(root, "hooks")?.value.as_object());
    let Some(hooks) = hooks else {
        memo.empty_hooks = None;
        memo.empty_events.clear();
        let event = Member::keyed(&entry.event, Node::List(vec![group(entry)]));
        return root::put(doc, &Member::keyed("hooks", Node::Map(vec![event])), memo);
    };
    let Some(groups) = live(hooks, &entry.event).and_then(|event| event.value.as_array()) else {
        let container = Container::object(hooks);
        memo.empty_events.remove(&entry.event);
        if let Some(inner) = container.emptiness(doc) {
            memo.empty_hooks = Some(inner);
        }
        let event = Member::keyed(&entry.event, Node::List(vec![group(entry)]));
        return append(doc, &container, &event);
    };
    let container = Container::list(groups);
    if let Some(inner) = container.emptiness(doc) {
        memo.empty_events.insert(entry.event.clone(), inner);
    }
    append(doc, &container, &Member::item(group(entry)))
}

/// Takes the handler out, and with it every container that held nothing else: no other member, no
/// comment, and by the memo not there before us.
fn withdraw(doc: &Document<'_>, site: &Site<'_>, memo: &Memo) -> Vec<Splice> {
    let is_alone = |range: Range| {
        !doc.has_comment(range.start, site.handler.range.start)
            && !doc.has_comment(site.handler.range.end, range.end)
    };
    let handlers = Container::list(site.handlers);
    if handlers.count() > 1 || !is_plain_group(site) || !is_alone(site.group.range) {
        return take(doc, &handlers, site.handler_at, None);
    }
    let groups = Container::list(site.groups);
    let was = memo.empty_events.get(site.event).filter(|_| site.is_live);
    if groups.count() > 1 || was.is_some() || !is_alone(site.events.properties[site.event_at].range)
    {
        return take(doc, &groups, site.group_at, was.map(String::as_str));
    }
    let Some(root) = &doc.root else { return Vec::new() };
    let events = Container::object(site.events);
    let was = memo.empty_hooks.as_deref().filter(|_| site.is_live);
    if events.count() > 1 || was.is_some() || !is_alone(root.properties[site.hooks_at].range) {
        return take(doc, &events, site.event_at, was);
    }
    root::take(doc, root, site.hooks_at, memo)
}

fn is_plain_group(site: &Site<'_>) -> bool {
    let keys: Vec<&str> = site.group.properties.iter().map(|prop| prop.name.as_str()).collect();
    keys.iter().all(|key| matches!(*key, "matcher" | "hooks"))
        && keys.iter().filter(|key| **key == "hooks").count() == 1
}
