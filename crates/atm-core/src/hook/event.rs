//! What a hook event means to us. Field names and values as recorded from Claude Code 2.1.325
//! (`fixtures/recordings`); an event we do not know is kept by name and changes nothing.

use serde::{Deserialize, Serialize};

use super::wire::WireHook;
use crate::ids::{AgentId, ConversationId, PromptId, ToolUseId};
use crate::text::clean;

/// Longest piece of foreign text kept in a session.
const MAX_TEXT: usize = 300;

#[derive(Clone, Debug, PartialEq)]
pub struct Hook {
    pub conversation: Option<ConversationId>,
    pub transcript: Option<String>,
    pub cwd: Option<String>,
    pub prompt: Option<PromptId>,
    pub permission_mode: Option<String>,
    /// Set on every event that a subagent fired.
    pub agent: Option<AgentId>,
    /// Without `agent` it names the main thread of a `--agent` session or a teammate.
    pub agent_type: Option<String>,
    pub kind: HookKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum HookKind {
    SessionStart { source: StartSource, model: Option<String>, title: Option<String> },
    SessionEnd { reason: String },
    Setup,
    UserPromptSubmit { prompt: String, author: Author },
    UserPromptExpansion,
    PreToolUse(ToolCall),
    PostToolUse { call: ToolCall, spawned: Option<AgentId> },
    PostToolUseFailure(ToolCall),
    PostToolBatch { calls: Vec<ToolUseId> },
    PermissionRequest(ToolCall),
    PermissionDenied(ToolCall),
    Notification { kind: Notice, name: String, message: String },
    Stop { tasks: Vec<Task>, crons: usize },
    StopFailure { error: String },
    SubagentStart,
    SubagentStop,
    TeammateIdle,
    PreCompact { trigger: Trigger },
    PostCompact { trigger: Trigger },
    Elicitation { server: String, message: String },
    ElicitationResult { server: String },
    PreModelSwitch,
    PostModelSwitch { model: Option<String> },
    CwdChanged { cwd: Option<String> },
    TaskCreated,
    TaskCompleted,
    ConfigChange,
    WorktreeCreate,
    WorktreeRemove,
    InstructionsLoaded,
    FileChanged,
    DirectoryAdded,
    MessageDisplay,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartSource {
    Startup,
    Resume,
    Clear,
    Compact,
    Fork,
    Other,
}

/// Who wrote a prompt: the client wakes itself with `<task-notification>` (l1_subagent.jsonl).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Author {
    Human,
    Client,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    Manual,
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    PermissionPrompt,
    IdlePrompt,
    ElicitationDialog,
    NeedsInput,
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// Absent on PermissionRequest (c_permission_approved.jsonl): joined by name and input.
    pub id: Option<ToolUseId>,
    pub name: String,
    /// The telling part of the input: a command, a path, a question.
    pub subject: Option<String>,
    /// Equal for equal inputs.
    pub input: u64,
}

/// Background work that a Stop lists (`background_tasks`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub status: String,
    #[serde(default)]
    pub description: String,
}

/// The event's name for logs and the `events` table; empty if the payload names none.
pub fn event_name(wire: &WireHook<'_>) -> String {
    clean(&wire.text("hook_event_name").unwrap_or_default(), 80)
}

impl Hook {
    pub fn decode(wire: &WireHook<'_>) -> Hook {
        Hook {
            conversation: ConversationId::known(wire.text("session_id")),
            transcript: wire.text("transcript_path"),
            cwd: wire.text("cwd"),
            prompt: wire.text("prompt_id").map(|id| PromptId::new(&id)),
            permission_mode: short(wire, "permission_mode"),
            agent: wire.text("agent_id").map(|id| AgentId::new(&id)),
            agent_type: wire.get::<String>("agent_type").map(|t| clean(&t, MAX_TEXT)),
            kind: decode_kind(wire),
        }
    }
}

fn decode_kind(wire: &WireHook<'_>) -> HookKind {
    match event_name(wire).as_str() {
        "PreToolUse" => HookKind::PreToolUse(tool_call(wire)),
        "PostToolUse" => HookKind::PostToolUse {
            call: tool_call(wire),
            spawned: wire.text_in("tool_response", "agentId").map(|id| AgentId::new(&id)),
        },
        "PostToolUseFailure" => HookKind::PostToolUseFailure(tool_call(wire)),
        "PostToolBatch" => HookKind::PostToolBatch { calls: batch(wire) },
        "PermissionRequest" => HookKind::PermissionRequest(tool_call(wire)),
        "PermissionDenied" => HookKind::PermissionDenied(tool_call(wire)),
        "Notification" => {
            let name = line(wire, "notification_type");
            HookKind::Notification { kind: notice(wire), name, message: line(wire, "message") }
        }
        "UserPromptSubmit" => prompt(wire),
        "SessionStart" => HookKind::SessionStart {
            source: start_source(wire),
            model: short(wire, "model"),
            title: short(wire, "session_title"),
        },
        "SessionEnd" => HookKind::SessionEnd { reason: line(wire, "reason") },
        "Stop" => HookKind::Stop { tasks: tasks(wire), crons: crons(wire) },
        "StopFailure" => HookKind::StopFailure { error: line(wire, "error") },
        "PreCompact" => HookKind::PreCompact { trigger: trigger(wire) },
        "PostCompact" => HookKind::PostCompact { trigger: trigger(wire) },
        "Elicitation" => HookKind::Elicitation {
            server: line(wire, "mcp_server_name"),
            message: line(wire, "message"),
        },
        "ElicitationResult" => {
            HookKind::ElicitationResult { server: line(wire, "mcp_server_name") }
        }
        "PostModelSwitch" => HookKind::PostModelSwitch { model: short(wire, "to_model") },
        "CwdChanged" => HookKind::CwdChanged { cwd: wire.text("new_cwd") },
        name => plain_kind(name),
    }
}

/// Events of which only the name and the common fields matter.
fn plain_kind(name: &str) -> HookKind {
    match name {
        "UserPromptExpansion" => HookKind::UserPromptExpansion,
        "Setup" => HookKind::Setup,
        "SubagentStart" => HookKind::SubagentStart,
        "SubagentStop" => HookKind::SubagentStop,
        "TeammateIdle" => HookKind::TeammateIdle,
        "PreModelSwitch" => HookKind::PreModelSwitch,
        "TaskCreated" => HookKind::TaskCreated,
        "TaskCompleted" => HookKind::TaskCompleted,
        "ConfigChange" => HookKind::ConfigChange,
        "WorktreeCreate" => HookKind::WorktreeCreate,
        "WorktreeRemove" => HookKind::WorktreeRemove,
        "InstructionsLoaded" => HookKind::InstructionsLoaded,
        "FileChanged" => HookKind::FileChanged,
        "DirectoryAdded" => HookKind::DirectoryAdded,
        "MessageDisplay" => HookKind::MessageDisplay,
        _ => HookKind::Unknown,
    }
}

fn short(wire: &WireHook<'_>, field: &str) -> Option<String> {
    wire.text(field).map(|text| clean(&text, MAX_TEXT)).filter(|text| !text.is_empty())
}

fn line(wire: &WireHook<'_>, field: &str) -> String {
    short(wire, field).unwrap_or_default()
}

fn tool_call(wire: &WireHook<'_>) -> ToolCall {
    let raw = wire.raw("tool_input").unwrap_or("{}");
    ToolCall {
        id: wire.text("tool_use_id").map(|id| ToolUseId::new(&id)),
        name: line(wire, "tool_name"),
        subject: WireHook::decode(raw).ok().and_then(|input| subject(&input)),
        input: fingerprint(raw),
    }
}

fn subject(input: &WireHook<'_>) -> Option<String> {
    #[derive(Deserialize)]
    struct Question {
        question: String,
    }
    let asked = input.get::<Vec<Question>>("questions").and_then(|all| all.into_iter().next());
    asked
        .map(|q| clean(&q.question, MAX_TEXT))
        .or_else(|| {
            [
                "command",
                "file_path",
                "notebook_path",
                "description",
                "pattern",
                "url",
                "query",
                "skill",
            ]
            .iter()
            .find_map(|field| short(input, field))
        })
        .filter(|text| !text.is_empty())
}

/// FNV-1a: only equality of two texts of one session matters.
pub(crate) fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn batch(wire: &WireHook<'_>) -> Vec<ToolUseId> {
    #[derive(Deserialize)]
    struct Call {
        tool_use_id: ToolUseId,
    }
    let calls = wire.get::<Vec<serde_json::Value>>("tool_calls").unwrap_or_default();
    calls.into_iter().filter_map(|c| Call::deserialize(c).ok()).map(|c| c.tool_use_id).collect()
}

fn notice(wire: &WireHook<'_>) -> Notice {
    match wire.text("notification_type").unwrap_or_default().as_str() {
        "permission_prompt" | "worker_permission_prompt" => Notice::PermissionPrompt,
        "idle_prompt" => Notice::IdlePrompt,
        "elicitation_dialog" | "elicitation_url_dialog" => Notice::ElicitationDialog,
        "agent_needs_input" => Notice::NeedsInput,
        _ => Notice::Other,
    }
}

fn prompt(wire: &WireHook<'_>) -> HookKind {
    let text = wire.text("prompt").unwrap_or_default();
    let is_client = text.trim_start().starts_with("<task-notification>");
    let author = if is_client { Author::Client } else { Author::Human };
    HookKind::UserPromptSubmit { prompt: clean(&text, MAX_TEXT), author }
}

fn start_source(wire: &WireHook<'_>) -> StartSource {
    match wire.text("source").unwrap_or_default().as_str() {
        "startup" => StartSource::Startup,
        "resume" => StartSource::Resume,
        "clear" => StartSource::Clear,
        "compact" => StartSource::Compact,
        "fork" => StartSource::Fork,
        _ => StartSource::Other,
    }
}

fn trigger(wire: &WireHook<'_>) -> Trigger {
    match wire.text("trigger").unwrap_or_default().as_str() {
        "manual" => Trigger::Manual,
        _ => Trigger::Auto,
    }
}

/// Tasks that a Stop reports as running.
fn tasks(wire: &WireHook<'_>) -> Vec<Task> {
    let listed = wire.get::<Vec<serde_json::Value>>("background_tasks").unwrap_or_default();
    listed
        .into_iter()
        .filter_map(|value| Task::deserialize(value).ok())
        .filter(|task| task.status.is_empty() || task.status == "running")
        .take(100)
        .map(|task| Task {
            id: clean(&task.id, 80),
            kind: clean(&task.kind, 40),
            status: clean(&task.status, 40),
            description: clean(&task.description, MAX_TEXT),
        })
        .collect()
}

fn crons(wire: &WireHook<'_>) -> usize {
    wire.get::<Vec<serde_json::Value>>("session_crons").map_or(0, |list| list.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(json: &str) -> HookKind {
        Hook::decode(&WireHook::decode(json).unwrap()).kind
    }

    #[test]
    fn event_unknown_name_is_kept_as_unknown() {
        assert_eq!(kind(r#"{"hook_event_name":"BrandNew","x":1}"#), HookKind::Unknown);
        assert_eq!(kind("{}"), HookKind::Unknown);
    }

    #[test]
    fn prompt_of_the_client_itself_is_told_from_a_humans() {
        let json =
            r#"{"hook_event_name":"UserPromptSubmit","prompt":"<task-notification>\n<task-id>a"}"#;
        assert!(matches!(kind(json), HookKind::UserPromptSubmit { author: Author::Client, .. }));
        let json = r#"{"hook_event_name":"UserPromptSubmit","prompt":"hi"}"#;
        assert!(matches!(kind(json), HookKind::UserPromptSubmit { author: Author::Human, .. }));
    }

    #[test]
    fn stop_with_one_broken_task_keeps_the_others() {
        let json = r#"{"hook_event_name":"Stop","background_tasks":[7,{"id":"b","type":"shell",
            "status":"running"},{"id":"c","type":"shell","status":"completed"}],"session_crons":"?"}"#;
        let HookKind::Stop { tasks, crons } = kind(json) else { panic!("a Stop") };
        assert_eq!((tasks.len(), tasks[0].id.as_str(), crons), (1, "b", 0));
    }

    #[test]
    fn tool_call_shows_what_it_is_about() {
        let json = r#"{"hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_use_id":"t",
            "tool_input":{"questions":[{"question":"Which colour?"}]}}"#;
        let HookKind::PreToolUse(call) = kind(json) else { panic!("a PreToolUse") };
        assert_eq!(call.subject.as_deref(), Some("Which colour?"));
    }
}
