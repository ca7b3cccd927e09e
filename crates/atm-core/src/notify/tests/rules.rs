//! Rules: the first that matches decides.

use super::*;

const RULES: &str = "
[notify]
attention = ['bell']
[[notify.rule]]
event = ['finish']
project = '~/api'
mute = true
[[notify.rule]]
role = 'review*'
channels = ['notify-send']
escalate = ['osc9']
[[notify.rule]]
mode = 'background'
mute = true
[[notify.rule]]
name = 'b'
channels = ['osc777', 'bell']
";

fn channels(room: &mut Room, name: &str) -> Vec<Vec<Channel>> {
    room.becomes(name, asks("Bash"));
    room.pass(secs(200)).orders.into_iter().map(|order| order.channels).collect()
}

#[test]
fn first_rule_that_matches_decides() {
    let usual = vec![Channel::TmuxMessage, Channel::Bell];
    let mut room = Room::new(RULES);
    assert_eq!(channels(&mut room, "api"), [vec![Channel::Bell], usual.clone()]);
    assert_eq!(channels(&mut room, "b"), [vec![Channel::Osc777, Channel::Bell], usual]);
    room.session("c").about.role = Some("reviewer".into());
    assert_eq!(channels(&mut room, "c"), [vec![Channel::NotifySend], vec![Channel::Osc9]]);
    room.session("d").about.kind = Some("bg".into());
    room.becomes("d", asks("Bash"));
    assert_eq!(room.why(secs(600)), ["rule 3 mutes it"]);
}

#[test]
fn rule_on_a_project_and_an_event_mutes_only_these() {
    let mut room = Room::new(RULES);
    for name in ["api", "other"] {
        room.becomes(name, working());
    }
    room.pass(secs(30));
    for name in ["api", "other"] {
        room.becomes(name, idle(Why::Done));
    }
    let decision = room.pass(secs(1));
    assert_eq!(decision.records[0].why, "rule 1 mutes it");
    assert_eq!(decision.orders[0].keys, [Key::stored("other".into())]);
}
