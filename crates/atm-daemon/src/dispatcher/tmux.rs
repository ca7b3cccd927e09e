//! What tmux tells, and what it should show: looks at panes, visits, orders to paint.

use std::collections::BTreeSet;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::{fs, io};

use atm_core::event::Event;
use atm_core::project::{Told, window_id};
use atm_core::proto::message::{Refusal, RefusalKind, Reply};
use atm_core::session::{Found, Key, Session};
use tokio::sync::oneshot;

use super::Dispatcher;
use crate::clock;
use crate::sensors::visits::{Dwelt, Visit};
use crate::tmux::Answer;

impl Dispatcher {
    /// Servers where a session is, or was when they were last asked.
    pub(super) fn sockets(&self) -> BTreeSet<String> {
        let places = self.machine.sessions().filter_map(|session| session.place.as_ref());
        places.filter(|place| place.found != Found::Gone).map(|p| p.socket.clone()).collect()
    }

    pub(super) fn take_answer(&mut self, socket: String, answer: Answer) {
        let listing = match answer {
            Answer::Panes(listing) => Some(listing),
            Answer::NoServer => None,
            Answer::Unknown(why) => {
                self.world.panes.answered(&socket, None);
                self.log.debug(|| why);
                return self.release_fresh();
            }
        };
        self.world.projector.looked(&socket, listing.as_ref());
        let (server, panes) = listing.map(|listing| (listing.server, listing.panes)).unzip();
        self.world.panes.answered(&socket, server);
        let panes = panes.unwrap_or_default();
        self.handle(Event::Panes { socket, server, panes });
        self.release_fresh();
    }

    /// A hook of tmux speaks. What it says is checked: anybody of our user can run it.
    pub(super) fn visited(&mut self, socket: String, window: &str, viewer: String, event: String) {
        let Some(window) = window_id(window) else { return };
        let is_known = self.world.projector.sockets().any(|known| *known == socket);
        if !is_known && !self.sockets().contains(&socket) {
            // No agent is in it, but it may show what those elsewhere do.
            if Path::new(&socket).is_absolute() {
                self.world.panes.look(&socket);
            }
            return;
        }
        let visit = Visit { socket, window, viewer, event, at: clock::now() };
        let told = self.world.visits.hear(&visit);
        if told == Told::Moved || !self.world.projector.knows(&visit.socket, &visit.window) {
            self.world.panes.look_again(&visit.socket);
        }
        if told == Told::Visit {
            let dwell = self.world.projector.look().dwell;
            self.world.visits.await_dwell(visit, dwell);
        }
    }

    /// What had happened in the window before the visitor came is seen now. What happened while he
    /// was there is not: he gets it when he comes back.
    pub(super) fn dwelt(&mut self, dwelt: &Dwelt) {
        let Some(view) = self.world.visits.outcome(dwelt) else { return };
        let visit = &dwelt.visit;
        self.world.projector.focused(&visit.socket, &view.index);
        let is_seen = |session: &&Session| {
            let place = session.place.as_ref().filter(|place| place.socket == visit.socket);
            let is_here = place.is_some_and(
                |place| matches!(&place.found, Found::In { window, .. } if *window == visit.window),
            );
            is_here && session.unseen.is_some_and(|news| news <= visit.at)
        };
        let keys: Vec<Key> =
            self.machine.sessions().filter(is_seen).map(|session| session.key.clone()).collect();
        for key in keys {
            self.world.projector.because(&key, &format!("visit ({})", visit.event));
            self.handle(Event::Seen { key });
        }
    }

    /// Perhaps a pane has gone: once more, with what is there now.
    pub(super) fn not_painted(&mut self, socket: &str, why: &str) {
        self.log.debug(|| format!("cannot write to tmux at {socket}: {why}"));
        self.world.projector.doubt(socket);
        self.world.panes.look(socket);
    }

    pub(super) fn repaint(&mut self, answer: oneshot::Sender<Reply>) {
        let removed = match fs::remove_file(self.places.tmux_off()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        };
        self.paint_anew(removed, answer);
    }

    /// The note outlives this daemon.
    pub(super) fn unpaint(&mut self, answer: oneshot::Sender<Reply>) {
        let options = fs::OpenOptions::new().write(true).create(true).mode(0o600).clone();
        let written = options.open(self.places.tmux_off()).map(drop);
        self.paint_anew(written, answer);
    }

    /// First servers are asked: one may have just loaded what setup made, or we have just started.
    fn paint_anew(&mut self, noted: io::Result<()>, answer: oneshot::Sender<Reply>) {
        if let Err(error) = noted {
            let message = format!("cannot change {}: {error}", self.places.tmux_off().display());
            let (kind, candidates) = (RefusalKind::Failed, Vec::new());
            answer.send(Reply::Refused(Refusal { kind, message, candidates })).ok();
            return;
        }
        let mut sockets = self.sockets();
        sockets.extend(self.world.projector.sockets().cloned());
        sockets.iter().for_each(|socket| self.world.panes.look_again(socket));
        self.repaints.push(answer);
        self.release_fresh();
    }

    /// Whoever waits for tmux to be asked goes on when it has answered.
    pub(super) fn release_fresh(&mut self) {
        if self.world.panes.is_waiting() {
            return;
        }
        for waiting in self.fresh.drain(..) {
            // A connection that gave up waiting is fine.
            waiting.send(()).ok();
        }
        let answers = std::mem::take(&mut self.repaints);
        if answers.is_empty() {
            return;
        }
        let all = self.world.projector.repaint(self.look(), &self.machine, clock::now());
        tokio::spawn(async move {
            for one in all {
                // One whose server went away has nothing left to write.
                one.await.ok();
            }
            for answer in answers {
                answer.send(Reply::Done).ok();
            }
        });
    }
}
