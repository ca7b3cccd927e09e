//! The real binary with real parts: daemon, journal, SQLite, tmux, processes. One test binary.

#![expect(clippy::disallowed_methods, reason = "tests start the program under test")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bad_input;
mod config;
mod contracts;
mod crash;
mod demo;
mod doctor;
mod export;
mod faults;
mod files;
mod index;
mod jumps;
mod ledger;
mod notify;
mod panes;
mod paths;
mod picks;
mod races;
mod reading;
mod resume;
mod screen;
mod sealed;
mod setup;
mod setup_parts;
mod setup_tmux;
mod stage;
mod statusline;
mod tmux;
mod viewer;
mod wire;
