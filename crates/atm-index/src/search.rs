//! Words that a user typed, and the sessions in which they were said. What is typed is data: it
//! never reaches the syntax of the search engine.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::thread;

use atm_core::prices::Prices;
use atm_core::stamp::Stamp;
use rusqlite::{Connection, params};

use crate::error::IndexError;
use crate::ledger::{Ledger, Session};
use crate::snippet::{self, Snippet};
use crate::store::{self, Index};

/// Of more hits than this only the latest are ranked.
const HITS_MAX: i64 = 2_000;
/// After so many days a hit is worth half as much again as it will ever be.
const FRESH_DAYS: f64 = 30.0;
const MILLIS_PER_DAY: f64 = 86_400_000.0;

/// `word "a phrase" begin* -without`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub(crate) wanted: Vec<Term>,
    unwanted: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) text: String,
    is_prefix: bool,
}

#[derive(Debug)]
pub struct Hit<'a> {
    pub session: &'a Session,
    /// The higher the better.
    pub score: f64,
    /// When it was said.
    pub at: Option<Stamp>,
    /// None if the transcript cannot be read any more.
    pub snippet: Option<Snippet>,
}

impl Query {
    /// Never fails: what means nothing is passed over.
    pub fn parse(text: &str) -> Query {
        let mut query = Query::default();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (is_unwanted, body) = match rest.strip_prefix('-') {
                Some(body) => (true, body),
                None => (false, rest),
            };
            let (word, after, is_quoted) = match body.strip_prefix('"') {
                Some(quoted) => match quoted.split_once('"') {
                    Some((word, after)) => (word, after, true),
                    None => (quoted, "", true),
                },
                None => match body.split_once(char::is_whitespace) {
                    Some((word, after)) => (word, after, false),
                    None => (body, "", false),
                },
            };
            rest = after.trim_start();
            let stem = word.strip_suffix('*').filter(|_| !is_quoted);
            let term = Term { text: stem.unwrap_or(word).to_owned(), is_prefix: stem.is_some() };
            // Punctuation alone has no words in it.
            if term.text.chars().any(char::is_alphanumeric) {
                if is_unwanted { &mut query.unwanted } else { &mut query.wanted }.push(term);
            }
        }
        query
    }

    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.unwanted.is_empty()
    }
}

impl Term {
    /// As a string of the search engine, in which only the quote means something.
    fn quoted(&self) -> String {
        let end = if self.is_prefix { "*" } else { "" };
        format!("\"{}\"{end}", self.text.replace('"', "\"\"").replace('\0', " "))
    }
}

#[derive(Debug)]
struct Found {
    score: f64,
    at: Option<Stamp>,
    file: i64,
    offset: u64,
    length: u64,
}

/// Where the words were said, whatever the session.
#[derive(Debug, Default)]
pub struct Finds {
    found: Vec<Found>,
    /// Files in which something was said that is not wanted.
    without: Vec<i64>,
}

impl Index {
    /// All sessions, and where the words of `query` were said. The one is gathered while the
    /// other is looked for.
    pub fn search(
        &self,
        prices: &Prices,
        query: &Query,
        now: Stamp,
    ) -> Result<(Ledger, Finds), IndexError> {
        let path = &self.path;
        thread::scope(|scope| {
            let finds = scope.spawn(|| Finds::seek(path, query, now));
            let ledger = self.ledger(prices);
            let finds = finds.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok((ledger?, finds?))
        })
    }
}

impl Ledger {
    /// Sessions in which the query was said and that `is_wanted`, the best first. If nothing was
    /// asked for, the latest first.
    pub fn hits(
        &self,
        finds: &Finds,
        query: &Query,
        limit: usize,
        is_wanted: impl Fn(&Session) -> bool,
    ) -> Vec<Hit<'_>> {
        let places: HashMap<i64, usize> =
            self.files.iter().enumerate().map(|(place, file)| (file.id, place)).collect();
        let session_of = |file: &i64| places.get(file).map(|place| self.files[*place].session);
        let without: HashSet<usize> = finds.without.iter().filter_map(session_of).collect();
        if query.wanted.is_empty() {
            return self
                .latest(limit, |place, session| !without.contains(&place) && is_wanted(session));
        }
        let mut best: HashMap<usize, &Found> = HashMap::new();
        for found in &finds.found {
            let Some(session) = session_of(&found.file) else { continue };
            if without.contains(&session) || !is_wanted(&self.sessions()[session]) {
                continue;
            }
            match best.get(&session) {
                Some(better) if better.score >= found.score => {}
                _ => drop(best.insert(session, found)),
            }
        }
        let mut best: Vec<(usize, &Found)> = best.into_iter().collect();
        best.sort_by(|(a, x), (b, y)| y.score.total_cmp(&x.score).then(b.cmp(a)));
        best.truncate(limit);
        let hit = |(session, found): (usize, &Found)| {
            let path = &self.files[places[&found.file]].path;
            Hit {
                session: &self.sessions()[session],
                score: found.score,
                at: found.at,
                snippet: snippet::read(path, found.offset, found.length, &query.wanted),
            }
        };
        best.into_iter().map(hit).collect()
    }

    fn latest(&self, limit: usize, is_wanted: impl Fn(usize, &Session) -> bool) -> Vec<Hit<'_>> {
        let sessions = self.sessions().iter().enumerate();
        let wanted = sessions.filter(|(place, session)| is_wanted(*place, session));
        let mut wanted: Vec<&Session> = wanted.map(|(_, session)| session).collect();
        wanted.sort_by_key(|session| (Reverse(session.end), &session.id));
        wanted.truncate(limit);
        let hit = |session| Hit { session, score: 0.0, at: None, snippet: None };
        wanted.into_iter().map(hit).collect()
    }
}

impl Finds {
    fn seek(path: &Path, query: &Query, now: Stamp) -> Result<Finds, IndexError> {
        let conn = store::connect(path)?;
        Ok(Finds { found: found(&conn, query, now)?, without: without(&conn, query)? })
    }
}

fn found(conn: &Connection, query: &Query, now: Stamp) -> Result<Vec<Found>, IndexError> {
    let terms: Vec<String> = query.wanted.iter().map(Term::quoted).collect();
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let mut select = conn.prepare_cached(
        "SELECT hit.score, texts.at, texts.file, texts.offset, texts.length FROM (
             SELECT rowid AS id, bm25(words) AS score FROM words
             WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT ?2
         ) AS hit JOIN texts ON texts.id = hit.id",
    )?;
    let rows = select.query_map(params![terms.join(" AND "), HITS_MAX], |row| {
        let at = row.get::<_, Option<i64>>(1)?.map(Stamp);
        Ok(Found {
            // SQLite's is negative: the lower the better.
            score: -row.get::<_, f64>(0)? * freshness(at, now),
            at,
            file: row.get(2)?,
            offset: row.get(3).map(i64::cast_unsigned)?,
            length: row.get(4).map(i64::cast_unsigned)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn without(conn: &Connection, query: &Query) -> Result<Vec<i64>, IndexError> {
    let mut files = Vec::new();
    for term in &query.unwanted {
        let mut select = conn.prepare_cached(
            "SELECT DISTINCT file FROM texts
             WHERE id IN (SELECT rowid FROM words WHERE words MATCH ?1)",
        )?;
        let rows = select.query_map([term.quoted()], |row| row.get(0))?;
        files.extend(rows.collect::<Result<Vec<i64>, _>>()?);
    }
    Ok(files)
}

/// From 1 for what was said just now to 0.5 for what was said long ago.
fn freshness(at: Option<Stamp>, now: Stamp) -> f64 {
    let Some(at) = at else { return 0.5 };
    #[expect(clippy::cast_precision_loss, reason = "a weight")]
    let days = now.since(at).as_millis() as f64 / MILLIS_PER_DAY;
    0.5 + 0.5 / (1.0 + days / FRESH_DAYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> (Vec<String>, Vec<String>) {
        let query = Query::parse(text);
        let quoted = |terms: &[Term]| terms.iter().map(Term::quoted).collect();
        (quoted(&query.wanted), quoted(&query.unwanted))
    }

    #[test]
    fn query_is_words_phrases_beginnings_and_exclusions() {
        let (wanted, unwanted) = terms("login \"null pointer\" migrat* -tests -\"old code\"");
        assert_eq!(wanted, ["\"login\"", "\"null pointer\"", "\"migrat\"*"]);
        assert_eq!(unwanted, ["\"tests\"", "\"old code\""]);
    }

    #[test]
    fn query_in_the_syntax_of_the_engine_is_only_words() {
        assert_eq!(
            terms("NEAR(a b) OR body:c").0,
            ["\"NEAR(a\"", "\"b)\"", "\"OR\"", "\"body:c\""]
        );
        assert_eq!(terms("a\"b").0, ["\"a\"\"b\""]);
        assert_eq!(terms("\"open").0, ["\"open\""]);
        for nothing in ["", "  ", "*", "- -", "\"\"", "()^:{}+"] {
            assert!(Query::parse(nothing).is_empty(), "{nothing}");
        }
    }
}
