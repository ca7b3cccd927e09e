//! A daemon of our own on a stage, which ends with its value.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use atm_core::places::Places;
use atm_core::proto::message::{DaemonStatus, Request};

use crate::Outcome;
use crate::client::Client;
use crate::crowd::Crowd;
use crate::stage::Stage;
use crate::{journal, speaker::Speaker};

const PATIENCE: Duration = Duration::from_secs(60);
/// Between two tries to reach a daemon that is coming up.
const KNOCK: Duration = Duration::from_micros(100);
/// Between two looks at what is stored. Each look makes the daemon read on, so not too often.
const LOOK: Duration = Duration::from_millis(25);

pub(crate) struct Daemon {
    child: Child,
    places: Places,
    stderr: PathBuf,
    /// From before the start until it answered a request.
    pub(crate) ready: Duration,
}

impl Daemon {
    pub(crate) fn start(stage: &Stage) -> Outcome<Daemon> {
        let stderr = stage.home.join("daemon.err");
        let program = stage.atm(&["daemon", "--foreground"]);
        let log = File::create(&stderr)?;
        let begin = Instant::now();
        let child = program.spawn(log)?;
        let places = stage.places.clone();
        let mut daemon = Daemon { child, places, stderr, ready: Duration::ZERO };
        daemon.await_answer(begin)?;
        daemon.ready = begin.elapsed();
        Ok(daemon)
    }

    fn await_answer(&mut self, begin: Instant) -> Outcome<()> {
        while begin.elapsed() < PATIENCE {
            if let Ok(mut client) = Client::connect(&self.places) {
                return client.status().map(drop);
            }
            if let Some(status) = self.child.try_wait()? {
                let said = fs::read_to_string(&self.stderr)?;
                return Err(format!("the daemon ended with {status}: {}", said.trim()).into());
            }
            sleep(KNOCK);
        }
        Err("the daemon does not come up".into())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn client(&self) -> Outcome<Client> {
        Ok(Client::connect(&self.places)?)
    }

    /// Waits until the database holds everything that is in the journal.
    pub(crate) fn settle(&self) -> Outcome<DaemonStatus> {
        let mut client = self.client()?;
        let begin = Instant::now();
        loop {
            let status = client.status()?;
            if status.stored >= self.journal_end()? {
                return Ok(status);
            }
            if begin.elapsed() > PATIENCE {
                return Err(format!("not stored after {PATIENCE:?}: {status:?}").into());
            }
            sleep(LOOK);
        }
    }

    /// Bytes since the very first segment: where the newest closed one ends, and the current one.
    fn journal_end(&self) -> Outcome<u64> {
        loop {
            let closed = self.closed_end()?;
            let current = fs::metadata(self.places.journal()).map_or(0, |meta| meta.len());
            // A rotation in between would count a segment twice.
            if self.closed_end()? == closed {
                return Ok(closed + current);
            }
        }
    }

    fn closed_end(&self) -> Outcome<u64> {
        let mut end = 0;
        for entry in fs::read_dir(self.places.journal_dir())? {
            let entry = entry?;
            let name = entry.file_name();
            let base = name.to_str().and_then(|n| n.strip_prefix("seg-")?.strip_suffix(".jsonl"));
            if let Some(base) = base {
                end = end.max(base.parse::<u64>()? + entry.metadata()?.len());
            }
        }
        Ok(end)
    }

    /// Hands records to the daemon and waits until they are stored.
    pub(crate) fn tell(&self, records: &[u8]) -> Outcome<DaemonStatus> {
        journal::append(&self.places, records)?;
        journal::poke(&self.places)?;
        self.settle()
    }

    /// Lets every session of `crowd` start and come into a state of its own: most are idle, some
    /// are at a tool, some ask.
    pub(crate) fn meet(&self, crowd: &Crowd) -> Outcome<()> {
        let mut records = Vec::new();
        for (number, speaker) in crowd.speakers.iter().enumerate() {
            for payload in life(speaker, number) {
                records.extend(speaker.record(&payload)?);
            }
        }
        let known = self.tell(&records)?.sessions;
        if known != crowd.speakers.len() {
            return Err(format!("{known} of {} sessions live", crowd.speakers.len()).into());
        }
        Ok(())
    }

    /// Ends it in good order.
    pub(crate) fn stop(mut self) -> Outcome<()> {
        // It may hang up before it answers.
        let mut client = self.client()?;
        client.send(&Request::Stop)?;
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                return if status.success() { Ok(()) } else { Err(format!("{status}").into()) };
            }
            sleep(Duration::from_millis(1));
        }
        Err("the daemon does not stop".into())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Stopped already is as good.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn life(speaker: &Speaker, number: usize) -> Vec<String> {
    let mut payloads = vec![speaker.start(), speaker.prompt()];
    for tool in 0..3 {
        let tool_use = format!("toolu_{number}_{tool}");
        payloads.extend([speaker.pre_tool(&tool_use), speaker.post_tool(&tool_use)]);
    }
    match number % 10 {
        0 => payloads.extend([speaker.pre_tool("toolu_ask"), speaker.permission()]),
        1 | 2 => payloads.push(speaker.pre_tool("toolu_last")),
        _ => payloads.push(speaker.stop()),
    }
    payloads
}
