//! A hook event → changes of facts. Seed of the mapping: the table of statuses by event, with
//! the corrections that the recordings of the real client taught us.

use super::derive::Source;
use super::facts::{Compacting, Facts};
use super::status::{Reason, Why};
use crate::hook::event::{Author, Hook, HookKind, Notice, StartSource, ToolCall, Trigger};
use crate::ids::AgentId;
use crate::stamp::Stamp;

/// Tools that are a question to the user. EnterPlanMode is none: it returns at once.
const QUESTIONS: [&str; 2] = ["AskUserQuestion", "ExitPlanMode"];

impl Facts {
    /// Takes in what `hook` says of the work; life and identity are the session's.
    pub fn hear(&mut self, hook: &Hook, at: Stamp) {
        if let Some(agent) = &hook.agent {
            return self.hear_child(agent, hook, at);
        }
        match &hook.kind {
            HookKind::UserPromptSubmit { author, prompt } => {
                self.open_turn(hook.prompt.clone(), *author, prompt, at);
            }
            HookKind::PreToolUse(call) => {
                self.ensure_turn(hook.prompt.as_ref(), at);
                self.tool_begins(call, None, at);
            }
            HookKind::PostToolUse { call, spawned } => {
                self.ensure_turn(hook.prompt.as_ref(), at);
                self.tool_ends(call, None, at);
                self.spawned(call, spawned.as_ref(), None, at);
            }
            HookKind::PostToolUseFailure(call) | HookKind::PermissionDenied(call) => {
                self.ensure_turn(hook.prompt.as_ref(), at);
                self.tool_ends(call, None, at);
            }
            HookKind::PostToolBatch { calls } => {
                self.ensure_turn(hook.prompt.as_ref(), at);
                self.batch_ends(calls, None, at);
            }
            HookKind::PermissionRequest(call) => {
                self.doubt_file(hook.prompt.as_ref(), at);
                self.heard_at(at);
                self.ask_tool(call, None, permission(call, hook.agent_type.as_deref(), None), at);
            }
            HookKind::Stop { tasks, crons } => self.stop(hook, tasks.clone(), *crons, at),
            HookKind::StopFailure { error } => {
                self.close_turn(hook.prompt.as_ref(), failure(error), at);
                self.handover = None;
            }
            HookKind::SessionStart { source, .. } => self.start(*source, at),
            HookKind::PreCompact { trigger } => {
                self.heard_at(at);
                self.compacting = Some(Compacting { trigger: *trigger, at });
            }
            HookKind::PostCompact { trigger } => self.compacted(*trigger, at),
            HookKind::Elicitation { server, message } => {
                self.heard_at(at);
                let (server, message) = (server.clone(), message.clone());
                self.ask(Reason::Elicitation { server, message }, None, at);
            }
            HookKind::ElicitationResult { server } => self.elicitation_ends(server, at),
            HookKind::Notification { kind, message, .. } => self.notice(*kind, message, hook, at),
            // A child always comes with its id; without one there is nobody to speak of.
            HookKind::SubagentStart | HookKind::SubagentStop | HookKind::TeammateIdle => {}
            // Before the session starts; a report that comes after it is late.
            HookKind::Setup => self.setup = (self.heard == Stamp::default()).then_some(at),
            HookKind::SessionEnd { .. }
            | HookKind::UserPromptExpansion
            | HookKind::PreModelSwitch
            | HookKind::PostModelSwitch { .. }
            | HookKind::CwdChanged { .. }
            | HookKind::TaskCreated
            | HookKind::TaskCompleted
            | HookKind::ConfigChange
            | HookKind::WorktreeCreate
            | HookKind::WorktreeRemove
            | HookKind::InstructionsLoaded
            | HookKind::FileChanged
            | HookKind::DirectoryAdded
            | HookKind::MessageDisplay
            | HookKind::Unknown => {}
        }
    }

    /// Events of a subagent are the child's; they never open or close the main turn.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`hear` is the match that a new event breaks"
    )]
    fn hear_child(&mut self, agent: &AgentId, hook: &Hook, at: Stamp) {
        // Compaction's own helper reports under an empty type and is nobody's child.
        if hook.agent_type.as_deref() == Some("") {
            return;
        }
        let kind = hook.agent_type.as_deref();
        if matches!(hook.kind, HookKind::SubagentStop | HookKind::TeammateIdle) {
            return self.child_stops(agent, at);
        }
        self.children.works(agent, kind, at);
        match &hook.kind {
            HookKind::SubagentStart => self.child_of_open_call(agent),
            HookKind::PreToolUse(call) => self.tool_begins(call, Some(agent), at),
            HookKind::PostToolUse { call, spawned } => {
                self.tool_ends(call, Some(agent), at);
                self.spawned(call, spawned.as_ref(), Some(agent), at);
            }
            HookKind::PostToolUseFailure(call) | HookKind::PermissionDenied(call) => {
                self.tool_ends(call, Some(agent), at);
            }
            HookKind::PostToolBatch { calls } => self.batch_ends(calls, Some(agent), at),
            HookKind::PermissionRequest(call) => {
                self.ask_tool(call, Some(agent), permission(call, None, kind), at);
            }
            HookKind::Elicitation { server, message } => {
                let (server, message) = (server.clone(), message.clone());
                self.ask(Reason::Elicitation { server, message }, Some(agent), at);
            }
            HookKind::ElicitationResult { server } => self.elicitation_ends(server, at),
            _ => {}
        }
    }

    fn tool_begins(&mut self, call: &ToolCall, agent: Option<&AgentId>, at: Stamp) {
        self.tool_starts(call, agent, at);
        let is_open = call.id.is_none() || self.tools.iter().any(|tool| tool.id == call.id);
        if QUESTIONS.contains(&call.name.as_str()) && is_open {
            self.ask_tool(call, agent, permission(call, None, None), at);
        }
    }

    /// A child whose start comes while exactly one subagent has an Agent call open is that one's;
    /// the answer of the call names it for certain.
    fn child_of_open_call(&mut self, child: &AgentId) {
        let mut callers = self.tools.iter().filter(|tool| is_agent_tool(&tool.name));
        if let (Some(tool), None) = (callers.next(), callers.next())
            && let Some(parent) = tool.agent.clone()
        {
            self.children.adopt(child, &parent);
        }
    }

    fn spawned(
        &mut self,
        call: &ToolCall,
        child: Option<&AgentId>,
        parent: Option<&AgentId>,
        at: Stamp,
    ) {
        if let (Some(child), Some(parent)) = (child, parent)
            && is_agent_tool(&call.name)
        {
            if self.children.get(child).is_none() {
                self.children.works(child, None, at);
            }
            self.children.adopt(child, parent);
        }
    }

    fn stop(&mut self, hook: &Hook, tasks: Vec<crate::hook::event::Task>, crons: usize, at: Stamp) {
        let why = if crons > 0 { Why::Scheduled } else { Why::Done };
        if self.close_turn(hook.prompt.as_ref(), why, at) {
            let next = self.handover;
            // The list is the authority on what is left: a child it does not know has gone.
            let gone: Vec<AgentId> = self
                .children
                .working()
                .filter(|child| child.since < at && !lists(&tasks, &child.id))
                .map(|child| child.id.clone())
                .collect();
            for child in gone {
                self.child_stops(&child, at);
            }
            self.tasks = tasks;
            self.handover = next;
        }
    }

    fn start(&mut self, source: StartSource, at: Stamp) {
        match source {
            StartSource::Compact => self.heard_at(at),
            StartSource::Clear | StartSource::Resume | StartSource::Fork => {
                if at >= self.heard {
                    self.start_over(at);
                }
            }
            // A start of a process that has worked already is a late report.
            StartSource::Startup | StartSource::Other if self.heard == Stamp::default() => {
                self.start_over(at);
            }
            StartSource::Startup | StartSource::Other => {}
        }
    }

    fn compacted(&mut self, trigger: Trigger, at: Stamp) {
        self.compacting = None;
        self.heard_at(at);
        if trigger == Trigger::Manual {
            self.close_turn(None, Why::Compacted, at);
        }
    }

    fn notice(&mut self, kind: Notice, message: &str, hook: &Hook, at: Stamp) {
        match kind {
            // Six seconds after the dialog opened: only news if the request itself was missed.
            Notice::PermissionPrompt | Notice::ElicitationDialog | Notice::NeedsInput
                if at < self.proof => {}
            Notice::PermissionPrompt | Notice::ElicitationDialog if !self.asks.is_empty() => {}
            Notice::PermissionPrompt | Notice::ElicitationDialog | Notice::NeedsInput => {
                let is_late = self.turn.is_none() && self.children.working().next().is_none();
                if !is_late {
                    self.ask(Reason::Dialog { what: message.to_owned() }, None, at);
                }
            }
            // The client has waited a minute for a prompt. If a turn of that prompt still seems
            // open, its end was silent; a notice of an older turn is merely late.
            Notice::IdlePrompt => {
                let is_this_turn =
                    self.turn.as_ref().is_some_and(|turn| turn.prompt == hook.prompt);
                if is_this_turn && at >= self.heard {
                    self.rest(at, Source::Hook);
                }
            }
            Notice::Other => {}
        }
    }
}

fn is_agent_tool(name: &str) -> bool {
    matches!(name, "Agent" | "Task")
}

fn lists(tasks: &[crate::hook::event::Task], child: &AgentId) -> bool {
    let knows_id = tasks.iter().any(|task| task.id == child.as_str());
    // Teammates are listed under an id of their own (z5_tasks_teams.jsonl).
    knows_id || tasks.iter().any(|task| task.kind == "teammate")
}

fn permission(call: &ToolCall, thread: Option<&str>, agent: Option<&str>) -> Reason {
    if QUESTIONS.contains(&call.name.as_str()) {
        return Reason::Question { tool: call.name.clone(), subject: call.subject.clone() };
    }
    let agent = agent.or(thread).filter(|name| !name.is_empty()).map(str::to_owned);
    Reason::Permission { tool: call.name.clone(), subject: call.subject.clone(), agent }
}

fn failure(error: &str) -> Why {
    match error {
        "rate_limit" => Why::Limited,
        "" => Why::Error { kind: "unknown".to_owned() },
        kind => Why::Error { kind: kind.to_owned() },
    }
}

/// Whether a prompt proves that a person was at this session.
pub fn is_human(hook: &Hook) -> bool {
    matches!(hook.kind, HookKind::UserPromptSubmit { author: Author::Human, .. })
}
