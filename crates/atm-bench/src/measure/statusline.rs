//! The user's status line command through `atm statusline` against the same command alone, as the
//! client starts both: in a shell.

use std::time::Duration;

use super::{Bench, in_turns};
use crate::Outcome;
use crate::crowd::Crowd;
use crate::daemon::Daemon;
use crate::program::Program;
use crate::table::{Aim, Row, Value};

const ADDED: Aim = Aim::AtMost(Value::Time(Duration::from_millis(5)));

pub(super) fn run(bench: &Bench) -> Outcome<Vec<Row>> {
    let stage = bench.stage("statusline")?;
    let crowd = Crowd::gather(&stage, 1)?;
    let speaker = &crowd.speakers[0];
    let daemon = Daemon::start(&stage)?;
    daemon.tell(&speaker.record(&speaker.start())?)?;
    daemon.settle()?;

    let (hook, _) = stage.hook_and_empty(speaker);
    let ours = Program { args: vec!["statusline", "--", "true"], ..hook.clone() };
    let alone = Program { path: "/bin/sh".into(), args: vec!["-c", "true"], env: hook.env };
    let through = |run| ours.time(status(&speaker.id, run).as_bytes());
    let floor = |run| alone.time(status(&speaker.id, run).as_bytes());
    let (ours, floor) = in_turns(bench.scale.hooks, through, floor)?;

    println!("  atm statusline -- true: {ours}");
    println!("  sh -c true:             {floor}");
    let added = |time: Duration| Value::Time(time.saturating_sub(floor.median()));
    let ratio = ours.median().as_secs_f64() / floor.median().as_secs_f64();
    println!("  through us / alone:     {ratio:.2}×");
    if !stage.atm(&["list", "--json"]).output()?.contains("\"context_percent\":45") {
        return Err("no status line reached the daemon".into());
    }
    daemon.stop()?;
    let floor = Value::Time(floor.median());
    Ok(vec![
        Row {
            metric: "statusline, median added to the command",
            measured: added(ours.median()),
            floor,
            aim: ADDED,
        },
        Row {
            metric: "statusline, p99 over the command's median",
            measured: added(ours.p99()),
            floor,
            aim: ADDED,
        },
    ])
}

/// As large as the client's own (fixtures/recordings/a_plain.jsonl); the cost grows.
fn status(id: &str, run: usize) -> String {
    format!(
        r#"{{"session_id":"{id}","transcript_path":"/home/dev/.claude/projects/-p/{id}.jsonl",
"cwd":"/home/dev/project","model":{{"id":"claude-opus-5-5","display_name":"Opus 5.5"}},
"workspace":{{"current_dir":"/home/dev/project","project_dir":"/home/dev/project","added_dirs":[]}},
"version":"2.1.325","output_style":{{"name":"default"}},"cost":{{"total_cost_usd":{run}.08086,
"total_duration_ms":3165,"total_api_duration_ms":249,"total_lines_added":3,"total_lines_removed":0}},
"context_window":{{"total_input_tokens":159050,"total_output_tokens":9,"context_window_size":1000000,
"current_usage":{{"input_tokens":50,"output_tokens":9,"cache_creation_input_tokens":9000,
"cache_read_input_tokens":150000}},"used_percentage":45,"remaining_percentage":55}},
"exceeds_200k_tokens":false,"prompt_cache":{{"warm":true,"caching_observed":true,"ttl":"5m",
"expires_at":1794772243,"requests":2,"misses":0,"hit_ratio":0.936,"cache_write_tokens":9000,
"last_miss_at":null,"miss_causes":{{}}}},"fast_mode":false,"thinking":{{"enabled":true}}}}"#
    )
}
