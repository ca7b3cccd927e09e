//! The whole life of the hook process against that of an empty program.

use super::{Bench, in_turns};
use crate::Outcome;
use crate::crowd::Crowd;
use crate::daemon::Daemon;
use crate::machine;
use crate::table::{Aim, Row, Value};

/// Size of a common PreToolUse.
const PAYLOAD: usize = 445;

pub(super) fn run(bench: &Bench) -> Outcome<Vec<Row>> {
    let stage = bench.stage("hook")?;
    let crowd = Crowd::gather(&stage, 1)?;
    let speaker = &crowd.speakers[0];
    let daemon = Daemon::start(&stage)?;
    daemon.tell(&speaker.record(&speaker.start())?)?;
    let before = daemon.settle()?.events;

    let (hook, empty) = stage.hook_and_empty(speaker);
    let mut sent = 0;
    let ours = |run| {
        sent += 1;
        hook.time(speaker.pre_tool_of(&format!("toolu_{run:08}"), PAYLOAD).as_bytes())
    };
    let payload = speaker.pre_tool_of("toolu_00000000", PAYLOAD);
    let floor = |_| empty.time(payload.as_bytes());
    let (ours, floor) = in_turns(bench.scale.hooks, ours, floor)?;

    println!("  atm hook, {} bytes: {ours}", payload.len());
    println!("  /bin/true:          {floor}");
    let taken = daemon.settle()?.events - before;
    if taken != sent {
        return Err(format!("{sent} hooks, but {taken} events").into());
    }
    daemon.stop()?;
    let aim = if machine::is_static(&bench.atm)? { 1.0 } else { 2.0 };
    let floor = Value::Time(floor.median());
    Ok(vec![
        Row {
            metric: "hook, median / empty program",
            measured: Value::Time(ours.median()),
            floor,
            aim: Aim::RatioAtMost(aim),
        },
        Row {
            metric: "hook, p99 / median of empty program",
            measured: Value::Time(ours.p99()),
            floor,
            aim: Aim::RatioAtMost(4.0),
        },
    ])
}
