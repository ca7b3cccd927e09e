//! `atm list` with very many sessions, as a person and as a program ask for it.

use std::time::Duration;

use serde_json::Value as Json;

use super::{Bench, in_turns};
use crate::Outcome;
use crate::crowd::Crowd;
use crate::daemon::Daemon;
use crate::stage::Stage;
use crate::table::{Aim, Row, Value};

const LISTED: Aim = Aim::AtMost(Value::Time(Duration::from_millis(30)));

pub(super) fn run(bench: &Bench) -> Outcome<Vec<Row>> {
    let stage = bench.stage("list")?;
    let count = bench.scale.listed;
    let crowd = Crowd::gather(&stage, count)?;
    let daemon = Daemon::start(&stage)?;
    daemon.meet(&crowd)?;
    check(&stage, count)?;

    let empty = stage.program("/bin/true", &[]);
    let mut rows = Vec::new();
    for (metric, args) in [
        ("list, many sessions / empty program", &["list"][..]),
        ("list --json, many sessions / empty program", &["list", "--json"][..]),
    ] {
        let list = stage.atm(args);
        let (ours, floor) = in_turns(bench.scale.lists, |_| list.time(b""), |_| empty.time(b""))?;
        println!("  atm {}, {count} sessions: {ours}", args.join(" "));
        println!("  /bin/true: {floor}");
        rows.push(Row {
            metric,
            measured: Value::Time(ours.median()),
            floor: Value::Time(floor.median()),
            aim: LISTED,
        });
    }
    daemon.stop()?;
    Ok(rows)
}

fn check(stage: &Stage, count: usize) -> Outcome<()> {
    let json: Json = serde_json::from_str(&stage.atm(&["list", "--json"]).output()?)?;
    let listed = json.get("sessions").and_then(Json::as_array).map_or(0, Vec::len);
    let lines = stage.atm(&["list"]).output()?.lines().count();
    if listed != count || lines < count {
        return Err(format!("{count} sessions, but {listed} in JSON and {lines} lines").into());
    }
    Ok(())
}
