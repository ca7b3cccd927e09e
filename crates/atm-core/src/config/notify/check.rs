//! What the kinds let through and yet makes no sense: quiet hours, addresses, channels without
//! what they need.

use serde_json::Value;

use super::super::kind::quoted;
use super::super::node::{Node, Origin};
use super::super::problem::Problem;
use crate::notify::quiet::Range;
use crate::notify::webhook;

const LISTS: [&str; 5] = ["attention", "finish", "error", "lost", "escalate"];

pub(in super::super) fn check(root: &mut Node) -> Vec<Problem> {
    let Some(notify) = root.get_mut("notify") else { return Vec::new() };
    let mut problems = check_quiet(notify);
    problems.extend(check_url(notify));
    problems.extend(check_needs(notify));
    problems
}

/// What is no range is left out; the others stay.
fn check_quiet(notify: &mut Node) -> Vec<Problem> {
    let Some(Node::Value(Value::Array(items), Origin::File(at))) = notify.get_mut("quiet") else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    items.retain(|item| {
        let text = item.as_str().unwrap_or_default();
        let is_range = Range::parse(text).is_some();
        if !is_range {
            let message = format!(
                "expected hours such as \"22:00-07:00\", found {}; it is left out",
                quoted(text)
            );
            problems.push(Problem { at: *at, key: "notify.quiet".to_owned(), message });
        }
        is_range
    });
    problems
}

fn check_url(notify: &mut Node) -> Option<Problem> {
    let Node::Value(value, origin) = notify.get_mut("webhook")?.get_mut("url")? else {
        return None;
    };
    let Origin::File(at) = *origin else { return None };
    let url = value.as_str().unwrap_or_default();
    if url.is_empty() || webhook::is_allowed(url) {
        return None;
    }
    *value = Value::from("");
    *origin = Origin::Default;
    let message = "expected an https address, or http to this machine (127.0.0.1, [::1], localhost); \
                   nothing is sent";
    Some(Problem { at, key: "notify.webhook.url".to_owned(), message: message.to_owned() })
}

fn check_needs(notify: &Node) -> Vec<Problem> {
    let is_empty = |table: &str, key: &str| match notify.get(table).and_then(|t| t.get(key)) {
        Some(Node::Value(Value::String(text), _)) => text.is_empty(),
        Some(Node::Value(Value::Array(items), _)) => items.is_empty(),
        _ => true,
    };
    let needs = [
        ("sound", "notify.sound.file", is_empty("sound", "file")),
        ("command", "notify.command.argv", is_empty("command", "argv")),
        ("webhook", "notify.webhook.url", is_empty("webhook", "url")),
    ];
    let mut problems = Vec::new();
    for (path, node) in lists(notify) {
        let Node::Value(Value::Array(items), Origin::File(at)) = node else { continue };
        for (channel, option, is_missing) in needs {
            if is_missing && items.iter().any(|item| item == channel) {
                let message = format!("the channel {channel} does nothing without {option}");
                problems.push(Problem { at: *at, key: path.clone(), message });
            }
        }
    }
    problems
}

fn lists(notify: &Node) -> Vec<(String, &Node)> {
    let mut found: Vec<(String, &Node)> = LISTS
        .iter()
        .filter_map(|key| notify.get(key).map(|node| (format!("notify.{key}"), node)))
        .collect();
    if let Some(Node::Array(rules)) = notify.get("rule") {
        for (at, rule) in rules.iter().enumerate() {
            for key in ["channels", "escalate"] {
                let node = rule.get(key).map(|node| (format!("notify.rule[{at}].{key}"), node));
                found.extend(node);
            }
        }
    }
    found
}
