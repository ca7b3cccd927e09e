//! The desk by cases and by properties. Sessions are made by hand: what matters is their state.

mod cases;
mod clients;
mod properties;
mod rules;
mod texts;

use std::collections::BTreeMap;
use std::time::Duration;

use super::client::{self, Client};
use super::*;
use crate::config::Config;
use crate::config::notify::Notify;
use crate::ids::{ConversationId, PaneId, WindowId};
use crate::session::derive::Source;
use crate::session::status::{Detail, Reason};
use crate::session::{Found, Key, Place, Transition};

const SECOND: i64 = 1000;
/// Some time after the epoch, so that nothing falls before it.
const START: Stamp = Stamp(1_000_000_000);

fn config(toml: &str) -> Notify {
    let loaded = crate::config::load(toml, &|_| None);
    assert_eq!(loaded.problems, []);
    loaded.config.notify
}

fn asks(tool: &str) -> Status {
    let reason = Reason::Permission { tool: tool.into(), subject: None, agent: None };
    Status::Attention { reason }
}

fn working() -> Status {
    Status::Working { detail: Detail::Thinking }
}

fn idle(why: Why) -> Status {
    Status::Idle { why }
}

/// A desk with sessions, a clock and what the user looks at.
struct Room {
    desk: Desk,
    config: Notify,
    sessions: BTreeMap<Key, Session>,
    clients: Vec<Client>,
    now: Stamp,
    minute: u16,
}

impl Room {
    fn new(toml: &str) -> Room {
        Room {
            desk: Desk::default(),
            config: config(toml),
            sessions: BTreeMap::new(),
            clients: Vec::new(),
            now: START,
            minute: 12 * 60,
        }
    }

    fn session(&mut self, name: &str) -> &mut Session {
        let now = self.now;
        self.sessions.entry(Key::stored(name.into())).or_insert_with_key(|key| {
            let mut session = Session::new(key.clone(), ConversationId::new(name), now);
            session.about.name = Some(name.to_owned());
            session.about.cwd = Some(format!("/home/u/{name}"));
            session.place = Some(Place {
                socket: "/s".into(),
                server: None,
                pane: PaneId::new("%1"),
                found: Found::In { window: WindowId::new("@1"), session: "main".into() },
            });
            session
        })
    }

    /// As the machine would, after a change of status.
    fn becomes(&mut self, name: &str, status: Status) {
        let now = self.now;
        let session = self.session(name);
        let (from, was, then) = (session.summary(), session.verdict.status.clone(), session.since);
        session.verdict.status = status;
        session.since = now;
        session.facts.last.at = now;
        session.mark_unseen(&was, then);
        let transition = Transition {
            at: now,
            from,
            to: session.summary(),
            cause: "test".into(),
            source: Source::Hook,
            overruled: None,
        };
        session.remember(transition);
        let session = session.clone();
        self.desk.moved(&session, &self.config, now);
    }

    fn ends(&mut self, name: &str, life: Life) {
        let now = self.now;
        let session = self.session(name);
        session.life = life;
        session.since = now;
        session.unseen = Some(now);
        let session = session.clone();
        self.desk.moved(&session, &self.config, now);
    }

    /// A client at window `@1`, where all sessions are, or elsewhere.
    fn client(&mut self, window: &str, flags: &str, active: Stamp) {
        let line =
            format!("3.3a 0 {window} {} {flags} xterm /dev/pts/1 c{window}\n", active.0 / 1000);
        self.clients.extend(client::parse("/s", &line));
    }

    /// Lets time pass and decides whatever comes due on the way.
    fn pass(&mut self, span: Duration) -> Decision {
        let until = self.now.plus(span);
        let mut all = Decision::default();
        while let Some(due) = self.desk.deadline().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            let asked = self.desk.take_due(&self.config, self.now);
            let decision = self.decide(&asked);
            all.orders.extend(decision.orders);
            all.records.extend(decision.records);
        }
        self.now = until;
        all
    }

    fn decide(&mut self, asked: &[Key]) -> Decision {
        let gone = self.now.since(START).as_secs() / 60;
        let minute = u16::try_from((u64::from(self.minute) + gone) % (24 * 60)).unwrap();
        let scene = Scene {
            now: self.now,
            minute,
            config: &self.config,
            home: Some("/home/u"),
            clients: &self.clients,
        };
        let sessions = &self.sessions;
        self.desk.decide(asked, &|key| sessions.get(key), &scene)
    }

    /// What was sent within a span: seconds since the start, step, and whom it is about.
    fn sent(&mut self, span: Duration) -> Vec<(i64, Step, String)> {
        let orders = self.pass(span).orders;
        orders
            .iter()
            .map(|order| {
                let at = (order.records[0].at.0 - START.0) / SECOND;
                let names: Vec<&str> = order.keys.iter().map(Key::as_str).collect();
                (at, order.step, names.join(" "))
            })
            .collect()
    }

    /// Why nothing was sent within a span.
    fn why(&mut self, span: Duration) -> Vec<String> {
        let decision = self.pass(span);
        assert_eq!(decision.orders, []);
        decision.records.into_iter().map(|record| record.why).collect()
    }
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn names_of_channels_and_occasions_are_those_of_the_configuration() {
    for (channel, word) in Channel::ALL.iter().zip(CHANNELS) {
        assert_eq!(serde_json::to_value(channel).unwrap(), *word);
        assert_eq!(Channel::parse(word), Some(*channel));
    }
    for occasion in [Occasion::Attention, Occasion::Finish, Occasion::Error, Occasion::Lost] {
        assert_eq!(serde_json::to_value(occasion).unwrap(), occasion.word());
    }
    assert!(Config::default().notify.enable);
}
