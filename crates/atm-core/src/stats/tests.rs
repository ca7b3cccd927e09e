//! Expected numbers are worked out by hand from the steps.

use super::*;
use crate::notify::{Occasion, Step as Turn};

const MINUTE: i64 = 60_000;

fn step(key: &str, minute: i64, from: &str, to: &str) -> Step {
    Step {
        key: key.into(),
        session: format!("id-{key}"),
        at: Stamp(minute * MINUTE),
        from: from.into(),
        to: to.into(),
        directory: format!("/p/{}", &key[..1]),
        name: String::new(),
    }
}

fn note(key: &str, minute: i64, verdict: Verdict, count: usize) -> Record {
    Record {
        at: Stamp(minute * MINUTE),
        key: key.into(),
        session: String::new(),
        name: String::new(),
        event: Occasion::Attention,
        reason: String::new(),
        since: Stamp(0),
        step: Turn::First,
        verdict,
        why: String::new(),
        channels: Vec::new(),
        count,
    }
}

fn day(at: Stamp) -> String {
    format!("day {}", at.0 / (100 * MINUTE))
}

const ASK: &str = "attention: Permission: Bash";

#[test]
fn waits_run_from_the_question_to_the_answer() {
    let steps = vec![
        step("a1", 10, "working", ASK),
        step("a1", 12, ASK, "attention: Permission: Edit"),
        step("a1", 14, "attention: Permission: Edit", "working: Edit"),
        step("a2", 150, "working", ASK),
        step("a2", 160, ASK, "ended: other"),
        step("b1", 5, ASK, "idle: interrupted"),
        step("b1", 190, "idle: done", "attention: Dialog open"),
    ];
    let past = Past { steps, notifications: Vec::new() };
    let stats = compute(&past, Stamp(0), Stamp(200 * MINUTE), &day);
    let minutes = |ms: u64| ms / 60_000;
    let waits: Vec<_> =
        stats.longest.iter().map(|w| (w.session.as_str(), minutes(w.ms), w.end)).collect();
    assert_eq!(
        waits,
        [
            ("id-a2", 10, End::Abandoned),
            ("id-b1", 10, End::StillWaiting),
            ("id-b1", 5, End::Answered),
            ("id-a1", 4, End::Answered),
        ]
    );
    assert_eq!(minutes(stats.waiting_ms), 29);
    assert_eq!((stats.responses.count, minutes(stats.responses.median_ms)), (1, 4));
    let of = |shares: &[Share]| -> Vec<(String, usize, u64)> {
        shares.iter().map(|s| (s.of.clone(), s.waits, minutes(s.ms))).collect()
    };
    assert_eq!(of(&stats.projects), [("/p/b".into(), 2, 15), ("/p/a".into(), 2, 14)]);
    assert_eq!(of(&stats.days), [("day 0".into(), 2, 9), ("day 1".into(), 2, 20)]);
    assert_eq!(stats.longest[3].reason, "Permission: Bash");
}

#[test]
fn responses_are_told_by_nearest_rank() {
    let stats = responses((1..=10).map(|n| n * 1000).collect());
    let expected = Responses {
        count: 10,
        average_ms: 5500,
        median_ms: 5000,
        p90_ms: 9000,
        longest_ms: 10_000,
    };
    assert_eq!(stats, expected);
    assert_eq!(responses(Vec::new()), Responses::default());
}

#[test]
fn message_about_several_sessions_counts_once() {
    let notifications = vec![
        note("a", 1, Verdict::Sent, 2),
        note("b", 1, Verdict::Sent, 2),
        note("c", 1, Verdict::Sent, 1),
        note("d", 1, Verdict::Sent, 1),
        note("a", 9, Verdict::Withheld, 1),
        note("a", 9, Verdict::Failed, 1),
    ];
    let told = told(&notifications, Stamp(0), Stamp(120 * MINUTE));
    assert_eq!((told.sent, told.withheld, told.failed), (3, 1, 1));
    assert!((told.per_hour - 1.5).abs() < 1e-9);
    assert_eq!(told.by_event.get("attention"), Some(&3));
}
