//! What a hook event says, in one phrase.

use atm_core::hook::event::{Hook, HookKind, ToolCall};
use atm_core::hook::wire::WireHook;

pub(crate) fn gist(payload: &str) -> String {
    let Ok(wire) = WireHook::decode(payload) else { return String::new() };
    let hook = Hook::decode(&wire);
    let phrase = phrase(&hook.kind, &wire);
    match hook.agent {
        Some(agent) if phrase.is_empty() => format!("subagent {agent}"),
        Some(agent) => format!("{phrase} (subagent {agent})"),
        None => phrase,
    }
}

fn phrase(kind: &HookKind, wire: &WireHook<'_>) -> String {
    match kind {
        HookKind::PreToolUse(call)
        | HookKind::PostToolUse { call, .. }
        | HookKind::PostToolUseFailure(call)
        | HookKind::PermissionRequest(call)
        | HookKind::PermissionDenied(call) => tool(call),
        HookKind::UserPromptSubmit { prompt, .. } => prompt.clone(),
        HookKind::Notification { message, .. } => message.clone(),
        HookKind::SessionEnd { reason } => reason.clone(),
        HookKind::StopFailure { error } => error.clone(),
        HookKind::Elicitation { server, message } => format!("{server}: {message}"),
        _ => ["source", "trigger", "reason", "message"]
            .iter()
            .find_map(|field| wire.text(field))
            .unwrap_or_default(),
    }
}

fn tool(call: &ToolCall) -> String {
    match &call.subject {
        Some(subject) => format!("{}: {subject}", call.name),
        None => call.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::gist;

    #[test]
    fn gist_names_the_telling_part_of_each_event() {
        let cases = [
            (
                r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
                "Bash: ls",
            ),
            (r#"{"hook_event_name":"UserPromptSubmit","prompt":"fix it"}"#, "fix it"),
            (r#"{"hook_event_name":"SessionStart","source":"clear"}"#, "clear"),
            (r#"{"hook_event_name":"SubagentStop","agent_id":"a1"}"#, "subagent a1"),
            (r#"{"hook_event_name":"Future","thing":1}"#, ""),
            ("null", ""),
        ];
        for (payload, expected) in cases {
            assert_eq!(gist(payload), expected, "{payload}");
        }
    }
}
