//! A recording as a list of inputs in time, and its replay through a machine.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use atm_core::event::{Event, Heard, SeenFile};
use atm_core::hook::Hook;
use atm_core::hook::event::event_name;
use atm_core::hook::wire::WireHook;
use atm_core::machine::Machine;
use atm_core::record::{Origin, Process};
use atm_core::session::Session;
use atm_core::session::status::{Class, Life, Status};
use atm_core::session_file::SessionFile;
use atm_core::stamp::Stamp;
use atm_core::transcript::{self, Note};
use serde_json::Value;

use crate::Sensors;

pub(crate) enum Input {
    Hook(Box<Heard>),
    File(Box<SessionFile>),
    FileGone { pid: i32 },
    Note { conversation: String, note: Note },
    ProcessGone { pid: i32 },
}

pub(crate) struct Recording {
    pub(crate) inputs: Vec<(Stamp, Input)>,
    pub(crate) start: Stamp,
    pub(crate) end: Stamp,
}

/// What was shown of one process from a moment on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shown {
    pub(crate) at: Stamp,
    pub(crate) is: String,
    pub(crate) why: String,
}

/// What was shown, by process number.
pub(crate) type Track = HashMap<i32, Vec<Shown>>;

/// A process outlives its last word by about this much.
const LAST_BREATH: i64 = 500;

impl Recording {
    pub(crate) fn load(folder: &Path, name: &str) -> Recording {
        let text = fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
        let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let starts = process_starts(&lines);
        let start = stamp(&lines[0]);
        let mut inputs: Vec<(Stamp, Input)> =
            lines.iter().filter_map(|line| Some((stamp(line), input(line, &starts)?))).collect();
        inputs.extend(exits(&lines));
        inputs.extend(notes(&folder.join(format!("{name}.claude-dir/projects"))));
        inputs.retain(|(at, _)| *at >= start);
        inputs.sort_by_key(|(at, _)| *at);
        let end = inputs.last().map_or(start, |(at, _)| *at);
        Recording { inputs, start, end }
    }

    pub(crate) fn replay(&self, sensors: Sensors) -> Track {
        let mut track = Track::new();
        self.run(sensors, |machine, at| note_all(&mut track, machine, at));
        track
    }

    pub(crate) fn replay_to_end(&self, sensors: Sensors) -> Machine {
        self.run(sensors, |_, _| {})
    }

    fn run(&self, sensors: Sensors, mut each: impl FnMut(&Machine, Stamp)) -> Machine {
        let mut machine = Machine::default();
        for (at, input) in &self.inputs {
            while let Some(due) = machine.deadline().filter(|due| due <= at) {
                drop(machine.handle(Event::Tick, due));
                each(&machine, due);
            }
            if let Some(event) = event(input, sensors, &machine) {
                drop(machine.handle(event, *at));
                each(&machine, *at);
            }
        }
        machine
    }
}

fn event(input: &Input, sensors: Sensors, machine: &Machine) -> Option<Event> {
    let newest = |wanted: &dyn Fn(&Session) -> bool| {
        machine.sessions().filter(|s| wanted(s)).max_by_key(|s| s.started).map(|s| s.key.clone())
    };
    match input {
        Input::Hook(_) if sensors == Sensors::FilesOnly => None,
        Input::File(_) | Input::FileGone { .. } if sensors == Sensors::HooksOnly => None,
        Input::Hook(heard)
            if heard.name == "PostToolBatch" && sensors != Sensors::AllAndBatches =>
        {
            None
        }
        Input::Hook(heard) => Some(Event::Hook(heard.clone())),
        Input::File(file) => Some(Event::SessionFile(Box::new(SeenFile {
            file: (**file).clone(),
            tmux: None,
            config_dir: None,
        }))),
        Input::FileGone { pid } => Some(Event::SessionFileGone { pid: *pid }),
        Input::Note { conversation, note } => {
            let key = newest(&|s| s.is_live() && s.conversation.as_str() == conversation)?;
            Some(Event::Transcript { key, note: note.clone() })
        }
        Input::ProcessGone { pid } => {
            let key = newest(&|s| s.process.as_ref().is_some_and(|p| p.pid == *pid))?;
            Some(Event::ProcessGone { key })
        }
    }
}

fn note_all(track: &mut Track, machine: &Machine, at: Stamp) {
    for session in machine.sessions() {
        let Some(process) = &session.process else { continue };
        let list = track.entry(process.pid).or_default();
        let (is, why) = words(session);
        if list.last().is_none_or(|last| (&last.is, &last.why) != (&is, &why)) {
            list.push(Shown { at, is, why });
        }
    }
}

fn words(session: &Session) -> (String, String) {
    match (&session.life, session.status()) {
        (Life::Ended { reason, .. }, _) => ("ended".into(), reason.clone()),
        (Life::Lost { .. }, _) => ("lost".into(), String::new()),
        (Life::Live, Status::Idle { why }) => ("idle".into(), why.to_string()),
        (Life::Live, Status::Working { .. }) => (Class::Working.word().into(), String::new()),
        (Life::Live, Status::Attention { reason }) => ("attention".into(), reason.to_string()),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "seconds since 1970 in milliseconds fit")]
fn stamp(line: &Value) -> Stamp {
    Stamp((line["ts"].as_f64().unwrap() * 1000.0) as i64)
}

fn process_starts(lines: &[Value]) -> HashMap<i32, u64> {
    let files = lines.iter().filter_map(|l| SessionFile::parse(&l["content"].to_string()));
    files.filter_map(|file| Some((file.pid, file.start?))).collect()
}

fn input(line: &Value, starts: &HashMap<i32, u64>) -> Option<Input> {
    let event = line["event"].as_str()?;
    if event == "#session-file" {
        let pid = line["file"].as_str()?.strip_suffix(".json")?.parse().ok()?;
        return Some(match SessionFile::parse(&line["content"].to_string()) {
            Some(file) => Input::File(Box::new(file)),
            None => Input::FileGone { pid },
        });
    }
    if event == "statusLine" || !line["stdin"].is_object() {
        return None;
    }
    let payload = line["stdin"].to_string();
    let wire = WireHook::decode(&payload).unwrap();
    let env = |name: &str| line["env"][name].as_str().map(str::to_owned);
    let pid: Option<i32> = env("CLAUDE_PID").and_then(|pid| pid.parse().ok());
    let origin = Origin {
        agent: "claude".into(),
        process: pid.map(|pid| Process { pid, start: starts.get(&pid).copied() }),
        tmux: env("TMUX"),
        pane: env("TMUX_PANE"),
        session: env("CLAUDE_CODE_SESSION_ID"),
        entrypoint: env("CLAUDE_CODE_ENTRYPOINT"),
        attended: env("CLAUDE_CODE_SESSION_ATTENDED").map(|text| text == "1"),
        ..Origin::default()
    };
    let (name, hook) = (event_name(&wire), Hook::decode(&wire));
    Some(Input::Hook(Box::new(Heard { ts: stamp(line), name, origin, hook })))
}

/// When each process ended: at `kill -9`, else a moment after its last word.
fn exits(lines: &[Value]) -> Vec<(Stamp, Input)> {
    let mut last: HashMap<i32, Stamp> = HashMap::new();
    for line in lines {
        let note = line["note"].as_str().unwrap_or_default();
        if let Some(pid) = note.strip_prefix("kill -9 ").and_then(|pid| pid.parse().ok()) {
            last.insert(pid, Stamp(stamp(line).0 - LAST_BREATH + 20));
        }
        let file = line["file"].as_str().and_then(|f| f.strip_suffix(".json")?.parse().ok());
        let is_gone = line["event"] == "#session-file" && line["content"].is_null();
        let ended = line["event"] == "SessionEnd"
            && !matches!(line["stdin"]["reason"].as_str(), Some("clear" | "resume"));
        let hook = line["env"]["CLAUDE_PID"].as_str().and_then(|pid| pid.parse().ok());
        for pid in [file.filter(|_| is_gone), hook.filter(|_| ended)].into_iter().flatten() {
            last.entry(pid).and_modify(|at| *at = (*at).max(stamp(line))).or_insert(stamp(line));
        }
    }
    last.into_iter()
        .map(|(pid, at)| (Stamp(at.0 + LAST_BREATH), Input::ProcessGone { pid }))
        .collect()
}

/// What the transcripts tell, at the time each line says of itself.
fn notes(projects: &Path) -> Vec<(Stamp, Input)> {
    let Ok(folders) = fs::read_dir(projects) else { return Vec::new() };
    let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
    let files = files.map(|f| f.unwrap().path());
    let files = files.filter(|f| f.extension().is_some_and(|e| e == "jsonl"));
    files
        .flat_map(|path| {
            let conversation = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(&path).unwrap();
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.into_iter().filter_map(move |line| {
                let note = transcript::read(line.as_bytes())?;
                let value: Value = serde_json::from_str(&line).ok()?;
                let at = Stamp::parse(value["timestamp"].as_str()?)?;
                Some((at, Input::Note { conversation: conversation.clone(), note }))
            })
        })
        .collect()
}
