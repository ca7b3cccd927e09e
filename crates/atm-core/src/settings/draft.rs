//! A text under edit: one small step at a time, parsed anew after each.

use super::document::Document;
use super::edit::{Splice, apply};
use super::{Edited, Memo, SettingsError};

const BYTE_ORDER_MARK: char = '\u{feff}';

pub(super) struct Draft<'t> {
    text: &'t str,
    mark: &'t str,
    body: String,
    pub(super) memo: Memo,
}

/// `None` when there is nothing left to do.
pub(super) type Step = Result<Option<Vec<Splice>>, SettingsError>;

impl<'t> Draft<'t> {
    pub(super) fn open(text: &'t str, memo: &Memo) -> Result<Draft<'t>, SettingsError> {
        let body = body_of(text);
        let mark = &text[..text.len() - body.len()];
        let mut draft = Draft { text, mark, body: body.to_owned(), memo: memo.clone() };
        draft.forget_stale()?;
        Ok(draft)
    }

    pub(super) fn document(&self) -> Result<Document<'_>, SettingsError> {
        Document::parse(&self.body)
    }

    pub(super) fn run(
        &mut self,
        mut step: impl FnMut(&Document<'_>, &mut Memo) -> Step,
    ) -> Result<(), SettingsError> {
        while let Some(splices) = step(&Document::parse(&self.body)?, &mut self.memo)? {
            let body = apply(&self.body, splices);
            // Every step brings the text nearer to its end; a step in place would never end.
            if body == self.body {
                break;
            }
            self.body = body;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Edited, SettingsError> {
        self.forget_stale()?;
        let text = format!("{}{}", self.mark, self.body);
        Ok(Edited { changed: text != self.text, text, memo: self.memo })
    }

    fn forget_stale(&mut self) -> Result<(), SettingsError> {
        self.memo.forget_stale(&Document::parse(&self.body)?)
    }
}

pub(super) fn body_of(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}
