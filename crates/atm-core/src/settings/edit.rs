//! The smallest edits: put a member at the end of a container, take one out, set a field. Taking
//! out what was put in gives the old bytes back, unless the container was empty before: then the
//! caller must remember what stood between its brackets.

use jsonc_parser::ast::{Array, Object};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::tokens::Token;

use super::document::{Document, breaks, is_comment, is_space, live};
use super::node::{Layout, Member, Node};
use super::style::{Shape, Style};

pub(super) struct Splice {
    start: usize,
    end: usize,
    text: String,
}

impl Splice {
    pub(super) fn replace(start: usize, end: usize, text: impl Into<String>) -> Splice {
        Splice { start, end, text: text.into() }
    }

    fn insert(at: usize, text: impl Into<String>) -> Splice {
        Splice::replace(at, at, text)
    }

    fn delete(start: usize, end: usize) -> Splice {
        Splice::replace(start, end, "")
    }
}

/// The pieces must not overlap; those at the same place keep their order.
pub(super) fn apply(body: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| splice.start);
    let mut text = String::with_capacity(body.len());
    let mut end = 0;
    for splice in splices {
        text.push_str(&body[end..splice.start]);
        text.push_str(&splice.text);
        end = splice.end;
    }
    text.push_str(&body[end..]);
    text
}

/// An object or a list, seen as brackets with members between.
pub(super) struct Container {
    start: usize,
    end: usize,
    members: Vec<Range>,
}

impl Container {
    pub(super) fn object(object: &Object<'_>) -> Container {
        let members = object.properties.iter().map(|prop| prop.range).collect();
        Container { start: object.start(), end: object.end(), members }
    }

    pub(super) fn list(list: &Array<'_>) -> Container {
        let members = list.elements.iter().map(Ranged::range).collect();
        Container { start: list.start(), end: list.end(), members }
    }

    pub(super) fn count(&self) -> usize {
        self.members.len()
    }

    /// What stands between the brackets of an empty container.
    pub(super) fn emptiness(&self, doc: &Document<'_>) -> Option<String> {
        let inner = || doc.body[self.start + 1..self.close()].to_owned();
        self.members.is_empty().then(inner)
    }

    fn close(&self) -> usize {
        self.end - 1
    }
}

pub(super) fn append(doc: &Document<'_>, to: &Container, member: &Member) -> Vec<Splice> {
    match to.members.last() {
        Some(last) => follow(doc, to, *last, member),
        None => vec![fill(doc, to, member)],
    }
}

fn follow(doc: &Document<'_>, to: &Container, last: Range, member: &Member) -> Vec<Splice> {
    let style = Style::of(doc);
    let comma = doc.comma_after(last.end);
    let comments = trailing_comments(doc, comma.map_or(last.end, |comma| comma.end));
    let indent = doc.indent_at(last.start);
    let (gap, layout) = if !breaks(&doc.body[to.start..to.end]) {
        (style.gap.to_owned(), Layout::Inline)
    } else if doc.starts_line(last.start) || comments.last == Last::LineComment {
        (format!("{}{indent}", style.line_end), Layout::Lines(indent))
    } else {
        (style.gap.to_owned(), Layout::Lines(indent))
    };
    let piece = format!("{gap}{}", member.render(&style, layout));
    match comma {
        Some(_) => vec![Splice::insert(comments.end, format!("{piece},"))],
        None => vec![Splice::insert(last.end, ","), Splice::insert(comments.end, piece)],
    }
}

fn fill(doc: &Document<'_>, to: &Container, member: &Member) -> Splice {
    let style = Style::of(doc);
    let anchor = end_before(doc, to.close());
    if style.shape == Shape::OneLine {
        return Splice::insert(anchor, member.render(&style, Layout::Inline));
    }
    let outer = doc.indent_at(to.start);
    let indent = format!("{outer}{}", style.unit);
    let piece = member.render(&style, Layout::Lines(&indent));
    let piece = format!("{}{indent}{piece}", style.line_end);
    if breaks(&doc.body[anchor..to.close()]) {
        Splice::insert(anchor, piece)
    } else {
        Splice::replace(anchor, to.close(), format!("{piece}{}{outer}", style.line_end))
    }
}

struct Comments {
    end: usize,
    last: Last,
}

#[derive(PartialEq, Eq)]
enum Last {
    LineComment,
    Other,
}

/// Comments that begin on the line of the member before them belong to it.
fn trailing_comments(doc: &Document<'_>, from: usize) -> Comments {
    let mut comments = Comments { end: from, last: Last::Other };
    for token in doc.tokens_from(from).iter().take_while(|token| is_comment(token)) {
        if breaks(&doc.body[comments.end..token.start()]) {
            break;
        }
        let is_line = matches!(token.token, Token::CommentLine(_));
        let last = if is_line { Last::LineComment } else { Last::Other };
        comments = Comments { end: token.end(), last };
    }
    comments
}

/// Takes the member out, with one comma and the whitespace before it.
pub(super) fn remove(doc: &Document<'_>, from: &Container, index: usize) -> Vec<Splice> {
    let member = from.members[index];
    let after = doc.comma_after(member.end);
    let comma = after.or_else(|| {
        let before = doc.tokens_before(member.start).iter().rev();
        let comma = before.take_while(|_| index > 0).find(|token| !is_comment(token));
        comma.map(|token| token.range)
    });
    let start =
        if keeps_line(doc, member, after) { member.start } else { end_before(doc, member.start) };
    let comma = comma.map(|comma| Splice::delete(comma.start, comma.end));
    comma.into_iter().chain([Splice::delete(start, member.end)]).collect()
}

/// Whether the line break before the member must stay, lest a line comment swallow what follows.
fn keeps_line(doc: &Document<'_>, member: Range, comma: Option<Range>) -> bool {
    let before = doc.tokens_before(member.start).last();
    if !before.is_some_and(|token| matches!(token.token, Token::CommentLine(_))) {
        return false;
    }
    let blank = |text: &str| text.trim_start_matches([' ', '\t']).is_empty();
    let end = comma
        .filter(|comma| blank(&doc.body[member.end..comma.start]))
        .map_or(member.end, |comma| comma.end);
    !doc.body[end..].trim_start_matches([' ', '\t']).starts_with(['\n', '\r'])
}

/// Takes a member out; a container left empty gets `was` back if it was empty like that before.
pub(super) fn take(
    doc: &Document<'_>,
    from: &Container,
    index: usize,
    was: Option<&str>,
) -> Vec<Splice> {
    let splices = remove(doc, from, index);
    if from.count() > 1 {
        return splices;
    }
    let left = apply(doc.body, remove(doc, from, index));
    let left = &left[from.start + 1..left.len() - (doc.body.len() - from.close())];
    let refill = |inner: &str| vec![Splice::replace(from.start + 1, from.close(), inner)];
    match was {
        Some(was) if was.trim_end_matches(is_space) == left.trim_end_matches(is_space) => {
            refill(was)
        }
        _ if left.trim_matches(is_space).is_empty() => refill(""),
        _ => splices,
    }
}

/// `None` if the object says so already. Not wanting a field is the same as wanting it false.
pub(super) fn set(
    doc: &Document<'_>,
    object: &Object<'_>,
    key: &str,
    want: Option<&Node>,
) -> Option<Vec<Splice>> {
    match (live(object, key), want) {
        (None, None) => None,
        (None, Some(want)) => {
            let member = Member::keyed(key, want.clone());
            Some(append(doc, &Container::object(object), &member))
        }
        (Some(have), Some(want)) => (!want.is_same(&have.value)).then(|| {
            let text = want.render(&Style::of(doc), Layout::Inline);
            vec![Splice::replace(have.value.start(), have.value.end(), text)]
        }),
        (Some(have), None) if Node::Flag(false).is_same(&have.value) => None,
        (Some(have), None) => {
            let index = object.properties.iter().position(|prop| prop.range == have.range)?;
            Some(take(doc, &Container::object(object), index, None))
        }
    }
}

fn end_before(doc: &Document<'_>, offset: usize) -> usize {
    doc.tokens_before(offset).last().map_or(0, Ranged::end)
}
