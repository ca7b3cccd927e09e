//! Sessions → what tmux should show of them: the vocabulary of seeds 000, 001 and 002 as a view.

use std::collections::{BTreeMap, BTreeSet};

use super::look::{Look, Part};
use super::options::{self, Options};
use crate::event::Pane;
use crate::ids::{ConversationId, PaneId, WindowId};
use crate::session::spoken::{self, Spoken};
use crate::session::status::Class;
use crate::session::{Found, Place, Session};
use crate::stamp::Stamp;
use crate::summary::{Click, Summary};
use crate::text::printable;
use crate::tmux::Listing;
use crate::words::mark::Mark;

const MAX_ID: usize = 200;
const MAX_PATH: usize = 4096;

/// Everything that one server should show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paint {
    pub server: i32,
    /// All panes there are: what is not among them cannot be written to.
    pub panes: Vec<Pane>,
    pub shown: BTreeMap<PaneId, PaneValues>,
    pub windows: BTreeMap<WindowId, Window>,
    pub last_focused: LastFocused,
    /// All sessions in a line, wherever they are.
    pub summary: Option<String>,
}

impl Paint {
    /// Nothing of ours is left in the server.
    pub fn nothing(listing: &Listing) -> Paint {
        Paint {
            server: listing.server,
            panes: listing.panes.clone(),
            last_focused: LastFocused::Unwanted,
            ..Paint::default()
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaneValues {
    pub firm: Options,
    /// Not worth a write of their own.
    pub riding: Options,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    pub state: State,
    pub tab: Option<Tab>,
    pub values: Options,
}

/// The tab's foreground.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tab {
    Live(String),
    /// No session lives here any more: coloured only if the user has no style of his own.
    Ended(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LastFocused {
    /// Not visited since we listen: what is there stays.
    #[default]
    Unknown,
    Index(String),
    Unwanted,
}

/// The three states of seed 002, in the order in which they win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Idle,
    Running,
    Waiting,
}

impl State {
    /// A question that was seen is no news: the tab turns white although the label still says `⏸`.
    pub fn of(session: &Session) -> State {
        match (session.is_live(), session.class(), session.unseen) {
            (true, Class::Working, _) => State::Running,
            (true, Class::Attention | Class::Idle, Some(_)) => State::Waiting,
            (true, Class::Attention | Class::Idle, None) | (false, _, _) => State::Idle,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            State::Idle => "idle",
            State::Running => "running",
            State::Waiting => "waiting",
        }
    }
}

/// All that bears on what is shown of a session: as long as it is the same, nothing is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Face {
    pub place: Option<Place>,
    pub state: State,
    conversation: ConversationId,
    status: Option<&'static str>,
    set_on: Option<String>,
    dir: Option<String>,
    rank: (bool, bool, Stamp),
    /// For the summary.
    pub mark: Mark,
    pub since: Stamp,
    spoken: Option<Spoken>,
}

impl Face {
    pub fn of(session: &Session, look: &Look) -> Face {
        Face {
            place: session.place.clone(),
            state: State::of(session),
            conversation: session.conversation.clone(),
            status: status(session),
            set_on: session.spoken.set_on.clone(),
            dir: session.about.session_dir.clone(),
            rank: rank(session),
            mark: Mark::of_session(session),
            since: session.since,
            spoken: look.has(Part::DebugOptions).then(|| session.spoken.clone()),
        }
    }
}

/// What the server at `socket` should show of `sessions`. Where nothing of atm was set up, neither
/// in tmux nor in the client, nothing is shown: somebody may only want the list.
pub fn wanted<'a>(
    sessions: impl Iterator<Item = &'a Session>,
    (socket, listing): (&str, &Listing),
    summary: &Summary,
    look: &Look,
) -> Paint {
    if look.shows.is_empty() {
        return Paint::nothing(listing);
    }
    let Listing { server, panes, .. } = listing;
    let mut paint = Paint { server: *server, panes: panes.clone(), ..Paint::default() };
    let mut windows: BTreeMap<&WindowId, Vec<&Session>> = BTreeMap::new();
    let sessions = sessions.filter(|session| listing.is_set_up || session.has_hooks());
    for (pane, (window, session)) in shown(sessions, socket, *server) {
        paint.shown.insert(pane.clone(), pane_values(session, look));
        windows.entry(window).or_default().push(session);
    }
    let lists = pane_lists(panes);
    for (id, sessions) in windows {
        let list = lists.get(id).map(String::as_str).unwrap_or_default();
        paint.windows.insert(id.clone(), window(&sessions, list, look));
    }
    let is_ours = listing.is_set_up || !paint.windows.is_empty();
    if look.has(Part::StatusSummary) && is_ours {
        let click = Click::of_version(&listing.version);
        let line = summary.tmux(&look.colours, look.charset, click);
        paint.summary = Some(line).filter(|line| !line.is_empty());
    }
    if !look.has(Part::LastFocusedWindow) {
        paint.last_focused = LastFocused::Unwanted;
    }
    paint
}

/// One session for each pane: of several the living, the attended, the newest.
fn shown<'a>(
    sessions: impl Iterator<Item = &'a Session>,
    socket: &str,
    server: i32,
) -> BTreeMap<&'a PaneId, (&'a WindowId, &'a Session)> {
    let mut shown: BTreeMap<&PaneId, (&WindowId, &Session)> = BTreeMap::new();
    for session in sessions {
        let Some(place) = session.place.as_ref().filter(|place| place.socket == socket) else {
            continue;
        };
        let is_same_run = place.server.is_none_or(|pid| pid == server);
        let Found::In { window, .. } = &place.found else { continue };
        let is_first = shown.get(&place.pane).is_none_or(|(_, known)| rank(known) < rank(session));
        if is_same_run && is_first {
            shown.insert(&place.pane, (window, session));
        }
    }
    shown
}

fn rank(session: &Session) -> (bool, bool, Stamp) {
    (session.is_live(), session.is_attended(), session.started)
}

fn status(session: &Session) -> Option<&'static str> {
    session.is_live().then(|| match session.class() {
        Class::Working => "running",
        Class::Attention | Class::Idle => "stopped",
    })
}

fn pane_values(session: &Session, look: &Look) -> PaneValues {
    if !look.has(Part::PaneOptions) {
        return PaneValues::default();
    }
    let spoken = &session.spoken;
    let set_on = spoken.set_on.as_deref().unwrap_or(spoken::BY_FILE);
    let mut firm = Options::new();
    firm.insert(options::SESSION_ID, printable(session.conversation.as_str(), MAX_ID));
    firm.insert(options::SET_ON, printable(set_on, MAX_ID));
    if let Some(dir) = &session.about.session_dir {
        firm.insert(options::SESSION_DIR, printable(dir, MAX_PATH));
    }
    if let Some(status) = status(session) {
        firm.insert(options::STATUS, status.to_owned());
    }
    let mut riding = Options::new();
    if let Some(event) = &spoken.event {
        riding.insert(options::HOOK_EVENT, printable(event, MAX_ID));
        riding.insert(options::HOOK_TIME, spoken.at.0.div_euclid(1000).to_string());
    }
    PaneValues { firm, riding }
}

fn window(sessions: &[&Session], panes: &str, look: &Look) -> Window {
    let state = sessions.iter().map(|session| State::of(session)).max().unwrap_or(State::Idle);
    let colour = match state {
        State::Idle => &look.colours.idle,
        State::Running => &look.colours.running,
        State::Waiting => &look.colours.waiting,
    };
    let tab = look.has(Part::TabColours).then(|| {
        let has_living = sessions.iter().any(|session| session.is_live());
        let colour = colour.as_str().to_owned();
        if has_living { Tab::Live(colour) } else { Tab::Ended(colour) }
    });
    let mut values = Options::new();
    if look.has(Part::WindowState) {
        values.insert(options::STATE, state.word().to_owned());
    }
    values.insert(options::PANES, panes.to_owned());
    Window { state, tab, values }
}

/// The panes of each window, as `#{P:#{pane_id} }` prints them there.
fn pane_lists(panes: &[Pane]) -> BTreeMap<&WindowId, String> {
    let mut lists: BTreeMap<&WindowId, String> = BTreeMap::new();
    let mut listed = BTreeSet::new();
    for pane in panes {
        // A window that is linked into several sessions is listed with each of them.
        if listed.insert(&pane.id) {
            let list = lists.entry(&pane.window).or_default();
            list.push_str(pane.id.as_str());
            list.push(' ');
        }
    }
    lists
}
