//! The real binary with real parts: daemon, journal, SQLite, tmux, processes. One test binary.

#![expect(clippy::disallowed_methods, reason = "tests start the program under test")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bad_input;
mod config;
mod contracts;
mod crash;
mod demo;
mod faults;
mod files;
mod ledger;
mod notify;
mod panes;
mod races;
mod reading;
mod screen;
mod sealed;
mod setup;
mod stage;
mod wire;
