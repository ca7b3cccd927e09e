//! How fast the daemon takes in a journal that has grown while it slept, against just reading
//! and decoding the same bytes.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use atm_core::hook::wire::WireHook;
use atm_core::record::{self, Record};

use super::Bench;
use crate::Outcome;
use crate::crowd::Crowd;
use crate::daemon::Daemon;
use crate::journal;
use crate::machine;
use crate::samples::Samples;
use crate::speaker::Speaker;
use crate::table::{Aim, Row, Value};

const SESSIONS: usize = 100;
const ROUNDS: usize = 5;
/// Tools between a prompt and the end of the turn.
const TOOLS: usize = 9;

pub(super) fn run(bench: &Bench) -> Outcome<Vec<Row>> {
    let stage = bench.stage("intake")?;
    let crowd = Crowd::gather(&stage, SESSIONS)?;
    let daemon = Daemon::start(&stage)?;
    daemon.meet(&crowd)?;
    let before = daemon.settle()?.events;
    let (resident_before, _) = machine::memory(daemon.pid())?;
    let cpu_before = machine::cpu(daemon.pid())?;

    let count = bench.scale.intake / ROUNDS;
    let records = records(&crowd, count)?;
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (segment, offset) = journal::append(&stage.places, &records)?;
        let start = Instant::now();
        journal::poke(&stage.places)?;
        daemon.settle()?;
        ours.push(start.elapsed());
        floor.push(read(&segment, offset, records.len(), count)?);
    }
    let taken = usize::try_from(daemon.settle()?.events - before)?;
    if taken != count * ROUNDS {
        return Err(format!("{} records, but {taken} events", count * ROUNDS).into());
    }
    let (resident, anonymous) = machine::memory(daemon.pid())?;
    let cpu = machine::cpu(daemon.pid())?;
    daemon.stop()?;

    let rate = |times| Value::Rate(count as f64 / Samples::new(times).median().as_secs_f64());
    let (ours, floor) = (rate(ours), rate(floor));
    let bytes = records.len() / count;
    println!(
        "  {taken} records of {bytes} bytes: {ours} taken in and stored, {floor} only decoded"
    );
    for (thread, time) in &cpu {
        let used = *time - cpu_before.get(thread).copied().unwrap_or_default();
        println!("  thread {thread}: {:.1} µs of CPU per record", micros(used) / taken as f64);
    }
    let (held, own) = (Value::Bytes(resident), Value::Bytes(anonymous));
    println!("  the daemon after that: {held} resident, {own} of it anonymous");
    Ok(vec![
        Row {
            metric: "intake / reading and decoding",
            measured: ours,
            floor,
            aim: Aim::AtLeast(Value::Rate(20_000.0)),
        },
        Row {
            metric: "daemon RSS after the intake / before",
            measured: held,
            floor: Value::Bytes(resident_before),
            aim: Aim::AtMost(Value::Bytes(15_000_000)),
        },
    ])
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Turns of all sessions, mixed as they would be if all worked at the same time.
fn records(crowd: &Crowd, count: usize) -> Outcome<Vec<u8>> {
    let mut records = Vec::new();
    for number in 0..count {
        let speaker = &crowd.speakers[number % SESSIONS];
        records.extend(speaker.record(&payload(speaker, number / SESSIONS))?);
    }
    Ok(records)
}

fn payload(speaker: &Speaker, step: usize) -> String {
    let turn = 2 * TOOLS + 2;
    let tool_use = format!("toolu_{}", step / 2);
    match step % turn {
        0 => speaker.prompt(),
        last if last == turn - 1 => speaker.stop(),
        odd if odd % 2 == 1 => speaker.pre_tool(&tool_use),
        _ => speaker.post_tool(&tool_use),
    }
}

fn read(segment: &File, offset: u64, length: usize, count: usize) -> Outcome<Duration> {
    let start = Instant::now();
    let mut bytes = vec![0; length];
    segment.read_exact_at(&mut bytes, offset)?;
    let decoded = record::lines(&bytes).filter(|line| decode(line.bytes).is_some()).count();
    let time = start.elapsed();
    if decoded == count { Ok(time) } else { Err("the journal cannot be decoded".into()) }
}

fn decode(line: &[u8]) -> Option<()> {
    let payload = Record::decode(line).ok()?.payload?;
    WireHook::decode(payload.get()).ok().map(|wire| drop(std::hint::black_box(wire)))
}
