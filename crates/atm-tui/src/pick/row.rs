//! One session as the picker shows it: clean texts, ready to be cut.

use atm_core::jump::Spot;
use atm_core::stamp::Stamp;
use atm_core::view::SessionView;
use atm_core::words::mark::Mark;
use atm_core::words::place::{directory, pane, short};
use atm_core::words::what::what;

use crate::cell::clean;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) key: String,
    pub(super) mark: Mark,
    pub(super) name: String,
    pub(super) what: String,
    pub(super) directory: String,
    /// `main:@1.%3`; empty without a pane.
    pub(super) place: String,
    pub(super) id: String,
    title: String,
    pub(super) since: Stamp,
    pub(super) spot: Option<Spot>,
}

impl Row {
    pub(super) fn of(view: &SessionView, home: Option<&str>) -> Row {
        let directory = clean(&directory(view, home));
        let title = clean(view.title.as_deref().unwrap_or_default());
        let name = clean(view.name.as_deref().unwrap_or_default());
        let folder = directory.rsplit('/').next().unwrap_or_default();
        let named = [name.as_str(), &title, folder].into_iter().find(|text| !text.is_empty());
        Row {
            key: view.key.clone(),
            mark: Mark::of(view),
            name: named.unwrap_or("?").to_owned(),
            what: clean(&what(view)),
            place: clean(&pane(view)),
            id: clean(short(&view.id)),
            since: view.since,
            spot: Spot::of(view),
            directory,
            title,
        }
    }

    /// What a filter is matched against.
    pub(super) fn texts(&self) -> [&str; 7] {
        [
            &self.name,
            &self.directory,
            &self.title,
            self.mark.word(),
            &self.what,
            &self.id,
            &self.place,
        ]
    }
}
