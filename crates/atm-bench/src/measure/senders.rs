//! Fifty sessions that report at the same time: how fast, and whether every event arrives.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use atm_core::proto::message::{EventView, Reply, Request};
use serde_json::Value as Json;

use super::Bench;
use crate::Outcome;
use crate::client::Client;
use crate::crowd::Crowd;
use crate::daemon::Daemon;
use crate::options::Scale;
use crate::program::Program;
use crate::samples::Samples;
use crate::stage::Stage;
use crate::table::{Aim, Row, Value};

const SENDERS: usize = 50;
const PAGE: u32 = 5_000;

pub(super) fn run(bench: &Bench) -> Outcome<Vec<Row>> {
    let stage = bench.stage("senders")?;
    let crowd = Crowd::gather(&stage, SENDERS)?;
    let daemon = Daemon::start(&stage)?;
    daemon.meet(&crowd)?;
    let before = daemon.settle()?.events;

    let each = bench.scale.storm_events;
    let pairs: Vec<_> = crowd.speakers.iter().map(|s| stage.hook_and_empty(s)).collect();
    let payload = |round: usize, sender: usize, event: usize| {
        crowd.speakers[sender].pre_tool(&tool_use(round, sender, event))
    };
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for round in 0..bench.scale.storms {
        let input = |sender, event| payload(round, sender, event);
        ours.push(storm(each, |sender| &pairs[sender].0, &input)?);
        daemon.settle()?;
        floor.push(storm(each, |sender| &pairs[sender].1, &input)?);
    }
    let sent = bench.scale.storms * SENDERS * each;
    let lost = lost(&stage, &daemon, before, bench.scale)?;
    daemon.stop()?;

    let rate = |times: Vec<Duration>| {
        Value::Rate((SENDERS * each) as f64 / Samples::new(times).median().as_secs_f64())
    };
    let (ours, floor) = (rate(ours), rate(floor));
    println!("  {SENDERS} senders: {ours} of atm hook, {floor} of /bin/true, {sent} events sent");
    println!("  journal, database and daemon agree; lost: {lost}");
    Ok(vec![
        Row {
            metric: "50 senders: events / empty programs",
            measured: ours,
            floor,
            aim: Aim::RatioAtLeast(0.75),
        },
        Row {
            metric: "50 senders: events lost",
            measured: Value::Count(lost as u64),
            floor: Value::Count(0),
            aim: Aim::AtMost(Value::Count(0)),
        },
    ])
}

/// Time from when all senders are ready until the last has sent its last event.
fn storm<'a>(
    each: usize,
    program: impl Fn(usize) -> &'a Program,
    input: &(impl Fn(usize, usize) -> String + Sync),
) -> Outcome<Duration> {
    let ready = Barrier::new(SENDERS + 1);
    thread::scope(|scope| {
        let ready = &ready;
        let send = move |sender: usize, program: &Program| -> Outcome<()> {
            ready.wait();
            (0..each).try_for_each(|event| program.time(input(sender, event).as_bytes()).map(drop))
        };
        let threads: Vec<_> = (0..SENDERS)
            .map(|sender| (sender, program(sender)))
            .map(|(sender, program)| scope.spawn(move || send(sender, program)))
            .collect();
        ready.wait();
        let start = Instant::now();
        for thread in threads {
            thread.join().map_err(|_| "a sender panicked")??;
        }
        Ok(start.elapsed())
    })
}

fn tool_use(round: usize, sender: usize, event: usize) -> String {
    format!("toolu_{round}_{sender}_{event}_storm")
}

/// Counts what is missing in the journal or in the database; anything else that does not fit is
/// an error.
fn lost(stage: &Stage, daemon: &Daemon, before: u64, scale: Scale) -> Outcome<usize> {
    let mut expected = BTreeSet::new();
    for round in 0..scale.storms {
        for sender in 0..SENDERS {
            expected.extend((0..scale.storm_events).map(|event| tool_use(round, sender, event)));
        }
    }
    let status = daemon.settle()?;
    let raw = stage.atm(&["events", "--raw", "--json", "--limit", "4000000000"]).output()?;
    let in_journal: Vec<String> =
        raw.lines().filter_map(|line| storm_id(&serde_json::from_str(line).ok()?)).collect();
    let in_database: Vec<String> = stored(&mut daemon.client()?)?
        .iter()
        .filter_map(|event| storm_id(&serde_json::from_str(event.payload.get()).ok()?))
        .collect();
    for (place, ids) in [("journal", &in_journal), ("database", &in_database)] {
        let unique: BTreeSet<&String> = ids.iter().collect();
        if unique.len() != ids.len() {
            return Err(format!("the {place} holds events twice").into());
        }
        if unique.len() != expected.len() {
            println!("  {place}: {} of {} events", unique.len(), expected.len());
        }
    }
    let taken = usize::try_from(status.events - before)?;
    if taken != in_journal.len() || status.malformed > 0 {
        let held = in_journal.len();
        return Err(format!("journal holds {held}, the daemon says: {status:?}").into());
    }
    let lost = expected.len() - in_journal.len().min(in_database.len());
    if lost > 0 {
        return Err(format!("{lost} events were lost").into());
    }
    Ok(lost)
}

/// The id of an event of ours, from the payload or what `events --json` wraps around it.
fn storm_id(event: &Json) -> Option<String> {
    let payload = event.get("payload").unwrap_or(event);
    let id = payload.get("tool_use_id")?.as_str()?;
    id.ends_with("_storm").then(|| id.to_owned())
}

fn stored(client: &mut Client) -> Outcome<Vec<EventView>> {
    let mut all: Vec<EventView> = Vec::new();
    loop {
        let after = Some(all.last().map_or(0, |event| event.seq));
        match client.ask(&Request::Events { who: None, after, limit: PAGE })? {
            Reply::Events { events } if events.is_empty() => return Ok(all),
            Reply::Events { events } => all.extend(events),
            other => return Err(format!("no events but {other:?}").into()),
        }
    }
}
