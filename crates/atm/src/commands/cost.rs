//! `atm cost`: what sessions cost, by day, project, model or session.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use atm_core::view::SCHEMA;
use atm_index::{Answer, Cost, Query, Tokens};
use clap::ValueEnum;
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::sessions::TokensJson;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json;
use crate::past::{Days, Past, When};
use crate::render::chart::{bar, sparkline};
use crate::render::money::{self, usd};
use crate::render::place::{short, tilde};
use crate::render::table::{Cell, Column, Keep, Table};
use crate::screen::Style;

/// Columns of the longest bar.
const BAR: usize = 16;
/// Days that the sparkline shows at most.
const SPARK_DAYS: i64 = 60;
const UNKNOWN: &str = "(unknown)";

/// Show what sessions cost, by day, project, model or session
///
/// Reckoned from the tokens in all transcripts at list prices; each answer counts once, however
/// many transcripts have a copy of it. Days are those of your time zone (TZ). A model without a
/// price is marked with `?`: give it one in prices.toml of the configuration directory.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  atm cost\n  atm cost --by project --since 7d\n  atm cost --by model --json"
)]
pub(crate) struct Args {
    /// What to add up by
    #[arg(long, value_enum, default_value_t = By::Day)]
    by: By,
    /// Only answers after this: 12h, 7d, 2w or 2026-11-01
    #[arg(long, value_name = "WHEN")]
    since: Option<When>,
    /// Only answers before this ended
    #[arg(long, value_name = "WHEN")]
    until: Option<When>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum By {
    Day,
    Project,
    Model,
    Session,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    tokens: Tokens,
    cost: Cost,
}

impl Sum {
    fn add(&mut self, answer: &Answer<'_>) {
        self.tokens += answer.tokens;
        self.cost += answer.cost;
    }
}

#[derive(Default)]
struct Sums {
    rows: BTreeMap<String, Sum>,
    days: BTreeMap<Date, Sum>,
    total: Sum,
    /// Models without a price, and how often they answered.
    unpriced: BTreeMap<String, u64>,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let past = Past::look_up(context, &Query::default())?;
    let sums = add_up(args, &past);
    if args.json {
        let all = AllJson::of(args.by, &sums, past.unreadable);
        json::line(context.out, &all)?;
    } else if sums.rows.is_empty() {
        writeln!(context.out, "no answers of a model found in the transcripts")?;
    } else {
        write(args.by, &sums, context)?;
    }
    Ok(Exit::Ok)
}

fn add_up(args: &Args, past: &Past) -> Sums {
    let (zone, now) = (TimeZone::system(), Context::now());
    let since = args.since.map(|when| when.start(now, &zone));
    let until = args.until.map(|when| when.end(now, &zone));
    let mut days = Days::new(zone);
    let mut sums = Sums::default();
    let mut rows: HashMap<(Option<Date>, &str), Sum> = HashMap::new();
    for answer in past.ledger.answers() {
        if since.is_some_and(|since| answer.at < since)
            || until.is_some_and(|until| answer.at >= until)
        {
            continue;
        }
        let day = days.day(answer.at);
        let key = match args.by {
            By::Day => (Some(day), ""),
            By::Project => (None, answer.session.first_cwd.as_deref().unwrap_or(UNKNOWN)),
            By::Model => (None, answer.model),
            By::Session => (None, answer.session.id.as_str()),
        };
        rows.entry(key).or_default().add(&answer);
        sums.days.entry(day).or_default().add(&answer);
        sums.total.add(&answer);
        if answer.cost.unpriced > 0 {
            *sums.unpriced.entry(answer.model.to_owned()).or_default() += 1;
        }
    }
    for ((day, name), sum) in rows {
        sums.rows.insert(day.map_or_else(|| name.to_owned(), |day| day.to_string()), sum);
    }
    sums
}

impl Sums {
    /// Days in their order, everything else by cost.
    fn sorted(&self, by: By) -> Vec<(&str, &Sum)> {
        let mut rows: Vec<_> = self.rows.iter().map(|(key, sum)| (key.as_str(), sum)).collect();
        if by != By::Day {
            rows.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.cost.picos));
        }
        rows
    }

    /// Each day from the first to the last, with those on which nothing was asked.
    fn every_day(&self) -> Vec<u128> {
        let (Some((first, _)), Some((last, _))) =
            (self.days.first_key_value(), self.days.last_key_value())
        else {
            return Vec::new();
        };
        let start = last.saturating_sub((SPARK_DAYS - 1).days()).max(*first);
        let days = start.series(1.day()).take_while(|day| day <= last);
        days.map(|day| self.days.get(&day).map_or(0, |sum| sum.cost.picos)).collect()
    }
}

const fn column(title: &'static str, worth: u8) -> Column {
    Column { title, keep: Keep::Whole, min: 0, worth }
}

fn write(by: By, sums: &Sums, context: &mut Context<'_>) -> Result<(), CliError> {
    let (title, keep) = match by {
        By::Day => ("DAY", Keep::Whole),
        By::Project => ("PROJECT", Keep::End),
        By::Model => ("MODEL", Keep::Start),
        By::Session => ("SESSION", Keep::Whole),
    };
    let mut table = Table::new([
        Column { title, keep, min: 12, worth: 9 },
        column("COST", 9),
        Column { title: "", keep: Keep::Start, min: 4, worth: 2 },
        column("INPUT", 4),
        column("OUTPUT", 5),
        column("CACHE READ", 3),
        column("CACHE WRITE", 3),
        column("ANSWERS", 1),
    ]);
    let most = sums.rows.values().map(|sum| sum.cost.picos).max().unwrap_or(0);
    let screen = context.screen;
    let mut push = |name: &str, sum: &Sum, bar: &str, style| {
        let Tokens { answers, input, output, cache_read, .. } = sum.tokens;
        let written = sum.tokens.cache_write_5m + sum.tokens.cache_write_1h;
        let number = |count| Cell::new(style, &money::count(count));
        table.push([
            Cell::new(style, name),
            Cell::new(style, &money::cost(sum.cost)),
            Cell::new(Style::Green, bar),
            number(input),
            number(output),
            number(cache_read),
            number(written),
            number(answers),
        ]);
    };
    for (key, sum) in sums.sorted(by) {
        let name = match by {
            By::Project => tilde(key, context.home.as_deref()),
            By::Session => short(key).to_owned(),
            By::Day | By::Model => key.to_owned(),
        };
        push(&name, sum, &bar(sum.cost.picos, most, BAR, &screen), Style::Plain);
    }
    push("total", &sums.total, "", Style::Bold);
    table.write(&screen, context.out)?;
    write_footer(sums, context)
}

fn write_footer(sums: &Sums, context: &mut Context<'_>) -> Result<(), CliError> {
    let every_day = sums.every_day();
    if every_day.len() > 1 {
        let line = sparkline(&every_day, &context.screen);
        writeln!(context.out, "\nlast {} days  {line}", every_day.len())?;
    }
    if !sums.unpriced.is_empty() {
        let names: BTreeSet<String> = sums
            .unpriced
            .iter()
            .map(|(model, answers)| {
                format!("{} ({answers} answers)", atm_core::text::clean(model, 100))
            })
            .collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        let file = context.places.prices();
        writeln!(
            context.out,
            "\n? no price known for {names}: not in the totals; add it to {}",
            file.display()
        )?;
    }
    Ok(())
}

#[derive(Serialize)]
struct AllJson<'a> {
    schema: u32,
    by: By,
    rows: Vec<RowJson<'a>>,
    total: RowJson<'a>,
    /// Models without a price, and how many answers of theirs the costs lack.
    unpriced_models: &'a BTreeMap<String, u64>,
    unreadable: usize,
}

#[derive(Serialize)]
struct RowJson<'a> {
    key: &'a str,
    cost_usd: f64,
    unpriced_answers: u64,
    tokens: TokensJson,
}

impl<'a> RowJson<'a> {
    fn of(key: &'a str, sum: &Sum) -> RowJson<'a> {
        RowJson {
            key,
            cost_usd: usd(sum.cost.picos),
            unpriced_answers: sum.cost.unpriced,
            tokens: sum.tokens.into(),
        }
    }
}

impl<'a> AllJson<'a> {
    fn of(by: By, sums: &'a Sums, unreadable: usize) -> AllJson<'a> {
        AllJson {
            schema: SCHEMA,
            by,
            rows: sums.sorted(by).into_iter().map(|(key, sum)| RowJson::of(key, sum)).collect(),
            total: RowJson::of("total", &sums.total),
            unpriced_models: &sums.unpriced,
            unreadable,
        }
    }
}
