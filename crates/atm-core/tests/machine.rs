//! Properties that hold for every list of events, however absurd: nothing panics, no session is
//! lost, every status is one that its facts support, and a stored machine goes on as if nothing
//! had happened.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;

use atm_core::effect::Effect;
use atm_core::event::{Event, Heard, Pane, SeenFile};
use atm_core::hook::Hook;
use atm_core::hook::event::event_name;
use atm_core::hook::wire::WireHook;
use atm_core::ids::{PaneId, WindowId};
use atm_core::machine::Machine;
use atm_core::record::{Origin, Process};
use atm_core::session::status::{Class, Why};
use atm_core::session::{Key, Session};
use atm_core::session_file::{FileStatus, SessionFile};
use atm_core::stamp::Stamp;
use atm_core::statusline::{Feed, StatusLine};
use atm_core::transcript::Note;
use atm_core::view::SessionView;
use proptest::prelude::*;
use serde_json::{Value, json};

const EVENTS: [&str; 34] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
    "NotYetInvented",
];

/// One thing that happens, small enough that things meet: two processes, few ids.
#[derive(Clone, Debug)]
enum Happening {
    Hook { payload: Value, pid: i32, lag: i64 },
    File { pid: i32, status: Option<FileStatus>, lag: i64, id: &'static str },
    FileGone { pid: i32 },
    ProcessGone { pid: i32 },
    Note { pid: i32, note: u8 },
    Feed { pid: i32, id: &'static str, figure: u8, lag: i64 },
    Panes { known: bool },
    Seen { pid: i32 },
    Wait { millis: i64 },
}

fn payload() -> impl Strategy<Value = Value> {
    let ids = prop::sample::select(vec!["s1", "s2", ""]);
    let prompts = prop::sample::select(vec![json!("p1"), json!("p2"), json!(7), Value::Null]);
    let agents = prop::sample::select(vec![Value::Null, Value::Null, json!("a1"), json!("a2")]);
    let kinds = prop::sample::select(vec![
        json!("startup"),
        json!("clear"),
        json!("resume"),
        json!("compact"),
        json!("other"),
        json!("manual"),
        json!("auto"),
        json!([]),
    ]);
    let tools = prop::sample::select(vec!["Bash", "Agent", "AskUserQuestion", "Edit"]);
    let notices = prop::sample::select(vec![
        "permission_prompt",
        "idle_prompt",
        "elicitation_dialog",
        "agent_needs_input",
        "?",
    ]);
    let tasks = prop::sample::select(vec![
        json!([]),
        json!([{"id": "a1", "type": "subagent", "status": "running"}]),
        json!([{"id": "b", "type": "shell", "status": "running"}, 3]),
        json!("none"),
    ]);
    let parts = (prop::sample::select(EVENTS.to_vec()), ids, prompts, agents, kinds);
    (parts, tools, 0..3_u8, notices, tasks).prop_map(|(parts, tool, call, notice, tasks)| {
        let (event, id, prompt, agent, kind) = parts;
        json!({
            "hook_event_name": event, "session_id": id, "prompt_id": prompt, "agent_id": agent,
            "agent_type": if call == 2 { "" } else { "Explore" }, "source": kind, "reason": kind,
            "trigger": kind, "tool_name": tool, "tool_use_id": format!("t{call}"),
            "tool_input": {"command": "ls", "n": call % 2}, "tool_calls": [{"tool_use_id": "t0"}],
            "tool_response": {"agentId": "a2"}, "notification_type": notice, "message": "m",
            "background_tasks": tasks, "session_crons": [], "mcp_server_name": "srv",
            "error": "rate_limit", "prompt": "hi", "cwd": "/p",
        })
    })
}

fn happening() -> impl Strategy<Value = Happening> {
    let pid = 1..3_i32;
    let status = prop::sample::select(vec![
        None,
        Some(FileStatus::Idle),
        Some(FileStatus::Busy),
        Some(FileStatus::Waiting),
        Some(FileStatus::Shell),
    ]);
    let id = prop::sample::select(vec!["s1", "s2"]);
    prop_oneof![
        12 => (payload(), pid.clone(), -3_000..100_i64)
            .prop_map(|(payload, pid, lag)| Happening::Hook { payload, pid, lag }),
        4 => (pid.clone(), status, -3_000..100_i64, id)
            .prop_map(|(pid, status, lag, id)| Happening::File { pid, status, lag, id }),
        1 => pid.clone().prop_map(|pid| Happening::FileGone { pid }),
        1 => pid.clone().prop_map(|pid| Happening::ProcessGone { pid }),
        1 => (pid.clone(), any::<u8>()).prop_map(|(pid, note)| Happening::Note { pid, note }),
        1 => (pid.clone(), prop::sample::select(vec!["s1", "s2", ""]), any::<u8>(), -3_000..100_i64)
            .prop_map(|(pid, id, figure, lag)| Happening::Feed { pid, id, figure, lag }),
        1 => any::<bool>().prop_map(|known| Happening::Panes { known }),
        1 => pid.prop_map(|pid| Happening::Seen { pid }),
        4 => (0..15_000_i64).prop_map(|millis| Happening::Wait { millis }),
    ]
}

struct World {
    machine: Machine,
    now: Stamp,
    created: BTreeSet<Key>,
    forgotten: BTreeSet<Key>,
}

impl World {
    fn new() -> World {
        let now = Stamp(1_000_000);
        let (created, forgotten) = (BTreeSet::new(), BTreeSet::new());
        World { machine: Machine::default(), now, created, forgotten }
    }

    fn play(&mut self, happening: &Happening) {
        match happening {
            Happening::Wait { millis } => self.pass(*millis),
            _ => {
                self.pass(10);
                if let Some(event) = self.event(happening) {
                    self.handle(event);
                }
            }
        }
    }

    /// Lets time go by as the daemon does: with a tick at every deadline on the way.
    fn pass(&mut self, millis: i64) {
        let until = Stamp(self.now.0 + millis);
        for _ in 0..50 {
            let Some(due) = self.machine.deadline().filter(|due| *due <= until) else { break };
            self.now = self.now.max(due);
            self.handle(Event::Tick);
        }
        self.now = until;
    }

    fn handle(&mut self, event: Event) {
        for effect in self.machine.handle(event, self.now) {
            match effect {
                Effect::WatchProcess(key, _) => drop(self.created.insert(key)),
                Effect::Forgotten(key) => drop(self.forgotten.insert(key)),
                Effect::Changed(key) | Effect::Moved(key, _) => {
                    assert!(self.machine.get(&key).is_some(), "an effect for nobody: {key}");
                }
                _ => {}
            }
        }
    }

    fn key(&self, pid: i32) -> Option<Key> {
        let of_pid = |s: &&Session| s.process.as_ref().is_some_and(|p| p.pid == pid);
        self.machine.sessions().find(of_pid).map(|session| session.key.clone())
    }

    fn event(&self, happening: &Happening) -> Option<Event> {
        let at = |lag: &i64| Stamp(self.now.0 + lag);
        Some(match happening {
            Happening::Hook { payload, pid, lag } => heard(&payload.to_string(), *pid, at(lag)),
            Happening::File { pid, status, lag, id } => {
                let file = json!({"pid": pid, "sessionId": id, "procStart": "9", "kind": "interactive",
                    "updatedAt": at(lag).0, "statusUpdatedAt": at(lag).0, "status": status});
                let file = SessionFile::parse(&file.to_string()).unwrap();
                Event::SessionFile(Box::new(SeenFile { file, tmux: None, config_dir: None }))
            }
            Happening::FileGone { pid } => Event::SessionFileGone { pid: *pid },
            Happening::ProcessGone { pid } => Event::ProcessGone { key: self.key(*pid)? },
            Happening::Note { pid, note } => {
                let note = match note % 4 {
                    0 => Note::Interrupted { at: self.now },
                    1 => Note::Failed { at: self.now, why: Why::Limited },
                    2 => Note::Title { title: "t".into() },
                    _ => Note::Answer { model: "m".into(), context_tokens: 1 },
                };
                Event::Transcript { key: self.key(*pid)?, note }
            }
            Happening::Feed { pid, id, figure, lag } => {
                let input = json!({"session_id": id, "cost": {"total_cost_usd": figure},
                    "context_window": {"used_percentage": figure, "context_window_size": 100}});
                let line = StatusLine::decode(input.to_string().as_bytes()).unwrap();
                let process = Some(Process { pid: *pid, start: Some(9) });
                Event::StatusLine(Box::new(Feed { v: 1, ts: at(lag), process, line }))
            }
            Happening::Panes { known } => Event::Panes {
                socket: "/tmp/t".into(),
                server: Some(8),
                panes: known.then(pane).into_iter().collect(),
            },
            Happening::Seen { pid } => Event::Seen { key: self.key(*pid)? },
            Happening::Wait { .. } => return None,
        })
    }
}

fn pane() -> Pane {
    Pane { id: PaneId::new("%1"), window: WindowId::new("@1"), session: "main".into() }
}

fn heard(payload: &str, pid: i32, ts: Stamp) -> Event {
    let wire = WireHook::decode(payload).unwrap();
    let origin = Origin {
        agent: "claude".into(),
        process: Some(Process { pid, start: Some(9) }),
        tmux: Some("/tmp/t,8,0".into()),
        pane: Some(format!("%{pid}")),
        ..Origin::default()
    };
    let (name, hook) = (event_name(&wire), Hook::decode(&wire));
    Event::Hook(Box::new(Heard { ts, name, origin, hook }))
}

/// What a status must have to stand on.
fn is_supported(session: &Session) -> bool {
    let facts = &session.facts;
    let file = facts.file.as_ref().map(|file| file.status);
    match session.class() {
        Class::Attention => !facts.asks.is_empty() || file == Some(FileStatus::Waiting),
        Class::Working => {
            facts.turn.is_some()
                || facts.compacting.is_some()
                || facts.setup.is_some()
                || facts.handover.is_some()
                || facts.busy_tasks().next().is_some()
                || facts.children.working().next().is_some()
                || file == Some(FileStatus::Busy)
        }
        Class::Idle => {
            let open = facts.turn.is_some() || !facts.asks.is_empty() || facts.compacting.is_some();
            !open || matches!(file, Some(FileStatus::Idle | FileStatus::Shell))
        }
    }
}

fn check(world: &World) {
    for key in &world.created {
        let is_kept = world.machine.get(key).is_some() || world.forgotten.contains(key);
        assert!(is_kept, "session {key} is lost");
    }
    for session in world.machine.sessions().filter(|session| session.is_live()) {
        assert!(is_supported(session), "{:?} on {:#?}", session.verdict, session.facts);
        let due = session.verdict.until;
        assert!(due.is_none_or(|due| due > world.now), "a deadline was missed: {due:?}");
        // Every view can be built from every state.
        let view = SessionView::of(session, "h", world.now);
        assert!(serde_json::to_string(&view).is_ok());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn machine_survives_any_list_of_events(list in prop::collection::vec(happening(), 0..60)) {
        let mut world = World::new();
        for happening in &list {
            world.play(happening);
            check(&world);
        }
    }

    #[test]
    fn machine_stored_and_restored_goes_on_as_if_it_had_never_stopped(
        list in prop::collection::vec(happening(), 0..40), at in 0..40_usize,
    ) {
        let (mut through, mut broken) = (World::new(), World::new());
        for (n, happening) in list.iter().enumerate() {
            if n == at {
                let rows: Vec<String> =
                    broken.machine.sessions().map(|s| serde_json::to_string(s).unwrap()).collect();
                broken.machine =
                    Machine::restore(rows.iter().map(|row| serde_json::from_str(row).unwrap()));
            }
            through.play(happening);
            broken.play(happening);
        }
        let all = |world: &World| world.machine.sessions().cloned().collect::<Vec<_>>();
        prop_assert_eq!(all(&through), all(&broken));
    }

    #[test]
    fn machine_told_everything_twice_comes_to_the_same_status(
        list in prop::collection::vec((payload(), 0..1_500_i64), 0..25),
    ) {
        let (mut once, mut twice) = (Machine::default(), Machine::default());
        let mut now = Stamp(1_000_000);
        for (payload, wait) in &list {
            now = Stamp(now.0 + wait + 1);
            let event = heard(&payload.to_string(), 1, now);
            drop(once.handle(event.clone(), now));
            drop(twice.handle(event.clone(), now));
            drop(twice.handle(event, now));
        }
        let show = |m: &Machine| -> Vec<(Class, bool)> {
            m.sessions().map(|s| (s.class(), s.is_live())).collect()
        };
        prop_assert_eq!(show(&once), show(&twice));
    }

    #[test]
    fn process_gone_leaves_no_live_session(list in prop::collection::vec(happening(), 0..40)) {
        let mut world = World::new();
        for happening in &list {
            world.play(happening);
        }
        for pid in 1..3 {
            world.play(&Happening::ProcessGone { pid });
        }
        prop_assert!(world.machine.sessions().all(|session| !session.is_live()));
    }

    #[test]
    fn decoder_survives_any_json(value in any_json(), event in prop::sample::select(EVENTS.to_vec())) {
        let mut object = json!({"hook_event_name": event});
        if let (Value::Object(all), Value::Object(more)) = (&mut object, value) {
            all.extend(more);
        }
        let text = object.to_string();
        let wire = WireHook::decode(&text).unwrap();
        drop(Hook::decode(&wire));
        drop(SessionFile::parse(&text));
        drop(atm_core::transcript::read(text.as_bytes()));
    }

    #[test]
    fn decoder_survives_any_bytes(bytes: Vec<u8>) {
        let text = String::from_utf8_lossy(&bytes);
        drop(WireHook::decode(&text).map(|wire| Hook::decode(&wire)));
        drop(SessionFile::parse(&text));
        drop(atm_core::transcript::read(&bytes));
        drop(atm_core::record::Record::decode(&bytes));
    }
}

/// Objects whose fields have our names and any value at all.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
    ];
    let name = prop::sample::select(vec![
        "session_id",
        "tool_input",
        "tool_response",
        "agentId",
        "background_tasks",
        "questions",
        "question",
        "prompt",
        "prompt_id",
        "agent_id",
        "type",
        "message",
        "pid",
        "sessionId",
        "status",
        "tool_calls",
        "content",
        "usage",
        "text",
        "timestamp",
    ]);
    let value = leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map(name.clone(), inner, 0..6)
                .prop_map(|map| map.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    });
    value.prop_filter("an object", Value::is_object)
}
