//! Metrics of waiting: how often the user was told, how long agents waited for an answer, where
//! and when. Computed from transitions and notifications; days are the asker's.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::notify::{Record, Verdict};
use crate::session::status::Class;
use crate::stamp::{self, Stamp};

/// Waits that are listed one by one.
const LONGEST: usize = 10;

/// A change of state into or out of attention, as the store keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub key: String,
    pub session: String,
    pub at: Stamp,
    pub from: String,
    pub to: String,
    /// Directory and name of the session, as far as they are known still.
    pub directory: String,
    pub name: String,
}

/// What the store tells about a span of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// By session, then by time.
    pub steps: Vec<Step>,
    pub notifications: Vec<Record>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wait {
    pub session: String,
    pub name: String,
    pub project: String,
    pub reason: String,
    #[serde(with = "stamp::text")]
    pub since: Stamp,
    pub ms: u64,
    pub end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    Answered,
    /// The session ended without an answer.
    Abandoned,
    StillWaiting,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Responses {
    pub count: usize,
    pub average_ms: u64,
    pub median_ms: u64,
    pub p90_ms: u64,
    pub longest_ms: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Told {
    /// Messages that went out, and those per hour of the time looked at.
    pub sent: usize,
    pub per_hour: f64,
    pub withheld: usize,
    pub deferred: usize,
    pub failed: usize,
    pub by_event: BTreeMap<String, usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    /// A project's directory, or a day as `2026-11-15`.
    pub of: String,
    pub waits: usize,
    pub ms: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stats {
    #[serde(with = "stamp::text")]
    pub since: Stamp,
    #[serde(with = "stamp::text")]
    pub until: Stamp,
    pub notifications: Told,
    /// From the question to the answer.
    pub responses: Responses,
    pub waiting_ms: u64,
    /// The most time first.
    pub projects: Vec<Share>,
    /// In order; a wait belongs to the day on which it began.
    pub days: Vec<Share>,
    /// The longest first.
    pub longest: Vec<Wait>,
}

/// `day` names the day of a time, as the user counts days.
pub fn compute(past: &Past, since: Stamp, now: Stamp, day: &dyn Fn(Stamp) -> String) -> Stats {
    let mut waits = waits(&past.steps, since, now);
    let answered = waits.iter().filter(|w| w.end == End::Answered && w.since > since);
    let responses = responses(answered.map(|wait| wait.ms).collect());
    let projects = shares(&waits, |wait| wait.project.clone());
    let mut days = shares(&waits, |wait| day(wait.since));
    days.sort_by(|a, b| a.of.cmp(&b.of));
    let waiting_ms = waits.iter().map(|wait| wait.ms).sum();
    waits.sort_by_key(|wait| std::cmp::Reverse(wait.ms));
    waits.truncate(LONGEST);
    Stats {
        since,
        until: now,
        notifications: told(&past.notifications, since, now),
        responses,
        waiting_ms,
        projects,
        days,
        longest: waits,
    }
}

/// From a step into attention to the first out of it.
fn waits(steps: &[Step], since: Stamp, now: Stamp) -> Vec<Wait> {
    let mut waits: Vec<Wait> = Vec::new();
    let mut open: Option<(&Step, Stamp)> = None;
    let is_attention = |words: &str| Class::of_words(words) == Some(Class::Attention);
    for (at, step) in steps.iter().enumerate() {
        if at > 0 && steps[at - 1].key != step.key {
            waits
                .extend(open.take().map(|(from, begun)| wait(from, begun, now, End::StillWaiting)));
        }
        match (is_attention(&step.from), is_attention(&step.to)) {
            (_, true) if open.is_none() => open = Some((step, step.at)),
            // It began before the time looked at.
            (true, false) if open.is_none() => waits.push(wait(step, since, step.at, end(step))),
            (_, false) => {
                let begun = open.take();
                waits.extend(begun.map(|(from, begun)| wait(from, begun, step.at, end(step))));
            }
            (_, true) => {}
        }
    }
    waits.extend(open.map(|(from, begun)| wait(from, begun, now, End::StillWaiting)));
    waits
}

fn end(step: &Step) -> End {
    if Class::of_words(&step.to).is_some() { End::Answered } else { End::Abandoned }
}

fn wait(step: &Step, begun: Stamp, until: Stamp, end: End) -> Wait {
    let words = [&step.to, &step.from].into_iter().find(|w| w.starts_with("attention"));
    let reason = words.map_or("", |words| words.trim_start_matches("attention: "));
    Wait {
        session: step.session.clone(),
        name: step.name.clone(),
        project: step.directory.clone(),
        reason: reason.to_owned(),
        since: begun,
        ms: millis(until.since(begun)),
        end,
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

fn responses(mut all: Vec<u64>) -> Responses {
    all.sort_unstable();
    let count = all.len();
    let Some(longest) = all.last().copied() else { return Responses::default() };
    // The nearest rank.
    let rank = |percent: usize| all[(count * percent).div_ceil(100).saturating_sub(1)];
    Responses {
        count,
        average_ms: all.iter().sum::<u64>() / count as u64,
        median_ms: rank(50),
        p90_ms: rank(90),
        longest_ms: longest,
    }
}

fn shares(waits: &[Wait], of: impl Fn(&Wait) -> String) -> Vec<Share> {
    let mut shares: BTreeMap<String, (usize, u64)> = BTreeMap::new();
    for wait in waits {
        let share = shares.entry(of(wait)).or_default();
        *share = (share.0 + 1, share.1 + wait.ms);
    }
    let mut all: Vec<Share> =
        shares.into_iter().map(|(of, (waits, ms))| Share { of, waits, ms }).collect();
    all.sort_by_key(|share| std::cmp::Reverse(share.ms));
    all
}

/// A message about several sessions has a record for each, and counts once.
fn told(records: &[Record], since: Stamp, now: Stamp) -> Told {
    let mut told = Told::default();
    let mut messages = std::collections::BTreeSet::new();
    for record in records {
        match record.verdict {
            Verdict::Withheld => told.withheld += 1,
            Verdict::Deferred => told.deferred += 1,
            Verdict::Failed => told.failed += 1,
            Verdict::Sent => {
                let own = if record.count > 1 { "" } else { record.key.as_str() };
                if messages.insert((record.at, record.event, record.step, own)) {
                    told.sent += 1;
                    *told.by_event.entry(record.event.word().to_owned()).or_default() += 1;
                }
            }
        }
    }
    let minutes = millis(now.since(since)) / 60_000;
    #[expect(clippy::cast_precision_loss, reason = "a rate, not an account")]
    let per_hour = told.sent as f64 * 60.0 / minutes.max(1) as f64;
    told.per_hour = (per_hour * 100.0).round() / 100.0;
    told
}

#[cfg(test)]
mod tests;
