//! The status line's JSON as the client sends it. Every field may be missing, null or of another
//! type one day; then it is unknown, and the others still count.

use serde_json::Value;

use super::{Limit, Reading, StatusLine};
use crate::ids::ConversationId;
use crate::stamp::Stamp;

/// Above this a number of seconds since 1970 is one of milliseconds.
const SECONDS_MAX: f64 = 1e11;
const USD_MAX: f64 = 1e9;
const PERCENT_MAX: f64 = 1000.0;

pub(super) fn decode(input: &[u8]) -> Option<StatusLine> {
    let json: Value = serde_json::from_slice(input).ok().filter(Value::is_object)?;
    let text = |path: &str| json.pointer(path).and_then(Value::as_str).map(str::to_owned);
    let line = StatusLine {
        session: ConversationId::known(text("/session_id")).unwrap_or_default(),
        name: text("/session_name"),
        cwd: text("/workspace/current_dir").or_else(|| text("/cwd")),
        version: text("/version"),
        model: text("/model/id"),
        model_name: text("/model/display_name"),
        reading: reading(&json),
    };
    Some(line.cleaned())
}

fn reading(json: &Value) -> Reading {
    let count = |path: &str| json.pointer(path).and_then(Value::as_u64);
    Reading {
        context: json.pointer("/context_window/used_percentage").and_then(hundredths),
        context_tokens: json.pointer("/context_window/current_usage").and_then(context_tokens),
        context_window: count("/context_window/context_window_size").filter(|size| *size > 0),
        cost: json.pointer("/cost/total_cost_usd").and_then(micros),
        api_duration_ms: count("/cost/total_api_duration_ms"),
        lines_added: count("/cost/total_lines_added"),
        lines_removed: count("/cost/total_lines_removed"),
        five_hour: json.pointer("/rate_limits/five_hour").and_then(limit),
        seven_day: json.pointer("/rate_limits/seven_day").and_then(limit),
    }
}

/// As the client itself reckons: what went into the last request, cached or not. The totals beside
/// it were sums over the whole session before 2.1.132.
fn context_tokens(usage: &Value) -> Option<u64> {
    let kinds = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let counts = kinds.iter().filter_map(|kind| usage.get(kind)?.as_u64());
    usage.get(kinds[0])?.as_u64().map(|_| counts.fold(0, u64::saturating_add))
}

fn limit(window: &Value) -> Option<Limit> {
    let used = window.get("used_percentage").and_then(hundredths)?;
    Some(Limit { used, resets_at: window.get("resets_at").and_then(moment) })
}

fn moment(value: &Value) -> Option<Stamp> {
    if let Some(text) = value.as_str() {
        return Stamp::parse(text);
    }
    let number = value.as_f64().filter(|number| *number > 0.0)?;
    let millis = if number < SECONDS_MAX { number * 1000.0 } else { number };
    i64::try_from(whole(millis, SECONDS_MAX * 1000.0)?).ok().map(Stamp)
}

fn hundredths(value: &Value) -> Option<u32> {
    u32::try_from(whole(value.as_f64()?.clamp(0.0, PERCENT_MAX) * 100.0, PERCENT_MAX * 100.0)?).ok()
}

fn micros(value: &Value) -> Option<u64> {
    whole(value.as_f64()? * 1e6, USD_MAX * 1e6)
}

/// Rounded; `None` unless it lies between zero and `max`.
fn whole(number: f64, max: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rounded and within bounds"
    )]
    (0.0..=max).contains(&number).then(|| number.round() as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decoded(json: &Value) -> StatusLine {
        decode(json.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn input_of_the_client_is_read_whole() {
        let line = decoded(&json!({
            "session_id": "1767efce", "cwd": "/other", "session_name": "lab name",
            "model": {"id": "claude-opus-5-5", "display_name": "Opus 5.5"},
            "workspace": {"current_dir": "/home/dev/project"}, "version": "2.1.325",
            "cost": {"total_cost_usd": 0.08086, "total_duration_ms": 3165,
                     "total_api_duration_ms": 249, "total_lines_added": 3,
                     "total_lines_removed": 1},
            "context_window": {"total_input_tokens": 159_050, "context_window_size": 1_000_000,
                "current_usage": {"input_tokens": 50, "output_tokens": 9,
                    "cache_creation_input_tokens": 9000, "cache_read_input_tokens": 150_000},
                "used_percentage": 16},
            "rate_limits": {"five_hour": {"used_percentage": 23.5, "resets_at": 1_794_772_243},
                "seven_day": {"used_percentage": 41, "resets_at": "2026-11-20T00:00:00Z"}},
        }));
        let text = |text: &str| Some(text.to_owned());
        let expected = StatusLine {
            session: ConversationId::new("1767efce"),
            name: text("lab name"),
            cwd: text("/home/dev/project"),
            version: text("2.1.325"),
            model: text("claude-opus-5-5"),
            model_name: text("Opus 5.5"),
            reading: Reading {
                context: Some(1600),
                context_tokens: Some(159_050),
                context_window: Some(1_000_000),
                cost: Some(80_860),
                api_duration_ms: Some(249),
                lines_added: Some(3),
                lines_removed: Some(1),
                five_hour: Some(Limit { used: 2350, resets_at: Some(Stamp(1_794_772_243_000)) }),
                seven_day: Some(Limit {
                    used: 4100,
                    resets_at: Stamp::parse("2026-11-20T00:00:00Z"),
                }),
            },
        };
        assert_eq!(line, expected);
    }

    #[test]
    fn input_of_the_first_run_has_no_context_yet() {
        let line = decoded(&json!({"cost": {"total_cost_usd": 0}, "context_window":
            {"context_window_size": 200_000, "current_usage": null, "used_percentage": null}}));
        let expected =
            Reading { cost: Some(0), context_window: Some(200_000), ..Reading::default() };
        assert_eq!(line.reading, expected);
    }

    #[test]
    fn field_of_another_type_is_left_out_and_the_others_count() {
        let line = decoded(&json!({"session_id": ["x"], "model": "sonnet", "cwd": 7,
            "version": "2\u{1b}[2J.1", "cost": {"total_cost_usd": -1, "total_lines_added": 2.5,
            "total_lines_removed": 4}, "context_window": {"used_percentage": "16",
            "current_usage": {"output_tokens": 1}, "context_window_size": 0},
            "rate_limits": {"five_hour": 3, "seven_day": {"used_percentage": 1e300,
            "resets_at": -5}}}));
        let expected = StatusLine {
            version: Some("2[2J.1".to_owned()),
            reading: Reading {
                lines_removed: Some(4),
                seven_day: Some(Limit { used: 100_000, resets_at: None }),
                ..Reading::default()
            },
            ..StatusLine::default()
        };
        assert_eq!(line, expected);
    }

    #[test]
    fn input_that_is_no_object_is_nothing() {
        for input in ["", "[]", "7", "{", "\u{0}", &"[".repeat(10_000), "{\"a\":1} x"] {
            assert_eq!(decode(input.as_bytes()), None, "{input}");
        }
        assert_eq!(decode(b"{\"session_id\":\"\xff\"}"), None);
    }
}
