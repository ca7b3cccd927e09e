//! `kill -9` at any point loses nothing and repeats nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use atm_core::effect::Effect;
use atm_core::event::{Event, Heard};
use atm_core::hook::Hook;
use atm_core::hook::event::event_name;
use atm_core::hook::wire::WireHook;
use atm_core::machine::Machine;
use atm_core::proto::message::{Reply, Request};
use atm_core::record::{self, Record};
use atm_core::view::SessionView;
use serde_json::{Value, json};

use crate::ledger::{self, MARK};
use crate::sealed::Sealed;
use crate::wire::{Daemon, Wire};

const KILLS: usize = 200;

/// What the session of each writer ends with: (status, what comes with it).
const ENDS: [(&str, &str, &str); 4] = [
    ("working", "detail", "Thinking"),
    ("attention", "reason", "Permission: Bash"),
    ("idle", "why", "done"),
    ("ended", "reason", "logout"),
];

#[test]
fn events_of_four_writers_survive_200_kills_exactly_once() {
    let mut sealed = Sealed::in_memory();
    let clients = [(); 4].map(|()| sealed.client());
    let fired = fire_and_kill(&sealed, clients);

    let all: BTreeSet<String> = fired.iter().flatten().cloned().collect();
    let in_journal = ledger::journal_marks(&sealed);
    assert_once(&in_journal, &all, "journal");
    let stored = ledger::stored_marks(&sealed);
    assert_once(&stored, &all, "events table");
    assert_eq!(in_journal, stored, "positions");
    let database = ledger::database(&sealed);
    let check: String = database.query_row("PRAGMA integrity_check", [], |r| r.get(0)).unwrap();
    assert_eq!(check, "ok");

    let (machine, moves) = replay(&ledger::journal(&sealed));
    let shown = sealed.json(&["list", "--all", "--json"])["sessions"].clone();
    let shown: Vec<SessionView> = serde_json::from_value(shown).unwrap();
    assert_eq!(shown.len(), clients.len());
    for (pid, end) in clients.iter().zip(ENDS) {
        let pid = i32::try_from(*pid).unwrap();
        let view = shown.iter().find(|view| view.pid == Some(pid)).unwrap();
        check_end(view, end);
        let session = machine.sessions().find(|s| s.key.as_str() == view.key).unwrap();
        let expected = SessionView::of(session, &view.host, session.last_activity);
        assert_eq!(*view, expected);
        assert!(!view.lineage.is_empty(), "{view:?}");
    }
    assert_eq!(transitions(&database), moves);
}

/// Four writers run hook after hook while the daemon is killed again and again. Returns the marks
/// of the events that each writer fired.
fn fire_and_kill(sealed: &Sealed, clients: [u32; 4]) -> Vec<Vec<String>> {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..clients.len())
            .map(|writer| {
                let over = &over;
                let fire = move || Script::new(sealed, writer, clients[writer]).run(over);
                scope.spawn(fire)
            })
            .collect();
        let _ends = Ends(&over);
        for cycle in 0..KILLS {
            kill_once(sealed, cycle);
        }
        over.store(true, Ordering::Relaxed);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    })
}

/// Writers end also if the test fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Kills the daemon that a hook started, once it has taken in or stored something: at another
/// point of its work from cycle to cycle.
fn kill_once(sealed: &Sealed, cycle: usize) {
    let mut wire = sealed.wait("a daemon started by a hook", |sealed| Wire::open(sealed).ok());
    let daemon = wire.daemon();
    match cycle % 3 {
        0 => {
            sealed.wait("an event taken in", |_| (wire.ask_status().events > 0).then_some(()));
        }
        1 => {
            let before = wire.ask_status().stored;
            sealed.wait("an event stored", |_| (wire.ask_status().stored > before).then_some(()));
        }
        _ => {
            wire.send(&Request::Subscribe);
            while !matches!(wire.hear().unwrap(), Reply::Changed { .. }) {}
        }
    }
    daemon.kill();
}

/// What one client does: turns with tools and permissions, `/clear` after each.
struct Script<'a> {
    sealed: &'a Sealed,
    writer: usize,
    pid: u32,
    conversation: usize,
    fired: Vec<String>,
}

impl<'a> Script<'a> {
    fn new(sealed: &'a Sealed, writer: usize, pid: u32) -> Script<'a> {
        Script { sealed, writer, pid, conversation: 0, fired: Vec::new() }
    }

    fn run(mut self, over: &AtomicBool) -> Vec<String> {
        while !over.load(Ordering::Relaxed) {
            self.turn();
            self.fire("SessionEnd", json!({"reason": "clear"}));
            self.conversation += 1;
            self.fire("SessionStart", json!({"source": "clear"}));
        }
        let bash = json!({"prompt_id": "last", "tool_name": "Bash", "tool_use_id": "last"});
        self.fire("UserPromptSubmit", json!({"prompt_id": "last", "prompt": "go"}));
        match ENDS[self.writer].0 {
            "attention" => self.fire("PermissionRequest", bash),
            "idle" => self.fire("Stop", json!({"prompt_id": "last"})),
            "ended" => self.fire("SessionEnd", json!({"reason": "logout"})),
            _ => {}
        }
        self.fired
    }

    fn turn(&mut self) {
        let (prompt, tool) = (self.next(), format!("t{}", self.next()));
        let call = json!({"prompt_id": prompt, "tool_name": "Bash", "tool_use_id": tool});
        self.fire("UserPromptSubmit", json!({"prompt_id": prompt, "prompt": "go"}));
        self.fire("PreToolUse", call.clone());
        self.fire("PermissionRequest", call.clone());
        self.fire("PostToolUse", call);
        self.fire("Stop", json!({"prompt_id": prompt}));
    }

    fn next(&self) -> String {
        format!("{}-{}", self.writer, self.fired.len())
    }

    fn fire(&mut self, event: &str, mut more: Value) {
        let mark = self.next();
        more[MARK] = json!(mark);
        let id = format!("aaaa{}-{}", self.writer, self.conversation);
        self.sealed.hook(self.pid, event, &id, more);
        self.fired.push(mark);
        // Leaves the daemon a share of the machine, so that the test is done sooner.
        thread::sleep(Duration::from_millis(4));
    }
}

fn assert_once(found: &BTreeMap<u64, String>, fired: &BTreeSet<String>, place: &str) {
    let once: BTreeSet<String> = found.values().cloned().collect();
    let lost: Vec<_> = fired.difference(&once).collect();
    assert_eq!(lost, Vec::<&String>::new(), "not in the {place}");
    assert_eq!(found.len(), fired.len(), "more than once in the {place}");
}

fn check_end(view: &SessionView, (status, field, words): (&str, &str, &str)) {
    let shown = serde_json::to_value(view).unwrap();
    if status == "ended" {
        assert_eq!(
            (&shown["ended"][field], &shown["ended"]["lost"]),
            (&json!(words), &json!(false))
        );
    } else {
        assert_eq!((&shown["status"], &shown[field]), (&json!(status), &json!(words)));
        assert_eq!(shown["ended"], Value::Null);
    }
}

/// A step of a session: key, from, to, cause.
type Step = (String, String, String, String);

/// The journal from its beginning through a machine that nobody ever killed.
fn replay(journal: &[u8]) -> (Machine, Vec<Step>) {
    let mut machine = Machine::default();
    let mut moves = Vec::new();
    for line in record::lines(journal) {
        let Record { ts, origin, payload, .. } = Record::decode(line.bytes).unwrap();
        let wire = WireHook::decode(payload.unwrap().get()).unwrap();
        let heard = Heard { ts, name: event_name(&wire), origin, hook: Hook::decode(&wire) };
        for effect in machine.handle(Event::Hook(Box::new(heard)), ts) {
            if let Effect::Moved(key, step) = effect {
                moves.push((key.to_string(), step.from, step.to, step.cause));
            }
        }
    }
    (machine, moves)
}

fn transitions(database: &rusqlite::Connection) -> Vec<Step> {
    let sql = "SELECT session_key, from_state, to_state, cause FROM transitions ORDER BY id";
    let mut select = database.prepare(sql).unwrap();
    let rows = select.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)));
    rows.unwrap().map(|row| row.unwrap()).collect()
}

#[test]
fn sessions_after_a_kill_are_as_they_were_before() {
    let mut sealed = Sealed::new();
    let [works, waits, rests] = [(); 3].map(|()| sealed.client());
    for (pid, id) in [(works, "bbbb-0001"), (waits, "bbbb-0002"), (rests, "bbbb-0003")] {
        sealed.hook(pid, "SessionStart", id, json!({"source": "startup"}));
        sealed.hook(pid, "UserPromptSubmit", id, json!({"prompt_id": "p", "prompt": "go"}));
    }
    let call = json!({"prompt_id": "p", "tool_name": "Bash", "tool_use_id": "t",
        "tool_input": {"command": "touch x"}});
    sealed.hook(works, "PreToolUse", "bbbb-0001", call.clone());
    sealed.hook(waits, "PermissionRequest", "bbbb-0002", call);
    sealed.hook(rests, "SessionEnd", "bbbb-0003", json!({"reason": "clear"}));
    sealed.hook(rests, "SessionStart", "bbbb-0004", json!({"source": "clear"}));
    let mut before = by_pid(&sealed);
    let facts = |pid: u32| {
        let session = &before[&u64::from(pid)];
        (session["status"].clone(), session["reason"].clone(), session["lineage"].clone())
    };
    assert_eq!(facts(works), (json!("working"), Value::Null, json!([])));
    assert_eq!(facts(waits), (json!("attention"), json!("Permission: Bash"), json!([])));
    assert_eq!(facts(rests), (json!("idle"), Value::Null, json!(["bbbb-0003"])));

    ledger::stored_marks(&sealed);
    let first = Daemon::of(&sealed);
    first.kill();
    assert_eq!(by_pid(&sealed), before);

    // What the dead one never saw is in the journal.
    let second = Daemon::of(&sealed);
    assert_ne!(second.pid(), first.pid());
    second.freeze();
    sealed.hook(works, "Stop", "bbbb-0001", json!({"prompt_id": "p"}));
    second.kill();
    let mut after = by_pid(&sealed);
    let done = after.remove(&works.into()).unwrap();
    assert_eq!((&done["status"], &done["why"]), (&json!("idle"), &json!("done")));
    before.remove(&works.into());
    assert_eq!(after, before);
}

fn by_pid(sealed: &Sealed) -> BTreeMap<u64, Value> {
    sealed.sessions().into_iter().map(|view| (view["pid"].as_u64().unwrap(), view)).collect()
}
