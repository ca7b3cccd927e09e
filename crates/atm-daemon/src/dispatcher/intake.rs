//! From the journal into the machine and on to the store.

use std::time::Duration;

use atm_core::effect::Effect;
use atm_core::event::{Event, Heard};
use atm_core::hook::Hook;
use atm_core::hook::event::event_name;
use atm_core::hook::self_test;
use atm_core::hook::wire::WireHook;
use atm_core::record::{self, Record};
use atm_core::session::Key;

use super::{Dispatcher, More};
use crate::clock;
use crate::journal;
use crate::store::EventRow;

/// Bytes of journal taken in before others get their turn.
const CHUNK: usize = 1024 * 1024;
/// Events held in memory while the store takes none.
const MAX_WAITING: usize = 20_000;
/// Time before a journal that could not be read is tried again.
const JOURNAL_PAUSE: Duration = Duration::from_millis(500);

impl Dispatcher {
    /// Takes in one chunk of the journal.
    pub(super) fn read_journal(&mut self) -> More {
        // A store in trouble must not make statuses old, nor the memory full.
        if !self.hand_over() && self.world.batch.events.len() > MAX_WAITING {
            return More::Later;
        }
        let chunk = match self.journal.read(CHUNK) {
            Ok(chunk) => chunk,
            Err(error) => {
                self.trouble(&format!("cannot read the journal: {error}"));
                self.keeper.ring_after(JOURNAL_PAUSE);
                return More::Later;
            }
        };
        if chunk.is_empty() {
            self.tend_journal();
            return More::No;
        }
        for line in record::lines(&chunk.bytes) {
            let seq = chunk.start + line.offset as u64;
            self.take_line(seq, line.bytes);
        }
        More::Yes
    }

    fn take_line(&mut self, seq: u64, line: &[u8]) {
        let Ok(record) = Record::decode(line) else {
            self.counts.malformed += 1;
            return;
        };
        self.counts.events += 1;
        let mut row = EventRow {
            seq,
            ts: record.ts,
            event: String::new(),
            session: record.origin.session.clone(),
            key: None,
            pid: record.origin.process.as_ref().map(|process| process.pid),
            pane: record.origin.pane.clone(),
            payload: record.payload.map(|raw| raw.get().to_owned()),
            malformed: record.malformed,
        };
        match record.payload.and_then(|raw| WireHook::decode(raw.get()).ok()) {
            None => self.counts.malformed += 1,
            Some(wire) if self_test::nonce(&wire).is_some() => {
                // Proof that the way is open, and nothing else: the machine never hears of it.
                self.self_test = self_test::nonce(&wire);
                (row.event, row.session) = (event_name(&wire), None);
            }
            Some(wire) => {
                let hook = Hook::decode(&wire);
                row.event = event_name(&wire);
                row.session = hook.conversation.as_ref().map(ToString::to_string);
                let heard =
                    Heard { ts: record.ts, name: row.event.clone(), origin: record.origin, hook };
                let effects = self.machine.handle(Event::Hook(Box::new(heard)), clock::now());
                row.key = effects.iter().find_map(changed);
                self.world.apply(effects, &self.machine);
            }
        }
        self.world.batch.events.push(row);
    }

    /// Rotation and retention, when there is nothing else to do.
    fn tend_journal(&mut self) {
        let keep = self.world.config.history.keep_journal;
        let tended = self.journal.rotate(journal::SEGMENT_MAX).and_then(|rotated| {
            if rotated { self.journal.retain(self.keeper.stored(), keep) } else { Ok(0) }
        });
        if let Err(error) = tended {
            self.trouble(&format!("cannot tend the journal: {error}"));
        }
    }

    /// Whoever asks sees every event that was in the journal before the question.
    pub(super) fn catch_up(&mut self) -> More {
        for _ in 0..64 {
            match self.read_journal() {
                More::Yes => {}
                rest => return rest,
            }
        }
        More::Yes
    }
}

fn changed(effect: &Effect) -> Option<Key> {
    match effect {
        Effect::Changed(key) => Some(key.clone()),
        _ => None,
    }
}
