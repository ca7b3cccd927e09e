//! List prices of the Claude API, in US dollars for a million tokens, as published at
//! platform.claude.com/docs/en/about-claude/pricing and the models' own pages (read 2026-11-15).

use super::{Above, Entry, Price, Rates};

/// Input, output, cache write for five minutes, for an hour, cache read.
const fn rates(of: [f64; 5]) -> Rates {
    let [input, output, cache_write_5m, cache_write_1h, cache_read] = of;
    Rates { input, output, cache_write_5m, cache_write_1h, cache_read }
}

const OPUS_OLD: Rates = rates([15.0, 75.0, 18.75, 30.0, 1.5]);
const OPUS: Rates = rates([5.0, 25.0, 6.25, 10.0, 0.5]);
const SONNET_OLD: Rates = rates([3.0, 15.0, 3.75, 6.0, 0.3]);
const SONNET: Rates = rates([2.0, 10.0, 2.5, 4.0, 0.2]);
const FABLE: Rates = rates([10.0, 50.0, 12.5, 20.0, 1.0]);

const LIST: &[(&str, Rates)] = &[
    ("claude-fable-5-1", rates([10.0, 50.0, 12.5, 20.0, 0.25])),
    ("claude-mythos-5-1", rates([10.0, 50.0, 12.5, 20.0, 0.25])),
    ("claude-fable-5", FABLE),
    ("claude-mythos-5", FABLE),
    ("claude-opus-5-5", rates([4.0, 20.0, 5.0, 8.0, 0.2])),
    ("claude-opus-5-5:fast", rates([8.0, 40.0, 10.0, 16.0, 0.4])),
    ("claude-opus-5", OPUS),
    ("claude-opus-5:fast", rates([10.0, 50.0, 12.5, 20.0, 1.0])),
    ("claude-opus-4-8", OPUS),
    ("claude-opus-4-7", OPUS),
    ("claude-opus-4-6", OPUS),
    ("claude-opus-4-5", OPUS),
    ("claude-opus-4-1", OPUS_OLD),
    ("claude-opus-4-0", OPUS_OLD),
    ("claude-opus-4", OPUS_OLD),
    ("claude-3-opus", OPUS_OLD),
    ("claude-sonnet-5-5", SONNET),
    ("claude-sonnet-5", SONNET),
    ("claude-sonnet-4-6", SONNET_OLD),
    ("claude-3-7-sonnet", SONNET_OLD),
    ("claude-3-5-sonnet", SONNET_OLD),
    ("claude-haiku-4-5", rates([1.0, 5.0, 1.25, 2.0, 0.1])),
    ("claude-3-5-haiku", rates([0.8, 4.0, 1.0, 1.6, 0.08])),
    ("claude-3-haiku", rates([0.25, 1.25, 0.3, 0.5, 0.03])),
];

/// Models whose long prompts cost more: up to so many tokens, and above.
const TIERED: &[(&str, Rates, u64, Rates)] = &[
    ("claude-sonnet-4-5", SONNET_OLD, 200_000, SONNET_LONG),
    ("claude-sonnet-4-0", SONNET_OLD, 200_000, SONNET_LONG),
    ("claude-sonnet-4", SONNET_OLD, 200_000, SONNET_LONG),
    (
        "claude-haiku-5-5",
        rates([0.1, 0.5, 0.125, 0.2, 0.01]),
        100_000,
        rates([0.5, 2.5, 0.625, 1.0, 0.05]),
    ),
];

const SONNET_LONG: Rates = rates([6.0, 22.5, 7.5, 12.0, 0.6]);

pub(super) fn entries() -> Vec<Entry> {
    let flat = LIST.iter().map(|(model, rates)| (*model, *rates, None));
    let tiered = TIERED.iter().map(|(model, rates, tokens, above)| {
        (*model, *rates, Some(Above { tokens: *tokens, rates: *above }))
    });
    let price = |(model, rates, above): (&str, _, _)| {
        let price = Price { model: model.to_owned(), from: None, rates, above };
        Entry::new(price).expect("list prices are numbers in range, and have no days")
    };
    flat.chain(tiered).map(price).collect()
}
