//! Keeps every tmux server showing what the machine knows: notices what changed, asks the core what
//! should be shown, and hands it to the painter of the server. Writes the cause of each change of
//! colour into the log.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use atm_core::ids::WindowId;
use atm_core::machine::Machine;
use atm_core::project::{Face, LastFocused, Look, Paint, Part, wanted};
use atm_core::session::{Key, Session};
use atm_core::stamp::Stamp;
use atm_core::summary::Summary;
use atm_core::tmux::Listing;
use tokio::sync::{mpsc, oneshot};

use crate::log::Log;
use crate::painter::{self, Order, Pace, Trust};
use crate::sensors::Reports;

pub(crate) struct Projector {
    look: Look,
    log: Log,
    reports: Reports,
    servers: BTreeMap<String, Server>,
    faces: HashMap<Key, Face>,
    /// Servers that may have to show something else.
    dirty: BTreeSet<String>,
    /// Sessions that look different since the last time, with what made them so.
    causes: BTreeMap<Key, String>,
    summary: Summary,
    /// When the summary says something else although nothing happened.
    due: Option<Stamp>,
    /// Whether a session looks different from what was summed up.
    is_summed_up: bool,
}

/// A server that answers, in this run of it.
struct Server {
    listing: Listing,
    focused: LastFocused,
    shown: Option<Paint>,
    trust: Trust,
    orders: mpsc::UnboundedSender<Order>,
}

impl Projector {
    pub(crate) fn new(look: Look, log: Log, reports: Reports) -> Projector {
        Projector {
            look,
            log,
            reports,
            servers: BTreeMap::new(),
            faces: HashMap::new(),
            dirty: BTreeSet::new(),
            causes: BTreeMap::new(),
            summary: Summary::default(),
            due: None,
            is_summed_up: false,
        }
    }

    pub(crate) fn look(&self) -> &Look {
        &self.look
    }

    /// Notes why the session is about to look different.
    pub(crate) fn because(&mut self, key: &Key, cause: &str) {
        self.causes.insert(key.clone(), cause.to_owned());
    }

    /// The session may look different.
    pub(crate) fn touch(&mut self, session: &Session) {
        let face = Face::of(session, &self.look);
        let known = self.faces.get(&session.key);
        if known == Some(&face) {
            return;
        }
        let places = [known.and_then(|known| known.place.as_ref()), face.place.as_ref()];
        let sockets: Vec<String> = places.into_iter().flatten().map(|p| p.socket.clone()).collect();
        self.dirty.extend(sockets);
        self.faces.insert(session.key.clone(), face);
        self.is_summed_up = false;
    }

    pub(crate) fn forget(&mut self, key: &Key) {
        if let Some(place) = self.faces.remove(key).and_then(|face| face.place) {
            self.dirty.insert(place.socket);
        }
        self.is_summed_up = false;
    }

    /// The server was asked for its panes; `None` if there is none any more.
    pub(crate) fn looked(&mut self, socket: &str, found: Option<&Listing>) {
        let Some(listing) = found else {
            self.servers.remove(socket);
            return;
        };
        let is_same =
            self.servers.get(socket).is_some_and(|known| known.listing.server == listing.server);
        if !is_same {
            let orders = painter::start(socket.to_owned(), self.reports.clone());
            let server = Server {
                listing: Listing { panes: Vec::new(), ..listing.clone() },
                focused: LastFocused::default(),
                shown: None,
                trust: Trust::Memory,
                orders,
            };
            self.servers.insert(socket.to_owned(), server);
        }
        if let Some(server) = self.servers.get_mut(socket).filter(|s| s.listing != *listing) {
            listing.clone_into(&mut server.listing);
            self.dirty.insert(socket.to_owned());
        }
    }

    /// Somebody looks at the window of this index.
    pub(crate) fn focused(&mut self, socket: &str, index: &str) {
        if let Some(server) = self.servers.get_mut(socket)
            && self.look.has(Part::LastFocusedWindow)
        {
            server.focused = LastFocused::Index(index.to_owned());
            self.dirty.insert(socket.to_owned());
        }
    }

    /// The servers that answer.
    pub(crate) fn sockets(&self) -> impl Iterator<Item = &String> {
        self.servers.keys()
    }

    pub(crate) fn knows(&self, socket: &str, window: &WindowId) -> bool {
        let server = self.servers.get(socket);
        server.is_some_and(|server| server.listing.panes.iter().any(|pane| pane.window == *window))
    }

    /// What was written is not there, or not for certain: it is written again when the server has
    /// been looked at.
    pub(crate) fn doubt(&mut self, socket: &str) {
        if let Some(server) = self.servers.get_mut(socket) {
            server.shown = None;
            server.trust = Trust::Nothing;
            server.listing.panes.clear();
        }
    }

    /// Gives every server whose picture is another one to its painter.
    pub(crate) fn project(&mut self, machine: &Machine, now: Stamp) {
        self.sum_up(now);
        for socket in std::mem::take(&mut self.dirty) {
            let Some(server) = self.servers.get_mut(&socket) else { continue };
            let paint = server.picture(&socket, machine, &self.summary, &self.look);
            if server.shown.as_ref() == Some(&paint) {
                continue;
            }
            let changes = Story { machine, causes: &self.causes, socket: &socket };
            self.log.debug_all(|| changes.tell(server.shown.as_ref(), &paint));
            server.send(paint, Pace::of(&self.look), None);
        }
        self.causes.clear();
    }

    /// When [`Projector::project`] has something to do although nothing happened.
    pub(crate) fn deadline(&self) -> Option<Stamp> {
        self.due
    }

    fn sum_up(&mut self, now: Stamp) {
        if self.is_summed_up && self.due.is_none_or(|due| due > now) {
            return;
        }
        self.is_summed_up = true;
        let summary = Summary::count(self.faces.values().map(|face| (face.mark, face.since)), now);
        let is_shown = self.look.has(Part::StatusSummary);
        self.due = summary.changes_in().filter(|_| is_shown).map(|span| now.plus(span));
        if self.summary != summary {
            self.summary = summary;
            self.dirty.extend(self.servers.keys().cloned());
        }
    }

    /// Another look, if it is another one: with the next picture.
    pub(crate) fn restyle(&mut self, look: Look, machine: &Machine) {
        if self.look != look {
            self.look = look;
            self.meet(machine);
            self.dirty.extend(self.servers.keys().cloned());
        }
    }

    /// Looks at all sessions.
    pub(crate) fn meet(&mut self, machine: &Machine) {
        self.faces = machine.sessions().map(|s| (s.key.clone(), Face::of(s, &self.look))).collect();
        self.is_summed_up = false;
    }

    /// Writes everything anew to all servers.
    pub(crate) fn repaint(
        &mut self,
        look: Look,
        machine: &Machine,
        now: Stamp,
    ) -> Vec<oneshot::Receiver<()>> {
        self.look = look;
        self.meet(machine);
        self.sum_up(now);
        let mut done = Vec::new();
        for (socket, server) in &mut self.servers {
            let paint = server.picture(socket, machine, &self.summary, &self.look);
            let (answer, answered) = oneshot::channel();
            server.trust = Trust::Nothing;
            server.send(paint, Pace::of(&self.look), Some(answer));
            done.push(answered);
        }
        done
    }
}

impl Server {
    fn picture(&self, socket: &str, machine: &Machine, summary: &Summary, look: &Look) -> Paint {
        let mut paint = wanted(machine.sessions(), (socket, &self.listing), summary, look);
        if paint.last_focused == LastFocused::Unknown {
            paint.last_focused = self.focused.clone();
        }
        paint
    }

    fn send(&mut self, paint: Paint, pace: Pace, done: Option<oneshot::Sender<()>>) {
        self.shown = Some(paint.clone());
        let trust = std::mem::replace(&mut self.trust, Trust::Memory);
        // Fails only if the painter is gone, and with it the daemon.
        drop(self.orders.send(Order { paint: Box::new(paint), trust, pace, done }));
    }
}

/// Why windows change their colours, in words for the log.
struct Story<'a> {
    machine: &'a Machine,
    causes: &'a BTreeMap<Key, String>,
    socket: &'a str,
}

impl Story<'_> {
    fn tell(&self, before: Option<&Paint>, after: &Paint) -> Vec<String> {
        let state = |paint: Option<&Paint>, id: &WindowId| {
            paint.and_then(|paint| paint.windows.get(id)).map_or("none", |w| w.state.word())
        };
        let windows = before.into_iter().flat_map(|paint| paint.windows.keys());
        let windows: BTreeSet<&WindowId> = windows.chain(after.windows.keys()).collect();
        let changed = windows.into_iter().filter_map(|id| {
            let (from, to) = (state(before, id), state(Some(after), id));
            (from != to).then(|| {
                format!("window {id} of {}: {from} -> {to}, {}", self.socket, self.cause(id))
            })
        });
        changed.collect()
    }

    fn cause(&self, window: &WindowId) -> String {
        let is_here = |session: &Session| {
            let place = session.place.as_ref().filter(|place| place.socket == self.socket);
            place.is_some_and(|place| {
                matches!(&place.found, atm_core::session::Found::In { window: w, .. } if w == window)
            })
        };
        let found = self.causes.iter().find_map(|(key, cause)| {
            let session = self.machine.get(key).filter(|session| is_here(session))?;
            Some(format!("session {}, cause {cause}", session.conversation))
        });
        found.unwrap_or_else(|| {
            // Its place was found only now, or its pane was moved.
            let here = self.machine.sessions().filter(|session| is_here(session));
            let last = here.max_by_key(|session| session.since).map(|session| {
                let cause = session.history.last().map_or("its start", |step| &step.cause);
                format!("session {}, found here after {cause}", session.conversation)
            });
            last.unwrap_or_else(|| "its panes went".to_owned())
        })
    }
}
