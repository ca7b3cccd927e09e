//! Notifications: when they are due, and what users ask about them.

use std::time::Duration;

use atm_core::notify::client::Client;
use atm_core::notify::{Channel, Mute, Outcome, Record};
use atm_core::proto::message::{Refusal, RefusalKind, Reply};
use atm_core::session::Key;
use atm_core::stamp::Stamp;
use atm_core::view::SessionView;
use tokio::sync::oneshot;

use super::Dispatcher;
use crate::store::Notice;
use crate::{clock, notify};

impl Dispatcher {
    /// Somebody's turn has come.
    pub(super) fn notify(&mut self) {
        let world = &mut self.world;
        world.notify.look(&self.machine, &world.config.notify);
    }

    /// tmux has said what the user is looking at.
    pub(super) fn take_clients(&mut self, asked: &[Key], clients: &[Client]) {
        let world = &mut self.world;
        let about = (&world.config.notify, world.host.as_str());
        let records = world.notify.decide(asked, clients, &self.machine, about);
        for record in records {
            self.record(record);
        }
    }

    pub(super) fn take_notified(&mut self, records: Vec<Record>) {
        // Of a message about several, each record tells the same.
        for told in records.iter().take(1).flat_map(|record| &record.channels) {
            if told.outcome == Outcome::Failed {
                self.trouble(&format!("notification by {}: {}", told.channel, told.what));
            }
        }
        for record in records {
            self.record(record);
        }
    }

    fn record(&mut self, record: Record) {
        self.log.debug(|| {
            let Record { key, event, verdict, why, .. } = &record;
            format!("notification of {key} ({event}): {}, {why}", verdict.word())
        });
        self.world.batch.notices.push(Notice::Told(record));
    }

    pub(super) fn mute(&mut self, who: &str, for_ms: Option<u64>) -> Reply {
        let mute = match for_ms {
            None => Mute::Always,
            Some(millis) => Mute::Until(clock::now().plus(Duration::from_millis(millis))),
        };
        self.change_mute(who, Some(mute))
    }

    /// None takes it away.
    pub(super) fn change_mute(&mut self, who: &str, mute: Option<Mute>) -> Reply {
        let view = match self.find(who) {
            Ok(view) => view,
            Err(refusal) => return Reply::Refused(refusal),
        };
        let key = Key::stored(view.key.clone());
        match mute {
            Some(mute) => self.world.notify.desk.mute(key.clone(), mute),
            None => self.world.notify.desk.unmute(&key, clock::now()),
        }
        self.world.batch.notices.push(Notice::Muted(key, mute));
        Reply::Session { session: Box::new(view) }
    }

    pub(super) fn last_notified(&self) -> Reply {
        let last = self.world.notify.desk.last().and_then(|key| self.machine.get(key));
        match last {
            Some(session) => {
                let view = SessionView::of(session, &self.world.host, clock::now());
                Reply::Session { session: Box::new(view) }
            }
            None => Reply::Refused(Refusal {
                kind: RefusalKind::NotFound,
                message: "there was no notification yet".to_owned(),
                candidates: Vec::new(),
            }),
        }
    }

    pub(super) fn test_channels(&self, channel: Option<Channel>, answer: oneshot::Sender<Reply>) {
        let config = self.world.config.notify.clone();
        let channels = channel.map_or_else(|| notify::configured(&config), |one| vec![one]);
        let sockets = notify::sockets(&self.machine);
        tokio::spawn(async move {
            let told = notify::test(channels, config, sockets).await;
            answer.send(Reply::Tested { told }).ok();
        });
    }

    pub(super) fn notify_log(&self, limit: u32, answer: oneshot::Sender<Reply>) {
        let archive = self.archive.clone();
        tokio::spawn(async move {
            answer.send(archive.notifications(limit.clamp(1, 10_000)).await).ok();
        });
    }

    pub(super) fn past(&self, since: Stamp, answer: oneshot::Sender<Reply>) {
        let archive = self.archive.clone();
        tokio::spawn(async move {
            answer.send(archive.past(since).await).ok();
        });
    }
}
