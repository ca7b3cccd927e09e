//! New pieces of JSON, written in the file's style.

use jsonc_parser::ast::Value;

use super::style::Style;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Text(String),
    Number(u32),
    Flag(bool),
    List(Vec<Node>),
    Map(Vec<Member>),
}

/// What stands in an object (with a key) or in a list (without).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: Option<String>,
    pub(super) value: Node,
}

#[derive(Clone, Copy)]
pub(super) enum Layout<'s> {
    Inline,
    /// A line for each member; holds the indentation of the line where the piece begins.
    Lines(&'s str),
}

impl Member {
    pub(super) fn keyed(key: &str, value: Node) -> Member {
        Member { key: Some(key.to_owned()), value }
    }

    pub(super) fn item(value: Node) -> Member {
        Member { key: None, value }
    }

    pub(super) fn render(&self, style: &Style<'_>, layout: Layout<'_>) -> String {
        let value = self.value.render(style, layout);
        match &self.key {
            Some(key) => format!("{}:{}{value}", quoted(key), style.gap),
            None => value,
        }
    }
}

impl Node {
    pub(super) fn text(text: &str) -> Node {
        Node::Text(text.to_owned())
    }

    pub(super) fn render(&self, style: &Style<'_>, layout: Layout<'_>) -> String {
        match self {
            Node::Text(text) => quoted(text),
            Node::Number(number) => number.to_string(),
            Node::Flag(flag) => flag.to_string(),
            Node::List(items) => {
                let layout = if items.iter().all(Node::is_plain) { Layout::Inline } else { layout };
                let items = items.iter().cloned().map(Member::item).collect::<Vec<_>>();
                block(["[", "]"], &items, style, layout)
            }
            Node::Map(members) => block(["{", "}"], members, style, layout),
        }
    }

    /// Whether the file says the same already.
    pub(super) fn is_same(&self, value: &Value<'_>) -> bool {
        match self {
            Node::Text(text) => value.as_string_lit().is_some_and(|have| have.value == *text),
            Node::Number(number) => {
                value.as_number_lit().is_some_and(|have| have.value.parse() == Ok(*number))
            }
            Node::Flag(flag) => value.as_boolean_lit().is_some_and(|have| have.value == *flag),
            Node::List(items) => value.as_array().is_some_and(|have| {
                have.elements.len() == items.len()
                    && items.iter().zip(&have.elements).all(|(item, have)| item.is_same(have))
            }),
            Node::Map(members) => value.as_object().is_some_and(|have| {
                have.properties.len() == members.len()
                    && members.iter().zip(&have.properties).all(|(member, have)| {
                        member.key.as_deref() == Some(have.name.as_str())
                            && member.value.is_same(&have.value)
                    })
            }),
        }
    }

    fn is_plain(&self) -> bool {
        matches!(self, Node::Text(_) | Node::Number(_) | Node::Flag(_))
    }
}

fn block(
    [open, close]: [&str; 2],
    members: &[Member],
    style: &Style<'_>,
    layout: Layout<'_>,
) -> String {
    match layout {
        Layout::Inline => {
            let members: Vec<String> = members.iter().map(|m| m.render(style, layout)).collect();
            format!("{open}{}{close}", members.join(&format!(",{}", style.gap)))
        }
        Layout::Lines(indent) => {
            let inner = format!("{indent}{}", style.unit);
            let start = format!("{}{inner}", style.line_end);
            let members: Vec<String> = members
                .iter()
                .map(|m| format!("{start}{}", m.render(style, Layout::Lines(&inner))))
                .collect();
            format!("{open}{}{}{indent}{close}", members.join(","), style.line_end)
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
