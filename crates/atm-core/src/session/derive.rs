//! Facts → status: one pure function, the only place where sensors are weighed against each
//! other. Rank of evidence: process death, the client's session file where it is newer than what
//! hooks say, hooks, transcript marks. A fact never wins by arriving last.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::facts::{Facts, FileFact, HANDOVER};
use super::status::{Class, Detail, Reason, Status};
use crate::session_file::FileStatus;
use crate::stamp::Stamp;

/// How long a hook may run ahead of an older session file. The file follows within 0.7 s at
/// worst (l3_subagent_permission.jsonl); a file that still disagrees after this is right.
pub const GRACE: Duration = Duration::from_millis(2_000);
/// A session file that turns idle while a finished task wakes the main thread is believed only
/// after this (l1_subagent.jsonl: idle for 34 ms).
pub const SETTLE: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    Hook,
    SessionFile,
    Transcript,
    Process,
}

impl Source {
    /// As in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Source::Hook => "hook",
            Source::SessionFile => "session-file",
            Source::Transcript => "transcript",
            Source::Process => "process",
        }
    }
}

/// A status with its reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub status: Status,
    pub source: Source,
    /// The time the deciding fact speaks of.
    pub at: Stamp,
    /// What the other sensor says, if it says something else.
    pub overruled: Option<Overruled>,
    /// When the verdict changes by itself if nothing happens until then.
    pub until: Option<Stamp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overruled {
    pub source: Source,
    pub says: String,
    pub at: Stamp,
}

pub fn derive(facts: &Facts, now: Stamp) -> Verdict {
    let hooks = from_hooks(facts, now);
    let Some(file) = facts.trusted_file() else { return hooks };
    let by_file = from_file(facts, file);
    if by_file.status.class() == hooks.status.class() {
        let newest = if file.at > hooks.at { by_file.source } else { hooks.source };
        let known = facts.heard > Stamp::default();
        let source = if known { newest } else { Source::SessionFile };
        return Verdict { source, at: hooks.at.max(file.at), ..agreed(hooks, by_file, file.at) };
    }
    let heard = if file.status == FileStatus::Waiting { facts.proof } else { hooks.at };
    if file.at >= heard {
        return match settling(facts, file, now) {
            Some(until) => outrank(Verdict { until: Some(until), ..hooks }, &by_file),
            None => outrank(by_file, &hooks),
        };
    }
    // A lead whose teammates idle stays busy in its file to the end (z7_teammate_tmux.jsonl).
    let has_teammates = facts.tasks.iter().any(|task| task.kind == "teammate");
    let is_over = hooks.status.class() == Class::Idle;
    if is_over && has_teammates && by_file.status.class() == Class::Working {
        return outrank(hooks, &by_file);
    }
    let until = heard.plus(GRACE);
    if now < until {
        return outrank(Verdict { until: Some(until), ..hooks }, &by_file);
    }
    outrank(by_file, &hooks)
}

/// Both say the same class; hooks know the detail unless they know nothing.
fn agreed(hooks: Verdict, by_file: Verdict, file_at: Stamp) -> Verdict {
    let file_knows_more = matches!(
        (&hooks.status, &by_file.status),
        (Status::Working { detail: Detail::Unknown }, _)
    );
    if file_knows_more && file_at > hooks.at { by_file } else { hooks }
}

fn outrank(winner: Verdict, loser: &Verdict) -> Verdict {
    let overruled =
        Overruled { source: loser.source, says: loser.status.to_string(), at: loser.at };
    Verdict { overruled: Some(overruled), ..winner }
}

fn settling(facts: &Facts, file: &FileFact, now: Stamp) -> Option<Stamp> {
    let until = file.at.plus(SETTLE);
    (facts.handover.is_some() && file.status == FileStatus::Idle && now < until).then_some(until)
}

fn from_hooks(facts: &Facts, now: Stamp) -> Verdict {
    let verdict =
        |status, at| Verdict { status, source: Source::Hook, at, overruled: None, until: None };
    if let Some(ask) = facts.open_ask() {
        let newest = facts.asks.iter().map(|ask| ask.at).max().unwrap_or(ask.at);
        return verdict(Status::Attention { reason: ask.reason.clone() }, newest);
    }
    if let Some(compacting) = &facts.compacting {
        return verdict(
            Status::Working { detail: Detail::Compacting },
            compacting.at.max(facts.heard),
        );
    }
    if let Some(since) = facts.setup {
        return verdict(Status::Working { detail: Detail::Setup }, since);
    }
    if facts.turn.is_some() {
        return verdict(Status::Working { detail: turn_detail(facts) }, facts.heard);
    }
    if let Some(what) = background(facts) {
        return verdict(Status::Working { detail: Detail::Background { what } }, facts.last.at);
    }
    if let Some(since) = facts.handover {
        let until = since.plus(HANDOVER);
        if now < until {
            let detail = Detail::Background { what: "next turn".to_owned() };
            return Verdict { until: Some(until), ..verdict(Status::Working { detail }, since) };
        }
    }
    let idle = verdict(Status::Idle { why: facts.last.why.clone() }, facts.last.at);
    Verdict { source: facts.last.by, ..idle }
}

fn turn_detail(facts: &Facts) -> Detail {
    let tools = facts.tools.iter().rev();
    tools.into_iter().find(|tool| tool.agent.is_none()).map_or(Detail::Thinking, |tool| {
        Detail::Tool { name: tool.name.clone(), subject: tool.subject.clone() }
    })
}

/// What goes on after the main turn, in words; `None` if nothing does.
fn background(facts: &Facts) -> Option<String> {
    let tasks = facts.busy_tasks().count();
    let children = facts.children.working().count();
    match tasks.max(children) {
        0 => None,
        1 => {
            let by_task = facts.busy_tasks().next().map(|task| task.description.clone());
            let by_child = facts.children.working().next().map(|child| child.kind.clone());
            Some(by_task.or(by_child).filter(|text| !text.is_empty()).unwrap_or("1 agent".into()))
        }
        n => Some(format!("{n} agents")),
    }
}

fn from_file(facts: &Facts, file: &FileFact) -> Verdict {
    let status = match file.status {
        FileStatus::Idle | FileStatus::Shell => Status::Idle { why: facts.last.why.clone() },
        FileStatus::Busy => Status::Working { detail: busy_detail(facts) },
        FileStatus::Waiting => Status::Attention { reason: waiting_reason(facts, file) },
    };
    Verdict { status, source: Source::SessionFile, at: file.at, overruled: None, until: None }
}

fn busy_detail(facts: &Facts) -> Detail {
    if facts.compacting.is_some() {
        return Detail::Compacting;
    }
    if facts.turn.is_some() {
        return turn_detail(facts);
    }
    background(facts).map_or(Detail::Unknown, |what| Detail::Background { what })
}

fn waiting_reason(facts: &Facts, file: &FileFact) -> Reason {
    if let Some(ask) = facts.open_ask() {
        return ask.reason.clone();
    }
    let what = file.waiting_for.clone().unwrap_or_default();
    match (what.as_str(), facts.tools.last()) {
        ("permission prompt", Some(tool)) => Reason::Permission {
            tool: tool.name.clone(),
            subject: tool.subject.clone(),
            agent: None,
        },
        _ => Reason::Dialog { what },
    }
}
