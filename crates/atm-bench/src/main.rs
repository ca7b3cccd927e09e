//! Measures a built `atm` with real processes, each figure against a floor that is measured in
//! the same run, in turns with it. Run through `./bench`, which builds and seals.
//!
//! Exit codes: 0 measured, 1 an aim was missed and `--strict` asked to care, 2 usage, 3 something
//! is broken (an event lost, a command that fails).

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool that prints figures")]

mod client;
mod crowd;
mod daemon;
mod journal;
mod machine;
mod measure;
mod options;
mod program;
mod samples;
mod speaker;
mod stage;
mod table;
mod terminal;

use std::process::ExitCode;

use crate::measure::{Bench, MEASURES};
use crate::options::{Heed, Options};
use crate::table::Row;

/// Any failure here ends the run; nobody tells them apart.
type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(rows) => {
            print!("\n{}", table::render(&rows));
            let missed = rows.iter().filter(|row| !row.is_met()).count();
            println!("\n{missed} of {} aims missed; {}", rows.len(), machine::load());
            ExitCode::from(u8::from(missed > 0 && options.heed == Heed::Misses))
        }
        Err(error) => {
            eprintln!("atm-bench: broken: {error}");
            ExitCode::from(3)
        }
    }
}

fn run(options: &Options) -> Outcome<Vec<Row>> {
    let bench = Bench::new(options)?;
    println!("{}", machine::describe(&bench.atm)?);
    let mut rows = Vec::new();
    for (name, measure) in MEASURES {
        if options.only.as_deref().is_none_or(|only| only == *name) {
            println!("\n{name}");
            rows.extend(measure(&bench).map_err(|error| format!("{name}: {error}"))?);
        }
    }
    Ok(rows)
}
