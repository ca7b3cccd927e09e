//! From a recording to what a simulated agent does, step by step, at a pace that people can follow.

use serde_json::{Map, Value};

/// How much longer than in the recording everything takes.
const SLOWER: f64 = 2.5;
/// Seconds between two steps, at most: nobody likes to wait in a demonstration.
const PAUSE_MAX: f64 = 9.0;
/// Seconds that a finished or interrupted agent rests before its recording goes on.
const REST: f64 = 7.0;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// Seconds after the step before.
    pub(crate) pause: f64,
    pub(crate) act: Act,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Hook {
        event: String,
        payload: Map<String, Value>,
    },
    /// The client's session file is written.
    File(Map<String, Value>),
    FileGone,
    /// A person typed this.
    Typed(String),
    /// A person pressed this key.
    Pressed(String),
}

/// The steps of a recording; lines that mean nothing to an audience are left out.
pub(crate) fn parse(script: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut then = None;
    for line in script.lines() {
        let Ok(Value::Object(mut line)) = serde_json::from_str(line) else { continue };
        let Some(at) = line.get("ts").and_then(Value::as_f64) else { continue };
        let Some(act) = act(&mut line) else { continue };
        let recorded = (at - then.unwrap_or(at)).max(0.0);
        then = Some(at);
        let is_rest = matches!(act, Act::Typed(_)) && steps.iter().any(|step| is_stop(&step.act));
        let pause = (recorded * SLOWER).min(PAUSE_MAX).max(if is_rest { REST } else { 0.0 });
        steps.push(Step { pause, act });
    }
    steps
}

fn is_stop(act: &Act) -> bool {
    matches!(act, Act::Hook { event, .. } if event == "Stop")
}

fn act(line: &mut Map<String, Value>) -> Option<Act> {
    let event = line.get("event")?.as_str()?.to_owned();
    match event.as_str() {
        "#driver" => driver(line.get("note")?.as_str()?),
        "#session-file" => match line.remove("content") {
            Some(Value::Object(file)) => Some(Act::File(file)),
            Some(Value::Null) => Some(Act::FileGone),
            _ => None,
        },
        "statusLine" | "MessageDisplay" => None,
        _ => match line.remove("stdin") {
            Some(Value::Object(payload)) => Some(Act::Hook { event, payload }),
            _ => None,
        },
    }
}

fn driver(note: &str) -> Option<Act> {
    if let Some(words) = note.strip_prefix("type ") {
        return Some(Act::Typed(words.to_owned()));
    }
    note.strip_prefix("keys ").map(|key| Act::Pressed(key.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::cast::CAST;
    use super::*;

    fn names(steps: &[Step]) -> Vec<&str> {
        fn name(step: &Step) -> Option<&str> {
            match &step.act {
                Act::Hook { event, .. } => Some(event.as_str()),
                _ => None,
            }
        }
        steps.iter().filter_map(name).collect()
    }

    #[test]
    fn every_actor_starts_works_and_leaves() {
        for actor in &CAST {
            let steps = parse(&actor.script());
            let names = names(&steps);
            assert_eq!(names.first(), Some(&"SessionStart"), "{}", actor.name);
            assert_eq!(names.last(), Some(&"SessionEnd"), "{}", actor.name);
            assert!(names.contains(&"UserPromptSubmit"), "{}", actor.name);
        }
    }

    #[test]
    fn somebody_waits_for_a_permission_until_a_key_is_pressed() {
        let steps = parse(&super::super::cast::Actor::named("api").unwrap().script());
        let asked = |step: &Step| matches!(&step.act, Act::Hook { event, .. } if event == "PermissionRequest");
        let asked = steps.iter().position(asked).unwrap();
        let pressed = |step: &Step| step.act == Act::Pressed("Enter".into());
        let pressed = steps.iter().position(pressed).unwrap();
        assert!(asked < pressed);
        let wait: f64 = steps[asked + 1..=pressed].iter().map(|step| step.pause).sum();
        assert!(wait > 8.0, "{wait}");
    }
}
