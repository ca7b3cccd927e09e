//! The index of all transcripts as commands use it: brought up to date first, with a word about
//! what could not be read. Also points in time as people type them.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;

use atm_core::places;
use atm_core::prices::Prices;
use atm_core::stamp::Stamp;
use atm_core::text::clean;
use atm_index::{Finds, Index, Ledger, Limits, Query, Refreshed, Want, load_prices};
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::context::Context;
use crate::error::CliError;
use crate::setup::ledger;

pub(crate) struct Past {
    pub(crate) ledger: Ledger,
    /// Where the words of the query were said.
    pub(crate) finds: Finds,
    /// Transcripts and folders that could not be read.
    pub(crate) unreadable: usize,
}

impl Past {
    /// Of an index that is up to date. One that turns out to be damaged is made anew.
    pub(crate) fn look_up(context: &Context<'_>, query: &Query) -> Result<Past, CliError> {
        let prices = prices(context)?;
        let (path, configs) = (context.places.index(), configs(context));
        let want = if query.is_empty() { Want::Facts } else { Want::Texts };
        let looked = Index::consult(&path, Limits::default(), |mut index| {
            let refreshed = index.refresh(&configs, want)?;
            let (ledger, finds) = match want {
                Want::Facts => (index.ledger(&prices)?, Finds::default()),
                Want::Texts => index.search(&prices, query, Context::now())?,
            };
            let unreadable = refreshed.unreadable.len();
            Ok((Past { ledger, finds, unreadable }, refreshed))
        });
        let (past, refreshed) = looked.map_err(|error| {
            CliError::failed("cannot use the index of sessions", &error)
                .hint(format!("it is a cache: remove {} and try again", path.display()))
        })?;
        warn(&refreshed);
        Ok(past)
    }
}

fn warn(refreshed: &Refreshed) {
    let Some((path, error)) = refreshed.unreadable.first() else { return };
    let more = match refreshed.unreadable.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    let words = clean(&format!("left out: {}: {error}{more}", path.display()), 1000);
    // Without standard error there is nobody to tell.
    writeln!(std::io::stderr().lock(), "warning: {words}").ok();
}

fn prices(context: &Context<'_>) -> Result<Prices, CliError> {
    load_prices(&context.places.prices()).map_err(|error| {
        CliError::failed("cannot use your prices", &error)
            .hint("each [[price]] has model, input, output, cache_write_5m, cache_write_1h, cache_read, and may have from = \"2026-11-01\"")
    })
}

/// Those of the environment, of the home, and of every settings file that setup has touched.
fn configs(context: &Context<'_>) -> Vec<PathBuf> {
    let env = |name: &str| std::env::var_os(name);
    let home = context.home.clone().map(OsString::from);
    let at_home = |name: &str| (name == "HOME").then(|| home.clone()).flatten();
    let mut configs: Vec<PathBuf> =
        [places::claude_dir(&env), places::claude_dir(&at_home)].into_iter().flatten().collect();
    if let Ok(ledger) = ledger::Ledger::load(&context.places) {
        let folders = ledger.files.keys().filter_map(|file| file.parent().map(PathBuf::from));
        configs.extend(folders.filter(|folder| folder.join("projects").is_dir()));
    }
    configs
}

/// `7d`, `2026-11-01`, or an exact time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Ago { millis: i64 },
    Day(Date),
    At(Stamp),
}

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<When, String> {
        if let Some(stamp) = Stamp::parse(text) {
            return Ok(When::At(stamp));
        }
        if let Ok(day) = text.parse::<Date>() {
            return Ok(When::Day(day));
        }
        let wrong = || "say it like 12h, 7d, 2w or 2026-11-01".to_owned();
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number: i64 = digits.parse().ok().filter(|n| *n >= 0).ok_or_else(wrong)?;
        let unit = match &text[digits.len()..] {
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "w" => 7 * 86_400_000,
            _ => return Err(wrong()),
        };
        Ok(When::Ago { millis: number.checked_mul(unit).ok_or_else(wrong)? })
    }
}

impl When {
    /// The first moment that it means.
    pub(crate) fn start(self, now: Stamp, zone: &TimeZone) -> Stamp {
        match self {
            When::Ago { millis } => Stamp(now.0.saturating_sub(millis)),
            When::Day(day) => midnight(day, zone),
            When::At(stamp) => stamp,
        }
    }

    /// The first moment after it: a day is meant as a whole.
    pub(crate) fn end(self, now: Stamp, zone: &TimeZone) -> Stamp {
        match self {
            When::Day(day) => day.tomorrow().map_or(Stamp(i64::MAX), |next| midnight(next, zone)),
            When::Ago { .. } | When::At(_) => self.start(now, zone),
        }
    }
}

fn midnight(day: Date, zone: &TimeZone) -> Stamp {
    let start = day.to_zoned(zone.clone()).map(|start| start.timestamp().as_millisecond());
    Stamp(start.unwrap_or(i64::MIN))
}

/// The day of an answer where the user is. Asked for many answers of the same hour in a row.
#[derive(Debug)]
pub(crate) struct Days {
    zone: TimeZone,
    /// A quarter of an hour, within which no clock is changed, and its day.
    last: Option<(i64, Date)>,
}

impl Days {
    pub(crate) fn new(zone: TimeZone) -> Days {
        Days { zone, last: None }
    }

    pub(crate) fn day(&mut self, at: Stamp) -> Date {
        let quarter = at.0.div_euclid(900_000);
        if let Some((known, day)) = self.last
            && known == quarter
        {
            return day;
        }
        let time = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
        let day = time.to_zoned(self.zone.clone()).date();
        self.last = Some((quarter, day));
        day
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_is_parsed_as_people_type_it() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let now = Stamp::parse("2026-11-15T12:00:00Z").unwrap();
        let of = |text: &str| {
            text.parse::<When>()
                .map(|when| (when.start(now, &zone).to_string(), when.end(now, &zone).to_string()))
        };
        let both = |from: &str, to: &str| Ok((from.to_owned(), to.to_owned()));
        let day = both("2026-10-31T22:00:00.000Z", "2026-11-01T22:00:00.000Z");
        assert_eq!(of("2026-11-01"), day);
        let week = "2026-11-08T12:00:00.000Z";
        assert_eq!(of("7d"), both(week, week));
        assert_eq!(of("1w"), both(week, week));
        for wrong in ["", "soon", "7", "d", "-7d", "7y", "9999999999999999d", "2026-13-01"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn days_are_those_of_the_users_clock() {
        let mut days = Days::new(TimeZone::fixed(jiff::tz::offset(-3)));
        let mut day = |text: &str| days.day(Stamp::parse(text).unwrap()).to_string();
        assert_eq!(day("2026-11-15T02:59:59.999Z"), "2026-11-14");
        assert_eq!(day("2026-11-15T03:00:00Z"), "2026-11-15");
    }
}
