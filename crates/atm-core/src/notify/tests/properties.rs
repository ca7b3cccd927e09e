//! Whatever happens in whatever order: nobody is told twice of one wait, nor of what is over.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Act {
    Becomes(usize, u8),
    Pass(u64),
    Mute(usize),
    Unmute(usize),
    Look(bool),
    Seen(usize),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (0..3_usize, 0..6_u8).prop_map(|(who, what)| Act::Becomes(who, what)),
        4 => (0..200_000_u64).prop_map(Act::Pass),
        1 => (0..3_usize).prop_map(Act::Mute),
        1 => (0..3_usize).prop_map(Act::Unmute),
        1 => any::<bool>().prop_map(Act::Look),
        1 => (0..3_usize).prop_map(Act::Seen),
    ]
}

const NAMES: [&str; 3] = ["a", "b", "c"];

#[derive(Default)]
struct Count {
    first: usize,
    again: usize,
}

fn status(what: u8) -> Status {
    match what {
        0 => working(),
        1 => asks("Bash"),
        2 => asks("Edit"),
        3 => idle(Why::Done),
        4 => idle(Why::Interrupted),
        _ => idle(Why::Error { kind: "overloaded".into() }),
    }
}

proptest! {
    #[test]
    fn no_wait_is_told_twice_and_none_that_is_over(acts in prop::collection::vec(act(), 1..60)) {
        let mut room = Room::new("");
        // One count for each wait: it ends when its session comes to something else.
        let mut counts: Vec<Count> = NAMES.iter().map(|_| Count::default()).collect();
        let mut told_minutes: Vec<Stamp> = Vec::new();
        for act in acts {
            match act {
                Act::Becomes(who, what) => {
                    let before = Occasion::of(room.session(NAMES[who]));
                    room.becomes(NAMES[who], status(what));
                    if Occasion::of(room.session(NAMES[who])) != before {
                        counts[who] = Count::default();
                    }
                }
                Act::Mute(who) => room.desk.mute(Key::stored(NAMES[who].into()), Mute::Always),
                Act::Unmute(who) => {
                    let now = room.now;
                    room.desk.unmute(&Key::stored(NAMES[who].into()), now);
                }
                Act::Look(is_there) => {
                    room.clients.clear();
                    let now = room.now;
                    if is_there { room.client("@1", "attached,focused", now) }
                }
                Act::Seen(who) => room.session(NAMES[who]).unseen = None,
                Act::Pass(millis) => {
                    for order in room.pass(Duration::from_millis(millis)).orders {
                        told_minutes.push(order.records[0].at);
                        for key in &order.keys {
                            let who = NAMES.iter().position(|name| *name == key.as_str()).unwrap();
                            prop_assert_eq!(Occasion::of(&room.sessions[key]), Some(order.occasion));
                            match order.step {
                                Step::First => counts[who].first += 1,
                                Step::Again => counts[who].again += 1,
                            }
                            prop_assert!(counts[who].first <= 1 && counts[who].again <= 1);
                        }
                    }
                }
            }
        }
        for (at, first) in told_minutes.iter().enumerate() {
            let minute = told_minutes[at..].iter().filter(|t| t.since(*first) < secs(60)).count();
            prop_assert!(minute <= room.config.per_minute);
        }
    }
}
