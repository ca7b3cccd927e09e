//! Questions of users, answered from the machine as it is now.

use atm_core::effect::Effect;
use atm_core::event::Event;
use atm_core::explain::Explanation;
use atm_core::proto::message::{DaemonStatus, Refusal, RefusalKind, Reply, Request};
use atm_core::select::{self, Choice};
use atm_core::session::Key;
use atm_core::view::SessionView;
use tokio::sync::oneshot;

use super::Dispatcher;
use crate::clock;

/// Ended sessions that `list --all` shows.
const ENDED_SHOWN: u32 = 500;

impl Dispatcher {
    pub(super) fn views(&self) -> Vec<SessionView> {
        let now = clock::now();
        let live = self.machine.sessions().filter(|session| session.is_live());
        let mut views: Vec<SessionView> =
            live.map(|session| SessionView::of(session, &self.world.host, now)).collect();
        views.sort_by_cached_key(|view| (view.urgency(), view.key.clone()));
        views
    }

    /// Ended ones from memory too, where they are before the store has them.
    pub(super) fn list_all(&self, answer: oneshot::Sender<Reply>) {
        let live = self.views();
        let now = clock::now();
        let ended = self.machine.sessions().filter(|session| !session.is_live());
        let mut ended: Vec<SessionView> =
            ended.map(|session| SessionView::of(session, &self.world.host, now)).collect();
        let (archive, host) = (self.archive.clone(), self.world.host.clone());
        tokio::spawn(async move {
            for session in archive.ended(ENDED_SHOWN).await {
                if !ended.iter().any(|known| known.key == session.key.as_str()) {
                    ended.push(SessionView::of(&session, &host, now));
                }
            }
            // A conversation that goes on in another process has not ended.
            ended.retain(|session| !live.iter().any(|other| other.id == session.id));
            let sessions = live.into_iter().chain(ended).collect();
            answer.send(Reply::Sessions { sessions }).ok();
        });
    }

    pub(super) fn answer(&mut self, request: Request) -> Reply {
        match request {
            Request::Status => Reply::Status(self.status()),
            Request::List { .. } => Reply::Sessions { sessions: self.views() },
            Request::Show { who } => match self.find(&who) {
                Ok(session) => Reply::Session { session: Box::new(session) },
                Err(refusal) => Reply::Refused(refusal),
            },
            Request::Explain { who } => self.explain(&who),
            // The rows come from the archive; here it is decided whose.
            Request::Events { who: None, .. } => Reply::Done,
            Request::Events { who: Some(who), .. } => match self.find(&who) {
                Ok(session) => Reply::Session { session: Box::new(session) },
                Err(refusal) => Reply::Refused(refusal),
            },
            Request::Dismiss { who } => self.dismiss(who.as_deref()),
            Request::Jump { to, from } => self.jump(&to, from.as_ref()),
            Request::Arrived { at, key, from } => self.arrived(&at, key, from.as_ref()),
            Request::Watch { config_dir } => {
                self.world.apply(vec![Effect::WatchConfig(config_dir)], &self.machine);
                Reply::Done
            }
            Request::Visit { socket, window, client, event } => {
                self.visited(socket, &window, client.unwrap_or_default(), event);
                Reply::Done
            }
            Request::Mute { who, for_ms } => self.mute(&who, for_ms),
            Request::Unmute { who } => self.change_mute(&who, None),
            Request::LastNotified => self.last_notified(),
            Request::Follow { .. }
            | Request::Subscribe
            | Request::NotifyTest { .. }
            | Request::NotifyLog { .. }
            | Request::Past { .. }
            | Request::Repaint
            | Request::Unpaint
            | Request::Stop => Reply::Refused(Refusal {
                kind: RefusalKind::BadRequest,
                message: "not a question".to_owned(),
                candidates: Vec::new(),
            }),
        }
    }

    pub(super) fn find(&self, who: &str) -> Result<SessionView, Refusal> {
        let now = clock::now();
        let all: Vec<SessionView> = self
            .machine
            .sessions()
            .map(|session| SessionView::of(session, &self.world.host, now))
            .collect();
        match select::select(&all, who) {
            Choice::One(view) => Ok(view.clone()),
            Choice::None => Err(Refusal {
                kind: RefusalKind::NotFound,
                message: format!("no session is known as {who:?}"),
                candidates: Vec::new(),
            }),
            Choice::Several(views) => Err(Refusal {
                kind: RefusalKind::Ambiguous,
                message: format!("{who:?} could be any of {} sessions", views.len()),
                candidates: views.iter().map(|view| candidate(view)).collect(),
            }),
        }
    }

    fn explain(&self, who: &str) -> Reply {
        match self.find(who) {
            Err(refusal) => Reply::Refused(refusal),
            Ok(view) => match self.machine.get(&Key::stored(view.key)) {
                Some(session) => Reply::Explanation(Box::new(Explanation::of(
                    session,
                    &self.world.host,
                    clock::now(),
                ))),
                None => Reply::Done,
            },
        }
    }

    fn dismiss(&mut self, who: Option<&str>) -> Reply {
        let keys: Vec<Key> = match who.map(|who| self.find(who)) {
            Some(Err(refusal)) => return Reply::Refused(refusal),
            Some(Ok(view)) => vec![Key::stored(view.key)],
            None => self.machine.sessions().map(|session| session.key.clone()).collect(),
        };
        for key in keys {
            self.world.projector.because(&key, "dismiss");
            self.handle(Event::Seen { key });
        }
        Reply::Done
    }

    pub(super) fn status(&mut self) -> DaemonStatus {
        let mut troubles = self.troubles.clone();
        troubles.extend(self.keeper.trouble());
        troubles.extend(self.world.config_file.troubles().iter().cloned());
        DaemonStatus {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            socket: self.places.socket().display().to_string(),
            state_dir: self.places.state.display().to_string(),
            uptime_ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            sessions: self.machine.sessions().filter(|session| session.is_live()).count(),
            subscribers: self.world.subscribers.len(),
            events: self.counts.events,
            malformed: self.counts.malformed,
            stored: self.keeper.stored(),
            config: self.places.config_file().display().to_string(),
            configured: self.world.config_file.configured(),
            troubles,
            self_test: self.self_test.clone(),
        }
    }
}

fn candidate(view: &SessionView) -> String {
    let place = view.pane.as_deref().unwrap_or("no pane");
    let cwd = view.cwd.as_deref().unwrap_or("?");
    format!("{} ({place}, {cwd})", view.id)
}
