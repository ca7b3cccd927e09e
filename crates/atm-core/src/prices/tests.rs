//! Prices against what the client itself reckoned and what the list says.

use super::*;

fn usage(input: u32, output: u32) -> Usage {
    Usage { at: Stamp(1_794_769_560_123), input, output, ..Usage::default() }
}

/// `cost-state` of a session with two answers: fixtures/recordings/a_plain.
#[test]
fn price_agrees_with_the_clients_own_reckoning() {
    let cost = Prices::list().cost("claude-opus-5-5", &usage(1200, 8));
    assert_eq!(cost, Some(4_960_000_000)); // totalCostUSD 0.00496
}

#[test]
fn price_of_each_kind_of_token_is_its_own() {
    let usage = Usage {
        cache_read: 1_000_000,
        cache_write_5m: 1_000_000,
        cache_write_1h: 1_000_000,
        searches: 3,
        ..usage(1_000_000, 1_000_000)
    };
    // 5 + 25 + 0.5 + 6.25 + 10 dollars, and three searches for a cent each.
    assert_eq!(Prices::list().cost("claude-opus-4-5", &usage), Some(46_780_000_000_000));
    assert_eq!(Prices::list().cost("claude-opus-4-6:us", &usage), Some(51_455_000_000_000));
}

#[test]
fn price_is_found_for_the_same_model_under_other_names_and_for_no_other() {
    let is_known = |model: &str| Prices::list().cost(model, &usage(1, 1)).is_some();
    for model in [
        "claude-opus-5-5",
        "claude-haiku-4-5-20251001",
        "claude-3-5-sonnet-latest",
        "claude-sonnet-4-20250514",
        "claude-sonnet-4-5[1m]",
        "anthropic/claude-opus-5",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "claude-opus-4-1@20250805",
    ] {
        assert!(is_known(model), "{model}");
    }
    for model in ["claude-opus-6", "claude-opus-5-6", "gpt-6", "", "claude-opus-4-5:fast"] {
        assert!(!is_known(model), "{model}");
    }
}

#[test]
fn price_of_a_long_prompt_is_that_of_its_tier() {
    let prices = Prices::list();
    let long = Usage { cache_read: 100_000, ..usage(1, 0) };
    let short = Usage { cache_read: 99_999, ..usage(1, 0) };
    assert_eq!(prices.cost("claude-haiku-5-5", &short), Some(100_000 + 99_999 * 10_000));
    assert_eq!(prices.cost("claude-haiku-5-5", &long), Some(500_000 + 100_000 * 50_000));
}

#[test]
fn price_of_the_user_holds_from_its_day_and_hides_the_list() {
    let rates = |input| Rates {
        input,
        output: 0.0,
        cache_write_5m: 0.0,
        cache_write_1h: 0.0,
        cache_read: 0.0,
    };
    let price = |model: &str, from: &str, input| Price {
        model: model.into(),
        from: Some(from.into()),
        rates: rates(input),
        above: None,
    };
    let own = vec![price("m", "2026-11-15", 7.0), price("m", "2026-01-01", 1.0)];
    let prices = Prices::with(own).unwrap();
    let on = |day: &str| Usage { at: Stamp::parse(day).unwrap(), ..usage(1_000_000, 0) };
    assert_eq!(prices.cost("m", &on("2026-11-15T00:00:00Z")), Some(7 * PICOS_PER_DOLLAR));
    assert_eq!(prices.cost("m", &on("2026-11-14T23:59:59Z")), Some(PICOS_PER_DOLLAR));
    assert_eq!(prices.cost("m", &on("2025-11-14T23:59:59Z")), None);
    let over = Prices::with(vec![price("claude-opus-5-5", "2026-11-15", 1.0)]).unwrap();
    assert_eq!(over.cost("claude-opus-5-5", &on("2026-11-01T00:00:00Z")), None);
    assert!(Prices::with(vec![price("m", "yesterday", 1.0)]).is_err());
    assert!(Prices::with(vec![price("m", "2026-01-01", -1.0)]).is_err());
}
