//! Every recording of the real client, replayed through decoder and machine and judged against
//! what really happened (`fixtures/timelines`, written from the driver's notes).

#![expect(clippy::disallowed_methods, reason = "tests read fixtures")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod recording;
mod timeline;

use std::path::PathBuf;

use recording::{Input, Recording};
use timeline::{Fault, Judge, Timeline};

/// Which sensors take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sensors {
    /// With `PostToolBatch`, which setup does not register: it costs a process at every call and tells
    /// nothing that the others do not.
    AllAndBatches,
    All,
    /// Older clients and teammates: no session file.
    HooksOnly,
    /// Hooks not installed.
    FilesOnly,
}

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn timelines() -> Vec<Timeline> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(fixtures().join("timelines"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.iter().map(|path| Timeline::load(path)).collect()
}

struct Score {
    right: usize,
    steps: usize,
    faults: Vec<Fault>,
}

fn score(sensors: Sensors) -> Score {
    let mut total = Score { right: 0, steps: 0, faults: Vec::new() };
    for timeline in timelines() {
        let recording = Recording::load(&fixtures().join("recordings"), &timeline.recording);
        let track = recording.replay(sensors);
        let (start, end) = (recording.start.0, recording.end.0);
        let judge = Judge { sensors, timeline: &timeline, track: &track, start, end };
        let faults = judge.faults();
        let steps = judge.steps();
        total.steps += steps;
        total.right += steps - faults.len();
        total.faults.extend(faults);
    }
    total
}

#[expect(clippy::print_stdout, reason = "the scores are for people to see")]
fn report(name: &str, score: &Score) {
    println!("{name}: {} of {} steps right", score.right, score.steps);
    for fault in &score.faults {
        println!("  {fault}");
    }
}

#[test]
fn replay_with_all_sensors_is_right_at_every_step() {
    let score = score(Sensors::All);
    report("all sensors", &score);
    assert!(score.steps > 300, "only {} steps were judged", score.steps);
    assert!(score.faults.is_empty());
}

#[test]
fn replay_with_hooks_beyond_those_that_setup_registers_is_as_right() {
    let score = score(Sensors::AllAndBatches);
    report("all sensors and PostToolBatch", &score);
    assert!(score.faults.is_empty());
}

#[test]
fn replay_of_hooks_only_never_sticks_where_the_transcript_tells() {
    let score = score(Sensors::HooksOnly);
    report("hooks only", &score);
    let stuck: Vec<_> = score.faults.iter().filter(|fault| !fault.is_untold()).collect();
    assert!(stuck.is_empty(), "{stuck:#?}");
}

#[test]
fn replay_of_session_files_only_is_right_wherever_a_file_exists() {
    let score = score(Sensors::FilesOnly);
    report("session files only", &score);
    assert!(score.right * 100 >= score.steps * 95, "{} of {}", score.right, score.steps);
}

#[test]
fn replay_never_shows_attention_for_a_process_that_is_gone() {
    for sensors in [Sensors::All, Sensors::HooksOnly, Sensors::FilesOnly] {
        for timeline in timelines() {
            let recording = Recording::load(&fixtures().join("recordings"), &timeline.recording);
            let machine = recording.replay_to_end(sensors);
            for session in machine.sessions() {
                let pid = session.process.as_ref().map(|process| process.pid);
                let is_gone = recording.inputs.iter().any(
                    |(_, input)| matches!(input, Input::ProcessGone { pid: gone } if Some(*gone) == pid),
                );
                assert!(!is_gone || !session.is_live(), "{} {sensors:?}", timeline.recording);
            }
        }
    }
}

#[test]
fn every_recording_has_a_timeline_and_every_timeline_a_recording() {
    let names = |folder: &str, ending: &str| -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(fixtures().join(folder))
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(ending).map(str::to_owned))
            .collect();
        names.sort();
        names
    };
    assert_eq!(names("recordings", ".jsonl"), names("timelines", ".json"));
}
