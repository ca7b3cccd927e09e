//! Why a session is in its state: the facts with source and age, what overruled what, and how it
//! came there. Built from the session alone, so that it can never disagree with it.

use serde::{Deserialize, Serialize};

use crate::session::derive::Source;
use crate::session::status::Life;
use crate::session::{FileLife, Session, Transition};
use crate::stamp::{self, Stamp};
use crate::view::SessionView;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    pub session: SessionView,
    /// One sentence: what decided.
    pub because: String,
    pub facts: Vec<FactView>,
    pub overruled: Option<FactView>,
    pub history: Vec<StepView>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactView {
    pub what: String,
    pub source: Source,
    #[serde(with = "stamp::text")]
    pub at: Stamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepView {
    #[serde(with = "stamp::text")]
    pub at: Stamp,
    pub from: String,
    pub to: String,
    pub cause: String,
    pub source: Source,
    pub overruled: Option<String>,
}

impl Explanation {
    pub fn of(session: &Session, host: &str, now: Stamp) -> Explanation {
        let overruled = session.verdict.overruled.as_ref().map(|other| FactView {
            what: other.says.clone(),
            source: other.source,
            at: other.at,
        });
        Explanation {
            session: SessionView::of(session, host, now),
            because: because(session),
            facts: facts(session),
            overruled,
            history: session.history.iter().map(StepView::of).collect(),
        }
    }
}

impl StepView {
    fn of(step: &Transition) -> StepView {
        StepView {
            at: step.at,
            from: step.from.clone(),
            to: step.to.clone(),
            cause: step.cause.clone(),
            source: step.source,
            overruled: step.overruled.clone(),
        }
    }
}

pub fn source_words(source: Source) -> &'static str {
    match source {
        Source::Hook => "hooks",
        Source::SessionFile => "the client's session file",
        Source::Transcript => "the transcript",
        Source::Process => "the process table",
    }
}

fn because(session: &Session) -> String {
    match &session.life {
        Life::Ended { reason, .. } => return format!("the client ended ({reason})"),
        Life::Lost { .. } => return "its process is gone and nothing said goodbye".to_owned(),
        Life::Live => {}
    }
    let says = format!("{} say {}", source_words(session.verdict.source), session.verdict.status);
    let says = says.replacen("file say", "file says", 1).replacen("script say", "script says", 1);
    match &session.verdict.overruled {
        None => says,
        Some(other) => format!(
            "{says}, which outranks {} ({})",
            source_words(other.source),
            if other.at > session.verdict.at { "not confirmed yet" } else { "older" }
        ),
    }
}

fn facts(session: &Session) -> Vec<FactView> {
    let facts = &session.facts;
    let hook = |what: String, at: Stamp| FactView { what, source: Source::Hook, at };
    let mut list = Vec::new();
    if let Some(turn) = &facts.turn {
        list.push(hook("a turn is open".to_owned(), turn.at));
    } else {
        let (what, at) = (format!("last turn: {}", facts.last.why), facts.last.at);
        list.push(FactView { what, source: facts.last.by, at });
    }
    for ask in &facts.asks {
        list.push(hook(format!("unanswered: {}", ask.reason), ask.at));
    }
    for tool in &facts.tools {
        let whose = tool.agent.as_ref().map(|id| format!(" (subagent {id})")).unwrap_or_default();
        list.push(hook(format!("in flight: {}{whose}", tool.name), tool.at));
    }
    if let Some(compacting) = &facts.compacting {
        list.push(hook("compaction is running".to_owned(), compacting.at));
    }
    for child in facts.children.working() {
        list.push(hook(format!("subagent {} ({}) is working", child.id, child.kind), child.since));
    }
    for task in &facts.tasks {
        list.push(hook(format!("background {}: {}", task.kind, task.description), facts.last.at));
    }
    list.extend(file_fact(session));
    if let Some(process) = &session.process {
        let what = if session.is_live() { "is alive" } else { "is gone" };
        list.push(FactView {
            what: format!("process {} {what}", process.pid),
            source: Source::Process,
            at: session.ended_at().unwrap_or(session.started),
        });
    }
    list
}

fn file_fact(session: &Session) -> Option<FactView> {
    let fact = |what: String, at| FactView { what, source: Source::SessionFile, at };
    match (&session.facts.file, session.file) {
        (_, FileLife::Removed) => {
            Some(fact("the client removed its session file".to_owned(), session.last_activity))
        }
        (Some(file), _) => {
            let words = serde_json::to_value(file.status).ok();
            let word = words.as_ref().and_then(|w| w.as_str()).unwrap_or_default().to_owned();
            let waits = file.waiting_for.as_ref().map(|w| format!(" ({w})")).unwrap_or_default();
            Some(fact(format!("session file: {word}{waits}"), file.at))
        }
        (None, FileLife::There) => {
            Some(fact("session file without status".to_owned(), session.started))
        }
        (None, FileLife::Unseen) => None,
    }
}
