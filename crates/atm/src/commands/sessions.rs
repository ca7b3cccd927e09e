//! `atm sessions`: past sessions, found by what was said in them.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use atm_core::proto::message::{Reply, Request};
use atm_core::stamp::Stamp;
use atm_core::transcript::facts::Ending;
use atm_core::view::SCHEMA;
use atm_index::{Hit, Query, Session, Tokens};
use clap::ValueEnum;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::client::unexpected;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::past::{Past, When};
use crate::render::money::usd;
use crate::render::past;

const EXAMPLES: &str = "\
Examples:
  atm sessions                             the latest sessions
  atm sessions login timeout               where both words were said in one message
  atm sessions '\"null pointer\" -tests'     a phrase, and no session that says `tests`
  atm sessions migrat* --since 7d --dir .  by the beginning of a word, of this directory";

/// Find past sessions by what was said in them
///
/// Searches prompts and answers of all transcripts, the best and latest first. Without words: the
/// latest sessions.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Words that were said; in quotes for the shell also '"a phrase"', 'begin*', 'word -without'
    words: Vec<String>,
    /// No session in which this was said
    #[arg(long, value_name = "WORD")]
    not: Vec<String>,
    /// Only sessions that worked in this directory or below it
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Only sessions on this git branch
    #[arg(long)]
    branch: Option<String>,
    /// Only sessions that went on after this: 12h, 7d, 2w or 2026-11-01
    #[arg(long, value_name = "WHEN")]
    since: Option<When>,
    /// Only sessions that began before this ended
    #[arg(long, value_name = "WHEN")]
    until: Option<When>,
    /// Only sessions with a model whose name has this in it
    #[arg(long)]
    model: Option<String>,
    /// Only sessions that used this tool
    #[arg(long)]
    tool: Option<String>,
    /// Only sessions that are running, or that are not
    #[arg(long)]
    status: Option<Status>,
    /// Show at most this many
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Status {
    Live,
    Ended,
}

struct Filter<'a> {
    args: &'a Args,
    dirs: Vec<PathBuf>,
    since: Option<Stamp>,
    until: Option<Stamp>,
    /// Ids of the sessions that run, if that matters.
    live: Option<HashSet<String>>,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let now = Context::now();
    let query = Query::parse(&typed(args));
    let filter = Filter::new(args, now, context)?;
    let past = Past::look_up(context, &query)?;
    let hits = past.ledger.hits(&past.finds, &query, args.limit, |session| filter.has(session));
    if args.json {
        let sessions = hits.iter().map(SessionJson::of).collect();
        let all = AllJson { schema: SCHEMA, sessions, unreadable: past.unreadable };
        json::line(context.out, &all)?;
    } else if hits.is_empty() {
        let count = past.ledger.sessions().len();
        writeln!(context.out, "nothing found among {count} sessions")?;
    } else {
        past::write(&hits, &context.screen, context.home.as_deref(), now, context.out)?;
    }
    Ok(Exit::Ok)
}

/// All arguments together are one query.
fn typed(args: &Args) -> String {
    let unwanted = args.not.iter().map(|word| format!("-\"{}\"", word.replace('"', " ")));
    args.words.iter().cloned().chain(unwanted).collect::<Vec<_>>().join(" ")
}

impl<'a> Filter<'a> {
    fn new(args: &'a Args, now: Stamp, context: &Context<'_>) -> Result<Filter<'a>, CliError> {
        let zone = TimeZone::system();
        let live = match args.status {
            Some(_) => Some(live(context)?),
            None => None,
        };
        Ok(Filter {
            dirs: args.dir.as_deref().map(spellings).unwrap_or_default(),
            since: args.since.map(|when| when.start(now, &zone)),
            until: args.until.map(|when| when.end(now, &zone)),
            args,
            live,
        })
    }

    fn has(&self, session: &Session) -> bool {
        let Args { branch, model, tool, status, .. } = self.args;
        let is_below = |cwd: &Option<String>| {
            let cwd = cwd.as_deref().map(Path::new);
            cwd.is_some_and(|cwd| self.dirs.iter().any(|dir| cwd.starts_with(dir)))
        };
        let has_model = |name: &String| session.models.iter().any(|known| known.contains(name));
        let is_live = || self.live.as_ref().is_some_and(|live| live.contains(&session.id));
        (self.dirs.is_empty() || is_below(&session.first_cwd) || is_below(&session.last_cwd))
            && branch.as_ref().is_none_or(|branch| session.branch.as_ref() == Some(branch))
            && model.as_ref().is_none_or(has_model)
            && tool.as_ref().is_none_or(|tool| session.tools.contains_key(tool))
            && self.since.is_none_or(|since| session.end.is_some_and(|end| end >= since))
            && self.until.is_none_or(|until| session.start.is_some_and(|start| start < until))
            && status.is_none_or(|status| (status == Status::Live) == is_live())
    }
}

/// The directory as typed and as it really is: a session may have been started in either.
fn spellings(dir: &Path) -> Vec<PathBuf> {
    let typed = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let real = dir.canonicalize().ok().filter(|real| *real != typed);
    real.into_iter().chain([typed]).collect()
}

fn live(context: &Context<'_>) -> Result<HashSet<String>, CliError> {
    match context.ask(&Request::List { all: false })? {
        Reply::Sessions { sessions } => Ok(sessions.into_iter().map(|view| view.id).collect()),
        _ => Err(unexpected()),
    }
}

#[derive(Serialize)]
struct AllJson<'a> {
    schema: u32,
    sessions: Vec<SessionJson<'a>>,
    unreadable: usize,
}

#[derive(Serialize)]
struct SessionJson<'a> {
    id: &'a str,
    config_dir: &'a str,
    transcripts: &'a [PathBuf],
    title: Option<&'a str>,
    first_prompt: Option<&'a str>,
    first_cwd: Option<&'a str>,
    last_cwd: Option<&'a str>,
    branch: Option<&'a str>,
    start: Option<String>,
    end: Option<String>,
    ending: &'a Ending,
    parent: Option<&'a str>,
    models: &'a [String],
    tools: &'a BTreeMap<String, u64>,
    turns: u64,
    subagents: usize,
    compactions: u64,
    interrupts: u64,
    errors: u64,
    waited_seconds: u64,
    context_tokens: u64,
    context_model: Option<&'a str>,
    tokens: TokensJson,
    cost_usd: f64,
    unpriced_answers: u64,
    unread_lines: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    hit: Option<HitJson<'a>>,
}

#[derive(Serialize)]
struct HitJson<'a> {
    at: Option<String>,
    score: f64,
    snippet: &'a str,
    /// Where the words stand in it: from and to, in bytes of UTF-8.
    marks: &'a [(usize, usize)],
}

#[derive(Serialize)]
pub(super) struct TokensJson {
    answers: u64,
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write_5m: u64,
    cache_write_1h: u64,
    web_searches: u64,
}

impl From<Tokens> for TokensJson {
    fn from(tokens: Tokens) -> TokensJson {
        TokensJson {
            answers: tokens.answers,
            input: tokens.input,
            output: tokens.output,
            cache_read: tokens.cache_read,
            cache_write_5m: tokens.cache_write_5m,
            cache_write_1h: tokens.cache_write_1h,
            web_searches: tokens.searches,
        }
    }
}

impl<'a> SessionJson<'a> {
    fn of(hit: &'a Hit<'_>) -> SessionJson<'a> {
        let session = hit.session;
        let text = |stamp: Option<Stamp>| stamp.map(|stamp| stamp.to_string());
        let found = hit.snippet.as_ref().map(|snippet| HitJson {
            at: text(hit.at),
            score: hit.score,
            snippet: &snippet.text,
            marks: &snippet.hits,
        });
        SessionJson {
            id: &session.id,
            config_dir: &session.config,
            transcripts: &session.files,
            title: session.title.as_deref(),
            first_prompt: session.first_prompt.as_deref(),
            first_cwd: session.first_cwd.as_deref(),
            last_cwd: session.last_cwd.as_deref(),
            branch: session.branch.as_deref(),
            start: text(session.start),
            end: text(session.end),
            ending: &session.ending,
            parent: session.parent.as_deref(),
            models: &session.models,
            tools: &session.tools,
            turns: session.turns,
            subagents: session.subagents,
            compactions: session.compactions,
            interrupts: session.interrupts,
            errors: session.errors,
            waited_seconds: session.waited_ms / 1000,
            context_tokens: session.context_tokens,
            context_model: session.context_model.as_deref(),
            tokens: session.tokens.into(),
            cost_usd: usd(session.cost.picos),
            unpriced_answers: session.cost.unpriced,
            unread_lines: session.unread,
            hit: found,
        }
    }
}
