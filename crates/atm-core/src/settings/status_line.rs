//! Puts our command around the user's `statusLine` command, and takes it off again. Other fields
//! of it stay.

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged;

use super::document::{Document, live, live_text};
use super::draft::{Draft, Step, body_of};
use super::edit::{Splice, set};
use super::memo::{Memo, OldStatusLine};
use super::node::{Layout, Member, Node};
use super::ours::{is_our_status_line, our_status_line, within_status_line};
use super::style::{Shape, Style};
use super::{Edited, SettingsError, root};

const KEY: &str = "statusLine";
const OUR_FIELDS: [&str; 2] = ["type", "command"];

/// Ours around the user's, or alone if there is none that the client would run. One of an older or
/// moved atm is amended in place, never wrapped again.
pub fn put_status_line(text: &str, program: &str, memo: &Memo) -> Result<Edited, SettingsError> {
    let users = users_status_line(&Document::parse(body_of(text))?);
    wrap_status_line(text, &our_status_line(program, users.as_deref()), memo)
}

fn users_status_line(doc: &Document<'_>) -> Option<String> {
    let object = live(doc.root.as_ref()?, KEY)?.value.as_object()?;
    let command = live_text(object, "command")?;
    let users = if is_our_status_line(command) {
        within_status_line(command)?
    } else {
        live_text(object, "type").filter(|kind| *kind == "command")?;
        command.to_owned()
    };
    (!users.trim().is_empty()).then_some(users)
}

/// `command` is a whole shell command line that runs `atm statusline`.
pub fn wrap_status_line(text: &str, command: &str, memo: &Memo) -> Result<Edited, SettingsError> {
    if !is_our_status_line(command) {
        return Err(SettingsError::Unrecognisable { command: command.to_owned() });
    }
    let mut draft = Draft::open(text, memo)?;
    let doc = draft.document()?;
    let (before, was_wrapped) = (raw(&doc), is_wrapped(&doc));
    draft.run(|doc, memo| Ok(wrap_step(doc, command, memo)))?;
    let ours = raw(&draft.document()?).unwrap_or_default();
    match &mut draft.memo.status_line {
        // Changed by somebody else since: only the command may be put back later.
        Some(old) if was_wrapped && before.as_ref() == Some(&old.ours) => old.ours = ours,
        _ if was_wrapped => {}
        status_line => *status_line = Some(OldStatusLine { before, ours }),
    }
    draft.finish()
}

/// Without the memo the user's command is taken from within ours; one that is not ours stays.
pub fn unwrap_status_line(text: &str, memo: &Memo) -> Result<Edited, SettingsError> {
    let mut draft = Draft::open(text, memo)?;
    draft.run(unwrap_step)?;
    draft.finish()
}

pub(super) fn is_wrapped(doc: &Document<'_>) -> bool {
    command(doc).is_some_and(is_our_status_line)
}

/// The command of the status line that the client sees.
pub(super) fn command<'d>(doc: &'d Document<'_>) -> Option<&'d str> {
    live_text(live(doc.root.as_ref()?, KEY)?.value.as_object()?, "command")
}

fn raw(doc: &Document<'_>) -> Option<String> {
    let status_line = live(doc.root.as_ref()?, KEY)?;
    Some(doc.text(status_line.value.range()).to_owned())
}

fn wrap_step(doc: &Document<'_>, command: &str, memo: &mut Memo) -> Option<Vec<Splice>> {
    let fields = [Node::text("command"), Node::text(command)];
    let Some(have) = doc.root.as_ref().and_then(|root| live(root, KEY)) else {
        return Some(root::put(doc, &Member::keyed(KEY, value(fields)), memo));
    };
    match have.value.as_object() {
        Some(have) => {
            OUR_FIELDS.iter().zip(&fields).find_map(|(key, field)| set(doc, have, key, Some(field)))
        }
        None => {
            let style = Style::of(doc);
            let layout = match style.shape {
                Shape::OneLine => Layout::Inline,
                Shape::Lines => Layout::Lines(doc.indent_at(have.start())),
            };
            let text = value(fields).render(&style, layout);
            Some(vec![Splice::replace(have.value.start(), have.value.end(), text)])
        }
    }
}

fn value(fields: [Node; 2]) -> Node {
    let members = OUR_FIELDS.iter().zip(fields).map(|(key, field)| Member::keyed(key, field));
    Node::Map(members.collect())
}

fn unwrap_step(doc: &Document<'_>, memo: &mut Memo) -> Step {
    if !is_wrapped(doc) {
        return Ok(None);
    }
    let Some(root) = &doc.root else { return Ok(None) };
    let Some(have) = live(root, KEY) else { return Ok(None) };
    let Some(OldStatusLine { before: Some(before), ours }) = &memo.status_line else {
        let users = command(doc).and_then(within_status_line).map(|users| Node::text(&users));
        if let (Some(users), Some(object)) = (users, have.value.as_object()) {
            return Ok(set(doc, object, "command", Some(&users)));
        }
        let index = root.properties.iter().position(|prop| prop.range == have.range);
        return Ok(index.map(|index| root::take(doc, root, index, memo)));
    };
    let is_untouched = doc.text(have.value.range()) == ours;
    Ok(match (have.value.as_object(), Document::parse(before)) {
        (Some(object), Ok(old)) if !is_untouched => put_back(doc, object, &old),
        _ => Some(vec![Splice::replace(have.value.start(), have.value.end(), before.as_str())]),
    })
}

/// The command comes last: with it the status line is ours no longer.
fn put_back(doc: &Document<'_>, object: &Object<'_>, old: &Document<'_>) -> Option<Vec<Splice>> {
    let old_object = old.root.as_ref()?;
    OUR_FIELDS.iter().find_map(|key| {
        let have = live(object, key)?;
        let Some(was) = live(old_object, key) else { return set(doc, object, key, None) };
        let was = old.text(was.value.range());
        let is_back = doc.text(have.value.range()) == was;
        (!is_back).then(|| vec![Splice::replace(have.value.start(), have.value.end(), was)])
    })
}
