//! What the status line's figures do to a session, and what they must not do.

#![expect(clippy::disallowed_methods, reason = "fixtures are files")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use atm_core::effect::Effect;
use atm_core::event::{Event, Heard};
use atm_core::hook::Hook;
use atm_core::hook::event::event_name;
use atm_core::hook::wire::WireHook;
use atm_core::machine::Machine;
use atm_core::record::{Origin, Process};
use atm_core::session::{Key, Session};
use atm_core::stamp::Stamp;
use atm_core::statusline::{FEED_VERSION, Feed, StatusLine};
use atm_core::transcript::Note;
use atm_core::view::SessionView;
use serde_json::{Value, json};

/// One session of process 7, conversation `s1`, started at 1 s and idle.
struct Story {
    machine: Machine,
}

impl Story {
    fn new() -> Story {
        let mut story = Story { machine: Machine::default() };
        story.hook(1_000, "SessionStart", "s1", &json!({"source": "startup"}));
        story
    }

    fn process() -> Process {
        Process { pid: 7, start: Some(9) }
    }

    fn hook(&mut self, at: i64, name: &str, id: &str, more: &Value) {
        let mut payload = json!({"hook_event_name": name, "session_id": id, "cwd": "/p"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let payload = payload.to_string();
        let wire = WireHook::decode(&payload).unwrap();
        let process = Some(Story::process());
        let origin = Origin { agent: "claude".into(), process, ..Origin::default() };
        let (name, hook) = (event_name(&wire), Hook::decode(&wire));
        let heard = Heard { ts: Stamp(at), name, origin, hook };
        drop(self.machine.handle(Event::Hook(Box::new(heard)), Stamp(at)));
    }

    fn feed(&mut self, at: i64, id: &str, percent: Option<u64>, cost: f64) -> Vec<Effect> {
        let usage = percent.map(|percent| json!({"input_tokens": percent * 2000}));
        let input = json!({"session_id": id, "cost": {"total_cost_usd": cost},
            "model": {"id": "m"}, "context_window":
            {"context_window_size": 200_000, "used_percentage": percent, "current_usage": usage}});
        self.feed_of(at, Some(Story::process()), &input)
    }

    fn feed_of(&mut self, at: i64, process: Option<Process>, input: &Value) -> Vec<Effect> {
        let line = StatusLine::decode(input.to_string().as_bytes()).unwrap();
        let feed = Feed { v: FEED_VERSION, ts: Stamp(at), process, line };
        self.machine.handle(Event::StatusLine(Box::new(feed)), Stamp(at))
    }

    fn answer(&mut self, at: i64, model: &str, context_tokens: u64) {
        let (key, model) = (self.session().key.clone(), model.to_owned());
        let note = Note::Answer { model, context_tokens };
        drop(self.machine.handle(Event::Transcript { key, note }, Stamp(at)));
    }

    fn session(&self) -> &Session {
        self.machine.sessions().next().unwrap()
    }

    fn view(&self) -> SessionView {
        SessionView::of(self.session(), "host", Stamp(1_000_000))
    }

    fn figures(&self) -> (Option<f64>, Option<f64>) {
        (self.view().context_percent, self.view().cost_usd)
    }
}

#[test]
fn feed_sets_what_is_shown_and_nothing_of_the_status() {
    let mut story = Story::new();
    story.hook(2_000, "UserPromptSubmit", "s1", &json!({"prompt": "go", "prompt_id": "p"}));
    story.hook(3_000, "Stop", "s1", &json!({"prompt_id": "p"}));
    let before = story.session().clone();
    assert!(before.unseen.is_some());
    let effects = story.feed(9_000_000, "s1", Some(45), 0.35);
    assert_eq!(effects, [Effect::Changed(before.key.clone())]);
    assert_eq!(story.figures(), (Some(45.0), Some(0.35)));
    let view = story.view();
    assert_eq!((view.model.as_deref(), view.context_window), (Some("m"), Some(200_000)));
    assert_eq!(view.context_tokens, Some(90_000));
    let after = story.session();
    assert_eq!((&after.facts, &after.verdict), (&before.facts, &before.verdict));
    assert_eq!((after.since, after.last_activity), (before.since, before.last_activity));
    assert_eq!((after.unseen, &after.history), (before.unseen, &before.history));
}

#[test]
fn feed_that_tells_the_same_again_is_no_change() {
    let mut story = Story::new();
    story.feed(2_000, "s1", Some(10), 0.1);
    assert_eq!(story.feed(3_000, "s1", Some(10), 0.1), []);
    assert_eq!(story.session().told.as_ref().unwrap().at, Stamp(3_000), "but it is newer");
}

#[test]
fn feed_that_is_older_or_cheaper_does_not_override() {
    let mut story = Story::new();
    story.feed(3_000, "s1", Some(20), 0.2);
    assert_eq!(story.feed(2_999, "s1", Some(10), 0.3), [], "older");
    assert_eq!(story.feed(3_001, "s1", Some(10), 0.1), [], "cheaper");
    assert_eq!(story.figures(), (Some(20.0), Some(0.2)));
    story.feed(3_001, "s1", None, 0.2);
    assert_eq!(story.figures(), (None, Some(0.2)), "compacted");
}

#[test]
fn clear_forgets_the_figures_and_takes_those_of_the_new_conversation() {
    let mut story = Story::new();
    story.feed(2_000, "s1", Some(50), 0.5);
    story.hook(3_000, "SessionStart", "s2", &json!({"source": "clear"}));
    assert_eq!(story.figures(), (None, None));
    assert_eq!(story.view().context_tokens, None);
    assert_eq!(story.feed(4_000, "s1", Some(50), 0.6), [], "a late one of the old conversation");
    assert_eq!(story.figures(), (None, None));
    story.feed(5_000, "s2", Some(1), 0.0);
    assert_eq!(story.figures(), (Some(1.0), Some(0.0)));
}

#[test]
fn feed_that_overtakes_the_hook_of_its_conversation_counts_from_then_on() {
    let mut story = Story::new();
    story.feed(2_000, "s1", Some(50), 0.5);
    assert_eq!(story.feed(3_000, "s2", Some(2), 0.01).len(), 1, "the old figures are history");
    assert_eq!(story.figures(), (None, None), "not yet");
    story.hook(3_500, "SessionStart", "s2", &json!({"source": "clear"}));
    assert_eq!(story.figures(), (Some(2.0), Some(0.01)));
}

#[test]
fn feed_of_an_unknown_or_ended_session_is_passed_over() {
    let mut story = Story::new();
    let input = json!({"session_id": "s9", "cost": {"total_cost_usd": 1}});
    assert_eq!(story.feed_of(2_000, None, &input), []);
    let other = Process { pid: 7, start: Some(10) };
    assert_eq!(story.feed_of(2_000, Some(other), &input), [], "the pid was used again");
    story.hook(3_000, "SessionEnd", "s1", &json!({"reason": "logout"}));
    assert_eq!(story.feed(4_000, "s1", Some(1), 1.0), []);
    assert_eq!((story.machine.sessions().count(), story.figures()), (1, (None, None)));
}

#[test]
fn feed_without_a_process_is_of_its_conversation() {
    let mut story = Story::new();
    let input = json!({"session_id": "s1", "cost": {"total_cost_usd": 1}});
    assert_eq!(story.feed_of(2_000, None, &input).len(), 1);
    assert_eq!(story.figures(), (None, Some(1.0)));
}

#[test]
fn answer_after_the_feed_counts_in_the_window_that_the_feed_told() {
    let mut story = Story::new();
    story.answer(1_500, "m", 90_000);
    assert_eq!(story.figures(), (None, None), "of a window of unknown size");
    story.feed(2_000, "s1", Some(20), 0.2);
    assert_eq!(story.figures().0, Some(20.0));
    story.answer(3_000, "m", 61_000);
    assert_eq!(story.figures().0, Some(31.0), "30.5, rounded");
    story.answer(4_000, "m", 900_000);
    assert_eq!(story.figures().0, Some(100.0));
}

#[test]
fn model_of_an_answer_keeps_the_variant_that_was_asked_for() {
    let mut story = Story::new();
    let input = json!({"session_id": "s1", "model": {"id": "claude-sonnet-4-5[1m]"}});
    story.feed_of(2_000, None, &input);
    story.answer(3_000, "claude-sonnet-4-5", 1);
    assert_eq!(story.view().model.as_deref(), Some("claude-sonnet-4-5[1m]"));
    story.answer(4_000, "claude-sonnet-4", 1);
    assert_eq!(story.view().model.as_deref(), Some("claude-sonnet-4"));
}

#[test]
fn clock_set_back_leaves_no_figures_of_the_future() {
    let mut story = Story::new();
    story.feed(1_000_000, "s1", Some(20), 0.2);
    story.feed(10_000, "s1", Some(30), 0.3);
    assert_eq!(story.figures(), (Some(30.0), Some(0.3)));
}

#[test]
fn session_stored_before_there_were_figures_can_be_read() {
    let mut story = Story::new();
    story.feed(2_000, "s1", Some(20), 0.2);
    let mut stored = serde_json::to_value(story.session()).unwrap();
    let same: Session = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(&same, story.session());
    stored.as_object_mut().unwrap().remove("told").unwrap();
    let old: Session = serde_json::from_value(stored).unwrap();
    assert_eq!((old.key, old.told), (Key::stored("7-9".into()), None));
}

#[test]
fn status_lines_of_all_recordings_are_understood() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recordings");
    let (mut seen, mut with_context) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let Ok(text) = fs::read_to_string(entry.unwrap().path()) else { continue };
        let records = text.lines().filter(|line| line.contains("\"statusLine\""));
        for record in records.filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            if record["event"] != "statusLine" {
                continue;
            }
            let input = &record["stdin"];
            let line = StatusLine::decode(input.to_string().as_bytes()).unwrap();
            assert_eq!(line.session.as_str(), input["session_id"].as_str().unwrap());
            assert!(line.model.is_some() && line.cwd.is_some() && line.reading.cost.is_some());
            let told = &input["context_window"];
            let used = told["used_percentage"].as_u64().map(|used| used * 100);
            assert_eq!(line.reading.context.map(u64::from), used);
            let tokens = used.and_then(|_| told["total_input_tokens"].as_u64());
            assert_eq!(line.reading.context_tokens, tokens, "{told}");
            seen += 1;
            with_context += usize::from(used.is_some());
        }
    }
    assert!(seen > 50 && with_context > 20, "{seen} {with_context}");
}
