//! From a record in the journal to the change at a subscriber, against a bare echo over the same
//! kinds of sockets.

use std::io::{Read, Write};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::thread;
use std::time::{Duration, Instant};

use atm_core::proto::message::{Reply, Request};
use atm_core::stamp::Stamp;

use super::{Bench, in_turns};
use crate::Outcome;
use crate::client::Client;
use crate::crowd::Crowd;
use crate::daemon::Daemon;
use crate::journal;
use crate::speaker::{self, Speaker};
use crate::stage::Stage;
use crate::table::{Aim, Row, Value};

/// About what a change takes on the wire.
const CHANGE: usize = 1_500;
const AIM: Aim = Aim::AtMost(Value::Time(Duration::from_millis(10)));

pub(super) fn run(bench: &Bench) -> Outcome<Vec<Row>> {
    let stage = bench.stage("subscriber")?;
    let crowd = Crowd::gather(&stage, 100)?;
    let daemon = Daemon::start(&stage)?;
    daemon.meet(&crowd)?;
    let mut client = daemon.client()?;
    client.send(&Request::Subscribe)?;
    let Reply::Snapshot { sessions } = client.hear()? else { return Err("no snapshot".into()) };
    if sessions.len() != crowd.speakers.len() {
        return Err(format!("a snapshot of {} sessions", sessions.len()).into());
    }

    let mut echo = Echo::start(&stage)?;
    let speaker = &crowd.speakers[3];
    let ours = |run| change(&stage, speaker, &mut client, run);
    let (ours, floor) = in_turns(bench.scale.changes, ours, |_| echo.time())?;
    println!("  record to subscriber: {ours}");
    println!("  datagram and stream:  {floor}");
    daemon.stop()?;
    Ok(vec![
        Row {
            metric: "event to subscriber, median / echo",
            measured: Value::Time(ours.median()),
            floor: Value::Time(floor.median()),
            aim: AIM,
        },
        Row {
            metric: "event to subscriber, p99 / echo's p99",
            measured: Value::Time(ours.p99()),
            floor: Value::Time(floor.p99()),
            aim: AIM,
        },
    ])
}

fn change(stage: &Stage, speaker: &Speaker, client: &mut Client, run: usize) -> Outcome<Duration> {
    let tool_use = format!("toolu_{}", run / 2);
    let payload = match run % 2 {
        0 => speaker.pre_tool(&tool_use),
        _ => speaker.post_tool(&tool_use),
    };
    let sent_at = next_millisecond();
    let record = speaker.record(&payload)?;
    let start = Instant::now();
    journal::append(&stage.places, &record)?;
    journal::poke(&stage.places)?;
    loop {
        if let Reply::Changed { session } = client.hear()?
            && session.id == speaker.id
            && session.last_activity >= sent_at
        {
            return Ok(start.elapsed());
        }
    }
}

/// A time that no earlier record bears.
fn next_millisecond() -> Stamp {
    let last = speaker::now();
    loop {
        let now = speaker::now();
        if now > last {
            return now;
        }
        thread::sleep(Duration::from_micros(100));
    }
}

/// A thread that answers every datagram with as many bytes as a change has.
struct Echo {
    poke: UnixDatagram,
    answers: UnixStream,
}

impl Echo {
    fn start(stage: &Stage) -> Outcome<Echo> {
        let path = stage.home.join("echo.sock");
        let pokes = UnixDatagram::bind(&path)?;
        let poke = UnixDatagram::unbound()?;
        poke.connect(&path)?;
        let (answers, mut answer) = UnixStream::pair()?;
        // Ends with the stream's other end, at the next datagram or with the process.
        thread::spawn(move || {
            while pokes.recv(&mut [0; 16]).is_ok() && answer.write_all(&[0; CHANGE]).is_ok() {}
        });
        Ok(Echo { poke, answers })
    }

    fn time(&mut self) -> Outcome<Duration> {
        let start = Instant::now();
        self.poke.send(b"!")?;
        self.answers.read_exact(&mut [0; CHANGE])?;
        Ok(start.elapsed())
    }
}
