//! Views for tests, at a fixed time.

use atm_core::explain::{Explanation, FactView, StepView};
use atm_core::session::derive::Source;
use atm_core::session::status::Class;
use atm_core::stamp::Stamp;
use atm_core::view::{ChildView, EndedView, SessionView, TaskView, TmuxView};

use crate::screen::{Charset, Colour, Screen};

pub(crate) const NOW: Stamp = Stamp(1_794_769_560_000);
pub(crate) const HOME: &str = "/home/u";

pub(crate) fn screen(width: Option<usize>) -> Screen {
    Screen { width, colour: Colour::Off, charset: Charset::Utf8 }
}

pub(crate) fn ago(seconds: i64) -> Stamp {
    Stamp(NOW.0 - seconds * 1000)
}

pub(crate) fn view(id: &str, status: Class, seconds: i64) -> SessionView {
    SessionView {
        id: format!("{id}-0000-4000-8000-000000000000"),
        key: format!("key-{id}"),
        agent: "claude".into(),
        host: "box".into(),
        pid: Some(4242),
        pane: Some("%3".into()),
        window: Some("@1".into()),
        tmux: Some(TmuxView {
            socket: "/tmp/tmux-1000/default".into(),
            session: Some("main".into()),
        }),
        cwd: Some("/home/u/src/web".into()),
        session_dir: Some("/home/u/src/web".into()),
        name: None,
        title: None,
        managed_id: None,
        lineage: vec![],
        status,
        why: None,
        detail: None,
        subject: None,
        reason: None,
        unseen: false,
        since: ago(seconds),
        started: ago(seconds + 60),
        last_activity: ago(seconds),
        stale: false,
        ended: None,
        source: Source::Hook,
        hooks: true,
        mode: "interactive".into(),
        role: None,
        attended: Some(true),
        kind: None,
        permission_mode: Some("default".into()),
        model: Some("sonnet".into()),
        last_prompt: Some("fix the login".into()),
        transcript: None,
        context_tokens: None,
        context_window: None,
        context_percent: None,
        cost_usd: None,
        api_duration_ms: None,
        lines_added: None,
        lines_removed: None,
        limits: None,
        background: vec![],
        children: vec![],
    }
}

pub(crate) fn asking() -> SessionView {
    SessionView {
        name: Some("login".into()),
        reason: Some("Permission: Bash".into()),
        subject: Some("rm -rf build".into()),
        ..view("aaaaaaaa", Class::Attention, 240)
    }
}

pub(crate) fn working() -> SessionView {
    let child = |id: &str, parent: Option<&str>, status| ChildView {
        agent_id: id.into(),
        agent_type: "Explore".into(),
        parent: parent.map(Into::into),
        status,
        detail: Some("Grep".into()),
        since: ago(20),
    };
    SessionView {
        title: Some("日本語の題".into()),
        detail: Some("Task".into()),
        pane: None,
        tmux: None,
        children: vec![
            child("child-one", None, Class::Working),
            child("grandchild", Some("child-one"), Class::Attention),
        ],
        background: vec![TaskView {
            id: "t1".into(),
            kind: "shell".into(),
            description: "npm run dev".into(),
        }],
        ..view("bbbbbbbb", Class::Working, 3720)
    }
}

/// One of each state, not in order.
pub(crate) fn fleet() -> Vec<SessionView> {
    let idle = |id: &str, seconds| SessionView {
        why: Some("done".into()),
        cwd: Some(HOME.into()),
        ..view(id, Class::Idle, seconds)
    };
    let ended = EndedView { at: ago(90_000), reason: "logout".into(), lost: false };
    vec![
        idle("cccccccc", 59),
        working(),
        SessionView { unseen: true, ..idle("dddddddd", 130) },
        SessionView { ended: Some(ended), ..idle("eeeeeeee", 100_000) },
        asking(),
    ]
}

pub(crate) const HOSTILE: &str = "x\x1b[2J\x1b]0;t\x07\u{9b}31m\r\n\t\u{7f}\u{202e}y\0";

/// Something to act on in every field that holds text.
pub(crate) fn hostile() -> SessionView {
    let text = || Some(HOSTILE.to_owned());
    SessionView {
        id: HOSTILE.into(),
        key: HOSTILE.into(),
        agent: HOSTILE.into(),
        host: HOSTILE.into(),
        pane: text(),
        window: text(),
        tmux: Some(TmuxView { socket: HOSTILE.into(), session: text() }),
        cwd: text(),
        session_dir: text(),
        name: text(),
        title: text(),
        managed_id: text(),
        lineage: vec![HOSTILE.into()],
        why: text(),
        detail: text(),
        subject: Some(format!("{HOSTILE} more")),
        reason: text(),
        mode: HOSTILE.into(),
        role: text(),
        kind: text(),
        permission_mode: text(),
        model: text(),
        last_prompt: text(),
        transcript: text(),
        background: vec![TaskView {
            id: HOSTILE.into(),
            kind: HOSTILE.into(),
            description: HOSTILE.into(),
        }],
        children: vec![ChildView {
            agent_id: HOSTILE.into(),
            agent_type: HOSTILE.into(),
            parent: text(),
            status: Class::Working,
            detail: text(),
            since: NOW,
        }],
        ..view("ffffffff", Class::Attention, 1)
    }
}

pub(crate) fn explanation(session: SessionView, text: &str) -> Explanation {
    let fact = |source, seconds| FactView {
        what: format!("unanswered: {text}"),
        source,
        at: ago(seconds),
    };
    let step = |seconds, overruled| StepView {
        at: ago(seconds),
        from: "idle: done".into(),
        to: format!("attention: {text}"),
        cause: "PermissionRequest".into(),
        source: Source::Hook,
        overruled,
    };
    Explanation {
        session,
        because: format!("hooks say attention: {text}"),
        facts: vec![fact(Source::Hook, 240), fact(Source::SessionFile, 250)],
        overruled: Some(fact(Source::SessionFile, 250)),
        history: vec![step(600, None), step(240, Some(format!("working {text}")))],
    }
}

/// Every line of what a person would see is free of what a terminal acts on.
pub(crate) fn assert_harmless(shown: &str) {
    let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!shown.chars().any(acts), "{shown:?}");
}
