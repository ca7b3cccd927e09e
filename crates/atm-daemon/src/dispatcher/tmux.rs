//! What tmux tells, and what it should show: looks at panes, visits, orders to paint.

use std::collections::BTreeSet;

use atm_core::event::Event;
use atm_core::project::{Look, Told, window_id};
use atm_core::proto::message::Reply;
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
        let (server, panes) = match answer {
            Answer::Panes { server, panes } => (Some(server), panes),
            Answer::NoServer => (None, Vec::new()),
            Answer::Unknown(why) => {
                self.world.panes.answered(&socket, None);
                self.log.debug(|| why);
                return self.release_fresh();
            }
        };
        self.world.panes.answered(&socket, server);
        self.world.projector.looked(&socket, server.map(|pid| (pid, panes.as_slice())));
        self.handle(Event::Panes { socket, server, panes });
        self.release_fresh();
    }

    /// A hook of tmux speaks. What it says is checked: anybody of our user can run it.
    pub(super) fn visited(&mut self, socket: String, window: &str, viewer: String, event: String) {
        let Some(window) = window_id(window) else { return };
        if !self.sockets().contains(&socket) {
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
        self.paint_anew(self.look(), answer);
    }

    pub(super) fn unpaint(&mut self, answer: oneshot::Sender<Reply>) {
        self.paint_anew(self.look().off(), answer);
    }

    fn paint_anew(&mut self, look: Look, answer: oneshot::Sender<Reply>) {
        let all = self.world.projector.repaint(look, &self.machine);
        tokio::spawn(async move {
            for one in all {
                // One whose server went away has nothing left to write.
                one.await.ok();
            }
            answer.send(Reply::Done).ok();
        });
    }
}
