//! Stories of false states: what other monitors got wrong, what reviewers thought up, and what
//! slow, doubled, reordered or missing reports can do. Each says what is true and when.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use atm_core::event::{Event, Heard, SeenFile};
use atm_core::hook::Hook;
use atm_core::hook::event::event_name;
use atm_core::hook::wire::WireHook;
use atm_core::machine::Machine;
use atm_core::record::{Origin, Process};
use atm_core::session::Session;
use atm_core::session::status::Why;
use atm_core::session_file::SessionFile;
use atm_core::stamp::Stamp;
use atm_core::transcript::Note;
use serde_json::{Value, json};

const START: i64 = 1_800_000_000_000;

/// One session of process 7; times are milliseconds since `START`.
struct Story {
    machine: Machine,
    now: i64,
}

impl Story {
    fn new() -> Story {
        Story { machine: Machine::default(), now: 0 }
    }

    /// A session that is in the turn of prompt `p1` since 1 s, file and hooks agreeing.
    fn in_turn() -> Story {
        let mut story = Story::new();
        story.hook(500, "SessionStart", json!({"source": "startup"}));
        story.file(600, "idle");
        story.hook(1_000, "UserPromptSubmit", json!({"prompt_id": "p1", "prompt": "go"}));
        story.file(1_050, "busy");
        story
    }

    /// The same without any session file.
    fn in_turn_without_file() -> Story {
        let mut story = Story::new();
        story.hook(1_000, "UserPromptSubmit", json!({"prompt_id": "p1", "prompt": "go"}));
        story
    }

    fn wait_until(&mut self, at: i64) {
        while let Some(due) = self.machine.deadline().filter(|due| due.0 <= START + at) {
            self.now = self.now.max(due.0 - START);
            drop(self.machine.handle(Event::Tick, Stamp(START + self.now)));
        }
        self.now = at;
    }

    fn handle(&mut self, event: Event) {
        drop(self.machine.handle(event, Stamp(START + self.now)));
    }

    /// A hook that started at `at` and is read at once.
    fn hook(&mut self, at: i64, name: &str, more: Value) {
        self.late_hook(at, at, name, more);
    }

    fn late_hook(&mut self, read_at: i64, at: i64, name: &str, more: Value) {
        self.wait_until(read_at);
        let mut payload = json!({"hook_event_name": name, "session_id": "s1", "cwd": "/p"});
        if let (Value::Object(all), Value::Object(more)) = (&mut payload, more) {
            all.extend(more);
        }
        let payload = payload.to_string();
        let wire = WireHook::decode(&payload).unwrap();
        let process = Some(Process { pid: 7, start: Some(9) });
        let origin = Origin { agent: "claude".into(), process, ..Origin::default() };
        let (name, hook) = (event_name(&wire), Hook::decode(&wire));
        self.handle(Event::Hook(Box::new(Heard { ts: Stamp(START + at), name, origin, hook })));
    }

    fn file(&mut self, at: i64, status: &str) {
        self.wait_until(at);
        let file = json!({"pid": 7, "sessionId": "s1", "procStart": "9", "kind": "interactive",
            "status": status, "statusUpdatedAt": START + at, "updatedAt": START + at,
            "waitingFor": (status == "waiting").then_some("permission prompt")});
        let file = SessionFile::parse(&file.to_string()).unwrap();
        self.handle(Event::SessionFile(Box::new(SeenFile { file, tmux: None, config_dir: None })));
    }

    fn note(&mut self, at: i64, note: Note) {
        self.wait_until(at);
        let key = self.session().key.clone();
        self.handle(Event::Transcript { key, note });
    }

    fn session(&self) -> &Session {
        self.machine.sessions().next().unwrap()
    }

    #[track_caller]
    fn is(&mut self, at: i64, truth: &str) {
        self.wait_until(at);
        let shown = self.session().summary();
        assert!(shown.starts_with(truth), "at {at} ms: shown {shown}, true {truth}");
    }

    fn is_unseen(&self) -> bool {
        self.session().unseen.is_some()
    }
}

fn bash(id: &str, command: &str) -> Value {
    json!({"prompt_id": "p1", "tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command}})
}

fn request(command: &str) -> Value {
    json!({"prompt_id": "p1", "tool_name": "Bash", "tool_input": {"command": command}})
}

fn stop(prompt: &str) -> Value {
    json!({"prompt_id": prompt, "background_tasks": [], "session_crons": []})
}

fn agent(mut payload: Value, id: &str) -> Value {
    payload["agent_id"] = json!(id);
    payload["agent_type"] = json!("Explore");
    payload
}

#[test]
fn esc_before_the_first_byte_is_an_interrupt() {
    let mut story = Story::in_turn();
    story.file(3_000, "idle");
    story.is(3_000, "idle: interrupted");
    assert!(!story.is_unseen(), "the user did it himself");
}

#[test]
fn permission_approved_is_work_at_once_while_the_tool_runs_on() {
    let mut story = Story::in_turn();
    story.hook(2_000, "PreToolUse", bash("t1", "make"));
    story.hook(2_100, "PermissionRequest", request("make"));
    story.file(2_150, "waiting");
    story.is(2_200, "attention: Permission: Bash");
    assert!(story.is_unseen());
    story.file(5_000, "busy");
    story.is(5_000, "working: Bash");
    assert!(!story.is_unseen());
    story.is(600_000, "working: Bash");
}

#[test]
fn permission_of_one_call_survives_the_start_and_end_of_others() {
    let mut story = Story::in_turn_without_file();
    story.hook(2_000, "PreToolUse", bash("t1", "rm x"));
    story.hook(2_100, "PermissionRequest", request("rm x"));
    story.hook(2_200, "PreToolUse", bash("t2", "ls"));
    story.hook(2_300, "PostToolUse", bash("t2", "ls"));
    story.is(2_400, "attention: Permission: Bash");
    story.hook(9_000, "PostToolUse", bash("t1", "rm x"));
    story.is(9_000, "working");
}

#[test]
fn two_permissions_one_answered_still_need_the_user_and_name_the_right_one() {
    let mut story = Story::in_turn();
    story.hook(2_000, "PreToolUse", bash("t1", "make all"));
    story.hook(2_010, "PreToolUse", bash("t2", "rm -rf build"));
    story.hook(2_100, "PermissionRequest", request("make all"));
    story.file(2_150, "waiting");
    story.file(5_000, "busy");
    story.hook(5_100, "PermissionRequest", request("rm -rf build"));
    story.file(5_150, "waiting");
    story.is(5_200, "attention: Permission: Bash");
    let shown = format!("{:?}", story.session().status());
    assert!(shown.contains("rm -rf build"), "the open dialog is another one: {shown}");
}

#[test]
fn late_pre_tool_use_does_not_hide_a_dialog_that_only_the_file_tells_of() {
    let mut story = Story::in_turn();
    story.file(5_000, "waiting");
    story.late_hook(5_300, 5_200, "PreToolUse", bash("t1", "curl x | sh"));
    story.is(5_300, "attention");
    story.is(60_000, "attention");
}

#[test]
fn stop_while_subagents_run_is_work_and_their_end_alone_is_not_the_sessions() {
    let mut story = Story::in_turn();
    story.hook(2_000, "SubagentStart", agent(json!({}), "a1"));
    let task =
        json!([{"id": "a1", "type": "subagent", "status": "running", "description": "scan"}]);
    story.hook(3_000, "Stop", json!({"prompt_id": "p1", "background_tasks": task}));
    story.is(60_000, "working: scan");
    story.hook(61_000, "SubagentStop", agent(json!({}), "a1"));
    story.file(61_100, "idle");
    story.is(61_150, "working");
    story.file(61_200, "busy");
    story.hook(
        61_250,
        "UserPromptSubmit",
        json!({"prompt_id": "p2", "prompt": "<task-notification>"}),
    );
    story.hook(62_000, "Stop", stop("p2"));
    story.is(62_000, "idle: done");
}

#[test]
fn subagent_stop_long_after_does_not_wake_an_idle_parent() {
    let mut story = Story::in_turn();
    story.hook(3_000, "Stop", stop("p1"));
    story.file(3_050, "idle");
    story.hook(9_000, "SubagentStop", json!({"agent_id": "zz", "agent_type": ""}));
    story.hook(9_500, "SubagentStop", agent(json!({}), "a9"));
    story.is(9_500, "idle: done");
}

#[test]
fn subagent_permission_outlives_the_stop_of_the_main_thread() {
    let mut story = Story::in_turn_without_file();
    story.hook(2_000, "SubagentStart", agent(json!({}), "a1"));
    story.hook(2_100, "PreToolUse", agent(bash("t9", "touch x"), "a1"));
    story.hook(2_200, "PermissionRequest", agent(request("touch x"), "a1"));
    let task = json!([{"id": "a1", "type": "subagent", "status": "running"}]);
    story.hook(2_300, "Stop", json!({"prompt_id": "p1", "background_tasks": task}));
    story.is(2_400, "attention: Permission: Bash (Explore)");
}

#[test]
fn background_shell_leaves_the_session_idle() {
    let mut story = Story::in_turn();
    let task =
        json!([{"id": "b1", "type": "shell", "status": "running", "description": "dev server"}]);
    story.hook(3_000, "Stop", json!({"prompt_id": "p1", "background_tasks": task}));
    story.file(3_050, "shell");
    story.is(600_000, "idle: done");
    assert_eq!(story.session().facts.tasks.len(), 1);
}

#[test]
fn scheduled_wakeups_are_no_end() {
    let mut story = Story::in_turn();
    story.hook(3_000, "Stop", json!({"prompt_id": "p1", "session_crons": [{"id": "c"}]}));
    story.is(3_000, "idle: scheduled");
}

#[test]
fn rate_limit_and_errors_are_told_apart() {
    for (error, truth) in
        [("rate_limit", "idle: limited"), ("server_error", "idle: error: server_error")]
    {
        let mut story = Story::in_turn();
        story.hook(3_000, "StopFailure", json!({"prompt_id": "p1", "error": error}));
        story.file(3_050, "idle");
        story.is(3_100, truth);
        assert!(story.is_unseen());
    }
}

#[test]
fn async_idle_notice_of_an_older_turn_does_not_end_the_newer_one() {
    let mut story = Story::in_turn_without_file();
    story.hook(3_000, "Stop", stop("p1"));
    story.hook(62_900, "UserPromptSubmit", json!({"prompt_id": "p2", "prompt": "more"}));
    let notice =
        json!({"prompt_id": "p1", "notification_type": "idle_prompt", "message": "waiting"});
    story.hook(63_000, "Notification", notice);
    story.is(63_000, "working");
}

#[test]
fn idle_notice_of_this_turn_ends_a_silent_interrupt() {
    let mut story = Story::in_turn_without_file();
    let notice =
        json!({"prompt_id": "p1", "notification_type": "idle_prompt", "message": "waiting"});
    story.hook(70_000, "Notification", notice);
    story.is(70_000, "idle: interrupted");
}

#[test]
fn clear_is_one_session_going_on_idle() {
    let mut story = Story::in_turn();
    story.hook(3_000, "Stop", stop("p1"));
    story.hook(4_000, "SessionEnd", json!({"reason": "clear"}));
    story.hook(4_100, "SessionStart", json!({"source": "clear", "session_id": "s2"}));
    story.is(4_100, "idle: fresh");
    assert_eq!(story.machine.sessions().count(), 1);
    assert_eq!(story.session().conversation.as_str(), "s2");
    assert_eq!(story.session().lineage[0].as_str(), "s1");
}

#[test]
fn setup_is_work_until_the_session_starts() {
    let mut story = Story::new();
    story.hook(100, "Setup", json!({"trigger": "init"}));
    story.is(5_000, "working: Setup");
    story.hook(6_000, "SessionStart", json!({"source": "startup"}));
    story.is(6_000, "idle: fresh");
    story.late_hook(6_100, 100, "Setup", json!({"trigger": "init"}));
    story.is(6_100, "idle: fresh");
}

#[test]
fn manual_compaction_has_no_stop_and_ends_all_the_same() {
    let mut story = Story::in_turn_without_file();
    story.hook(3_000, "Stop", stop("p1"));
    story.hook(4_000, "PreCompact", json!({"trigger": "manual"}));
    story.is(4_500, "working: Compacting");
    story.hook(9_000, "SessionStart", json!({"source": "compact"}));
    story.hook(9_100, "PostCompact", json!({"trigger": "manual"}));
    story.is(9_100, "idle: compacted");
}

#[test]
fn automatic_compaction_without_its_end_goes_on_as_work() {
    let mut story = Story::in_turn_without_file();
    story.hook(2_000, "PreCompact", json!({"trigger": "auto"}));
    story.is(2_000, "working: Compacting");
    story.hook(3_000, "PreToolUse", bash("t1", "ls"));
    story.is(3_000, "working: Bash");
}

#[test]
fn stop_that_another_hook_blocks_is_work_again() {
    let mut story = Story::in_turn();
    story.hook(10_000, "Stop", stop("p1"));
    story.is(40_000, "working");
    story.hook(60_000, "Stop", json!({"prompt_id": "p1", "stop_hook_active": true}));
    story.file(60_100, "idle");
    story.is(60_100, "idle: done");
    assert!(story.is_unseen());
}

#[test]
fn file_idle_seen_before_its_stop_is_a_finish_and_news() {
    let mut story = Story::in_turn();
    story.file(10_100, "idle");
    story.late_hook(10_200, 10_000, "Stop", stop("p1"));
    story.is(10_200, "idle: done");
    assert!(story.is_unseen());
}

#[test]
fn file_that_no_longer_follows_is_not_believed_against_hooks() {
    let mut story = Story::new();
    story.hook(10, "SessionStart", json!({"source": "startup"}));
    story.file(50, "idle");
    story.hook(1_000, "UserPromptSubmit", json!({"prompt_id": "p1", "prompt": "go"}));
    story.hook(4_000, "PreToolUse", bash("t1", "make"));
    story.is(9_000, "working: Bash");
    story.hook(20_000, "PermissionRequest", request("make"));
    story.is(90_000, "attention: Permission: Bash");
    story.file(95_000, "busy");
    story.is(95_000, "working: Bash");
}

#[test]
fn file_taken_away_leaves_the_word_to_the_hooks() {
    let mut story = Story::in_turn();
    story.handle(Event::SessionFileGone { pid: 7 });
    story.hook(2_000, "PermissionRequest", request("make"));
    story.is(90_000, "attention: Permission: Bash");
}

#[test]
fn clock_set_back_between_turns_changes_nothing() {
    let mut story = Story::in_turn();
    story.hook(10_000, "Stop", stop("p1"));
    story.file(10_100, "idle");
    let back = -3_600_000;
    story.now = back;
    story.hook(back, "UserPromptSubmit", json!({"prompt_id": "p2", "prompt": "more"}));
    story.is(back, "working");
    story.file(back + 100, "busy");
    story.hook(back + 2_000, "PreToolUse", bash("t1", "ls"));
    story.hook(back + 2_100, "PermissionRequest", request("ls"));
    story.file(back + 2_150, "waiting");
    story.is(back + 60_000, "attention");
}

#[test]
fn clock_set_back_while_a_dialog_is_open_does_not_keep_it_open() {
    let mut story = Story::in_turn();
    story.hook(2_000, "PreToolUse", bash("t1", "ls"));
    story.hook(2_100, "PermissionRequest", request("ls"));
    story.file(2_150, "waiting");
    let back = -3_600_000;
    story.now = back;
    story.file(back + 50, "idle");
    story.is(back + 60_000, "idle: interrupted");
    story.hook(back + 61_000, "UserPromptSubmit", json!({"prompt_id": "p2", "prompt": "x"}));
    story.is(back + 61_000, "working");
}

#[test]
fn late_stop_of_an_older_turn_does_not_end_the_newer_one() {
    let mut story = Story::in_turn_without_file();
    let wake = json!({"prompt_id": "p2", "prompt": "<task-notification>x"});
    story.hook(10_200, "UserPromptSubmit", wake);
    story.late_hook(10_300, 10_000, "Stop", stop("p1"));
    story.is(60_000, "working");
}

#[test]
fn old_error_in_the_transcript_does_not_rewrite_an_interrupt() {
    let mut story = Story::in_turn();
    story.file(5_000, "idle");
    let old = Note::Failed { at: Stamp(START - 7_200_000), why: Why::Limited };
    story.note(9_000, old);
    story.is(9_000, "idle: interrupted");
}

#[test]
fn new_prompt_of_an_old_client_without_ids_closes_the_dialog_it_left() {
    let mut story = Story::new();
    let call = json!({"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls"}});
    story.hook(1_000, "UserPromptSubmit", json!({"prompt": "go"}));
    story.hook(2_000, "PreToolUse", call);
    story.hook(
        2_100,
        "PermissionRequest",
        json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}),
    );
    story.is(2_200, "attention");
    story.hook(9_000, "UserPromptSubmit", json!({"prompt": "no, do this"}));
    story.is(30_000, "working");
}

#[test]
fn prompt_queued_while_text_streams_keeps_the_session_at_work_after_stop() {
    let mut story = Story::in_turn_without_file();
    story.hook(4_000, "UserPromptSubmit", json!({"prompt_id": "p1", "prompt": "and this"}));
    story.hook(7_000, "Stop", stop("p1"));
    story.hook(7_005, "Stop", stop("p1"));
    story.is(7_500, "working");
    story.hook(8_500, "Stop", stop("p2"));
    story.is(8_500, "idle: done");
}

#[test]
fn prompt_queued_while_a_tool_ran_is_part_of_that_turn() {
    let mut story = Story::in_turn_without_file();
    story.hook(2_000, "PreToolUse", bash("t1", "make"));
    story.hook(3_000, "UserPromptSubmit", json!({"prompt_id": "p1", "prompt": "and this"}));
    story.hook(5_000, "PostToolUse", bash("t1", "make"));
    story.hook(
        5_050,
        "PostToolBatch",
        json!({"prompt_id": "p1", "tool_calls": [{"tool_use_id": "t1"}]}),
    );
    story.hook(7_000, "Stop", stop("p1"));
    story.is(7_000, "idle: done");
}

#[test]
fn dialog_the_user_opened_himself_is_no_news() {
    let mut story = Story::in_turn();
    story.hook(3_000, "Stop", stop("p1"));
    story.file(3_050, "idle");
    let key = story.session().key.clone();
    story.handle(Event::Seen { key });
    story.file(9_000, "waiting");
    story.is(9_000, "attention");
    story.file(12_000, "idle");
    story.is(12_000, "idle: done");
    assert!(!story.is_unseen());
}

#[test]
fn late_permission_notice_after_an_interrupt_and_a_new_prompt_is_ignored() {
    let mut story = Story::in_turn_without_file();
    story.hook(9_000, "UserPromptSubmit", json!({"prompt_id": "p2", "prompt": "more"}));
    let notice =
        json!({"prompt_id": "p1", "notification_type": "permission_prompt", "message": "?"});
    story.late_hook(9_200, 8_900, "Notification", notice);
    story.is(60_000, "working");
}

#[test]
fn process_number_used_again_is_another_session() {
    let mut story = Story::in_turn();
    let file = json!({"pid": 7, "sessionId": "other", "procStart": "77", "status": "idle",
        "statusUpdatedAt": START + 9_000});
    let file = SessionFile::parse(&file.to_string()).unwrap();
    story.wait_until(9_000);
    story.handle(Event::SessionFile(Box::new(SeenFile { file, tmux: None, config_dir: None })));
    let mut all: Vec<String> = story.machine.sessions().map(Session::summary).collect();
    all.sort();
    assert_eq!(all, ["idle: fresh", "working: Thinking"]);
}

#[test]
fn events_after_the_end_do_not_bring_a_session_back() {
    let mut story = Story::in_turn();
    story.hook(3_000, "SessionEnd", json!({"reason": "prompt_input_exit"}));
    story.late_hook(3_500, 2_900, "Stop", stop("p1"));
    story.file(3_600, "idle");
    story.late_hook(6_000, 3_000, "SessionEnd", json!({"reason": "prompt_input_exit"}));
    story.is(6_000, "ended: prompt_input_exit");
    assert_eq!(story.machine.sessions().count(), 1);
}
