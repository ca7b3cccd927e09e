//! The pure heart of atm: reads what agents and sensors say, keeps the state of every session,
//! and derives from it what each view shows. No IO, clock, environment, logging or async.

#![forbid(unsafe_code)]
#![warn(clippy::wildcard_enum_match_arm)]

pub mod config;
pub mod effect;
pub mod event;
pub mod explain;
pub mod export;
pub mod hook;
pub mod ids;
pub mod jump;
pub mod machine;
pub mod notify;
pub mod past;
pub mod paths;
pub mod places;
pub mod prices;
pub mod process;
pub mod project;
pub mod proto;
pub mod record;
pub mod redact;
pub mod select;
pub mod session;
pub mod session_file;
pub mod settings;
pub mod span;
pub mod stamp;
pub mod stats;
pub mod statusline;
pub mod summary;
pub mod text;
pub mod tmux;
pub mod transcript;
pub mod view;
pub mod words;

#[cfg(test)]
mod sample;
