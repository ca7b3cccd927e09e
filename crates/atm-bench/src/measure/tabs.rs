//! From a change of state to the bytes on the user's terminal, against a bare `tmux set-option` and
//! against a shell script that does the same; and what a visit costs.

use std::time::Duration;

use super::{Bench, in_turns};
use crate::Outcome;
use crate::crowd::Crowd;
use crate::daemon::Daemon;
use crate::journal;
use crate::program::Program;
use crate::samples::Samples;
use crate::stage::Stage;
use crate::table::{Aim, Row, Value};
use crate::terminal::Terminal;

const WINDOWS: usize = 50;
/// Where each of the three works: window, and its first pane.
const OURS: (&str, &str) = ("@1", "%1");
const FLOOR: (&str, &str) = ("@2", "%2");
const SCRIPT: (&str, &str) = ("@3", "%3");

/// What hooks of seed 002 do, in a shell.
const SHELL: &str = r#"
input=$(cat)
event=$(printf '%s' "$input" | jq -r .hook_event_name)
id=$(printf '%s' "$input" | jq -r .session_id)
case $event in
UserPromptSubmit) state=running status=running colour='#6699cc' ;;
*) state=waiting status=stopped colour='#EC5f67' ;;
esac
tmux set-option -p -t "$TMUX_PANE" @meta.claude.session_id "$id"
tmux set-option -p -t "$TMUX_PANE" @meta.claude.status "$status"
tmux set-option -w -t "$TMUX_PANE" @claude-state "$state"
tmux set-option -w -t "$TMUX_PANE" window-status-style "fg=$colour"
tmux set-option -w -t "$TMUX_PANE" window-status-current-style "fg=$colour"
"#;

pub(super) fn run(bench: &Bench) -> Outcome<Vec<Row>> {
    let stage = bench.stage("tabs")?;
    let tmux = Tmux::start(&stage)?;
    let daemon = Daemon::start(&stage)?;
    let crowd = Crowd::gather(&stage, WINDOWS)?;
    for (number, speaker) in crowd.speakers.iter().enumerate() {
        let pane = format!("%{number}");
        // The last two keep their windows to themselves.
        if pane != FLOOR.1 && pane != SCRIPT.1 {
            let hook = tmux.inside(stage.hook_and_empty(speaker).0, &pane);
            hook.time(speaker.start().as_bytes())?;
        }
    }
    daemon.settle()?;
    let times = to_the_terminal(bench, &stage, &tmux, &crowd)?;
    let (visit, empty) = visits(bench, &stage, &tmux)?;
    daemon.stop()?;
    Ok(rows(&times, &visit, &empty))
}

struct Times {
    hook: Samples,
    known: Samples,
    floor: Samples,
    script: Samples,
}

/// All four in turns: the hook, what it writes without its process, tmux alone, the script.
fn to_the_terminal(bench: &Bench, stage: &Stage, tmux: &Tmux, crowd: &Crowd) -> Outcome<Times> {
    let terminal = Terminal::open(&tmux.client())?;
    let speaker = &crowd.speakers[1];
    let (hook, _) = stage.hook_and_empty(speaker);
    let script = Program { path: "/bin/sh".into(), args: vec!["-c", SHELL], ..hook.clone() };
    let (hook, script) = (tmux.inside(hook, OURS.1), tmux.inside(script, SCRIPT.1));
    let set = ["fg=red", "fg=blue"].map(|style| {
        let args = ["set-option", "-w", "-t", FLOOR.0, "window-status-style", style];
        tmux.inside(stage.program("tmux", &args), FLOOR.1)
    });
    let payload =
        |run: usize| if run.is_multiple_of(2) { speaker.prompt() } else { speaker.stop() };
    let mut times: [Vec<Duration>; 4] = Default::default();
    let runs = bench.scale.changes / 3 + 1;
    for run in 0..runs {
        // What tmux is told must differ from what it knows, so the first two take turns.
        let (first, second) = (payload(2 * run), payload(2 * run + 1));
        times[0].push(terminal.time(|| hook.time(first.as_bytes()).map(drop))?);
        times[2].push(terminal.time(|| set[run % 2].time(b"").map(drop))?);
        times[1].push(terminal.time(|| {
            journal::append(&stage.places, &tmux.record(speaker, &second)?)?;
            Ok(journal::poke(&stage.places)?)
        })?);
        times[3].push(terminal.time(|| script.time(payload(run).as_bytes()).map(drop))?);
    }
    let [hook, known, floor, script] = times.map(Samples::new);
    println!("  atm hook to the terminal:       {hook}");
    println!("  the same, its process aside:    {known}");
    println!("  tmux set-option:                {floor}");
    println!("  sh + jq + tmux:                 {script}");
    Ok(Times { hook, known, floor, script })
}

fn visits(bench: &Bench, stage: &Stage, tmux: &Tmux) -> Outcome<(Samples, Samples)> {
    let args = ["visit", "session-window-changed", OURS.0, "$0"];
    let visit = tmux.inside(stage.atm(&args), OURS.1);
    let empty = tmux.inside(stage.program("/bin/true", &[]), OURS.1);
    let runs = bench.scale.hooks / 4;
    let (visit, empty) = in_turns(runs, |_| visit.time(b""), |_| empty.time(b""))?;
    println!("  atm visit:                      {visit}");
    println!("  /bin/true:                      {empty}");
    Ok((visit, empty))
}

fn rows(times: &Times, visit: &Samples, empty: &Samples) -> Vec<Row> {
    let floor = Value::Time(times.floor.median());
    let row = |metric, measured: Duration, floor, aim| Row {
        metric,
        measured: Value::Time(measured),
        floor,
        aim,
    };
    let limit = |millis| Aim::AtMost(Value::Time(Duration::from_millis(millis)));
    vec![
        row("tab: hook to terminal / tmux", times.hook.median(), floor, Aim::RatioAtMost(2.0)),
        row("tab: known to terminal / tmux", times.known.median(), floor, Aim::RatioAtMost(2.0)),
        row("tab: hook to terminal, p99", times.hook.p99(), floor, limit(60)),
        row(
            "tab: hook to terminal / sh + jq script",
            times.hook.median(),
            Value::Time(times.script.median()),
            Aim::RatioAtMost(1.0),
        ),
        row("visit, median", visit.median(), Value::Time(empty.median()), limit(10)),
    ]
}

/// A server of its own on the stage; ends with the value.
struct Tmux {
    base: Program,
    /// `$TMUX` of its panes.
    variable: String,
}

impl Tmux {
    fn start(stage: &Stage) -> Outcome<Tmux> {
        let mut base = stage.program("tmux", &["-u", "-f", "/dev/null", "-L", "bench"]);
        base.env.push(("TMUX_TMPDIR", stage.home.display().to_string()));
        base.env.push(("TERM", "xterm-256color".to_owned()));
        let mut tmux = Tmux { base, variable: String::new() };
        tmux.tell(&["new-session", "-d", "-n", "w", "exec sleep 900"])?;
        for _ in 1..WINDOWS {
            tmux.tell(&["new-window", "-d", "-n", "w", "exec sleep 900"])?;
        }
        tmux.tell(&["set-option", "-g", "status-interval", "0"])?;
        tmux.tell(&["set-option", "-g", "status-right", ""])?;
        let asked = tmux.with(&["display-message", "-p", "#{socket_path},#{pid},0"]);
        asked.output()?.trim_end().clone_into(&mut tmux.variable);
        Ok(tmux)
    }

    fn with(&self, args: &[&'static str]) -> Program {
        let mut program = self.base.clone();
        program.args.extend(args);
        program
    }

    fn tell(&self, args: &[&'static str]) -> Outcome<()> {
        self.with(args).output().map(drop)
    }

    fn client(&self) -> Program {
        self.with(&["attach-session"])
    }

    /// The program as one of the pane.
    fn inside(&self, mut program: Program, pane: &str) -> Program {
        program.env.retain(|(name, _)| !name.starts_with("TMUX"));
        program.env.push(("TMUX", self.variable.clone()));
        program.env.push(("TMUX_PANE", pane.to_owned()));
        program
    }

    fn record(&self, speaker: &crate::speaker::Speaker, payload: &str) -> Outcome<Vec<u8>> {
        let place = (self.variable.clone(), OURS.1.to_owned());
        speaker.record_in(Some(place), payload)
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // One that is gone already is as good.
        self.tell(&["kill-server"]).ok();
    }
}
