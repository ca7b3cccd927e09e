//! What tokens cost: list prices with the day from which they hold, which a file of the user may
//! add to. A model without a price has a cost that nobody knows, never a guessed one.

mod list;

use serde::Deserialize;

use crate::stamp::Stamp;
use crate::transcript::usage::Usage;

/// Millionths of a millionth of a dollar: a whole number for every price per token.
pub type Picos = u128;

pub const PICOS_PER_DOLLAR: Picos = 1_000_000_000_000;
/// Ten dollars for a thousand.
const WEB_SEARCH: Picos = PICOS_PER_DOLLAR / 100;
/// `inference_geo: us` costs this much of the list price, in percent.
const US_PERCENT: Picos = 110;

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Rates {
    pub input: f64,
    pub output: f64,
    pub cache_write_5m: f64,
    pub cache_write_1h: f64,
    pub cache_read: f64,
}

/// Prices of one model from a day on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Price {
    /// The model's name; a date or `-latest` after it means the same model. What changes the
    /// price follows a colon: `claude-opus-5-5:fast`.
    pub model: String,
    /// Day in UTC, `2026-09-28`. Always, if not said.
    #[serde(default)]
    pub from: Option<String>,
    #[serde(flatten)]
    pub rates: Rates,
    /// Other rates for prompts with more tokens than that.
    #[serde(default)]
    pub above: Option<Above>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Above {
    pub tokens: u64,
    #[serde(flatten)]
    pub rates: Rates,
}

/// The user's own prices: `[[price]]` tables.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceFile {
    #[serde(default)]
    pub price: Vec<Price>,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("price of {model}: {what}")]
pub struct BadPrice {
    model: String,
    what: &'static str,
}

/// Later entries win over earlier ones with the same model and day.
#[derive(Clone, Debug)]
pub struct Prices(Vec<Entry>);

#[derive(Clone, Debug)]
struct Entry {
    model: String,
    from: Stamp,
    rates: PicoRates,
    above: Option<(u64, PicoRates)>,
}

/// Per token: input, output, cache write for five minutes, for an hour, cache read.
type PicoRates = [Picos; 5];

impl Prices {
    /// List prices, and `own` before them.
    pub fn with(own: Vec<Price>) -> Result<Prices, BadPrice> {
        let mut entries = list::entries();
        // The user's word for a model replaces the list's, whatever its dates.
        entries.retain(|entry| own.iter().all(|price| price.model != entry.model));
        for price in own {
            entries.push(Entry::new(price)?);
        }
        entries.sort_by_key(|entry| entry.from);
        Ok(Prices(entries))
    }

    pub fn list() -> Prices {
        let mut entries = list::entries();
        entries.sort_by_key(|entry| entry.from);
        Prices(entries)
    }

    /// What the answer cost; `None` if nobody knows.
    pub fn cost(&self, model: &str, usage: &Usage) -> Option<Picos> {
        self.of(model).cost(usage)
    }

    /// The prices of one model, to ask often.
    pub fn of(&self, model: &str) -> ModelPrices<'_> {
        let (name, is_us) = match model.strip_suffix(":us") {
            Some(name) => (name, true),
            None => (model, false),
        };
        let entries = self.0.iter().rev().filter(|entry| is_model(name, &entry.model));
        ModelPrices { entries: entries.collect(), is_us }
    }
}

#[derive(Clone, Debug)]
pub struct ModelPrices<'a> {
    /// The latest first.
    entries: Vec<&'a Entry>,
    is_us: bool,
}

impl ModelPrices<'_> {
    pub fn cost(&self, usage: &Usage) -> Option<Picos> {
        let entry = self.entries.iter().find(|entry| entry.from <= usage.at)?;
        let rates = match &entry.above {
            Some((tokens, rates)) if usage.context() > *tokens => rates,
            _ => &entry.rates,
        };
        let counts = [
            usage.input,
            usage.output,
            usage.cache_write_5m,
            usage.cache_write_1h,
            usage.cache_read,
        ];
        let tokens: Picos =
            rates.iter().zip(counts).map(|(rate, count)| rate * Picos::from(count)).sum();
        let tokens = if self.is_us { tokens * US_PERCENT / 100 } else { tokens };
        Some(tokens + WEB_SEARCH * Picos::from(usage.searches))
    }
}

/// `claude-haiku-4-5-20251001` is `claude-haiku-4-5`, but `claude-opus-5-5` is not `claude-opus-5`.
fn is_model(name: &str, model: &str) -> bool {
    let (name, how) = name.split_once(':').unwrap_or((name, ""));
    let (model, model_how) = model.split_once(':').unwrap_or((model, ""));
    // `…-v1:0` is how Bedrock counts its versions.
    let how = how.trim_start_matches(|c: char| c.is_ascii_digit());
    // Gateways put their own name before: `anthropic/…`, `us.anthropic.…`.
    let name = name.rsplit(['/', '.']).find(|part| part.starts_with("claude")).unwrap_or(name);
    let Some(rest) = name.strip_prefix(model).filter(|_| how == model_how) else { return false };
    let Some(more) = rest.strip_prefix(['-', '@']) else {
        return rest.is_empty() || rest == "[1m]";
    };
    let date = more.get(..8).unwrap_or_default();
    more == "latest" || date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit())
}

impl Entry {
    fn new(price: Price) -> Result<Entry, BadPrice> {
        let bad = |what| BadPrice { model: price.model.clone(), what };
        let from = match &price.from {
            None => Stamp(i64::MIN),
            Some(day) => Stamp::parse(&format!("{day}T00:00:00Z"))
                .ok_or_else(|| bad("`from` is a day like 2026-09-28"))?,
        };
        let picos = |rates: &Rates| per_token(rates).ok_or_else(|| bad("rates are from 0 to 1e6"));
        let above = match &price.above {
            Some(above) => Some((above.tokens, picos(&above.rates)?)),
            None => None,
        };
        Ok(Entry { rates: picos(&price.rates)?, from, above, model: price.model })
    }
}

fn per_token(rates: &Rates) -> Option<PicoRates> {
    let dollars =
        [rates.input, rates.output, rates.cache_write_5m, rates.cache_write_1h, rates.cache_read];
    let is_sane = dollars.iter().all(|rate| (0.0..=1e6).contains(rate));
    // A dollar for a million tokens is a millionth of a dollar for one.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    is_sane.then(|| dollars.map(|rate| (rate * 1e6).round() as Picos))
}

#[cfg(test)]
mod tests;
