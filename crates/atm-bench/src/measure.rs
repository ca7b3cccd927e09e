//! The measures. Each sets its own stage, prints what it saw and returns its rows.

mod daemon;
mod hook;
mod index;
mod intake;
mod large;
mod list;
mod senders;
mod statusline;
mod subscriber;
mod tabs;

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use crate::Outcome;
use crate::machine;
use crate::options::{Options, Scale};
use crate::samples::Samples;
use crate::stage::Stage;
use crate::table::Row;

pub(crate) struct Bench {
    pub(crate) atm: PathBuf,
    dir: PathBuf,
    scale: Scale,
}

type Measure = fn(&Bench) -> Outcome<Vec<Row>>;

/// By name, in the order of running.
pub(crate) const MEASURES: &[(&str, Measure)] = &[
    ("hook", hook::run),
    ("large", large::run),
    ("statusline", statusline::run),
    ("senders", senders::run),
    ("daemon", daemon::run),
    ("intake", intake::run),
    ("subscriber", subscriber::run),
    ("list", list::run),
    ("index", index::run),
    ("tabs", tabs::run),
];

/// Time for the daemon to finish with one run before the next: its work must burden neither side.
const BREATH: Duration = Duration::from_millis(1);

impl Bench {
    pub(crate) fn new(options: &Options) -> Outcome<Bench> {
        let atm = fs::canonicalize(&options.atm)
            .map_err(|error| format!("{}: {error}", options.atm.display()))?;
        machine::is_static(&atm)?;
        let dir = fs::canonicalize(&options.dir)?;
        Ok(Bench { atm, dir, scale: options.scale })
    }

    fn stage(&self, name: &str) -> Outcome<Stage> {
        Stage::set(&self.dir, name, &self.atm)
    }
}

/// Runs both in turns, each of them first every other time, after a few runs that do not count.
fn in_turns(
    runs: usize,
    mut ours: impl FnMut(usize) -> Outcome<Duration>,
    mut floor: impl FnMut(usize) -> Outcome<Duration>,
) -> Outcome<(Samples, Samples)> {
    let warm = (runs / 10).clamp(1, 20);
    let (mut our_times, mut floor_times) = (Vec::new(), Vec::new());
    for run in 0..warm + runs {
        let (ours, floor) = if run % 2 == 0 {
            let ours = rested(&mut ours, run)?;
            (ours, rested(&mut floor, run)?)
        } else {
            let floor = rested(&mut floor, run)?;
            (rested(&mut ours, run)?, floor)
        };
        if run >= warm {
            our_times.push(ours);
            floor_times.push(floor);
        }
    }
    Ok((Samples::new(our_times), Samples::new(floor_times)))
}

fn rested(act: &mut impl FnMut(usize) -> Outcome<Duration>, run: usize) -> Outcome<Duration> {
    sleep(BREATH);
    act(run)
}
