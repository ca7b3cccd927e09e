//! The values in effect as a tree, each with its origin. The typed configuration, TOML, JSON and
//! the list for people are made of it.

use serde_json::{Map, Value};

use super::problem::At;
use crate::text::is_invisible;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    /// Where the value stands in the file.
    File(At),
    /// The variable of the environment.
    Env(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Value(Value, Origin),
    /// In the order of the table of options.
    Table(Vec<(String, Node)>),
    Array(Vec<Node>),
}

/// One value with its whole key.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting<'a> {
    pub key: String,
    pub value: &'a Value,
    pub origin: Origin,
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Node::Table(rows) = self else { return None };
        rows.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let Node::Table(rows) = self else { return None };
        rows.iter_mut().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    pub fn to_json(&self) -> Value {
        match self {
            Node::Value(value, _) => value.clone(),
            Node::Table(rows) => {
                let rows = rows.iter().map(|(key, node)| (key.clone(), node.to_json()));
                Value::Object(rows.collect::<Map<_, _>>())
            }
            Node::Array(items) => Value::Array(items.iter().map(Node::to_json).collect()),
        }
    }

    pub fn settings(&self) -> Vec<Setting<'_>> {
        let mut all = Vec::new();
        self.collect("", &mut all);
        all
    }

    fn collect<'a>(&'a self, path: &str, all: &mut Vec<Setting<'a>>) {
        match self {
            Node::Value(value, origin) => {
                all.push(Setting { key: path.to_owned(), value, origin: *origin });
            }
            Node::Table(rows) => {
                for (key, node) in rows {
                    node.collect(&join(path, key), all);
                }
            }
            Node::Array(items) => {
                for (at, node) in items.iter().enumerate() {
                    node.collect(&format!("{path}[{at}]"), all);
                }
            }
        }
    }
}

/// `path.key`, the key in quotes if TOML wants them.
pub(super) fn join(path: &str, key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let key = match !key.is_empty() && key.chars().all(is_bare) {
        true => key.to_owned(),
        false => quote(key),
    };
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

/// A value as TOML writes it.
pub fn to_toml(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(to_toml).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// A basic string of TOML; what a terminal would act on only as escapes.
fn quote(text: &str) -> String {
    let escaped: String = text.chars().map(escape).collect();
    format!("\"{escaped}\"")
}

fn escape(c: char) -> String {
    match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() || is_invisible(c) => format!("\\U{:08x}", u32::from(c)),
        c => c.to_string(),
    }
}
