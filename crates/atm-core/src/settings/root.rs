//! Puts members into the file's outermost object and takes them out, back to a file that had none.

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged;

use super::document::{Document, breaks, is_space};
use super::edit::{self, Container, Splice, append};
use super::memo::Memo;
use super::node::Member;
use super::style::Style;

/// A text without any value first gets an empty object; the member follows in the next step.
pub(super) fn put(doc: &Document<'_>, member: &Member, memo: &mut Memo) -> Vec<Splice> {
    let Some(root) = &doc.root else {
        memo.blank = Some(doc.body.to_owned());
        return vec![create(doc)];
    };
    let root = Container::object(root);
    if let Some(inner) = root.emptiness(doc) {
        memo.empty_root = Some(inner);
    }
    append(doc, &root, member)
}

fn create(doc: &Document<'_>) -> Splice {
    let line_end = Style::of(doc).line_end;
    let comments = doc.body.trim_end_matches(is_space).len();
    let (start, before) = match comments {
        0 => (0, ""),
        _ if breaks(&doc.body[comments..]) => (doc.body.len(), ""),
        _ => (doc.body.len(), line_end),
    };
    Splice::replace(start, doc.body.len(), format!("{before}{{}}{line_end}"))
}

pub(super) fn take(
    doc: &Document<'_>,
    root: &Object<'_>,
    index: usize,
    memo: &Memo,
) -> Vec<Splice> {
    let container = Container::object(root);
    match &memo.blank {
        Some(blank) if container.count() == 1 && is_as_created(doc, root, index, blank) => {
            vec![Splice::replace(0, doc.body.len(), blank.as_str())]
        }
        _ => edit::take(doc, &container, index, memo.empty_root.as_deref()),
    }
}

/// Whether nobody put a comment beside the object we made.
fn is_as_created(doc: &Document<'_>, root: &Object<'_>, index: usize, blank: &str) -> bool {
    let member = root.properties[index].range;
    let before = doc.body[..root.start()].trim_end_matches(is_space);
    before == blank.trim_end_matches(is_space)
        && doc.body[root.end()..].trim_matches(is_space).is_empty()
        && !doc.has_comment(root.start(), member.start)
        && !doc.has_comment(member.end, root.end())
}
