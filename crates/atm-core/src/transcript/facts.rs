//! What one transcript file tells of its session, gathered line by line. It can be put away after
//! any line and gone on with: the outcome is that of reading all lines at once.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::line::{Line, Tells};
use super::usage::{SIZE, Usage};
use crate::stamp::Stamp;
use crate::text::clean;

/// A session that nobody answered for longer than this was left, not waiting.
const WAIT_MAX: Duration = Duration::from_secs(12 * 3600);
const MAX_TEXT: usize = 300;
const MAX_PATH: usize = 4096;
/// No file has more models and tools than this; what comes after is counted under one name.
const MAX_NAMES: usize = 500;
const OTHERS: &str = "(others)";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// As the records say, which is not always the name of the file.
    pub session: Option<String>,
    /// Another session's id among the records: that one's history was carried along.
    pub foreign: Option<String>,
    pub first_cwd: Option<String>,
    pub last_cwd: Option<String>,
    pub branch: Option<String>,
    pub custom_title: Option<String>,
    pub ai_title: Option<String>,
    pub summary: Option<String>,
    pub agent_name: Option<String>,
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
    /// Of the last answer of the main thread.
    pub context_tokens: u64,
    /// Place in the list of models.
    pub context_model: Option<u16>,
    /// Time between the end of a turn and the next prompt.
    pub waited_ms: u64,
    /// Since when the user is waited for.
    pub waiting_since: Option<Stamp>,
    pub lines: u64,
    /// Lines that are no JSON, or too long to be read.
    pub unread: u64,
}

/// How the transcript stops, as far as it tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "how")]
pub enum Ending {
    /// Nothing was asked.
    #[default]
    Empty,
    /// In the middle of a turn: it goes on, or the client was killed.
    MidTurn,
    Finished,
    Interrupted,
    Failed {
        error: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Older clients put the words of subagents between those of the session.
    Session,
    Subagent,
}

impl Facts {
    /// Takes in a line of the file `whose`; usage goes to `records`, encoded. `place` tells lines
    /// apart that have no id of their own.
    pub fn take(&mut self, line: &Line<'_>, whose: Whose, place: u64, records: &mut Vec<u8>) {
        let at = line.at();
        self.take_origin(line, at);
        self.note_place(line, at);
        line.tools().for_each(|tool| self.take_tool(tool));
        let context = self.take_usage(line, at, place, records);
        if line.is_sidechain() && whose == Whose::Session {
            return;
        }
        match line.tells() {
            Tells::Prompt => self.take_prompt(line, at),
            Tells::Notice => {
                self.waiting_since = None;
                self.ending = Ending::MidTurn;
            }
            Tells::Interrupt => {
                self.interrupts += 1;
                self.turn_over(at, Ending::Interrupted);
            }
            Tells::Answer { is_error: true, .. } => {
                self.errors += 1;
                let error = clean(line.error().unwrap_or("unknown"), 80);
                self.turn_over(at, Ending::Failed { error });
            }
            Tells::Answer { is_turn_end, .. } => {
                if let Some((model, tokens)) = context {
                    self.context_tokens = tokens;
                    self.context_model = Some(model);
                }
                if is_turn_end {
                    self.turn_over(at, Ending::Finished);
                } else {
                    self.ending = Ending::MidTurn;
                }
            }
            Tells::TurnEnd => {
                if self.ending == Ending::MidTurn {
                    self.ending = Ending::Finished;
                }
                self.waiting_since = at.or(self.waiting_since);
            }
            Tells::Compaction => self.compactions += 1,
            Tells::CustomTitle(title) => self.custom_title = text(title),
            Tells::AiTitle(title) => self.ai_title = text(title),
            Tells::Summary(title) => self.summary = text(title),
            Tells::AgentName(name) => self.agent_name = text(name),
            Tells::Moved(cwd) => self.last_cwd = path(cwd).or_else(|| self.last_cwd.take()),
            Tells::Other => {}
        }
    }

    /// When and where it was last. Lines that tell nothing else are asked only if they are the
    /// last ones.
    pub fn take_place(&mut self, line: &Line<'_>) {
        self.note_place(line, line.at());
    }

    fn note_place(&mut self, line: &Line<'_>, at: Option<Stamp>) {
        self.end = at.or(self.end);
        if let Some(cwd) = line.cwd().filter(|cwd| self.last_cwd.as_deref() != Some(*cwd)) {
            self.last_cwd = path(cwd).or_else(|| self.last_cwd.take());
        }
        if let Some(branch) = line.branch().filter(|name| self.branch.as_deref() != Some(*name)) {
            self.branch = text(branch).or_else(|| self.branch.take());
        }
    }

    fn take_origin(&mut self, line: &Line<'_>, at: Option<Stamp>) {
        self.start = self.start.or(at);
        if self.first_cwd.is_none() {
            self.first_cwd = line.cwd().and_then(path);
        }
        let Some(session) = line.session() else { return };
        match &self.session {
            None => self.session = text(session),
            Some(known) if known != session && self.foreign.is_none() => {
                self.foreign = text(session);
            }
            Some(_) => {}
        }
    }

    pub fn title(&self) -> Option<&str> {
        let titles = [&self.custom_title, &self.agent_name, &self.ai_title, &self.summary];
        titles.into_iter().find_map(|title| title.as_deref())
    }

    fn take_tool(&mut self, tool: &str) {
        if let Some(count) = self.tools.get_mut(tool) {
            *count += 1;
            return;
        }
        let name = clean(tool, 100);
        let is_known = self.tools.contains_key(&name) || self.tools.len() < MAX_NAMES;
        *self.tools.entry(if is_known { name } else { OTHERS.to_owned() }).or_default() += 1;
    }

    fn take_prompt(&mut self, line: &Line<'_>, at: Option<Stamp>) {
        self.turns += 1;
        if let (Some(since), Some(at)) = (self.waiting_since.take(), at) {
            let waited = at.since(since);
            if waited <= WAIT_MAX {
                self.waited_ms += u64::try_from(waited.as_millis()).unwrap_or(0);
            }
        }
        if self.first_prompt.is_none()
            && let Some((_, said)) = line.said()
        {
            self.first_prompt = text(&said);
        }
        self.ending = Ending::MidTurn;
    }

    fn turn_over(&mut self, at: Option<Stamp>, ending: Ending) {
        self.waiting_since = at.or(self.waiting_since);
        self.ending = ending;
    }

    /// Returns how full the context of the model was.
    fn take_usage(
        &mut self,
        line: &Line<'_>,
        at: Option<Stamp>,
        place: u64,
        records: &mut Vec<u8>,
    ) -> Option<(u16, u64)> {
        let (model, usage) = line.usage(place)?;
        let model = self.model(&model);
        let usage = Usage { model, at: at.unwrap_or_default(), ..usage };
        match records.last_chunk_mut::<SIZE>() {
            Some(last) if Usage::decode(last).key == usage.key => {
                let mut known = Usage::decode(last);
                known.merge(&usage);
                *last = known.encode();
            }
            _ => records.extend(usage.encode()),
        }
        Some((model, usage.context()))
    }

    fn model(&mut self, raw: &str) -> u16 {
        let known = |models: &[String], name: &str| models.iter().position(|m| m == name);
        let place = known(&self.models, raw).unwrap_or_else(|| {
            let name = if self.models.len() < MAX_NAMES { clean(raw, 100) } else { OTHERS.into() };
            known(&self.models, &name).unwrap_or_else(|| {
                self.models.push(name);
                self.models.len() - 1
            })
        });
        u16::try_from(place).unwrap_or(u16::MAX)
    }
}

fn text(raw: &str) -> Option<String> {
    Some(clean(raw, MAX_TEXT)).filter(|text| !text.is_empty())
}

/// Not cleaned: it is a path to go to, and cleaned where it is shown.
fn path(raw: &str) -> Option<String> {
    (!raw.is_empty() && raw.len() <= MAX_PATH).then(|| raw.to_owned())
}
