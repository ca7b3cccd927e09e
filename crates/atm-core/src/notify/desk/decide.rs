//! What becomes of those whose turn it is: sent, withheld, deferred, or over in the meantime.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::client::{self, Client};
use super::super::quiet;
use super::super::record::{Record, Step, Verdict};
use super::super::rule::Plan;
use super::super::{Channel, Occasion};
use super::{Decision, Desk, MINUTE, Mute, Next, OLD, Order, PutOff, REMEMBERED, Scene, Wait};
use crate::session::{Key, Session};
use crate::stamp::Stamp;
use crate::text::clean;

/// tmux counts activity in seconds.
const SECOND: Duration = Duration::from_secs(1);

type Lookup<'a> = &'a dyn Fn(&Key) -> Option<&'a Session>;
/// Those that can be told as one.
type Groups<'a> = BTreeMap<(Occasion, Step, Vec<Channel>), Vec<&'a Session>>;

enum Ruling {
    Tell(Vec<Channel>),
    /// Nothing to tell any more, or nothing that was asked for.
    Over,
    Withheld(String),
    Deferred(Stamp, String),
}

impl Desk {
    /// `asked` are those that `take_due` named.
    pub fn decide(&mut self, asked: &[Key], sessions: Lookup<'_>, scene: &Scene<'_>) -> Decision {
        let mut decision = Decision::default();
        let mut groups = Groups::new();
        for key in asked {
            let Some(wait) = self.waits.get(key).filter(|wait| wait.next == Next::Asked) else {
                continue;
            };
            let Some(session) = sessions(key) else {
                self.waits.remove(key);
                continue;
            };
            let wait = wait.clone();
            match self.rule(session, &wait, scene) {
                Ruling::Over => self.settle(session, scene),
                Ruling::Tell(channels) => {
                    groups.entry((wait.occasion, wait.step, channels)).or_default().push(session);
                }
                Ruling::Withheld(why) => {
                    decision.records.push(record(session, &wait, Verdict::Withheld, why, scene));
                    self.settle(session, scene);
                }
                Ruling::Deferred(until, why) => {
                    decision.records.push(record(session, &wait, Verdict::Deferred, why, scene));
                    self.put_off(key, until);
                }
            }
        }
        self.place_orders(groups, scene, &mut decision);
        decision
    }

    fn rule(&self, session: &Session, wait: &Wait, scene: &Scene<'_>) -> Ruling {
        let Scene { now, config, .. } = *scene;
        if Occasion::of(session) != Some(wait.occasion) || !config.enable {
            return Ruling::Over;
        }
        let is_first = wait.step == Step::First;
        let is_wait = wait.occasion == Occasion::Attention;
        // What quiet hours or a snooze held back is told however late.
        if !is_wait && now.since(wait.since) > OLD && wait.put_off == PutOff::No {
            return Ruling::Withheld("it happened while nobody listened, too long ago".to_owned());
        }
        if is_first && session.unseen.is_none() {
            return Ruling::Withheld("you have looked at it".to_owned());
        }
        let (first, again) = match Plan::of(session, wait.occasion, config, scene.home) {
            Plan::Tell { channels, escalate } => (channels, escalate),
            Plan::Mute(number) => return Ruling::Withheld(format!("rule {number} mutes it")),
        };
        let channels = if is_first { first } else { again };
        if channels.is_empty() {
            return Ruling::Over;
        }
        match self.mute_of(&session.key, now) {
            Some(Mute::Always) => return Ruling::Withheld("the session is muted".to_owned()),
            Some(Mute::Until(until)) => {
                return Ruling::Deferred(until, "the session is snoozed".to_owned());
            }
            None => {}
        }
        if let Some(left) = quiet::left(&config.quiet, scene.minute)
            .filter(|_| !config.quiet_except.contains(&wait.occasion))
        {
            let until = now.plus(Duration::from_secs(u64::from(left) * 60));
            return Ruling::Deferred(until, "quiet hours".to_owned());
        }
        // Who looks and has done nothing since may well be away.
        let is_there = |client: &&Client| is_first || client.activity.plus(SECOND) > wait.since;
        let looking = client::looking(scene.clients, session).filter(is_there);
        if let Some(client) = looking.filter(|_| !config.while_looking) {
            let name = clean(&client.name, 60);
            return Ruling::Withheld(format!("you are looking at its window ({name})"));
        }
        Ruling::Tell(channels)
    }

    fn put_off(&mut self, key: &Key, until: Stamp) {
        if let Some(wait) = self.waits.get_mut(key) {
            wait.next = Next::At(until);
            wait.put_off = PutOff::Yes;
        }
    }

    /// The step is done: the next one, if there is one.
    fn settle(&mut self, session: &Session, scene: &Scene<'_>) {
        let Some(wait) = self.waits.get_mut(&session.key) else { return };
        if Occasion::of(session) != Some(wait.occasion) {
            self.waits.remove(&session.key);
            return;
        }
        let plan = Plan::of(session, wait.occasion, scene.config, scene.home);
        let is_more = matches!(plan, Plan::Tell { escalate, .. } if !escalate.is_empty());
        let is_muted = self.mutes.get(&session.key) == Some(&Mute::Always);
        wait.next = match wait.step {
            Step::First if is_muted => Next::Held,
            Step::First if is_more => {
                wait.step = Step::Again;
                Next::At(scene.now.plus(scene.config.escalate_after))
            }
            Step::First | Step::Again => Next::Never,
        };
    }

    fn place_orders(&mut self, groups: Groups<'_>, scene: &Scene<'_>, decision: &mut Decision) {
        for ((occasion, step, channels), mut sessions) in groups {
            sessions.sort_by_key(|session| session.since);
            let size = match sessions.len() as u64 >= scene.config.together {
                true => sessions.len(),
                false => 1,
            };
            for part in sessions.chunks(size) {
                let order = (occasion, step, channels.as_slice());
                match self.has_room(scene) {
                    None => decision.orders.push(self.order(order, part, scene)),
                    Some(until) => self.refuse(part, until, scene, decision),
                }
            }
        }
    }

    /// When there is room again, if there is none now.
    fn has_room(&mut self, scene: &Scene<'_>) -> Option<Stamp> {
        let is_past = |at: &Stamp| scene.now.since(*at) >= MINUTE || *at > scene.now;
        while self.sent.front().is_some_and(is_past) {
            self.sent.pop_front();
        }
        let over = self.sent.len().checked_sub(scene.config.per_minute)?;
        self.sent.get(over).map(|at| at.plus(MINUTE))
    }

    fn refuse(
        &mut self,
        sessions: &[&Session],
        until: Stamp,
        scene: &Scene<'_>,
        decision: &mut Decision,
    ) {
        for session in sessions {
            let Some(wait) = self.waits.get(&session.key).cloned() else { continue };
            let why = format!("more than {} in a minute", scene.config.per_minute);
            decision.records.push(record(session, &wait, Verdict::Deferred, why, scene));
            self.put_off(&session.key, until);
        }
    }

    fn order(
        &mut self,
        (occasion, step, channels): (Occasion, Step, &[Channel]),
        sessions: &[&Session],
        scene: &Scene<'_>,
    ) -> Order {
        let mut records = Vec::new();
        for session in sessions {
            let Some(wait) = self.waits.get(&session.key).cloned() else { continue };
            let why = match step {
                Step::First => wait.reason.clone(),
                Step::Again => format!("unanswered: {}", wait.reason),
            };
            let sent = record(session, &wait, Verdict::Sent, why, scene);
            records.push(Record { count: sessions.len(), ..sent });
            self.remember(session, &wait, scene.now);
            self.settle(session, scene);
        }
        self.sent.push_back(scene.now);
        self.last = sessions.first().map(|session| session.key.clone());
        let is_elsewhere = |client: &&Client| sessions.len() > 1 || !client.shows(sessions[0]);
        Order {
            occasion,
            step,
            channels: channels.to_vec(),
            keys: sessions.iter().map(|session| session.key.clone()).collect(),
            records,
            message_client: client::nearest(scene.clients.iter().filter(is_elsewhere)).cloned(),
            terminal_client: client::nearest(scene.clients.iter()).cloned(),
        }
    }

    fn remember(&mut self, session: &Session, wait: &Wait, now: Stamp) {
        if self.told.len() >= REMEMBERED {
            self.told.retain(|_, at| now.since(*at) < Duration::from_secs(3600));
        }
        if self.told.len() >= REMEMBERED {
            self.told.clear();
        }
        self.told.insert((session.key.clone(), wait.occasion, wait.reason.clone()), now);
    }
}

fn record(
    session: &Session,
    wait: &Wait,
    verdict: Verdict,
    why: String,
    scene: &Scene<'_>,
) -> Record {
    let about = &session.about;
    let name = about.name.as_deref().or(about.title.as_deref()).or(about.cwd.as_deref());
    Record {
        at: scene.now,
        key: session.key.to_string(),
        session: session.conversation.to_string(),
        name: clean(name.unwrap_or_default(), 80),
        event: wait.occasion,
        reason: clean(&wait.reason, 300),
        since: wait.since,
        step: wait.step,
        verdict,
        why,
        channels: Vec::new(),
        count: 1,
    }
}
