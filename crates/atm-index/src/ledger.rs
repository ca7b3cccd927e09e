//! All sessions and all answers, each answer once: transcripts of forks and of resumed sessions
//! carry copies of what was answered in others.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::AddAssign;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use atm_core::prices::{ModelPrices, Picos, Prices};
use atm_core::stamp::Stamp;
use atm_core::transcript::facts::{Ending, Facts};
use atm_core::transcript::usage::{SIZE, Usage};
use rusqlite::Row;

use crate::error::IndexError;
use crate::store::Index;

#[derive(Debug)]
pub struct Ledger {
    /// In the order in which they were made.
    pub(crate) files: Vec<FileRow>,
    answers: Vec<(u32, Usage)>,
    /// Of each answer; none where there is no price.
    costs: Vec<Option<u64>>,
    sessions: Vec<Session>,
}

#[derive(Debug)]
pub(crate) struct FileRow {
    pub(crate) id: i64,
    pub(crate) path: PathBuf,
    config: String,
    session_id: String,
    agent: Option<String>,
    facts: Facts,
    /// Place in the list of sessions.
    pub(crate) session: usize,
    /// The session from which answers were carried along.
    parent: Option<String>,
}

/// An answer of a model, counted where it was given first.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    pub session: &'a Session,
    pub at: Stamp,
    /// As it is charged: `claude-opus-5-5:fast`.
    pub model: &'a str,
    pub tokens: Tokens,
    pub cost: Cost,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    pub id: String,
    pub config: String,
    /// Its own transcripts, the latest last. More than one if it moved between directories.
    pub files: Vec<PathBuf>,
    pub first_cwd: Option<String>,
    pub last_cwd: Option<String>,
    pub branch: Option<String>,
    pub title: Option<String>,
    pub first_prompt: Option<String>,
    pub models: Vec<String>,
    pub tools: BTreeMap<String, u64>,
    pub turns: u64,
    pub compactions: u64,
    pub interrupts: u64,
    pub errors: u64,
    pub start: Option<Stamp>,
    pub end: Option<Stamp>,
    pub ending: Ending,
    pub context_tokens: u64,
    pub context_model: Option<String>,
    pub waited_ms: u64,
    pub subagents: usize,
    /// The session it was forked from, as far as shared history tells.
    pub parent: Option<String>,
    /// Of its own answers and those of its subagents; what it shares with a parent is the
    /// parent's.
    pub tokens: Tokens,
    pub cost: Cost,
    /// Lines that could not be read.
    pub unread: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    pub answers: u64,
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write_5m: u64,
    pub cache_write_1h: u64,
    pub searches: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub picos: Picos,
    /// Answers of models without a price: their cost is not in it.
    pub unpriced: u64,
}

impl From<&Usage> for Tokens {
    fn from(usage: &Usage) -> Tokens {
        Tokens {
            answers: 1,
            input: usage.input.into(),
            output: usage.output.into(),
            cache_read: usage.cache_read.into(),
            cache_write_5m: usage.cache_write_5m.into(),
            cache_write_1h: usage.cache_write_1h.into(),
            searches: usage.searches.into(),
        }
    }
}

impl From<Option<u64>> for Cost {
    fn from(picos: Option<u64>) -> Cost {
        Cost { picos: picos.unwrap_or(0).into(), unpriced: u64::from(picos.is_none()) }
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Tokens) {
        self.answers += other.answers;
        self.input += other.input;
        self.output += other.output;
        self.cache_read += other.cache_read;
        self.cache_write_5m += other.cache_write_5m;
        self.cache_write_1h += other.cache_write_1h;
        self.searches += other.searches;
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.picos += other.picos;
        self.unpriced += other.unpriced;
    }
}

impl Index {
    pub fn ledger(&self, prices: &Prices) -> Result<Ledger, IndexError> {
        let mut select = self.conn.prepare_cached(
            "SELECT id, path, config, session, agent, facts, records
             FROM files LEFT JOIN usage ON file = files.id ORDER BY born, path",
        )?;
        let mut rows = select.query([])?;
        let mut files = Vec::new();
        let mut book = Book::with_room(self.answers()?);
        while let Some(row) = rows.next()? {
            let mut file = file(row)?;
            let records = row.get_ref(6)?.as_blob_or_null().ok().flatten().unwrap_or_default();
            file.parent = book.enter(&files, &file, records).or_else(|| foreign(&file));
            files.push(file);
        }
        let sessions = gather(&mut files);
        let mut ledger = Ledger { files, answers: book.answers, costs: Vec::new(), sessions };
        ledger.charge(prices);
        Ok(ledger)
    }

    /// How many there are at most: some are copies.
    fn answers(&self) -> Result<usize, IndexError> {
        let bytes: i64 = self.conn.query_row(
            "SELECT coalesce(sum(length(records)), 0) FROM usage",
            [],
            |row| row.get(0),
        )?;
        Ok(usize::try_from(bytes).unwrap_or(0) / SIZE)
    }
}

fn file(row: &Row<'_>) -> Result<FileRow, IndexError> {
    let path = row.get_ref(1)?.as_blob().unwrap_or_default();
    let facts = row.get_ref(5)?.as_str().unwrap_or_default();
    Ok(FileRow {
        id: row.get(0)?,
        path: OsStr::from_bytes(path).into(),
        config: row.get(2)?,
        session_id: row.get(3)?,
        agent: row.get(4)?,
        facts: serde_json::from_str(facts).unwrap_or_default(),
        session: 0,
        parent: None,
    })
}

/// Another session's id among the records of a main file.
fn foreign(file: &FileRow) -> Option<String> {
    let ids = [&file.facts.session, &file.facts.foreign].into_iter().flatten();
    let mut ids = ids.filter(|id| file.agent.is_none() && **id != file.session_id);
    ids.next().cloned()
}

struct Book {
    answers: Vec<(u32, Usage)>,
    places: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
}

/// Keys are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

impl Book {
    fn with_room(answers: usize) -> Book {
        let places = HashMap::with_capacity_and_hasher(answers, BuildHasherDefault::default());
        Book { answers: Vec::with_capacity(answers), places }
    }

    /// Returns the other session that has had one of the answers before.
    fn enter(&mut self, files: &[FileRow], file: &FileRow, records: &[u8]) -> Option<String> {
        let own = u32::try_from(files.len()).unwrap_or(u32::MAX);
        let mut parent = None;
        for usage in Usage::decode_all(records) {
            match self.places.entry(usage.key) {
                Entry::Vacant(place) => {
                    place.insert(u32::try_from(self.answers.len()).unwrap_or(u32::MAX));
                    self.answers.push((own, usage));
                }
                Entry::Occupied(place) => {
                    let (owner, known) = &mut self.answers[*place.get() as usize];
                    known.merge(&usage);
                    let first = files.get(*owner as usize).map(|owner| &owner.session_id);
                    let first = first.filter(|first| **first != file.session_id);
                    parent = parent.or_else(|| first.cloned());
                }
            }
        }
        parent
    }
}

fn gather(files: &mut [FileRow]) -> Vec<Session> {
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    let mut sessions: Vec<Session> = Vec::new();
    for file in files {
        let key = (file.config.clone(), file.session_id.clone());
        file.session = *places.entry(key).or_insert_with(|| {
            let (id, config) = (file.session_id.clone(), file.config.clone());
            sessions.push(Session { id, config, ..Session::default() });
            sessions.len() - 1
        });
        sessions[file.session].add(file);
    }
    sessions
}

impl Session {
    fn add(&mut self, file: &FileRow) {
        let facts = &file.facts;
        for (tool, count) in &facts.tools {
            *self.tools.entry(tool.clone()).or_default() += count;
        }
        for model in facts.models.iter().map(|model| bare(model)) {
            if !self.models.iter().any(|known| known == model) {
                self.models.push(model.to_owned());
            }
        }
        self.unread += facts.unread;
        self.start = [self.start, facts.start].into_iter().flatten().min();
        let is_latest = self.files.is_empty() || facts.end >= self.end;
        self.end = self.end.max(facts.end);
        if file.agent.is_some() {
            self.subagents += 1;
            return;
        }
        self.files.push(file.path.clone());
        self.turns += facts.turns;
        self.compactions += facts.compactions;
        self.interrupts += facts.interrupts;
        self.errors += facts.errors;
        self.waited_ms += facts.waited_ms;
        fill(&mut self.first_cwd, facts.first_cwd.as_ref());
        fill(&mut self.first_prompt, facts.first_prompt.as_ref());
        fill(&mut self.parent, file.parent.as_ref());
        if is_latest {
            self.last_cwd = facts.last_cwd.clone().or_else(|| self.last_cwd.take());
            self.branch = facts.branch.clone().or_else(|| self.branch.take());
            self.title = facts.title().map(str::to_owned).or_else(|| self.title.take());
            self.ending = facts.ending.clone();
            self.context_tokens = facts.context_tokens;
            let model = facts.context_model.and_then(|place| facts.models.get(usize::from(place)));
            self.context_model = model.map(|model| bare(model).to_owned());
        }
    }
}

/// Without what only changes the price.
fn bare(model: &str) -> &str {
    model.split(':').next().unwrap_or_default()
}

fn fill(place: &mut Option<String>, value: Option<&String>) {
    if place.is_none() {
        *place = value.cloned();
    }
}

impl Ledger {
    fn charge(&mut self, prices: &Prices) {
        let mut known: HashMap<&str, ModelPrices<'_>> = HashMap::new();
        for model in self.files.iter().flat_map(|file| &file.facts.models) {
            known.entry(model).or_insert_with(|| prices.of(model));
        }
        let mut costs = Vec::with_capacity(self.answers.len());
        // Answers of one file and model come in a row.
        let mut last: Option<((u32, u16), &ModelPrices<'_>)> = None;
        for (place, usage) in &self.answers {
            let file = &self.files[*place as usize];
            let model = match last {
                Some((which, model)) if which == (*place, usage.model) => Some(model),
                _ => known.get(file.model(usage)),
            };
            last = model.map(|model| ((*place, usage.model), model));
            let cost = model.and_then(|model| u64::try_from(model.cost(usage)?).ok());
            let session = &mut self.sessions[file.session];
            session.tokens += Tokens::from(usage);
            session.cost += Cost::from(cost);
            costs.push(cost);
        }
        self.costs = costs;
    }

    pub fn sessions(&self) -> &[Session] {
        &self.sessions
    }

    pub fn answers(&self) -> impl Iterator<Item = Answer<'_>> {
        self.answers.iter().zip(&self.costs).map(|((file, usage), cost)| {
            let file = &self.files[*file as usize];
            Answer {
                session: &self.sessions[file.session],
                at: usage.at,
                model: file.model(usage),
                tokens: Tokens::from(usage),
                cost: Cost::from(*cost),
            }
        })
    }
}

impl FileRow {
    fn model(&self, usage: &Usage) -> &str {
        self.facts.models.get(usize::from(usage.model)).map_or("", String::as_str)
    }
}
