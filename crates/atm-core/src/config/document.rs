//! Configurations as texts: the commented default one, and the values in effect.

use std::fmt::Write as _;

use super::kind::{Kind, Opt};
use super::node::{Node, join, to_toml};

const HEAD: &str = "\
# The configuration of atm. Every option is here with its default: take away the `#` before it
# to change it. The daemon takes changes in at once; `atm config check` says what is wrong, and
# `atm config show --origin` what is in effect.
";

/// Every option, commented out, under its help.
pub(super) fn default_document(options: &[Opt]) -> String {
    let mut text = HEAD.to_owned();
    write_rows(&mut text, options, "");
    text
}

fn write_rows(text: &mut String, rows: &[Opt], path: &str) {
    for row in rows {
        if let Some(default) = row.kind.default() {
            text.push('\n');
            write_help(text, row.help);
            push(text, format_args!("#{} = {}\n", join("", row.key), to_toml(&default)));
        }
    }
    for row in rows {
        let path = join(path, row.key);
        if let Kind::Table(inner) = row.kind {
            text.push('\n');
            write_help(text, row.help);
            push(text, format_args!("[{path}]\n"));
            write_rows(text, inner, &path);
        } else if let Kind::Named(inner) = row.kind {
            write_sample(text, row, &format!("[{}]", join(&path, "NAME")), inner);
        } else if let Kind::Array(inner) = row.kind {
            write_sample(text, row, &format!("[[{path}]]"), inner);
        }
    }
}

/// A table that is not there by default, so that its lines stay comments.
fn write_sample(text: &mut String, row: &Opt, header: &str, inner: &[Opt]) {
    text.push('\n');
    write_help(text, row.help);
    push(text, format_args!("#   {header}\n"));
    for row in inner {
        let sample = row.kind.default().map_or_else(|| "…".to_owned(), |v| to_toml(&v));
        push(text, format_args!("#   {} = {sample}    # {}\n", row.key, row.help));
    }
}

fn write_help(text: &mut String, help: &str) {
    for line in help.lines() {
        push(text, format_args!("# {line}\n"));
    }
}

/// The values in effect, as a file that would bring them about.
pub(super) fn effective_document(root: &Node) -> String {
    let mut text = String::new();
    if let Node::Table(rows) = root {
        write_table(&mut text, rows, "");
    }
    text.trim_start_matches('\n').to_owned()
}

fn write_table(text: &mut String, rows: &[(String, Node)], path: &str) {
    for (key, node) in rows {
        if let Node::Value(value, _) = node {
            push(text, format_args!("{} = {}\n", join("", key), to_toml(value)));
        }
    }
    for (key, node) in rows {
        let path = join(path, key);
        match node {
            Node::Value(..) => {}
            Node::Table(inner) => {
                if inner.iter().any(|(_, node)| matches!(node, Node::Value(..))) {
                    push(text, format_args!("\n[{path}]\n"));
                }
                write_table(text, inner, &path);
            }
            Node::Array(items) => {
                for item in items {
                    push(text, format_args!("\n[[{path}]]\n"));
                    if let Node::Table(inner) = item {
                        write_table(text, inner, &path);
                    }
                }
            }
        }
    }
}

fn push(text: &mut String, words: std::fmt::Arguments<'_>) {
    text.write_fmt(words).expect("a string takes everything");
}
