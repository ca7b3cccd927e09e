//! What each input does to the picker.

use atm_core::stamp::Stamp;
use atm_core::text::harmless;
use atm_core::words::age::age;

use super::keys::{self, Msg};
use super::{Choice, Feed, Outcome, Page, Picker};
use crate::inbox::{Deed, Input, News};
use crate::run::Step;
use crate::sgr;

const LEAP: usize = 10;
const MAX_FILTER: usize = 200;

/// Why a session without a pane cannot be gone to.
pub(super) const NO_PANE: &str = "not in a tmux pane: there is nothing to go to";

pub(super) fn update(picker: &mut Picker, input: Input, now: Stamp) -> Step<Outcome> {
    let before = std::mem::replace(&mut picker.now, now);
    match input {
        Input::Key(key) => {
            picker.note = None;
            match keys::meaning(key) {
                _ if picker.page == Page::Help => close_help(picker, keys::meaning(key)),
                Some(msg) => press(picker, msg),
                None => Step::Same,
            }
        }
        Input::Paste(text) => {
            text.chars().for_each(|c| type_in(picker, c));
            refilter(picker)
        }
        Input::Resized => Step::Redraw,
        Input::News(news) => hear(picker, news),
        Input::Captured { spot, shown } => {
            picker.preview = Some((spot, shown.map(|text| sgr::parse(&text))));
            Step::Redraw
        }
        Input::Failed(why) => {
            picker.note = Some(why);
            Step::Redraw
        }
        Input::Tick if is_same_age(picker, before) => Step::Same,
        Input::Tick => Step::Redraw,
        Input::Closed => Step::Leave(Outcome::Left),
    }
}

fn close_help(picker: &mut Picker, msg: Option<Msg>) -> Step<Outcome> {
    picker.page = Page::List;
    match msg {
        Some(Msg::Leave | Msg::Help) | None => Step::Redraw,
        Some(msg) => press(picker, msg),
    }
}

fn press(picker: &mut Picker, msg: Msg) -> Step<Outcome> {
    let last = picker.rows.len().saturating_sub(1);
    match msg {
        // Round the ends, as one key is enough to walk through all then.
        Msg::Down if picker.at == last => picker.select(0),
        Msg::Down => picker.select(picker.at + 1),
        Msg::Up if picker.at == 0 => picker.select(last),
        Msg::Up => picker.select(picker.at - 1),
        Msg::PageDown => picker.select(picker.at + LEAP),
        Msg::PageUp => picker.select(picker.at.saturating_sub(LEAP)),
        Msg::First => picker.select(0),
        Msg::Last => picker.select(last),
        Msg::Choose => return choose(picker),
        Msg::Leave => return Step::Leave(Outcome::Left),
        Msg::Dismiss => {
            return match &picker.selected {
                Some(key) => Step::Do(Deed::Dismiss(key.clone())),
                None => Step::Same,
            };
        }
        Msg::Help => picker.page = Page::Help,
        Msg::Erase => {
            picker.filter.pop();
            return refilter(picker);
        }
        Msg::EraseWord => {
            let kept = picker.filter.trim_end().rfind(' ').map_or(0, |at| at + 1);
            picker.filter.truncate(kept);
            return refilter(picker);
        }
        Msg::EraseAll => {
            picker.filter.clear();
            return refilter(picker);
        }
        Msg::Type(c) => {
            type_in(picker, c);
            return refilter(picker);
        }
    }
    Step::Redraw
}

fn type_in(picker: &mut Picker, c: char) {
    if picker.filter.len() < MAX_FILTER {
        picker.filter.extend(harmless(c));
    }
}

/// Another filter begins at its best match.
fn refilter(picker: &mut Picker) -> Step<Outcome> {
    picker.selected = None;
    picker.at = 0;
    picker.arrange();
    Step::Redraw
}

fn choose(picker: &mut Picker) -> Step<Outcome> {
    let Some(row) = picker.row() else { return Step::Same };
    let is_open = row.spot.is_some() || picker.choice == Choice::Any;
    match picker.sessions.get(&row.key) {
        Some(view) if is_open => Step::Leave(Outcome::Chosen(Box::new(view.clone()))),
        _ => {
            picker.note = Some(NO_PANE.to_owned());
            Step::Redraw
        }
    }
}

fn hear(picker: &mut Picker, news: News) -> Step<Outcome> {
    match news {
        News::Snapshot(all) => {
            picker.feed = Feed::Live;
            let live = all.into_iter().filter(|view| view.ended.is_none());
            picker.sessions = live.map(|view| (view.key.clone(), view)).collect();
        }
        News::Changed(view) if view.ended.is_some() => drop(picker.sessions.remove(&view.key)),
        News::Changed(view) => drop(picker.sessions.insert(view.key.clone(), *view)),
        News::Removed { id, key } => {
            if picker.sessions.get(&key).is_some_and(|view| view.id == id) {
                picker.sessions.remove(&key);
            }
        }
        News::Trouble(why) => picker.feed = Feed::Broken(why),
    }
    picker.arrange();
    Step::Redraw
}

/// Whether every age reads as it did.
fn is_same_age(picker: &Picker, before: Stamp) -> bool {
    let reads = |now: Stamp, since| age(now.since(since));
    picker.rows.iter().all(|row| reads(before, row.since) == reads(picker.now, row.since))
}
