//! The hook with a payload of many megabytes, as a tool that prints a lot makes it.

use super::{Bench, in_turns};
use crate::Outcome;
use crate::crowd::Crowd;
use crate::daemon::Daemon;
use crate::program::Program;
use crate::table::{Aim, Row, Value};

/// As it stands in the JSON string: with escapes, which stop whoever looks for the next quote.
const LINE: &str = "2026-11-15T19:06:00Z INFO  \\\"request\\\" served in 12 ms: /index.html 200\\n";
const PAYLOAD: usize = 11_000_000;

pub(super) fn run(bench: &Bench) -> Outcome<Vec<Row>> {
    let stage = bench.stage("large")?;
    let crowd = Crowd::gather(&stage, 1)?;
    let speaker = &crowd.speakers[0];
    let daemon = Daemon::start(&stage)?;
    daemon.tell(&speaker.record(&speaker.start())?)?;

    let payload = speaker.post_tool_of("toolu_large", &LINE.repeat(PAYLOAD / LINE.len()));
    let (hook, empty) = stage.hook_and_empty(speaker);
    let cat = Program { path: "/bin/cat".into(), ..empty };
    let ours = |_| hook.time_fed(payload.as_bytes());
    let floor = |_| cat.time_fed(payload.as_bytes());
    let (ours, floor) = in_turns(bench.scale.large_hooks, ours, floor)?;

    println!("  atm hook, {} bytes: {ours}", payload.len());
    println!("  cat > /dev/null:         {floor}");
    let status = daemon.settle()?;
    if status.malformed > 0 {
        return Err(format!("{} large events arrived damaged", status.malformed).into());
    }
    daemon.stop()?;
    Ok(vec![Row {
        metric: "hook with 11 MB / cat",
        measured: Value::Time(ours.median()),
        floor: Value::Time(floor.median()),
        aim: Aim::RatioAtMost(2.0),
    }])
}
