//! What really happened, step by step, and the comparison with what was shown.

use std::fmt;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::Sensors;
use crate::recording::{Shown, Track};

/// A change must be shown this soon after it really happened, in milliseconds.
const SOON: i64 = 300;
/// The same where only a file tells: the recorder looked at files every 50 ms, on a busy machine.
const SOON_BY_FILE: i64 = 1_000;
/// Recorded times of one moment differ by this much between hook, file and driver.
const BLUR: i64 = 150;
/// Timelines leave out what lasted under 60 ms, such as a dialog that a hook answers at once.
const FLICKER: i64 = 120;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Timeline {
    pub(crate) recording: String,
    #[expect(dead_code, reason = "for the reader of the file")]
    says: String,
    sessions: Vec<Process>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Process {
    pid: i32,
    #[expect(dead_code, reason = "for the reader of the file")]
    who: String,
    steps: Vec<Step>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    at: f64,
    is: String,
    why: Option<String>,
    reason: Option<String>,
    because: String,
    /// Neither a hook nor a mark in the transcript tells of this step.
    #[serde(default)]
    file_only: bool,
    /// Only the session file or a mark in the transcript tells of it.
    #[serde(default)]
    marker: bool,
}

#[derive(Debug)]
pub(crate) struct Fault {
    recording: String,
    pid: i32,
    at: f64,
    expected: String,
    shown: String,
    untold: bool,
}

impl Fault {
    /// Whether, without session files, nothing could have told of the step.
    pub(crate) fn is_untold(&self) -> bool {
        self.untold
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { recording, pid, at, expected, shown, .. } = self;
        write!(f, "{recording} pid {pid} at {at:.3}: {expected}; shown: {shown}")
    }
}

pub(crate) struct Judge<'a> {
    pub(crate) sensors: Sensors,
    pub(crate) timeline: &'a Timeline,
    pub(crate) track: &'a Track,
    pub(crate) start: i64,
    pub(crate) end: i64,
}

impl Timeline {
    pub(crate) fn load(path: &Path) -> Timeline {
        let text = fs::read_to_string(path).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }
}

impl Judge<'_> {
    pub(crate) fn steps(&self) -> usize {
        let all = self.timeline.sessions.iter().flat_map(|process| &process.steps);
        all.filter(|step| step.is != "unsure").count()
    }

    pub(crate) fn faults(&self) -> Vec<Fault> {
        let processes = self.timeline.sessions.iter();
        processes.flat_map(|process| self.faults_of(process)).collect()
    }

    fn faults_of(&self, process: &Process) -> Vec<Fault> {
        let shown = self.track.get(&process.pid).map_or(&[][..], Vec::as_slice);
        let mut faults = Vec::new();
        for (n, step) in process.steps.iter().enumerate().filter(|(_, step)| step.is != "unsure") {
            let from = self.start + millis(step.at);
            let to = process.steps.get(n + 1).map_or(self.end, |next| self.start + millis(next.at));
            // A short step must be shown at some time, a long one all the time but its beginning.
            let before = n.checked_sub(1).map_or("nothing", |p| process.steps[p].is.as_str());
            let soon = self.soon(step, before);
            let is_right = if to - from > soon + BLUR {
                self.shown_throughout(shown, step, from + soon, to - BLUR)
            } else {
                self.shown_within(shown, step, from - BLUR, to + soon)
            };
            if !is_right {
                faults.push(self.fault(
                    process.pid,
                    step,
                    before,
                    &between(shown, from, to + soon),
                ));
            }
        }
        faults
    }

    fn soon(&self, step: &Step, before: &str) -> i64 {
        let by_file = step.file_only || step.marker || self.sensors == Sensors::FilesOnly;
        // No hook tells that the user answered.
        let is_answer = before == "attention";
        if by_file || is_answer { SOON_BY_FILE } else { SOON }
    }

    fn shown_throughout(&self, shown: &[Shown], step: &Step, from: i64, to: i64) -> bool {
        let spans = spans(shown).filter(|(begin, end, _)| *begin < to && *end > from);
        let mut covered = false;
        for (begin, end, what) in spans {
            covered = true;
            if !self.matches(step, what) && end.min(to) - begin.max(from) > FLICKER {
                return false;
            }
        }
        covered
    }

    fn shown_within(&self, shown: &[Shown], step: &Step, from: i64, to: i64) -> bool {
        spans(shown).any(|(begin, end, what)| begin < to && end > from && self.matches(step, what))
    }

    fn matches(&self, step: &Step, shown: &Shown) -> bool {
        if self.sensors == Sensors::FilesOnly {
            // A file tells neither the reason of an end nor who was asked what.
            return step.is == shown.is;
        }
        let why = step.why.as_deref().is_none_or(|why| shown.why.starts_with(why));
        let reason = step.reason.as_deref().is_none_or(|reason| shown.why.contains(reason));
        step.is == shown.is && why && reason
    }

    fn fault(&self, pid: i32, step: &Step, before: &str, shown: &str) -> Fault {
        let wanted = step.why.as_ref().or(step.reason.as_ref()).cloned().unwrap_or_default();
        Fault {
            recording: self.timeline.recording.clone(),
            pid,
            at: step.at,
            expected: format!("{before} → {} {wanted} ({})", step.is, step.because),
            shown: shown.to_owned(),
            untold: step.file_only,
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "seconds of a recording")]
fn millis(seconds: f64) -> i64 {
    (seconds * 1000.0) as i64
}

/// Each thing shown with the time from which and until which it was.
fn spans(shown: &[Shown]) -> impl Iterator<Item = (i64, i64, &Shown)> {
    let ends = shown.iter().skip(1).map(|next| next.at.0).chain([i64::MAX]);
    shown.iter().zip(ends).map(|(what, end)| (what.at.0, end, what))
}

fn between(shown: &[Shown], from: i64, to: i64) -> String {
    let list: Vec<String> = spans(shown)
        .filter(|(begin, end, _)| *begin < to && *end > from)
        .map(|(begin, _, what)| format!("{:+}ms {} {}", begin - from, what.is, what.why))
        .collect();
    list.join(", ")
}
