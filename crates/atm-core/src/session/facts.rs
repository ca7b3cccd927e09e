//! What is known of a session: each fact with the time it speaks of. Sensors change facts;
//! `derive` alone turns them into a status.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::child::Children;
use super::derive::{GRACE, Source};
use super::status::{Reason, Why};
use crate::hook::event::{Author, Task, ToolCall, Trigger, fingerprint};
use crate::ids::{AgentId, PromptId, ToolUseId};
use crate::session_file::FileStatus;
use crate::stamp::Stamp;

/// Ids remembered so that a late event of something finished does not open it again.
const MAX_REMEMBERED: usize = 64;
/// Bounds against a client, or an attacker, that never closes what it opens.
const MAX_OPEN: usize = 200;
/// How long a finished background task may take to wake the main thread (l1_subagent: 0.5 s).
pub const HANDOVER: Duration = Duration::from_secs(10);

/// Hooks that are registered twice report everything twice, this close together at most.
const ECHO: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    pub turn: Option<Turn>,
    pub last: TurnEnd,
    pub tools: Vec<Tool>,
    pub asks: Vec<Ask>,
    pub compacting: Option<Compacting>,
    /// Since when one-time setup runs (`--init`): until the session starts (z2_setup.jsonl).
    pub setup: Option<Stamp>,
    pub tasks: Vec<Task>,
    pub children: Children,
    /// Since when a finished task or a queued prompt is about to wake the main thread.
    pub handover: Option<Stamp>,
    /// Prompts typed while the turn ran and not taken into it yet (f2_queue.jsonl).
    queued: u32,
    /// The last prompt heard of, to tell a second one from a second report of the same.
    submitted: Option<(u64, Stamp)>,
    pub file: Option<FileFact>,
    /// Newest hook event that says something about the main thread.
    pub heard: Stamp,
    /// Newest hook event that proves that no dialog of the main thread is open.
    pub proof: Stamp,
    /// A session file that hooks have proved wrong; not believed until it is written anew.
    frozen: Option<Stamp>,
    /// When the session file last said that no dialog was open any more.
    pub answered: Stamp,
    /// Since when only the session file says that something runs.
    busy_since: Option<Stamp>,
    ended_prompts: Vec<PromptId>,
    ended_tools: Vec<ToolUseId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    pub prompt: Option<PromptId>,
    pub author: Author,
    pub at: Stamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEnd {
    pub why: Why,
    pub at: Stamp,
    /// Who told of the end.
    pub by: Source,
    /// When the turn had begun.
    begun: Stamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    pub id: Option<ToolUseId>,
    pub name: String,
    pub subject: Option<String>,
    pub agent: Option<AgentId>,
    pub at: Stamp,
    input: u64,
}

/// Something the user is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    pub reason: Reason,
    pub agent: Option<AgentId>,
    pub tool: Option<ToolUseId>,
    pub at: Stamp,
    tool_name: String,
    input: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compacting {
    pub trigger: Trigger,
    pub at: Stamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFact {
    pub status: FileStatus,
    pub waiting_for: Option<String>,
    pub at: Stamp,
}

impl Facts {
    pub fn new(at: Stamp) -> Facts {
        Facts {
            turn: None,
            last: TurnEnd { why: Why::Fresh, at, by: Source::Hook, begun: at },
            tools: Vec::new(),
            asks: Vec::new(),
            compacting: None,
            setup: None,
            tasks: Vec::new(),
            children: Children::default(),
            handover: None,
            queued: 0,
            submitted: None,
            file: None,
            heard: Stamp::default(),
            proof: Stamp::default(),
            frozen: None,
            answered: Stamp::default(),
            busy_since: None,
            ended_prompts: Vec::new(),
            ended_tools: Vec::new(),
        }
    }

    /// A new conversation in the same process: nothing of the old one goes on.
    pub fn start_over(&mut self, at: Stamp) {
        let file = self.file.take();
        *self = Facts::new(at);
        self.file = file;
        self.heard = at;
        self.proof = at;
    }

    /// `prompt` was submitted. One whose turn has ended already is a late report.
    pub fn open_turn(&mut self, prompt: Option<PromptId>, author: Author, text: &str, at: Stamp) {
        let text = fingerprint(text);
        if self.is_over(prompt.as_ref()) || at < self.last.at && prompt.is_none() {
            // Queued in the moment the turn ended, it still carries that turn's id.
            let is_new = self.submitted.is_some_and(|(last, _)| last != text);
            if is_new && self.turn.is_none() && at > self.last.at {
                self.submitted = Some((text, at));
                self.handover = Some(at);
            }
            return;
        }
        let is_echo = self
            .submitted
            .is_some_and(|(last, when)| last == text && at.since(when).max(when.since(at)) < ECHO);
        self.submitted = Some((text, at));
        self.heard_at(at);
        self.proof = self.proof.max(at);
        self.handover = None;
        self.setup = None;
        // Nobody can type a prompt while a dialog is open.
        self.asks.retain(|ask| ask.agent.is_some() || ask.at > at);
        match &mut self.turn {
            // A prompt queued while the turn runs carries that turn's id (f2_queue.jsonl).
            Some(turn) if turn.prompt == prompt => {
                self.queued += u32::from(author == Author::Human && prompt.is_some() && !is_echo);
            }
            turn => {
                let old = turn.replace(Turn { prompt, author, at });
                if let Some(id) = old.and_then(|turn| turn.prompt) {
                    remember(&mut self.ended_prompts, id);
                }
                self.queued = 0;
                self.clear_main(at);
            }
        }
    }

    /// Activity of the main thread outside a known turn: `!cmd`, a queued prompt, a teammate.
    pub fn ensure_turn(&mut self, prompt: Option<&PromptId>, at: Stamp) {
        // PreCompact(auto) may have no PostCompact: the turn simply goes on (k2_autocompact).
        self.compacting = self.compacting.filter(|compacting| compacting.at >= at);
        self.doubt_file(prompt, at);
        self.setup = None;
        if self.turn.is_none() && at > self.last.at {
            self.turn = Some(Turn { prompt: prompt.cloned(), author: Author::Client, at });
            self.handover = None;
        }
        self.heard_at(at);
    }

    /// The turn of `prompt` is over. False if that turn was over before and another one runs.
    pub fn close_turn(&mut self, prompt: Option<&PromptId>, why: Why, at: Stamp) -> bool {
        let running = self.turn.as_ref().and_then(|turn| turn.prompt.as_ref());
        let is_other = running.is_some() && prompt.is_some() && running != prompt;
        let is_stale = running.is_none() && self.ended_prompts.last() != prompt;
        let begun = self.turn.as_ref().map_or(self.last.begun, |turn| turn.at);
        let is_older = is_other && at < begun;
        if is_older || (is_other || is_stale) && self.is_over(prompt) {
            return false;
        }
        let is_same = prompt.is_none() || self.ended_prompts.last() == prompt;
        let was_told = running.is_none() && self.handover == Some(self.last.at);
        let is_echo = is_same && was_told && at.since(self.last.at) < ECHO;
        let ended = [prompt.cloned(), running.cloned()];
        for id in ended.into_iter().flatten() {
            if !self.ended_prompts.contains(&id) {
                remember(&mut self.ended_prompts, id);
            }
        }
        self.turn = None;
        self.compacting = None;
        self.setup = None;
        if std::mem::take(&mut self.queued) > 0 {
            self.handover = Some(at);
        } else if !is_echo {
            self.handover = None;
        }
        self.last = TurnEnd { why, at, by: Source::Hook, begun };
        self.heard_at(at);
        self.proof = self.proof.max(at);
        self.clear_main(at);
        true
    }

    fn is_over(&self, prompt: Option<&PromptId>) -> bool {
        prompt.is_some_and(|id| self.ended_prompts.contains(id))
    }

    /// The main thread went on: what it had open before `at` is no longer open.
    fn clear_main(&mut self, at: Stamp) {
        self.tools.retain(|tool| tool.agent.is_some() || tool.at > at);
        self.asks.retain(|ask| ask.agent.is_some() || ask.at > at);
    }

    pub fn heard_at(&mut self, at: Stamp) {
        self.heard = self.heard.max(at);
    }

    pub fn tool_starts(&mut self, call: &ToolCall, agent: Option<&AgentId>, at: Stamp) {
        let is_late = call.id.as_ref().is_some_and(|id| self.ended_tools.contains(id));
        let is_known = call.id.is_some() && self.tools.iter().any(|tool| tool.id == call.id);
        if is_late || is_known || self.tools.len() >= MAX_OPEN {
            return;
        }
        self.tools.push(Tool {
            id: call.id.clone(),
            name: call.name.clone(),
            subject: call.subject.clone(),
            agent: agent.cloned(),
            at,
            input: call.input,
        });
    }

    /// The call is through: so is what was asked about it.
    pub fn tool_ends(&mut self, call: &ToolCall, agent: Option<&AgentId>, at: Stamp) {
        if let Some(id) = &call.id {
            self.tool_id_ends(id);
        }
        let same = |name: &str, input: u64| name == call.name && input == call.input;
        self.tools.retain(|tool| {
            !(tool.id.is_none() && tool.agent.as_ref() == agent && same(&tool.name, tool.input))
        });
        if let Some(found) = self.asks.iter().position(|ask| {
            ask.tool.is_none() && ask.agent.as_ref() == agent && same(&ask.tool_name, ask.input)
        }) {
            self.asks.remove(found);
        }
        // While other calls run, one of them may be what is asked about.
        if agent.is_none() && self.tools.iter().all(|tool| tool.agent.is_some()) {
            self.proof = self.proof.max(at);
            self.absorb_queued(at);
        }
    }

    /// The next request to the model takes in what was typed while tools ran (f2_queue.jsonl).
    fn absorb_queued(&mut self, at: Stamp) {
        if self.submitted.is_none_or(|(_, when)| when <= at) {
            self.queued = 0;
        }
    }

    pub fn tool_id_ends(&mut self, id: &ToolUseId) {
        self.tools.retain(|tool| tool.id.as_ref() != Some(id));
        self.asks.retain(|ask| ask.tool.as_ref() != Some(id));
        if !self.ended_tools.contains(id) {
            remember(&mut self.ended_tools, id.clone());
        }
    }

    /// All calls of a batch are through; those it does not name were refused before they ran.
    pub fn batch_ends(&mut self, calls: &[ToolUseId], agent: Option<&AgentId>, at: Stamp) {
        for id in calls {
            self.tool_id_ends(id);
        }
        self.asks.retain(|ask| ask.agent.as_ref() != agent || ask.tool.is_some() || ask.at > at);
        if agent.is_none() {
            self.proof = self.proof.max(at);
            self.absorb_queued(at);
        }
    }

    /// PermissionRequest carries no call id: it belongs to the call of the same thread with the
    /// same name and input that has not been asked about yet (c_permission_approved.jsonl).
    pub fn ask_tool(
        &mut self,
        call: &ToolCall,
        agent: Option<&AgentId>,
        reason: Reason,
        at: Stamp,
    ) {
        let asked =
            |id: &Option<ToolUseId>| id.is_some() && self.asks.iter().any(|a| a.tool == *id);
        let tool = self.tools.iter().find(|tool| {
            tool.agent.as_ref() == agent
                && (call.id.is_none() || tool.id == call.id)
                && tool.name == call.name
                && tool.input == call.input
                && !asked(&tool.id)
        });
        let is_late = tool.is_none() && at < self.proof;
        let is_asked = tool.is_none() && self.asks.iter().any(|ask| ask.is_about(call, agent));
        if is_late || is_asked || self.asks.len() >= MAX_OPEN {
            return;
        }
        let tool = tool.and_then(|tool| tool.id.clone());
        self.asks.push(Ask {
            reason,
            agent: agent.cloned(),
            tool,
            at,
            tool_name: call.name.clone(),
            input: call.input,
        });
    }

    pub fn ask(&mut self, reason: Reason, agent: Option<&AgentId>, at: Stamp) {
        if self.asks.len() < MAX_OPEN && !self.asks.iter().any(|ask| ask.reason == reason) {
            self.asks.push(Ask {
                reason,
                agent: agent.cloned(),
                tool: None,
                at,
                tool_name: String::new(),
                input: 0,
            });
        }
    }

    pub fn elicitation_ends(&mut self, from: &str, at: Stamp) {
        self.asks.retain(
            |ask| !matches!(&ask.reason, Reason::Elicitation { server, .. } if server == from),
        );
        self.proof = self.proof.max(at);
    }

    /// The subagent is through, with everything it had open.
    pub fn child_stops(&mut self, agent: &AgentId, at: Stamp) {
        self.tools.retain(|tool| tool.agent.as_ref() != Some(agent));
        self.asks.retain(|ask| ask.agent.as_ref() != Some(agent));
        self.children.stops(agent, at);
        let finished = self.tasks.iter().any(|task| task.id == agent.as_str());
        self.tasks.retain(|task| task.id != agent.as_str());
        if finished && self.turn.is_none() {
            self.handover = Some(at);
        }
    }

    /// Tasks that make the session work although its main turn is over. Shells run beside an
    /// idle session, and teammates are listed as running while they idle (z7_teammate_tmux).
    pub fn busy_tasks(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter().filter(|task| !matches!(task.kind.as_str(), "shell" | "teammate"))
    }

    /// The session file, as far as it can be believed.
    pub fn trusted_file(&self) -> Option<&FileFact> {
        self.file.as_ref().filter(|file| self.frozen != Some(file.at))
    }

    /// A hook of a turn that the session file has declared over, long after that file was written,
    /// proves that the file does not follow: unwatched, or on a disk that the client cannot write.
    pub fn doubt_file(&mut self, prompt: Option<&PromptId>, at: Stamp) {
        let Some(file) = &self.file else { return };
        let is_rest = matches!(file.status, FileStatus::Idle | FileStatus::Shell);
        let was_closed_by_it = self.last.by == Source::SessionFile && self.last.at == file.at;
        if is_rest && was_closed_by_it && self.is_over(prompt) && at > file.at.plus(GRACE) {
            self.frozen = Some(file.at);
        }
    }

    /// The one question to show: the oldest that was asked after the last answer.
    pub fn open_ask(&self) -> Option<&Ask> {
        self.asks.iter().find(|ask| ask.at > self.answered).or(self.asks.last())
    }

    /// The clock was set back: what was noted at a time that has not come yet was noted now.
    pub fn clamp(&mut self, now: Stamp) {
        let stamps = [&mut self.last.at, &mut self.last.begun, &mut self.heard, &mut self.proof];
        let stamps = stamps.into_iter().chain([&mut self.answered]);
        let stamps = stamps.chain(self.turn.as_mut().map(|turn| &mut turn.at));
        let stamps = stamps.chain(self.tools.iter_mut().map(|tool| &mut tool.at));
        let stamps = stamps.chain(self.asks.iter_mut().map(|ask| &mut ask.at));
        let stamps = stamps.chain(self.compacting.as_mut().map(|compacting| &mut compacting.at));
        let stamps = stamps.chain(self.file.as_mut().map(|file| &mut file.at));
        let stamps = stamps.chain(self.submitted.as_mut().map(|(_, at)| at));
        let stamps = stamps
            .chain(&mut self.handover)
            .chain(&mut self.busy_since)
            .chain(&mut self.setup)
            .chain(&mut self.frozen);
        for stamp in stamps {
            *stamp = (*stamp).min(now);
        }
        self.children.clamp(now);
    }

    /// The session file says that the client is busy without a turn that hooks know of.
    pub fn busy_by_file(&mut self, at: Stamp) {
        if self.turn.is_none() && at > self.last.at && self.busy_since.is_none() {
            self.busy_since = Some(at);
        }
    }

    /// The client is at rest since `at`: no turn, no dialog, no child.
    pub fn rest(&mut self, at: Stamp, by: Source) {
        let asked_main = self.asks.iter().any(|ask| ask.agent.is_none());
        let was_open = self.turn.is_some() || self.compacting.is_some() || asked_main;
        let was_busy = self.busy_since.take().is_some_and(|since| since > self.last.at);
        let begun = self.turn.as_ref().map_or(self.last.begun, |turn| turn.at);
        if was_open {
            // If Stop is merely late it will say so.
            self.last = TurnEnd { why: Why::Interrupted, at, by, begun };
        } else if was_busy {
            self.last = TurnEnd { why: Why::Done, at, by, begun };
        }
        if let Some(id) = self.turn.take().and_then(|turn| turn.prompt) {
            remember(&mut self.ended_prompts, id);
        }
        self.compacting = None;
        self.setup = None;
        self.handover = None;
        self.queued = 0;
        self.tools.clear();
        self.asks.clear();
        self.tasks.retain(|task| matches!(task.kind.as_str(), "shell" | "teammate"));
        self.children.stop_all(at);
    }

    /// The transcript says how the turn that `rest` or nothing has closed really ended.
    pub fn turn_broke(&mut self, why: Why, at: Stamp) {
        let is_open = self.turn.as_ref().is_some_and(|turn| turn.at <= at);
        let is_guess =
            self.turn.is_none() && self.last.why == Why::Interrupted && at >= self.last.begun;
        if is_open {
            self.rest(at, Source::Transcript);
        }
        if is_open || is_guess && why != Why::Interrupted {
            self.last.why = why;
            self.last.by = Source::Transcript;
        }
    }
}

impl Ask {
    fn is_about(&self, call: &ToolCall, agent: Option<&AgentId>) -> bool {
        self.agent.as_ref() == agent && self.tool_name == call.name && self.input == call.input
    }
}

fn remember<T>(list: &mut Vec<T>, id: T) {
    if list.len() >= MAX_REMEMBERED {
        list.remove(0);
    }
    list.push(id);
}
