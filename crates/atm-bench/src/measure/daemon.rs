//! The daemon by itself: how soon it serves, what it holds, and what it does when there is
//! nothing to do.

use std::thread::sleep;
use std::time::Duration;

use super::{Bench, in_turns};
use crate::Outcome;
use crate::crowd::Crowd;
use crate::daemon::Daemon;
use crate::machine::{self, Switches};
use crate::stage::Stage;
use crate::table::{Aim, Row, Value};

const SESSIONS: usize = 100;
/// Whatever the last event set off is over after this.
const CALM: Duration = Duration::from_secs(3);
const READY: Aim = Aim::AtMost(Value::Time(Duration::from_millis(50)));

pub(super) fn run(bench: &Bench) -> Outcome<Vec<Row>> {
    let fresh = bench.stage("daemon-fresh")?;
    let empty = fresh.program("/bin/true", &[]);
    let first = |run| start_and_stop(&bench.stage(&format!("daemon-{run}"))?);
    let (first, floor) = in_turns(bench.scale.starts, first, |_| empty.time(b""))?;
    println!("  ready in an empty directory: {first}");
    println!("  /bin/true:                   {floor}");
    let mut rows = vec![Row {
        metric: "daemon ready, empty directory",
        measured: Value::Time(first.median()),
        floor: Value::Time(floor.median()),
        aim: READY,
    }];

    let stage = bench.stage("daemon")?;
    let crowd = Crowd::gather(&stage, SESSIONS)?;
    let daemon = Daemon::start(&stage)?;
    daemon.meet(&crowd)?;
    rows.extend(at_rest(bench, &daemon, &crowd)?);
    daemon.stop()?;

    let (again, floor) =
        in_turns(bench.scale.starts, |_| start_and_stop(&stage), |_| empty.time(b""))?;
    println!("  ready with {SESSIONS} sessions:     {again}");
    rows.push(Row {
        metric: "daemon ready, 100 sessions stored",
        measured: Value::Time(again.median()),
        floor: Value::Time(floor.median()),
        aim: READY,
    });
    Ok(rows)
}

fn start_and_stop(stage: &Stage) -> Outcome<Duration> {
    let daemon = Daemon::start(stage)?;
    let ready = daemon.ready;
    daemon.stop()?;
    Ok(ready)
}

/// Against a sleeping process, which holds little and does nothing.
fn at_rest(bench: &Bench, daemon: &Daemon, crowd: &Crowd) -> Outcome<Vec<Row>> {
    let sleeper = u32::try_from(crowd.speakers[0].process.pid)?;
    let looks = || -> Outcome<_> { Ok((Look::at(daemon.pid())?, Look::at(sleeper)?)) };
    sleep(CALM);
    let before = looks()?;
    sleep(bench.scale.idle);
    let after = looks()?;

    let (resident, anonymous) = machine::memory(daemon.pid())?;
    let (sleeper_resident, _) = machine::memory(sleeper)?;
    let (switches, ticks) = after.0.since(&before.0);
    let (floor_switches, floor_ticks) = after.1.since(&before.1);
    let (held, own) = (Value::Bytes(resident), Value::Bytes(anonymous));
    println!("  with {SESSIONS} sessions: {held} resident, {own} of it anonymous");
    let (idle, threads) = (bench.scale.idle, after.0.switches.threads());
    println!("  in {idle:?} of rest: {switches} switches of {threads} threads, {ticks} CPU ticks");
    Ok(vec![
        Row {
            metric: "daemon RSS, 100 sessions / sleep",
            measured: held,
            floor: Value::Bytes(sleeper_resident),
            aim: Aim::AtMost(Value::Bytes(15_000_000)),
        },
        Row {
            metric: "daemon at rest: context switches",
            measured: Value::Count(switches),
            floor: Value::Count(floor_switches),
            aim: Aim::AtMost(Value::Count(2)),
        },
        Row {
            metric: "daemon at rest: CPU ticks",
            measured: Value::Count(ticks),
            floor: Value::Count(floor_ticks),
            aim: Aim::AtMost(Value::Count(1)),
        },
    ])
}

/// What a process has done so far.
struct Look {
    switches: Switches,
    ticks: u64,
}

impl Look {
    fn at(pid: u32) -> Outcome<Look> {
        Ok(Look { switches: Switches::of(pid)?, ticks: machine::ticks(pid)? })
    }

    fn since(&self, before: &Look) -> (u64, u64) {
        (self.switches.since(&before.switches), self.ticks - before.ticks)
    }
}
