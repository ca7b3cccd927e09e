//! What the text alone cannot tell an uninstall. The file that keeps it carries the version.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SettingsError;
use super::document::Document;
use super::{site, status_line};

/// Facts about one settings file from before our entries. Without it (`Memo::default()`) our
/// entries still come out, but containers that were empty before go with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memo {
    /// The text, if it held no value at all.
    pub(super) blank: Option<String>,
    /// What stood between the brackets of containers that were empty.
    pub(super) empty_root: Option<String>,
    pub(super) empty_hooks: Option<String>,
    pub(super) empty_events: BTreeMap<String, String>,
    pub(super) status_line: Option<OldStatusLine>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OldStatusLine {
    /// The user's value, byte for byte; `None` if there was none.
    pub(super) before: Option<String>,
    /// The value as we left it.
    pub(super) ours: String,
}

impl Memo {
    /// Facts outlive their use when somebody else takes our entries out.
    pub(super) fn forget_stale(&mut self, doc: &Document<'_>) -> Result<(), SettingsError> {
        let has_hooks = site::handlers(doc)?.iter().any(site::Site::is_ours);
        let has_status_line = status_line::is_wrapped(doc);
        if !has_hooks {
            self.empty_hooks = None;
            self.empty_events.clear();
        }
        if !has_status_line {
            self.status_line = None;
        }
        if !has_hooks && !has_status_line {
            *self = Memo::default();
        }
        Ok(())
    }
}
