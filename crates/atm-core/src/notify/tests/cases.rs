//! One wait after the other.

use super::*;

#[test]
fn wait_is_told_once_and_once_more_if_nobody_answers() {
    let mut room = Room::new("");
    room.becomes("a", working());
    room.becomes("a", asks("Bash"));
    assert_eq!(
        room.sent(secs(3600)),
        [(0, Step::First, "a".into()), (120, Step::Again, "a".into())]
    );
    assert_eq!(room.desk.deadline(), None, "nothing is left to wait for");
    assert_eq!(room.desk.last(), Some(&Key::stored("a".into())));
}

#[test]
fn wait_that_is_over_before_it_is_due_is_not_told() {
    let mut room = Room::new("notify.gather = '1s'");
    room.becomes("a", asks("Bash"));
    room.pass(Duration::from_millis(900));
    room.becomes("a", working());
    assert_eq!(room.sent(secs(3600)), []);
}

#[test]
fn wait_that_ends_while_tmux_is_asked_is_not_told() {
    let mut room = Room::new("");
    room.becomes("a", asks("Bash"));
    room.now = room.now.plus(secs(1));
    let asked = room.desk.take_due(&room.config, room.now);
    assert_eq!(asked.len(), 1);
    room.becomes("a", working());
    room.becomes("a", asks("Bash"));
    assert_eq!(room.decide(&asked), Decision::default(), "this is another wait");
    assert_eq!(room.sent(secs(10)), [(1, Step::First, "a".into())]);
}

#[test]
fn escalation_is_cancelled_by_the_answer() {
    let mut room = Room::new("");
    room.becomes("a", asks("Bash"));
    assert_eq!(room.sent(secs(119)).len(), 1);
    room.becomes("a", working());
    assert_eq!(room.sent(secs(3600)), []);
}

#[test]
fn escalation_goes_through_its_own_channels_and_can_be_off() {
    let mut room = Room::new("[notify]\nescalate = ['notify-send']\nescalate_after = '5m'");
    room.becomes("a", asks("Bash"));
    let orders = room.pass(secs(301)).orders;
    let channels: Vec<&[Channel]> = orders.iter().map(|o| o.channels.as_slice()).collect();
    assert_eq!(channels, [&[Channel::TmuxMessage], &[Channel::NotifySend]]);
    let mut room = Room::new("notify.escalate = []");
    room.becomes("a", asks("Bash"));
    assert_eq!(room.sent(secs(3600)), [(0, Step::First, "a".into())]);
}

#[test]
fn second_question_in_one_wait_is_not_told_again_but_moves_the_escalation() {
    let mut room = Room::new("");
    room.becomes("a", asks("Bash"));
    assert_eq!(room.sent(secs(100)).len(), 1);
    room.becomes("a", asks("Edit"));
    assert_eq!(room.sent(secs(3600)), [(220, Step::Again, "a".into())]);
}

#[test]
fn flapping_session_is_told_again_only_if_it_still_waits_later() {
    let mut room = Room::new("");
    let mut sent = Vec::new();
    for _ in 0..20 {
        room.becomes("a", asks("Bash"));
        sent.extend(room.sent(secs(1)));
        room.becomes("a", working());
        sent.extend(room.sent(secs(1)));
    }
    let expected = [(0, Step::First, "a".into()), (30, Step::First, "a".into())];
    assert_eq!(sent, expected, "twenty waits in forty seconds");
    room.becomes("a", asks("Bash"));
    assert_eq!(room.sent(secs(40)), [(60, Step::First, "a".into())], "it still waits then");
}

#[test]
fn finish_is_told_of_long_turns_that_nobody_has_looked_at() {
    let mut room = Room::new("");
    room.becomes("a", working());
    room.pass(secs(9));
    room.becomes("a", idle(Why::Done));
    assert_eq!(room.sent(secs(60)), [], "nine seconds are no long turn");
    room.becomes("a", working());
    room.pass(secs(5));
    room.becomes("a", asks("Bash"));
    room.becomes("a", working());
    room.pass(secs(5));
    room.becomes("a", idle(Why::Done));
    let orders = room.pass(secs(3600)).orders;
    assert_eq!((orders.len(), orders[0].occasion), (1, Occasion::Finish));
    let mut room = Room::new("notify.finish_after = '0s'");
    room.becomes("a", working());
    room.becomes("a", idle(Why::Done));
    room.session("a").unseen = None;
    assert_eq!(room.why(secs(60)), ["you have looked at it"]);
}

#[test]
fn errors_and_losses_are_told_and_the_users_own_doing_is_not() {
    let mut room = Room::new("");
    for (status, expected) in [
        (idle(Why::Error { kind: "overloaded".into() }), Some(Occasion::Error)),
        (idle(Why::Limited), Some(Occasion::Error)),
        (idle(Why::Interrupted), None),
        (idle(Why::Compacted), None),
    ] {
        room.becomes("a", working());
        room.becomes("a", status);
        let orders = room.pass(secs(60)).orders;
        assert_eq!(orders.first().map(|order| order.occasion), expected);
    }
    let at = room.now;
    room.ends("a", Life::Lost { at });
    assert_eq!(room.pass(secs(60)).orders[0].occasion, Occasion::Lost);
    room.ends("b", Life::Ended { at, reason: "exit".into() });
    assert_eq!(room.sent(secs(60)), []);
}

#[test]
fn news_from_while_nobody_listened_are_no_news_but_a_wait_is() {
    let mut room = Room::new("");
    room.becomes("a", working());
    room.pass(secs(60));
    room.becomes("a", idle(Why::Done));
    room.becomes("b", asks("Bash"));
    room.now = room.now.plus(secs(3600));
    let decision = room.pass(secs(1));
    assert_eq!(decision.records[0].why, "it happened while nobody listened, too long ago");
    assert_eq!(decision.orders[0].keys, [Key::stored("b".into())]);
}

#[test]
fn quiet_hours_put_waits_off_until_they_end() {
    let mut room = Room::new("[notify]\nquiet = ['22:00-07:00']\nescalate = []");
    room.minute = 23 * 60 + 30;
    room.becomes("a", asks("Bash"));
    room.becomes("b", working());
    assert_eq!(room.why(secs(20)), ["quiet hours"]);
    room.becomes("b", idle(Why::Done));
    assert_eq!(room.why(secs(7 * 3600)), ["quiet hours"]);
    let morning = room.pass(secs(3600));
    assert_eq!(morning.orders.len(), 2, "both wait still, and are of two kinds");
    let at = (morning.orders[0].records[0].at.0 - START.0) / SECOND / 60;
    assert_eq!(at, 450, "seven and a half hours later it is seven");
}

#[test]
fn quiet_hours_let_through_what_is_excepted() {
    let mut room = Room::new("[notify]\nquiet = ['22:00-07:00']\nquiet_except = ['attention']");
    room.minute = 3 * 60;
    room.becomes("a", asks("Bash"));
    assert_eq!(room.sent(secs(1)).len(), 1);
}

#[test]
fn muted_session_is_silent_until_it_is_unmuted() {
    let mut room = Room::new("");
    let key = Key::stored("a".into());
    room.desk.mute(key.clone(), Mute::Always);
    room.becomes("a", asks("Bash"));
    assert_eq!(room.why(secs(3600)), ["the session is muted"]);
    room.desk.unmute(&key, room.now);
    assert_eq!(room.sent(secs(1)).len(), 1, "it waits still");
    room.becomes("a", working());
    room.desk.unmute(&key, room.now);
    assert_eq!(room.sent(secs(60)), []);
}

#[test]
fn snoozed_session_is_told_when_the_snooze_is_over() {
    let mut room = Room::new("notify.escalate = []");
    let until = room.now.plus(secs(1800));
    room.desk.mute(Key::stored("a".into()), Mute::Until(until));
    room.becomes("a", asks("Bash"));
    assert_eq!(room.why(secs(1799)), ["the session is snoozed"]);
    assert_eq!(room.sent(secs(10)), [(1800, Step::First, "a".into())]);
}

#[test]
fn many_at_once_are_told_as_one() {
    let mut room = Room::new("");
    for name in ["a", "b", "c", "d"] {
        room.becomes(name, asks("Bash"));
        room.now = room.now.plus(Duration::from_millis(50));
    }
    let orders = room.pass(secs(1)).orders;
    assert_eq!(orders.len(), 1);
    assert_eq!(orders[0].keys.iter().map(Key::as_str).collect::<String>(), "abcd");
    assert!(orders[0].records.iter().all(|record| record.count == 4));
    let mut room = Room::new("notify.together = 5");
    for name in ["a", "b", "c", "d"] {
        room.becomes(name, asks("Bash"));
    }
    assert_eq!(room.sent(secs(1)).len(), 4);
}

#[test]
fn more_than_the_limit_in_a_minute_are_gathered_until_there_is_room() {
    let mut room = Room::new("[notify]\nper_minute = 3\nescalate = []");
    let mut sent = Vec::new();
    for name in ["a", "b", "c", "d", "e"] {
        room.becomes(name, asks("Bash"));
        sent.extend(room.sent(secs(2)));
    }
    assert_eq!(sent.len(), 3);
    assert_eq!(room.sent(secs(600)), [(60, Step::First, "d e".into())]);
}

#[test]
fn unattended_sessions_say_nothing_and_background_ones_as_configured() {
    let mut room = Room::new("notify.background = false");
    room.session("a").about.attended = Some(false);
    room.session("b").about.kind = Some("bg".into());
    room.session("c").about.kind = Some("interactive".into());
    for name in ["a", "b", "c"] {
        room.becomes(name, asks("Bash"));
    }
    assert_eq!(room.sent(secs(1)), [(0, Step::First, "c".into())]);
    let mut room = Room::new("");
    room.session("b").about.kind = Some("bg".into());
    room.becomes("b", asks("Bash"));
    assert_eq!(room.sent(secs(1)).len(), 1);
}

#[test]
fn nothing_is_told_if_it_is_off() {
    let mut room = Room::new("notify.enable = false");
    room.becomes("a", asks("Bash"));
    assert_eq!((room.desk.deadline(), room.sent(secs(3600))), (None, vec![]));
}

#[test]
fn daemon_that_comes_back_tells_nobody_twice() {
    let mut room = Room::new("");
    room.becomes("a", asks("Bash"));
    room.becomes("b", asks("Bash"));
    let first = room.pass(secs(10));
    let records: Vec<Record> = first.orders.into_iter().flat_map(|order| order.records).collect();
    room.becomes("c", asks("Bash"));
    let sessions: Vec<Session> = room.sessions.values().cloned().collect();
    room.desk = Desk::restore(sessions.iter(), &records, &room.config, room.now);
    assert_eq!(room.desk.last(), Some(&Key::stored("a".into())));
    let expected = [(10, Step::First, "c".into()), (120, Step::Again, "a b".into())];
    assert_eq!(room.sent(secs(115)), expected);
}
