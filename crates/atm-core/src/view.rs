//! The one shape that commands, dashboards and other programs see of a session.

use serde::{Deserialize, Serialize};

use crate::session::child::{Child, ChildState, Children};
use crate::session::derive::Source;
use crate::session::status::{Class, Detail, Life, Status};
use crate::session::{Found, Session};
use crate::stamp::{self, Stamp};
use crate::statusline::Limit;

/// Version of every JSON that leaves atm.
pub const SCHEMA: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionView {
    pub id: String,
    pub key: String,
    pub agent: String,
    pub host: String,
    pub pid: Option<i32>,
    pub pane: Option<String>,
    pub window: Option<String>,
    pub tmux: Option<TmuxView>,
    pub cwd: Option<String>,
    pub session_dir: Option<String>,
    pub name: Option<String>,
    pub title: Option<String>,
    pub managed_id: Option<String>,
    pub lineage: Vec<String>,
    pub status: Class,
    /// Set if idle.
    pub why: Option<String>,
    /// Set if working.
    pub detail: Option<String>,
    /// What the tool at hand is about: its command, file or question.
    pub subject: Option<String>,
    /// Set if attention is needed.
    pub reason: Option<String>,
    pub unseen: bool,
    #[serde(with = "stamp::text")]
    pub since: Stamp,
    #[serde(with = "stamp::text")]
    pub started: Stamp,
    #[serde(with = "stamp::text")]
    pub last_activity: Stamp,
    pub stale: bool,
    pub ended: Option<EndedView>,
    pub source: Source,
    pub hooks: bool,
    pub mode: String,
    pub role: Option<String>,
    pub attended: Option<bool>,
    pub kind: Option<String>,
    pub permission_mode: Option<String>,
    pub model: Option<String>,
    pub last_prompt: Option<String>,
    pub transcript: Option<String>,
    pub context_tokens: Option<u64>,
    /// In tokens.
    pub context_window: Option<u64>,
    pub context_percent: Option<f64>,
    pub cost_usd: Option<f64>,
    pub api_duration_ms: Option<u64>,
    pub lines_added: Option<u64>,
    pub lines_removed: Option<u64>,
    pub limits: Option<LimitsView>,
    pub background: Vec<TaskView>,
    pub children: Vec<ChildView>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TmuxView {
    pub socket: String,
    pub session: Option<String>,
}

/// Allowances of the account, as far as its client told them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitsView {
    pub five_hour: Option<LimitView>,
    pub seven_day: Option<LimitView>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitView {
    pub used_percent: f64,
    /// RFC 3339.
    pub resets_at: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedView {
    #[serde(with = "stamp::text")]
    pub at: Stamp,
    pub reason: String,
    pub lost: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskView {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub description: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildView {
    pub agent_id: String,
    pub agent_type: String,
    /// The subagent that started this one, if it was not the main thread.
    pub parent: Option<String>,
    pub status: Class,
    pub detail: Option<String>,
    #[serde(with = "stamp::text")]
    pub since: Stamp,
}

impl SessionView {
    pub fn of(session: &Session, host: &str, now: Stamp) -> SessionView {
        let about = &session.about;
        let place = session.place.as_ref().filter(|place| place.found != Found::Gone);
        let (window, tmux_session) = match place.map(|place| &place.found) {
            Some(Found::In { window, session }) => {
                (Some(window.to_string()), Some(session.clone()))
            }
            _ => (None, None),
        };
        let status = StatusWords::of(session.status());
        let reading = session.reading();
        SessionView {
            id: session.conversation.to_string(),
            key: session.key.to_string(),
            agent: session.agent.clone(),
            host: host.to_owned(),
            pid: session.process.as_ref().map(|process| process.pid),
            pane: place.map(|place| place.pane.to_string()),
            window,
            tmux: place
                .map(|place| TmuxView { socket: place.socket.clone(), session: tmux_session }),
            cwd: about.cwd.clone(),
            session_dir: about.session_dir.clone(),
            name: about.name.clone(),
            title: about.title.clone(),
            managed_id: session.managed.clone(),
            lineage: session.lineage.iter().map(ToString::to_string).collect(),
            status: session.class(),
            why: status.why,
            detail: status.detail,
            subject: status.subject,
            reason: status.reason,
            unseen: session.unseen.is_some(),
            since: session.since,
            started: session.started,
            last_activity: session.last_activity,
            stale: session.is_stale(now),
            ended: ended(session),
            source: source(session),
            hooks: session.has_hooks(),
            mode: mode(session),
            role: about.role.clone(),
            attended: about.attended,
            kind: about.kind.clone(),
            permission_mode: about.permission_mode.clone(),
            model: about.model.clone(),
            last_prompt: about.last_prompt.clone(),
            transcript: about.transcript.clone(),
            context_tokens: about.context_tokens,
            context_window: reading.and_then(|reading| reading.context_window),
            context_percent: context_percent(session),
            cost_usd: reading.and_then(|reading| reading.cost).map(|cost| cost as f64 / 1e6),
            api_duration_ms: reading.and_then(|reading| reading.api_duration_ms),
            lines_added: reading.and_then(|reading| reading.lines_added),
            lines_removed: reading.and_then(|reading| reading.lines_removed),
            limits: limits(session),
            background: background(session),
            children: session
                .facts
                .children
                .iter()
                .map(|child| child_view(session, child))
                .collect(),
        }
    }

    /// Sorts by who needs the user first: attention by longest wait, then what is finished and
    /// unseen, then working, idle, ended.
    pub fn urgency(&self) -> (u8, Stamp) {
        let rank = match (self.ended.is_some(), self.status, self.unseen) {
            (true, _, _) => 4,
            (_, Class::Attention, _) => 0,
            (_, Class::Idle, true) => 1,
            (_, Class::Working, _) => 2,
            (_, Class::Idle, false) => 3,
        };
        // Who waits wants the oldest first, what is over the newest.
        let order = if rank <= 1 { self.since } else { Stamp(-self.since.0) };
        (rank, order)
    }
}

#[derive(Default)]
struct StatusWords {
    why: Option<String>,
    detail: Option<String>,
    subject: Option<String>,
    reason: Option<String>,
}

impl StatusWords {
    fn of(status: &Status) -> StatusWords {
        use crate::session::status::Reason;
        match status {
            Status::Idle { why } => StatusWords { why: Some(why.to_string()), ..Self::default() },
            Status::Working { detail: Detail::Unknown } => StatusWords::default(),
            Status::Working { detail } => StatusWords {
                detail: Some(detail.to_string()),
                subject: match detail {
                    Detail::Tool { subject, .. } => subject.clone(),
                    Detail::Unknown
                    | Detail::Thinking
                    | Detail::Compacting
                    | Detail::Setup
                    | Detail::Background { .. } => None,
                },
                ..Self::default()
            },
            Status::Attention { reason } => StatusWords {
                reason: Some(reason.to_string()),
                subject: match reason {
                    Reason::Permission { subject, .. } | Reason::Question { subject, .. } => {
                        subject.clone()
                    }
                    Reason::Elicitation { .. } | Reason::Dialog { .. } => None,
                },
                ..Self::default()
            },
        }
    }
}

fn ended(session: &Session) -> Option<EndedView> {
    match &session.life {
        Life::Live => None,
        Life::Ended { at, reason } => {
            Some(EndedView { at: *at, reason: reason.clone(), lost: false })
        }
        Life::Lost { at } => Some(EndedView { at: *at, reason: "lost".to_owned(), lost: true }),
    }
}

/// As the status line told; after a newer answer in the transcript, what that makes of the window,
/// rounded as the client does. Without a status line it stays unknown: how large the window is
/// depends on the plan and on options, and no other source tells it (the same `claude-opus-5-5` has
/// one of a million in o_statusline.jsonl).
fn context_percent(session: &Session) -> Option<f64> {
    let reading = session.reading()?;
    if session.about.context_tokens == reading.context_tokens {
        return reading.context.map(|used| f64::from(used) / 100.0);
    }
    let (tokens, window) = (session.about.context_tokens?, reading.context_window?);
    Some((tokens as f64 / window as f64 * 100.0).round().min(100.0))
}

fn limits(session: &Session) -> Option<LimitsView> {
    let reading = session.reading()?;
    let view = |limit: &Limit| LimitView {
        used_percent: f64::from(limit.used) / 100.0,
        resets_at: limit.resets_at.map(|at| at.to_string()),
    };
    let (five_hour, seven_day) = (reading.five_hour.as_ref(), reading.seven_day.as_ref());
    (five_hour.is_some() || seven_day.is_some())
        .then(|| LimitsView { five_hour: five_hour.map(view), seven_day: seven_day.map(view) })
}

fn source(session: &Session) -> Source {
    match session.life {
        Life::Lost { .. } => Source::Process,
        Life::Live | Life::Ended { .. } => session.verdict.source,
    }
}

pub(crate) fn mode(session: &Session) -> String {
    let about = &session.about;
    about.mode.clone().unwrap_or_else(|| match about.kind.as_deref() {
        Some("bg") => "background".to_owned(),
        _ => "interactive".to_owned(),
    })
}

fn background(session: &Session) -> Vec<TaskView> {
    let view = |task: &crate::hook::event::Task| TaskView {
        id: task.id.clone(),
        kind: task.kind.clone(),
        description: task.description.clone(),
    };
    session.facts.tasks.iter().map(view).collect()
}

fn child_view(session: &Session, child: &Child) -> ChildView {
    let asked = session.facts.asks.iter().any(|ask| ask.agent.as_ref() == Some(&child.id));
    let asks = asked && session.class() == Class::Attention;
    let tool = Children::tool(&child.id, &session.facts.tools);
    ChildView {
        agent_id: child.id.to_string(),
        agent_type: child.kind.clone(),
        parent: child.parent.as_ref().map(ToString::to_string),
        status: match child.state {
            _ if asks => Class::Attention,
            ChildState::Working => Class::Working,
            ChildState::Idle => Class::Idle,
        },
        detail: tool.map(|tool| tool.name.clone()),
        since: child.since,
    }
}
