//! `atm hook`: what runs at every hook event of an agent. It reads the event, appends one record
//! to the journal and pokes the daemon. And `atm statusline`, which the agent runs too.
//!
//! **The hook never hurts the agent**: it prints nothing, exits 0 whatever happens and waits for
//! nobody. What goes wrong is told in the log of the state directory, if anywhere.

#![forbid(unsafe_code)]

mod append;
mod clock;
mod input;
mod log;
mod origin;
mod platform;
mod poke;
mod start;
mod state;
pub mod statusline;
mod visit;

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::process::ExitCode;

use atm_core::hook::cut::Cut;
use atm_core::places::Places;
use atm_core::record::{RECORD_VERSION, Record};
use serde_json::value::RawValue;

use crate::clock::Moment;
use crate::log::Log;
use crate::state::StateDir;

pub use crate::poke::is_listening;
pub use crate::start::start_daemon;
pub use crate::visit::visit;

/// The environment as a function, so that tests need not change the process's own.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Handles the event on standard input.
pub fn run() -> ExitCode {
    set_hook(Box::new(|_| {}));
    let event = || handle(rustix::stdio::stdin(), &|name| std::env::var_os(name), &start_daemon);
    drop(catch_unwind(AssertUnwindSafe(event)));
    ExitCode::SUCCESS
}

/// [`run`] with its surroundings as arguments; `start` is called if no daemon listens.
pub fn handle(input: impl AsFd, env: Env<'_>, start: &dyn Fn(&Places) -> io::Result<()>) {
    let moment = Moment::now();
    let cut = input::read(input.as_fd(), input::IDLE_MAX);
    let Ok(places) = Places::resolve(env) else { return };
    // A state directory that cannot be trusted has no log to complain in either; `atm doctor` tells.
    let Ok(state) = StateDir::open(&places.state) else { return };
    let log = Log::new(&state, env);
    let record = match encode(moment, env, &cut) {
        Ok(record) => record,
        Err(error) => return log.failure(format_args!("cannot encode the event: {error}")),
    };
    if let Err(error) = append::append(&state, &record) {
        return log.failure(format_args!("event lost: {error}"));
    }
    let told = match poke::poke(&places) {
        Ok(poke::Poke::Heard) => "daemon poked",
        Ok(poke::Poke::NobodyListens) => match start(&places) {
            Ok(()) => "daemon started",
            Err(error) => return log.failure(format_args!("cannot start the daemon: {error}")),
        },
        Err(error) => return log.failure(format_args!("cannot poke the daemon: {error}")),
    };
    let (bytes, written, took) = (cut.input_bytes, record.len(), moment.elapsed());
    log.detail(format_args!("{bytes} bytes in, {written} written, {told}, {took:?}"));
}

fn encode(moment: Moment, env: Env<'_>, cut: &Cut) -> serde_json::Result<Vec<u8>> {
    let payload = serde_json::from_slice::<&RawValue>(&cut.json)
        .ok()
        .filter(|payload| payload.get().starts_with('{'));
    let malformed = payload.is_none().then(|| String::from_utf8_lossy(&cut.head).into_owned());
    let record = Record {
        v: RECORD_VERSION,
        ts: moment.stamp,
        mono: moment.mono,
        origin: origin::origin(env),
        bytes: cut.input_bytes,
        cut: cut.cut_bytes,
        payload,
        malformed,
    };
    record.encode()
}
