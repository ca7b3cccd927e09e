//! What waits to be told. A session waits for one thing at a time, is told of it once, and once
//! more if nobody answers. Time is an argument: whoever owns the desk sleeps until `deadline`,
//! asks tmux what the user is looking at, and lets `decide` say what to send.

mod decide;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use crate::config::notify::Notify;
use crate::session::{Key, Session};
use crate::stamp::Stamp;

use super::client::Client;
use super::record::{Record, Step, Verdict};
use super::{Channel, Occasion, turn_began};

/// News older than this are none: the daemon was away.
const OLD: Duration = Duration::from_secs(300);
const MINUTE: Duration = Duration::from_secs(60);
/// Sends whose repetition is looked out for.
const REMEMBERED: usize = 1_000;

#[derive(Debug, Default)]
pub struct Desk {
    waits: BTreeMap<Key, Wait>,
    mutes: BTreeMap<Key, Mute>,
    /// When each session was last told of for the same reason.
    told: HashMap<(Key, Occasion, String), Stamp>,
    /// Messages of the last minute.
    sent: VecDeque<Stamp>,
    last: Option<Key>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mute {
    Always,
    Until(Stamp),
}

#[derive(Clone, Debug)]
struct Wait {
    occasion: Occasion,
    /// The session's `since` when it came to this.
    since: Stamp,
    reason: String,
    step: Step,
    next: Next,
    put_off: PutOff,
}

/// Whether it was due once and had to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PutOff {
    No,
    Yes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    At(Stamp),
    /// It was due; what the user is looking at is being found out.
    Asked,
    /// Not said, because the session is muted.
    Held,
    /// All is said.
    Never,
}

/// The circumstances of a decision.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub now: Stamp,
    /// Minute of the day by the user's clock.
    pub minute: u16,
    pub config: &'a Notify,
    pub home: Option<&'a str>,
    pub clients: &'a [Client],
}

/// One message, about one session or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub occasion: Occasion,
    pub step: Step,
    pub channels: Vec<Channel>,
    /// The longest waiting first.
    pub keys: Vec<Key>,
    /// To be completed with what the channels did.
    pub records: Vec<Record>,
    /// Where a message of tmux goes: not where the session itself is in view.
    pub message_client: Option<Client>,
    /// Whose terminal is written to.
    pub terminal_client: Option<Client>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    pub orders: Vec<Order>,
    /// What was withheld or deferred, and why.
    pub records: Vec<Record>,
}

impl Desk {
    /// Goes on where the last daemon ended: who was told stays told.
    pub fn restore<'a>(
        sessions: impl Iterator<Item = &'a Session>,
        records: &[Record],
        config: &Notify,
        now: Stamp,
    ) -> Desk {
        let mut desk = Desk::default();
        for session in sessions.filter(|session| session.is_live()) {
            if Occasion::of(session) != Some(Occasion::Attention) {
                continue;
            }
            desk.moved(session, config, now);
            let Some(wait) = desk.waits.get_mut(&session.key) else { continue };
            let is_about = |r: &&Record| r.key == session.key.as_str() && r.since == wait.since;
            let told: Vec<&Record> = records.iter().filter(is_about).collect();
            let is_said = |r: &&&Record| matches!(r.verdict, Verdict::Sent | Verdict::Failed);
            let again = told.iter().any(|r| r.step == Step::Again && r.verdict == Verdict::Sent);
            if let Some(first) = told.iter().filter(is_said).map(|r| r.at).min() {
                wait.step = Step::Again;
                wait.next = match again || config.escalate.is_empty() {
                    true => Next::Never,
                    false => Next::At(first.plus(config.escalate_after)),
                };
            }
        }
        let sent = records.iter().filter(|r| r.verdict == Verdict::Sent);
        // Of several told at once the first.
        let last = sent.reduce(|last, r| if r.at > last.at { r } else { last });
        desk.last = last.map(|r| Key::stored(r.key.clone()));
        desk
    }

    /// The session's status is another one.
    pub fn moved(&mut self, session: &Session, config: &Notify, now: Stamp) {
        let key = &session.key;
        let occasion = Occasion::of(session).filter(|_| config.enable && speaks(session, config));
        let Some(occasion) = occasion.filter(|occasion| is_news(session, *occasion, config)) else {
            self.waits.remove(key);
            return;
        };
        let reason = reason(session);
        if let Some(wait) = self.waits.get_mut(key).filter(|wait| wait.occasion == occasion) {
            wait.since = session.since;
            // Another question while the first was told already: the user has time for both.
            if wait.step == Step::Again && matches!(wait.next, Next::At(_)) && wait.reason != reason
            {
                wait.next = Next::At(now.plus(config.escalate_after));
            }
            wait.reason = reason;
            return;
        }
        let told = self.told.get(&(key.clone(), occasion, reason.clone()));
        let soon = now.plus(config.gather);
        let due = told.map_or(soon, |at| soon.max(at.plus(config.repeat_after)));
        let wait = Wait {
            occasion,
            since: session.since,
            reason,
            step: Step::First,
            next: Next::At(due),
            put_off: PutOff::No,
        };
        self.waits.insert(key.clone(), wait);
    }

    pub fn forget(&mut self, key: &Key) {
        self.waits.remove(key);
        self.mutes.remove(key);
    }

    /// When `take_due` has something, if nothing else happens before.
    pub fn deadline(&self) -> Option<Stamp> {
        let at = |wait: &Wait| match wait.next {
            Next::At(at) => Some(at),
            Next::Asked | Next::Held | Next::Never => None,
        };
        self.waits.values().filter_map(at).min()
    }

    /// Whose turn it is, and who would follow so soon that both can be told as one. They wait for
    /// `decide`.
    pub fn take_due(&mut self, config: &Notify, now: Stamp) -> Vec<Key> {
        if self.deadline().is_none_or(|due| due > now) {
            return Vec::new();
        }
        let soon = now.plus(config.gather);
        let mut due = Vec::new();
        for (key, wait) in &mut self.waits {
            if matches!(wait.next, Next::At(at) if at <= soon) {
                wait.next = Next::Asked;
                due.push(key.clone());
            }
        }
        due
    }

    pub fn mute(&mut self, key: Key, mute: Mute) {
        self.mutes.insert(key, mute);
    }

    /// Who has something to say and was held back says it now.
    pub fn unmute(&mut self, key: &Key, now: Stamp) {
        if self.mutes.remove(key).is_none() {
            return;
        }
        if let Some(wait) = self.waits.get_mut(key).filter(|wait| wait.next == Next::Held) {
            wait.next = Next::At(now);
        }
    }

    pub fn mute_of(&self, key: &Key, now: Stamp) -> Option<Mute> {
        let mute = self.mutes.get(key).copied();
        mute.filter(|mute| !matches!(mute, Mute::Until(until) if *until <= now))
    }

    /// The session that was told of last.
    pub fn last(&self) -> Option<&Key> {
        self.last.as_ref()
    }
}

/// A session that nobody attends to has nobody to tell.
fn speaks(session: &Session, config: &Notify) -> bool {
    let about = &session.about;
    let is_background = about.kind.as_deref() == Some("bg");
    about.attended != Some(false) && (config.background || !is_background)
}

fn is_news(session: &Session, occasion: Occasion, config: &Notify) -> bool {
    match occasion {
        Occasion::Attention | Occasion::Lost => true,
        Occasion::Error => session.unseen.is_some(),
        Occasion::Finish => {
            let lasted = turn_began(session).map(|began| session.since.since(began));
            session.unseen.is_some() && lasted.is_none_or(|lasted| lasted >= config.finish_after)
        }
    }
}

fn reason(session: &Session) -> String {
    match session.is_live() {
        true => session.status().to_string(),
        false => session.summary(),
    }
}
